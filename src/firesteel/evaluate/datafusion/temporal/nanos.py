"""Moments as numbers of nanoseconds."""

from __future__ import annotations

import datetime
from dataclasses import replace
from decimal import Decimal

from firesteel.evaluate.scalar.calendar import later
from firesteel.values import Time, Timestamp, Value, days_since_epoch

NANOS = 10**9
DAY = 86_400 * NANOS


def nanos_of(moment: Value) -> int:
    """The nanoseconds from 1970, or of a time of day from midnight."""
    if isinstance(moment, datetime.date):
        return days_since_epoch(moment.year, moment.month, moment.day) * DAY
    return int(moment.instant.scaleb(9))


def of_nanos(nanos: int, zone: bool) -> Timestamp:
    """The timestamp so many nanoseconds from 1970."""
    start = Timestamp(1970, 1, 1, 0, 0, Decimal(0), 0 if zone else None)
    made = later(start, 0, nanos)
    assert isinstance(made, Timestamp)
    return replace(made, precision="second")


def time_of(nanos: int) -> Time:
    """The time of day so many nanoseconds after midnight."""
    second, fraction = divmod(nanos % DAY, NANOS)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return Time(hour, minute, Decimal(second) + Decimal(fraction).scaleb(-9))


def towards_zero(number: int, unit: int) -> int:
    """How many whole units there are in a number, counted towards zero, as Arrow divides."""
    return -(-number // unit) if number < 0 else number // unit
