"""The rows that an expression sees (`RowScope`), for code that walks a plan from the top. `plan.base` has the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, cast

from firesteel.errors import PlanError
from firesteel.node import Node, children, fold, rebuild
from firesteel.plan.base import Rel, Rex
from firesteel.plan.relations.join import Equi, Join, JoinKey
from firesteel.plan.rex import Var
from firesteel.plan.schema import inputs, schema
from firesteel.plan.statement import Definition
from firesteel.source import Place, Span
from firesteel.types import Field, Schema

N = TypeVar("N", bound=Node)

#: A limit, because a small plan with shared parts can expand to a huge one.
MAX_VISITS = 1_000_000


@dataclass(frozen=True, eq=False)
class RowScope:
    """The columns of the row at hand, and the scope around it."""

    columns: Schema = ()
    outer: RowScope | None = None
    #: Between the two rows of a join that has keys: how many of the columns are the left row's.
    split: int | None = None

    def at(self, depth: int) -> RowScope | None:
        """The scope that is `depth` rows out."""
        scope: RowScope | None = self
        while depth > 0 and scope is not None:
            scope, depth = scope.outer, depth - 1
        return scope

    def field(self, ordinal: int, depth: int = 0) -> Field | None:
        """The column that a variable refers to, if there is one."""
        scope = self.at(depth) if depth >= 0 else None
        return scope.columns[ordinal] if scope and 0 <= ordinal < len(scope.columns) else None


class Visit(NamedTuple):
    """A node on the way down, with what it sees and how it was reached."""

    node: Node
    scope: RowScope | None
    parent: Visit | None

    @property
    def place(self) -> Span | Place:
        """Where the node was read from; for one that was built, its path from the root."""
        if self.node.where is not None:
            return self.node.where
        steps: list[str] = []
        visit: Visit | None = self
        while visit is not None:
            steps.append(visit.node.tag or type(visit.node).__name__.lower())
            visit = visit.parent
        return Place(tuple(reversed(steps)))


def visits(root: Node, scope: RowScope | None = None) -> Iterator[Visit]:
    """Every node with its scope, parents first; a node that is shared within one scope is visited once."""
    seen: dict[tuple[int, int], RowScope | None] = {}  # keeps the scopes alive, so that no id is used twice
    stack = [Visit(root, scope, None)]
    while stack:
        visit = stack.pop()
        node, scope, _ = visit
        mark = (id(node), id(scope))
        if mark in seen:
            continue
        seen[mark] = scope
        if len(seen) > MAX_VISITS:
            raise PlanError(f"the plan has more than {MAX_VISITS:,} nodes, counting shared ones wherever they are used")
        yield visit
        if children(node):
            stack.extend([Visit(kid, inner, visit) for kid, inner in reversed(scoped_children(node, scope))])


def scoped_children(node: Node, scope: RowScope | None) -> list[tuple[Node, RowScope | None]]:
    """The nodes below, each with the scope it has there. A definition's node has one only where it is used."""
    if isinstance(node, Definition):
        return []
    kids = children(node)
    if isinstance(node, JoinKey) and scope is not None and scope.split is not None:
        left = RowScope(scope.columns[: scope.split], scope.outer)
        right = RowScope(scope.columns[scope.split :], scope.outer)
        return [(node.left, left), (node.right, right)]
    sources = inputs(node)
    if not sources or not isinstance(node, Rel | Rex):
        return [(kid, scope) for kid in kids]
    inner = RowScope(tuple([f for rel in sources for f in schema(rel)]), scope)
    if isinstance(node, Join):
        if isinstance(node.type, Equi):
            inner = RowScope(inner.columns, scope, split=len(schema(node.left)))
        beside = RowScope(schema(node.left), scope) if node.lateral else scope
        return [(node.type, inner), (node.left, scope), (node.right, beside)]
    return [(kid, scope if isinstance(kid, Rel) else inner) for kid in kids]


# ---------------------------------------------------------------------------------------------------------------------
# Rows that a subtree looks at from outside


def levels(node: Node, level: int) -> list[tuple[Node, int]]:
    """The nodes below, each with the number of rows between it and the root."""
    kids = children(node)
    if not inputs(node) or not isinstance(node, Rel | Rex):
        return [(kid, level) for kid in kids]
    if isinstance(node, Join):
        return [(node.type, level + 1), (node.left, level), (node.right, level + 1 if node.lateral else level)]
    return [(kid, level if isinstance(kid, Rel) else level + 1) for kid in kids]


def free_rows(root: Node) -> frozenset[int]:
    """The rows around it that a subtree refers to: 0 is the one it stands in. Kept with every node that is asked."""

    def one(node: Node, inner: list[frozenset[int]]) -> frozenset[int]:
        known: frozenset[int] | None = node.__dict__.get("_free_rows")
        if known is None:
            own = {node.depth} if isinstance(node, Var) else set()
            for rows, (_, level) in zip(inner, levels(node, 0), strict=True):
                own.update(depth - level for depth in rows if depth >= level)
            known = frozenset(own)
            object.__setattr__(node, "_free_rows", known)
        return known

    def kids(node: Node) -> list[Node]:
        return [] if "_free_rows" in node.__dict__ else [kid for kid, _ in levels(node, 0)]

    return fold(root, one, kids)


def shifted(root: N, by: int) -> N:
    """The subtree as it reads with so many rows more (or fewer) between it and the rows around it."""

    def shift(node: Node, level: int) -> Node | None:
        return node.replace(depth=node.depth + by) if isinstance(node, Var) and node.depth >= level else None

    return replaced(root, shift) if by else root


def replaced(root: N, by: Callable[[Node, int], Node | None]) -> N:
    """The subtree with some of its nodes replaced, from the top: `by` is told how many rows there are between the node
    and the root, and says None where the node stays and what is below it is looked at."""
    done: dict[tuple[int, int], Node] = {}
    opened: dict[tuple[int, int], list[tuple[Node, int]]] = {}
    stack: list[tuple[Node, int]] = [(root, 0)]
    while stack:
        node, level = stack[-1]
        mark = (id(node), level)
        if mark not in done:
            if mark not in opened:
                made = by(node, level)
                if made is None and children(node):
                    opened[mark] = levels(node, level)
                    stack.extend(reversed(opened[mark]))
                    continue
                done[mark] = node if made is None else made
            else:
                done[mark] = rebuild(node, [done[id(kid), below] for kid, below in opened[mark]])
        stack.pop()
    return cast(N, done[id(root), 0])
