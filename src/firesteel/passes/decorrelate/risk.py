"""What may raise an error, as far as it keeps a query from being evaluated for more rows than before.

An overflow is left out of account where numbers are added, subtracted or multiplied: it would take a group of rows
that nobody asks for, and the largest numbers there are, for an error to come up that did not come up before.

Substrait's functions are SQL's, where an engine may choose for which rows of a subquery it evaluates what is in it.
"""

from __future__ import annotations

from firesteel import types as t
from firesteel.node import Node, walk
from firesteel.passes.failing import fails
from firesteel.plan import Agg, Call, Lit, Mode, Rex

_SUMS = frozenset(["plus", "minus", "times", "neg", "pos", "abs"])
_QUOTIENTS = frozenset(["divide", "modulo"])


def risky(root: Node, mode: Mode) -> bool:
    """May evaluating a subtree raise an error that matters here?"""
    strict = mode is Mode.STRICT
    return any(fails(node, strict) and not _is_sum(node, strict) for node in walk(root))


def _is_sum(node: Node, strict: bool) -> bool:
    match node:
        case Call(fn=fn) if fn.name in _SUMS:
            return not strict or all(_number(value) for value in node.values)
        case Call(fn=fn) if fn.name in _QUOTIENTS:
            dividend, divisor = node.values
            return isinstance(divisor, Lit) and bool(divisor.value) and (not strict or _number(dividend))
        case Call(fn=fn) | Agg(fn=fn) if ":" in fn.name:
            return True
        case Agg(fn=fn) if fn.name in ("sum", "avg"):
            return not strict or all(_number(arg) for arg in node.args)
        case _:
            return False


def _number(arg: Rex | t.Type) -> bool:
    return isinstance(arg, Rex) and isinstance(arg.type, t.Number | t.Null)
