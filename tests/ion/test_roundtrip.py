"""What is written is read again, by us and by `amazon.ion`, and however deep it is."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from amazon.ion import simpleion
from amazon.ion.core import IonType
from amazon.ion.simple_types import IonPyNull, IonPySymbol
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import ParseError
from firesteel.ion import Element, Kind
from firesteel.ion.data import _Fast
from firesteel.node import canonical
from firesteel.values import Bag, Graph, Sexp, Struct, key
from tests.ion.strategies import elements, values

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

documents = st.lists(elements(), max_size=3)


@settings(deadline=None)
@given(documents)
def test_elements_survive_text(document: list[Element]) -> None:
    for indent in (True, False):
        assert ion.read(ion.write(document, indent=indent)) == document


@settings(deadline=None)
@given(documents)
def test_elements_survive_binary(document: list[Element]) -> None:
    assert ion.read(ion.write(document, binary=True)) == document


@settings(deadline=None)
@given(values())
def test_values_survive(value: object) -> None:
    for data in (ion.dumps(value), ion.dumps(value, indent=True), ion.dumps(value, binary=True)):
        again = ion.loads(data)
        assert canonical(again) == canonical(value)
        assert key(again) == key(value)


@settings(deadline=None)
@given(values())
def test_values_survive_as_data(value: object) -> None:
    for data in (ion.dumps(value), ion.dumps(value, binary=True)):
        [again] = ion.iter_values(data)
        assert canonical(again) == canonical(value)


# ---------------------------------------------------------------------------------------------------------------------
# amazon.ion as the oracle, where it can be one: it misreads seconds of more than nine digits and has no order among
# fields of the same name.

KINDS = {getattr(IonType, kind.name): kind for kind in Kind}
shallow = st.lists(elements(digits=8, unique=True), max_size=3)


def from_oracle(item: Any) -> Element:
    """An object of amazon.ion's full value model as an element."""
    names = tuple(annotation.text for annotation in item.ion_annotations)
    kind, value = KINDS[item.ion_type], item
    if isinstance(item, IonPyNull):
        kind, value = Kind.NULL, kind
    elif kind is Kind.BOOL:
        value = bool(item)
    elif kind is Kind.STRUCT:
        value = tuple((name, from_oracle(child)) for name, child in item.items())
    elif kind in (Kind.LIST, Kind.SEXP):
        value = tuple(map(from_oracle, item))
    elif kind is Kind.TIMESTAMP:
        value = _Fast(None)._timestamp(item)  # type: ignore[arg-type]
    elif kind is Kind.SYMBOL:
        value = item.text if isinstance(item, IonPySymbol) else str(item)
    else:
        value = type(item).__mro__[1](item)
    return Element(kind, value, names)


def oracle(data: str | bytes) -> list[Any]:
    return simpleion.loads(data.encode() if isinstance(data, str) else data, single_value=False)


@settings(deadline=None)
@given(shallow)
def test_amazon_ion_reads_what_we_write(document: list[Element]) -> None:
    for data in (ion.write(document), ion.write(document, indent=False), ion.write(document, binary=True)):
        assert list(map(from_oracle, oracle(data))) == document


@settings(deadline=None)
@given(shallow)
def test_we_read_what_amazon_ion_writes(document: list[Element]) -> None:
    objects = oracle(ion.write(document, binary=True))
    for binary in (False, True):
        data = simpleion.dumps(objects, binary=binary, sequence_as_stream=True)
        assert ion.read(data) == document


# ---------------------------------------------------------------------------------------------------------------------
# Depth

SHAPES = {"list": ("[", "]"), "sexp": ("(f x::", ")"), "struct": ("{a:1,b:", "}"), "bag": ("$bag::[", "]")}
LADDER = [(shape, depth) for depth in (10, 100, 1000, 10_000) for shape in SHAPES]


@pytest.mark.parametrize(("shape", "depth"), LADDER)
def test_depth(shape: str, depth: int) -> None:
    opening, closing = SHAPES[shape]
    [element] = ion.read(opening * depth + "1" + closing * depth)
    assert ion.read(ion.write([element], indent=False)) == [element]
    assert ion.read(ion.write([element])) == [element]
    assert ion.read(ion.write([element], binary=True)) == [element]
    value = ion.to_value(element)
    assert ion.from_value(ion.to_value(ion.from_value(value))) == ion.from_value(value)


def test_depth_100_000() -> None:
    """The last rung in one go, as it takes a second for each step: text to binary to text to a value to text."""
    text = "(x::{a: " * 50_000 + "1" + "})" * 50_000
    binary = ion.write(ion.read(text), binary=True)
    document = ion.read(binary)
    assert ion.write(document, indent=False) == text
    assert len(ion.write(document)) < len(text) * 20
    assert ion.dumps(ion.to_value(document[0])) == text.replace("x::", "")


@pytest.mark.parametrize("depth", [1000, 5000])
def test_depth_of_data_and_graphs(depth: int) -> None:
    value: object = 1
    for _ in range(depth):
        value = Struct([("a", Sexp([Bag([Graph(Struct([("nodes", [value])]))])]))])
    [again] = ion.iter_values(ion.dumps(value))
    assert ion.dumps(again) == ion.dumps(value)


def test_an_unclosed_bracket_at_any_depth() -> None:
    with pytest.raises(ParseError, match=r"unclosed '\['"):
        ion.read("[" * 100_000)
    with pytest.raises(ParseError, match="closes nothing"):
        ion.read("[" * 100_000 + "]" * 100_001)
