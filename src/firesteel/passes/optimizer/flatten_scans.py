"""Replace a scan of a query by the query's relation: `scan(select(v, r))` is `project((v), r)`.

Both stand at the same depth, so no variable has to be renumbered. Whether the query gives a bag or a list is lost, but
only an index (AT) could tell, and a plain scan has none.
"""

from __future__ import annotations

from firesteel.node import Node, transform
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Plan, Project, Scan, Select


@plan_pass(Phase.OPTIMIZE)
def flatten_scans(plan: Plan, _: Context) -> Plan:
    """Replace scans of queries by what the queries range over."""
    return transform(plan, _flatten, Scan)


def _flatten(node: Node) -> Node:
    match node:
        case Scan(rex=Select(constructor=constructor, input=source), identified=False):
            return Project((constructor,), source, names=node.names).at(node.where)
        case _:
            return node
