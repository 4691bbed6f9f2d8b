"""Values as Arrow writes them, where DataFusion casts to text: floats, intervals, times of a zone, lists."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from firesteel import types as t
from firesteel.evaluate.datafusion.temporal.nanos import DAY, NANOS, towards_zero
from firesteel.evaluate.substrait.casts import build
from firesteel.evaluate.substrait.moments import in_utc
from firesteel.evaluate.substrait.numbers import shortest
from firesteel.values import Interval, Timestamp, Value

Write = Callable[[Value], str]

#: The first power of ten that is written with an exponent, and the least digits behind the point without one.
_MOST, _LEAST = 16, -5


def _special(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    return None if math.isfinite(value) else "inf" if value > 0 else "-inf"


def float_text(value: float, type_: t.Type = t.FLOAT64) -> str:
    """`1.0`, `123456789.0`, `0.00001`, `1e16`, `1.5e-6`, `-inf`."""
    found = _special(value)
    if found is not None:
        return found
    sign, digits, exponent = shortest(value, type_).normalize().as_tuple()
    assert isinstance(exponent, int)
    place = len(digits) + exponent
    start = "-" if sign else ""
    if not any(digits):
        return start + "0.0"
    if place > _MOST or place <= _LEAST:
        rest = "".join(map(str, digits[1:]))
        return f"{start}{digits[0]}{'.' + rest if rest else ''}e{place - 1}"
    text = format(Decimal((0, digits, exponent)), "f")
    return start + (text if "." in text else text + ".0")


def plain_float_text(value: float, type_: t.Type = t.FLOAT64) -> str:
    """Without an exponent, and without a fraction that is zero: `3`, `0.0000001`."""
    return _special(value) or format(shortest(value, type_).normalize(), "f")


def iso_text(moment: Timestamp) -> str:
    """`2024-01-15T12:30:45.123`, with three, six or nine digits of a second, or none; a Z behind one of a zone."""
    here = in_utc(moment)
    second, nanos = divmod(int(here.second.scaleb(9)), NANOS)
    digits = f"{nanos:09}"
    fraction = (
        "" if not nanos else "." + (digits[:3] if nanos % 10**6 == 0 else digits[:6] if nanos % 1000 == 0 else digits)
    )
    date = f"{here.year:04}-{here.month:02}-{here.day:02}"
    zone = "" if moment.offset is None else "Z"
    return f"{date}T{here.hour:02}:{here.minute:02}:{second:02}{fraction}{zone}"


def interval_text(value: Interval) -> str:
    """`14 mons 40 days 3.500000000 secs`; what is zero is left out."""
    rest, parts = value.nanos, []
    for size, name in ((DAY, "days"), (3600 * NANOS, "hours"), (60 * NANOS, "mins")):
        count = towards_zero(rest, size)
        rest -= count * size
        parts += [f"{count} {name}"] if count else []
    parts += [f"{'-' if rest < 0 else ''}{abs(rest) // NANOS}.{abs(rest) % NANOS:09} secs"] if rest else []
    return " ".join([*([f"{value.months} mons"] if value.months else []), *parts]) or "0 secs"


def duration_text(nanos: int, digits: int, *, iso: bool = False) -> str:
    """`0 days 1 hours 2 mins 3.123 secs`, with so many digits of a second; or `PT3723S`."""
    if iso:
        text = format(Decimal(abs(nanos)).scaleb(-9).normalize(), "f")
        return "P0D" if not nanos else f"{'-' if nanos < 0 else ''}PT{text}S"
    rest, parts = nanos, []
    for size, name in ((DAY, "days"), (3600 * NANOS, "hours"), (60 * NANOS, "mins")):
        count = towards_zero(rest, size)
        rest -= count * size
        parts.append(f"{count} {name}")
    fraction = f".{abs(rest) % NANOS:09}"[: digits + 1] if digits else ""
    return " ".join([*parts, f"{'-' if rest < 0 else ''}{abs(rest) // NANOS}{fraction} secs"])


def displaying(type_: t.Type) -> Write:
    """The function that writes values of a type."""
    match t.proper(type_):
        case t.Float32() | t.Float64() as kind:
            return lambda value: float_text(value, kind)
        case t.Timestamp():
            return iso_text
        case t.Interval(unit="day_time", precision=digits):
            return lambda value: duration_text(value.nanos, digits or 0)
        case t.Interval():
            return interval_text
        case t.Octets():
            return lambda value: bytes(value).hex()
        case t.Array(element=element):
            inner = displaying(element)
            return lambda items: "[" + ", ".join("" if one is None else inner(one) for one in items) + "]"
    cast: Write = build(t.proper(type_), t.STRING)
    return cast
