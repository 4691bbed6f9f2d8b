"""What an expression reads of the row it stands in, and the same expression over another row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from firesteel.node import Node, has
from firesteel.passes.remembered import remembered
from firesteel.plan import Rex, Var
from firesteel.plan.scope import levels, replaced, shifted

N = TypeVar("N", bound=Node)


def columns_of(root: Node) -> frozenset[int]:
    """The columns of the row at hand that a subtree refers to, from however deep inside."""
    return remembered(root, "_columns", lambda: _columns(root))


def _columns(root: Node) -> frozenset[int]:
    found: set[int] = set()
    seen: set[tuple[int, int]] = set()
    stack = [(root, 0)]
    while stack:
        node, level = stack.pop()
        if (id(node), level) in seen:
            continue
        seen.add((id(node), level))
        if isinstance(node, Var) and node.depth == level:
            found.add(node.ordinal)
        stack.extend(levels(node, level))
    return frozenset(found)


def substituted(root: N, change: Callable[[Var], Rex]) -> N:
    """The subtree with other expressions in the place of the columns of the row at hand.

    `change` is given a column as it is seen from the root, and says what takes its place there.
    """

    def column(node: Node, level: int) -> Node | None:
        if not isinstance(node, Var):
            return None if has(node, Var) else node
        if node.depth != level:
            return node
        new = change(node.replace(depth=0) if level else node)
        return node if isinstance(new, Var) and _same(new, node, level) else shifted(new, level)

    return replaced(root, column)


def _same(new: Var, old: Var, level: int) -> bool:
    return new.ordinal == old.ordinal and new.depth + level == old.depth and new.type is old.type


def renumbered(root: N, ordinals: Callable[[int], int]) -> N:
    """The subtree as it reads where the columns of the row at hand have other ordinals."""
    return substituted(root, lambda var: var.replace(ordinal=ordinals(var.ordinal)))


def over(root: N, exprs: Sequence[Rex]) -> N:
    """The subtree with the expressions that make the columns in their place."""
    return substituted(root, lambda var: exprs[var.ordinal])
