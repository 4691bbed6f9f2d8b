"""The examples of the document on PartiQL's relational algebra, on Spark."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import EvaluationError
from firesteel.spark import SparkEngine
from tests.spark.helpers import (
    BAR,
    BAR_,
    FOO,
    FOO_,
    MISSING,
    PERMISSIVE,
    STRICT,
    Bag,
    Struct,
    at,
    b,
    call,
    lit,
    p,
    rows,
    run,
    same,
    scan,
    select,
    var,
)

pytestmark = pytest.mark.spark

foo1, foo2 = FOO.read()
bar1, bar2 = BAR.read()

RELATIONS: dict[str, tuple[p.Rel, Any]] = {
    "scan 1: a bag": (
        scan(FOO_, at=True, by=True),
        Bag(rows((foo1, MISSING, "c7559f84-3768"), (foo2, MISSING, "d2bdb79e-4432"))),
    ),
    "scan 2: a list": (
        p.ScanIndexed(lit([{"x": 1}, {"x": 2}]), identified=True),
        rows((Struct({"x": 1}), 0, MISSING), (Struct({"x": 2}), 1, MISSING)),
    ),
    "scan 3: a scalar": (p.ScanIndexed(lit(42), identified=True), Bag(rows((42, MISSING, MISSING)))),
    "scan: only AS": (p.Scan(lit(42)), Bag(rows((42,)))),
    "cross_join": (
        p.Join(p.Cross(), scan(FOO_), scan(BAR_)),
        Bag(rows((foo1, bar1), (foo1, bar2), (foo2, bar1), (foo2, bar2))),
    ),
    "filter": (p.Filter(call("eq", at("FooId"), 200), scan(FOO_)), Bag(rows((foo2,)))),
    "filter of a list": (
        p.Filter(call("gt", var(), 1), p.Scan(lit([1, 2, 3]))),
        rows((2,), (3,)),
    ),
    "filter of what is no boolean": (p.Filter(at("FooId"), scan(FOO_)), Bag([])),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_relations(name: str, engine: SparkEngine) -> None:
    rel, expected = RELATIONS[name]
    same(run(engine, rel), expected)


VALUES: dict[str, tuple[p.Rex, Any]] = {
    "map_values 1": (select(at("FooId"), scan(FOO_)), Bag([100, 200])),
    "map_values 2": (
        select(b.struct([("fid", at("FooId")), ("fname", at("FooName"))]), scan(FOO_)),
        Bag([Struct({"fid": 100, "fname": "Foo #1"}), Struct({"fid": 200, "fname": "Foo #2"})]),
    ),
    "map_values 3": (select(var(), scan(FOO_)), Bag([foo1, foo2])),
    "map_values 4": (
        select(call("struct_concat", var(0), var(1)), p.Join(p.Cross(), scan(FOO_), scan(BAR_))),
        Bag([Struct(foo.pairs + bar.pairs) for foo in (foo1, foo2) for bar in (bar1, bar2)]),
    ),
    "struct_concat keeps duplicates": (
        call("struct_concat", {"a": 1}, {"a": 2, "b": 3}),
        Struct([("a", 1), ("a", 2), ("b", 3)]),
    ),
    "map_values of a list": (select(call("plus", var(), 1), p.Scan(lit([3, 1, 2]))), [4, 2, 3]),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("mode", [PERMISSIVE, STRICT])
def test_values(name: str, mode: p.Mode, engine: SparkEngine) -> None:
    rex, expected = VALUES[name]
    same(run(engine, rex, mode), expected)


@pytest.mark.parametrize(
    "rel",
    [
        p.Filter(at("FooId"), scan(FOO_)),  # a condition that is no boolean
        p.Scan(lit(42)),  # FROM a scalar
        scan(FOO_, at=True),  # AT of a bag
        p.Project((at("no"),), scan(FOO_)),  # no such attribute
    ],
)
def test_strict_mode_raises(rel: p.Rel, engine: SparkEngine) -> None:
    with pytest.raises(EvaluationError):
        run(engine, rel, STRICT)
