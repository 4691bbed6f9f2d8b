"""Make a top-N of LIMIT over ORDER BY, if the rows are exchanged before.

    limit 5                                  top_n a asc limit 5
    └─ sort a asc                    →       └─ exchange scatter (b)
       └─ exchange scatter (b)                  └─ scan t
          └─ scan t

`push_limits` then moves it below the exchange. Without an exchange there is nothing to gain: Spark makes the same
physical operator of both forms. Queries inside expressions are left alone, because `decorrelate` knows LIMIT and SORT.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from firesteel.node import Node, children, drive, has, rebuild, uses
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.passes.physical.push_limits import reaches_exchange
from firesteel.plan import Exchange, Limit, Lit, Offset, Pivot, Plan, Query, Rel, Rex, Root, Select, Sort, TopN


@plan_pass(Phase.OPTIMIZE)
def top_n(plan: Plan, _: Context) -> Plan:
    """Make a top-N of LIMIT over ORDER BY over an exchange."""
    if not has(plan.statement, Exchange) or not has(plan.statement, Limit):
        return plan
    readers = uses(plan.statement, Rel)
    done: dict[int, Node] = {}

    def dispatch(node: Node) -> Any:
        if not isinstance(node, Rel | Query | Root | Select | Pivot) or not has(node, Limit):
            return node
        return done[id(node)] if id(node) in done else rewritten(node)

    def rewritten(node: Node) -> Any:
        kids = []
        top = _top(node, readers) or node
        for kid in children(top):
            below = isinstance(kid, Rel) or isinstance(top, Query)
            kids.append((yield (kid,)) if below else kid)
        made = done[id(node)] = rebuild(top, kids)
        return made

    return plan.replace(statement=drive(dispatch, plan.statement))


def _top(node: Node, readers: Counter[int]) -> TopN | None:
    """The top-N that a LIMIT is, with its OFFSET and its ORDER BY; None if it is none."""
    if not isinstance(node, Limit) or not _is_count(node.count):
        return None
    source: Rel = node.input
    skip: Rex | None = None
    if isinstance(source, Offset) and _is_count(source.count) and readers[id(source)] == 1:
        skip = source.count
        source = source.input
    if not isinstance(source, Sort) or readers[id(source)] > 1 or not reaches_exchange(source.specs, source.input):
        return None
    return TopN(source.specs, node.count, source.input, skip=skip).at(node.where)


def _is_count(rex: Rex) -> bool:
    """Is it a constant that LIMIT takes? Others may be an error, or cut nothing off."""
    return isinstance(rex, Lit) and type(rex.value) is int and rex.value >= 0


__all__ = ["top_n"]
