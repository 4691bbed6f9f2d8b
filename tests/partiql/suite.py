"""The public PartiQL suite, as a list of statements and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firesteel.ion import Element, Kind, read

#: Cases of the suite that contradict themselves or the language, with the reason; found by statement, not by name.
BROKEN = {"SELECT VALUE {'foo': v.foo": "a comma is missing between the attributes of a struct"}


class Statement(NamedTuple):
    """A statement of a case. A case may stand for several, which have to give the same result."""

    file: str
    case: str
    text: str
    results: frozenset[str]

    @property
    def broken(self) -> str | None:
        first = self.text.strip().split("\n")[0].strip()
        return BROKEN.get(first)


def statements(folder: Path) -> Iterator[Statement]:
    """Every statement of the files below a folder."""
    for path in sorted(folder.rglob("*.ion")):
        elements = read(path.read_text(encoding="utf-8"), path.name)
        classes = dict(_classes(elements))
        for case in _cases(elements):
            statement = case.field("statement")
            assert statement is not None
            texts = classes[statement.value] if statement.is_symbol() else [statement.value]
            for text in texts:
                yield Statement(str(path.relative_to(folder)), _text(case, "name"), text, _results(case))


def _structs(elements: list[Element] | tuple[Element, ...]) -> Iterator[Element]:
    stack = list(reversed(elements))
    while stack:
        element = stack.pop()
        if element.kind is Kind.STRUCT:
            yield element
        elif element.kind is Kind.LIST:
            stack.extend(reversed(element.children))


def _cases(elements: list[Element]) -> Iterator[Element]:
    return (element for element in _structs(elements) if element.field("statement") and element.field("assert"))


def _classes(elements: list[Element]) -> Iterator[tuple[str, list[str]]]:
    for element in _structs(elements):
        if "equiv_class" in element.annotations:
            texts = element.field("statements")
            assert texts is not None
            yield _text(element, "id"), [text.value for text in texts.children]


def _results(case: Element) -> frozenset[str]:
    asserted = case.field("assert")
    assert asserted is not None
    return frozenset(_text(one, "result") for one in (asserted.children if asserted.kind is Kind.LIST else [asserted]))


def _text(element: Element, name: str) -> str:
    found = element.field(name)
    assert found is not None
    return str(found.value)
