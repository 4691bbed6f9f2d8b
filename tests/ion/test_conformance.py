"""Every value in the conformance suite's files converts, and comes back."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.ion import Element
from firesteel.node import canonical

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

pytestmark = pytest.mark.conformance


@pytest.fixture(scope="module")
def documents(outside: Callable[[str], Path]) -> list[tuple[Path, list[Element]]]:
    paths = sorted(outside("partiql-tests").rglob("*.ion"))
    assert paths
    return [(path, ion.read(path.read_bytes(), path.name)) for path in paths]


def test_documents_survive(documents: list[tuple[Path, list[Element]]]) -> None:
    for path, elements in documents:
        assert ion.read(ion.write(elements), path.name) == elements
        assert ion.read(ion.write(elements, indent=False), path.name) == elements
        assert ion.read(ion.write(elements, binary=True), path.name) == elements


def test_every_value_converts(documents: list[tuple[Path, list[Element]]]) -> None:
    names = set()
    for path, elements in documents:
        values = [ion.to_value(element) for element in elements]
        again = [ion.loads(ion.dumps(value)) for value in values]
        assert canonical(again) == canonical(values)
        assert canonical(list(ion.iter_values(path))) == canonical(values)
        stack = list(elements)
        while stack:
            element = stack.pop()
            names.update(element.annotations)
            stack.extend(element.children)
    seen = {"$bag", "$missing", "$date", "$time", "$timestamp", "$interval_ym", "$interval_dt", "$graph", "$ion"}
    assert seen <= names
