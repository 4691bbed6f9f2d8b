"""Merge a chain of filters into one: `filter(q, filter(p, r))` is `filter(p and q, r)`.

The inner condition `p` comes first, because it may protect `q` from values for which `q` fails.
"""

from __future__ import annotations

from firesteel.node import Node, children, rebuild, transform, walk
from firesteel.passes.analysis.conditions import chained, filtered
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Filter, Mode, Plan


@plan_pass(Phase.OPTIMIZE)
def merge_filters(plan: Plan, _: Context) -> Plan:
    """Merge filters that follow each other."""
    mode = getattr(plan.statement, "mode", Mode.PERMISSIVE)
    if not any(isinstance(node.input, Filter) for node in walk(plan, Filter)):
        return plan
    return transform(plan, lambda node: _merge(node, mode))


def _merge(node: Node, mode: Mode) -> Node:
    """Merge the chains of filters below a node that is no filter itself. So a chain is merged once, and its conditions
    are not copied for every two filters."""
    return node if isinstance(node, Filter) else rebuild(node, [_collapsed(child, mode) for child in children(node)])


def _collapsed(node: Node, mode: Mode) -> Node:
    if not isinstance(node, Filter) or not isinstance(node.input, Filter):
        return node
    conditions, source = chained(node, (), mode)
    return filtered(source, conditions).at(node.where)
