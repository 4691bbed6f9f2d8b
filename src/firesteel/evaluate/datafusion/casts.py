"""Casts of DataFusion that the standard does not have, or has with another result: Arrow's units and Arrow's texts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.display import displaying
from firesteel.evaluate.datafusion.fit import whole
from firesteel.evaluate.datafusion.temporal.nanos import DAY, NANOS, nanos_of, of_nanos, time_of, towards_zero
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Interval, Value


def _cast(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value], Value]:
    """A number of units as a time or an interval of that type, or the other way round; a text as an interval; a time
    with fewer digits, cut towards zero; values as Arrow writes them."""
    source, target = t.proper(types[0]), t.proper(fn.returns)
    match source, target:
        case t.Text(), t.Interval():
            return lambda text: _read_interval(text, target)
        case t.Interval(), t.Interval():
            return lambda value: Interval(target.unit or value.unit, value.months, value.nanos)
        case _, t.Text():
            return displaying(source)
        case t.Timestamp(), t.Timestamp():
            return _with_digits(target)
        case _, t.Number():
            unit = _unit(source)
            return lambda value: (value.nanos if isinstance(value, Interval) else nanos_of(value)) // unit
    return _of_number(target)


def _with_digits(target: t.Timestamp) -> Callable[[Value], Value]:
    unit, zone = _unit(target), bool(target.zone)
    return lambda moment: of_nanos(unit * towards_zero(nanos_of(moment), unit), zone)


def _of_number(target: t.Type) -> Callable[[Value], Value]:
    unit, zone = _unit(target), isinstance(target, t.Timestamp) and bool(target.zone)

    def of_number(number: Value) -> Value:
        nanos = whole(number) * unit
        if isinstance(target, t.Date):
            return datetime.date(1970, 1, 1) + datetime.timedelta(days=whole(number))
        if isinstance(target, t.Interval):
            return Interval("day_time", nanos=nanos)
        return time_of(nanos) if isinstance(target, t.Time) else of_nanos(nanos, zone)

    return of_number


def _unit(type_: t.Type) -> int:
    """The nanoseconds of a unit of the type."""
    if isinstance(type_, t.Date):
        return DAY
    return int(10 ** (9 - min(9, getattr(type_, "precision", None) or 0)))


_WORDS = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-zA-Z]+)", re.ASCII)
_LENGTHS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("c", "cent", "century", "centurie"), (1200, 0)),
    **dict.fromkeys(("dec", "decade"), (120, 0)),
    **dict.fromkeys(("y", "yr", "year"), (12, 0)),
    **dict.fromkeys(("mon", "month"), (1, 0)),
    **dict.fromkeys(("w", "week"), (0, 7 * DAY)),
    **dict.fromkeys(("d", "day"), (0, DAY)),
    **dict.fromkeys(("h", "hr", "hour"), (0, 3600 * NANOS)),
    **dict.fromkeys(("m", "min", "minute"), (0, 60 * NANOS)),
    **dict.fromkeys(("s", "sec", "second"), (0, NANOS)),
    **dict.fromkeys(("ms", "msec", "millisecond"), (0, 10**6)),
    **dict.fromkeys(("us", "usec", "microsecond"), (0, 1000)),
    **dict.fromkeys(("ns", "nsec", "nanosecond"), (0, 1)),
}


def _read_interval(text: str, target: t.Interval) -> Interval:
    """`1 year 2 months 3.5 hours`, or a number of seconds."""
    months_, nanos, at = Decimal(0), Decimal(0), 0
    for found in _WORDS.finditer(text):
        name = found[2].lower()
        size = _LENGTHS.get(name) or _LENGTHS.get(name.removesuffix("s"))
        if size is None or found.start() != at:
            raise EvaluationError(f"'{text}' is no interval")
        months_ += Decimal(found[1]) * size[0]
        nanos += Decimal(found[1]) * size[1]
        at = found.end()
    if not at or text[at:].strip() or months_ != int(months_):
        raise EvaluationError(f"'{text}' is no interval that is known here")
    return Interval(target.unit or "compound", int(months_), int(nanos))


SCALARS: dict[str, Factory] = {"cast": _cast}
