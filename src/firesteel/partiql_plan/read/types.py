"""Types in a document: references to the built-in ones and to those of its `(types ...)` block, or spelt out."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.ion.element import Element, Kind
from firesteel.node import Node, children, fold
from firesteel.partiql_plan.builtin import BUILTIN, BY_NAME, proper_name
from firesteel.partiql_plan.forms import form, tags
from firesteel.partiql_plan.read.matching import Spot, did_you_mean, error, match, trail
from firesteel.partiql_plan.read.trail import Trail

if TYPE_CHECKING:
    from firesteel.partiql_plan.read.nodes import Reader

Steps = Generator[Any, Any, Any]

#: The head of a reference, and how the document's second whole plan has it.
_HEADS = ("$type", "$ype")


class TypeReader:
    """Reads types. `ordinals` are counted over the built-in types, where they are imported, and then the block's."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._builtin: tuple[t.Type, ...] = BUILTIN
        self._elements: list[Element] = []
        self._types: dict[int, t.Type] = {}
        self._open: set[int] = set()  # the block's types that are being read
        #: Types of imported headers, by name.
        self.imported: dict[str, t.Type] = {}

    def declare(self, elements: Sequence[Element], *, builtin: bool) -> None:
        """Take over a document's `(types ...)` block."""
        self._builtin = BUILTIN if builtin else ()
        self._elements = list(elements)

    def declared(self, place: Trail) -> Steps:
        """The types of the block, in order."""
        found: list[t.Type] = []
        for index in range(len(self._elements)):
            found.append((yield (self._entry(index, place),)))
        return tuple(found)

    # References ------------------------------------------------------------------------------------------------------

    def read(self, element: Element, spot: Spot) -> Any:
        """A type: at once, or as a generator."""
        if element.kind is Kind.SEXP and element.head in _HEADS:
            if len(element.tail) != 1:
                raise error(f"($type ...) takes one ordinal or name, not {len(element.tail)}", element, spot)
            element = element.tail[0]
        if element.kind is Kind.INT:
            return self._ordinal(element, spot)
        if element.kind is Kind.SYMBOL:
            return self.by_name(element.value)
        if element.is_null:
            return t.NULL
        if element.kind is Kind.SEXP and element.value:
            return self.definition(element, trail(spot, element))
        raise error(
            f"a type is expected here, not a {element.kind.value}",
            element,
            spot,
            help="such as ($type int::5) or (int)",
        )

    def by_name(self, name: str) -> t.Type:
        """The type of a name; one that nobody knows stays a name."""
        proper = proper_name(name)
        return BY_NAME.get(proper) or self.imported.get(name) or t.Unresolved(name)

    def _ordinal(self, element: Element, spot: Spot) -> Any:
        """The type of an ordinal, unless it is annotated with the name of another: then the name decides."""
        ordinal = element.value
        said = proper_name(element.annotations[0]) if element.annotations else None
        known = said is not None and (said in BY_NAME or said in self.imported)
        if 0 <= ordinal < len(self._builtin):
            found = self._builtin[ordinal]
            return found if said is None or said == found.tag or not known else self.by_name(said)
        index = ordinal - len(self._builtin)
        own = _name(self._elements[index]) if 0 <= index < len(self._elements) else None
        if own is not None and (said in (None, own) or not known):
            return self._types[index] if index in self._types else self._entry(index, trail(spot, element))
        return self.by_name(said if said is not None else str(ordinal))

    def _entry(self, index: int, place: Trail) -> Steps:
        """A type of the block; they may refer to each other in any order, but not in a circle."""
        if index in self._types:
            return self._types[index]
        if index in self._open:
            raise PlanError(f"type {index + len(self._builtin)} refers to itself", where=place)
        self._open.add(index)
        element = self._elements[index]
        type_ = yield (self.definition(element, Trail(None, "types", index, element.span)),)
        self._open.discard(index)
        self._types[index] = type_
        return type_

    # Definitions -----------------------------------------------------------------------------------------------------

    def definition(self, element: Element, place: Trail) -> Any:
        """A type that is spelt out: `(decimal 38 2)`, `(bag ($type int::5))`, `(union name members...)`."""
        head = element.head
        if is_null(element):
            return t.NULL
        if head is None:
            raise PlanError("a type is expected here", where=place, help="such as (int) or (decimal 38 2)")
        if head == "union":
            return self._union(element, place)
        cls = tags(t.Type).get(proper_name(head))
        if cls is not None and head != "unresolved" and not element.tail:
            return BY_NAME.get(cls.tag) or self._generic(cls, element, place)
        if cls is not None:
            return self._generic(cls, element, place)
        if head in self.imported:
            return self._imported(head, element, place)
        raise PlanError(f"no type '{head}'", where=place, help=did_you_mean(head, [*tags(t.Type), *self.imported]))

    def _generic(self, cls: type[Any], element: Element, place: Trail) -> Steps:
        values = yield from self._reader.values(match(form(cls), element, place, True), place)
        return self._bounded(cls(**values), place)

    def _bounded(self, type_: t.Type, place: Trail) -> t.Type:
        """A few types that refer to each other can stand for a huge one, which nobody could print."""
        if _size(type_) > self._reader.max_nodes:
            raise PlanError(f"the type stands for more than {self._reader.max_nodes:,} types", where=place)
        return type_

    def _union(self, element: Element, place: Trail) -> Steps:
        """`(union name members...)`; the members may also stand in a list of their own."""
        if not element.tail or element.tail[0].text is None:
            raise PlanError("a union has a name and members", where=place, help="(union number int::5 decimal::3)")
        members = element.tail[1:]
        if len(members) == 1 and members[0].kind is Kind.SEXP and members[0].head is None:
            members = members[0].value
        found: list[t.Type] = []
        for index, member in enumerate(members):
            type_ = t.ANY if member.is_symbol("*") else self.read(member, (place, "members", index))
            if type(type_) is GeneratorType:
                type_ = yield (type_,)
            found.append(type_)
        return self._bounded(t.union(found), place)

    def _imported(self, name: str, element: Element, place: Trail) -> Steps:
        """A header's type, with parameters."""
        base = self.imported[name]
        if not element.tail:
            return base
        if not isinstance(base, t.UserDefined):
            raise PlanError(f"the type '{name}' takes no parameters", where=place)
        shape = next(slot.shape for slot in form(t.UserDefined).positional if slot.name == "parameters")
        inner = Element(Kind.SEXP, element.tail, (), element.span)
        parameters = yield (self._reader.read(shape, inner, (place, "parameters", None)),)
        return base.replace(parameters=parameters)


def is_null(element: Element) -> bool:
    """`(null)`: Ion reads the name of this type as the null value."""
    return element.kind is Kind.SEXP and len(element.value) == 1 and element.value[0].is_null


def _size(type_: t.Type) -> int:
    """How many types a type is made of, counting one as often as it occurs. Remembered with the type."""

    def one(node: Node, below: list[int]) -> int:
        known: int = vars(node).setdefault("_size", 1 + sum(below))
        return known

    return fold(type_, one, below=lambda node: [] if "_size" in vars(node) else children(node))


def _name(element: Element) -> str:
    """The name of a type in the block."""
    if element.head == "union" and element.tail:
        return element.tail[0].text or ""
    return "null" if is_null(element) else proper_name(element.head or "")
