"""What the owner of a table promises of its rows is put above the scans of the table, as a `Promised`.

scan t    →    promised (ordered by t.a)
               └─ scan t
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import types as t
from firesteel.node import Node, has, transform
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Global, Plan, Promised, Rex, Scan, ScanIndexed, SortOrder, SortSpec, Var, build
from firesteel.tables import Promise, PromisedColumn


@plan_pass(Phase.BIND)
def bind_promises(plan: Plan, context: Context) -> Plan:
    """Put what tables promise of their rows above their scans; mark all promises if they are verified."""
    promises = [context.table(binding).promise for binding in plan.globals]
    if any(promises):
        plan = plan.replace(statement=transform(plan.statement, lambda leaf: _promised(leaf, promises), *_LEAVES))
    if context.verify_properties and has(plan.statement, Promised):
        marked = transform(plan.statement, lambda node: node.replace(verified=True), Promised)
        plan = plan.replace(statement=marked)
    return plan


_LEAVES: tuple[type[Node], ...] = (Scan, ScanIndexed)


def _promised(leaf: Scan | ScanIndexed, promises: Sequence[Promise | None]) -> Node:
    promise = promises[leaf.rex.ordinal] if isinstance(leaf.rex, Global) else None
    if promise is None:
        return leaf
    order = tuple(SortSpec(_field(one.path), _order(one)) for one in promise.order)
    partitioned = tuple(map(_field, promise.partitioned))
    return Promised(order, leaf, partitioned=partitioned, singleton=promise.singleton).at(leaf.where)


def _field(names: tuple[str, ...]) -> Rex:
    """A field of the row that a scan binds; types are inferred later."""
    return build.path(Var(t.ANY, 0), *names)


def _order(column: PromisedColumn) -> SortOrder:
    if column.clustered:
        return SortOrder.CLUSTERED
    if column.descending:
        return SortOrder.DESC_NULLS_FIRST if column.nulls_first else SortOrder.DESC_NULLS_LAST
    return SortOrder.ASC_NULLS_FIRST if column.nulls_first else SortOrder.ASC_NULLS_LAST


__all__ = ["bind_promises"]
