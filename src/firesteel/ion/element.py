"""The Ion document model: elements as written, not yet converted to values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from decimal import Decimal
from enum import Enum
from typing import Any

from firesteel.node import canonical
from firesteel.source import Source, Span
from firesteel.values import Timestamp


class Kind(Enum):
    """Ion's types, by the name that a typed null gives them."""

    NULL = "null"
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    DECIMAL = "decimal"
    TIMESTAMP = "timestamp"
    SYMBOL = "symbol"
    STRING = "string"
    BLOB = "blob"
    CLOB = "clob"
    LIST = "list"
    SEXP = "sexp"
    STRUCT = "struct"

    # Enum hashes the name in Python on every lookup; members are singletons, so identity will do.
    __hash__ = object.__hash__


CONTAINERS = frozenset((Kind.LIST, Kind.SEXP, Kind.STRUCT))


class Element:
    """One Ion value with its annotations, and where it was read from. Elements are immutable.

    | kind                                      | value                                                           |
    |-------------------------------------------|-----------------------------------------------------------------|
    | NULL                                      | the `Kind` of the null: `null` is NULL, `null.int` is INT       |
    | BOOL INT FLOAT                            | `bool`, `int`, `float`                                          |
    | DECIMAL TIMESTAMP                         | `Decimal`, `firesteel.values.Timestamp`                         |
    | SYMBOL STRING                             | `str`                                                           |
    | BLOB CLOB                                 | `bytes`                                                         |
    | LIST SEXP                                 | tuple of elements                                               |
    | STRUCT                                    | tuple of (name, element), in the order written, duplicates kept |

    Elements are equal if they would be written the same: `1.0` is not `1.00`, nan is nan, fields have an order. The
    span takes no part in that. Comparing and hashing do not use the Python stack.
    """

    __slots__ = ("kind", "value", "annotations", "_at")

    kind: Kind
    value: Any
    annotations: tuple[str, ...]

    def __init__(self, kind: Kind, value: Any, annotations: tuple[str, ...] = (), span: Span | None = None) -> None:
        self.kind = kind
        self.value = value
        self.annotations = annotations
        # The parts of the span, so that a reader does not make a million spans of which two are looked at.
        self._at: tuple[Source, int, int] | None = None if span is None else (span.source, span.start, span.end)

    @property
    def span(self) -> Span | None:
        """Start to end in the text, annotations included; None if it was not read from text."""
        return Span(*self._at) if self._at else None

    # Asking

    @property
    def is_null(self) -> bool:
        return self.kind is Kind.NULL

    def is_symbol(self, text: str | None = None) -> bool:
        """A symbol, and this one if a text is given."""
        return self.kind is Kind.SYMBOL and text in (None, self.value)

    @property
    def text(self) -> str | None:
        """What a symbol or a string says."""
        return self.value if self.kind in (Kind.SYMBOL, Kind.STRING) else None

    @property
    def children(self) -> tuple[Element, ...]:
        """What a container holds, a struct's values included; nothing for a scalar."""
        if self.kind is Kind.STRUCT:
            return tuple(element for _, element in self.value)
        return self.value if self.kind in CONTAINERS else ()

    @property
    def head(self) -> str | None:
        """The text of the symbol that an s-expression begins with."""
        return self.value[0].value if self.kind is Kind.SEXP and self.value and self.value[0].is_symbol() else None

    @property
    def tail(self) -> tuple[Element, ...]:
        """What comes after the first item of an s-expression."""
        return self.value[1:] if self.kind is Kind.SEXP else ()

    def is_form(self, head: str) -> bool:
        """An s-expression that begins with this symbol."""
        return self.head == head

    def field(self, name: str) -> Element | None:
        """The first field of that name in a struct."""
        pairs = self.value if self.kind is Kind.STRUCT else ()
        return next((element for key, element in pairs if key == name), None)

    def annotate(self, *names: str) -> Element:
        """The same element under further annotations, written before its own."""
        return Element(self.kind, self.value, (*names, *self.annotations), self.span)

    def bare(self) -> Element:
        """The same element without annotations."""
        return Element(self.kind, self.value, (), self.span) if self.annotations else self

    # Comparing

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        stack: list[tuple[Element, Element]] = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if a.kind is not b.kind or a.annotations != b.annotations:
                return False
            if a.kind not in CONTAINERS:
                if a.value is not b.value and _scalar_key(a) != _scalar_key(b):
                    return False
                continue
            if len(a.value) != len(b.value):
                return False
            if a.kind is Kind.STRUCT:
                if any(x != y for (x, _), (y, _) in zip(a.value, b.value, strict=True)):
                    return False
                stack.extend((x, y) for (_, x), (_, y) in zip(a.value, b.value, strict=True))
            else:
                stack.extend(zip(a.value, b.value, strict=True))
        return True

    def __hash__(self) -> int:
        tokens: list[Hashable] = []
        stack = [self]
        while stack:
            element = stack.pop()
            tokens.append((element.kind.value, element.annotations))
            if element.kind in CONTAINERS:
                tokens.append(len(element.value))
                if element.kind is Kind.STRUCT:
                    tokens.extend(name for name, _ in element.value)
                stack.extend(element.children)
            else:
                tokens.append(_scalar_key(element))
        return hash(tuple(tokens))

    def __repr__(self) -> str:
        names = "".join(f"{name}::" for name in self.annotations)
        if self.kind is Kind.NULL:
            return f"<{names}null.{self.value.value}>"
        if self.kind in CONTAINERS:
            return f"<{names}{self.kind.value} {self.head + ' ' if self.head else ''}of {len(self.value)}>"
        return f"<{names}{self.kind.value} {self.value!r}>"


def _scalar_key(element: Element) -> Hashable:
    value = element.value
    if isinstance(value, (str, int, bytes, Kind)):  # the kinds are the same already, so 1 and true do not meet
        return value
    return canonical(value)


# ---------------------------------------------------------------------------------------------------------------------
# Making elements


def null(kind: Kind = Kind.NULL) -> Element:
    """`null`, or `null.int` and its like."""
    return Element(Kind.NULL, kind)


def bool_(value: bool) -> Element:
    return Element(Kind.BOOL, value)


def int_(value: int) -> Element:
    return Element(Kind.INT, int(value))


def float_(value: float) -> Element:
    return Element(Kind.FLOAT, float(value))


def decimal(value: Decimal | int | str) -> Element:
    return Element(Kind.DECIMAL, Decimal(value))


def timestamp(value: Timestamp) -> Element:
    return Element(Kind.TIMESTAMP, value)


def sym(text: str) -> Element:
    return Element(Kind.SYMBOL, str(text))


def string(text: str) -> Element:
    return Element(Kind.STRING, str(text))


def blob(value: bytes) -> Element:
    return Element(Kind.BLOB, bytes(value))


def clob(value: bytes) -> Element:
    return Element(Kind.CLOB, bytes(value))


def list_(items: Iterable[Element] = ()) -> Element:
    return Element(Kind.LIST, tuple(items))


def sexp(*items: Element) -> Element:
    return Element(Kind.SEXP, items)


def form(head: str, *items: Element) -> Element:
    """An s-expression that begins with a symbol: `(head item ...)`."""
    return Element(Kind.SEXP, (sym(head), *items))


def struct(pairs: Iterable[tuple[str, Element]] | dict[str, Element] = ()) -> Element:
    return Element(Kind.STRUCT, tuple(pairs.items() if isinstance(pairs, dict) else pairs))
