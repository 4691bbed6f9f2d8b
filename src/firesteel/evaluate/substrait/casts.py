"""The cast, by the rules of SQL: what is no value of the type is an error, or NULL where the call says so.

Decimals and floats become integers without their fraction; decimals round half up; text is read without the spaces
around it; text that is too long for a type is cut, and too short for one of fixed length is filled with spaces.
"""

from __future__ import annotations

import decimal
import math
import re
import uuid
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.kinds import show
from firesteel.evaluate.scalar.arithmetic import to_float
from firesteel.evaluate.substrait.moment_casts import Cast, to_date, to_interval, to_time, to_timestamp
from firesteel.evaluate.substrait.numbers import bounds, shortest, single, to_scale
from firesteel.evaluate.substrait.text_casts import cast_error, text_writer
from firesteel.values import Struct, Timestamp, Value

#: The cast from a type to a type; None where there is none.
Build = Callable[[t.Type, t.Type], Cast | None]


def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Cast:
    """The cast of a call."""
    target = types[1]
    made = build(t.proper(types[0]), t.proper(target))
    if fn.choice("failure") != "NULL":
        return made

    def apply(value: Value) -> Value:
        try:
            return made(value)
        except EvaluationError:
            return None

    return apply


def build(source: t.Type, target: t.Type) -> Cast:
    """The cast from a type to a type, NULL staying NULL."""
    source, target = t.proper(source), t.proper(target)
    made = None if isinstance(source, t.Null) else _CASTS[_kind(target)](source, target)
    if made is None:
        if source == target or isinstance(source, t.Null):
            return lambda value: value
        raise UnsupportedError(f"a cast from {source} to {target}")
    cast = made
    return lambda value: None if value is None else cast(value)


def _kind(target: t.Type) -> type[t.Type]:
    found = next((kind for kind in _CASTS if isinstance(target, kind)), None)
    if found is None:
        raise UnsupportedError(f"a cast to {target}")
    return found


# Numbers -------------------------------------------------------------------------------------------------------------

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?", re.ASCII)
_WORDS = {"nan": math.nan, "inf": math.inf, "infinity": math.inf}
_NUMERIC = (t.Number, t.Bool, t.UserDefined, t.Text)


def _integer(source: t.Type, target: t.Type) -> Cast | None:
    low, high = bounds(target)

    def to(value: Value) -> int:
        if isinstance(value, str):
            if not _INTEGER.fullmatch(value.strip()):
                raise cast_error(value, target)
            value = int(value.strip())
        elif isinstance(value, Timestamp):
            value = math.floor(value.instant)
        elif isinstance(value, float) and not math.isfinite(value):
            raise cast_error(value, target)
        number: int = math.trunc(value)
        if not low <= number <= high:
            raise EvaluationError(f"overflow: {show(value)} is no {target}")
        return number

    return to if isinstance(source, (*_NUMERIC, t.Timestamp)) else None


def _decimal(source: t.Type, target: t.Type) -> Cast | None:
    assert isinstance(target, t.Decimal)
    precision, scale = target.precision or 38, target.scale or 0

    def to(value: Value) -> Decimal:
        if isinstance(value, str):
            if not _NUMBER.fullmatch(value.strip()):
                raise cast_error(value, target)
            value = Decimal(value.strip())
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise cast_error(value, target)
            value = shortest(value, source)
        number = Decimal(value)
        if number and number.adjusted() >= precision - scale + 1:
            raise EvaluationError(f"overflow: {show(value)} is no {target}")
        try:
            made = to_scale(number, scale)
        except decimal.InvalidOperation:
            raise EvaluationError(f"overflow: {show(value)} is no {target}") from None
        if len(made.as_tuple().digits) > precision and made:
            raise EvaluationError(f"overflow: {show(value)} is no {target}")
        return made

    return to if isinstance(source, _NUMERIC) else None


def _float(source: t.Type, target: t.Type) -> Cast | None:
    made = single if isinstance(target, t.Float32) else float

    def to(value: Value) -> float:
        if isinstance(value, str):
            return made(_float_of(value, target))
        return made(to_float(value))

    return to if isinstance(source, _NUMERIC) else None


def _float_of(text: str, target: t.Type) -> float:
    word = text.strip().lower()
    sign = -1.0 if word.startswith("-") else 1.0
    if word.lstrip("+-") in _WORDS and len(word) - len(word.lstrip("+-")) <= 1:
        return sign * _WORDS[word.lstrip("+-")]
    if not _NUMBER.fullmatch(word):
        raise cast_error(text, target)
    return float(word)


_TRUTHS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0"), False),
}


def _bool(source: t.Type, target: t.Type) -> Cast | None:
    def to(value: Value) -> bool:
        if not isinstance(value, str):
            return bool(value != 0)
        found = _TRUTHS.get(value.strip().lower())
        if found is None:
            raise cast_error(value, target)
        return found

    return to if isinstance(source, _NUMERIC) else None


# Text and octets -----------------------------------------------------------------------------------------------------


def _text(source: t.Type, target: t.Type) -> Cast | None:
    write = text_writer(source)
    if write is None:
        return None
    if isinstance(target, t.Char):
        length = target.length
        return lambda value: write(value)[:length].ljust(length)
    extent = target.extent if isinstance(target, t.String) else None
    return write if extent is None else lambda value: write(value)[:extent]


def _octets(source: t.Type, target: t.Type) -> Cast | None:
    def to(value: Value) -> bytes:
        found: bytes = value.encode() if isinstance(value, str) else bytes(value)
        if isinstance(target, t.Byte) and len(found) != target.length:
            raise EvaluationError(f"{len(found)} octets are no {target}")
        return found

    return to if isinstance(source, t.Text | t.Octets) else None


def _uuid(source: t.Type, target: t.Type) -> Cast | None:
    def to(value: Value) -> str:
        try:
            return str(uuid.UUID(bytes=value) if isinstance(value, bytes) else uuid.UUID(value.strip()))
        except ValueError:
            raise cast_error(value, target) from None

    return to if isinstance(source, t.Text | t.Uuid | t.Octets) else None


# What holds others ---------------------------------------------------------------------------------------------------


def _array(source: t.Type, target: t.Type) -> Cast | None:
    if not isinstance(source, t.Array) or not isinstance(target, t.Array):
        return None
    element = build(source.element, target.element)
    return lambda value: [element(item) for item in value]


def _struct(source: t.Type, target: t.Type) -> Cast | None:
    if not isinstance(source, t.Struct) or not isinstance(target, t.Struct) or len(source.fields) != len(target.fields):
        return None
    casts = [build(a.type, b.type) for a, b in zip(source.fields, target.fields, strict=True)]
    names = [one.name or "" for one in target.fields]

    def to(value: Struct) -> Struct:
        pairs = zip(names, casts, value.pairs, strict=True)
        return Struct((name, cast(item)) for name, cast, (_, item) in pairs)

    return to


def _map(source: t.Type, target: t.Type) -> Cast | None:
    if not isinstance(source, t.Map) or not isinstance(target, t.Map) or not isinstance(target.key, t.Text):
        return None
    key, item = build(source.key, target.key), build(source.value, target.value)
    return lambda value: Struct((key(name), item(one)) for name, one in value.pairs)


_CASTS: dict[type[t.Type], Build] = {
    t.Integer: _integer,
    t.UserDefined: lambda source, target: _integer(source, target) if target.name[1:].isdigit() else None,  # type: ignore[attr-defined]
    t.Decimal: _decimal,
    t.Number: _float,
    t.Bool: _bool,
    t.Text: _text,
    t.Octets: _octets,
    t.Uuid: _uuid,
    t.Date: to_date,
    t.Time: to_time,
    t.Timestamp: to_timestamp,
    t.Interval: to_interval,
    t.Array: _array,
    t.Struct: _struct,
    t.Map: _map,
}
