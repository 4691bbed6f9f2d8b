"""What follows from a node and is asked for again and again, kept with it: nodes do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from firesteel.node import Node, children, fold, has
from firesteel.plan import Global, Rel

T = TypeVar("T")


def remembered(node: Node, slot: str, compute: Callable[[], T]) -> T:
    """What was computed for the node under that name, or is now. Names begin with `_`: no copy takes it over."""
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
    """`fold`, with the result kept with every node on the way: asking again above or below costs nothing. Asked of
    every level of a nested query, it takes time in its size, where a walk from each would take its square."""
    known: T | None = root.__dict__.get(slot)
    if known is not None:
        return known

    def one(node: Node, inner: list[T]) -> T:
        return remembered(node, slot, lambda: f(node, inner))

    return fold(root, one, lambda node: [] if slot in node.__dict__ else below(node))


def has_relation(root: Node) -> bool:
    """Is it a relation, or is there one in it?"""
    return has(root, Rel)


def has_table(root: Node) -> bool:
    """Is it a table, or is there one in it?"""
    return has(root, Global)
