"""Conditions that cannot tell equal values apart: these may be moved below DISTINCT, set operators and GROUP BY.

Those operators keep one of several equal values, and equal values may still differ: `1` and `1.0` are equal, but only
one of them is an integer. So `x IS INTEGER` must not be moved, and `x > 0` may be.
"""

from __future__ import annotations

from firesteel import functions
from firesteel import types as t
from firesteel.node import children
from firesteel.passes.analysis.columns import columns_of
from firesteel.passes.analysis.failing import attribute
from firesteel.plan import Call, Key, Path, Rel, Rex, Var

#: Equal values of these types are the same value.
_SAME = (t.Bool, t.Integer, t.String, t.Date, t.Null)


def by_value(rex: Rex) -> bool:
    """Does the condition give the same result for equal values of the columns that it reads?"""
    stack = [rex]
    while stack:
        node = stack.pop()
        if not columns_of(node) or _is_column(node, *_SAME):
            continue
        if isinstance(node, Call) and sees_equality_only(node):
            stack.extend(value for value in node.values if not _is_column(value))
        elif _is_column(node) or not isinstance(node, Call | Path):
            return False
        else:
            below = children(node)
            if any(isinstance(kid, Rel) for kid in below):
                return False
            stack.extend(kid for kid in below if isinstance(kid, Rex))
    return True


def sees_equality_only(call: Call) -> bool:
    """Does the function give the same result for equal arguments?"""
    row = functions.find(call.fn.name)
    return row is not None and row.by_value


def _is_column(rex: Rex, *kinds: type[t.Type]) -> bool:
    """Is it a column, or a path to an attribute that the column's struct type has exactly once? If `kinds` are given,
    is its type among them?"""
    if kinds and not all(isinstance(member, kinds) for member in t.members(rex.type)):
        return False
    if isinstance(rex, Var):
        return True
    if not isinstance(rex, Path) or not isinstance(rex.root, Var):
        return False
    type_: t.Type | None = rex.root.type
    for step in rex.steps:
        type_ = attribute(type_, step.key) if isinstance(step, Key) and type_ is not None else None
    return type_ is not None
