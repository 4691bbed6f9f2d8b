"""Memoization on nodes: a result that is asked for often is stored on the node, which never changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from firesteel.node import Node, children, fold, has
from firesteel.plan import Global, Rel

T = TypeVar("T")


def remembered(node: Node, slot: str, compute: Callable[[], T]) -> T:
    """The stored result of that name, computed on first use. Slots begin with `_`, so that copies of the node do not
    take them over."""
    known: T | None = node.__dict__.get(slot)
    if known is None:
        known = compute()
        object.__setattr__(node, slot, known)
    return known


def remembered_fold(
    root: Node,
    slot: str,
    f: Callable[[Node, list[T]], T],
    below: Callable[[Node], list[Node]] = children,
) -> T:
    """`fold` that stores the result on every node that it visits. Asking again for a node above or below costs nothing,
    so asking at every level of a nested query takes linear and not quadratic time."""
    known: T | None = root.__dict__.get(slot)
    if known is not None:
        return known

    def one(node: Node, inner: list[T]) -> T:
        return remembered(node, slot, lambda: f(node, inner))

    return fold(root, one, lambda node: [] if slot in node.__dict__ else below(node))


def has_relation(root: Node) -> bool:
    """Is the node a relation, or does it contain one?"""
    return has(root, Rel)


def has_table(root: Node) -> bool:
    """Is the node a table (a `Global`), or does it contain one?"""
    return has(root, Global)
