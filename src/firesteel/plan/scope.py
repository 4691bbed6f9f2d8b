"""Scope: which row an expression sees, as `plan.base` says it, for whoever walks a plan from the top."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from firesteel.errors import PlanError
from firesteel.node import Node, children, drive, rebuild
from firesteel.plan.base import Rel, Rex
from firesteel.plan.rel import Equi, Join, JoinKey
from firesteel.plan.rex import Var
from firesteel.plan.schema import inputs, schema
from firesteel.plan.statement import Definition
from firesteel.source import Place, Span
from firesteel.types import Field, Schema

N = TypeVar("N", bound=Node)

#: A small plan with shared parts can stand for a huge one.
MAX_VISITS = 1_000_000


@dataclass(frozen=True, eq=False)
class Scope:
    """The columns of the row at hand, and the scope around it."""

    columns: Schema = ()
    outer: Scope | None = None
    #: Between the two rows of a join that has keys: how many of the columns are the left row's.
    split: int | None = None

    def at(self, depth: int) -> Scope | None:
        """The scope that is `depth` rows out."""
        scope: Scope | None = self
        while depth > 0 and scope is not None:
            scope, depth = scope.outer, depth - 1
        return scope

    def field(self, ordinal: int, depth: int = 0) -> Field | None:
        """The column that a variable refers to, if there is one."""
        scope = self.at(depth) if depth >= 0 else None
        return scope.columns[ordinal] if scope and 0 <= ordinal < len(scope.columns) else None


@dataclass(frozen=True, eq=False)
class Visit:
    """A node on the way down, with what it sees and how it was reached."""

    node: Node
    scope: Scope | None
    step: str
    parent: Visit | None

    @property
    def place(self) -> Span | Place:
        """Where the node was read from; for one that was built, its path from the root."""
        if self.node.where is not None:
            return self.node.where
        steps: list[str] = []
        visit: Visit | None = self
        while visit is not None:
            steps.append(visit.step)
            visit = visit.parent
        return Place(tuple(reversed(steps)))


def visits(root: Node, scope: Scope | None = None) -> Iterator[Visit]:
    """Every node with its scope, parents first; a node that is shared within one scope is visited once."""
    seen: dict[tuple[int, int], Scope | None] = {}  # the scopes stay alive, so that their ids stay theirs
    stack = [Visit(root, scope, root.tag or type(root).__name__.lower(), None)]
    while stack:
        visit = stack.pop()
        mark = (id(visit.node), id(visit.scope))
        if mark in seen:
            continue
        seen[mark] = visit.scope
        if len(seen) > MAX_VISITS:
            raise PlanError(f"the plan has more than {MAX_VISITS:,} nodes, counting shared ones wherever they are used")
        yield visit
        below = [
            Visit(child, inner, child.tag or type(child).__name__.lower(), visit)
            for child, inner in scoped_children(visit.node, visit.scope)
        ]
        stack.extend(reversed(below))


def scoped_children(node: Node, scope: Scope | None) -> list[tuple[Node, Scope | None]]:
    """The nodes below, each with the scope it has there. A definition's node has one only where it is used."""
    if isinstance(node, Definition):
        return []
    kids = children(node)
    if isinstance(node, JoinKey) and scope is not None and scope.split is not None:
        left = Scope(scope.columns[: scope.split], scope.outer)
        right = Scope(scope.columns[scope.split :], scope.outer)
        return [(node.left, left), (node.right, right)]
    if not isinstance(node, Rel | Rex):
        return [(kid, scope) for kid in kids]
    sources = [rel for rel in inputs(node) if isinstance(rel, Rel)]
    inner = Scope(tuple(f for rel in sources for f in schema(rel)), scope) if sources else scope
    if isinstance(node, Join):
        if isinstance(node.type, Equi) and inner is not None:
            inner = Scope(inner.columns, scope, split=len(schema(node.left)))
        beside = Scope(schema(node.left), scope) if node.lateral else scope
        return [(node.type, inner), (node.left, scope), (node.right, beside)]
    return [(kid, scope if isinstance(kid, Rel) else inner) for kid in kids]


# ---------------------------------------------------------------------------------------------------------------------
# Rows that a subtree looks at from outside


def _levels(node: Node, level: int) -> list[tuple[Node, int]]:
    """The nodes below, each with the number of rows between it and the root."""
    kids = children(node)
    if not isinstance(node, Rel | Rex) or not inputs(node):
        return [(kid, level) for kid in kids]
    if isinstance(node, Join):
        return [(node.type, level + 1), (node.left, level), (node.right, level + 1 if node.lateral else level)]
    return [(kid, level if isinstance(kid, Rel) else level + 1) for kid in kids]


def free_rows(root: Node) -> set[int]:
    """The rows around it that a subtree refers to: 0 is the one it stands in."""
    found: set[int] = set()
    seen: set[tuple[int, int]] = set()
    stack = [(root, 0)]
    while stack:
        node, level = stack.pop()
        if (id(node), level) in seen:
            continue
        seen.add((id(node), level))
        if isinstance(node, Var) and node.depth >= level:
            found.add(node.depth - level)
        stack.extend(_levels(node, level))
    return found


def shifted(root: N, by: int) -> N:
    """The subtree as it reads with so many rows more (or fewer) between it and the rows around it."""
    if by == 0:
        return root
    done: dict[tuple[int, int], Node] = {}

    def shift(node: Node, level: int) -> Any:
        known = done.get((id(node), level))
        return known if known is not None else one(node, level)

    def one(node: Node, level: int) -> Generator[tuple[Node, int], Any, Node]:
        kids = []
        for kid, below in _levels(node, level):
            kids.append((yield kid, below))
        made = rebuild(node, kids)
        if isinstance(made, Var) and made.depth >= level:
            made = made.replace(depth=made.depth + by)
        done[id(node), level] = made
        return made

    return cast(N, drive(shift, root, 0))
