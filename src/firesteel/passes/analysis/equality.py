"""Conditions that cannot tell equal values apart: what may be asked before equal rows become one.

DISTINCT, the set operators and GROUP BY keep one of the values that are deeply equal, and these are not all the same:
`1` and `1.0` are equal, and only one of them is an integer.
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
    """Is the condition the same for equal values of the columns that it looks at?"""
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
    """Does the function give the same for arguments that are equal?"""
    row = functions.find(call.fn.name)
    return row is not None and row.by_value


def _is_column(rex: Rex, *kinds: type[t.Type]) -> bool:
    """A column, or an attribute that there is once of one that is a struct; of one of these types."""
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
