"""Join strategies: Spark joins as the plan asks, and gives the rows of the reference evaluator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.evaluate import evaluate
from firesteel.ion import loads
from firesteel.spark import SparkEngine
from firesteel.spark.relations.joins.strategies import NO_FORM
from firesteel.spark.runtime.inspect import physical_plan
from tests.spark.helpers import STRICT, b, p, plan_of
from tests.spark.partitions import columns
from tests.spark.relations.test_physical_rows import alike, memory
from tools.spark_batch import configured

pytestmark = pytest.mark.spark

HASH, MERGE, LOOP, BROADCAST = (
    p.JoinStrategy.HASH,
    p.JoinStrategy.MERGE,
    p.JoinStrategy.NESTED_LOOP,
    p.JoinStrategy.BROADCAST,
)
#: What Spark calls the joins in its plans.
NODES = {
    HASH: "ShuffledHashJoin",
    MERGE: "SortMergeJoin",
    LOOP: "BroadcastNestedLoopJoin",
    BROADCAST: "BroadcastHashJoin",
}

LEFT = memory((0, 1), (1, 2), (1, 3), (2, 4), (None, 5), (3, 6))
RIGHT = memory((1, 1), (2, 3), (2, 9), (5, 7), (None, 0), (3, 9))
#: No key comes twice.
SINGLE = memory((1, 1), (2, 9), (5, 7), (None, 0))
TABLES = (LEFT, RIGHT, SINGLE)


def sides(capture: p.Capture) -> tuple[p.Rel, p.Rel]:
    return columns(LEFT, 0), columns(*((SINGLE, 2) if capture is p.Capture.LEFT_SINGLE else (RIGHT, 1)))


def _key(capture: p.Capture) -> p.JoinKey:
    left, right = sides(capture)
    return p.JoinKey(b.column(left, 0), b.column(right, 0))


def _pair(ordinal: int) -> p.Var:
    """A column of a pair of rows."""
    return b.column(p.Join(p.Cross(), *sides(p.Capture.INNER)), ordinal)


LESS = b.call("lt", _pair(1), _pair(3))

CONDITIONS: dict[str, Callable[[p.Capture], p.JoinType]] = {
    "keys": lambda capture: p.Equi(capture, keys=(_key(capture),)),
    "keys and more": lambda capture: p.Equi(capture, keys=(_key(capture),), residual=LESS),
    "a condition": lambda capture: p.Theta(capture, b.call("and", b.call("eq", _pair(0), _pair(2)), LESS)),
}


class Case(NamedTuple):
    condition: str
    strategy: p.JoinStrategy
    build: p.Side
    capture: p.Capture

    @property
    def join(self) -> p.Join:
        left, right = sides(self.capture)
        type_ = CONDITIONS[self.condition](self.capture)
        return p.Join(type_, left, right, strategy=self.strategy, build=self.build)

    @property
    def has_form(self) -> bool:
        return self.capture not in NO_FORM.get((self.strategy, self.build), {})

    @property
    def is_visible(self) -> bool:
        """Is the strategy in Spark's plan?"""
        return self.has_form or self.strategy is not BROADCAST

    @property
    def side(self) -> str:
        built = self.build is p.Side.LEFT and self.has_form
        return "BuildLeft" if built else "BuildRight"


CASES = [
    Case(condition, strategy, build, capture)
    for strategy in NODES
    for condition in CONDITIONS
    for build in p.Side
    for capture in p.Capture
    if build is p.Side.RIGHT or (condition == "keys" and strategy is not MERGE)
]


@pytest.mark.parametrize("strategy", NODES, ids=lambda strategy: strategy.value)
def test_every_join_by_every_strategy(engine: SparkEngine, spark: Any, strategy: p.JoinStrategy) -> None:
    """Without a hint Spark would broadcast these small tables, or would not if it is told so."""
    cases = [case for case in CASES if case.strategy is strategy]
    threshold = "10MB" if strategy is MERGE else "-1"
    with configured(spark, {"spark.sql.autoBroadcastJoinThreshold": threshold}):
        frames = [engine.run(plan_of(case.join, STRICT, TABLES), TABLES).dataframe for case in cases]
        wrong = [said for case, frame in zip(cases, frames, strict=True) if (said := unlike(case, frame))]
        found = rows_of(frames)
    assert not wrong
    for case, rows in zip(cases, found, strict=True):
        expected = evaluate(plan_of(case.join, STRICT, TABLES), list(TABLES))
        assert rows == Counter(_key_of(row) for row in expected), case


def unlike(case: Case, frame: Any) -> str | None:
    """What is wrong with Spark's plan of a join."""
    text = physical_plan(frame)
    nodes = set(re.findall(r"\b(\w+Join|CartesianProduct)\b", text))
    built = set(re.findall(r"Build(?:Left|Right)", text))
    if not case.is_visible:
        return None
    if nodes != {NODES[case.strategy]} or built - {case.side}:
        return f"{case}: {nodes}, {built}"
    return None


def rows_of(frames: list[Any]) -> list[Counter[Any]]:
    """The rows of several DataFrames, computed in one job."""
    from pyspark.sql import functions as F

    from tools.spark_batch import _union

    texts = [
        frame.select(F.lit(i).alias("i"), F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"))
        for i, frame in enumerate(frames)
    ]
    found: list[Counter[Any]] = [Counter() for _ in frames]
    for row in _union(texts).collect():
        found[row["i"]][_key_of(loads(row["row"]))] += 1
    return found


def _key_of(row: values.Value) -> Any:
    return tuple(values.key(value) for _, value in row.pairs)


@pytest.mark.parametrize("strategy", NODES, ids=lambda strategy: strategy.value)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_second_match_is_an_error_by_every_strategy(
    engine: SparkEngine, strategy: p.JoinStrategy, condition: str
) -> None:
    left, right = columns(LEFT, 0), columns(RIGHT, 1)
    type_ = CONDITIONS[condition](p.Capture.LEFT_SINGLE)
    if isinstance(type_, p.Equi):
        type_ = type_.replace(keys=(_key(p.Capture.INNER),), residual=None)
    else:
        type_ = p.Theta(p.Capture.LEFT_SINGLE, b.call("eq", _pair(0), _pair(2)))
    plan = plan_of(p.Join(type_, left, right, strategy=strategy), STRICT, TABLES)
    with pytest.raises(EvaluationError, match="more than one match"):
        engine.run(plan, TABLES).value()


@pytest.mark.parametrize("strategy", NODES, ids=lambda strategy: strategy.value)
def test_cross_joins(engine: SparkEngine, strategy: p.JoinStrategy) -> None:
    """There are no keys to hash or to sort by; the others are nested loops. One side may be a single row."""
    left, right = columns(LEFT, 0), columns(RIGHT, 1)
    total = p.Aggregate(p.Strategy.FULL, (b.agg("sum", b.column(right, 1)),), (), right)
    for other in (right, total):
        join = p.Join(p.Cross(), left, other, strategy=strategy)
        alike(engine, join, *TABLES)
        if strategy in (LOOP, BROADCAST):
            frame = engine.run(plan_of(join, STRICT, TABLES), TABLES).dataframe
            assert "BroadcastNestedLoopJoin BuildRight" in physical_plan(frame)


def test_a_hash_join_keeps_the_order_of_the_left(engine: SparkEngine) -> None:
    """Only an inner one that probes with the left; any other physical join gives a bag."""
    left = p.Sort((p.SortSpec(b.column(columns(LEFT), 1), p.SortOrder.DESC_NULLS_LAST),), columns(LEFT))
    for capture in (p.Capture.INNER, p.Capture.LEFT, p.Capture.LEFT_SEMI, p.Capture.LEFT_MARK):
        type_ = p.Equi(capture, keys=(_key(capture),))
        for strategy in (HASH, MERGE):
            found = alike(engine, p.Join(type_, left, columns(SINGLE, 2), strategy=strategy), *TABLES)
            assert isinstance(found, list) == (strategy is HASH and capture is p.Capture.INNER)


def test_a_condition_in_python_by_every_strategy(spark: Any) -> None:
    """What has no native form runs in Python, over all pairs."""
    engine = SparkEngine(spark)
    for capture in (p.Capture.INNER, p.Capture.LEFT, p.Capture.LEFT_ANTI):
        left, right = sides(capture)
        power = b.call("exp", b.call("plus", _pair(1), _pair(3)))
        condition = b.call("gt", power, b.lit(100_000.0))
        for strategy in NODES:
            join = p.Join(p.Theta(capture, condition), left, right, strategy=strategy)
            plan = plan_of(join, STRICT, TABLES)
            outcome = engine.run(plan, TABLES)
            assert outcome.fallbacks
            assert values.equal(outcome.value(), evaluate(plan, list(TABLES)))
