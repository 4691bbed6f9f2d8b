"""What reading a frame carries along: the columns at hand, where they come from, and the tables that were met."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.node import children, drive, rebuild
from firesteel.plan import build

#: A generator that asks for what it needs (`node.drive`).
Reading = Generator[Any, Any, Any]


@dataclass(eq=False)
class Column:
    """A column of a frame. It is the same object in all frames that pass it on, so that `df["x"]` is found again."""

    name: str
    qualifier: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """A relation, and its columns by name."""

    rel: p.Rel
    columns: tuple[Column, ...]
    #: Of a projection: the frame below, whose columns a filter or a sort above may still name.
    hidden: Frame | None = None

    def var(self, ordinal: int) -> p.Var:
        return build.column(self.rel, ordinal)

    def over(self, rel: p.Rel) -> Frame:
        """Another relation with the same columns."""
        return Frame(rel, self.columns)

    def project(self, exprs: Iterable[p.Rex], columns: Sequence[Column]) -> Frame:
        """A projection of the relation, or the relation itself if nothing changes."""
        made = tuple(exprs)
        names = tuple(one.name for one in columns)
        known = tuple(one.name for one in self.columns)
        if names == known and all(one == self.var(i) for i, one in enumerate(made)):
            return Frame(self.rel, tuple(columns))
        return Frame(p.Project(made, self.rel, names=names), tuple(columns))

    def pick(self, ordinals: Iterable[int]) -> Frame:
        """Some of the columns."""
        kept = list(ordinals)
        return self.project([self.var(i) for i in kept], [self.columns[i] for i in kept])

    def named(self, name: str) -> list[int]:
        """The places of the columns of that name, in any case."""
        return [i for i, one in enumerate(self.columns) if one.name.lower() == name.lower()]


#: What a frame says of a table: Spark's schema of it, by its name or by the message that reads it.
Schemas = Callable[[Any], Any]


@dataclass
class Reader:
    """The tables of the plan, and the columns of each part of the frame, by the number that Spark gave the part."""

    schema_of: Schemas
    globals: list[p.GlobalBinding] = field(default_factory=list)
    origins: dict[int, list[tuple[Column, ...]]] = field(default_factory=dict)

    def bind(self, binding: p.GlobalBinding) -> p.Global:
        if binding not in self.globals:
            self.globals.append(binding)
        return p.Global(binding.type, self.globals.index(binding))


@dataclass(frozen=True)
class Scope:
    """What an expression sees: the columns of a frame, and the parameters of the lambdas around it."""

    frame: Frame
    #: Aggregates and window calls that were met: each stands for a column behind those of the frame. None: not allowed.
    aggs: list[p.Agg] | None = None
    calls: list[p.WindowCall] | None = None
    #: The parameters of lambdas: type, place, and how many lambdas are around it.
    variables: dict[str, tuple[t.Type, int, int]] = field(default_factory=dict)
    level: int = 0

    def inside(self, parameters: Sequence[tuple[str, t.Type]]) -> Scope:
        """The scope of a lambda's body."""
        inner = self.level + 1
        known = {name: (type_, i, inner) for i, (name, type_) in enumerate(parameters)}
        return replace(self, aggs=None, calls=None, variables={**self.variables, **known}, level=inner)

    def plain(self) -> Scope:
        """The scope of an argument of an aggregate or a window call."""
        return replace(self, aggs=None, calls=None)

    def column(self, ordinal: int) -> p.Var:
        return build.column(self.frame.rel, ordinal, self.level)

    def behind(self, made: list[Any], one: Any) -> p.Var:
        """The column that an aggregate or window call stands for."""
        if one not in made:
            made.append(one)
        return p.Var(one.type, len(self.frame.columns) + made.index(one))


def replaced(rex: p.Rex, found: Callable[[Any], p.Rex | None]) -> p.Rex:
    """The expression with what is found for the first of its parts, from above, in place of them."""

    def dispatch(node: Any) -> Any:
        made = found(node)
        return made if made is not None else node if isinstance(node, t.Type) else _rebuilt(node)

    def _rebuilt(node: Any) -> Reading:
        kids = []
        for one in children(node):
            kids.append((yield (one,)))
        return rebuild(node, kids)

    made: p.Rex = drive(dispatch, rex)
    return made


def refuse(what: str, help_: str | None = None) -> UnsupportedError:
    return UnsupportedError(f"a plan of {what} of Spark", help=help_)


def places(reader: Reader, frame: Frame, identifier: str, plan_id: int | None = None) -> tuple[int, list[str]]:
    """The column that an identifier means, and the fields inside of it."""
    parts = split_identifier(identifier)
    found: list[tuple[int, list[str]]] = []
    for i, one in enumerate(frame.columns):
        for k, name in enumerate(parts):
            qualifier = tuple(part.lower() for part in parts[:k])
            fits = not k or tuple(part.lower() for part in one.qualifier[-k:]) == qualifier
            if fits and name.lower() == one.name.lower():
                found.append((i, parts[k + 1 :]))
                break
    if plan_id is not None and plan_id in reader.origins:
        known = {id(one) for columns in reader.origins[plan_id] for one in columns}
        found = [one for one in found if id(frame.columns[one[0]]) in known]
    if len(found) > 1:
        raise PlanError(f"the column '{identifier}' is ambiguous", help="give the frames aliases: df.alias('a')")
    if not found:
        there = ", ".join(one.name for one in frame.columns[:12])
        raise PlanError(f"no column '{identifier}'", help=f"there are {there}" if there else None)
    return found[0]


def split_identifier(text: str) -> list[str]:
    """The parts of `a.b` and of `` `a.b`.c ``; a backtick is doubled inside of backticks."""
    parts, part, quoted, i = list[str](), "", False, 0
    while i < len(text):
        char = text[i]
        if char == "`" and quoted and text[i + 1 : i + 2] == "`":
            part, i = part + "`", i + 1
        elif char == "`":
            quoted = not quoted
        elif char == "." and not quoted:
            parts.append(part)
            part = ""
        else:
            part += char
        i += 1
    return [*parts, part]
