"""Top-N, expand, streaming aggregates, promises that are verified: on Spark as on the reference evaluator."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from firesteel import tables, values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from firesteel.spark.runtime.inspect import physical_plan
from firesteel.tables import Table
from tests.spark.helpers import STRICT, Bag, Struct, b, p, plan_of, t
from tests.spark.partitions import columns, dataframe, first_column, frame_table

pytestmark = pytest.mark.spark

UP, DOWN = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST
KEYS = [3, 1, None, 2, 2, 1, 3, 2, None, 1]


def memory(*rows: tuple[Any, ...], is_list: bool = False) -> Table:
    """A table of rows (a, b ...) of nullable integers."""
    structs = [Struct(zip("abc", row, strict=False)) for row in rows]
    element = t.Struct(tuple(t.Field(name, t.Int64(nullable=True)) for name in "abc"[: len(rows[0])]), open=False)
    table = tables.memory(structs if is_list else Bag(structs))
    return Table(tables.Memory(table.source.value, declared=True), (t.Array if is_list else t.Bag)(element))  # type: ignore[union-attr]


ROWS = memory(*((key, i) for i, key in enumerate(KEYS)))
LIST = memory(*((key, i) for i, key in enumerate(KEYS)), is_list=True)


def spec(rel: p.Rel, ordinal: int, order: p.SortOrder = UP) -> p.SortSpec:
    return p.SortSpec(b.column(rel, ordinal), order)


def answers(engine: SparkEngine, rel: p.Rel, *over: Table) -> tuple[values.Value, values.Value]:
    """The answers of Spark and of the reference evaluator."""
    plan = plan_of(rel, STRICT, over)
    return engine.run(plan, over).value(), evaluate(plan, list(over))


def alike(engine: SparkEngine, rel: p.Rel, *over: Table) -> values.Value:
    found, expected = answers(engine, rel, *over)
    assert type(found) is type(expected)
    assert values.equal(found, expected), f"{found!r} is not {expected!r}"
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Top-N


def number(value: int | None) -> p.Rex:
    return b.lit(value, t.Int64(nullable=True))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("skip", "count"), [(None, 3), (0, 0), (2, 3), (2, 0), (0, None), (None, 2**40), (9, 5), (2**40, 1), (None, 4)]
)
def test_top_n_of_a_list(engine: SparkEngine, skip: int | None, count: int | None, ties: bool) -> None:
    """The order of a list breaks ties, so the rows are the same."""
    rel = columns(LIST)
    top = p.TopN((spec(rel, 0, DOWN),), number(count), rel, skip=None if skip is None else number(skip), ties=ties)
    alike(engine, top, LIST)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("sizes", [(2, 3), (None, None), (0, 4), (-1, 2)], ids=str)
def test_top_n_by_counts_that_are_known_only_at_run_time(
    engine: SparkEngine, sizes: tuple[int | None, int | None], ties: bool
) -> None:
    """They are in a table; NULL stands for no offset, and for all rows."""
    rel, given = columns(LIST), memory(sizes)
    top = p.TopN((spec(rel, 0),), only(given, "b"), rel, skip=only(given, "a"), ties=ties)
    if sizes[0] != -1:
        alike(engine, top, LIST, given)
        return
    with pytest.raises(EvaluationError, match="a top-N takes a number of rows"):
        answers(engine, top, LIST, given)


def only(table: Table, name: str) -> p.Rex:
    """The attribute of the only row of a table."""
    scan = p.Scan(p.Global(table.type, 1))
    row = b.path(b.column(scan, 0), name)
    pairs = (p.Pair(b.lit(name), row),)
    made = p.Struct(t.Struct((t.Field(name, row.type),), open=False), pairs)
    return p.CollToScalar(b.select(made, scan))


@pytest.mark.parametrize("bad", [b.lit(-1), b.lit("x", t.ANY)])
def test_a_top_n_takes_a_number(engine: SparkEngine, bad: p.Rex) -> None:
    top = p.TopN((spec(columns(ROWS), 0),), bad, columns(ROWS))
    plan = plan_of(top, STRICT, (ROWS,))
    with pytest.raises(EvaluationError, match="a top-N takes a number of rows"):
        engine.run(plan, (ROWS,)).value()
    with pytest.raises(EvaluationError, match="a top-N takes a number of rows"):
        evaluate(plan, [ROWS])


@pytest.mark.parametrize("skip", [None, 2])
def test_a_plain_top_n_sorts_no_more_than_it_gives(engine: SparkEngine, skip: int | None) -> None:
    rel = columns(ROWS)
    top = p.TopN((spec(rel, 0),), number(3), rel, skip=None if skip is None else number(skip))
    text = physical_plan(dataframe(engine, top, (ROWS,)))
    assert "TakeOrderedAndProject" in text
    found, expected = answers(engine, top, ROWS)
    assert first_column(found) == first_column(expected)


def test_a_sort_by_a_comparison_function_is_refused(engine: SparkEngine) -> None:
    """Wherever there are sort keys."""
    rel = columns(ROWS)
    value = b.column(rel, 0)
    specs = (p.SortSpec(value, UP, comparator=b.signature("minus", [value, value])),)
    call = p.WindowCall(b.signature("sum", [value]), (value,), (), specs)
    total = p.Agg(b.signature("sum", [value]), (value,), order=specs)
    for made in (
        p.Sort(specs, rel),
        p.TopN(specs, number(1), rel),
        p.Window((call,), rel),
        p.Aggregate(p.Strategy.FULL, (total,), (), rel),
        p.Promised(specs, rel, verified=True),
    ):
        with pytest.raises(UnsupportedError, match="comparison function 'minus'"):
            engine.run(plan_of(made, STRICT, (ROWS,)), (ROWS,))


# ---------------------------------------------------------------------------------------------------------------------
# Expand


def expand(rel: p.Rel) -> p.Expand:
    a, place = b.column(rel, 0), b.column(rel, 1)
    return p.Expand(
        (
            p.Consistent(b.call("plus", place, b.lit(100))),
            p.Switching((a, b.lit("text"), b.call("times", a, b.lit(2.5)))),
            p.Switching((place, b.lit(None, t.NULL))),
            p.Consistent(a),
        ),
        rel,
    )


@pytest.mark.parametrize("table", [ROWS, LIST], ids=["bag", "list"])
def test_expand(engine: SparkEngine, table: Table) -> None:
    """A switching field with fewer duplicates than the longest is NULL in the rest."""
    alike(engine, expand(columns(table)), table)


def test_expand_without_switching_fields(engine: SparkEngine) -> None:
    rel = columns(ROWS)
    alike(engine, p.Expand((p.Consistent(b.column(rel, 1)),), rel), ROWS)


def test_duplicates_stay_side_by_side(engine: SparkEngine) -> None:
    """All rows are alike in the key of the sort."""
    rel = columns(ROWS)
    sort = p.Sort((p.SortSpec(b.lit(1), UP),), rel)
    made = p.Expand((p.Consistent(b.column(sort, 1)), p.Switching((b.lit(1), b.lit(2)))), sort)
    found = engine.run(plan_of(made, STRICT, (ROWS,)), (ROWS,)).value()
    places = first_column(found)
    assert places[::2] == places[1::2]
    assert sorted(places[::2]) == list(range(10))
    assert [row.pairs[2][1] for row in found] == [0, 1] * 10


# ---------------------------------------------------------------------------------------------------------------------
# Streaming aggregates and windows


@pytest.mark.parametrize("orders", [(UP, DOWN), (DOWN, UP), (p.SortOrder.CLUSTERED, UP)], ids=str)
def test_a_streaming_aggregate_keeps_the_order(engine: SparkEngine, orders: tuple[p.SortOrder, p.SortOrder]) -> None:
    table = memory(*((key, i % 2, i) for i, key in enumerate(KEYS)))
    rel = columns(table)
    sort = p.Sort((spec(rel, 1, orders[0]), spec(rel, 0, orders[1])), rel)
    keys = (b.column(sort, 0), b.column(sort, 1))
    total = b.agg("sum", b.column(sort, 2))
    made = p.Aggregate(p.Strategy.FULL, (total,), keys, sort, method=p.AggregateMethod.STREAMING)
    assert isinstance(alike(engine, made, table), list)
    some = p.Aggregate(p.Strategy.PARTIAL, (total,), (b.column(sort, 1),), sort, method=p.AggregateMethod.STREAMING)
    assert isinstance(alike(engine, some, table), list)


def test_groups_of_a_list_that_is_only_clustered(engine: SparkEngine) -> None:
    """The groups come in the sequence of their first rows."""
    table = memory((5, 0), (5, 1), (1, 2), (7, 3), (7, 4), (None, 5), is_list=True)
    promised = p.Promised((spec(columns(table), 0, p.SortOrder.CLUSTERED),), columns(table))
    made = p.Aggregate(
        p.Strategy.FULL,
        (b.agg("max", b.column(promised, 1)),),
        (b.column(promised, 0),),
        promised,
        method=p.AggregateMethod.STREAMING,
    )
    assert first_column(alike(engine, made, table)) == [5, 1, 7, None]


@pytest.mark.parametrize("method", list(p.WindowMethod))
def test_windows_by_method(engine: SparkEngine, method: p.WindowMethod) -> None:
    """CONSISTENT keeps the order of a list; the others give a bag."""
    sort = p.Sort((spec(columns(LIST), 0), spec(columns(LIST), 1)), columns(LIST))
    place = b.column(sort, 1)
    call = p.WindowCall(b.signature("sum", [place]), (place,), (b.column(sort, 0),), (p.SortSpec(place, UP),))
    found = alike(engine, p.Window((call,), sort, method=method), LIST)
    assert isinstance(found, list) == (method is p.WindowMethod.CONSISTENT)


# ---------------------------------------------------------------------------------------------------------------------
# Promises that are verified


def promised(table: Table, *order: p.SortOrder, verified: bool = True) -> p.Promised:
    rel = columns(table)
    return p.Promised(tuple(spec(rel, i, one) for i, one in enumerate(order)), rel, verified=verified)


@pytest.mark.parametrize(
    ("rows", "order", "offence"),
    [
        ([(1, 2), (2, 1), (2, 1), (3, None)], (UP, DOWN), None),
        ([(1, 2), (3, 1), (2, 1), (1, 1)], (UP,), 3),
        ([(2, 2), (2, 3), (1, 1)], (DOWN, DOWN), 2),
        ([(None, 2), (1, 1), (None, 3)], (UP,), 3),
        ([(5, 1), (5, 2), (1, 1), (7, 0), (7, 9)], (p.SortOrder.CLUSTERED, UP), None),
        ([(5, 1), (1, 2), (5, 3)], (p.SortOrder.CLUSTERED,), 3),
        ([(5, 1), (5, 0)], (p.SortOrder.CLUSTERED, UP), 2),
    ],
)
@pytest.mark.parametrize("is_list", [False, True], ids=["bag", "list"])
def test_a_promised_order_is_verified(
    engine: SparkEngine, rows: list[tuple[Any, ...]], order: tuple[p.SortOrder, ...], offence: int | None, is_list: bool
) -> None:
    """The first row that is out of order is the same on both engines."""
    table = memory(*rows, is_list=is_list)
    if offence is None:
        alike(engine, promised(table, *order), table)
        return
    plan = plan_of(promised(table, *order), STRICT, (table,))
    row = rows[offence - 1]
    said = rf"row {offence} is not in the order that is promised: "
    with pytest.raises(EvaluationError, match=said):
        evaluate(plan, [table])
    with pytest.raises(EvaluationError, match=said + re.escape("{")) as caught:
        engine.run(plan, (table,)).value()
    assert caught.value.message.endswith(json.dumps({"a": row[0], "b": row[1]}, separators=(",", ":")))


def test_a_promise_that_is_not_verified_is_believed(engine: SparkEngine) -> None:
    table = memory((2, 0), (1, 1))
    assert len(engine.run(plan_of(promised(table, UP, verified=False), STRICT, (table,)), (table,)).value()) == 2


def frame_of(spark: Any, *parts: list[int]) -> Table:
    """A DataFrame of rows (a), in these partitions."""
    from pyspark.sql import functions as F

    rows = [(place, i, a) for place, part in enumerate(parts) for i, a in enumerate(part)]
    frame = spark.createDataFrame(rows, "part int, i int, a long").repartitionById(len(parts), F.col("part"))
    return frame_table(frame.sortWithinPartitions("i").select("a"))


def broken(engine: SparkEngine, promise: p.Promised, table: Table) -> str | None:
    """The error that verifying a promise gives; None if it holds."""
    try:
        engine.run(plan_of(promise, STRICT, (table,)), (table,)).value()
    except EvaluationError as error:
        return error.message
    return None


def test_partitions_of_a_dataframe_are_verified(engine: SparkEngine, spark: Any) -> None:
    """An order holds within each partition, and a distribution across them."""
    sorted_parts = frame_of(spark, [1, 2, 2, 9], [0, 5, 7], [], [3])
    rel = columns(sorted_parts)
    a = b.column(rel, 0)
    assert broken(engine, p.Promised((spec(rel, 0),), rel, verified=True), sorted_parts) is None
    assert broken(engine, p.Promised((spec(rel, 0),), rel, partitioned=(a,), verified=True), sorted_parts) is None
    said = broken(engine, p.Promised((), rel, singleton=True, verified=True), sorted_parts)
    assert said == "row 1 of partition 1 is in a second partition: 0"
    mixed = frame_of(spark, [1, 2], [7, 2, 1])
    said = broken(engine, p.Promised((), rel, partitioned=(a,), verified=True), mixed)
    assert said is not None
    assert said.startswith("row 2 of partition 1 is not in the partition of the rows that are like it")
    said = broken(engine, p.Promised((spec(rel, 0),), rel, verified=True), mixed)
    assert said is not None
    assert said.startswith("row 2 of partition 1 is not in the order that is promised")
    one = frame_of(spark, [], [4, 3], [])
    assert broken(engine, p.Promised((spec(rel, 0, DOWN),), rel, singleton=True, verified=True), one) is None


def test_the_partitions_of_a_folder_are_its_files(engine: SparkEngine, tmp_path: Path) -> None:
    """Spark reads small files together, in one partition."""
    (tmp_path / "a.csv").write_text("a,b\n1,1\n2,1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("a,b\n1,2\n1,2\n3,2\n", encoding="utf-8")
    element = t.Struct((t.Field("a", t.Int32(nullable=True)), t.Field("b", t.Int32(nullable=True))), open=False)
    table = Table(tables.File(tmp_path, "csv"), t.Bag(element))
    rel = columns(table)
    a, place = b.column(rel, 0), b.column(rel, 1)
    assert broken(engine, p.Promised((spec(rel, 0),), rel, partitioned=(place,), verified=True), table) is None
    said = broken(engine, p.Promised((), rel, partitioned=(a,), verified=True), table)
    assert said is not None
    assert re.match(r"row 1 of file:.*b\.csv is not in the partition", said), said
    said = broken(engine, p.Promised((spec(rel, 0, DOWN),), rel, verified=True), table)
    assert said is not None
    assert re.match(r"row 2 of file:.*a\.csv is not in the order", said), said
