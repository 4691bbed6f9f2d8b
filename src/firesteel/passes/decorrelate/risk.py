"""Which errors keep a subquery from being evaluated for more rows than before.

This is `failing.may_fail` without the overflow of `+`, `-`, `*` and SUM: a new error would need rows that nobody asks
for with numbers near the limits of their type.

Substrait's functions do not count either. They are SQL's, and SQL lets an engine choose for which rows of a subquery
it evaluates an expression.
"""

from __future__ import annotations

from firesteel import functions
from firesteel import types as t
from firesteel.functions import Fails, Origin
from firesteel.node import Node, walk
from firesteel.passes.analysis.failing import fails
from firesteel.plan import Agg, Call, Lit, Mode, Rex


def risky(root: Node, mode: Mode) -> bool:
    """May evaluating the subtree raise an error that counts here?"""
    strict = mode is Mode.STRICT
    return any(fails(node, strict) and not _is_tolerated(node, strict) for node in walk(root))


def _is_tolerated(node: Node, strict: bool) -> bool:
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
