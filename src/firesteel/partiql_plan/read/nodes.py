"""The generic reader: elements to nodes, by the forms of the nodes.

Other notations are rewritten to the canonical forms by `alternative_forms` first; references (`$3`, `$label`,
`($fn 0)`) are resolved in `references`. A method that needs the things below an element is a
generator that yields generators for them; `run` drives it, so that depth costs no Python stack.
"""

from __future__ import annotations

import enum
from collections.abc import Generator, Iterable, Sequence
from types import GeneratorType
from typing import Any

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.ion.element import Element, Kind
from firesteel.ion.values import to_value
from firesteel.node import Node, drive
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
    SlotShape,
    TypeRef,
    form,
    is_record,
    tags,
)
from firesteel.partiql_plan.read import alternative_forms
from firesteel.partiql_plan.read.complete_nodes import FnName, finish
from firesteel.partiql_plan.read.matching import (
    LEFT_OUT,
    Matched,
    Spot,
    did_you_mean,
    error,
    match,
    needs_extension,
    trail,
)
from firesteel.partiql_plan.read.references import References
from firesteel.partiql_plan.read.table_statements import TABLE_STATEMENTS
from firesteel.partiql_plan.read.trail import Trail
from firesteel.partiql_plan.read.types import TypeReader
from firesteel.plan import Capture, Constant, Fn, GlobalBinding, JoinType, PlanNode, Rel, Rex, Statement

Steps = Generator[Any, Any, Any]

#: How many nodes a document may stand for: a small one with labels can stand for a huge one.
MAX_NODES = 1_000_000

_NOUNS: dict[type[Node], str] = {
    Rex: "expression",
    Rel: "relation",
    PlanNode: "expression or relation",
    Fn: "function",
    JoinType: "type of join",
}


class Reader:
    """Reads nodes; what a document declares beside them is filled in by `document`."""

    def __init__(self, *, extensions: bool = False, max_nodes: int = MAX_NODES) -> None:
        self.extensions = extensions
        self.max_nodes = max_nodes
        self.count = 0
        self.types = TypeReader(self)
        self.references = References(self)
        self.globals: list[GlobalBinding] = []
        self.fns: list[Fn] = []
        #: Functions of imported headers: by name only, so that no document's ordinals depend on another document.
        self.imported_fns: list[Fn] = []
        self.constants: list[Constant] = []
        #: The columns of the tables that the statements read so far create.
        self.created: dict[str, t.Schema] = {}

    def run(self, shape: SlotShape, element: Element, spot: Spot) -> Any:
        """The value of an element, with everything below it."""
        return drive(lambda steps: steps, self.read(shape, element, spot))

    def read(self, shape: SlotShape, element: Element, spot: Spot) -> Any:
        """What stands in a place: at once, or as a generator if it has things below it."""
        if element is LEFT_OUT:
            return None
        match shape:
            case NodeOf(cls):
                return self.node(cls, element, spot)
            case TypeRef():
                return self.types.read(element, spot)
            case Scalar(type_):
                return self._scalar(type_, element, spot)
            case EnumSlot(choices):
                return self._choice(choices, element, spot)
            case AnyValue():
                return to_value(element)
            case Maybe(item):
                return None if element.is_null and not element.annotations else self.read(item, element, spot)
            case ArgumentSlot():
                return self._argument(element, spot)
            case OneOf(shapes):
                return self._one_of(shapes, element, spot)
            case Many(item):
                if element.kind is not Kind.SEXP:
                    raise error(f"{spot[1]} is a list in parentheses, not {_a(element)}", element, spot)
                return self._many(item, element.value, *spot[:2])
        raise TypeError(f"no reader for {shape}")

    # Nodes -----------------------------------------------------------------------------------------------------------

    def node(self, cls: type[Node], element: Element, spot: Spot) -> Any:
        """A node of a sort."""
        if element.annotations:
            labelled = self.references.inline(cls, element, spot)
            if labelled is not None:
                return labelled
        if is_record(cls):
            return self._record(cls, element, spot)
        if element.kind is Kind.SYMBOL:
            if cls is Fn and not element.value.startswith("$"):
                return FnName(element.value)
            return self.references.symbol(cls, element, spot)
        return self._tagged(cls, element, spot)

    def _record(self, cls: type[Any], element: Element, spot: Spot) -> Steps:
        if element.kind is not Kind.SEXP:
            raise error(f"this is {form(cls)}, not {_a(element)}", element, spot)
        place = trail(spot, element)
        matched = match(form(cls), element, place, self.extensions)
        values = yield from self.values(matched, place)
        return cls(**values, where=place)

    def _tagged(self, cls: type[Node], element: Element, spot: Spot) -> Steps:
        place = trail(spot, element)
        if element.head not in tags(cls):
            element = self.references.applied(element, place)
            if element.kind is Kind.SYMBOL:
                return (yield (self.node(cls, element, spot),))
            if element.head is None:
                raise PlanError(f"{_sort(cls)} is expected here, not {_a(element)}", where=place)
        ready = alternative_forms.canonical(self, cls, element, place)
        if not isinstance(ready, Element):
            return ready
        element, head = ready, str(ready.head)
        if cls is Statement and head in TABLE_STATEMENTS:
            made: Statement = yield (TABLE_STATEMENTS[head](self, element, spot),)
            return made.at(place)
        found = tags(cls).get(head)
        if found is None or (cls is PlanNode and not issubclass(found, Rex | Rel)):
            raise self._unknown(cls, head, place)
        place.tagged(head)
        if not self.extensions and vocabulary.node_is_extension(found):
            raise needs_extension(f"'{head}'", place)
        self.count += 1
        if self.count > self.max_nodes:
            raise PlanError(
                f"the document stands for more than {self.max_nodes:,} nodes",
                where=place,
                help="labels that are applied are copied every time; read(..., max_nodes=) allows more",
            )
        matched = match(form(found), element, place, self.extensions)
        said: Any = None
        if matched.schema is not None and matched.schema is not LEFT_OUT:
            said = yield (self._schema(matched.schema, place),)
        values = yield from self.values(matched, place)
        return finish(self, found, values, said, place)

    def values(self, matched: Matched, place: Trail) -> Steps:
        """The values of a node's fields, by name."""
        values: dict[str, Any] = {}
        for slot, given in matched.slots:
            value: Any
            if isinstance(given, tuple):
                assert isinstance(slot.shape, Many)
                value = self._many(slot.shape.item, given, place, slot.name)
            else:
                value = self.read(slot.shape, given, (place, slot.name, None))
            if type(value) is GeneratorType:
                value = yield (value,)
            values[slot.name] = value
        return values

    def _many(self, item: SlotShape, elements: Iterable[Element], place: Trail | None, name: str) -> Steps:
        values: list[Any] = []
        for index, element in enumerate(elements):
            value = self.read(item, element, (place, name, index))
            if type(value) is GeneratorType:
                value = yield (value,)
            values.append(value)
        return tuple(values)

    def _schema(self, element: Element, place: Trail) -> Steps:
        """Types, with the names of the columns as annotations."""
        if element.kind is not Kind.SEXP:
            where = Trail(place, "schema", None, element.span)
            raise PlanError(f"a schema is a list of types in parentheses, not {_a(element)}", where=where)
        columns: list[t.Field] = []
        for index, item in enumerate(element.value):
            type_ = self.types.read(item, (place, "schema", index))
            if type(type_) is GeneratorType:
                type_ = yield (type_,)
            named = item.kind is not Kind.INT and item.annotations
            columns.append(t.Field(item.annotations[0] if named else None, type_))
        return tuple(columns)

    def _unknown(self, cls: type[Node], head: str, place: Trail) -> PlanError | UnsupportedError:
        if cls is Statement and head in vocabulary.OUT_OF_SCOPE:
            return UnsupportedError(f"'{head}' statements are not supported: the document leaves them out", where=place)
        for sort in (Rex, Rel, Statement):
            if sort is not cls and head in tags(sort):
                return PlanError(f"{_sort(cls)} is expected here; '{head}' is {_sort(sort)}", where=place)
        known = [*tags(cls), *alternative_forms.heads(cls)]
        return PlanError(f"no {_noun(cls)} '{head}'", where=place, help=did_you_mean(head, known))

    # Smaller things --------------------------------------------------------------------------------------------------

    def _argument(self, element: Element, spot: Spot) -> Any:
        head = element.head
        if head in ("v", "t"):
            if len(element.tail) != 1:
                raise error(f"({head} ...) takes one argument, not {len(element.tail)}", element, spot)
            inner = element.tail[0]
            return self.types.read(inner, spot) if head == "t" else self.node(Rex, inner, spot)
        return self.types.read(element, spot) if head == "$type" else self.node(Rex, element, spot)

    def _one_of(self, shapes: Sequence[SlotShape], element: Element, spot: Spot) -> Any:
        for shape in shapes:
            if _looks_like(shape, element):
                return self.read(shape, element, spot)
        if all(isinstance(shape, NodeOf) for shape in shapes):
            known = [tag for shape in shapes if isinstance(shape, NodeOf) for tag in tags(shape.cls)]
            raise error(f"one of {', '.join(known)} is expected here, not {_a(element)}", element, spot)
        raise error(f"{_a(element)} cannot stand here", element, spot)

    def _scalar(self, type_: type, element: Element, spot: Spot) -> Any:
        if element.kind is Kind.SYMBOL:
            element = self.references.text(element)
        if element.kind not in _KINDS[type_]:
            raise error(f"{spot[1] or 'this'} is {_NAMES[type_]}, not {_a(element)}", element, spot)
        return element.value

    def _choice(self, choices: type[enum.Enum], element: Element, spot: Spot) -> enum.Enum:
        member = _member(choices, element)
        if member is None:
            listed = ", ".join(_listed(choices))
            raise error(f"no {spot[1]} {_shown(element)}", element, spot, help=f"it is one of {listed}")
        if not self.extensions and vocabulary.member_is_extension(member):
            raise needs_extension(f"the {spot[1]} {_shown(element)}", trail(spot, element))
        return member


_KINDS: dict[type, tuple[Kind, ...]] = {
    int: (Kind.INT,),
    bool: (Kind.BOOL,),
    float: (Kind.FLOAT, Kind.INT, Kind.DECIMAL),
    str: (Kind.SYMBOL, Kind.STRING),
}
_NAMES = {int: "an int", bool: "a bool", float: "a number", str: "a symbol or a string"}


def _member(choices: type[enum.Enum], element: Element) -> enum.Enum | None:
    """A member by its code, or by its name in any case; a capture's synonyms are that capture."""
    capture = choices is Capture
    if element.kind is Kind.INT and issubclass(choices, int):
        code = vocabulary.CAPTURE_SYNONYMS.get(element.value, element.value) if capture else element.value
        try:
            return choices(code) if code >= 0 else None
        except ValueError:
            return None
    if element.text is None:
        return None
    name = element.text.upper()
    return choices.__members__.get(name.removesuffix("_OUTER") if capture else name)


def _listed(choices: type[enum.Enum]) -> list[str]:
    names = [name.lower() for name in choices.__members__]
    return [f"{choices[name.upper()].value} {name}" for name in names] if issubclass(choices, int) else names


def _looks_like(shape: SlotShape, element: Element) -> bool:
    match shape:
        case NodeOf(cls):
            return element.head in tags(cls)
        case Scalar(type_):
            return element.kind in _KINDS[type_] and not (type_ is str and element.kind is Kind.SYMBOL)
        case TypeRef():
            return element.kind in (Kind.SEXP, Kind.SYMBOL)
    return False


def _sort(cls: type[Node]) -> str:
    """What a place is for, in an error."""
    noun = _noun(cls)
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _noun(cls: type[Node]) -> str:
    return _NOUNS.get(cls) or cls.__name__.lower()


def _shown(element: Element) -> str:
    return str(element.value) if element.kind is Kind.INT else f"'{element.text}'" if element.text else _a(element)


def _a(element: Element) -> str:
    """What an element is, in an error."""
    if element.is_null:
        return "null"
    if element.head is not None:
        return f"({element.head} ...)"
    if element.kind is Kind.SEXP:
        return "a list in parentheses" if element.value else "()"
    if element.text is not None:
        return f"the {element.kind.value} '{element.text}'"
    return f"{'an' if element.kind is Kind.INT else 'a'} {element.kind.value}"
