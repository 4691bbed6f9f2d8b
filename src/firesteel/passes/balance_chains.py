"""A long chain of ANDs or ORs is one call: `a AND (b AND (c AND d))` nests no deeper than `a AND b`.

How a call of many operands is computed is for the engine to say; Spark's compiler makes a balanced tree of it. Of
booleans a chain is the same however it is bracketed. Of other values it is not: `(1 AND 2) AND false` is wrong on the
inside, and what comes of that is no longer wrong on the outside.
"""

from __future__ import annotations

from firesteel.node import Node, children, rebuild, transform, walk
from firesteel.passes.failing import is_condition
from firesteel.plan import Call, Plan, Rex
from firesteel.plan.build import call


def balance_chains(plan: Plan) -> Plan:
    """Make one call of each chain."""
    if not any(_is_chain(node) for node in walk(plan, Call)):
        return plan
    return transform(plan, _balance)


def _balance(node: Node) -> Node:
    """A chain is flattened once, from its top: whoever holds it, and is no link of it, does that."""
    name = node.fn.name if isinstance(node, Call) and _is_link(node) else None
    kids = [_flat(kid) if isinstance(kid, Call) and kid.fn.name != name else kid for kid in children(node)]
    return rebuild(node, kids)


def _is_link(node: Call) -> bool:
    return node.fn.name in ("and", "or") and all(is_condition(arg.type) for arg in node.values)


def _is_chain(top: Call) -> bool:
    return _is_link(top) and any(_continues(arg, top) for arg in top.values)


def _flat(top: Call) -> Call:
    if not _is_chain(top):
        return top
    operands: list[Rex] = []
    stack = list(reversed(top.values))
    while stack:
        rex = stack.pop()
        if isinstance(rex, Call) and _continues(rex, top):
            stack.extend(reversed(rex.values))
        else:
            operands.append(rex)
    return call(top.fn.name, *operands).at(top.where)


def _continues(rex: Rex, top: Call) -> bool:
    return isinstance(rex, Call) and rex.fn.name == top.fn.name and _is_link(rex)
