"""Functions on dates, times and timestamps, and what the clock says."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal

from firesteel.errors import EvaluationError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import kind
from firesteel.evaluate.scalar import calendar
from firesteel.evaluate.scalar.arithmetic import Number, to_decimal
from firesteel.evaluate.scalar.calendar import MONTHS, NANOS, SECONDS, Moment
from firesteel.values import Interval, Time, Timestamp, Value, days_since_epoch

_EPOCH = Timestamp(1970)


_DAYS = frozenset({"year", "month", "day"})
#: A timestamp that has an hour has minutes.
_KNOWN_TO = {"hour": "minute"}


def date_add(field: str, count: int, moment: Moment) -> Moment:
    """A date becomes a timestamp only by hours, minutes or seconds."""
    _counts(field, moment)
    known_to = _KNOWN_TO.get(field, field)
    if field in MONTHS:
        return calendar.later(moment, count * MONTHS[field], known_to=known_to)
    if isinstance(moment, datetime.date) and field not in _DAYS:
        moment = calendar.midnight(moment)
    return calendar.later(moment, nanos=count * SECONDS[field] * NANOS, known_to=known_to)


def date_diff(field: str, start: Moment, end: Moment) -> int:
    """Whole ones, not one that has only begun."""
    _counts(field, start)
    if field in MONTHS:
        months = calendar.months_between(start, end)
        return abs(months) // MONTHS[field] * (-1 if months < 0 else 1)
    # Between decimals, // drops the fraction on both sides of zero.
    return int(calendar.seconds_between(start, end) // SECONDS[field])


def _counts(field: str, moment: Moment) -> None:
    """Can it be counted in the field?"""
    if field not in MONTHS and field not in SECONDS:
        raise EvaluationError(f"no '{field}' to count in: {', '.join((*MONTHS, *SECONDS))}")
    if isinstance(moment, Time) and field in _DAYS:
        raise Forgivable(f"a time of day is not counted in {field}s")


#: The units of DATE_TRUNC, the longest first.
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


def date_trunc(unit: str, moment: Moment) -> Moment:
    """The start of the year, the month ... that the moment is in, in its own offset. A week starts on Monday."""
    unit = unit.lower()
    if unit not in UNITS:
        raise EvaluationError(f"no '{unit}' to cut to: {', '.join(UNITS)}")
    if isinstance(moment, Time):
        if UNITS.index(unit) <= UNITS.index("day"):
            raise Forgivable(f"a time of day is not in a {unit}")
        return Time(*_clock_to(unit, moment), moment.offset)
    year, month, day = moment.year, moment.month, moment.day
    if unit == "week":
        days = (days_since_epoch(year, month, day) + 3) % 7  # 1970 began on a Thursday
        return date_add("day", -days, date_trunc("day", moment))
    month = {"year": 1, "quarter": (month - 1) // 3 * 3 + 1}.get(unit, month)
    day = 1 if unit in ("year", "quarter", "month") else day
    if isinstance(moment, datetime.date):
        return datetime.date(year, month, day)
    return Timestamp(year, month, day, *_clock_to(unit, moment), moment.offset, moment.precision)


def _clock_to(unit: str, moment: Time | Timestamp) -> tuple[int, int, Decimal]:
    known = UNITS.index(unit) - UNITS.index("day")
    hour = moment.hour if known >= 1 else 0
    minute = moment.minute if known >= 2 else 0
    return hour, minute, Decimal(int(moment.second)) if known >= 3 else Decimal(0)


# ---------------------------------------------------------------------------------------------------------------------
# EXTRACT


def _part(value: int, size: int, of: int) -> int:
    """A field of an interval, which has the sign of the whole."""
    return abs(value) // size % of * (-1 if value < 0 else 1)


def _offset(value: Time | Timestamp) -> int:
    if value.offset is None:
        raise Forgivable(f"the {kind(value)} has no offset")
    return value.offset


_CLOCK: dict[str, Callable[[Value], int]] = {
    "hour": lambda v: v.hour,
    "minute": lambda v: v.minute,
    "timezone_hour": lambda v: _part(_offset(v), 60, 24),
    "timezone_minute": lambda v: _part(_offset(v), 1, 60),
}
_DAY: dict[str, Callable[[Value], int]] = {
    "year": lambda v: v.year,
    "month": lambda v: v.month,
    "day": lambda v: v.day,
}
_BEYOND = 10**30
_FIELDS: dict[type, dict[str, Callable[[Value], int]]] = {
    datetime.date: {**_DAY, "hour": lambda v: 0, "minute": lambda v: 0},
    Time: _CLOCK,
    Timestamp: {**_DAY, **_CLOCK},
}
_INTERVAL_FIELDS: dict[str, dict[str, Callable[[Value], int]]] = {
    "year_month": {
        "year": lambda v: _part(v.months, 12, _BEYOND),
        "month": lambda v: _part(v.months, 1, 12),
    },
    "day_time": {
        "day": lambda v: _part(v.nanos, 86_400 * NANOS, _BEYOND),
        "hour": lambda v: _part(v.nanos, 3_600 * NANOS, 24),
        "minute": lambda v: _part(v.nanos, 60 * NANOS, 60),
    },
}


def extract(field: str, value: Value) -> int:
    fields = _INTERVAL_FIELDS.get(value.unit, {}) if isinstance(value, Interval) else _FIELDS[type(value)]
    if field not in fields:
        raise Forgivable(f"{kind(value)} has no field '{field}'")
    return fields[field](value)


def extract_second(value: Value) -> Decimal:
    if isinstance(value, Time | Timestamp):
        return value.second
    if isinstance(value, datetime.date):
        return Decimal(0)
    if value.unit != "day_time":
        raise Forgivable("an interval of months has no seconds")
    return calendar.as_seconds(_part(value.nanos, 1, 60 * NANOS))


# ---------------------------------------------------------------------------------------------------------------------
# Making them


def from_unixtime(seconds: Number) -> Timestamp:
    exact = to_decimal(seconds)
    if not exact.is_finite() or exact.adjusted() > 15:
        raise EvaluationError(f"no timestamp is {seconds} seconds after 1970")
    return calendar.later_timestamp(_EPOCH, 0, int(exact.scaleb(9)), "second")


def unix_timestamp(moment: Timestamp) -> int | Decimal:
    """An integer, unless it is known to a fraction of a second."""
    return moment.instant if moment.digits else int(moment.instant)


def make_date(year: int, month: int, day: int) -> datetime.date:
    try:
        return datetime.date(year, month, day)
    except (ValueError, OverflowError):
        raise Forgivable("there is no such day") from None


def make_time(hour: int, minute: int, second: Number, offset: int | None = None) -> Time:
    exact = to_decimal(second)
    valid = 0 <= hour < 24 and 0 <= minute < 60 and abs(offset or 0) < 24 * 60
    if not valid or not exact.is_finite() or not 0 <= exact < 60:
        raise Forgivable("there is no such time")
    return Time(hour, minute, exact, offset)


def _now(now: datetime.datetime) -> Timestamp:
    second = Decimal(now.second) + Decimal(now.microsecond).scaleb(-6)
    return Timestamp(now.year, now.month, now.day, now.hour, now.minute, second, 0)


def _now_of_day(now: datetime.datetime) -> Time:
    stamp = _now(now)
    return Time(stamp.hour, stamp.minute, stamp.second, 0)


#: The functions of nothing but the time of the run, which is given in UTC.
CLOCK: dict[str, Callable[[datetime.datetime], Value]] = {
    "current_date": lambda now: now.date(),
    "current_time": _now_of_day,
    "current_timestamp": _now,
}
