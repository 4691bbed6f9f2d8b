"""Compute constant expressions once, by the reference evaluator: `date '1998-12-01' - interval '90' day`.

A call of a pure function on constants becomes its value. A CASE loses branches that are never taken, AND and OR lose
operands that do not matter. An expression that raises an error is kept, so that it raises it in the run, if at all.
Only values that are plain scalars in every engine become literals.
"""

from __future__ import annotations

import datetime
from decimal import Decimal

from firesteel import functions, values
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.evaluate import expression
from firesteel.functions import Lazy
from firesteel.node import Node, transform
from firesteel.passes.analysis.failing import is_condition, may_fail
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Branch, Call, Case, Collection, Key, Lit, Mode, Path, Plan, Rex, Struct
from firesteel.plan.build import call, lit
from firesteel.values import MISSING, Value

#: Longer text stays an expression: `a || a || ...` would grow the plan without end.
MAX_TEXT = 1_000

_PLAIN = (bool, int, float, Decimal, str, datetime.date, values.Timestamp)


@plan_pass(Phase.OPTIMIZE)
def fold_constants(plan: Plan, _: Context) -> Plan:
    """Compute expressions that depend on no row."""
    mode = getattr(plan.statement, "mode", Mode.PERMISSIVE)
    return transform(plan, lambda node: _fold(node, mode), Call, Path, Case)


def _fold(node: Node, mode: Mode) -> Node:
    match node:
        case Call() if _is_pure(node) and all(_constant(arg) for arg in node.values):
            return _computed(node, mode)
        case Path() if isinstance(node.root, Lit | Collection | Struct) and _constant(node):
            return _computed(node, mode)
        case Call() if _decisive(node) is not None:
            return _logic(node, mode)
        case Case():
            return _case(node, mode)
        case _:
            return node


def _decisive(node: Call) -> bool | None:
    """The operand that decides the result whatever the others are: FALSE of AND, TRUE of OR; None for other calls."""
    row = functions.find(node.fn.name)
    return None if row is None or row.lazy is None else _DECISIVE.get(row.lazy)


_DECISIVE = {Lazy.UNTIL_FALSE: False, Lazy.UNTIL_TRUE: True}


def _is_pure(node: Call) -> bool:
    row = functions.find(node.fn.name)
    return row is not None and row.pure and not row.dear


def _constant(rex: Rex) -> bool:
    """Is it a literal, or built from literals? Calls need no look: those of constants have been computed already."""
    stack: list[Rex] = [rex]
    while stack:
        node = stack.pop()
        match node:
            case Lit(value=value):
                if isinstance(value, str | bytes) and len(value) > MAX_TEXT:
                    return False
            case Collection(items=items):
                stack.extend(items)
            case Struct(pairs=pairs):
                stack.extend(part for pair in pairs for part in (pair.key, pair.value))
            case Path(root=root, steps=steps) if all(isinstance(step, Key) for step in steps):
                stack.append(root)
                stack.extend(step.key for step in steps if isinstance(step, Key))
            case _:
                return False
    return True


def _computed(rex: Rex, mode: Mode) -> Rex:
    try:
        value = expression(rex, mode)(())
    except FiresteelError:
        return rex
    type_ = _type(value, rex.type)
    return rex if type_ is None else Lit(type_, value).at(rex.where)


def _type(value: Value, said: t.Type) -> t.Type | None:
    """The type of the literal that replaces an expression of type `said`; None if the expression should stay."""
    if value is MISSING:
        return t.MISSING
    if value is None:
        return t.absent(said, nullable=True, missable=False) if _is_scalar(said) else t.NULL
    if not isinstance(value, _PLAIN) or isinstance(value, values.Symbol):
        return None
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return None
    own, known = t.type_of(value), t.proper(said)
    if not _is_scalar(known) or t.within(own, known):
        return own
    return known if t.overlap(own, known) else None


def _is_scalar(type_: t.Type) -> bool:
    return isinstance(type_, t.Number | t.Bool | t.Text | t.Temporal)


# ---------------------------------------------------------------------------------------------------------------------
# AND, OR and CASE


def _logic(node: Call, mode: Mode) -> Rex:
    """AND without TRUE (OR without FALSE) among its operands. A decisive operand is the result, if no operand before it
    can fail or be no boolean."""
    decisive = bool(_decisive(node))
    operands: list[Rex] = []
    for arg in node.values:
        value = arg.value if isinstance(arg, Lit) else None
        if value is decisive:
            if all(is_condition(rex.type) and not may_fail(rex, mode) for rex in operands):
                return lit(decisive).at(node.where)
            operands.append(arg)
            break
        if value is not (not decisive):
            operands.append(arg)
    if len(operands) == len(node.values):
        return node
    if not operands:
        return lit(not decisive).at(node.where)
    if len(operands) > 1:
        return call(node.fn.name, *operands).at(node.where)
    # AND gives NULL for MISSING, and rejects what is no boolean; the operand alone would do neither.
    (only,) = operands
    return only if is_condition(only.type) and not only.type.missable else node


def _case(node: Case, mode: Mode) -> Rex:
    """CASE without the branches that are never taken. A branch that is always taken becomes the ELSE."""
    branches: list[Branch] = []
    default = node.default
    for branch in node.branches:
        taken = _is_taken(node, branch, mode)
        if taken is None:
            branches.append(branch)
        elif taken:
            default = branch.then
            break
    if len(branches) == len(node.branches):
        return node
    if not branches:
        return default if default is not None else lit(None).at(node.where)
    results = [*(branch.then.type for branch in branches), default.type if default is not None else t.NULL]
    return node.replace(type=t.union(results), branches=tuple(branches), default=default)


def _is_taken(node: Case, branch: Branch, mode: Mode) -> bool | None:
    """Is the branch taken if it is reached? None if only the run can tell, or if the run would raise an error."""
    condition = branch.when
    if node.match is not None:
        if not _constant(node.match) or not _constant(branch.when):
            return None
        condition = _computed(call("eq", node.match, branch.when), mode)
    if not isinstance(condition, Lit):
        return None
    if condition.value is True:
        return True
    absent = condition.value is False or condition.value is None or condition.value is MISSING
    return False if absent or mode is Mode.PERMISSIVE else None
