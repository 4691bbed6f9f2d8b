"""Which outer rows a subtree reads, and how to move a subtree to other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from firesteel.node import Node
from firesteel.passes.analysis.node_memo import has_table
from firesteel.plan import Rel, Rex, Scan, ScanIndexed, Var, inputs, schema
from firesteel.plan.scope import free_rows, replaced, shifted

N = TypeVar("N", bound=Node)


def sees(node: Node, depth: int) -> bool:
    """Does the subtree read the row that is `depth` levels out from its root? 0 is the current row."""
    return depth in free_rows(node)


def width(rel: Rel) -> int:
    return len(schema(rel))


def spine(rel: Rel) -> Iterator[Rel]:
    """The relation and all its inputs, without relations inside expressions."""
    stack: list[Node] = [rel]
    while stack:
        node = stack.pop()
        if isinstance(node, Rel):
            yield node
            stack.extend(reversed(inputs(node)))


def ranges_over_table(rel: Rel) -> bool:
    """Does the relation scan a table, not counting subqueries in its expressions?"""
    return any(isinstance(part, Scan | ScanIndexed) and has_table(part.rex) for part in spine(rel))


def rebased(root: N, change: Callable[[int, Var], Rex]) -> N:
    """The subtree with its free variables replaced. `change` gets the level of the row that a variable reads, seen from
    the root (0 is the current row), and the variable; it returns the replacement as it reads at the root."""

    def variable(node: Node, level: int) -> Node | None:
        if not isinstance(node, Var) or node.depth < level:
            return node if isinstance(node, Var) else None
        return shifted(change(node.depth - level, node), level)

    return replaced(root, variable)


def side_by_side(root: N, outer: int) -> N:
    """Move a subtree from an inner row (depth 0) within an outer row (depth 1) to one row that has the columns of both:
    first the `outer` columns of the outer row, then those of the inner row."""

    def change(row: int, var: Var) -> Rex:
        if row == 0:
            return var.replace(ordinal=var.ordinal + outer, depth=0)
        return var.replace(depth=row - 1)

    return rebased(root, change)
