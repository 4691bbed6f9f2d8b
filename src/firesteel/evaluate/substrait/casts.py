"""The cast, by the rules of SQL: what is no value of the type is an error, or NULL where the call says so.

Decimals and floats become integers without their fraction; decimals round half up; text is read without the spaces
around it; text that is too long for a type is cut, and too short for one of fixed length is filled with spaces.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.calendar import midnight
from firesteel.evaluate.kinds import show
from firesteel.evaluate.substrait.moments import digits, in_utc
from firesteel.evaluate.substrait.numbers import bounds, scaled, shortest, single, to_float
from firesteel.values import Interval, Struct, Time, Timestamp, Value

Cast = Callable[[Value], Value]
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


def _cannot(value: Value, target: t.Type) -> EvaluationError:
    return EvaluationError(f"cannot cast {show(value)} to {target}")


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
                raise _cannot(value, target)
            value = int(value.strip())
        elif isinstance(value, Timestamp):
            value = math.floor(value.instant)
        elif isinstance(value, float) and not math.isfinite(value):
            raise _cannot(value, target)
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
                raise _cannot(value, target)
            value = Decimal(value.strip())
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise _cannot(value, target)
            value = shortest(value, source)
        number = Decimal(value)
        if number and number.adjusted() >= precision - scale + 1:
            raise EvaluationError(f"overflow: {show(value)} is no {target}")
        try:
            made = scaled(number, scale)
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
        raise _cannot(text, target)
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
            raise _cannot(value, target)
        return found

    return to if isinstance(source, _NUMERIC) else None


# Text and octets -----------------------------------------------------------------------------------------------------


def written(source: t.Type) -> Callable[[Value], str] | None:
    """How a value of a type is written."""
    match source:
        case t.Text() | t.Uuid():
            return str
        case t.Bool():
            return lambda value: "true" if value else "false"
        case t.Integer() | t.UserDefined():
            return str
        case t.Decimal(scale=scale):
            return lambda value: format(scaled(value, scale or 0), "f")
        case t.Float32() | t.Float64():
            return lambda value: _float_text(value, source)
        case t.Date():
            return lambda value: str(value.isoformat())
        case t.Time():
            return _clock_text
        case t.Timestamp():
            return _timestamp_text
        case t.Octets():
            return _utf8
        case t.Interval():
            return _interval_text
    return None


def _utf8(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvaluationError("octets that are no text in UTF-8") from None


def _float_text(value: float, source: t.Type) -> str:
    """As Java writes it: `1.0`, `1.0E10`, `NaN`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    _, found, exponent = shortest(abs(value), source).normalize().as_tuple()
    assert isinstance(exponent, int)
    figures = "".join(map(str, found))
    point = len(figures) + exponent
    if -3 < point <= 7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{figures}"
        whole = figures[:point].ljust(point, "0")
        return f"{sign}{whole}.{figures[point:] or '0'}"
    return f"{sign}{figures[0]}.{figures[1:] or '0'}E{point - 1}"


def _clock_text(value: Time | Timestamp) -> str:
    whole, fraction = int(value.second), value.second % 1
    more = format(fraction, "f")[1:].rstrip("0").rstrip(".")
    return f"{value.hour:02}:{value.minute:02}:{whole:02}{more}"


def _timestamp_text(value: Timestamp) -> str:
    value = in_utc(value)
    return f"{value.year:04}-{value.month:02}-{value.day:02} {_clock_text(value)}"


def _interval_text(value: Interval) -> str:
    """As ISO 8601 has it."""
    years, months = divmod(abs(value.months), 12)
    seconds = Decimal(abs(value.nanos)).scaleb(-9)
    days, rest = divmod(seconds, 86_400)
    sign = "-" if value.months < 0 or value.nanos < 0 else ""
    date = "".join(f"{int(n)}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    time = f"T{format(rest.normalize(), 'f')}S" if rest else ""
    return f"{sign}P{date}{time}" if date or time else "PT0S"


def _text(source: t.Type, target: t.Type) -> Cast | None:
    write = written(source)
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
            raise _cannot(value, target) from None

    return to if isinstance(source, t.Text | t.Uuid | t.Octets) else None


# Time ----------------------------------------------------------------------------------------------------------------

_DATE = r"(\d{4,6})-(\d{1,2})-(\d{1,2})"
_CLOCK = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2}(?:\.\d{1,12})?))?"
_ZONE = r"\s*(Z|z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
_DATES = re.compile(rf"{_DATE}(?:[ T].*)?", re.ASCII)
_TIMES = re.compile(_CLOCK, re.ASCII)
_TIMESTAMPS = re.compile(rf"{_DATE}(?:[ T]{_CLOCK}{_ZONE})?", re.ASCII)


def _date(source: t.Type, target: t.Type) -> Cast | None:
    def to(value: Value) -> datetime.date:
        if isinstance(value, Timestamp):
            return in_utc(value).date
        if isinstance(value, datetime.date):
            return value
        found = _DATES.fullmatch(value.strip())
        try:
            return datetime.date(*map(int, found.groups()[:3])) if found else _never(value, target)
        except ValueError:
            raise _cannot(value, target) from None

    return to if isinstance(source, t.Text | t.Timestamp | t.Date) else None


def _never(value: Value, target: t.Type) -> datetime.date:
    raise _cannot(value, target)


def _time(source: t.Type, target: t.Type) -> Cast | None:
    assert isinstance(target, t.Time)
    precision = 6 if target.precision is None else target.precision

    def to(value: Value) -> Time:
        if isinstance(value, Timestamp):
            value = in_utc(value)
            value = Time(value.hour, value.minute, value.second)
        if isinstance(value, str):
            found = _TIMES.fullmatch(value.strip())
            if found is None or int(found[1]) > 23 or int(found[2]) > 59 or Decimal(found[3] or 0) >= 60:
                raise _cannot(value, target)
            value = Time(int(found[1]), int(found[2]), Decimal(found[3] or 0))
        made: Time = digits(value, precision)
        return made

    return to if isinstance(source, t.Text | t.Timestamp | t.Time) else None


def _timestamp(source: t.Type, target: t.Type) -> Cast | None:
    assert isinstance(target, t.Timestamp)
    precision = 6 if target.precision is None else target.precision
    offset = 0 if target.zone else None

    def to(value: Value) -> Timestamp:
        if isinstance(value, str):
            value = _read_timestamp(value, target)
        elif isinstance(value, datetime.date):
            value = midnight(value)
        made: Timestamp = digits(replace(in_utc(value), offset=offset), precision)
        return made

    return to if isinstance(source, t.Text | t.Date | t.Timestamp) else None


def _read_timestamp(text: str, target: t.Type) -> Timestamp:
    found = _TIMESTAMPS.fullmatch(text.strip())
    if found is None:
        raise _cannot(text, target)
    year, month, day, hour, minute, second, zone = found.groups()
    try:
        datetime.datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(Decimal(second or 0)))
    except ValueError:
        raise _cannot(text, target) from None
    clock = (int(hour or 0), int(minute or 0), Decimal(second or 0))
    return Timestamp(int(year), int(month), int(day), *clock, _offset(zone))


def _offset(zone: str | None) -> int | None:
    if zone is None or zone.upper() in ("Z", "UTC"):
        return None if zone is None else 0
    hours, minutes = zone[1:].replace(":", "")[:2], zone[1:].replace(":", "")[2:]
    total = int(hours) * 60 + int(minutes or 0)
    return -total if zone.startswith("-") else total


def _interval(source: t.Type, target: t.Type) -> Cast | None:
    assert isinstance(target, t.Interval)
    unit, precision = target.unit, target.precision

    def to(value: Interval) -> Interval:
        if unit != "day_time" or precision is None:
            return value
        step = 10 ** (9 - min(9, precision))
        return Interval("day_time", nanos=int(value.nanos / step) * step if step > 1 else value.nanos)

    return to if isinstance(source, t.Interval) and source.unit == unit else None


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
    if not isinstance(source, t.Map) or not isinstance(target, t.Map):
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
    t.Date: _date,
    t.Time: _time,
    t.Timestamp: _timestamp,
    t.Interval: _interval,
    t.Array: _array,
    t.Struct: _struct,
    t.Map: _map,
}
