"""What follows from a node and is asked for again and again, kept with it: nodes do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from firesteel.node import Node, children, fold
from firesteel.plan import Rel

T = TypeVar("T")


def remembered(node: Node, slot: str, compute: Callable[[], T]) -> T:
    """What was computed for the node under that name, or is now. Names begin with `_`: no copy takes it over."""
    known: T | None = node.__dict__.get(slot)
    if known is None:
        known = compute()
        object.__setattr__(node, slot, known)
    return known


def has_relation(root: Node) -> bool:
    """Is it a relation, or is there one in it?"""

    def one(node: Node, inner: list[bool]) -> bool:
        return remembered(node, "_has_relation", lambda: isinstance(node, Rel) or any(inner))

    below = lambda node: [] if "_has_relation" in node.__dict__ else children(node)  # noqa: E731
    return fold(root, one, below)
