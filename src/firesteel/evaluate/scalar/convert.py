"""CAST: for every type, the function that makes a value of it.

A cast that is impossible is MISSING in permissive mode. A number too large for its type is an error in both modes, as
in arithmetic. A cast to a collection or a struct converts the container only, not its elements.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import TEXTS, show
from firesteel.evaluate.scalar.arithmetic import DECIMALS, decimals, to_decimal, to_float
from firesteel.evaluate.scalar.compare import text
from firesteel.evaluate.scalar.conform import conforms
from firesteel.evaluate.scalar.moments import as_text, read_date, read_time, read_timestamp
from firesteel.values import Bag, Clob, Sexp, Struct, Symbol, Time, Timestamp, Value, absent, equal

Cast = Callable[[Value], Value]

_INTEGER = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|([0-9]+))", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?", re.ASCII)
#: Text is read with all the digits that could count before it is rounded.
_READING = decimal.Context(prec=1_000)
_FLOAT_WORDS = {"nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def cast(type_: t.Type) -> Cast:
    """The cast to a type."""
    if isinstance(type_, t.Null | t.Missing | t.Unresolved):
        raise PlanError(f"nothing can be cast to {type_}")
    build = _CASTS.get(type(type_))
    if build is None:
        raise UnsupportedError(f"cannot cast to {type_}")
    return build(type_)


def can_cast(type_: t.Type) -> Callable[[Value], bool]:
    """Does the cast to a type give a value, absent or not?"""
    to = cast(type_)

    def can(value: Value) -> bool:
        try:
            return absent(value) or to(value) is not None
        except (Forgivable, EvaluationError):
            return False

    return can


def can_lossless_cast(type_: t.Type) -> Callable[[Value], bool]:
    """Does the cast to a type give a value that casts back to the same?"""
    to = cast(type_)

    def can(value: Value) -> bool:
        if absent(value):
            return True
        try:
            made = to(value)
            back = cast(t.type_of(value))(made)
        except (Forgivable, EvaluationError):
            return False
        loses_order = isinstance(made, Bag) and isinstance(value, list) and len(value) > 1
        return equal(back, value) and not loses_order

    return can


def _cannot(value: Value, type_: t.Type) -> Forgivable:
    return Forgivable(f"cannot cast {show(value)} to {type_}")


def _any(_: t.Any) -> Cast:
    return lambda value: value


def _union(type_: t.Union) -> Cast:
    def to(value: Value) -> Value:
        if conforms(value, type_):
            return value
        raise _cannot(value, type_)

    return to


def _bool(type_: t.Bool) -> Cast:
    words = {"true": True, "false": False}

    def to(value: Value) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, int | float | Decimal):
            return value != 0
        if type(value) in TEXTS and text(value).lower() in words:
            return words[text(value).lower()]
        raise _cannot(value, type_)

    return to


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def _integer(type_: t.Integer) -> Cast:
    bits = type_.bits or 64

    def fit(number: int) -> int:
        if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
            raise EvaluationError(f"integer overflow: {show(number)} takes more than {bits} bits")
        return number

    def to(value: Value) -> int:
        if isinstance(value, int):
            return fit(int(value))
        if isinstance(value, Decimal):
            return fit(_rounded(value))
        if isinstance(value, float) and math.isfinite(value):
            return fit(round(value))
        if type(value) in TEXTS and (number := _INTEGER.fullmatch(text(value))):
            sign, *digits = number.groups()
            base, written = next((b, d) for b, d in zip((16, 2, 10), digits, strict=True) if d is not None)
            # Python reads only so many digits, and a good deal fewer are too many for any type.
            return fit(int(sign + (written.lstrip("0")[:100] or "0"), base))
        raise _cannot(value, type_)

    return to


def _rounded(number: Decimal) -> int:
    """Half to even. A number with a large exponent is not written out."""
    if number.adjusted() > 40:
        raise EvaluationError("integer overflow: the decimal takes more than 64 bits")
    return int(number.to_integral_value(decimal.ROUND_HALF_EVEN))


def _decimal(type_: t.Decimal) -> Cast:
    precision, scale = type_.precision, type_.scale or 0

    def fit(number: Decimal) -> Decimal:
        if precision is None:
            return decimals(DECIMALS.plus, number)
        context = decimal.Context(prec=max(precision, 1), traps=[decimal.InvalidOperation])
        try:
            return number.quantize(Decimal(1).scaleb(-scale), decimal.ROUND_HALF_EVEN, context)
        except decimal.InvalidOperation:
            raise EvaluationError(f"decimal overflow: {show(number)} does not fit in {type_}") from None

    def to(value: Value) -> Decimal:
        if isinstance(value, float) and not math.isfinite(value):
            raise _cannot(value, type_)
        if isinstance(value, int | float | Decimal):
            return fit(to_decimal(int(value) if isinstance(value, bool) else value))
        if type(value) in TEXTS and _NUMBER.fullmatch(text(value)):
            return fit(decimals(_READING.create_decimal, _number(text(value))))
        raise _cannot(value, type_)

    return to


def _number(written: str) -> str:
    return written.lower().replace("d", "e")


def _float(type_: t.Float32 | t.Float64) -> Cast:
    narrow = isinstance(type_, t.Float32)

    def to(value: Value) -> float:
        if isinstance(value, int | float | Decimal):
            number = to_float(value)
        elif type(value) in TEXTS and _NUMBER.fullmatch(text(value)):
            number = float(_number(text(value)))
        elif type(value) in TEXTS and text(value).lower() in _FLOAT_WORDS:
            number = _FLOAT_WORDS[text(value).lower()]
        else:
            raise _cannot(value, type_)
        return _single(number) if narrow else number

    return to


def _single(number: float) -> float:
    """The nearest float of 32 bits; beyond the largest, an infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


# ---------------------------------------------------------------------------------------------------------------------
# Text and octets


def _written(value: Value, type_: t.Type) -> str:
    if type(value) in TEXTS:
        return str(text(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return next((word for word, number in _FLOAT_WORDS.items() if repr(number) == repr(value)), repr(value))
    if isinstance(value, int) and value.bit_length() > 1_000:
        raise _cannot(value, type_)  # Python writes only so many digits
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, datetime.date | Time | Timestamp):
        return as_text(value)
    raise _cannot(value, type_)


def _string(type_: t.String) -> Cast:
    return lambda value: _written(value, type_)[: type_.extent]


def _char(type_: t.Char) -> Cast:
    return lambda value: _written(value, type_)[: type_.length].ljust(type_.length)


def _symbol(type_: t.Symbol) -> Cast:
    return lambda value: Symbol(_written(value, type_))


def _clob(type_: t.Clob) -> Cast:
    return lambda value: Clob(value) if isinstance(value, bytes) else Clob(_written(value, type_).encode())


def _blob(type_: t.Blob | t.Byte) -> Cast:
    def to(value: Value) -> bytes:
        if isinstance(value, bytes) and conforms(bytes(value), type_):
            return bytes(value)
        raise _cannot(value, type_)

    return to


# ---------------------------------------------------------------------------------------------------------------------
# Time


def _date(type_: t.Date) -> Cast:
    def to(value: Value) -> datetime.date:
        if isinstance(value, datetime.date):
            return value
        if isinstance(value, Timestamp):
            return value.date
        found = read_date(text(value)) if type(value) in TEXTS else None
        if found is None:
            raise _cannot(value, type_)
        return found

    return to


def _seconds(second: Decimal, type_: t.Time | t.Timestamp) -> Decimal:
    """With at most so many digits, the others cut off."""
    digits = 9 if type_.precision is None else min(type_.precision, 9)
    exponent = second.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > digits:
        return second.quantize(Decimal(1).scaleb(-digits), decimal.ROUND_DOWN)
    return second


def _offset(offset: int | None, type_: t.Time | t.Timestamp) -> int | None:
    """To a type without a zone the local time counts; to one with a zone, a time without one is UTC."""
    return (offset or 0) if type_.zone else None


def _time(type_: t.Time) -> Cast:
    def to(value: Value) -> Time:
        found = read_time(text(value)) if type(value) in TEXTS else value
        if not isinstance(found, Time | Timestamp):
            raise _cannot(value, type_)
        return Time(found.hour, found.minute, _seconds(found.second, type_), _offset(found.offset, type_))

    return to


def _timestamp(type_: t.Timestamp) -> Cast:
    def to(value: Value) -> Timestamp:
        found = read_timestamp(text(value)) if type(value) in TEXTS else value
        if isinstance(found, datetime.date):
            return Timestamp(found.year, found.month, found.day, offset=_offset(None, type_))
        if not isinstance(found, Timestamp):
            raise _cannot(value, type_)
        day = (found.year, found.month, found.day)
        return Timestamp(*day, found.hour, found.minute, _seconds(found.second, type_), _offset(found.offset, type_))

    return to


def _same(type_: t.Type) -> Cast:
    def to(value: Value) -> Value:
        if conforms(value, type_):
            return value
        raise _cannot(value, type_)

    return to


# ---------------------------------------------------------------------------------------------------------------------
# Containers


def _container(build: Callable[[Any], Value]) -> Callable[[t.Type], Cast]:
    def make(type_: t.Type) -> Cast:
        def to(value: Value) -> Value:
            if isinstance(value, list | Bag):
                return build(value)
            raise _cannot(value, type_)

        return to

    return make


def _struct(type_: t.Struct) -> Cast:
    def to(value: Value) -> Value:
        if isinstance(value, Struct):
            return value
        raise _cannot(value, type_)

    return to


_CASTS: dict[type[t.Type], Callable[[Any], Cast]] = {
    t.Any: _any,
    t.Union: _union,
    t.Bool: _bool,
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64, t.Int), _integer),
    t.Decimal: _decimal,
    t.Float32: _float,
    t.Float64: _float,
    t.String: _string,
    t.Char: _char,
    t.Symbol: _symbol,
    t.Clob: _clob,
    t.Blob: _blob,
    t.Byte: _blob,
    t.Date: _date,
    t.Time: _time,
    t.Timestamp: _timestamp,
    t.Interval: _same,
    t.Graph: _same,
    t.Bag: _container(Bag),
    t.Array: _container(list),
    t.Sexp: _container(Sexp),
    t.Struct: _struct,
}
