"""Which columns an expression reads, and how to move an expression to a row with other columns.

The *current row* of an expression is the one that variables of depth 0 refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from firesteel.node import Node, has
from firesteel.passes.analysis.node_memo import remembered, remembered_fold
from firesteel.plan import Rex, Var
from firesteel.plan.scope import levels, replaced, shifted

N = TypeVar("N", bound=Node)


def columns_of(root: Node) -> frozenset[int]:
    """The ordinals of the current row's columns that a subtree reads, also from inside nested queries."""
    return remembered(root, "_columns", lambda: frozenset(ordinal for depth, ordinal in _free(root) if not depth))


def _free(root: Node) -> frozenset[tuple[int, int]]:
    """The free variables of a subtree, as (depth, ordinal) seen from its root."""

    def one(node: Node, inner: list[frozenset[tuple[int, int]]]) -> frozenset[tuple[int, int]]:
        if isinstance(node, Var):
            return frozenset([(node.depth, node.ordinal)])
        found: set[tuple[int, int]] = set()
        for variables, (_, level) in zip(inner, levels(node, 0), strict=True):
            found.update(variables if not level else [(depth - level, at) for depth, at in variables if depth >= level])
        return frozenset(found)

    return remembered_fold(root, "_free_columns", one, lambda node: [kid for kid, _ in levels(node, 0)])


def substituted(root: N, change: Callable[[Var], Rex]) -> N:
    """The subtree with each column of the current row replaced by an expression.

    `change` gets the column as a variable of depth 0, and returns the expression to put in its place, also as it reads
    at the root.
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
    """The subtree with the columns of the current row renumbered by `ordinals`."""
    return substituted(root, lambda var: var.replace(ordinal=ordinals(var.ordinal)))


def over(root: N, exprs: Sequence[Rex]) -> N:
    """The subtree with column `i` replaced by `exprs[i]`: what reads a projection, said over the projection's input."""
    return substituted(root, lambda var: exprs[var.ordinal])
