"""Visible names: a frame for every row, innermost first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.partiql import ast
from firesteel.source import Place, Span

if TYPE_CHECKING:
    from firesteel.partiql.lower.grouping import Grouping, Windows


#: An item of a select list: what it is called, and what it is.
Item = tuple[str, ast.Expr]


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
class NameFrame:
    """The names of one row, in order."""

    bindings: list[Binding] = field(default_factory=list)
    width: int = 0
    #: After GROUP BY: the keys and the aggregates that expressions may refer to.
    grouping: Grouping | None = None
    #: Window calls that expressions ask for; they become columns behind the row's own.
    windows: Windows | None = None
    #: Of a row that a query gave: the expressions of its select list, each with what it is in the row.
    written: list[tuple[ast.Ast, p.Rex]] = field(default_factory=list)
    #: Of such a row: the names that the query ranged over, which are no longer there.
    hidden: tuple[str, ...] = ()

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

    def hides(self, name: str, quoted: bool) -> bool:
        """Did the rows before GROUP BY (or of the inner query) have the name?"""
        if self.grouping is not None:
            return self.grouping.before.frame.find(name, quoted) is not None
        return any(_same(hidden, name, quoted) for hidden in self.hidden)


@dataclass(frozen=True)
class NameScope:
    """A frame and what is around it. `queries` are the names that WITH gives, each with the depth it was made at."""

    frame: NameFrame
    outer: NameScope | None = None
    queries: dict[str, tuple[p.Rex, int]] = field(default_factory=dict)
    #: In ORDER BY: what the select list calls its items, and that a name which stands for nothing is an error.
    items: tuple[Item, ...] = ()
    ordering: bool = False

    @property
    def without_items(self) -> NameScope:
        """This scope as the items of the select list see it."""
        return replace(self, items=())

    def item(self, var: ast.Var) -> ast.Expr | None:
        """The item of the select list that has the name."""
        found = [item for item in self.items if item[0] == var.name] or [
            item for item in self.items if _same(item[0], var.name, var.quoted)
        ]
        if len({fold_case(expr) for _, expr in found}) > 1:
            raise AnalysisError(
                f"'{var.name}' is ambiguous: the select list has it {len(found)} times",
                where=var.where,
                help="give each an alias of its own",
            )
        return found[0][1] if found else None

    @property
    def known(self) -> list[str]:
        """The names of all variables."""
        return [binding.name for _, frame in self.frames() for binding in frame.bindings]

    def hidden(self, name: str, quoted: bool) -> bool:
        """Is it a name that GROUP BY or a set operator has hidden, and that nothing further in has?"""
        for _, frame in self.frames():
            if frame.find(name, quoted) is not None:
                return False
            if frame.hides(name, quoted):
                return True
        return False

    def inner(self, frame: NameFrame) -> NameScope:
        """The scope of a row inside this one."""
        return NameScope(frame, self, self.queries)

    @cached_property
    def depth(self) -> int:
        """The number of rows around."""
        depth, outer = 0, self.outer
        while outer is not None:
            depth, outer = depth + 1, outer.outer
        return depth

    def frames(self) -> Iterator[tuple[int, NameFrame]]:
        """Depth and frame, from the innermost out."""
        scope: NameScope | None = self
        depth = 0
        while scope is not None:
            yield depth, scope.frame
            scope, depth = scope.outer, depth + 1

    def variable(self, name: str, quoted: bool) -> p.Var | None:
        """The variable of that name, the innermost one. Most names are looked for in every row around: a loop without
        calls keeps that cheap if queries nest deep."""
        wanted = name.lower()
        depth, scope = 0, self
        while True:
            for binding in scope.frame.bindings:
                if binding.lower == wanted:
                    found = scope.frame.find(name, quoted)
                    if found is not None:
                        return p.Var(found.type, found.ordinal, depth=depth)
                    break
            if scope.outer is None:
                return None
            depth, scope = depth + 1, scope.outer


def has_field(struct: t.Struct, name: str, quoted: bool) -> bool:
    """Does the type list an attribute of that name?"""
    return any(f.name == name or (not quoted and (f.name or "").lower() == name.lower()) for f in struct.fields)


def _same(known: str, name: str, quoted: bool) -> bool:
    return known == name if quoted else known.lower() == name.lower()


def unseen_error(behind: str, where: Span | Place | None) -> AnalysisError:
    """The error for a name that ORDER BY cannot see."""
    span = where.span if isinstance(where, Place) else where
    what = f"'{span.text}'" if span is not None else "a variable"
    help_ = "order by what the select list gives: by its name, or as it is written there"
    return AnalysisError(f"ORDER BY after {behind} does not see {what}", where=where, help=help_)


def fold_case(node: ast.Ast) -> ast.Ast:
    """The tree with unquoted names in lower case, so that `A` and `a` compare equal."""
    from firesteel.node import Node, transform

    def one(part: Node) -> Node:
        if isinstance(part, ast.Var | ast.Field) and not part.quoted:
            return part.replace(name=part.name.lower())
        return part

    return transform(node, one)


def default_name(node: ast.Ast) -> str | None:
    """The name that an expression has by itself: of a variable, or of the last attribute of a path."""
    match node:
        case ast.Var(name=name):
            return name
        case ast.Cast(value=value):
            return default_name(value)
        case ast.Path(steps=steps) if isinstance(steps[-1], ast.Field):
            return steps[-1].name
        case ast.Path(steps=steps) if isinstance(steps[-1], ast.Index):
            key = steps[-1].key
            return key.value if isinstance(key, ast.Lit) and isinstance(key.value, str) else None
        case _:
            return None
