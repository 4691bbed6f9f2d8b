"""The generic writer: nodes to elements, by their forms. As in the reader, what has things below it is a generator."""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator, Iterable
from types import GeneratorType
from typing import Any

from firesteel import types as t
from firesteel.ion import Element, Kind, bool_, float_, form, from_value, int_, null, sexp, string, sym
from firesteel.node import Node, canonical
from firesteel.partiql_plan import vocabulary
from firesteel.partiql_plan.forms import (
    AnyValue,
    ArgumentSlot,
    EnumSlot,
    Many,
    Maybe,
    NodeOf,
    OneOf,
    Scalar,
    Slot,
    SlotShape,
    TypeRef,
)
from firesteel.partiql_plan.forms import form as form_of

Steps = Generator[Any, Any, Any]

#: Where the document writes a name as a symbol; elsewhere it is a string.
_SYMBOLS = frozenset(
    {("fn", "name"), ("GlobalBinding", "path"), ("create_view", "columns"), ("Field", "name"), ("interval", "unit")}
)

#: Where the document names a positional parameter.
_ANNOTATED = frozenset({("fn", "returns")})


class FormWriter:
    """Writes nodes by their forms. Types are written as `refer` says; the plan's writer adds what is special."""

    def __init__(self, refer: Callable[[t.Type], Element]) -> None:
        self.refer = refer
        #: Has anything been written that goes beyond the document?
        self.extended = False

    def write(self, shape: SlotShape, value: Any, symbol: bool = False) -> Any:
        """The element of a value: at once, or as a generator."""
        if value is None and not isinstance(shape, AnyValue):
            return null()
        match shape:
            case NodeOf():
                return self.node(value)
            case TypeRef():
                return self.refer(value)
            case Scalar(type_):
                return sym(value) if symbol else _SCALARS[type_](value)
            case EnumSlot():
                return self._member(value)
            case AnyValue():
                return from_value(value)
            case Maybe(item):
                return self.write(item, value, symbol)
            case ArgumentSlot():
                return form("t", self.refer(value)) if isinstance(value, t.Type) else self._argument(value)
            case OneOf(shapes):
                return self.write(_which(shapes, value), value)
            case Many(item):
                return self._many(item, value, symbol)
        raise TypeError(f"no writer for {shape}")

    def node(self, node: Node) -> Any:
        """A node as its form says."""
        return self.form(node)

    def form(self, node: Node, *lead: Element, without: Iterable[str] = (), always: Iterable[str] = ()) -> Steps:
        """`(tag lead... positional... (named value)... tail...)`."""
        cls = type(node)
        shape = form_of(cls)
        self.extended |= vocabulary.node_is_extension(cls)
        items: list[Element] = [*([sym(shape.tag)] if shape.tag else []), *lead]
        for slot in _spoken(node, shape.positional, bool(shape.tail)):
            item = self._part(node, slot)
            if type(item) is GeneratorType:
                item = yield (item,)
            items.append(item.annotate(slot.name) if (cls.tag, slot.name) in _ANNOTATED else item)
        for name, slot in shape.named.items():
            if name in without or (name not in always and is_default(node, slot)):
                continue
            self.extended |= vocabulary.parameter_is_extension(cls, name)
            item = self._part(node, slot)
            if type(item) is GeneratorType:
                item = yield (item,)
            items.append(form(name, *(item.value if slot.variadic else (item,))))
        for slot in shape.tail:
            item = self._part(node, slot)
            if type(item) is GeneratorType:
                item = yield (item,)
            items.extend(item.value if slot.variadic else (item,))
        return Element(Kind.SEXP, tuple(items))

    def _part(self, node: Node, slot: Slot) -> Any:
        symbol = (node.tag or type(node).__name__, slot.name) in _SYMBOLS
        return self.write(slot.shape, getattr(node, slot.name), symbol)

    def _many(self, item: SlotShape, values: Iterable[Any], symbol: bool) -> Steps:
        elements: list[Element] = []
        for value in values:
            element = self.write(item, value, symbol)
            if type(element) is GeneratorType:
                element = yield (element,)
            elements.append(element)
        return sexp(*elements)

    def _argument(self, value: Node) -> Steps:
        element = self.node(value)
        if type(element) is GeneratorType:
            element = yield (element,)
        return form("v", element)

    def _member(self, member: enum.Enum) -> Element:
        self.extended |= vocabulary.member_is_extension(member)
        return int_(member.value) if isinstance(member, int) else sym(member.name.lower())


_SCALARS: dict[type, Callable[[Any], Element]] = {int: int_, bool: bool_, float: float_, str: string}


def is_default(node: Node, slot: Slot) -> bool:
    """May this parameter be omitted?"""
    if slot.required:
        return False
    value = getattr(node, slot.name)
    return value is slot.default or canonical(value) == canonical(slot.default)


def _spoken(node: Node, slots: tuple[Slot, ...], followed: bool) -> list[Slot]:
    """The positional parameters that are written: not those that may be skipped, nor defaults at the end."""
    said = [slot for slot in slots if getattr(node, slot.name) is not None or not slot.skippable]
    while said and not followed and is_default(node, said[-1]):
        said.pop()
    return said


def _which(shapes: tuple[SlotShape, ...], value: Any) -> SlotShape:
    """The shape that a value has, of several."""
    for shape in shapes:
        match shape:
            case NodeOf(cls) if isinstance(value, cls):
                return shape
            case TypeRef() if isinstance(value, t.Type):
                return shape
            case Scalar(type_) if type(value) is type_:
                return shape
    raise TypeError(f"no form for {value!r} here")
