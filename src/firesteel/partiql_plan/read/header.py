"""Header documents to headers."""

from __future__ import annotations

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.ion import Element, Kind
from firesteel.node import drive
from firesteel.partiql_plan.builtin import BY_NAME, proper_name
from firesteel.partiql_plan.forms import NodeOf
from firesteel.partiql_plan.header import Header, TypeDeclaration, UnionDeclaration
from firesteel.partiql_plan.read.nodes import Reader
from firesteel.partiql_plan.read.sections import Sections
from firesteel.partiql_plan.read.trail import Trail
from firesteel.partiql_plan.read.types import is_null
from firesteel.partiql_plan.vocabulary import VERSIONS
from firesteel.plan import Definition, PlanNode


def read_header(found: Sections, place: Trail, max_nodes: int) -> Header:
    """The header that the sections of a document make."""
    if found.namespace is None:
        raise PlanError("the header has no namespace", where=place, help="namespace::my_types")
    found.imports(place)
    reader = Reader(extensions=found.extensions, max_nodes=max_nodes)
    header = Header(found.namespace, version=found.version or VERSIONS[0])
    header = header.replace(types=_declarations(found.items("types"), header, reader, place))
    found.declare(reader, place)
    nodes = [reader.run(NodeOf(PlanNode), item, (place, "", None)) for item in found.nodes]
    definitions: tuple[Definition, ...] = drive(lambda steps: steps, reader.references.definitions())
    return header.replace(
        fns=found.declared_fns(reader),
        constants=tuple(reader.constants),
        definitions=definitions,
        nodes=tuple(nodes),
        where=place,
    )


def _declarations(
    items: tuple[Element, ...], header: Header, reader: Reader, place: Trail
) -> tuple[TypeDeclaration | UnionDeclaration, ...]:
    """The types of a header; the reader learns them under their names and ordinals as they come."""
    names = [_name(item, Trail(place, "types", i, item.span)) for i, item in enumerate(items)]
    # A reference by ordinal means the type itself, not its constructor.
    heads = [item if item.head == "union" else Element(Kind.SEXP, item.value[:1], (), item.span) for item in items]
    reader.types.declare(heads, builtin=False)
    own = [name for name in names if proper_name(name) not in BY_NAME]
    reader.types.imported.update((name, t.UserDefined(header.namespace, name)) for name in own)
    found: list[TypeDeclaration | UnionDeclaration] = []
    for index, (name, item) in enumerate(zip(names, items, strict=True)):
        here = Trail(place, "types", index, item.span)
        if item.head == "union":
            members = tuple(t.ANY if one.is_symbol("*") else _type(reader, one, here) for one in item.tail[1:])
            found.append(UnionDeclaration(name, members))
            reader.types.imported[name] = t.union(members)
        else:
            labels = [one.annotations[0] if one.annotations else None for one in item.tail]
            types = [_type(reader, one, here) for one in item.tail]
            found.append(TypeDeclaration(name, tuple(map(t.Field, labels, types))))
    return tuple(found)


def _name(item: Element, place: Trail) -> str:
    """The name of a declared type: Ion reads one of them as the null value."""
    if item.head == "union":
        name = item.tail[0].text if item.tail else None
    else:
        name = "null" if is_null(item) else item.head
    if name is None:
        raise PlanError("a type is declared as (name parameters...)", where=place)
    return name


def _type(reader: Reader, element: Element, place: Trail) -> t.Type:
    type_: t.Type = drive(lambda steps: steps, reader.types.read(element, (place, "", None)))
    return type_
