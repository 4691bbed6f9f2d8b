"""Conditions as lists: what a conjunction joins, and a conjunction of what is left.

A filter keeps a row if its condition is true, so it may be taken apart: `p AND q` is true where both are, whatever else
they are elsewhere.
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
    """What has to be true, in order; nothing for what is."""
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
    """Their conjunction, said to come from where the first does. What can be no boolean is wrong in a conjunction, and
    no condition at all by itself."""
    if len(conditions) == 1 and t.overlap(conditions[0].type, t.Bool(nullable=True, missable=True)):
        return conditions[0]
    return call("and", *conditions, *([lit(True)] if len(conditions) == 1 else [])).at(conditions[0].where)


def filtered(rel: Rel, conditions: Sequence[Rex]) -> Rel:
    """The rows for which all of them are true; what is asked twice is asked once."""
    once: dict[Rex, Rex] = {}
    for rex in conditions:
        once.setdefault(_asked(rex), rex)
    return Filter(all_of(list(once.values())), rel).at(conditions[0].where) if once else rel


def _asked(rex: Rex) -> Rex:
    """What is true if and only if the condition is."""
    return rex.values[0] if isinstance(rex, Call) and rex.fn.name == "is_true" else rex


def chained(top: Filter, above: Sequence[Rex], mode: Mode) -> tuple[list[Rex], Rel]:
    """The conditions of filters that follow each other, and of what follows them, as those of one; and their input.

    A row for which a condition is unknown never reached the next filter. A conjunction would ask that one all the same,
    so where it may raise an error the first condition is made to be false.
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
    """`(p AND q) OR (p AND r)` as `p`, `q OR r`; anything else as it is.

    What remains is left as it was where an operand may be no boolean: such a one ends a disjunction, but not one of
    conjunctions that have seen to it.
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
        return common  # one branch says no more than what is common
    return [*common, call("or", *map(all_of, rest)).at(condition.where)]


#: What ranges over a relation of its own.
QUERIES: tuple[type[Node], ...] = (Select, Pivot, CollToScalar)


def has_query(rex: Rex) -> bool:
    """Is there a subquery in it?"""
    return has_relation(rex)


#: An OR of at least so many operands is looked through for equalities, and so many of them are gathered.
LONG = 16
#: So many constants are looked up in a table even if the operand has a type. Up to there they are of use to a scan.
MANY = 51
