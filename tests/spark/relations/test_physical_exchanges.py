"""Exchanges: which rows are in which partition, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from firesteel import tables, values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from firesteel.spark.encoding import versions
from firesteel.spark.runtime.inspect import physical_plan
from firesteel.tables import Table
from tests.spark.helpers import STRICT, Bag, Struct, b, p, plan_of, t
from tests.spark.partitions import Row, columns, dataframe, first_column, frame_table, partitions_of
from tools.spark_batch import configured

pytestmark = pytest.mark.spark

COUNT = 4


@pytest.fixture(scope="module", autouse=True)
def adaptive(spark: Any) -> Iterator[None]:
    """Adaptive execution is on, as it is for users: it must not undo what the plan asks for."""
    with configured(spark, {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "5"}):
        yield


@pytest.fixture(scope="module")
def table(spark: Any) -> Table:
    """30 rows in 3 partitions: (id, k, buckets)."""
    from pyspark.sql import functions as F

    number = F.col("id")
    frame = spark.range(0, 30, 1, 3).select(
        "id",
        F.when(number % 7 != 0, number % 5 - 1).alias("k"),
        F.array(number % 3, number % 3 + 4, number % 6).alias("buckets"),
    )
    return frame_table(frame)


def rows_of(table: Table) -> list[Row]:
    return [(i, (i % 5 - 1) if i % 7 else None, [i % 3, i % 3 + 4, i % 6]) for i in range(30)]  # what the fixture makes


def sent(engine: SparkEngine, table: Table, kind: p.ExchangeKind, count: int | None, rel: p.Rel | None = None) -> Any:
    return dataframe(engine, p.Exchange(kind, rel or columns(table), partitions=count), (table,))


def var(table: Table, ordinal: int) -> p.Var:
    return b.column(columns(table), ordinal)


def everywhere(found: dict[int, list[Row]]) -> Counter[str]:
    return Counter(repr(row) for rows in found.values() for row in rows)


# ---------------------------------------------------------------------------------------------------------------------
# Scatter


def test_scatter_sends_equal_values_to_one_partition(engine: SparkEngine, table: Table) -> None:
    frame = sent(engine, table, p.Scatter((var(table, 1),)), COUNT)
    found = partitions_of(frame)
    places: dict[Any, set[int]] = {}
    for part, rows in found.items():
        for row in rows:
            places.setdefault(row[1], set()).add(part)
    assert set(places) == {None, -1, 0, 1, 2, 3}
    assert all(len(parts) == 1 for parts in places.values())
    assert len(found) > 1
    assert everywhere(found) == Counter(map(repr, rows_of(table)))
    assert frame.rdd.getNumPartitions() == COUNT


def test_equal_values_meet_in_different_exchanges(engine: SparkEngine, table: Table, spark: Any) -> None:
    """The hash depends on values and types alone: not on the table, nor on the other columns."""
    from pyspark.sql import functions as F

    other = frame_table(spark.range(5).select(F.lit("x").alias("text"), (F.col("id") - 1).alias("k")))
    mine = partitions_of(sent(engine, table, p.Scatter((var(table, 1),)), COUNT))
    theirs = partitions_of(sent(engine, other, p.Scatter((var(other, 1),)), COUNT))
    places = {row[1]: part for part, rows in theirs.items() for row in rows}
    assert all(places[row[1]] == part for part, rows in mine.items() for row in rows if row[1] is not None)


def test_scatter_by_values_of_any_kind(engine: SparkEngine) -> None:
    """1 and 1.0 are equal, and so are bags in any order; Spark cannot hash such values itself."""
    kinds = [1, 1.0, "1", Bag([1, 2]), Bag([2, 1]), [1, 2], [2, 1], None, Struct({"a": 1}), Struct({"a": 1.0}), True]
    table = tables.memory(Bag([Struct({"v": value, "n": i}) for i, value in enumerate(kinds * 2)]))
    scan = p.Scan(p.Global(table.type, 0))
    rel = p.Project((b.path(b.column(scan, 0), "v"), b.path(b.column(scan, 0), "n")), scan)
    numbered = p.Project((b.column(rel, 1),), p.Exchange(p.Scatter((b.column(rel, 0),)), rel, partitions=COUNT))
    found = partitions_of(dataframe(engine, numbered, (table,)))
    places: dict[Any, set[int]] = {}
    for part, rows in found.items():
        for (number,) in rows:
            places.setdefault(values.key(kinds[number % len(kinds)]), set()).add(part)
    assert all(len(parts) == 1 for parts in places.values())
    assert len(found) > 1


def test_scatter_without_a_count(engine: SparkEngine, table: Table) -> None:
    found = partitions_of(sent(engine, table, p.Scatter((var(table, 1), var(table, 0))), None))
    assert everywhere(found) == Counter(map(repr, rows_of(table)))
    assert "hashpartitioning" in physical_plan(sent(engine, table, p.Scatter((var(table, 1),)), None))


# ---------------------------------------------------------------------------------------------------------------------
# Buckets


@pytest.mark.parametrize("count", [COUNT, 1])
def test_single_bucket_is_taken_modulo(engine: SparkEngine, table: Table, count: int) -> None:
    frame = sent(engine, table, p.SingleBucket(b.call("minus", var(table, 0), b.lit(7))), count)
    found = partitions_of(frame)
    assert {part: [row[0] for row in rows] for part, rows in found.items()} == {
        part: [i for i in range(30) if (i - 7) % count == part] for part in range(count)
    }
    assert frame.rdd.getNumPartitions() == count


@pytest.mark.parametrize("count", [30, 29, 1])
def test_single_bucket_may_be_constrained(engine: SparkEngine, table: Table, count: int) -> None:
    frame = sent(engine, table, p.SingleBucket(var(table, 0), constrained=True), count)
    if count == 30:
        assert {part: [row[0] for row in rows] for part, rows in partitions_of(frame).items()} == {
            i: [i] for i in range(30)
        }
        return
    rel = p.Exchange(p.SingleBucket(var(table, 0), constrained=True), columns(table), partitions=count)
    few = p.Filter(b.call("lt", b.column(rel, 0), b.lit(1)), rel)  # the filter may not hide the error
    with pytest.raises(EvaluationError, match=rf"no partition \d+: there are {count}"):
        engine.run(plan_of(few, STRICT, (table,)), (table,)).value()


def test_single_bucket_without_a_count_keeps_buckets_together(engine: SparkEngine, table: Table) -> None:
    bucket = b.call("modulo", var(table, 0), b.lit(3))
    found = partitions_of(sent(engine, table, p.SingleBucket(bucket), None))
    places = {(row[0] % 3, part) for part, rows in found.items() for row in rows}
    assert len(places) == 3
    assert everywhere(found) == Counter(map(repr, rows_of(table)))


def test_a_bucket_is_a_number(engine: SparkEngine, table: Table) -> None:
    rel = p.Exchange(p.SingleBucket(var(table, 1)), columns(table), partitions=COUNT)
    with pytest.raises(EvaluationError, match="a bucket is a number"):
        engine.run(plan_of(rel, STRICT, (table,)), (table,)).value()
    mixed = tables.memory(Bag([Struct({"v": value}) for value in (1, "x")]))
    rel = p.Exchange(p.SingleBucket(b.column(columns_of(mixed), 0)), columns_of(mixed), partitions=COUNT)
    with pytest.raises(EvaluationError, match="a bucket is a number"):
        engine.run(plan_of(rel, STRICT, (mixed,)), (mixed,)).value()


def columns_of(table: Table) -> p.Rel:
    scan = p.Scan(p.Global(table.type, 0))
    return p.Project((b.path(b.column(scan, 0), "v"),), scan)


@pytest.mark.parametrize("count", [COUNT, 1])
def test_multi_bucket_sends_a_row_to_each_of_its_buckets(engine: SparkEngine, table: Table, count: int) -> None:
    found = partitions_of(sent(engine, table, p.MultiBucket(var(table, 2)), count))
    expected = {
        part: [row[0] for row in rows_of(table) if part in {bucket % count for bucket in row[2]}]
        for part in range(count)
    }
    assert {part: [row[0] for row in rows] for part, rows in found.items()} == expected


def test_multi_bucket_may_be_constrained(engine: SparkEngine, table: Table) -> None:
    found = partitions_of(sent(engine, table, p.MultiBucket(var(table, 2), constrained=True), 7))
    assert {part: [row[0] for row in rows] for part, rows in found.items()} == {
        part: [row[0] for row in rows_of(table) if part in row[2]] for part in range(7)
    }
    rel = p.Exchange(p.MultiBucket(var(table, 2), constrained=True), columns(table), partitions=6)
    with pytest.raises(EvaluationError, match="no partition 6: there are 6"):
        engine.run(plan_of(rel, STRICT, (table,)), (table,)).value()


def test_multi_bucket_without_a_count(engine: SparkEngine, table: Table) -> None:
    found = partitions_of(sent(engine, table, p.MultiBucket(var(table, 2)), None))
    expected = Counter({repr(row): len(set(row[2])) for row in rows_of(table)})
    assert everywhere(found) == expected


@pytest.mark.parametrize(
    ("buckets", "copies"), [([], 0), ([5, 1, 9], 1), ([0, -1], 2), (Bag([1]), None), (["x"], None), (None, None)]
)
def test_buckets_are_a_list(engine: SparkEngine, buckets: Any, copies: int | None) -> None:
    """A value of any type, as the reference evaluator takes it."""
    table = tables.memory(Bag([Struct({"v": buckets}), Struct({"v": [2]})]))
    rel = p.Exchange(p.MultiBucket(b.column(columns_of(table), 0)), columns_of(table), partitions=COUNT)
    plan = plan_of(rel, STRICT, (table,))
    if copies is None:
        for run in (lambda: engine.run(plan, (table,)).value(), lambda: evaluate(plan, [table])):
            with pytest.raises(EvaluationError, match="bucket"):
                run()
        return
    found = engine.run(plan, (table,)).value()
    assert len(found) == copies + 1
    assert values.equal(found, evaluate(plan, [table]))


# ---------------------------------------------------------------------------------------------------------------------
# Broadcast and round robin


@pytest.mark.parametrize("count", [3, 1])
def test_a_broadcast_is_a_copy_in_every_partition(engine: SparkEngine, table: Table, count: int) -> None:
    frame = sent(engine, table, p.Broadcast(), count)
    assert partitions_of(frame) == {part: rows_of(table) for part in range(count)}


def test_a_broadcast_without_a_count_is_one_copy(engine: SparkEngine, table: Table) -> None:
    found = partitions_of(sent(engine, table, p.Broadcast(), None))
    assert everywhere(found) == Counter(map(repr, rows_of(table)))


@pytest.mark.parametrize("count", [COUNT, 1, None])
def test_an_exact_round_robin(engine: SparkEngine, table: Table, count: int | None) -> None:
    """As the rows come; without a count, to as many partitions as Spark is set to."""
    found = partitions_of(sent(engine, table, p.RoundRobin(exact=True), count))
    size = count or 5
    assert {part: [row[0] for row in rows] for part, rows in found.items()} == {
        part: list(range(part, 30, size)) for part in range(size)
    }


def test_an_exact_round_robin_of_a_list(engine: SparkEngine, table: Table) -> None:
    """The rows of a list take their turns in its order, and are in that order within each partition."""
    rel = p.Sort((p.SortSpec(var(table, 0), p.SortOrder.DESC_NULLS_LAST),), columns(table))
    found = partitions_of(sent(engine, table, p.RoundRobin(exact=True), COUNT, rel))
    assert {part: [row[0] for row in rows] for part, rows in found.items()} == {
        part: list(range(29 - part, -1, -COUNT)) for part in range(COUNT)
    }


def test_an_approximate_round_robin_is_about_even(engine: SparkEngine, table: Table) -> None:
    frame = sent(engine, table, p.RoundRobin(), COUNT)
    found = partitions_of(frame)
    assert frame.rdd.getNumPartitions() == COUNT
    assert everywhere(found) == Counter(map(repr, rows_of(table)))
    assert all(30 // COUNT - 3 <= len(rows) <= 30 // COUNT + 3 for rows in found.values())
    assert everywhere(partitions_of(sent(engine, table, p.RoundRobin(), None))) == everywhere(found)


# ---------------------------------------------------------------------------------------------------------------------
# Lists, and older versions


@pytest.mark.parametrize(
    "kind",
    [p.Broadcast(), p.MultiBucket(b.lit([0, 1, 2], t.Array(t.INT64))), p.RoundRobin(exact=True), p.RoundRobin()],
    ids=lambda kind: kind.tag,
)
def test_a_list_stays_a_list(engine: SparkEngine, table: Table, kind: p.ExchangeKind) -> None:
    """Copies of a row are side by side in the answer, though all rows are alike in the key of the sort."""
    keep = p.Filter(b.call("lt", b.column(columns(table), 0), b.lit(4)), columns(table))
    rel = p.Sort((p.SortSpec(b.call("times", b.column(keep, 0), b.lit(0)), p.SortOrder.ASC_NULLS_LAST),), keep)
    plan = plan_of(p.Exchange(kind, rel, partitions=3), STRICT, (table,))
    found = first_column(engine.run(plan, (table,)).value())
    copies = 1 if isinstance(kind, p.RoundRobin) else 3
    runs = [found[at : at + copies] for at in range(0, len(found), copies)]
    assert sorted(runs) == [[i] * copies for i in range(4)]


def test_an_older_spark_refuses_buckets(engine: SparkEngine, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "has_feature", lambda _spark, feature: feature != "repartition_by_id")
    with pytest.raises(UnsupportedError, match=r"'broadcast' needs DataFrame\.repartitionById"):
        sent(engine, table, p.Broadcast(), 2)
    assert partitions_of(sent(engine, table, p.Scatter((var(table, 0),)), 2))


# ---------------------------------------------------------------------------------------------------------------------
# Captures


def test_captures_keep_partitions(engine: SparkEngine, table: Table) -> None:
    rel = p.Exchange(p.SingleBucket(var(table, 0)), columns(table), partitions=3)
    expected = {part: list(range(part, 30, 3)) for part in range(3)}
    for capture in (p.SimpleCapture(rel), p.MergingCapture(rel)):
        found = partitions_of(dataframe(engine, capture, (table,)))
        assert {part: [row[0] for row in rows] for part, rows in found.items()} == expected


def test_a_merging_capture_keeps_a_list(engine: SparkEngine, table: Table) -> None:
    down = p.Sort((p.SortSpec(var(table, 0), p.SortOrder.DESC_NULLS_LAST),), columns(table))
    rel = p.Exchange(p.SingleBucket(var(table, 0)), down, partitions=3)
    merged = engine.run(plan_of(p.MergingCapture(rel), STRICT, (table,)), (table,)).value()
    assert first_column(merged) == list(range(29, -1, -1))
    simple = engine.run(plan_of(p.SimpleCapture(rel), STRICT, (table,)), (table,)).value()
    assert isinstance(simple, Bag)
    assert sorted(first_column(simple)) == list(range(30))
