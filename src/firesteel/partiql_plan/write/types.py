"""Types to references, and the `(types ...)` block that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeGuard

from firesteel import types as t
from firesteel.ion import Element, form, int_, sym
from firesteel.node import Node, all_nodes_in, drive, fold
from firesteel.partiql_plan.builtin import BUILTIN, BY_NAME, ORDINALS, proper_name, union_name
from firesteel.partiql_plan.write.forms import FormWriter

Refer = Callable[[t.Type], Element]


class TypeTable:
    """Refers to types by ordinal: the built-in ones, if they are imported, and then those of the document's block.

    The block begins with the types that the plan declares; those that only its nodes use follow, parts before wholes.
    """

    def __init__(self, declared: Iterable[t.Type], *, builtin: bool) -> None:
        self._first = len(BUILTIN) if builtin else 0
        self._ordinals: dict[t.Type, int] = dict(ORDINALS) if builtin else {}
        self._references: dict[t.Type, Element] = {}
        self._block = list(declared)
        for index, type_ in enumerate(self._block):
            self._ordinals.setdefault(type_, self._first + index)
        for type_ in list(self._block):
            for part in parts(type_):
                self._add(part)

    def reference(self, type_: t.Type) -> Element:
        """`($type int::5)`."""
        known = self._references.get(type_)
        if known is None:
            known = self._references[type_] = self._reference(type_)
        return known

    def _reference(self, type_: t.Type) -> Element:
        if is_open_name(type_):
            return form("$type", sym(type_.name))
        self._add(type_)
        ordinal = self._ordinals[type_]
        name = union_name(type_, ordinal) if is_union(type_) else type_.tag
        return form("$type", int_(ordinal).annotate(name))

    def _add(self, type_: Node) -> None:
        fold(type_, self._add_one, below=lambda node: [] if node in self._ordinals else parts(node))

    def _add_one(self, node: Node, _below: list[None]) -> None:
        if isinstance(node, t.Type) and node not in self._ordinals and not is_open_name(node):
            self._ordinals[node] = self._first + len(self._block)
            self._block.append(node)

    def block(self) -> list[Element]:
        """The definitions, in order."""
        return [define(type_, self.reference, self._first + i) for i, type_ in enumerate(self._block)]


def is_open_name(type_: t.Type) -> TypeGuard[t.Unresolved]:
    """A name that nobody knows, so that it can be written as just that."""
    return isinstance(type_, t.Unresolved) and not type_.absent and proper_name(type_.name) not in BY_NAME


def is_union(type_: t.Type) -> bool:
    """Is it written as a union? Those are the unions, and the types that may be NULL or MISSING besides."""
    return isinstance(type_, t.Union) or (type_.absent and type_ not in ORDINALS)


def parts(node: Node) -> list[Node]:
    """The types that a type's definition refers to."""
    assert isinstance(node, t.Type)
    if is_union(node):
        proper = t.members(node) if isinstance(node, t.Union) else (t.proper(node),)
        absent = [*([t.NULL] if node.nullable else []), *([t.MISSING] if node.missable else [])]
        return [*(type_ for type_ in proper if not isinstance(type_, t.Null | t.Missing)), *absent]
    return [one.type if isinstance(one, t.Field) else one for one in all_nodes_in(node)]


def define(type_: t.Type, refer: Refer, ordinal: int) -> Element:
    """A type spelt out, with references to what it is made of."""
    if is_union(type_):
        members = [refer(part) for part in parts(type_) if isinstance(part, t.Type)]
        return form("union", sym(union_name(type_, ordinal)), *members)
    element: Element = drive(lambda steps: steps, FormWriter(refer).form(type_))
    return element


def inline(type_: t.Type) -> Element:
    """A type spelt out where it stands: a header's block declares how types are made, and is not referred to."""

    def one(node: Node, below: list[Element]) -> Element:
        assert isinstance(node, t.Type)
        if node in ORDINALS or is_open_name(node):
            return form("$type", sym(node.name if isinstance(node, t.Unresolved) else node.tag))
        return define(node, dict(zip(parts(node), below, strict=True)).__getitem__, 0)

    return fold(type_, one, below=lambda node: [] if node in ORDINALS else parts(node))
