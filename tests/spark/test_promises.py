"""What follows from a plan about the partitions of its rows is true of the DataFrame, whatever the plan."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.evaluate import evaluate
from firesteel.node import has
from firesteel.plan import build as b
from firesteel.plan.properties import FieldPath, OrderField, Partitioned, Properties, Singleton
from firesteel.spark import SparkEngine
from firesteel.tables import Table
from tests.spark.generated_plans import CHOOSING, Plans, table_pairs
from tests.spark.helpers import STRICT, plan_of
from tests.spark.partitions import Row
from tools.spark_batch import _union, configured

pytestmark = pytest.mark.spark

#: So many plans share a Spark job.
BATCH = 40
#: A row as the values of its columns; booleans are 0 and 1.
Partition = list[Row]


@pytest.fixture(scope="module", autouse=True)
def several(spark: Any) -> Iterator[None]:
    """Spark makes three partitions where it decides."""
    with configured(spark, {"spark.sql.shuffle.partitions": "3"}):
        yield


@pytest.fixture(scope="module")
def pair(spark: Any) -> tuple[tuple[Table, ...], tuple[Table, ...]]:
    return table_pairs(spark)


def statement(rel: p.Rel, how: random.Random, tables: tuple[Table, ...]) -> p.Plan:
    """The plan of a relation: its rows, or a struct of each."""
    if how.random() < 0.7:
        return plan_of(rel, STRICT, tables)
    pairs = tuple(p.Pair(b.lit(f"c{i}"), b.column(rel, i)) for i in range(len(p.schema(rel))))
    type_ = t.Struct(tuple(t.Field(f"c{i}", field.type) for i, field in enumerate(p.schema(rel))), open=False)
    return plan_of(b.select(p.Struct(type_, pairs), rel), STRICT, tables)


def relation(plan: p.Plan) -> p.Rel:
    """The relation of a statement."""
    made = plan.statement
    if isinstance(made, p.Root):
        return made.input
    assert isinstance(made, p.Query)
    assert isinstance(made.rex, p.Select)
    return made.rex.input


def partitions(frames: Sequence[Any]) -> list[list[Partition]]:
    """The partitions of several DataFrames of integers, computed in one job. A union keeps the partitions of its inputs
    apart, though under other numbers."""
    from pyspark.sql import functions as F

    tagged = [
        frame.select(
            F.lit(i).alias("i"),
            F.spark_partition_id().alias("part"),
            F.monotonically_increasing_id().alias("place"),
            F.array(*(F.col(name).cast("bigint") for name in frame.columns)).alias("row"),
        )
        for i, frame in enumerate(frames)
    ]
    found: list[dict[int, Partition]] = [{} for _ in frames]
    for one in sorted(_union(tagged).collect(), key=lambda row: row["place"]):
        found[one["i"]].setdefault(one["part"], []).append(tuple(one["row"]))
    return [list(parts.values()) for parts in found]


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong with partitions


def broken(known: Properties, parts: list[Partition]) -> str | None:
    """What of the properties is not true."""
    rows = [row for part in parts for row in part]
    for field in (*(one.field for one in known.order), *_fields(known)):
        if any(len({_at(row, path) for path in field}) > 1 for row in rows):
            return f"the fields {set(field)} have not the same value"
    if isinstance(known.distribution, Singleton) and len(parts) > 1:
        return f"{len(parts)} partitions"
    if isinstance(known.distribution, Partitioned):
        keys = [min(field) for field in known.distribution.fields]
        places: dict[Row, int] = {}
        for i, part in enumerate(parts):
            for row in part:
                if places.setdefault(tuple(_at(row, path) for path in keys), i) != i:
                    return f"{row} is in a second partition by {keys}"
    for part in parts:
        said = _out_of_order(known, part)
        if said is not None:
            return said
    return None


def _fields(known: Properties) -> frozenset[frozenset[FieldPath]]:
    return known.distribution.fields if isinstance(known.distribution, Partitioned) else frozenset()


def _at(row: Row, path: FieldPath) -> Any:
    (ordinal,) = path
    return row[int(ordinal)]


def _out_of_order(known: Properties, part: Partition) -> str | None:
    ranks: list[tuple[Any, ...]] = []
    appeared: dict[tuple[Any, ...], int] = {}
    for row in part:
        rank: list[Any] = []
        for one in known.order:
            value = _at(row, min(one.field))
            if one.order is p.SortOrder.CLUSTERED:
                rank.append(appeared.setdefault((*rank, value), len(appeared)))
            elif value is None:
                rank.append((0 if one.order.nulls_first else 2, 0))
            else:
                rank.append((1, -value if one.order.descending else value))
        ranks.append(tuple(rank))
    for before, after, row in zip(ranks, ranks[1:], part[1:], strict=False):
        if after < before:
            return f"{row} is out of order"
    return None


# ---------------------------------------------------------------------------------------------------------------------
# The tests


def check(
    engine: SparkEngine, pair: tuple[tuple[Table, ...], tuple[Table, ...]], seed: int, count: int
) -> Counter[str]:
    """Check so many generated plans. Returns how many there were of some sorts."""
    seen: Counter[str] = Counter()
    on_spark, in_memory = pair
    for start in range(0, count, BATCH):
        plans: list[p.Plan] = []
        for number in range(start, min(start + BATCH, count)):
            chance = random.Random(f"{seed}:{number}")
            plans.append(statement(Plans(chance, on_spark).plan(5), chance, on_spark))
        found = partitions([engine.run(plan, on_spark).dataframe for plan in plans])
        for number, (plan, parts) in enumerate(zip(plans, found, strict=True), start):
            known = p.relation_properties(relation(plan))
            if not has(plan, p.Exchange, p.Promised):  # such a plan says nothing of partitions, and none are restored
                known = known.without_distribution()
            assert broken(known, parts) is None, f"{seed}:{number}: {broken(known, parts)}\n{known}\n{plan}"
            if not has(plan, *CHOOSING):
                assert _rows(parts) == _expected(plan, in_memory), f"{seed}:{number}: other rows\n{plan}"
                seen["rows"] += 1
            seen["distribution"] += isinstance(known.distribution, Partitioned) and len(parts) > 1
            seen["order"] += bool(known.order) and any(len(part) > 1 for part in parts)
    return seen


def _rows(parts: list[Partition]) -> Counter[Row]:
    return Counter(row for part in parts for row in part)


def _expected(plan: p.Plan, tables: tuple[Table, ...]) -> Counter[Row]:
    """The rows that the reference evaluator gives."""
    answer: Any = evaluate(plan, list(tables))
    return Counter(tuple(_number(value) for _, value in row.pairs) for row in answer)


def _number(value: values.Value) -> int | None:
    return None if value is None else int(value)


def test_what_follows_from_a_plan_is_true(engine: SparkEngine, pair: Any) -> None:
    seen = check(engine, pair, seed=1, count=200)
    assert (
        seen["distribution"] >= 15
    )  # of several partitions, by a field; with its own settings Spark merges small ones
    assert seen["order"] >= 40
    assert seen["rows"] >= 60


@pytest.mark.slow
def test_what_follows_from_many_plans_is_true(engine: SparkEngine, pair: Any) -> None:
    check(engine, pair, seed=random.randrange(2, 10**9), count=1000)


def test_broken_properties_are_found() -> None:
    """The checks of this file can fail."""
    up = p.SortOrder.ASC_NULLS_FIRST
    one, two = frozenset([(0,)]), frozenset([(0,), (1,)])
    order = Properties((OrderField(one, up),))
    assert broken(order, [[(None,), (1,), (1,)], [(0,)]]) is None
    assert broken(order, [[(1,), (None,)]]) is not None
    clustered = Properties((OrderField(one, p.SortOrder.CLUSTERED),))
    assert broken(clustered, [[(2,), (2,), (1,)]]) is None
    assert broken(clustered, [[(2,), (1,), (2,)]]) is not None
    apart = Properties(distribution=Partitioned(frozenset([one])))
    assert broken(apart, [[(2,), (1,)], [(3,)]]) is None
    assert broken(apart, [[(2,), (1,)], [(2,)]]) is not None
    assert broken(Properties(distribution=Singleton()), [[(2,)], [(2,)]]) is not None
    assert broken(Properties((OrderField(two, up),)), [[(2, 3)]]) is not None
