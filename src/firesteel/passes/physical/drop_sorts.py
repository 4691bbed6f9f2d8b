"""Drop a sort if its input is in that order already, or if nobody depends on the order.

    aggregate count(*) by a                  aggregate count(*) by a
    └─ sort b                        →       └─ scan t
       └─ scan t

A sort also makes its rows a list. If a list is needed, the sort goes only if its input is a list in that order.
"""

from __future__ import annotations

from typing import Any

from firesteel.node import Node, children, drive, has, rebuild, uses
from firesteel.passes.analysis.row_order import Need, need_of, needs_below
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Plan, Rel, Sort, SortOrder, is_list, relation_properties
from firesteel.plan.properties import Basis, is_ordered
from firesteel.plan.reliance import wanted_order


@plan_pass(Phase.OPTIMIZE)
def drop_sorts(plan: Plan, _: Context) -> Plan:
    """Drop sorts of rows that are in that order already, and sorts whose order nobody needs."""
    if not has(plan.statement, Sort):
        return plan
    readers = uses(plan.statement, Rel)
    done: dict[tuple[int, Need], Node] = {}

    def dispatch(node: Node, need: Need) -> Any:
        if not has(node, Sort):
            return node
        if isinstance(node, Rel):  # one with several readers stays one relation: each of them may need its order
            need = Need.KEPT if readers[id(node)] > 1 else need_of(node, need)
        known = done.get((id(node), need))
        return known if known is not None else rewritten(node, need)

    def rewritten(node: Node, need: Need) -> Any:
        if isinstance(node, Sort) and _is_in_vain(node, need):
            made: Node = yield node.input, need
        else:
            below = needs_below(_over_other_keys(node), need)
            made = yield from over(_over_other_keys(node), below)
        done[id(node), need] = made
        return made

    def over(node: Node, below: dict[str, Need]) -> Any:
        needs = {id(getattr(node, name)): need for name, need in below.items()}
        kids = []
        for kid in children(node):
            kids.append((yield kid, needs.get(id(kid), Need.KEPT)))
        return rebuild(node, kids)

    return plan.replace(statement=drive(dispatch, plan.statement, Need.KEPT))


def _is_in_vain(sort: Sort, need: Need) -> bool:
    """Do the readers get what they need without the sort?"""
    if need is Need.FREE:
        return True
    wanted, known = wanted_order(sort.specs), relation_properties(sort.input)
    if wanted is None or not is_ordered(known, wanted):
        return False
    if need is Need.RELIED:
        return True
    # What is promised holds in each partition, and not for the list of all rows. Clustered rows may be in any order.
    exact = all(spec.order is not SortOrder.CLUSTERED for spec in sort.specs)
    return exact and known.order_basis is Basis.DERIVED and is_list(sort.input) is True


def _over_other_keys(node: Node) -> Node:
    """A sort without the sorts directly below it that only use its own keys: rows that it does not tell apart are not
    told apart by those either."""
    if not isinstance(node, Sort):
        return node
    keys = {(spec.key, spec.comparator) for spec in node.specs}
    source = node.input
    while isinstance(source, Sort) and all((spec.key, spec.comparator) in keys for spec in source.specs):
        source = source.input
    return node.replace(input=source)


__all__ = ["drop_sorts"]
