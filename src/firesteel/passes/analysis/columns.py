"""What an expression reads of the row it stands in, and the same expression over another row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from firesteel.node import Node, has
from firesteel.passes.analysis.node_memo import remembered, remembered_fold
from firesteel.plan import Rex, Var
from firesteel.plan.scope import levels, replaced, shifted

N = TypeVar("N", bound=Node)


def columns_of(root: Node) -> frozenset[int]:
    """The columns of the row at hand that a subtree refers to, from however deep inside."""
    return remembered(root, "_columns", lambda: frozenset(ordinal for depth, ordinal in _free(root) if not depth))


def _free(root: Node) -> frozenset[tuple[int, int]]:
    """The variables of the rows around that a subtree refers to, by depth and ordinal."""

    def one(node: Node, inner: list[frozenset[tuple[int, int]]]) -> frozenset[tuple[int, int]]:
        if isinstance(node, Var):
            return frozenset([(node.depth, node.ordinal)])
        found: set[tuple[int, int]] = set()
        for variables, (_, level) in zip(inner, levels(node, 0), strict=True):
            found.update(variables if not level else [(depth - level, at) for depth, at in variables if depth >= level])
        return frozenset(found)

    return remembered_fold(root, "_free_columns", one, lambda node: [kid for kid, _ in levels(node, 0)])


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
