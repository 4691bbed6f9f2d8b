"""Parts of dates, times and intervals: the year, the day of the week, the seconds from 1970."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain
from firesteel.evaluate.datafusion.temporal.nanos import DAY, NANOS, nanos_of, towards_zero
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import in_utc
from firesteel.values import Interval, Time, Timestamp, Value

_HOUR, _MINUTE = 3600 * NANOS, 60 * NANOS
#: Units of an interval by their nanoseconds, from the greatest on.
_SPANS = {"hour": _HOUR, "minute": _MINUTE, "second": NANOS, "millisecond": 10**6, "microsecond": 1000, "nanosecond": 1}


def _interval_part(unit: str, value: Interval) -> Value:
    """A part of an interval of months, days and nanoseconds: hours are those that are left of the days."""
    rest = value.nanos - DAY * towards_zero(value.nanos, DAY)
    match unit:
        case "epoch":
            return value.months * 30 * 86_400 + value.nanos / NANOS
        case "year":
            return int(value.months / 12)
        case "month":
            return int(math.fmod(value.months, 12))
        case "week":
            return towards_zero(value.nanos, 7 * DAY)
        case "day":
            return towards_zero(value.nanos, DAY)
        case "hour":
            return towards_zero(rest, _HOUR)
        case "minute":
            return towards_zero(rest - _HOUR * towards_zero(rest, _HOUR), _MINUTE)
        case _ if unit in _SPANS:
            return towards_zero(rest - _MINUTE * towards_zero(rest, _MINUTE), _SPANS[unit])
    raise EvaluationError(f"an interval has no part '{unit}'")


def _duration_part(unit: str, value: Interval) -> Value:
    """A part of a duration, which is one number of seconds or less: its hours are all of its hours."""
    if unit == "epoch":
        return value.nanos / NANOS
    size = {"week": 7 * DAY, "day": DAY, **_SPANS}.get(unit)
    if size is None:
        raise EvaluationError(f"a duration has no part '{unit}'")
    whole = towards_zero(value.nanos, size)
    return (whole + 2**31) % 2**32 - 2**31  # it is an integer of 32 bits


def _name(unit: str) -> str:
    plain_unit = unit.strip("'\"").lower()
    plain_unit = plain_unit if plain_unit in _ALIASES else plain_unit.removesuffix("s")
    return _ALIASES.get(plain_unit, plain_unit)


def date_part(unit: str, moment: Value) -> Value:
    """A part of a moment, or of an interval."""
    name = _name(unit)
    if isinstance(moment, Interval):
        return _interval_part(name, moment)
    day = None if isinstance(moment, Time) else moment if isinstance(moment, datetime.date) else in_utc(moment).date
    if name == "epoch":
        return nanos_of(moment) / NANOS
    if name in _CLOCK:
        clock = Time(0, 0, Decimal(0)) if type(moment) is datetime.date else moment
        clock = in_utc(clock) if isinstance(clock, Timestamp) else clock
        return _CLOCK[name](clock)
    if day is None or name not in _DATE:
        raise EvaluationError(f"no part '{unit}' of a time")
    return _DATE[name](day)


def _date_part(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[str, Value], Value]:
    kind = t.proper(types[1])
    # With three digits it may also be an interval of days and milliseconds, which has parts.
    if isinstance(kind, t.Interval) and kind.unit == "day_time" and kind.precision != 3:
        return lambda unit, value: _duration_part(_name(unit), value)
    return date_part


_ALIASES = {
    "ye": "year",
    "y": "year",
    "yr": "year",
    "dow": "dow",
    "mon": "month",
    "hr": "hour",
    "h": "hour",
    "min": "minute",
    "sec": "second",
    "s": "second",
    "d": "day",
    "m": "millisecond",
    "ms": "millisecond",
    "msec": "millisecond",
    "u": "microsecond",
    "us": "microsecond",
    "n": "nanosecond",
    "ns": "nanosecond",
    "qtr": "quarter",
    # Spark's names.
    "dayofweek": "sparkdow",
    "dayofweek_iso": "isodow",
    "dow_iso": "isodow",
    "yearofweek": "isoyear",
}
_CLOCK: dict[str, Callable[[Time | Timestamp], int]] = {
    "hour": lambda m: m.hour,
    "minute": lambda m: m.minute,
    "second": lambda m: int(m.second),
    "millisecond": lambda m: int(m.second.scaleb(3)),
    "microsecond": lambda m: int(m.second.scaleb(6)),
    "nanosecond": lambda m: int(m.second.scaleb(9)),
}
_DATE: dict[str, Callable[[datetime.date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar()[1],
    "isoweek": lambda day: day.isocalendar()[1],
    "isoyear": lambda day: day.isocalendar()[0],
    "day": lambda day: day.day,
    "doy": lambda day: day.timetuple().tm_yday,
    "dow": lambda day: day.isoweekday() % 7,
    "sparkdow": lambda day: day.isoweekday() % 7 + 1,
    "isodow": lambda day: day.isoweekday(),
}

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _day(moment: Value) -> datetime.date:
    return moment if type(moment) is datetime.date else moment.date


def _since(unit: int) -> Factory:
    return plain(lambda moment: towards_zero(nanos_of(moment), unit))


SCALARS: dict[str, Factory] = {
    "date_part": _date_part,
    "hour": plain(lambda moment: date_part("hour", moment)),
    "minute": plain(lambda moment: date_part("minute", moment)),
    "second": plain(lambda moment: date_part("second", moment)),
    "weekday": plain(lambda moment: _day(moment).weekday()),
    "monthname": plain(lambda moment: _MONTHS[_day(moment).month - 1]),
    "date_diff": plain(lambda end, start: (_day(end) - _day(start)).days),
    "unix_date": _since(DAY),
    "unix_seconds": _since(NANOS),
    "unix_millis": _since(10**6),
    "unix_micros": _since(1000),
}
