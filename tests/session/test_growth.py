"""What is done with a plan takes time linear in its size: calls are counted, because a clock depends on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

import firesteel as fs
from firesteel import lineage, partiql, substrait
from firesteel import plan as p
from tests.substrait.write.test_scale import SHAPES

WORK: dict[str, Callable[[p.Plan], Any]] = {
    "write Substrait": lambda plan: substrait.encode(substrait.write(plan)),
    "diff": lambda plan: fs.diff(fs.Plan(plan), fs.Plan(plan)),
    "lineage": lineage.trace,
    "to PartiQL": partiql.write,
}
PLANS = ("filters", "joins", "sums", "subqueries")


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, those of C among them."""
    count = 0

    def note(*_: Any) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def read(plan: p.Plan) -> Callable[[], Any]:
    data = substrait.encode(substrait.write(plan))
    return lambda: fs.read_plan(data).node


def growth(shape: str, do: str, few: int, many: int) -> float:
    """How many times the calls are for the larger plan, by how many times it is larger."""

    def counted(size: int) -> int:
        plan = SHAPES[shape](size)
        return calls(read(plan) if do == "read Substrait" else lambda: WORK[do](plan))

    counted(few)  # fill the caches that are for all plans
    return counted(many) / counted(few) * few / many


@pytest.mark.parametrize("do", [*WORK, "read Substrait"])
@pytest.mark.parametrize("shape", PLANS)
def test_it_is_linear(shape: str, do: str) -> None:
    assert growth(shape, do, 25, 100) < 1.3


@pytest.mark.slow
@pytest.mark.parametrize("do", [*WORK, "read Substrait"])
@pytest.mark.parametrize("shape", PLANS)
def test_it_is_linear_for_thousands(shape: str, do: str) -> None:
    assert growth(shape, do, 100, 1_000) < 1.2
    if do in ("write Substrait", "read Substrait"):
        assert growth(shape, do, 1_000, 10_000) < 1.2


def test_a_thousand_conditions_are_compared() -> None:
    """In any order, and in one filter or in a thousand."""
    plan = SHAPES["filters"](1_000)
    query = plan.statement
    assert isinstance(query, p.Query)
    assert isinstance(query.rex, p.Select)
    conditions, rel = [], query.rex.input
    while isinstance(rel, p.Filter):
        conditions.append(rel.predicate)
        rel = rel.input
    for one in conditions:
        rel = p.Filter(one, rel)
    other = plan.replace(statement=query.replace(rex=query.rex.replace(input=rel)))
    assert other != plan
    assert fs.diff(fs.Plan(plan), fs.Plan(other)).same
