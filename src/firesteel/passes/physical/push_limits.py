"""Move LIMIT, OFFSET and top-N below exchanges, so that fewer rows are exchanged.

    limit 5                                  exchange scatter (b)
    └─ exchange scatter (b)          →       └─ limit 5
       └─ scan t                                └─ scan t

A top-N also moves below a projection of what it sorts by. `merge_projections` moves LIMIT and OFFSET there. They are
not moved into the branches of UNION ALL: Spark does that itself, without bringing the rows of each branch together.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeGuard

from firesteel.node import Node, children, drive, has, rebuild, uses
from firesteel.passes.analysis.columns import over
from firesteel.passes.analysis.navigate import navigated
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Exchange,
    Limit,
    MergingCapture,
    Mode,
    Offset,
    Plan,
    Project,
    Rel,
    SortSpec,
    TopN,
)
from firesteel.plan.field_paths import field_path

_CUTS = (Limit, Offset, TopN)


@plan_pass(Phase.OPTIMIZE)
def push_limits(plan: Plan, _: Context) -> Plan:
    """Move LIMIT, OFFSET and top-N below exchanges."""
    if not has(plan.statement, Exchange) or not has(plan.statement, *_CUTS):
        return plan
    readers = uses(plan.statement, Rel)
    done: dict[int, tuple[Node, Node]] = {}  # keeps the nodes alive, so that ids are not used again

    def dispatch(node: Node) -> Any:
        if not has(node, *_CUTS):
            return node
        return done[id(node)][0] if id(node) in done else rewritten(node)

    def rewritten(node: Node) -> Any:
        moved = _moved(node, readers)
        kids = []
        for kid in children(moved):
            kids.append((yield (kid,)))
        made = rebuild(moved, kids)
        done[id(node)] = made, node
        return made

    return plan.replace(statement=drive(dispatch, plan.statement))


def _moved(node: Node, readers: Counter[int]) -> Node:
    """The relation below with the node moved below it; the node itself if it does not move. LIMIT and OFFSET move
    together."""
    if isinstance(node, TopN):
        return _moved_top_n(node, readers)
    cuts: list[Limit | Offset] = []
    rel: Node = node
    while isinstance(rel, Limit | Offset) and (not cuts or readers[id(rel)] <= 1):
        cuts.append(rel)
        rel = rel.input
    if not cuts or not _lets_pass(rel) or readers[id(rel)] > 1:
        return node
    made: Rel = rel.input
    for cut in reversed(cuts):
        made = cut.replace(input=made)
    return rel.replace(input=made)


def _moved_top_n(node: TopN, readers: Counter[int]) -> Rel:
    below = node.input
    if readers[id(below)] > 1:
        return node
    if _lets_pass(below):
        return below.replace(input=node.replace(input=below.input))
    specs = _below_projection(node.specs, below) if isinstance(below, Project) else None
    if specs is None or not isinstance(below, Project) or not reaches_exchange(specs, below.input):
        return node
    return below.replace(input=node.replace(specs=specs, input=below.input))


def _lets_pass(rel: Node) -> TypeGuard[Exchange | MergingCapture]:
    """Are the first rows of the relation those of its input? A row that is sent to several partitions counts as often;
    whoever waits for the partitions of an exchange waits for all of its rows."""
    return isinstance(rel, MergingCapture) or (isinstance(rel, Exchange) and not rel.copies and not rel.targets)


def _below_projection(specs: tuple[SortSpec, ...], projection: Project) -> tuple[SortSpec, ...] | None:
    """The sort keys as they read below a projection; None if one of them is computed there."""
    made = tuple(spec.replace(key=navigated(over(spec.key, projection.exprs), Mode.PERMISSIVE)) for spec in specs)
    return made if all(field_path(spec.key) is not None for spec in made) else None


def reaches_exchange(specs: tuple[SortSpec, ...], rel: Rel) -> bool:
    """Would a top-N by these keys move down to an exchange, and below it?"""
    while True:
        if isinstance(rel, Exchange):
            return _lets_pass(rel)
        if isinstance(rel, Project):
            below = _below_projection(specs, rel)
            if below is None:
                return False
            specs = below
        elif not isinstance(rel, MergingCapture):
            return False
        rel = rel.input


__all__ = ["push_limits", "reaches_exchange"]
