"""A schema for values that have none: each column has the narrowest type that all of its values fit.

Integers and decimals together are a decimal, numbers beside floats are floats, structs are one struct of all their
attributes. A column of values that have nothing in common, a number and a text, is a VARIANT.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from decimal import Context, Decimal

from firesteel import types as t
from firesteel.node import transform
from firesteel.tables.typed.ddl import MICROS
from firesteel.values import MISSING, Bag, Struct, Timestamp, Value

MAX_DIGITS = 38
#: A column of Spark's nests no deeper (`column_types.MAX_NESTED`); the row and the leaf are levels, too.
MAX_NESTED = 10
_EXACT = Context(prec=5_000)
_LONG_DIGITS = 19


def type_seen(value: Value, levels: int = MAX_NESTED) -> t.Type:
    """The type of one value: of a number with the digits that it needs. What is nested deeper than so many levels is
    a VARIANT."""
    if levels == 0 and isinstance(value, Struct | list | Bag):
        return t.ANY
    match value:
        case None:
            return t.NULL
        case bool():
            return t.BOOL
        case int():
            return t.INT64 if -(1 << 63) <= value < 1 << 63 else _digits(len(str(abs(value))), 0)
        case Decimal():
            return _decimal(value)
        case Struct():
            there = [(name, item) for name, item in value.pairs if item is not MISSING]
            if len({name for name, _ in there}) < len(there):
                return t.ANY
            return t.Struct(tuple(t.Field(name, type_seen(item, levels - 1)) for name, item in there), open=False)
        case list() | Bag():
            return t.Array(types_seen(value, levels - 1))
        case Timestamp():
            exact = value.instant.scaleb(MICROS) == int(value.instant.scaleb(MICROS))
            return t.Timestamp(MICROS, zone=value.offset is not None) if exact else t.ANY
    if value is MISSING:
        return t.NULL
    return next((wide for cls, wide in _KEPT if isinstance(value, cls)), t.ANY)


_KEPT: tuple[tuple[type, t.Type], ...] = (
    (float, t.FLOAT64),
    (str, t.STRING),
    (bytes, t.BLOB),
    (datetime.date, t.DATE),
)


def types_seen(items: Iterable[Value], levels: int = MAX_NESTED) -> t.Type:
    """One type for all of these values."""
    return combined(type_seen(item, levels) for item in items)


def combined(types: Iterable[t.Type]) -> t.Type:
    """One type for the values of several."""
    found: t.Type = t.NULL
    for type_ in types:
        found = combine(found, type_)
    return found


def combine(one: t.Type, other: t.Type) -> t.Type:
    """One type for the values of two."""
    if isinstance(one, t.Null) or one == other:
        return other
    if isinstance(other, t.Null):
        return one
    numbers = (t.Int64, t.Decimal)
    match one, other:
        case t.Array(), t.Array():
            return t.Array(combine(one.element, other.element))
        case t.Struct(), t.Struct():
            theirs = {field.name: field.type for field in other.fields}
            fields = {f.name: combine(f.type, theirs.pop(f.name, t.NULL)) for f in one.fields}
            return t.Struct(tuple(t.Field(name, type_) for name, type_ in (fields | theirs).items()), open=False)
    if isinstance(one, numbers) and isinstance(other, numbers):
        pairs = [_room(one), _room(other)]
        return _digits(max(whole for whole, _ in pairs), max(scale for _, scale in pairs))
    if isinstance(one, (*numbers, t.Float64)) and isinstance(other, (*numbers, t.Float64)):
        return t.FLOAT64
    return t.ANY


def settled(type_: t.Type) -> t.Type:
    """The type for a column: everything nullable, decimals with all the digits that there are, text where no value
    was seen, and the attributes of structs by their names."""

    def one(node: t.Type) -> t.Type:
        match node:
            case t.Null():
                node = t.STRING
            case t.Decimal():
                node = t.Decimal(MAX_DIGITS, node.scale)
            case t.Struct():
                if not node.fields:
                    return t.ANY
                node = node.replace(fields=tuple(sorted(node.fields, key=lambda field: field.name or "")))
        return t.absent(node, nullable=True, missable=False)

    return transform(type_, one, t.Type)


def _decimal(value: Decimal) -> t.Type:
    if not value.is_finite():
        return t.FLOAT64
    found = _EXACT.normalize(value)
    exponent = found.as_tuple().exponent
    assert isinstance(exponent, int)
    return _digits(max(1, found.adjusted() + 1), max(0, -exponent))


def _room(type_: t.Type) -> tuple[int, int]:
    """How many digits are before and behind the point."""
    if isinstance(type_, t.Decimal):
        return (type_.precision or 0) - (type_.scale or 0), type_.scale or 0
    return _LONG_DIGITS, 0


def _digits(whole: int, scale: int) -> t.Type:
    return t.Decimal(whole + scale, scale) if whole + scale <= MAX_DIGITS else t.ANY
