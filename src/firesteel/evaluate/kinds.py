"""Kinds of values: the catalogue's type families that they belong to, and their names in messages."""

from __future__ import annotations

import datetime
from decimal import Decimal

from firesteel.evaluate.scalar.moments import as_text
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Missing, Sexp, Struct, Symbol, Time, Timestamp, Value

#: The classes of values, and their names. A value is of just one of them, never of a subclass.
KINDS: dict[type, str] = {
    type(None): "NULL",
    Missing: "MISSING",
    bool: "bool",
    int: "int",
    Decimal: "decimal",
    float: "float",
    str: "string",
    Symbol: "symbol",
    bytes: "blob",
    Clob: "clob",
    datetime.date: "date",
    Time: "time",
    Timestamp: "timestamp",
    Interval: "interval",
    list: "array",
    Sexp: "sexp",
    Bag: "bag",
    Struct: "struct",
    Graph: "graph",
}

EVERYTHING = frozenset(KINDS)
PRESENT = EVERYTHING - {type(None), Missing}
NUMBERS = frozenset({int, Decimal, float})
TEXTS = frozenset({str, Symbol, Clob})
COLLECTIONS = frozenset({list, Sexp, Bag})

#: The catalogue's families as sets of classes, and as messages call them.
FAMILIES: dict[str, tuple[frozenset[type], str]] = {
    "any": (PRESENT, "values"),
    "bool": (frozenset({bool}), "booleans"),
    "int": (frozenset({int}), "integers"),
    "number": (NUMBERS, "numbers"),
    "text": (TEXTS, "text"),
    "octets": (frozenset({bytes, Clob}), "octets"),
    "temporal": (frozenset({datetime.date, Time, Timestamp, Interval}), "dates and times"),
    "date": (frozenset({datetime.date}), "dates"),
    "time": (frozenset({Time}), "times"),
    "timestamp": (frozenset({Timestamp}), "timestamps"),
    "interval": (frozenset({Interval}), "intervals"),
    "collection": (COLLECTIONS, "collections"),
    "list": (frozenset({list, Sexp}), "lists"),
    "struct": (frozenset({Struct}), "structs"),
    "container": (COLLECTIONS | {Struct}, "collections and structs"),
}


def kind(value: Value) -> str:
    """What a value is, in a word."""
    return KINDS.get(type(value), type(value).__name__)


def show(value: Value, width: int = 40) -> str:
    """A value in a message: scalars as they are written, containers by their brackets, long text cut."""
    if value is None or value is MISSING:
        return kind(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value if len(value) <= width else value[:width] + '...'}'"
    if isinstance(value, Bag):
        return "<<...>>" if value.items else "<<>>"
    if isinstance(value, Struct):
        return "{...}" if value.pairs else "{}"
    if isinstance(value, Sexp):
        return "(...)" if value else "()"
    if isinstance(value, list):
        return "[...]" if value else "[]"
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"  # Python refuses to write very long ones
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, datetime.date | Time | Timestamp):
        return as_text(value)
    return f"{'an' if isinstance(value, Interval) else 'a'} {kind(value)}"
