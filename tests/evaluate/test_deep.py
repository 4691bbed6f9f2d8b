"""Depth: a ladder of every way to nest, run where the stack is small, and the bound beyond which there is an error."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import MAX_DEPTH, depth_limit, evaluate, expression
from firesteel.node import depth
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Struct, Value
from tests.evaluate.helpers import PERMISSIVE, STRICT, bag_of, call, lit, run, scan, var

ONE = lit(1)
YES = lit(True)


def nested(start: p.Rex, around: Callable[[p.Rex], p.Rex], levels: int) -> p.Rex:
    for _ in range(levels):
        start = around(start)
    return start


def chained(around: Callable[[p.Rel], p.Rel], levels: int) -> p.Rex:
    rel: p.Rel = scan(1)
    for _ in range(levels):
        rel = around(rel)
    return p.Select(t.ARRAY, var(), rel)


def deep_struct(levels: int) -> Value:
    value: Value = 1
    for _ in range(levels):
        value = Struct([("a", value)])
    return value


def add(rex: p.Rex) -> p.Call:
    return p.Call(ADD, (rex, ONE))


ADD = build.signature("plus", [t.ANY, t.ANY])
SUBSTRING = build.signature("substring", [t.STRING, t.INT64, t.INT64])
AND = build.signature("and", [t.BOOL, t.BOOL])
COALESCE = build.signature("coalesce", [t.ANY, t.ANY])
KEY = p.Key(build.lit("a"))
ASC = p.SortOrder.ASC_NULLS_LAST
INNER = p.Capture.INNER
ROW = scan(1)
NO_ONE = p.Filter(lit(False), scan(1))


def of_one(rex: p.Rex, make: Callable[[p.Rex, p.Rel], p.Rel], result: p.Rex = ONE) -> p.Rex:
    """A subquery over one row, with the expression somewhere in its relation."""
    return p.CollToScalar(p.Select(t.BAG, p.Struct(t.STRUCT, (p.Pair(KEY.key, result),)), make(rex, ROW)))


#: Ways to nest: what they make of a number of levels.
LADDER: dict[str, Callable[[int], p.Rex]] = {
    "calls": lambda n: nested(ONE, add, n),
    "calls of three": lambda n: nested(lit("a"), lambda x: p.Call(SUBSTRING, (x, ONE, ONE)), n),
    "and": lambda n: nested(YES, lambda x: p.Call(AND, (x, YES)), n),
    "coalesce": lambda n: nested(ONE, lambda x: p.Call(COALESCE, (lit(None), x)), n),
    "cast": lambda n: nested(ONE, lambda x: build.call("cast", x, t.STRING), n),
    "case": lambda n: nested(ONE, lambda x: p.Case(t.ANY, None, (p.Branch(lit(False), ONE),), default=x), n),
    "case when": lambda n: nested(YES, lambda x: p.Case(t.ANY, None, (p.Branch(x, YES),)), n),
    "case match": lambda n: nested(ONE, lambda x: p.Case(t.ANY, x, (p.Branch(ONE, ONE),)), n),
    "arrays": lambda n: nested(ONE, lambda x: p.Collection(t.ARRAY, (x,)), n),
    "bags": lambda n: nested(ONE, lambda x: p.Collection(t.BAG, (x,)), n),
    "structs": lambda n: nested(ONE, lambda x: p.Struct(t.STRUCT, (p.Pair(KEY.key, x),)), n),
    "paths": lambda n: nested(lit(deep_struct(n)), lambda x: p.Path(t.ANY, x, (KEY,)), n),
    "steps": lambda n: p.Path(t.ANY, lit(deep_struct(n)), (KEY,) * n),
    "keys": lambda n: nested(lit(0), lambda x: p.Path(t.ANY, lit([0]), (p.Key(x),)), n),
    "wildcards": lambda n: nested(lit([1]), lambda x: p.Path(t.BAG, x, (p.Wildcard(),)), n),
    "filters": lambda n: chained(lambda rel: p.Filter(YES, rel), n),
    "projects": lambda n: chained(lambda rel: p.Project((var(),), rel), n),
    "limits": lambda n: chained(lambda rel: p.Limit(ONE, rel), n),
    "offsets": lambda n: chained(lambda rel: p.Offset(lit(0), rel), n),
    "sorts": lambda n: chained(lambda rel: p.Sort((p.SortSpec(var(), ASC),), rel), n),
    "aggregates": lambda n: chained(lambda rel: p.Aggregate(p.Strategy.FULL, (), (var(),), rel), n),
    "unions": lambda n: chained(lambda rel: p.Union(rel, NO_ONE), n),
    "excepts": lambda n: chained(lambda rel: p.Except(rel, NO_ONE), n),
    "joins": lambda n: chained(lambda rel: p.Project((var(),), p.Join(p.Cross(), rel, scan(1))), n),
    "lateral joins": lambda n: chained(
        lambda rel: p.Project((var(1),), p.Join(p.Cross(), scan(1), rel, lateral=True)), n
    ),
    "selects in scans": lambda n: nested(lit([1]), lambda x: p.Select(t.ARRAY, var(), p.Scan(x)), n),
    "selects in indexed scans": lambda n: nested(lit([1]), lambda x: p.Select(t.ARRAY, var(), p.ScanIndexed(x)), n),
    "pivots in unpivots": lambda n: nested(
        lit(Struct({"a": 1})), lambda x: p.Pivot(t.STRUCT, var(0), var(1), p.Unpivot(x)), n
    ),
    "selects in selects": lambda n: nested(ONE, lambda x: p.Select(t.BAG, x, scan(1)), n),
    "selects in filters": lambda n: nested(YES, lambda x: of_one(x, p.Filter, YES), n),
    "selects in projects": lambda n: nested(ONE, lambda x: of_one(x, lambda y, rel: p.Project((y,), rel)), n),
    "selects in sorts": lambda n: nested(
        ONE, lambda x: of_one(x, lambda y, rel: p.Sort((p.SortSpec(y, ASC),), rel)), n
    ),
    "selects in limits": lambda n: nested(ONE, lambda x: of_one(x, p.Limit), n),
    "selects in group keys": lambda n: nested(
        ONE, lambda x: of_one(x, lambda y, rel: p.Aggregate(p.Strategy.FULL, (), (y,), rel)), n
    ),
    "selects in aggregates": lambda n: nested(
        ONE, lambda x: of_one(x, lambda y, rel: p.Aggregate(p.Strategy.FULL, (build.agg("max", y),), (), rel)), n
    ),
    "selects in conditions": lambda n: nested(
        YES, lambda x: of_one(x, lambda y, rel: p.Join(p.Theta(INNER, y), rel, ROW), YES), n
    ),
    "selects in join keys": lambda n: nested(
        ONE, lambda x: of_one(x, lambda y, rel: p.Join(p.Equi(INNER, keys=(p.JoinKey(y, ONE),)), rel, ROW)), n
    ),
}

#: A stack of 256 KiB holds a few hundred calls through C: this is far beyond.
MANY = 2_500
#: The ways that people and machines do nest by the thousand.
LEVELS = 10_000
COMMON = (
    "calls",
    "and",
    "case",
    "arrays",
    "structs",
    "paths",
    "steps",
    "filters",
    "projects",
    "unions",
    "selects in scans",
)


def climb(name: str) -> None:
    """Run a rung: deep enough to crash where a closure were called through C."""
    levels = LEVELS if name in COMMON else MANY
    rex = LADDER[name](levels)
    assert depth(rex) >= levels or name == "steps"
    run(rex)


def climb_all() -> None:
    """In a thread whose stack would not hold a thousand nested calls."""
    failed: list[str] = []

    def work() -> None:
        for name in LADDER:
            limit = sys.getrecursionlimit()
            climb(name)
            assert sys.getrecursionlimit() == limit
            failed.remove(name)

    failed.extend(LADDER)
    threading.stack_size(256 * 1024)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        sys.exit(f"failed at {failed[0]}")


def test_every_way_to_nest_goes_deep_on_a_small_stack() -> None:
    """In a process of its own: what goes wrong here does not raise, it crashes."""
    code = "from tests.evaluate.test_deep import climb_all; climb_all()"
    path = os.pathsep.join([str(Path(__file__).parents[2]), *map(os.path.abspath, sys.path)])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", LADDER)
def test_depth_is_of_no_account(name: str) -> None:
    for mode in (PERMISSIVE, STRICT):
        assert run(LADDER[name](2), mode) is not None
        assert run(LADDER[name](400), mode) is not MISSING


def test_the_results_are_right() -> None:
    assert run(LADDER["calls"](500)) == 501
    assert run(LADDER["paths"](500)) == 1
    assert run(LADDER["selects in scans"](500)) == [1]
    assert run(LADDER["lateral joins"](500)) == [1]
    assert run(LADDER["wildcards"](500)) == Bag([1])


def test_an_error_at_the_bottom_comes_up_without_its_way() -> None:
    rex = nested(call("divide", 1, 0), add, LEVELS)
    with pytest.raises(EvaluationError, match="division by zero") as caught:
        run(rex)
    assert len(caught.traceback) < 20
    assert run(nested(call("plus", 1, "a"), add, LEVELS)) is MISSING
    with pytest.raises(EvaluationError, match="plus takes numbers"):
        expression(nested(call("plus", 1, "a"), add, LEVELS), STRICT)([])


@pytest.mark.parametrize("over", [0, 1])
def test_the_bound(over: int) -> None:
    rex = nested(ONE, lambda x: p.Collection(t.ARRAY, (x,)), MAX_DEPTH - 1 + over)
    if over:
        with pytest.raises(UnsupportedError, match=f"nests {MAX_DEPTH + 1} levels deep; .* goes to {MAX_DEPTH}"):
            evaluate(p.Plan(p.Query(rex)))
    else:
        assert len(evaluate(p.Plan(p.Query(rex)))) == 1


def test_a_run_starts_deep_in_the_stack_of_its_caller() -> None:
    def down(levels: int) -> Value:
        return down(levels - 1) if levels else run(LADDER["calls"](100))

    limit, used = sys.getrecursionlimit(), len(inspect.stack(0))
    assert down(limit - used - 40) == 101
    assert sys.getrecursionlimit() == limit


def test_runs_at_the_same_time_leave_the_limit_as_it_was() -> None:
    limit = sys.getrecursionlimit()
    rex = LADDER["calls"](2_000)
    results: list[Value] = []
    threads = [threading.Thread(target=lambda: results.append(run(rex))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2_001] * 8
    assert sys.getrecursionlimit() == limit


def test_an_interrupt_arrives_and_the_limit_comes_back() -> None:
    class Interrupting:
        def read(self) -> Value:
            raise KeyboardInterrupt

    limit = sys.getrecursionlimit()
    rex = p.Select(t.BAG, nested(p.Global(t.ANY, 0), add, 2_000), bag_of(1))
    with pytest.raises(KeyboardInterrupt):
        run(rex, tables=[Interrupting()])  # type: ignore[list-item]
    assert sys.getrecursionlimit() == limit


def test_what_still_is_too_deep_is_an_error_of_ours() -> None:
    def endless() -> Value:
        return endless()

    with pytest.raises(EvaluationError, match="nested too deep"):
        depth_limit.run(endless, 1)
