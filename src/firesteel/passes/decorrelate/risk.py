"""What may raise an error, as far as it keeps a query from being evaluated for more rows than before.

An overflow is left out of account where numbers are added, subtracted or multiplied: it would take a group of rows
that nobody asks for, and the largest numbers there are, for an error to come up that did not come up before.

Substrait's functions are SQL's, where an engine may choose for which rows of a subquery it evaluates what is in it.
"""

from __future__ import annotations

from firesteel import functions
from firesteel import types as t
from firesteel.functions import Fails, Origin
from firesteel.node import Node, walk
from firesteel.passes.analysis.failing import fails
from firesteel.plan import Agg, Call, Lit, Mode, Rex


def risky(root: Node, mode: Mode) -> bool:
    """May evaluating a subtree raise an error that matters here?"""
    strict = mode is Mode.STRICT
    return any(fails(node, strict) and not _is_sum(node, strict) for node in walk(root))


def _is_sum(node: Node, strict: bool) -> bool:
    if not isinstance(node, Call | Agg):
        return False
    if functions.origin(node.fn.name) is not Origin.PARTIQL:
        return True
    row = functions.find(node.fn.name)
    match row.fails if row is not None else Fails.MAYBE:
        case Fails.OVERFLOW:
            return not strict or all(_number(arg) for arg in node.args)
        case Fails.DIVISION:
            dividend, divisor = node.args
            return isinstance(divisor, Lit) and bool(divisor.value) and (not strict or _number(dividend))
        case _:
            return False


def _number(arg: Rex | t.Type) -> bool:
    return isinstance(arg, Rex) and isinstance(arg.type, t.Number | t.Null)
