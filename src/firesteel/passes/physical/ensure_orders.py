"""Merge joins, streaming aggregates and streaming windows rely on the order of their inputs (`plan.reliance`). If that
order does not follow from the plan and from what tables promise, the plan is refused, or the input is sorted."""

from __future__ import annotations

from firesteel.node import Node, transform, walk
from firesteel.passes.base import Context, Phase, Unordered, plan_pass
from firesteel.plan import Aggregate, Join, Plan, Rel, Sort, Window
from firesteel.plan.check import unordered
from firesteel.plan.reliance import relies_on_order, unmet_needs
from firesteel.plan.scope import visits

_RELYING: tuple[type[Node], ...] = (Join, Aggregate, Window)


@plan_pass(Phase.TYPE)
def ensure_orders(plan: Plan, context: Context) -> Plan:
    """Refuse a plan with inputs that are not ordered as relations need them, or sort these inputs."""
    if context.unordered is Unordered.LEAVE or not any(map(relies_on_order, walk(plan.statement, *_RELYING))):
        return plan
    if context.unordered is Unordered.SORT:
        plan = plan.replace(statement=transform(plan.statement, _sorted, *_RELYING))
    for visit in visits(plan):
        if isinstance(visit.node, Rel):
            for error in unordered(visit.node, visit.place):
                raise error
    return plan


def _sorted(rel: Rel) -> Rel:
    """The relation over inputs that are sorted as it needs them, as far as a sort can do that."""
    for need in list(unmet_needs(rel)):
        if need.specs:
            rel = rel.replace(**{need.side: Sort(need.specs, need.input).at(rel.where)})
    return rel


__all__ = ["ensure_orders"]
