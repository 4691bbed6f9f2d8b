"""Both engines on the same plans: Spark gives what the reference evaluator gives, or fails where it fails."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pytest

from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from firesteel.values import Symbol, Timestamp
from tests.spark.helpers import (
    BAR_,
    FOO_,
    MISSING,
    MIX_,
    NUM_,
    PERMISSIVE,
    STRICT,
    TABLES,
    Bag,
    Struct,
    at,
    b,
    call,
    lit,
    p,
    plan_of,
    scan,
    select,
    t,
    var,
)

pytestmark = pytest.mark.spark

FULL, PARTIAL = p.Strategy.FULL, p.Strategy.PARTIAL
Capture = p.Capture


def of(table: int, rex: p.Rex) -> p.Select:
    return select(rex, scan(table))


def theta(capture: p.Capture, condition: p.Rex, left: p.Rel, right: p.Rel) -> p.Join:
    return p.Join(p.Theta(capture, condition), left, right)


def lateral(right: p.Rel, *, over: int = NUM_, type_: p.JoinType | None = None) -> p.Join:
    return p.Join(type_ or p.Cross(), scan(over), right, lateral=True)


def column(name: str, table: int) -> p.Rel:
    return p.Project((at(name),), scan(table))


def sort(rel: p.Rel, *keys: tuple[p.Rex, p.SortOrder]) -> p.Sort:
    return p.Sort(tuple(p.SortSpec(key, order) for key, order in keys), rel)


STRUCTS = p.Filter(call("is_type", var(), t.STRUCT), scan(MIX_))
SCALARS = t.union([t.INT, t.FLOAT64, t.DECIMAL, t.STRING, t.BOOL])
ASC, DESC = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST

LITERAL = Bag(
    [
        *(1, 2**70, Symbol("x"), Decimal("1.5"), datetime.date(2020, 1, 1), 1e300, math.nan, b"x", [1, MISSING]),
        *(Timestamp(2020, 1, 2, 3, 4, Decimal("5.5"), 0), Timestamp(2020, 1, 2, offset=60)),
        Struct([("a", 1), ("a", 2)]),
    ]
)

CASES: dict[str, p.Rex | p.Rel] = {
    # Paths.
    "exact name": of(FOO_, at("FooId")),
    "any case": of(FOO_, at(Symbol("fooid"))),
    "wrong case": of(FOO_, at("fooid")),
    "into anything": of(MIX_, at("a")),
    "into anything, any case": of(MIX_, at(Symbol("A"))),
    "index": of(NUM_, b.path(at("items"), 1)),
    "index into anything": of(MIX_, b.path(at("b"), 1)),
    "computed name": of(NUM_, b.path(lit({"s0": 1, "s1": 2}), call("cast", at("s"), t.STRING))),
    # Arithmetic and comparison, of known types and of unknown ones.
    "plus": of(NUM_, call("plus", at("x"), at("k"))),
    "a tree of them": of(NUM_, call("times", call("plus", at("x"), 1), call("minus", at("y"), at("n")))),
    "divide": of(NUM_, call("divide", at("x"), call("plus", at("k"), 1))),
    "by zero": of(NUM_, call("divide", at("x"), at("k"))),
    "modulo": of(NUM_, call("modulo", at("x"), 5)),
    "anything plus 1": of(MIX_, call("plus", at("a"), 1)),
    "anything times a decimal": of(MIX_, call("times", at("a"), Decimal("2.5"))),
    "minus anything": of(MIX_, call("neg", at("a"))),
    "anything less": of(MIX_, call("lt", at("a"), 2)),
    "anything equal": of(MIX_, call("eq", at("a"), 2.5)),
    "anything equal to itself": of(MIX_, call("eq", var(), var())),
    "between": of(NUM_, call("between", at("x"), 2, at("n"))),
    "anything between": of(MIX_, call("between", at("a"), 2, 3)),
    "in": of(NUM_, call("in_collection", at("x"), [1, 3, 5])),
    "in anything": of(MIX_, call("in_collection", 2, at("b"))),
    # Logic and absence.
    "not": of(MIX_, call("not", at("a"))),
    "and": of(MIX_, call("and", at("a"), True)),
    "or": of(MIX_, call("or", call("lt", at("a"), 2), at("b"))),
    "guarded by and": of(NUM_, call("and", call("gt", at("k"), 0), call("gt", call("divide", 6, at("k")), 3))),
    "is missing": of(MIX_, call("is_missing", at("a"))),
    "is null": of(MIX_, call("is_null", at("a"))),
    "coalesce": of(MIX_, call("coalesce", at("a"), at("b"), 7)),
    "coalesce of absent ones": of(MIX_, call("coalesce", at("a"), at("c"))),
    "nullif": of(NUM_, call("nullif", at("k"), 1)),
    "case guards": of(
        NUM_,
        p.Case(t.ANY, None, (p.Branch(call("gt", at("k"), 0), call("divide", at("x"), at("k"))),), default=lit(None)),
    ),
    "case of a value": of(MIX_, p.Case(t.ANY, at("a"), (p.Branch(lit(1), lit("one")), p.Branch(lit(2.5), at("b"))))),
    # Text, types, containers.
    "upper": of(MIX_, call("upper", at("b"))),
    "like": of(FOO_, call("like", at("FooName"), "%#2")),
    "substring": of(FOO_, call("substring", at("FooName"), 2, 3)),
    "substring of a wrong length": of(FOO_, call("substring", at("FooName"), -1, -3)),
    "concat": of(FOO_, call("concat", at("FooName"), "!")),
    "text as int": of(NUM_, call("cast", call("substring", at("s"), 2), t.INT)),
    "anything as int": of(MIX_, call("cast", at("a"), t.INT)),
    "float as decimal": of(NUM_, call("cast", at("y"), t.Decimal(10, 0))),
    "cardinality": of(MIX_, call("cardinality", at("b"))),
    "exists": of(NUM_, call("exists", at("items"))),
    "struct": of(MIX_, b.struct([("a", at("a")), ("b", at("b"))])),
    "struct with a computed name": of(NUM_, b.struct([(at("s"), at("x"))])),
    "literal": lit(LITERAL),
    "collection": b.collection(t.Bag, [lit(1), lit("x"), lit(MISSING)]),
    "of no table": call("plus", 1, 2),
    # Relations.
    "a list stays one": select(at("x"), p.Filter(call("gt", at("x"), 3), scan(NUM_)), t.Array),
    "sort": select(at("x"), sort(scan(NUM_), (at("k"), DESC), (at("n"), ASC))),
    "sort anything": select(at("a"), sort(p.Filter(call("is_type", at("a"), SCALARS), scan(MIX_)), (at("a"), ASC))),
    "sort floats": select(var(), sort(p.Scan(lit([1.5, math.nan, -math.inf, math.inf, None])), (var(), ASC))),
    "limit and offset": select(at("x"), p.Limit(lit(3), p.Offset(lit(2), scan(NUM_))), t.Array),
    "group": p.Aggregate(
        FULL,
        (
            *(b.agg("count_star"), b.agg("sum", at("x")), b.agg("avg", at("x")), b.agg("min", at("y"))),
            *(b.agg("max", at("s")), b.agg("count", at("n")), b.agg("every", call("lt", at("x"), 9))),
        ),
        (at("k"),),
        scan(NUM_),
    ),
    "totals": p.Aggregate(
        FULL,
        (
            *(
                b.agg("sum", at("d")),
                b.agg("sum", at("y")),
                b.agg("sum", at("n")),
                b.agg("any", call("lt", at("x"), 1)),
            ),
            *(b.agg("count", at("k"), distinct=True), b.agg("sum", at("k"), distinct=True)),
        ),
        (),
        scan(NUM_),
    ),
    "totals of nothing": p.Aggregate(
        FULL, (b.agg("count_star"), b.agg("sum", at("x"))), (), p.Filter(lit(False), scan(NUM_))
    ),
    "totals of anything": p.Aggregate(
        FULL, (b.agg("min", at("a")), b.agg("max", at("a")), b.agg("count", at("a"))), (), scan(MIX_)
    ),
    "sum of what is no number": p.Aggregate(FULL, (b.agg("sum", at("a")),), (), scan(MIX_)),
    "group by anything": p.Aggregate(FULL, (b.agg("count_star"),), (at("a"),), STRUCTS),
    "group partially": p.Aggregate(PARTIAL, (b.agg("count_star"),), (at("a"),), STRUCTS),
    "collect": p.Aggregate(FULL, (b.agg("collect", at("n")),), (at("k"),), scan(NUM_)),
    "lateral": lateral(p.Scan(at("items"))),
    "lateral at": p.Project((at("x"), var(1), var(2)), lateral(p.ScanIndexed(at("items")))),
    "lateral left": p.Project((at("x"), var(1)), lateral(p.Scan(at("items")), type_=p.Theta(Capture.LEFT, lit(True)))),
    "lateral left with a condition": p.Project(
        (at("x"), var(1)), lateral(p.Scan(at("items")), type_=p.Theta(Capture.LEFT, call("gt", var(1), 1)))
    ),
    "lateral with a filter inside": lateral(p.Filter(call("lt", var(), at("k", 0, 1)), p.Scan(at("items")))),
    "lateral over anything": p.Project((at("a"), var(1)), lateral(p.Scan(at("b")), over=MIX_)),
    "lateral at over anything": p.Project((var(1), var(2)), lateral(p.ScanIndexed(at("b")), over=MIX_)),
    "unpivot": lateral(p.Unpivot(var()), over=FOO_),
    "unpivot anything": p.Project((var(1), var(2)), lateral(p.Unpivot(var()), over=MIX_)),
    "left join": theta(
        Capture.LEFT,
        call("eq", at("k"), call("minus", at("x", 1), 10)),
        p.Limit(lit(5), scan(NUM_)),
        scan(NUM_),
    ),
    "right join": theta(
        Capture.RIGHT, call("eq", at("FooId"), call("minus", at("BarId", 1), 100)), scan(FOO_), scan(BAR_)
    ),
    "full join": theta(
        Capture.FULL, call("eq", at("FooId"), call("minus", at("BarId", 1), 100)), scan(FOO_), scan(BAR_)
    ),
    "padding is NULL": p.Project(
        (at("FooId"), at("a", 1), call("is_missing", at("a", 1))),
        theta(Capture.LEFT, call("eq", at("FooId"), at("zz", 1)), scan(FOO_), scan(MIX_)),
    ),
    "equi join": p.Project(
        (at("x"), at("x", 1)),
        p.Join(p.Equi(Capture.INNER, keys=(p.JoinKey(at("k"), at("x")),)), scan(NUM_), scan(NUM_)),
    ),
    "equi join of anything": p.Project(
        (at("a"), at("x", 1)),
        p.Join(p.Equi(Capture.LEFT, keys=(p.JoinKey(at("a"), at("x")),)), scan(MIX_), scan(NUM_)),
    ),
    "union": p.Union(column("FooId", FOO_), column("BarName", BAR_)),
    "union distinct": p.Union(column("k", NUM_), column("n", NUM_), quantifier=p.Quantifier.DISTINCT),
    "union distinct of anything": p.Union(column("a", MIX_), column("a", MIX_), quantifier=p.Quantifier.DISTINCT),
    "intersect": p.Intersect(column("k", NUM_), column("n", NUM_)),
    "except distinct": p.Except(column("x", NUM_), column("a", MIX_), quantifier=p.Quantifier.DISTINCT),
    # Queries inside rows, and at the top.
    "nested": of(
        NUM_,
        b.struct(
            [
                ("x", at("x")),
                ("ys", select(call("plus", var(), at("x", 0, 1)), p.Filter(call("gt", var(), 0), p.Scan(at("items"))))),
            ]
        ),
    ),
    "nested over anything": of(MIX_, select(call("plus", var(), 1), p.Scan(at("b")))),
    "nested scalar": of(NUM_, p.CollToScalar(select(b.struct([("v", var())]), p.Limit(lit(1), p.Scan(at("items")))))),
    "pivot": p.Pivot(t.STRUCT, at("FooName"), at("FooId"), scan(FOO_)),
    "scalar": p.CollToScalar(select(b.struct([("v", at("FooId"))]), p.Limit(lit(1), scan(FOO_)))),
    "scalar of many": p.CollToScalar(select(b.struct([("v", at("FooId"))]), scan(FOO_))),
    "scalar of none": p.CollToScalar(select(b.struct([("v", at("FooId"))]), p.Filter(lit(False), scan(FOO_)))),
}

#: Those whose strict run says something that the permissive one does not; the others run in permissive mode only.
BOTH = (
    *(
        "exact name",
        "wrong case",
        "into anything",
        "index",
        "by zero",
        "anything plus 1",
        "anything less",
        "not",
        "and",
    ),
    *("guarded by and", "case guards", "substring of a wrong length", "text as int", "lateral over anything"),
    *("sum of what is no number", "scalar of many", "nested", "left join"),
)


@pytest.mark.parametrize("name", CASES)
def test_permissive(name: str, engine: SparkEngine) -> None:
    compare(engine, CASES[name], PERMISSIVE)


@pytest.mark.parametrize("name", BOTH)
def test_strict(name: str, engine: SparkEngine) -> None:
    compare(engine, CASES[name], STRICT)


def compare(engine: SparkEngine, what: p.Rex | p.Rel, mode: p.Mode) -> None:
    plan = plan_of(what, mode)
    expected, actual = outcome(evaluate, plan), outcome(lambda *given: engine.run(*given).value(), plan)
    assert type(actual) is type(expected), f"{actual!r} is not {expected!r}"
    if not isinstance(expected, FiresteelError):
        assert values.equal(actual, expected), f"{actual!r} is not {expected!r}"


def outcome(run: Any, plan: p.Plan) -> Any:
    try:
        return run(plan, TABLES)
    except FiresteelError as error:
        return error
