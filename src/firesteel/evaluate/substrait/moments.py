"""Dates, times, timestamps and intervals. A timestamp with a zone is an instant, kept in UTC; zones are IANA's."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar import calendar
from firesteel.evaluate.scalar.calendar import later, midnight
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Interval, Time, Timestamp, Value, days_since_epoch

Moment = datetime.date | Time | Timestamp
NANOS = 10**9


def _plain(operation: Callable[..., Any]) -> Factory:
    return lambda fn, types: operation


@lru_cache(64)
def zone(name: str) -> ZoneInfo:
    """The zone of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise EvaluationError(f"no time zone '{name}'") from None


def _datetime(moment: Timestamp) -> datetime.datetime:
    """A timestamp as Python's, to the second."""
    if not 1 <= moment.year <= 9999:
        raise EvaluationError(f"the year {moment.year} has no time zone")
    clock = (moment.hour, moment.minute, int(moment.second))
    return datetime.datetime(moment.year, moment.month, moment.day, *clock)


def _moved(moment: Timestamp, seconds: int, offset: int | None) -> Timestamp:
    made = later(replace(moment, offset=None), 0, seconds * NANOS)
    assert isinstance(made, Timestamp)
    return replace(made, offset=offset, precision="second")


def local(moment: Timestamp, name: str) -> Timestamp:
    """An instant as the clocks of a zone show it."""
    utc = in_utc(moment)
    there = _datetime(utc).replace(tzinfo=datetime.UTC).astimezone(zone(name))
    offset = there.utcoffset() or datetime.timedelta()
    return _moved(utc, round(offset.total_seconds()), None)


def in_utc(moment: Timestamp) -> Timestamp:
    return moment if not moment.offset else _moved(moment, -moment.offset * 60, 0)


def instant(moment: Timestamp, name: str) -> Timestamp:
    """The instant at which the clocks of a zone show a time: of two the earlier, and what is left out is later."""
    there = _datetime(moment).replace(tzinfo=zone(name))
    offset = there.utcoffset() or datetime.timedelta()
    return _moved(moment, -round(offset.total_seconds()), 0)


def digits(moment: Time | Timestamp, precision: int) -> Any:
    """With so many digits of a second; more are cut off."""
    unit = Decimal((0, (1,), -precision))
    return replace(moment, second=moment.second.quantize(unit, "ROUND_DOWN"))


# ---------------------------------------------------------------------------------------------------------------------
# Parts of a moment


def _day(moment: Moment) -> datetime.date:
    if isinstance(moment, Time):
        raise EvaluationError("a time of day has no date")
    if isinstance(moment, datetime.date):
        return moment
    if not 1 <= moment.year <= 9999:
        raise EvaluationError(f"the calendar ends before the year {moment.year}")
    return moment.date


def _clock(moment: Moment) -> tuple[int, int, Decimal]:
    if isinstance(moment, datetime.date):
        return 0, 0, Decimal(0)
    return moment.hour, moment.minute, moment.second


def _fraction(moment: Moment, after: int, until: int) -> int:
    """The digits of a second from one place behind the point to another."""
    second = _clock(moment)[2]
    unit: int = 10 ** (until - after)
    return int((second % 1).scaleb(until)) % unit


def _us_week(day: datetime.date) -> tuple[int, int]:
    """The year and the week, from Sunday on, by its Wednesday: the first has most of its days in January."""
    ordinal = day.toordinal() - day.isoweekday() % 7 + 3
    if not 1 <= ordinal <= datetime.date.max.toordinal():
        raise EvaluationError(f"the calendar has no whole week around {day}")
    middle = datetime.date.fromordinal(ordinal)
    return middle.year, (middle.timetuple().tm_yday + 6) // 7


def _week_from(weekday: int) -> Callable[[Moment], int]:
    """The week of a year whose first one starts with the first such day; before it is week zero."""

    def apply(moment: Moment) -> int:
        day = _day(moment)
        first = datetime.date(day.year, 1, 1)
        start = (weekday - first.weekday()) % 7
        return (day.timetuple().tm_yday - 1 - start) // 7 + 1

    return apply


def _unix(moment: Moment) -> int:
    if isinstance(moment, Timestamp):
        return math.floor(moment.instant)
    return days_since_epoch(*_day(moment).timetuple()[:3]) * 86_400


_PARTS: dict[str, Callable[[Moment], int]] = {
    "YEAR": lambda m: m.year if isinstance(m, Timestamp) else _day(m).year,
    "ISO_YEAR": lambda m: _day(m).isocalendar()[0],
    "US_YEAR": lambda m: _us_week(_day(m))[0],
    "HOUR": lambda m: _clock(m)[0],
    "MINUTE": lambda m: _clock(m)[1],
    "SECOND": lambda m: int(_clock(m)[2]),
    "MILLISECOND": lambda m: int(_clock(m)[2].scaleb(3)),  # with the seconds, as the cases have it and SQL does
    "MICROSECOND": lambda m: int(_clock(m)[2].scaleb(6)),
    "NANOSECOND": lambda m: _fraction(m, 6, 9),
    "PICOSECOND": lambda m: _fraction(m, 9, 12),
    "SUBSECOND": lambda m: _fraction(m, 0, 6),
    "UNIX_TIME": _unix,
}

#: Those that are counted from one, or from zero.
_COUNTED: dict[str, Callable[[Moment], int]] = {
    "QUARTER": lambda m: (_day(m).month + 2) // 3,
    "MONTH": lambda m: m.month if isinstance(m, Timestamp) else _day(m).month,
    "DAY": lambda m: m.day if isinstance(m, Timestamp) else _day(m).day,
    "DAY_OF_YEAR": lambda m: _day(m).timetuple().tm_yday,
    "MONDAY_DAY_OF_WEEK": lambda m: _day(m).isoweekday(),
    "SUNDAY_DAY_OF_WEEK": lambda m: _day(m).isoweekday() % 7 + 1,
    "MONDAY_WEEK": _week_from(0),
    "SUNDAY_WEEK": _week_from(6),
    "ISO_WEEK": lambda m: _day(m).isocalendar()[1],
    "US_WEEK": lambda m: _us_week(_day(m))[1],
}


def _extract(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., int]:
    component = fn.choice("component") or ""
    first = 1 if fn.choice("indexing") == "ZERO" else 0

    def apply(moment: Moment, name: str | None = None) -> int:
        if isinstance(moment, Timestamp) and name is not None:
            there = local(moment, name)
            if component == "TIMEZONE_OFFSET":
                return int(there.instant - moment.instant)
            moment = moment if component == "UNIX_TIME" else there
        return _PARTS[component](moment) if component in _PARTS else _COUNTED[component](moment) - first

    return apply


def _extract_boolean(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., bool]:
    summer = fn.choice("component") == "IS_DST"

    def apply(moment: Moment, name: str | None = None) -> bool:
        if summer:
            assert isinstance(moment, Timestamp)
            assert name is not None
            there = _datetime(in_utc(moment)).replace(tzinfo=datetime.UTC).astimezone(zone(name))
            return bool(there.dst())
        if isinstance(moment, Timestamp) and name is not None:
            moment = local(moment, name)
        year = _PARTS["YEAR"](moment)
        return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

    return apply


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


def _shifted(sign: int) -> Factory:
    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        type_ = fn.returns

        def apply(moment: Moment, interval: Interval, name: str | None = None) -> Value:
            if isinstance(moment, datetime.date) and isinstance(type_, t.Timestamp):
                moment = midnight(moment)
            if isinstance(moment, Timestamp) and name is not None:  # months pass by the calendar of the zone
                return instant(_later(local(moment, name), interval, sign, type_), name)
            return _later(moment, interval, sign, type_)

        return apply

    return factory


def _later(moment: Any, interval: Interval, sign: int, type_: t.Type) -> Any:
    made = later(moment, sign * interval.months, sign * interval.nanos)
    if isinstance(made, Timestamp):
        made = replace(made, precision="second")
        return digits(made, type_.precision) if isinstance(type_, t.Timestamp) and type_.precision is not None else made
    return made


def _add_intervals(a: Interval, b: Interval) -> Interval:
    return _bounded(Interval(a.unit, a.months + b.months, a.nanos + b.nanos))


def _times(count: int, interval: Interval) -> Interval:
    return _bounded(Interval(interval.unit, count * interval.months, count * interval.nanos))


def _bounded(interval: Interval) -> Interval:
    """The interval, if its months fit into 64 bits."""
    if not -(2**63) <= interval.months < 2**63:
        raise EvaluationError("an interval of so many months is out of range")
    return interval


def _assume(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Timestamp]:
    def apply(moment: datetime.date | Timestamp, name: str, *_: int) -> Timestamp:
        found = instant(moment if isinstance(moment, Timestamp) else midnight(moment), name)
        return digits(found, fn.returns.precision or 0) if isinstance(fn.returns, t.Timestamp) else found

    return apply


# ---------------------------------------------------------------------------------------------------------------------
# Text


def _python(moment: Moment) -> datetime.datetime:
    day = datetime.date(1900, 1, 1) if isinstance(moment, Time) else _day(moment)
    hour, minute, second = _clock(moment)
    micros = int((second % 1).scaleb(6))
    return datetime.datetime(day.year, day.month, day.day, hour, minute, int(second), micros)


def _written(moment: Moment, format_: str, name: str | None = None) -> str:
    if name is None or not isinstance(moment, Timestamp):
        return _python(moment).strftime(format_)
    return _python(in_utc(moment)).replace(tzinfo=datetime.UTC).astimezone(zone(name)).strftime(format_)


def _parsed(text: str, format_: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, format_)
    except ValueError as error:
        raise EvaluationError(f"'{text}' is not written as '{format_}': {error}") from None


def _seconds(moment: datetime.datetime, precision: int) -> Decimal:
    whole = Decimal(moment.second) + Decimal(moment.microsecond).scaleb(-6)
    return whole.quantize(Decimal((0, (1,), -precision)), "ROUND_DOWN")


def _parse_time(text: str, format_: str, precision: int) -> Time:
    found = _parsed(text, format_)
    return Time(found.hour, found.minute, _seconds(found, precision))


def _parse_timestamp(text: str, format_: str, *more: Any) -> Timestamp:
    """In the zone that the text names, else in the one that is given, else in UTC."""
    *names, precision = more
    found = _parsed(text, format_)
    offset = found.utcoffset()
    made = Timestamp(found.year, found.month, found.day, found.hour, found.minute, _seconds(found, precision))
    if offset is None:
        return instant(made, names[0]) if names else replace(made, offset=0)
    return _moved(made, -round(offset.total_seconds()), 0)


SCALARS: dict[str, Factory] = {
    "datetime:extract": _extract,
    "datetime:extract_boolean": _extract_boolean,
    "datetime:add": _shifted(1),
    "datetime:subtract": _shifted(-1),
    "datetime:multiply": _plain(_times),
    "datetime:add_intervals": _plain(_add_intervals),
    "datetime:assume_timezone": _assume,
    "datetime:local_timestamp": _plain(local),
    "datetime:strptime_time": _plain(_parse_time),
    "datetime:strptime_date": _plain(lambda text, format_: _parsed(text, format_).date()),
    "datetime:strptime_timestamp": _plain(_parse_timestamp),
    "datetime:strftime": _plain(_written),
}

__all__ = ["SCALARS", "calendar", "digits", "in_utc", "instant", "local", "zone"]
