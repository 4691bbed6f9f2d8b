"""Elements to values and back, in the conformance suite's notation.

| Ion                        | value                                                                 |
|----------------------------|-----------------------------------------------------------------------|
| null, typed nulls          | `None`: a value does not keep a null's type                           |
| symbol, string             | `Symbol`, `str`                                                       |
| clob, blob                 | `Clob`, `bytes`                                                       |
| list, s-expression, struct | `list`, `Sexp`, `Struct`                                              |
| timestamp                  | `Timestamp`, with its precision and offset                            |
| annotations                | those of `notation` are applied, innermost first; others are dropped  |

A value written to Ion and read back is the same. Ion read and written back loses annotations and the types of nulls.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from firesteel.errors import ParseError
from firesteel.ion import element as e
from firesteel.ion.element import CONTAINERS, Element, Kind
from firesteel.ion.notation import (
    READERS,
    annotated,
    date_element,
    interval_element,
    time_element,
    timestamp_element,
)
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Sexp, Struct, Symbol, Time, Timestamp, Value, items


def to_value(root: Element) -> Value:
    """The value that an element stands for; ParseError where it breaks the notation."""
    results: list[Value] = []
    # An element, and whether what it holds is among the results by now.
    stack: list[tuple[Element, bool]] = [(root, False)]
    while stack:
        element, done = stack.pop()
        kind = element.kind
        value = element.value
        if done:
            first = len(results) - len(value)
            inner = results[first:]
            del results[first:]
            if kind is Kind.STRUCT:
                value = Struct([(name, item) for (name, _), item in zip(value, inner, strict=True)])
            else:
                value = Sexp(inner) if kind is Kind.SEXP else inner
        elif kind in CONTAINERS and value:
            stack.append((element, True))
            stack.extend((item, False) for item in reversed(element.children))
            continue
        else:
            value = _leaf_value(kind, value)
        if element.annotations:
            value = _annotated(element, value)
        results.append(value)
    return results[0]


def _leaf_value(kind: Kind, value: Value) -> Value:
    if kind is Kind.NULL:
        return None
    if kind is Kind.SYMBOL:
        return Symbol(value)
    if kind is Kind.CLOB:
        return Clob(value)
    if kind is Kind.STRUCT:
        return Struct()
    if kind is Kind.LIST:
        return []
    return Sexp() if kind is Kind.SEXP else value


def _annotated(element: Element, value: Value) -> Value:
    for name in reversed(element.annotations):
        if name in READERS:
            try:
                value = annotated(name, value)
            except ParseError as error:
                raise error.located(element.span) from None
    return value


def from_value(root: Value) -> Element:
    """The element that a value is written as; TypeError for what is no value."""
    results: list[Element] = []
    stack: list[tuple[Value, int | None]] = [(root, None)]  # a value, and how many results it holds once they are made
    while stack:
        value, size = stack.pop()
        if size is None:
            below = _below(value)
            if below is None:
                results.append(_leaf_element(value))
            else:
                stack.append((value, len(below)))
                stack.extend((item, None) for item in reversed(below))
            continue
        first = len(results) - size
        inner = results[first:]
        del results[first:]
        results.append(_container_element(value, inner))
    return results[0]


def _below(value: Value) -> list[Value] | None:
    return [value.parts] if isinstance(value, Graph) else items(value)


def _container_element(value: Value, inner: list[Element]) -> Element:
    if isinstance(value, Struct):
        return e.struct([(name, item) for (name, _), item in zip(value.pairs, inner, strict=True)])
    if isinstance(value, Bag):
        return e.list_(inner).annotate("$bag")
    if isinstance(value, Graph):
        return inner[0].annotate("$graph")
    return e.sexp(*inner) if isinstance(value, Sexp) else e.list_(inner)


def _leaf_element(value: Value) -> Element:
    for cls, make in _LEAVES:
        if isinstance(value, cls):
            return make(value)
    raise TypeError(f"not a value: {type(value).__name__}")


_LEAVES: tuple[tuple[type, Callable[[Any], Element]], ...] = (  # a subclass before its class
    (type(None), lambda _: e.null()),
    (bool, e.bool_),
    (int, e.int_),
    (Symbol, e.sym),
    (str, e.string),
    (float, e.float_),
    (Decimal, e.decimal),
    (type(MISSING), lambda _: e.null().annotate("$missing")),
    (Timestamp, timestamp_element),
    (Time, time_element),
    (Interval, interval_element),
    (datetime.date, date_element),
    (Clob, e.clob),
    (bytes, e.blob),
)
