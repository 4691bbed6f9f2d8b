"""Documents: text or binary to a plan, a header, or loose nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.ion import Element, Kind
from firesteel.ion import read as read_ion
from firesteel.node import drive
from firesteel.partiql_plan.forms import NodeOf
from firesteel.partiql_plan.header import Header
from firesteel.partiql_plan.read.header import read_header
from firesteel.partiql_plan.read.nodes import MAX_NODES, Reader
from firesteel.partiql_plan.read.sections import Sections, is_implied, is_label, is_statement
from firesteel.partiql_plan.read.trail import Trail
from firesteel.partiql_plan.vocabulary import PARTIQL, VERSIONS
from firesteel.plan import Definition, Plan, PlanNode, Script, Statement


def read(
    data: str | bytes, *, name: str = "<plan>", headers: Iterable[Header] = (), max_nodes: int = MAX_NODES
) -> Plan | Header:
    """A PartiQL Plan document, Ion text or binary.

    A document that imports another namespace than `partiql` and `firesteel` needs its header. PlanError for what is not
    a plan, ParseError for what is not Ion. A file of several statements, without a document around them, is a script.
    """
    elements = read_ion(data, name)
    documents = [element for element in elements if not is_label(element)]
    labels = [element for element in elements if is_label(element)]
    found = Sections(labels=labels)
    if documents and all(map(is_statement, documents)):
        found.statements.extend(documents)
        return _plan(found, Trail(None, "", None, documents[0].span), tuple(headers), max_nodes)
    if len(documents) != 1:
        raise _not_one(elements, documents)
    return read_element(documents[0], labels, headers, max_nodes)


def read_element(
    document: Element, labels: Sequence[Element] = (), headers: Iterable[Header] = (), max_nodes: int = MAX_NODES
) -> Plan | Header:
    """One document of a file that may have several."""
    found = Sections(labels=list(labels))
    if is_statement(document):
        found.statements.append(document)
        return _plan(found, Trail(None, "", None, document.span), tuple(headers), max_nodes)
    marker = document.value[0] if document.kind is Kind.SEXP and document.value else None
    if marker is None or marker.annotations != (PARTIQL,) or marker.value not in ("plan", "header"):
        raise PlanError(
            "not a PartiQL plan", where=Trail(None, "", None, document.span), help="(partiql::plan version::(0 1) ...)"
        )
    place = Trail(None, str(marker.value), None, document.span)
    for item in document.tail:
        found.add(item, place, header=marker.value == "header")
    if found.version is None:
        raise PlanError(f"the {marker.value} has no version", where=place, help="version::(0 1)")
    if marker.value == "header":
        return read_header(found, place, max_nodes)
    if len(found.statements) != 1:
        where = Trail(place, "", None, found.statements[1].span) if found.statements else place
        raise PlanError(f"a plan has one statement, not {len(found.statements)}", where=where)
    return _plan(found, place, tuple(headers), max_nodes)


def read_nodes(text: str | bytes, *, name: str = "<nodes>") -> list[PlanNode]:
    """The nodes of a text that is no document: any number of expressions, relations and statements.

    They may come with labels and with sections (`types`, `fns` and so on); the extension vocabulary is understood.
    """
    place = Trail(None, "")
    found = Sections(extensions=True)
    nodes = [element for element in read_ion(text, name) if not found.add(element, place, loose=True)]
    found.nodes.extend(nodes)
    reader = found.reader(place, (), MAX_NODES)
    sorts = [(Statement if is_statement(element) else PlanNode, element) for element in nodes]
    return [reader.run(NodeOf(sort), element, (None, "", None)) for sort, element in sorts]


def read_node(text: str | bytes, *, name: str = "<node>") -> PlanNode:
    """The one node of a text: an expression, a relation or a statement."""
    nodes = read_nodes(text, name=name)
    if len(nodes) != 1:
        raise PlanError(f"one node is expected, not {len(nodes)}")
    return nodes[0]


def _not_one(elements: list[Element], documents: list[Element]) -> PlanError:
    if not documents:
        what = "only labels" if elements else "nothing"
        return PlanError(f"no plan: there is {what}", help="(partiql::plan version::(0 1) ...)")
    place = Trail(None, "", None, documents[1].span)
    return PlanError(f"{len(documents)} top-level values: a file has one plan, or several statements", where=place)


def _plan(found: Sections, place: Trail, headers: Sequence[Header], max_nodes: int) -> Plan:
    imports = found.imports(place)
    reader = found.reader(place, headers, max_nodes)
    statements = tuple(_statement(element, reader, place) for element in found.statements)
    definitions: tuple[Definition, ...] = drive(lambda steps: steps, reader.references.definitions())
    types: tuple[t.Type, ...] = drive(lambda steps: steps, reader.types.declared(place))
    return Plan(
        statements[0] if len(statements) == 1 else Script(statements),
        globals=tuple(reader.globals),
        version=found.version or VERSIONS[0],
        imports=imports,
        types=tuple(one for one, item in zip(types, found.items("types"), strict=True) if not is_implied(item)),
        fns=found.declared_fns(reader),
        constants=tuple(reader.constants),
        definitions=definitions,
    ).at(place)


def _statement(element: Element, reader: Reader, place: Trail) -> Statement:
    if element.head == "statement":
        if len(element.tail) != 1:
            raise PlanError(f"a plan has one statement, not {len(element.tail)}", where=place)
        element = element.tail[0]
    statement: Statement = reader.run(NodeOf(Statement), element, (place, "statement", None))
    return statement
