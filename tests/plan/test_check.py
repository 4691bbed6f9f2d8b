"""Judging plans: every finding has a place and says what is wrong."""

from __future__ import annotations

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.plan import build as b
from firesteel.plan import scope
from firesteel.plan.check import check

NUMBERS = p.Scan(b.lit([1, 2, 3]), names=("n",))
N = b.column(NUMBERS, 0)
TWO = p.Project((N, b.lit("x")), NUMBERS, names=("n", "x"))


def query(rex: p.Rex, *globals_: p.GlobalBinding) -> p.Plan:
    return p.Plan(p.Query(rex), globals=globals_)


def rows(rel: p.Rel, mode: p.Mode = p.Mode.PERMISSIVE) -> p.Plan:
    return p.Plan(p.Query(p.Select(t.BAG, b.lit(1), rel), mode=mode))


FINE = {
    "a filter": rows(p.Filter(b.call("gt", N, b.lit(1)), NUMBERS)),
    "a lateral join": rows(p.Join(p.Cross(), NUMBERS, p.Scan(p.Var(t.INT64, 0)), lateral=True)),
    "an outer variable": query(
        b.select(b.select(p.Var(t.INT64, 0, depth=1), p.Scan(b.lit([1]))), NUMBERS),
    ),
    "equi keys": rows(p.Join(p.Equi(p.Capture.INNER, keys=(p.JoinKey(N, p.Var(t.STRING, 1)),)), NUMBERS, TWO)),
    "a global": query(p.Global(t.ANY, 0), p.GlobalBinding(("t",), t.BAG)),
    "missing as the document writes it": query(p.Lit(t.MISSING, None)),
    "a typed null": query(p.Lit(t.INT64, None)),
}


@pytest.mark.parametrize("name", FINE)
def test_fine(name: str) -> None:
    assert check(FINE[name]) == []


WRONG = {
    "no variable 3: the row has 1 columns": rows(p.Filter(p.Var(t.BOOL, 3), NUMBERS)),
    "variable 0 at depth 2 is outside of any relation": rows(p.Filter(p.Var(t.BOOL, 0, depth=2), NUMBERS)),
    "variable 0 at depth 0 is outside of any relation": query(p.Var(t.ANY, 0)),
    "variable 0 is a int64, and is called a string": rows(p.Project((p.Var(t.STRING, 0),), NUMBERS)),
    "no variable 1: the row has 1 columns": rows(
        p.Join(p.Equi(p.Capture.INNER, keys=(p.JoinKey(p.Var(t.ANY, 1), N),)), NUMBERS, TWO)
    ),
    "the variable 'x' is not resolved": rows(p.Filter(p.UnresolvedVar(t.ANY, "x"), NUMBERS)),
    "the type '?' is not known": query(p.Var(t.Unresolved("?"), 0)),
    "no global 0: the plan has 0": query(p.Global(t.ANY, 0)),
    "the global 'a.b' is a int64, and is called a string": query(
        p.Global(t.STRING, 0), p.GlobalBinding(("a", "b"), t.INT64)
    ),
    "the literal is a string, not a int64": query(p.Lit(t.INT64, "a")),
    "the literal 200 does not fit int8": query(p.Lit(t.INT8, 200)),
    "the path has no steps": query(p.Path(t.ANY, b.lit(1), ())),
    "a path's key is text or an index, not a bool": query(b.path(b.lit([1]), b.lit(True))),
    "no function 'gtt'": query(p.Call(p.Fn("gtt", p.FnOption.NONE, (), t.BOOL), (b.lit(1), b.lit(2)))),
    "'gt' does not take 1 arguments": query(p.Call(p.Fn("gt", p.FnOption.NONE, (), t.BOOL), (b.lit(1),))),
    "'gt' gives a bool, and is declared to give a string": query(
        p.Call(p.Fn("gt", p.FnOption.NONE, (), t.STRING), (b.lit(1), b.lit(2)))
    ),
    "argument 2 of 'cast' is a value": query(p.Call(p.Fn("cast", p.FnOption.NONE, (), t.ANY), (b.lit(1), b.lit(2)))),
    "'sum' is aggregate, and is called as scalar": query(p.Call(p.Fn("sum", p.FnOption.NONE, (), t.INT), (b.lit(1),))),
    "'upper' is scalar, and is called as aggregate": rows(
        p.Aggregate(p.Strategy.FULL, (b.agg("upper", b.lit("a")),), (), NUMBERS)
    ),
    "a case has at least one branch": query(p.Case(t.ANY, None, ())),
    "a collection is a bag or array or sexp, not a int64": query(p.Collection(t.INT64, ())),
    "a struct is a struct, not a int64": query(p.Struct(t.INT64, ())),
    "a select is a bag or array, not a struct(...)": query(p.Select(t.STRUCT, N, NUMBERS)),
    "coll_to_scalar takes a query, not a int64": query(p.CollToScalar(b.lit(1))),
    "the schema of scan has 2 columns; the relation gives 1": rows(
        p.Scan(b.lit([1]), declared=(t.Field(None, t.ANY), t.Field(None, t.ANY)))
    ),
    "column 0 of scan is a int64; its schema says string": rows(
        p.Scan(b.lit([1]), declared=(t.Field(None, t.STRING),))
    ),
    "scan has 2 names for 1 columns": rows(p.Scan(b.lit([1]), names=("a", "b"))),
    "a filter's condition is a bool, not a int64": rows(p.Filter(N, NUMBERS), p.Mode.STRICT),
    "a join's condition is a bool, not a int64": rows(p.Join(p.Theta(p.Capture.INNER, N), NUMBERS, TWO), p.Mode.STRICT),
    "the equi join has no keys": rows(p.Join(p.Equi(p.Capture.INNER), NUMBERS, TWO)),
    "a lateral join cannot be FULL": rows(
        p.Join(p.Theta(p.Capture.FULL, b.lit(True)), NUMBERS, TWO, lateral=True),
    ),
    "union takes relations of one width, not of 1 and 2 columns": rows(p.Union(NUMBERS, TWO)),
    "sort has no keys": rows(p.Sort((), NUMBERS)),
    "aggregate has neither keys nor aggregates": rows(p.Aggregate(p.Strategy.FULL, (), (), NUMBERS)),
    "limit takes an integer, not a string": rows(p.Limit(b.lit("a"), NUMBERS)),
    "the root has 1 names for 2 columns": p.Plan(p.Root(("a",), TWO)),
    "version 9.9 of the plan is not known": query(b.lit(1)).replace(version=(9, 9)),
    "the view has no name": p.Plan(p.CreateView("", b.lit(1))),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong(message: str) -> None:
    found = check(WRONG[message])
    assert any(message in error.message for error in found), [str(error) for error in found]
    assert all(error.where is not None for error in found)


def test_in_permissive_mode_a_condition_that_is_no_boolean_is_missing() -> None:
    assert check(rows(p.Filter(N, NUMBERS))) == []
    assert check(rows(p.Join(p.Theta(p.Capture.INNER, N), NUMBERS, TWO))) == []


def test_a_built_node_is_placed_by_its_path() -> None:
    (error,) = check(rows(p.Filter(p.Var(t.BOOL, 3), NUMBERS)))
    assert str(error.where) == "at plan/query/select/filter/var"


def test_a_plan_that_stands_for_a_huge_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "MAX_VISITS", 10_000)
    rel: p.Rel = NUMBERS
    for _ in range(40):
        rel = p.Project((b.column(rel, 0),), p.Join(p.Cross(), rel, rel, lateral=True))
    with pytest.raises(PlanError, match="more than 10,000 nodes"):
        check(rows(rel))


def test_a_relation_of_too_many_columns_is_refused() -> None:
    wide: p.Rel = NUMBERS
    for _ in range(40):
        wide = p.Join(p.Cross(), wide, wide)
    with pytest.raises(PlanError, match="more than 20,000 columns"):
        check(rows(wide))
