"""What a subtree looks at, and the same subtree where those rows are others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from firesteel.node import Node
from firesteel.passes.analysis.node_memo import has_table
from firesteel.plan import Rel, Rex, Scan, ScanIndexed, Var, inputs, schema
from firesteel.plan.scope import free_rows, replaced, shifted

N = TypeVar("N", bound=Node)

#: Is there a table in it?
tabled = has_table


def sees(node: Node, depth: int) -> bool:
    """Does it look at the row that is `depth` rows out of where it stands?"""
    return depth in free_rows(node)


def width(rel: Rel) -> int:
    return len(schema(rel))


def spine(rel: Rel) -> Iterator[Rel]:
    """The relation and those that it is made of, without what is inside its expressions."""
    stack: list[Node] = [rel]
    while stack:
        node = stack.pop()
        if isinstance(node, Rel):
            yield node
            stack.extend(reversed(inputs(node)))


def ranges_over_table(rel: Rel) -> bool:
    """Does it range over a table, itself and not in an expression?"""
    return any(isinstance(part, Scan | ScanIndexed) and tabled(part.rex) for part in spine(rel))


def rebased(root: N, change: Callable[[int, Var], Rex]) -> N:
    """The subtree over other rows: `change` is given the row that a variable looks at, 0 being the one the root stands
    in, and the variable, and says what takes its place where the root stands."""

    def variable(node: Node, level: int) -> Node | None:
        if not isinstance(node, Var) or node.depth < level:
            return node if isinstance(node, Var) else None
        return shifted(change(node.depth - level, node), level)

    return replaced(root, variable)


def side_by_side(root: N, outer: int) -> N:
    """What is said over a row within another, over the two rows side by side: the other one, of so many columns, is
    the left."""

    def change(row: int, var: Var) -> Rex:
        if row == 0:
            return var.replace(ordinal=var.ordinal + outer, depth=0)
        return var.replace(depth=row - 1)

    return rebased(root, change)
