"""Casts to dates, times, timestamps and intervals: from each other, and from text."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from firesteel import types as t
from firesteel.evaluate.scalar.calendar import midnight
from firesteel.evaluate.substrait.moments import digits, in_utc
from firesteel.evaluate.substrait.text_casts import cast_error
from firesteel.values import Interval, Time, Timestamp, Value

Cast = Callable[[Value], Value]

_DATE = r"(\d{4,6})-(\d{1,2})-(\d{1,2})"
_CLOCK = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2}(?:\.\d{1,12})?))?"
_ZONE = r"\s*(Z|z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
_DATES = re.compile(rf"{_DATE}(?:[ T].*)?", re.ASCII)
_TIMES = re.compile(_CLOCK, re.ASCII)
_TIMESTAMPS = re.compile(rf"{_DATE}(?:[ T]{_CLOCK}{_ZONE})?", re.ASCII)


def to_date(source: t.Type, target: t.Type) -> Cast | None:
    """The cast to a date."""

    def to(value: Value) -> datetime.date:
        if isinstance(value, Timestamp):
            return in_utc(value).date
        if isinstance(value, datetime.date):
            return value
        found = _DATES.fullmatch(value.strip())
        try:
            return datetime.date(*map(int, found.groups()[:3])) if found else _never(value, target)
        except ValueError:
            raise cast_error(value, target) from None

    return to if isinstance(source, t.Text | t.Timestamp | t.Date) else None


def _never(value: Value, target: t.Type) -> datetime.date:
    raise cast_error(value, target)


def to_time(source: t.Type, target: t.Type) -> Cast | None:
    """The cast to a time of day."""
    assert isinstance(target, t.Time)
    precision = 6 if target.precision is None else target.precision

    def to(value: Value) -> Time:
        if isinstance(value, Timestamp):
            value = in_utc(value)
            value = Time(value.hour, value.minute, value.second)
        if isinstance(value, str):
            found = _TIMES.fullmatch(value.strip())
            if found is None or int(found[1]) > 23 or int(found[2]) > 59 or Decimal(found[3] or 0) >= 60:
                raise cast_error(value, target)
            value = Time(int(found[1]), int(found[2]), Decimal(found[3] or 0))
        made: Time = digits(value, precision)
        return made

    return to if isinstance(source, t.Text | t.Timestamp | t.Time) else None


def to_timestamp(source: t.Type, target: t.Type) -> Cast | None:
    """The cast to a timestamp."""
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
        raise cast_error(text, target)
    year, month, day, hour, minute, second, zone = found.groups()
    try:
        datetime.datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(Decimal(second or 0)))
    except ValueError:
        raise cast_error(text, target) from None
    clock = (int(hour or 0), int(minute or 0), Decimal(second or 0))
    return Timestamp(int(year), int(month), int(day), *clock, _offset(zone))


def _offset(zone: str | None) -> int | None:
    if zone is None or zone.upper() in ("Z", "UTC"):
        return None if zone is None else 0
    hours, minutes = zone[1:].replace(":", "")[:2], zone[1:].replace(":", "")[2:]
    total = int(hours) * 60 + int(minutes or 0)
    return -total if zone.startswith("-") else total


def to_interval(source: t.Type, target: t.Type) -> Cast | None:
    """The cast to an interval of the same unit."""
    assert isinstance(target, t.Interval)
    unit, precision = target.unit, target.precision

    def to(value: Interval) -> Interval:
        if unit != "day_time" or precision is None:
            return value
        step = 10 ** (9 - min(9, precision))
        return Interval("day_time", nanos=int(value.nanos / step) * step if step > 1 else value.nanos)

    return to if isinstance(source, t.Interval) and source.unit == unit else None
