"""Plans and headers to documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

from firesteel.errors import PlanError
from firesteel.ion import Element, form, from_value, int_, null, sexp, sym
from firesteel.ion import write as write_ion
from firesteel.ion.notation import READERS
from firesteel.partiql_plan.header import Header, TypeDeclaration, UnionDeclaration
from firesteel.partiql_plan.read.sections import IMPLIED
from firesteel.partiql_plan.vocabulary import FIRESTEEL, PARTIQL
from firesteel.partiql_plan.write.plans import PlanWriter
from firesteel.partiql_plan.write.types import TypeTable, inline
from firesteel.plan import Constant, Plan


@overload
def write(plan: Plan | Header, *, binary: Literal[False] = False, indent: bool = True) -> str: ...
@overload
def write(plan: Plan | Header, *, binary: Literal[True], indent: bool = True) -> bytes: ...
@overload
def write(plan: Plan | Header, *, binary: bool, indent: bool = True) -> str | bytes: ...
def write(plan: Plan | Header, *, binary: bool = False, indent: bool = True) -> str | bytes:
    """A PartiQL Plan document: Ion text, laid out or on one line, or Ion binary."""
    element = plan_element(plan) if isinstance(plan, Plan) else header_element(plan)
    return write_ion([element], True) if binary else write_ion([element], False, indent)


def plan_element(plan: Plan) -> Element:
    """The document of a plan. Its sections say what the statement turns out to use, so they are made last."""
    types = TypeTable(plan.types, builtin=PARTIQL in plan.imports)
    writer = PlanWriter(
        types.reference,
        fns=plan.fns,
        constants=plan.constants,
        definitions=plan.definitions,
        roots=[plan.statement],
    )
    statement = writer.run(plan.statement)
    definitions = writer.definitions()
    bindings = [writer.run(binding) for binding in plan.globals]
    functions = writer.functions()
    block = types.block()
    imports = [*plan.imports, *([FIRESTEEL] if writer.extended and FIRESTEEL not in plan.imports else [])]
    sections = [
        _section("import", [form(name) for name in imports]),
        _section("globals", bindings),
        # Without the built-in types the ordinals are the block's own, and that there is one says so.
        _section("types", _implied(block, len(plan.types)), always=PARTIQL not in plan.imports),
        _section("fns", _implied(functions, len(plan.fns))),
        _section("constants", [_constant(constant) for constant in plan.constants]),
        _section("define", definitions),
        [form("statement", statement)],
    ]
    return _document("plan", plan.version, [item for section in sections for item in section])


def header_element(header: Header) -> Element:
    """The document of a header."""
    writer = PlanWriter(
        inline, fns=header.fns, constants=header.constants, definitions=header.definitions, roots=header.nodes
    )
    nodes = [writer.run(node) for node in header.nodes]
    definitions = writer.definitions()
    sections = [
        _section("import", [form(FIRESTEEL)] if writer.extended else []),
        _section("types", [_declaration(one) for one in header.types]),
        _section("fns", _implied(writer.functions(), len(header.fns))),
        _section("constants", [_constant(constant) for constant in header.constants]),
        _section("define", definitions),
        nodes,
    ]
    items = [sym(header.namespace).annotate("namespace"), *(item for section in sections for item in section)]
    return _document("header", header.version, items)


def _document(kind: str, version: tuple[int, int], items: Iterable[Element]) -> Element:
    numbers = sexp(*map(int_, version)).annotate("version")
    return sexp(sym(kind).annotate(PARTIQL), numbers, *items)


def _section(name: str, items: list[Element], *, always: bool = False) -> list[Element]:
    return [form(name, *items)] if items or always else []


def _implied(items: list[Element], declared: int) -> list[Element]:
    """Entries that the plan does not declare say so, and are not taken for declared when they are read."""
    return [item.annotate(IMPLIED) if i >= declared else item for i, item in enumerate(items)]


def _constant(constant: Constant) -> Element:
    element = from_value(constant.value)
    if constant.name is None:
        return element
    if constant.name in READERS:
        raise PlanError(f"a constant cannot be named '{constant.name}', which says what kind of value follows")
    return element.annotate(constant.name)


def _declaration(declared: TypeDeclaration | UnionDeclaration) -> Element:
    if isinstance(declared, UnionDeclaration):
        return form("union", sym(declared.name), *map(inline, declared.members))
    fields = [
        inline(one.type) if one.name is None else inline(one.type).annotate(one.name) for one in declared.parameters
    ]
    # Ion reads the name of this one type as a value.
    return sexp(null() if declared.name == "null" else sym(declared.name), *fields)
