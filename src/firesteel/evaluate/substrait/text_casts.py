"""Casts to text, and the error of a cast that cannot be done."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.kinds import show
from firesteel.evaluate.substrait.moments import in_utc
from firesteel.evaluate.substrait.numbers import shortest, to_scale
from firesteel.values import Interval, Time, Timestamp, Value


def cast_error(value: Value, target: t.Type) -> EvaluationError:
    """The error for a value that cannot be cast to a type."""
    return EvaluationError(f"cannot cast {show(value)} to {target}")


def text_writer(source: t.Type) -> Callable[[Value], str] | None:
    """The function that writes values of a type as text; None if there is no such cast."""
    match source:
        case t.Text() | t.Uuid():
            return str
        case t.Bool():
            return lambda value: "true" if value else "false"
        case t.Integer() | t.UserDefined():
            return str
        case t.Decimal(scale=scale):
            return lambda value: format(to_scale(value, scale or 0), "f")
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
