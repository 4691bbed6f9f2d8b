"""A long chain of ANDs or ORs is one call: `a AND (b AND (c AND d))` nests no deeper than `a AND b`.

How a call of many operands is computed is for the engine to say; Spark's compiler makes a balanced tree of it. Of
booleans a chain is the same however it is bracketed. Of other values it is not: `(1 AND 2) AND false` is wrong on the
inside, and what comes of that is no longer wrong on the outside.

Of a long OR, the equalities of one operand with constants are one IN: `a = 1 OR a = 2 OR ...` is `a IN (1, 2, ...)`.
"""

from __future__ import annotations

import datetime
import operator

from firesteel import types as t
from firesteel.node import Node, children, rebuild, transform, walk
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.passes.failing import is_condition
from firesteel.plan import Call, Lit, Plan, Rex
from firesteel.plan.build import call, lit
from firesteel.values import Text, Value


@plan_pass(Phase.OPTIMIZE)
def balance_chains(plan: Plan, _: Context) -> Plan:
    """Make one call of each chain of ANDs or ORs, and one IN of a long OR of equalities."""
    if not any(_is_chain(node) or _is_long(node) for node in walk(plan, Call)):
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


def _is_long(top: Call) -> bool:
    return top.fn.name == "or" and len(top.args) >= LONG and _is_link(top)


def _flat(top: Call) -> Rex:
    if not _is_chain(top) and not _is_long(top):
        return top
    operands: list[Rex] = []
    stack = list(reversed(top.values))
    while stack:
        rex = stack.pop()
        if isinstance(rex, Call) and _continues(rex, top):
            stack.extend(reversed(rex.values))
        else:
            operands.append(rex)
    if top.fn.name == "or" and len(operands) >= LONG:
        operands = _gathered(operands)
    if len(operands) == len(top.values) and all(map(operator.is_, operands, top.values)):
        return top
    made = call(top.fn.name, *operands) if len(operands) > 1 else operands[0]
    return made.at(top.where)


def _gathered(operands: list[Rex]) -> list[Rex]:
    """Equalities of one operand with many constants as one IN, in the place of the first of them. That is the same for
    values of one of `_LISTED`: what is absent is absent in both, and nothing is wrong."""
    found: dict[tuple[Rex, type[Value]], list[int]] = {}
    constants: dict[int, Value] = {}
    for i, rex in enumerate(operands):
        if (equality := _equality(rex)) is not None:
            operand, constants[i] = equality
            found.setdefault((operand, type(constants[i])), []).append(i)
    made: list[Rex | None] = list(operands)
    for (operand, _), places in found.items():
        if len(places) >= LONG:
            listed = lit([constants[i] for i in places])
            made[places[0]] = call("in_collection", operand, listed).at(operands[places[0]].where)
            for i in places[1:]:
                made[i] = None
    return [rex for rex in made if rex is not None]


def _equality(rex: Rex) -> tuple[Rex, Value] | None:
    """The operand and the constant of an equality with one, where both are of one simple kind."""
    if not isinstance(rex, Call) or rex.fn.name != "eq":
        return None
    for operand, other in (rex.values, rex.values[::-1]):
        if isinstance(other, Lit) and not isinstance(operand, Lit):
            kinds = _LISTED.get(type(t.proper(operand.type)), ())
            return (operand, other.value) if type(other.value) in kinds else None
    return None


#: An OR of at least so many operands is looked through for equalities, and so many of them are gathered.
LONG = 16
#: The types of operands, and the constants that they are compared with as they are.
_LISTED: dict[type[t.Type], tuple[type, ...]] = {
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), (int,)),
    **dict.fromkeys((t.String, t.Char), (str, Text)),
    t.Date: (datetime.date,),
}


def _continues(rex: Rex, top: Call) -> bool:
    return isinstance(rex, Call) and rex.fn.name == top.fn.name and _is_link(rex)
