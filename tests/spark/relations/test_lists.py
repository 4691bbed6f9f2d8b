"""Whether a result is a list or a bag, where only the run can tell."""

from __future__ import annotations

import pytest

from firesteel import tables, values
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from firesteel.values import Bag, Sexp, Struct, Value
from tests.spark.helpers import PERMISSIVE, at, p, plan_of, select, t, var

pytestmark = pytest.mark.spark

#: Lists of rows whose `b` is of several types: all of them lists; one a bag; lists and one that is empty; nothing.
ROWS: dict[str, list[Value]] = {
    "lists": [Struct({"b": [3, 1]}), Struct({"b": Sexp([2])})],
    "a bag among them": [Struct({"b": [3, 1]}), Struct({"b": Bag([2])})],
    "no rows at all": [Struct({"b": []}), Struct({"b": Sexp([])})],
    "a scalar": [Struct({"b": [1]}), Struct({"b": 5})],
}


@pytest.mark.parametrize("name", ROWS)
def test_the_run_tells(name: str, engine: SparkEngine) -> None:
    table = tables.memory(ROWS[name])
    scan = p.Scan(p.Global(table.type, 0))
    joined = p.Join(p.Cross(), scan, p.Scan(at("b")), lateral=True)
    nested = p.Join(p.Cross(), scan, p.Filter(p.Lit(t.BOOL, True), p.Scan(at("b"))), lateral=True)
    for rel in (joined, nested):
        plan = plan_of(select(var(1), rel), PERMISSIVE, [table])
        expected, actual = evaluate(plan, [table]), engine.run(plan, [table]).value()
        assert type(actual) is type(expected)
        assert values.equal(actual, expected), f"{actual!r} is not {expected!r}"
