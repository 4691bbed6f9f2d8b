"""What a plan says of partitions holds in the DataFrame and in files; where it holds already, nothing is moved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark import SparkEngine
from firesteel.spark.runtime.inspect import physical_plan
from firesteel.tables import Table
from firesteel.tables.output.target import output_of
from tests.spark.helpers import STRICT, b, p, plan_of
from tests.spark.partitions import Row, columns, dataframe, frame_table, partitions_of
from tests.spark.relations.test_physical_rows import memory
from tools.spark_batch import configured

pytestmark = pytest.mark.spark

UP, DOWN = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST


@pytest.fixture(scope="module", autouse=True)
def adaptive(spark: Any) -> Iterator[None]:
    """Adaptive execution is on, as it is for users."""
    with configured(spark, {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "4"}):
        yield


@pytest.fixture(scope="module")
def table(spark: Any) -> Table:
    """30 rows (k, id) in 3 partitions, by k, and each partition in the order of k and id."""
    from pyspark.sql import functions as F

    return frame_table(spark.range(0, 30, 1, 3).select(F.floor(F.col("id") / 5).alias("k"), "id"))


def spec(rel: p.Rel, ordinal: int, order: p.SortOrder = UP) -> p.SortSpec:
    return p.SortSpec(b.column(rel, ordinal), order)


def promised(table: Table) -> p.Promised:
    rel = columns(table)
    return p.Promised((spec(rel, 0), spec(rel, 1)), rel, partitioned=(b.column(rel, 0),))


def scattered(rel: p.Rel, ordinal: int, count: int | None = 3) -> p.Exchange:
    return p.Exchange(p.Scatter((b.column(rel, ordinal),)), rel, partitions=count)


def moves(engine: SparkEngine, rel: p.Rel, *over: Table) -> int:
    """How often Spark sends rows to other partitions."""
    return physical_plan(dataframe(engine, rel, over)).count("Exchange ")


def together(parts: dict[int, list[Row]], ordinal: int) -> bool:
    """Are equal values of a column in one partition?"""
    places = {(row[ordinal], part) for part, rows in parts.items() for row in rows}
    return len(places) == len({value for value, _ in places})


# ---------------------------------------------------------------------------------------------------------------------
# Nothing is moved without need


def test_plans_that_say_nothing_of_partitions_are_as_before(engine: SparkEngine, table: Table) -> None:
    rel = columns(table)
    total = p.Aggregate(p.Strategy.FULL, (b.agg("count_star"),), (), rel)
    assert moves(engine, p.Filter(b.call("gt", b.column(rel, 1), b.lit(3)), rel), table) == 0
    assert moves(engine, total, table) == 1  # Spark's own
    beside = p.Join(p.Cross(), rel, total)  # one row beside each is no reason to put all rows in one partition
    assert len(partitions_of(dataframe(engine, beside, (table,)))) == 3
    assert "rangepartitioning" in physical_plan(dataframe(engine, p.Sort((spec(rel, 1, DOWN),), rel), (table,)))


def test_the_partitions_of_a_dataframe_stay(engine: SparkEngine, table: Table) -> None:
    """Filters and projections look at one row at a time."""
    rel = promised(table)
    some = p.Filter(b.call("gt", b.column(rel, 1), b.lit(3)), rel)
    swapped = p.Project((b.column(some, 1), b.column(some, 0)), some)
    assert moves(engine, swapped, table) == 0
    assert "Sort" not in physical_plan(dataframe(engine, swapped, (table,)))
    assert [len(rows) for rows in partitions_of(dataframe(engine, swapped, (table,))).values()] == [6, 10, 10]


def test_rows_are_moved_once_by_an_exchange(engine: SparkEngine, table: Table) -> None:
    rel = scattered(columns(table), 0)
    some = p.Filter(b.call("gt", b.column(rel, 1), b.lit(3)), rel)
    more = p.Project((b.column(some, 1), b.call("plus", b.column(some, 0), b.lit(1)), b.column(some, 0)), some)
    assert moves(engine, more, table) == 1
    assert together(partitions_of(dataframe(engine, more, (table,))), 2)


def test_an_answer_as_values_needs_no_partitions(engine: SparkEngine, table: Table) -> None:
    """The DataFrame of a group needs a second exchange; its answer does not."""
    rel = scattered(columns(table), 0)
    call = p.WindowCall(b.signature("max", [b.column(rel, 0)]), (b.column(rel, 0),), (b.column(rel, 1),), ())
    window = p.Window((call,), rel)
    outcome = engine.run(plan_of(window, STRICT, (table,)), (table,))
    assert physical_plan(outcome.dataframe).count("Exchange ") == 1 + physical_plan(outcome._compiled.frame).count(
        "Exchange "
    )
    assert together(partitions_of(outcome.dataframe), 0)


# ---------------------------------------------------------------------------------------------------------------------
# What is restored


def test_a_sort_over_partitioned_rows_sorts_each_partition(engine: SparkEngine, table: Table) -> None:
    """The answer as a list is in total order all the same."""
    rel = scattered(columns(table), 0)
    plan = plan_of(p.Sort((spec(rel, 1, DOWN),), rel), STRICT, (table,))
    frame = engine.run(plan, (table,)).dataframe
    assert frame.rdd.getNumPartitions() == 3
    parts = partitions_of(frame)
    assert together(parts, 0)
    assert all(rows == sorted(rows, key=lambda row: -row[1]) for rows in parts.values())
    assert [row.pairs[1][1] for row in engine.run(plan, (table,)).value()] == list(range(29, -1, -1))


def test_an_exchange_of_a_list_keeps_its_order_in_each_partition(engine: SparkEngine, table: Table) -> None:
    rel = p.Exchange(p.Broadcast(), p.Sort((spec(columns(table), 1, DOWN),), columns(table)), partitions=2)
    parts = partitions_of(dataframe(engine, rel, (table,)))
    assert {part: [row[1] for row in rows] for part, rows in parts.items()} == {
        0: list(range(29, -1, -1)),
        1: list(range(29, -1, -1)),
    }


def test_what_an_operator_moves_is_moved_back(engine: SparkEngine, table: Table) -> None:
    """Spark groups by other columns, or joins by others: the fields of the distribution meet again."""
    rel = scattered(columns(table), 0)
    groups = p.Aggregate(p.Strategy.FULL, (b.agg("count_star"),), (b.column(rel, 1), b.column(rel, 0)), rel)
    assert together(partitions_of(dataframe(engine, groups, (table,))), 1)
    first = p.Limit(b.lit(20), rel)
    parts = partitions_of(dataframe(engine, first, (table,)))
    assert together(parts, 0)
    assert sum(map(len, parts.values())) == 20


def test_one_partition_is_one_partition(engine: SparkEngine, table: Table) -> None:
    rel = p.Exchange(p.RoundRobin(), columns(table), partitions=1)
    once = p.Distinct(p.Project((b.column(rel, 0),), rel))
    assert len(partitions_of(dataframe(engine, once, (table,)))) == 1
    down = p.Sort((spec(rel, 1, DOWN),), rel)
    assert list(partitions_of(dataframe(engine, down, (table,))).values()) == [[(i // 5, i) for i in range(29, -1, -1)]]


def test_a_promise_of_a_table_in_memory_is_made_true(engine: SparkEngine) -> None:
    """Its rows have no partitions of their own; Spark puts them anywhere."""
    rows = memory(*((i // 4, i) for i in range(16)))
    parts = partitions_of(dataframe(engine, promised(rows), (rows,)))
    assert together(parts, 0)
    assert all(part == sorted(part) for part in parts.values())


def test_a_promise_of_something_else_of_an_exchange_is_made_true(engine: SparkEngine, table: Table) -> None:
    rel = p.Exchange(p.RoundRobin(exact=True), columns(table), partitions=3)
    other = p.Promised((), rel, partitioned=(b.column(rel, 0),))
    assert together(partitions_of(dataframe(engine, other, (table,))), 0)
    kept = p.Promised((), scattered(columns(table), 0), partitioned=(b.column(rel, 0),))
    assert moves(engine, kept, table) == 1


def test_an_order_by_a_comparison_function_is_refused_where_it_is_needed(engine: SparkEngine, table: Table) -> None:
    """The rows themselves can be had, and so can a DataFrame that is in that order already."""
    rel = columns(table)
    compare = b.signature("minus", [b.column(rel, 0), b.column(rel, 1)])
    there = p.Promised((p.SortSpec(b.column(rel, 0), UP, comparator=compare),), rel)
    assert moves(engine, there, table) == 0
    outcome = engine.run(plan_of(scattered(there, 0), STRICT, (table,)), (table,))
    assert len(outcome.value()) == 30
    with pytest.raises(UnsupportedError, match="in the order of the comparison function 'minus'"):
        _ = outcome.dataframe


def test_adaptive_execution_keeps_a_count(engine: SparkEngine, table: Table) -> None:
    """It would merge partitions as small as these."""
    for kind in (
        p.Scatter((b.column(columns(table), 1),)),
        p.SingleBucket(b.column(columns(table), 1)),
        p.RoundRobin(),
    ):
        rel = p.Exchange(kind, columns(table), partitions=7)
        assert len(partitions_of(dataframe(engine, rel, (table,)))) == 7


def test_files_are_partitions(engine: SparkEngine, table: Table, spark: Any, tmp_path: Path) -> None:
    """Each partition is a file, in order."""
    rel = p.Exchange(p.SingleBucket(b.column(columns(table), 0)), columns(table), partitions=3)
    down = p.Sort((spec(rel, 1, DOWN),), rel)
    engine.run(plan_of(down, STRICT, (table,)), (table,)).write(output_of(tmp_path / "out.json", None, ()), t.ANY)
    files = sorted((tmp_path / "out.json").glob("part-*"))
    written = [[json.loads(line)["c1"] for line in file.read_text("utf-8").splitlines()] for file in files]
    assert sorted(written) == sorted([i for i in range(29, -1, -1) if i // 5 % 3 == part] for part in range(3))


# ---------------------------------------------------------------------------------------------------------------------
# Spark Connect

CHILD = """
import json
import firesteel as fs
from firesteel import plan as p
from firesteel.plan import build as b
from firesteel.spark import SparkEngine
from firesteel.spark.runtime.inspect import physical_plan
from tests.spark.partitions import columns, dataframe, frame_table, partitions_of
from tests.spark.helpers import STRICT, plan_of

from pyspark.sql import functions as F
engine = SparkEngine(remote="local[2]")
spark = engine.spark
spark.conf.set("spark.sql.shuffle.partitions", "4")
table = frame_table(spark.range(0, 12, 1, 3).select(F.floor(F.col("id") / 4).alias("k"), "id"))
rel = columns(table)
key, number = b.column(rel, 0), b.column(rel, 1)
def parts(made):
    found = partitions_of(dataframe(engine, made, (table,)))
    return sorted([part, [list(row) for row in rows]] for part, rows in found.items())
def error(made):
    try:
        engine.run(plan_of(made, STRICT, (table,)), (table,)).value()
    except fs.FiresteelError as error:
        return error.message
up = (p.SortSpec(number, p.SortOrder.ASC_NULLS_FIRST),)
down = (p.SortSpec(number, p.SortOrder.DESC_NULLS_LAST),)
join = p.Join(p.Equi(p.Capture.INNER, keys=(p.JoinKey(number, number),)), rel, rel)
print("FOUND" + json.dumps({
    "bucket": parts(p.Exchange(p.SingleBucket(number), rel, partitions=3)),
    "broadcast": parts(p.Exchange(p.Broadcast(), p.Sort(down, rel), partitions=2)),
    "scatter": parts(p.Sort(down, p.Exchange(p.Scatter((key,)), rel, partitions=2))),
    "promised": parts(p.Promised(up, rel, partitioned=(key,), verified=True)),
    "broken": error(p.Promised(down, rel, verified=True)),
    "top": parts(p.TopN(down, b.lit(3), rel)),
    "joins": {
        strategy.value: physical_plan(dataframe(engine, join.replace(strategy=strategy), (table,)))
        for strategy in p.JoinStrategy
    },
}))
engine.close()
"""


@pytest.mark.slow
def test_on_connect() -> None:
    """A process has either classic Spark or Connect, so this one is a child."""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=900, cwd=root)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-2000:]
    found = json.loads(lines[0].removeprefix("FOUND"))
    assert found["bucket"] == [[part, [[i // 4, i] for i in range(part, 12, 3)]] for part in range(3)]
    backwards = [[i // 4, i] for i in range(11, -1, -1)]
    assert found["broadcast"] == [[0, backwards], [1, backwards]]
    assert together(dict(found["scatter"]), 0)
    assert all(rows == sorted(rows, key=lambda row: -row[1]) for _, rows in found["scatter"])
    assert found["promised"] == [[part, [[part, i] for i in range(part * 4, part * 4 + 4)]] for part in range(3)]
    assert found["broken"].startswith("row 2 of partition 0 is not in the order that is promised")
    assert found["top"] == [[0, [[2, 11], [2, 10], [2, 9]]]]
    for strategy, node in {"hash": "ShuffledHashJoin", "merge": "SortMergeJoin", "nested_loop": "NestedLoop"}.items():
        assert node in found["joins"][strategy]
    assert "BroadcastHashJoin" in found["joins"]["broadcast"]
