"""Names of columns, and of the fields of structs inside them: Substrait lists them depth first, beside the types.

Inside a plan columns go by ordinals. A struct inside a column has the fields `_1`, `_2`, … unless it was read from data
that names them. `root_names` and `named_schema` put the listed names on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.node import drive
from firesteel.plan import build
from firesteel.plan.fit import rename_fields
from firesteel.rules import NameRule
from firesteel.source import Place
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type


def named_schema(message: Message, extensions: Extensions) -> t.Schema:
    """The columns of a `NamedStruct`: its names go to columns and to the fields of structs inside them, depth first."""
    types = [read_type(one, extensions) for one in message.struct.types]
    return _named_all(types, _Names(message.names, message.where, NameRule.SCHEMA_NAMES))


def root_names(rel: p.Rel, names: Sequence[str], where: Place) -> tuple[p.Rel, tuple[str, ...]]:
    """The names of a root's columns, and the relation with the remaining names put on the fields inside its columns."""
    types = [column.type for column in p.schema(rel)]
    if len(names) == len(types):  # some producers name only the columns, and then names inside stay as they are
        return rel, tuple(names)
    fields = _named_all(types, _Names(names, where, NameRule.ROOT_NAMES))
    exprs = [rename_fields(build.column(rel, i), field.type) for i, field in enumerate(fields)]
    if any(not isinstance(expr, p.Var) for expr in exprs):
        rel = p.Project(tuple(exprs), rel).at(where)
    return rel, tuple(field.name or "" for field in fields)


def depth_first(types: Sequence[t.Type], names: Sequence[str], where: Place) -> list[str]:
    """Names that a write lists breadth first (the columns, then the fields of the structs in them, then those inside of
    these), in the order of all other lists."""
    if len(names) <= len(types):
        return list(names)
    supply = _Names(names, where, NameRule.WRITE_NAMES)
    top: list[_Named] = [_Named(type_) for type_ in types]
    waiting = list(top)
    while waiting:
        here = waiting.pop(0)
        here.name = supply.next()
        here.inner = [_Named(type_) for type_ in _fields_inside(here.type)]
        waiting.extend(here.inner)
    supply.end()
    found: list[str] = []
    stack = top[::-1]
    while stack:
        here = stack.pop()
        found.append(here.name)
        stack.extend(here.inner[::-1])
    return found


class _Named:
    """A column or a field that gets a name."""

    def __init__(self, type_: t.Type) -> None:
        self.type, self.name = type_, ""
        self.inner: list[_Named] = []


def _fields_inside(type_: t.Type) -> list[t.Type]:
    """The types of the fields of the struct that a type is or has inside of lists and maps."""
    waiting: list[t.Type] = [type_]
    found: list[t.Type] = []
    while waiting:
        here = waiting.pop(0)
        match here:
            case t.Struct():
                found.extend(field.type for field in here.fields)
            case t.Array():
                waiting.append(here.element)
            case t.Map():
                waiting.extend((here.key, here.value))
    return found


class _Names:
    """A list of names that are given one after the other, all of them and no more."""

    def __init__(self, names: Sequence[str], where: Place, rule: NameRule) -> None:
        self._names, self._where, self._rule = names, where, rule
        self._given = 0

    def next(self) -> str:
        if self._given == len(self._names):
            raise self._rule.broken("there are fewer names than columns and fields", where=self._where)
        self._given += 1
        return self._names[self._given - 1]

    def end(self) -> None:
        """Ensure that no name is left."""
        if self._given < len(self._names):
            message = f"{len(self._names)} names, where there are {self._given} columns and fields"
            raise self._rule.broken(message, where=self._where)


def _named_all(types: Sequence[t.Type], names: _Names) -> t.Schema:
    fields = []
    for type_ in types:
        name = names.next()
        fields.append(t.Field(name, drive(_naming, type_, names)))
    names.end()
    return tuple(fields)


def _naming(type_: t.Type, names: _Names) -> t.Type | Generator[Any, Any, t.Type]:
    return _naming_nested(type_, names) if isinstance(type_, t.Struct | t.Array | t.Map) else type_


def _naming_nested(type_: t.Type, names: _Names) -> Generator[Any, Any, t.Type]:
    match type_:
        case t.Struct():
            fields = []
            for one in type_.fields:
                name = names.next()
                fields.append(t.Field(name, (yield one.type, names)))
            return type_.replace(fields=tuple(fields))
        case t.Array():
            return type_.replace(element=(yield type_.element, names))
        case t.Map():
            key = yield type_.key, names
            return type_.replace(key=key, value=(yield type_.value, names))
    raise AssertionError(type_)


def in_any_case(path: p.Path) -> p.Path:
    """A path into a table that is not known yet. Its names may differ in case from those that the plan declares, so
    steps match in any case, unless two declared fields differ only in case."""
    type_, steps = path.root.type, list[p.Step]()
    for step in path.steps:
        name = step.key.value if isinstance(step, p.Key) and isinstance(step.key, p.Lit) else None
        if isinstance(type_, t.Struct) and isinstance(name, str):
            if sum((field.name or "").lower() == name.lower() for field in type_.fields) == 1:
                step = step.replace(key=p.Lit(t.SYMBOL, name))
            type_ = type_.field(name) or t.ANY
        else:
            type_ = t.ANY
        steps.append(step)
    return path.replace(steps=tuple(steps))
