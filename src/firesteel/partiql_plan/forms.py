"""How a node is written, derived from how it is declared.

The document gives every node three groups of parameters: positional ones, named ones, and the tail, where the children
go. The form of a class is just that: its fields in these groups, each with the shape that its annotation asks for.
The reader, the writer and the tests' strategies all go by it, so that a new node needs none of them to be changed.
"""

from __future__ import annotations

import dataclasses
import enum
import types as python_types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin

from firesteel import types as t
from firesteel.node import Node, fields
from firesteel.plan import Rel, Rex, Statement

# ---------------------------------------------------------------------------------------------------------------------
# Shapes: what a parameter may be


@dataclass(frozen=True)
class SlotShape:
    """What an annotation says may stand in a place."""


@dataclass(frozen=True)
class Scalar(SlotShape):
    """An `int`, `str`, `bool` or `float`."""

    type: type


@dataclass(frozen=True)
class EnumSlot(SlotShape):
    """A member of an enumeration: by its code if it has one, else by name."""

    enum: type[enum.Enum]


@dataclass(frozen=True)
class AnyValue(SlotShape):
    """A PartiQL value."""


@dataclass(frozen=True)
class TypeRef(SlotShape):
    """A reference to a type."""


@dataclass(frozen=True)
class ArgumentSlot(SlotShape):
    """An argument of a function: `(v rex)` or `(t type)`."""


@dataclass(frozen=True)
class NodeOf(SlotShape):
    """A node of a sort: its tag says which. One without a tag is written as the bare list of its parameters."""

    cls: type[Node]


@dataclass(frozen=True)
class Many(SlotShape):
    """Any number of things of one shape."""

    item: SlotShape


@dataclass(frozen=True)
class Maybe(SlotShape):
    """A thing or nothing."""

    item: SlotShape


@dataclass(frozen=True)
class OneOf(SlotShape):
    """Any of several shapes, which are told apart by what they look like."""

    shapes: tuple[SlotShape, ...]


def shape_of(annotation: Any) -> SlotShape:
    """The shape that an annotation asks for."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return AnyValue()
    if origin in (Union, python_types.UnionType):
        if type(None) in args:
            return Maybe(_one_of([arg for arg in args if arg is not type(None)]))
        return _one_of(list(args))
    if origin is tuple and len(args) == 2 and args[1] is ...:
        return Many(shape_of(args[0]))
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return EnumSlot(annotation)
        if issubclass(annotation, t.Type):
            return TypeRef()
        if issubclass(annotation, Node):
            return NodeOf(annotation)
        if annotation in (int, str, bool, float):
            return Scalar(annotation)
    raise TypeError(f"no form for a field of type {annotation}")


def _one_of(alternatives: list[Any]) -> SlotShape:
    if set(alternatives) == {Rex, t.Type}:
        return ArgumentSlot()
    shapes = tuple(shape_of(alternative) for alternative in alternatives)
    return shapes[0] if len(shapes) == 1 else OneOf(shapes)


# ---------------------------------------------------------------------------------------------------------------------
# Forms: where the fields of a class go


@dataclass(frozen=True)
class Slot:
    """A parameter of a node."""

    name: str
    shape: SlotShape
    default: Any = dataclasses.MISSING

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING

    @property
    def skippable(self) -> bool:
        """The metasyntax's `<rex>?`: optional where it stands, and left out without a trace."""
        return self.required and isinstance(self.shape, Maybe)

    @property
    def variadic(self) -> bool:
        """A tail parameter that takes all that is left."""
        return isinstance(self.shape, Many)


@dataclass(frozen=True)
class Form:
    """`(tag schema positional... (named value)... tail...)`; only relations have a schema."""

    cls: type[Node]
    schema: bool
    positional: tuple[Slot, ...]
    named: dict[str, Slot]
    tail: tuple[Slot, ...]

    @property
    def tag(self) -> str:
        return self.cls.tag

    @property
    def in_order(self) -> tuple[Slot, ...]:
        """The positional parameters."""
        return self.positional + self.tail

    def __str__(self) -> str:
        """For an error: `(filter <schema> predicate input)`."""
        parts = [*([self.tag] if self.tag else []), *(["<schema>"] if self.schema else [])]
        parts += [slot.name if slot.required and not slot.skippable else f"{slot.name}?" for slot in self.positional]
        parts += [f"({name} ...)?" for name in self.named]
        parts += [f"{slot.name}*" if slot.variadic else slot.name for slot in self.tail]
        return f"({' '.join(parts)})"


#: Fields that are not parameters of their own: a relation's schema comes first, a type's flags are a union.
_ELSEWHERE: dict[type[Node], frozenset[str]] = {
    Rel: frozenset({"declared"}),
    t.Type: frozenset({"nullable", "missable"}),
}


def form(cls: type[Node]) -> Form:
    """The form of a class."""
    known = _FORMS.get(cls)
    if known is None:
        known = _FORMS[cls] = _derive(cls)
    return known


_FORMS: dict[type[Node], Form] = {}


def _derive(cls: type[Node]) -> Form:
    hidden = frozenset(name for base, names in _ELSEWHERE.items() if issubclass(cls, base) for name in names)
    slots = [
        (spec.named, Slot(spec.name, shape_of(spec.annotation), spec.default))
        for spec in fields(cls)
        if spec.name not in hidden
    ]
    positional = [slot for named, slot in slots if not named]
    tail: list[Slot] = []
    while positional and _is_child(cls, positional[-1].shape, not tail):
        tail.insert(0, positional.pop())
    named = {slot.name: slot for named, slot in slots if named}
    return Form(cls, issubclass(cls, Rel), tuple(positional), named, tuple(tail))


def _is_child(cls: type[Node], shape: SlotShape, last: bool) -> bool:
    """Inputs come last, and so does the expression of a statement: what grows downwards."""
    if isinstance(shape, Many):
        return last and _is_child(cls, shape.item, last)
    if not isinstance(shape, NodeOf):
        return False
    return issubclass(shape.cls, Rel) or (last and issubclass(cls, Statement) and issubclass(shape.cls, Rex))


def subclasses(cls: type[Node]) -> Iterator[type[Node]]:
    """A class and all below it."""
    yield cls
    for sub in cls.__subclasses__():
        yield from subclasses(sub)


def tags(cls: type[Node]) -> dict[str, type[Node]]:
    """The nodes of a sort, by tag."""
    if _BY_TAG.get(cls, (0,))[0] != Node.class_count:
        _BY_TAG[cls] = (Node.class_count, {sub.tag: sub for sub in subclasses(cls) if sub.tag})
    return _BY_TAG[cls][1]


#: By sort: how many classes there were when the table was made, and the table.
_BY_TAG: dict[type[Node], tuple[int, dict[str, type[Node]]]] = {}


def is_record(cls: type[Node]) -> bool:
    """Written without a tag: there is only one thing that it can be."""
    return not tags(cls)
