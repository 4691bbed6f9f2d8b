"""Where the columns of a plan's rows are in the rows of its portable form.

A column of the plan that holds structs, such as the variable of a scan, is a cell of several columns, one for each
field. Any other column is one column.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.node import Node
from firesteel.plan import build

#: The place of a column, or the places of its fields by their names.
Cell = int | dict[str, int]

#: What a handler looks like to the type checker.
Translating = Generator[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class Columns:
    """A relation in its portable form, and where the columns of the plan's relation are in it."""

    rel: p.Rel
    cells: tuple[Cell, ...]

    def over(self, rel: p.Rel) -> Columns:
        """The same columns of another relation."""
        return Columns(rel, self.cells)

    def whole_columns(self) -> p.Rel:
        """The relation with one column for each cell."""
        if list(self.cells) == list(range(len(p.schema(self.rel)))):
            return self.rel
        row = Scope(self.rel, self.cells)
        return p.Project(tuple(row.value(i, 0) for i in range(len(self.cells))), self.rel)


@dataclass(frozen=True, eq=False)
class Scope:
    """The row that an expression sees, and those around it."""

    rel: p.Rel | None = None
    cells: tuple[Cell, ...] = ()
    outer: Scope | None = None
    types: tuple[t.Type, ...] = ()

    def at(self, depth: int) -> Scope:
        scope: Scope | None = self
        while depth > 0 and scope is not None:
            scope, depth = scope.outer, depth - 1
        if scope is None:
            raise PlanError("a variable of a row that is not there")
        return scope

    def column(self, place: int, depth: int) -> p.Rex:
        types = self.types or tuple([field.type for field in p.schema(self.rel)] if self.rel is not None else ())
        return p.Var(types[place], place, depth=depth)

    def value(self, ordinal: int, depth: int) -> p.Rex:
        """A column of the plan's row: a struct of its fields, if it is a cell of several columns."""
        if not 0 <= ordinal < len(self.cells):
            raise PlanError(f"no variable {ordinal}: the row has {len(self.cells)} columns")
        cell = self.cells[ordinal]
        if isinstance(cell, int):
            return self.column(cell, depth)
        return build.struct((name, self.column(place, depth)) for name, place in cell.items())


#: Around everything.
TOP = Scope()


def over(columns: Columns, outer: Scope) -> Scope:
    """The scope of an expression over a relation."""
    return Scope(columns.rel, columns.cells, outer)


class Portable:
    """One plan being put into its portable form."""

    def __init__(self, plan: p.Plan) -> None:
        self.plan = plan

    def dispatch(self, node: Node, scope: Scope) -> Any:
        """The columns of a relation, or the expression that another one is."""
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise refusal(node)
        return handler(self, node, scope)


def refusal(node: Node, why: str = "") -> UnsupportedError:
    """The error for what has no portable form."""
    what = node.tag or type(node).__name__
    said = f": {why}" if why else ""
    return UnsupportedError(f"'{what}' for a consumer of standard plans{said}", where=node.where)


Handler = Callable[[Portable, Any, Scope], Any]
H = TypeVar("H", bound=Handler)

#: How each class of nodes is put into its portable form.
HANDLERS: dict[type[Node], Handler] = {}


def portable(*classes: type[Node]) -> Callable[[H], H]:
    """Register the handler of some classes of nodes."""

    def register(handler: H) -> H:
        HANDLERS.update(dict.fromkeys(classes, handler))
        return handler

    return register
