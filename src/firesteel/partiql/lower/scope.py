"""What names are in sight: a frame for every row, innermost first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel import types as t
from firesteel.partiql import ast

if TYPE_CHECKING:
    from firesteel.partiql.lower.grouping import Grouping, Windows


@dataclass(frozen=True)
class Binding:
    """A name of a frame. `role` says where it comes from: `as`, `at`, `by`, `let`, `key`."""

    name: str
    ordinal: int
    type: t.Type
    role: str = "as"

    @cached_property
    def lower(self) -> str:
        return self.name.lower()


@dataclass
class Frame:
    """The names of one row, in order."""

    bindings: list[Binding] = field(default_factory=list)
    width: int = 0
    #: After GROUP BY: the keys and the aggregates that expressions may refer to.
    grouping: Grouping | None = None
    #: Window calls that expressions ask for; they become columns behind the row's own.
    windows: Windows | None = None

    def add(self, name: str, type_: t.Type, role: str = "as") -> None:
        """Name the next column."""
        self.bindings.append(Binding(name, self.width, type_, role))
        self.width += 1

    def skip(self) -> None:
        """Leave the next column without a name."""
        self.width += 1

    def alike(self, name: str) -> list[Binding]:
        """The bindings of that name, in any case."""
        wanted = name.lower()
        return [b for b in self.bindings if b.lower == wanted]

    def find(self, name: str, quoted: bool) -> Binding | None:
        """The exact name if there is one; else, unless it was quoted, one that differs only in case."""
        alike = self.alike(name)
        if not alike:
            return None
        return next((b for b in alike if b.name == name), None if quoted else alike[0])


@dataclass(frozen=True)
class Scope:
    """A frame and what is around it. `queries` are the names that WITH gives, each with the depth it was made at."""

    frame: Frame
    outer: Scope | None = None
    queries: dict[str, tuple[p.Rex, int]] = field(default_factory=dict)

    def inner(self, frame: Frame) -> Scope:
        """The scope of a row inside this one."""
        return Scope(frame, self, self.queries)

    @property
    def depth(self) -> int:
        """The number of rows around."""
        return sum(1 for _ in self.frames()) - 1

    def frames(self) -> Iterator[tuple[int, Frame]]:
        """Depth and frame, from the innermost out."""
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            yield depth, scope.frame
            scope, depth = scope.outer, depth + 1

    def variable(self, name: str, quoted: bool) -> p.Var | None:
        """The variable of that name, the innermost one."""
        for depth, frame in self.frames():
            found = frame.find(name, quoted)
            if found is not None:
                return p.Var(found.type, found.ordinal, depth=depth)
        return None


def folded(node: ast.Ast) -> ast.Ast:
    """The tree with what matches in any case in one case: two ways to write a name become equal."""
    from firesteel.node import Node, transform

    def one(part: Node) -> Node:
        if isinstance(part, ast.Var | ast.Field) and not part.quoted:
            return part.replace(name=part.name.lower())
        return part

    return transform(node, one)
