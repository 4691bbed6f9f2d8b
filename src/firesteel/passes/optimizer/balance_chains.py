"""Make one call of a chain of ANDs or ORs, so that it does not nest: `a AND (b AND (c AND d))` is `and(a, b, c, d)`.

How a call of many operands is computed is up to the engine; Spark's compiler builds a balanced tree. Brackets do not
matter if all operands are booleans. With other operands they do: in `(1 AND 2) AND false` only the inner AND has
operands of the wrong type. Such chains are left alone.

In a long OR, equalities of one operand with constants become one IN: `a = 1 OR a = 2 OR ...` is `a IN (1, 2, ...)`.
"""

from __future__ import annotations

import datetime
import operator
from decimal import Decimal

from firesteel import functions
from firesteel import types as t
from firesteel.functions import Lazy
from firesteel.node import Node, children, rebuild, transform, walk
from firesteel.passes.analysis.conditions import LONG, MANY
from firesteel.passes.analysis.failing import is_condition
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Call, Lit, Plan, Rex
from firesteel.plan.build import call, lit
from firesteel.values import Symbol, Text, Value


@plan_pass(Phase.OPTIMIZE)
def balance_chains(plan: Plan, _: Context) -> Plan:
    """Make one call of each chain of ANDs or ORs, and one IN of a long OR of equalities."""
    if not any(_is_chain(node) or _is_long(node) for node in walk(plan, Call)):
        return plan
    return transform(plan, _balance)


def _balance(node: Node) -> Node:
    """Flatten the chains below a node. A link skips its own chain, so that each is flattened once, from its top."""
    name = node.fn.name if isinstance(node, Call) and _is_link(node) else None
    kids = [_flat(kid) if isinstance(kid, Call) and kid.fn.name != name else kid for kid in children(node)]
    return rebuild(node, kids)


def is_logic(node: Call) -> bool:
    """Is it an AND or an OR?"""
    row = functions.find(node.fn.name)
    return row is not None and row.lazy in (Lazy.UNTIL_FALSE, Lazy.UNTIL_TRUE)


def _is_link(node: Call) -> bool:
    return is_logic(node) and all(is_condition(arg.type) for arg in node.values)


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
    """Replace the equalities of one operand with many constants by one IN, in the place of the first of them. This
    changes no result: `=` never fails, and it is NULL for a NULL or MISSING operand or constant, as IN is if nothing
    is equal."""
    places_of: dict[Rex, list[int]] = {}
    constants: dict[int, Value] = {}
    for i, rex in enumerate(operands):
        if (found := equality(rex)) is not None:
            operand, constants[i] = found
            places_of.setdefault(operand, []).append(i)
    result: list[Rex | None] = list(operands)
    for operand, places in places_of.items():
        for group in _groups(operand, places, constants):
            listed = lit([constants[i] for i in group])
            result[group[0]] = call("in_collection", operand, listed).at(operands[group[0]].where)
            for i in group[1:]:
                result[i] = None
    return [rex for rex in result if rex is not None]


def _groups(operand: Rex, places: list[int], constants: dict[int, Value]) -> list[list[int]]:
    """Which of the equalities become one IN. If there are many, or the operand has no type: all of them. Otherwise
    those whose constants have one Python class that needs no cast to be compared with the operand."""
    kind = type(t.proper(operand.type))
    if len(places) >= (LONG if kind in _UNTYPED else MANY):
        return [places]
    by_class: dict[type[Value], list[int]] = {}
    for i in places:
        if type(constants[i]) in _OWN.get(kind, ()):
            by_class.setdefault(type(constants[i]), []).append(i)
    return [group for group in by_class.values() if len(group) >= LONG]


def equality(rex: Rex) -> tuple[Rex, Value] | None:
    """The operand and the constant of `operand = constant`, if engines can look up such a constant; else None."""
    if not isinstance(rex, Call) or rex.fn.name != "eq":
        return None
    for operand, other in (rex.values, rex.values[::-1]):
        if isinstance(other, Lit) and not isinstance(operand, Lit):
            kinds = _LISTED.get(type(t.proper(operand.type)), ())
            return (operand, other.value) if type(other.value) in kinds else None
    return None


_UNTYPED = (t.Any, t.Union)
_INTEGERS = (t.Int8, t.Int16, t.Int32, t.Int64)
#: The Python classes of constants that are compared with an operand of the type without a cast.
_OWN: dict[type[t.Type], tuple[type, ...]] = {
    **dict.fromkeys(_INTEGERS, (int,)),
    **dict.fromkeys((t.String, t.Char), (str, Text)),
    t.Date: (datetime.date,),
}
#: The Python classes of constants that engines look up for an operand of the type.
_LISTED: dict[type[t.Type], tuple[type, ...]] = {
    **_OWN,
    **dict.fromkeys((*_INTEGERS, t.Float32, t.Float64, t.Decimal), (int, float, Decimal)),
    **dict.fromkeys((t.String, t.Char), (str, Text, Symbol)),
    **dict.fromkeys(_UNTYPED, (bool, int, float, Decimal, str, Text, Symbol)),
}


def _continues(rex: Rex, top: Call) -> bool:
    return isinstance(rex, Call) and rex.fn.name == top.fn.name and _is_link(rex)
