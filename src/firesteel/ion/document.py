"""Whole documents, text or binary: to elements and values, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, overload

from firesteel.errors import ParseError
from firesteel.ion.binary_reader import iter_binary
from firesteel.ion.binary_writer import write_binary
from firesteel.ion.element import Element
from firesteel.ion.text_reader import iter_text
from firesteel.ion.text_writer import write_text
from firesteel.ion.values import from_value, to_value
from firesteel.source import Source, Span
from firesteel.values import Text, Value


def is_binary(data: bytes) -> bool:
    """Does it begin with a version marker, of whatever version? No UTF-8 text does."""
    return data[:1] == b"\xe0" and data[3:4] == b"\xea"


def iter_elements(data: str | bytes, name: str = "<ion>", max_depth: int | None = None) -> Iterator[Element]:
    """The values of an Ion document, one by one; ParseError, when it is reached, for what is no Ion."""
    if isinstance(data, str):
        return iter_text(data, name, max_depth)
    if is_binary(data):
        return iter_binary(data, name, max_depth)
    return iter_text(_decoded(data, name), name, max_depth)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
        raise ParseError(
            f"expected UTF-8, found the byte {data[error.start]:#04x}",
            where=Span(Source(data.decode("utf-8", "replace"), name), start, start + 1),
            help="Ion is UTF-8 text, or binary that begins with the bytes e0 01 00 ea",
        ) from None


def read(data: str | bytes, name: str = "<ion>", max_depth: int | None = None) -> list[Element]:
    """The values of an Ion document, text or binary; `name` is what errors call it, the depth is a million at most."""
    return list(iter_elements(data, name, max_depth))


@overload
def write(elements: Iterable[Element], binary: Literal[False] = False, indent: bool = True) -> str: ...
@overload
def write(elements: Iterable[Element], binary: Literal[True], indent: bool = True) -> bytes: ...
def write(elements: Iterable[Element], binary: bool = False, indent: bool = True) -> str | bytes:
    """An Ion document of these values: text, laid out over lines or with a line for each value, or binary."""
    return write_binary(elements) if binary else write_text(elements, indent)


def ion(text: str | bytes) -> Value:
    """A value written in Ion, as the conformance suite writes values: `fs.ion("$bag::[1, 2]")`."""
    value = loads(text)
    return Text(value) if type(value) is str else value


def loads(data: str | bytes, name: str = "<ion>") -> Value:
    """The one value of an Ion document, in the conformance suite's notation."""
    elements = iter_elements(data, name)
    first = next(elements, None)
    if first is None:
        where = Span(Source(data, name), len(data), len(data)) if isinstance(data, str) else None
        raise ParseError("expected a value, found none", where=where)
    second = next(elements, None)
    if second is not None:
        raise ParseError("expected one value, found another", where=second.span)
    return to_value(first)


@overload
def dumps(value: Value, binary: Literal[False] = False, indent: bool = False) -> str: ...
@overload
def dumps(value: Value, binary: Literal[True], indent: bool = False) -> bytes: ...
def dumps(value: Value, binary: bool = False, indent: bool = False) -> str | bytes:
    """A value as an Ion document, in the conformance suite's notation: on one line, laid out, or binary."""
    element = from_value(value)
    return write_binary([element]) if binary else write_text([element], indent)
