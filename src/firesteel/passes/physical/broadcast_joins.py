"""A broadcast that is an input of a join copies no row: each partition of the other side meets its own copy.

    join equi on a.x = b.x                   join broadcast right equi on a.x = b.x
    ├─ scan a                        →       ├─ scan a
    └─ exchange broadcast to 3               └─ scan b
       └─ scan b

Anywhere else, a row that is broadcast to three partitions is three rows. So this pass decides what a plan means, and
runs before types are inferred: a join with a strategy gives a bag.
"""

from __future__ import annotations

from firesteel.node import has, transform
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Broadcast,
    Exchange,
    Exclude,
    Filter,
    Join,
    JoinStrategy,
    MergingCapture,
    Plan,
    Project,
    Promised,
    Rel,
    Side,
    SimpleCapture,
    Sort,
)

#: Relations that do the same with the rows of each copy.
_SAME_IN_EACH_COPY = Filter | Project | Exclude | Sort | MergingCapture | SimpleCapture | Promised


@plan_pass(Phase.TYPE)
def broadcast_joins(plan: Plan, _: Context) -> Plan:
    """Make broadcast joins of joins with an input that is broadcast."""
    if not has(plan.statement, Broadcast):
        return plan
    return plan.replace(statement=transform(plan.statement, _joined, Join))


def _joined(join: Join) -> Join:
    left, right = _without_broadcast(join.left), _without_broadcast(join.right)
    if left is None and right is None:
        return join
    made = join.replace(left=left or join.left, right=right or join.right)
    if made.strategy is not None or made.lateral:
        return made
    return made.replace(strategy=JoinStrategy.BROADCAST, build=Side.LEFT if right is None else Side.RIGHT)


def _without_broadcast(rel: Rel) -> Rel | None:
    """The relation over the input of its broadcast; None if there is no broadcast."""
    above: list[Rel] = []
    while isinstance(rel, _SAME_IN_EACH_COPY):
        above.append(rel)
        rel = rel.input
    if not isinstance(rel, Exchange) or not isinstance(rel.kind, Broadcast):
        return None
    made = rel.input
    for one in reversed(above):
        made = one.replace(input=made)
    return made


__all__ = ["broadcast_joins"]
