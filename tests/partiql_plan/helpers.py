"""What the tests of this folder share."""

from __future__ import annotations

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t

#: A relation of two columns of any type, and its text without a schema.
T = p.Scan(p.Global(t.ANY, 0), names=("v",))
T_TEXT = "(scan (v::($type 0)) (global ($type 0) 0))"


def plan_of(node: p.PlanNode, **more: object) -> p.Plan:
    """A plan around a node."""
    if isinstance(node, p.Rel):
        node = p.Root((), node)
    statement = node if isinstance(node, p.Statement) else p.Query(node)  # type: ignore[arg-type]
    return p.Plan(statement, **more)  # type: ignore[arg-type]


def comes_back(plan: p.Plan | partiql_plan.Header) -> None:
    """Written in text, on one line and in binary, it reads back equal."""
    assert partiql_plan.read(partiql_plan.write(plan)) == plan
    assert partiql_plan.read(partiql_plan.write(plan, indent=False)) == plan
    assert partiql_plan.read(partiql_plan.write(plan, binary=True)) == plan
