"""IS: does a value conform to a type?"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable, Generator
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel.node import drive
from firesteel.values import (
    MISSING,
    Bag,
    Clob,
    Graph,
    Interval,
    Sexp,
    Struct,
    Symbol,
    Time,
    Timestamp,
    Value,
    absent,
)

Test = Callable[[Any, Any], bool | Generator[Any, Any, bool]]


def conforms(value: Value, type_: t.Type) -> bool:
    """Is the value one of the type? A symbol is also a string, and MISSING is also of the type of NULL."""
    return bool(drive(_test, value, type_))


def is_type(type_: t.Type) -> Callable[[Value], bool]:
    """The test for a type."""
    return lambda value: conforms(value, type_)


def _test(value: Value, type_: t.Type) -> bool | Generator[Any, Any, bool]:
    if isinstance(type_, t.Any):
        return True
    if isinstance(type_, t.Null):
        return absent(value)
    if value is None:
        return type_.nullable
    if value is MISSING:
        return type_.missable
    test = _TESTS.get(type(type_))
    return test is not None and test(value, type_)


def _integer(value: Value, type_: t.Integer) -> bool:
    return type(value) is int and (type_.bits is None or -(2 ** (type_.bits - 1)) <= value < 2 ** (type_.bits - 1))


def _decimal(value: Value, type_: t.Decimal) -> bool:
    """Digits after the point at most `scale`, before it at most `precision - scale`."""
    if not isinstance(value, Decimal):
        return False
    if type_.precision is None:
        return True
    exponent = value.as_tuple().exponent
    scale = type_.scale or 0
    whole = value.adjusted() + 1 if value else 0
    return isinstance(exponent, int) and max(0, -exponent) <= scale and max(0, whole) <= type_.precision - scale


def _single(value: Value, _: t.Float32) -> bool:
    """A float that 32 bits hold."""
    if not isinstance(value, float):
        return False
    try:
        narrow = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return False
    return bool(narrow == value or value != value)


def _within(length: int, extent: int | None) -> bool:
    return extent is None or length <= extent


def _moment(cls: type[Time] | type[Timestamp]) -> Callable[[Value, t.Time | t.Timestamp], bool]:
    """A type with a zone wants an offset; one without takes both, as Ion's timestamps have one or not."""

    def test(value: Value, type_: t.Time | t.Timestamp) -> bool:
        if not isinstance(value, cls) or (type_.zone and value.offset is None):
            return False
        return _within(value.digits, type_.precision)

    return test


def _collection(test: Callable[[Value], bool]) -> Callable[[Value, t.Collection], bool | Generator[Any, Any, bool]]:
    def check(value: Value, type_: t.Collection) -> bool | Generator[Any, Any, bool]:
        if not test(value):
            return False
        return True if isinstance(type_.element, t.Any) else _all((item, type_.element) for item in value)

    return check


def _all(parts: Any) -> Generator[Any, Any, bool]:
    for value, type_ in parts:
        if not (yield value, type_):
            return False
    return True


def _struct(value: Value, type_: t.Struct) -> bool | Generator[Any, Any, bool]:
    if not isinstance(value, Struct):
        return False
    listed = {field.name for field in type_.fields}
    if not type_.open and any(name not in listed for name, _ in value.pairs):
        return False
    return _all((value.get(field.name or ""), field.type) for field in type_.fields)


def _map(value: Value, type_: t.Map) -> bool | Generator[Any, Any, bool]:
    if not isinstance(value, Struct):
        return False
    return _all(part for name, item in value.pairs for part in ((name, type_.key), (item, type_.value)))


def _union(value: Value, type_: t.Union) -> Generator[Any, Any, bool]:
    for member in type_.members:
        if (yield value, member):
            return True
    return False


_TESTS: dict[type[t.Type], Test] = {
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64, t.Int), _integer),
    t.Decimal: _decimal,
    t.Float32: _single,
    t.Float64: lambda value, _: isinstance(value, float),
    t.Bool: lambda value, _: isinstance(value, bool),
    t.Char: lambda value, type_: isinstance(value, str) and len(value) == type_.length,
    t.String: lambda value, type_: isinstance(value, str) and _within(len(value), type_.extent),
    t.Symbol: lambda value, _: isinstance(value, Symbol),
    t.Byte: lambda value, type_: type(value) is bytes and len(value) == type_.length,
    t.Blob: lambda value, type_: type(value) is bytes and _within(len(value), type_.extent),
    t.Clob: lambda value, _: isinstance(value, Clob),
    t.Date: lambda value, _: isinstance(value, datetime.date),
    t.Time: _moment(Time),
    t.Timestamp: _moment(Timestamp),
    t.Interval: lambda value, type_: isinstance(value, Interval) and type_.unit in (None, value.unit),
    t.Bag: _collection(lambda value: isinstance(value, Bag)),
    t.Array: _collection(lambda value: type(value) is list),
    t.Sexp: _collection(lambda value: isinstance(value, Sexp)),
    t.Struct: _struct,
    t.Map: _map,
    t.Graph: lambda value, _: isinstance(value, Graph),
    t.Union: _union,
}
