"""Conditions as lists of terms: splitting a conjunction, and building one again.

A filter keeps a row only if its condition is true, so `p AND q` can be split into `p` and `q`: it is true exactly where
both are true. Whether a term is false, NULL or MISSING for other rows does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.analysis.failing import is_condition, may_fail
from firesteel.passes.analysis.node_memo import has_relation
from firesteel.plan import Call, CollToScalar, Filter, Lit, Mode, Pivot, Rel, Rex, Select
from firesteel.plan.build import call, lit


def terms(condition: Rex, function: str = "and") -> list[Rex]:
    """The operands of a nested AND (or OR), in order. Constant TRUE (for OR, FALSE) is left out."""
    found: list[Rex] = []
    stack = [condition]
    while stack:
        rex = stack.pop()
        if isinstance(rex, Call) and rex.fn.name == function:
            stack.extend(reversed(rex.values))
        elif not (isinstance(rex, Lit) and rex.value is (function == "and")):
            found.append(rex)
    return found


def all_of(conditions: Sequence[Rex]) -> Rex:
    """The conjunction of the conditions, with the place of the first one. A single `x` that can be no boolean becomes
    `x AND TRUE`: alone it is no valid condition, as an operand of AND it is an ordinary type error."""
    if len(conditions) == 1 and t.overlap(conditions[0].type, t.Bool(nullable=True, missable=True)):
        return conditions[0]
    return call("and", *conditions, *([lit(True)] if len(conditions) == 1 else [])).at(conditions[0].where)


def filtered(rel: Rel, conditions: Sequence[Rex]) -> Rel:
    """The rows for which all conditions are true. A condition that is listed twice is kept once."""
    once: dict[Rex, Rex] = {}
    for rex in conditions:
        once.setdefault(_asked(rex), rex)
    return Filter(all_of(list(once.values())), rel).at(conditions[0].where) if once else rel


def _asked(rex: Rex) -> Rex:
    """The condition without `is_true` around it: in a filter both keep the same rows."""
    return rex.values[0] if isinstance(rex, Call) and rex.fn.name == "is_true" else rex


def chained(top: Filter, above: Sequence[Rex], mode: Mode) -> tuple[list[Rex], Rel]:
    """The conditions of a chain of filters and of `above` as those of one filter, the innermost first; and the input of
    the chain.

    A row for which an inner condition is NULL or MISSING never reaches the next filter, but AND evaluates its next
    operand for such a row. So if a later condition may raise an error, the earlier ones are wrapped in `is_true`, which
    gives FALSE there.
    """
    groups: list[list[Rex]] = [list(above)]
    fails = any(may_fail(rex, mode) for rex in above)
    rel: Rel = top
    while isinstance(rel, Filter):
        own = terms(rel.predicate)
        groups.append([_sure(rex) for rex in own] if fails else own)
        fails = fails or any(may_fail(rex, mode) for rex in own)
        rel = rel.input
    return [rex for group in reversed(groups) for rex in group], rel


def _sure(rex: Rex) -> Rex:
    if is_condition(rex.type) and not rex.type.absent:
        return rex
    return call("is_true", rex).at(rex.where)


def factored(condition: Rex) -> list[Rex]:
    """`(p AND q) OR (p AND r)` as `p` and `q OR r`; any other condition unchanged.

    If an operand may be something else than a boolean, `p` is added and the OR is kept as it is: OR treats such an
    operand in another way than an OR of conjunctions does.
    """
    branches = [terms(branch) for branch in terms(condition, "or")]
    if len(branches) < 2:
        return [condition]
    common = [rex for rex in dict.fromkeys(branches[0]) if all(rex in branch for branch in branches[1:])]
    if not common:
        return [condition]
    rest = [[rex for rex in branch if rex not in common] for branch in branches]
    if not all(is_condition(rex.type) for branch in branches for rex in branch):
        return [*common, condition]
    if not all(rest):
        return common  # one branch has no other terms, so the OR of the rest is always true
    return [*common, call("or", *map(all_of, rest)).at(condition.where)]


#: Expressions that contain a relation.
QUERIES: tuple[type[Node], ...] = (Select, Pivot, CollToScalar)


def has_query(rex: Rex) -> bool:
    """Does the expression contain a subquery?"""
    return has_relation(rex)


#: `balance_chains` looks for equalities in an OR of at least this many operands, and makes an IN of at least so many.
LONG = 16
#: From this many constants on, an IN is a table lookup even if its operand has a type. A shorter list can be pushed
#: to the scan.
MANY = 51
