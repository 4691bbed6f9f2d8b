"""Drop an exchange if the rows are in such partitions already, or if another exchange follows.

    exchange scatter (t.a)                     exchange scatter (t.a)
    └─ filter t.b > 1                          └─ filter t.b > 1
       └─ exchange scatter (t.b) to 4    →        └─ scan t
          └─ scan t

An exchange stays if it copies rows, if somebody waits for its partitions (targets), and if it checks its buckets.
"""

from __future__ import annotations

import enum
from typing import Any

from firesteel.node import Node, children, drive, has, rebuild, uses
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Exchange,
    Exclude,
    Expand,
    Filter,
    MergingCapture,
    Plan,
    Project,
    Rel,
    RoundRobin,
    Scatter,
    SimpleCapture,
    SingleBucket,
    relation_properties,
)
from firesteel.plan.field_paths import field_path
from firesteel.plan.properties import Partitioned, Singleton, is_partitioned

#: Relations that treat each row by itself, in whatever partition it is.
_ROW_BY_ROW = Filter | Project | Exclude | Expand | MergingCapture | SimpleCapture


class Above(enum.Enum):
    """What reads a relation."""

    #: An exchange.
    EXCHANGE = "exchange"
    #: An exchange, with relations between that treat each row by itself.
    LATER_EXCHANGE = "later exchange"
    #: Something else.
    OTHER = "other"


@plan_pass(Phase.OPTIMIZE)
def drop_exchanges(plan: Plan, _: Context) -> Plan:
    """Drop exchanges of rows that are in such partitions already, or that are exchanged again."""
    if not has(plan.statement, Exchange):
        return plan
    readers = uses(plan.statement, Rel)
    done: dict[tuple[int, Above], Node] = {}

    def dispatch(node: Node, above: Above) -> Any:
        if not has(node, Exchange):
            return node
        if readers[id(node)] > 1:
            above = Above.OTHER
        known = done.get((id(node), above))
        return known if known is not None else rewritten(node, above)

    def rewritten(node: Node, above: Above) -> Any:
        if isinstance(node, Exchange) and _is_in_vain(node, above):
            made: Node = yield node.input, above
        else:
            kids = []
            for kid in children(node):
                kids.append((yield kid, _seen_from_below(node, above) if isinstance(kid, Rel) else Above.OTHER))
            made = rebuild(node, kids)
        done[id(node), above] = made
        return made

    return plan.replace(statement=drive(dispatch, plan.statement, Above.OTHER))


def _seen_from_below(node: Node, above: Above) -> Above:
    if isinstance(node, Exchange):
        return Above.EXCHANGE
    return Above.LATER_EXCHANGE if isinstance(node, _ROW_BY_ROW) and above is not Above.OTHER else Above.OTHER


def _is_in_vain(node: Exchange, above: Above) -> bool:
    if node.copies or node.targets or (isinstance(node.kind, SingleBucket) and node.kind.constrained):
        return False
    if above is Above.EXCHANGE or (above is Above.LATER_EXCHANGE and not isinstance(node.kind, RoundRobin)):
        return True  # a round robin may be there to spread the work of the relations between
    known = relation_properties(node.input)
    if node.partitions is not None:
        return node.partitions == 1 and isinstance(known.distribution, Singleton)
    if not isinstance(node.kind, Scatter) or not isinstance(known.distribution, Partitioned):
        return False  # one partition holds all equal rows, but who scatters it wants more of them
    paths = [field_path(rex) for rex in node.kind.fields]
    return is_partitioned(known, [path for path in paths if path is not None])


__all__ = ["drop_exchanges"]
