"""Depth costs no Python stack: plans of up to 100,000 nodes below one another are read and written."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.partiql_plan import algebra


@pytest.fixture(autouse=True)
def frozen() -> Iterator[None]:
    """What other tests have left on the heap is not looked through again for every million objects made here."""
    gc.freeze()
    yield
    gc.unfreeze()


LADDER = [10, 100, 1_000, 10_000, 100_000]
SCAN = p.Scan(p.Lit(t.ARRAY, []))


def relations(depth: int) -> p.Plan:
    rel: p.Rel = SCAN
    for _ in range(depth):
        rel = p.Distinct(rel)
    return p.Plan(p.Root(("v",), rel))


def expressions(depth: int) -> p.Plan:
    rex: p.Rex = p.Lit(t.INT, 1)
    for _ in range(depth):
        rex = p.CollToScalar(rex)
    return p.Plan(p.Query(rex))


@pytest.mark.parametrize("depth", LADDER)
def test_relations_in_text(depth: int) -> None:
    plan = relations(depth)
    assert partiql_plan.read(partiql_plan.write(plan)) == plan


@pytest.mark.parametrize("depth", LADDER)
def test_expressions_in_binary(depth: int) -> None:
    plan = expressions(depth)
    assert partiql_plan.read(partiql_plan.write(plan, binary=True)) == plan


@pytest.mark.parametrize("depth", LADDER[:-1])
@pytest.mark.parametrize("make", [relations, expressions], ids=["relations", "expressions"])
def test_all_notations(make: object, depth: int) -> None:
    plan = make(depth)  # type: ignore[operator]
    assert partiql_plan.read(partiql_plan.write(plan, indent=False)) == plan
    assert partiql_plan.read(partiql_plan.write(plan, binary=True)) == plan
    written = algebra.write(plan)
    assert algebra.write(algebra.read(written)) == written


def test_a_long_flow() -> None:
    stages = " '->' ".join(["(scan (lit []))", *["(limit (lit 1))"] * 5_000])
    plan = partiql_plan.read(f"(query (select (flow ({stages}))))")
    assert isinstance(plan, p.Plan)
    assert partiql_plan.read(partiql_plan.write(plan)) == plan


def test_a_chain_of_labels() -> None:
    labels = "\n".join(f"l{i + 1}::(limit (lit 1) $l{i})" for i in range(5_000))
    plan = partiql_plan.read(f"l0::(scan (lit []))\n{labels}\n(query (select $l5000))")
    assert isinstance(plan, p.Plan)
    assert len(plan.definitions) == 5_001
    assert partiql_plan.read(partiql_plan.write(plan)) == plan


def test_the_place_of_a_deep_error_is_short() -> None:
    depth = 5_000
    text = "(query (select " + "(limit (lit 1) " * depth + "(scna (lit []))" + ")" * depth + "))"
    with pytest.raises(PlanError, match="no relation 'scna'") as caught:
        partiql_plan.read(text)
    assert len(str(caught.value)) < 1_000
    assert "more" in str(caught.value)


def test_the_recursion_limit_was_left_alone() -> None:
    assert sys.getrecursionlimit() <= 3_000
