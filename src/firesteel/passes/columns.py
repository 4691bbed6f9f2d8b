"""What an expression reads of the row it stands in, and the same expression over another row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from firesteel.node import Node, has
from firesteel.passes.remembered import gathered, remembered
from firesteel.plan import Rex, Var
from firesteel.plan.scope import levels, replaced, shifted

N = TypeVar("N", bound=Node)

Free = frozenset[tuple[int, int]]
_NONE: Free = frozenset()


def columns_of(root: Node) -> frozenset[int]:
    """The columns of the row at hand that a subtree refers to, from however deep inside."""
    return remembered(root, "_columns", lambda: _columns(root))


def _columns(root: Node) -> frozenset[int]:
    free = gathered(root, "_free_columns", _free, lambda node: [kid for kid, _ in levels(node, 0)])
    return frozenset(ordinal for depth, ordinal in free if depth == 0)


def _free(node: Node, below: list[Free]) -> Free:
    """The columns of the rows around it that a node refers to: how far out the row is, and the ordinal."""
    if isinstance(node, Var):
        return frozenset([(node.depth, node.ordinal)])
    found: Free = _NONE
    for inner, (_, level) in zip(below, levels(node, 0), strict=True):
        out = frozenset((depth - level, ordinal) for depth, ordinal in inner if depth >= level) if level else inner
        found = found | out if found and out else found or out
    return found


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
