"""The conditions of joins, taken apart and moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from firesteel.errors import UnsupportedError
from firesteel.node import Node
from firesteel.passes.analysis.columns import renumbered
from firesteel.passes.analysis.conditions import all_of, terms
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.decorrelate.scopes import tabled
from firesteel.plan import Call, Capture, Cross, Equi, JoinKey, JoinType, Mode, Rex, Theta, build
from firesteel.plan.scope import free_rows, shifted

N = TypeVar("N", bound=Node)

#: Ordinals of a right row's columns for as long as it is not known how wide the left row will be.
_LATER = 1_000_000


def join_terms(kind: JoinType, left: int) -> list[Rex]:
    """What has to be true of two rows, over the row of both; the left one has so many columns."""
    if isinstance(kind, Theta):
        return terms(kind.condition)
    if not isinstance(kind, Equi):
        return []
    if any(key.same for key in kind.keys):
        raise UnsupportedError("a subquery in a join by deep equality", where=kind.where)
    keys = [build.call("eq", key.left, renumbered(key.right, lambda i: i + left)) for key in kind.keys]
    return [*keys, *(terms(kind.residual) if kind.residual is not None else [])]


def without_tables(kind: JoinType, left: int, mode: Mode) -> tuple[JoinType, list[Rex]]:
    """The join without the conditions that ask tables, and these."""
    if not tabled(kind):
        return kind, []
    kept: list[Rex] = []
    asked: list[Rex] = []
    for term in join_terms(kind, left):
        (asked if tabled(term) or (asked and may_fail(term, mode)) else kept).append(term)
    return (Theta(Capture.INNER, all_of(kept)) if kept else Cross()).at(kind.where), asked


def apart(node: N, left: int) -> N:
    """What is said over a left row of so many columns and a right one, for the left to get more columns."""
    return renumbered(node, lambda i: i - left + _LATER if i >= left else i)


def together(node: N, left: int) -> N:
    """What `apart` has moved, over a left row of so many columns and a right one."""
    return renumbered(node, lambda i: i - _LATER + left if i >= _LATER else i)


def widened(kind: JoinType, before: int, after: int) -> JoinType:
    """A join type where the left row has got more columns. Keys see their own row only."""

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
    """Conditions over a row (depth 0) within another (depth 1): the equalities of what each says alone, as keys of
    which the left one is of the outer row; and the others."""
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
    """An equality of something of the outer row and something of the inner one. It is evaluated for rows that may find
    no match, so it must not fail."""
    if not isinstance(rex, Call) or rex.fn.name != "eq" or may_fail(rex, mode) or tabled(rex):
        return None
    a, b = rex.values
    for outer, inner in ((a, b), (b, a)):
        if free_rows(outer) == {1} and free_rows(inner) == {0}:
            return JoinKey(shifted(outer, -1), inner).at(rex.where)
    return None
