"""Split the conditions of joins, and move them to other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from firesteel.errors import UnsupportedError
from firesteel.node import Node
from firesteel.passes.analysis.columns import renumbered
from firesteel.passes.analysis.conditions import all_of, terms
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.analysis.node_memo import has_table
from firesteel.plan import Call, Capture, Cross, Equi, JoinKey, JoinType, Mode, Rex, Theta, build
from firesteel.plan.scope import free_rows, shifted

N = TypeVar("N", bound=Node)

#: Ordinals of the right row's columns start here while the width of the left row is not known yet.
_PARKED = 1_000_000


def join_terms(kind: JoinType, left: int) -> list[Rex]:
    """The terms of a join's condition, over the row of both sides; the left side has `left` columns."""
    if isinstance(kind, Theta):
        return terms(kind.condition)
    if not isinstance(kind, Equi):
        return []
    if any(key.same for key in kind.keys):
        raise UnsupportedError("a subquery in a join by deep equality", where=kind.where)
    keys = [build.call("eq", key.left, renumbered(key.right, lambda i: i + left)) for key in kind.keys]
    return [*keys, *(terms(kind.residual) if kind.residual is not None else [])]


def without_tables(kind: JoinType, left: int, mode: Mode) -> tuple[JoinType, list[Rex]]:
    """The join type without the conditions that contain tables, and these conditions."""
    if not has_table(kind):
        return kind, []
    kept: list[Rex] = []
    asked: list[Rex] = []
    for term in join_terms(kind, left):
        (asked if has_table(term) or (asked and may_fail(term, mode)) else kept).append(term)
    return (Theta(Capture.INNER, all_of(kept)) if kept else Cross()).at(kind.where), asked


def park_right_columns(node: N, left: int) -> N:
    """Move the ordinals of the right row's columns out of the way, so that the left row can get more columns."""
    return renumbered(node, lambda i: i - left + _PARKED if i >= left else i)


def unpark_right_columns(node: N, left: int) -> N:
    """Move the parked ordinals back, behind the `left` columns that the left row has now."""
    return renumbered(node, lambda i: i - _PARKED + left if i >= _PARKED else i)


def widened(kind: JoinType, before: int, after: int) -> JoinType:
    """The join type after the left row grew from `before` to `after` columns. Keys do not change: each reads its own
    row only."""

    def moved(ordinal: int) -> int:
        return ordinal + after - before if ordinal >= before else ordinal

    match kind:
        case Theta(condition=condition):
            return kind.replace(condition=renumbered(condition, moved))
        case Equi(residual=Rex() as residual):
            return kind.replace(residual=renumbered(residual, moved))
        case _:
            return kind


def keys_among(conditions: Sequence[Rex], mode: Mode) -> tuple[list[JoinKey], list[Rex]]:
    """Split conditions over an inner row (depth 0) and an outer row (depth 1) into join keys, outer side left, and the
    other conditions."""
    keys: list[JoinKey] = []
    rest: list[Rex] = []
    for rex in conditions:
        key = key_of(rex, mode)
        if key is None:
            rest.append(rex)
        else:
            keys.append(key)
    return keys, rest


def key_of(rex: Rex, mode: Mode) -> JoinKey | None:
    """The join key of an equality between an expression of the outer row and one of the inner row; else None. Keys are
    computed for rows without a match too, so an equality that may fail is no key."""
    if not isinstance(rex, Call) or rex.fn.name != "eq" or may_fail(rex, mode) or has_table(rex):
        return None
    a, b = rex.values
    for outer, inner in ((a, b), (b, a)):
        if free_rows(outer) == {1} and free_rows(inner) == {0}:
            return JoinKey(shifted(outer, -1), inner).at(rex.where)
    return None
