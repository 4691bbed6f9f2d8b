"""The sections of a document: sorted out, then read in the order in which they depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from firesteel.errors import PlanError
from firesteel.ion import Element, Kind, to_value
from firesteel.ion.notation import READERS
from firesteel.node import Node
from firesteel.partiql_plan.builtin import CONSTANTS, UNIONS
from firesteel.partiql_plan.forms import NodeOf, form, tags
from firesteel.partiql_plan.header import Header
from firesteel.partiql_plan.read.matching import did_you_mean
from firesteel.partiql_plan.read.nodes import Reader
from firesteel.partiql_plan.read.trail import Trail
from firesteel.partiql_plan.vocabulary import EXTENSION_VERSIONS, FIRESTEEL, OUT_OF_SCOPE, PARTIQL, VERSIONS
from firesteel.plan import Constant, Fn, GlobalBinding, Statement

_SECTIONS = ("import", "globals", "types", "fns", "constants", "define", "statement")

#: The annotation of those entries of `(types ...)` and `(fns ...)` that are there only because a node uses them.
IMPLIED = "implied"


def is_statement(element: Element) -> bool:
    return element.head == "statement" or element.head in tags(Statement) or element.head in OUT_OF_SCOPE


def is_label(element: Element) -> bool:
    return bool(element.annotations) and not is_statement(element)


@dataclass
class Sections:
    """The parts of a document, sorted out and not yet read."""

    version: tuple[int, int] | None = None
    namespace: str | None = None
    blocks: dict[str, Element] = field(default_factory=dict)
    statements: list[Element] = field(default_factory=list)
    labels: list[Element] = field(default_factory=list)
    nodes: list[Element] = field(default_factory=list)
    extensions: bool = False

    def add(self, item: Element, place: Trail, *, header: bool = False, loose: bool = False) -> bool:
        """Put an item where it belongs; False if it is just a node, which only a header or a loose text may have."""
        head = item.head
        here = Trail(place, head or "", None, item.span)
        if item.annotations[:1] == ("version",):
            self.version = _version(item, VERSIONS, "the document", here)
        elif item.annotations[:1] == ("namespace",) and header:
            self.namespace = item.text
        elif header and is_statement(item):
            raise PlanError("a header has no statement", where=here)
        elif head == "statement" and not loose:
            self.statements.extend(item.tail)
            if not item.tail:
                raise PlanError("the statement is empty", where=here)
        elif head in _SECTIONS and not item.annotations:
            if head in self.blocks:
                raise PlanError(f"there are two ({head} ...) sections", where=here)
            self.blocks[head] = item
        elif is_label(item):
            self.labels.append(item)
        elif loose:
            return False
        elif header:
            self.nodes.append(item)
        elif is_statement(item):
            self.statements.append(item)
        else:
            what = f"no section '{head}'" if head else "this is no section"
            help_ = did_you_mean(head, _SECTIONS) if head else None
            raise PlanError(what, where=here, help=help_ or f"the sections are {', '.join(_SECTIONS)}")
        return True

    def items(self, section: str) -> tuple[Element, ...]:
        return self.blocks[section].tail if section in self.blocks else ()

    def imports(self, place: Trail) -> tuple[str, ...]:
        """The namespaces besides the extension vocabulary, which is remembered apart."""
        names: list[str] = []
        for item in self.items("import"):
            here = Trail(place, "import", None, item.span)
            name = item.head or item.text
            if name is None:
                raise PlanError("an import is the name of a namespace: (partiql)", where=here)
            if name == FIRESTEEL:
                self.extensions = True
                for version in item.tail:
                    _version(version, EXTENSION_VERSIONS, "the extension vocabulary", here)
            else:
                names.append(name)
        # A document that imports nothing and defines no types can only mean the built-in ones.
        return tuple(names) if names or "types" in self.blocks else (PARTIQL,)

    def reader(self, place: Trail, headers: Sequence[Header], max_nodes: int) -> Reader:
        """A reader that knows what the sections declare."""
        imports = self.imports(place)
        reader = Reader(extensions=self.extensions, max_nodes=max_nodes)
        reader.types.declare(self.items("types"), builtin=PARTIQL in imports)
        _import(reader, imports, headers, place)
        self.declare(reader, place)
        return reader

    def declare(self, reader: Reader, place: Trail) -> None:
        """Let a reader know what the sections declare, besides types."""
        items = enumerate(self.items("constants"))
        reader.constants = [_constant(item).at(Trail(place, "constants", i, item.span)) for i, item in items]
        reader.references.declare([*self.labels, *self.items("define")], [*self.statements, *self.nodes])
        reader.globals = _each(reader, GlobalBinding, self.items("globals"), place, "globals")
        reader.fns = _each(reader, Fn, self.items("fns"), place, "fns")

    def declared_fns(self, reader: Reader) -> tuple[Fn, ...]:
        return tuple(fn for fn, item in zip(reader.fns, self.items("fns"), strict=True) if not is_implied(item))


def is_implied(item: Element) -> bool:
    return item.annotations == (IMPLIED,)


def _version(item: Element, known: Sequence[tuple[int, int]], what: str, place: Trail) -> tuple[int, int]:
    numbers = tuple(part.value for part in item.value) if item.kind is Kind.SEXP else ()
    for version in known:
        if numbers == version:
            return version
    said = " ".join(map(str, numbers)) if numbers else str(item.value)
    understood = ", ".join(f"({major} {minor})" for major, minor in known)
    raise PlanError(f"version ({said}) of {what} is not known", where=place, help=f"understood: {understood}")


def _constant(item: Element) -> Constant:
    """A value under its name; the annotations of the notation (`$bag`) are the value's."""
    if not item.annotations or item.annotations[0] in READERS:
        return Constant(None, to_value(item))
    name, *rest = item.annotations
    return Constant(name, to_value(Element(item.kind, item.value, tuple(rest), item.span)))


def _each(reader: Reader, cls: type[Node], items: Sequence[Element], place: Trail, section: str) -> list[Any]:
    found = [reader.run(NodeOf(cls), item, (place, section, index)) for index, item in enumerate(items)]
    for index, (one, item) in enumerate(zip(found, items, strict=True)):
        if not isinstance(one, cls):  # a function may be just named where it is called, but not here
            where = Trail(place, section, index, item.span)
            raise PlanError(f"({section} ...) declares, and this is only a name", where=where, help=str(form(cls)))
    return found


def _import(reader: Reader, imports: Sequence[str], headers: Sequence[Header], place: Trail) -> None:
    known = {header.namespace: header for header in headers}
    for name in imports:
        header = known.get(name)
        if name == PARTIQL:
            reader.types.imported.update(UNIONS)
            reader.references.imported_constants.update(CONSTANTS)
        if header is None and name == PARTIQL:
            continue
        if header is None:
            raise PlanError(
                f"no header '{name}'", where=place, help="hand it over: read_plan(..., headers=[...]), or --header FILE"
            )
        reader.types.imported.update(header.named_types())
        reader.imported_fns.extend(header.fns)
        reader.references.imported.update((one.label, one.node) for one in header.definitions)
        named = {one.name: one for one in header.constants if one.name is not None}
        reader.references.imported_constants.update(named)
