"""Arithmetic with intervals, and with moments that they move or lie between.

An interval is of months or of seconds, and those do not mix. What it is multiplied or divided to has no more digits
than it may have, the others being cut off; more before the point are an overflow, an error in both modes.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from firesteel.errors import EvaluationError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import kind
from firesteel.evaluate.scalar import calendar
from firesteel.evaluate.scalar.arithmetic import Number, to_decimal
from firesteel.evaluate.scalar.calendar import MONTHS, NANOS, SECONDS, Moment
from firesteel.evaluate.scalar.compare import gt, gte
from firesteel.evaluate.scalar.logic import all_of, any_of, negate
from firesteel.values import Bag, Interval, Time, Timestamp, Value, absent

#: Exact for every interval that there is, and every number that could make one of it.
_EXACT = decimal.Context(prec=200, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
_FARTHEST = 40
_DIGITS = 9


def plus(a: Value, b: Value) -> Value:
    if not isinstance(b, Interval):
        a, b = b, a
    return _sum(a, b, 1) if isinstance(a, Interval) else _moved(a, b, 1)


def minus(a: Value, b: Value) -> Value:
    if not isinstance(b, Interval):
        between = calendar.seconds_between(b, a)
        return _fitting(Interval("day_time", nanos=int(between.scaleb(9))))
    return _sum(a, b, -1) if isinstance(a, Interval) else _moved(a, b, -1)


def _sum(a: Interval, b: Interval, sign: int) -> Interval:
    if a.unit != b.unit:
        raise Forgivable("an interval of months and one of seconds have no sum")
    fraction = max(a.fraction, b.fraction)
    return _fitting(Interval(a.unit, a.months + sign * b.months, a.nanos + sign * b.nanos, _DIGITS, fraction))


def _moved(moment: Moment, interval: Interval, sign: int) -> Moment:
    if isinstance(moment, Time) and interval.unit != "day_time":
        raise Forgivable("a time of day does not move by months")
    return calendar.later(moment, sign * interval.months, sign * interval.nanos)


def _fitting(interval: Interval) -> Interval:
    """The interval cut to its digits after the point; too many digits before the point are an overflow."""
    unit = 10 ** (9 - interval.fraction)
    nanos = abs(interval.nanos) // unit * unit * (-1 if interval.nanos < 0 else 1)
    largest = max(abs(interval.months) // MONTHS["year"], abs(nanos) // (SECONDS["day"] * NANOS))
    if largest >= 10**interval.digits:
        field = "years" if interval.months else "days"
        raise EvaluationError(f"interval overflow: {largest} {field} take more than {interval.digits} digits")
    return replace(interval, nanos=nanos)


def fit(interval: Interval, first: str, last: str, digits: int, fraction: int) -> Interval:
    """The interval as one of the fields from the first to the last; what is smaller than the last is cut off."""
    months = interval.unit == "year_month"
    sizes = MONTHS if months else {name: seconds * NANOS for name, seconds in SECONDS.items()}
    if interval.unit == "compound" or first not in sizes or last not in sizes:
        raise Forgivable(f"an interval of {'months' if months else 'seconds'} has no {first} and {last}")
    if not (1 <= digits <= _DIGITS and 0 <= fraction <= _DIGITS):
        raise EvaluationError(f"a field of an interval has 1 to {_DIGITS} digits, and a second up to {_DIGITS} more")
    amount = interval.months if months else interval.nanos
    unit = 10 ** (9 - fraction) if last == "second" else sizes[last]
    size = abs(amount) // unit * unit
    if size // sizes[first] >= 10**digits:
        raise EvaluationError(f"interval overflow: {size // sizes[first]} {first}s take more than {digits} digits")
    amount = -size if amount < 0 else size
    return Interval(interval.unit, amount if months else 0, 0 if months else amount, digits, fraction)


def times(a: Interval | Number, b: Interval | Number) -> Interval:
    if not isinstance(a, Interval):
        a, b = b, a
    assert isinstance(a, Interval)
    assert not isinstance(b, Interval)
    # A float counts as it is written, so that 10 seconds times 3e-1 are 3.
    return _scaled(a, b, _EXACT.multiply, to_decimal)


def divide(interval: Interval, number: Number) -> Interval:
    if number == 0:
        raise EvaluationError("division by zero")
    # A float counts as what it is, a little more or less than what is written.
    return _scaled(interval, number, _EXACT.divide, Decimal)


def _scaled(
    interval: Interval,
    number: Number,
    operation: Callable[[Decimal, Decimal], Decimal],
    exactly: Callable[[Number], Decimal],
) -> Interval:
    if not math.isfinite(number):
        raise EvaluationError(f"interval overflow: by {number}")

    def scale(amount: int, factor: Decimal) -> int:
        scaled = operation(Decimal(amount), factor)
        if scaled and scaled.adjusted() > _FARTHEST:
            raise EvaluationError("interval overflow: the result is out of range")
        return int(scaled)

    months = scale(interval.months, to_decimal(number))
    return _fitting(replace(interval, months=months, nanos=scale(interval.nanos, exactly(number))))


def neg(interval: Interval) -> Interval:
    return replace(interval, months=-interval.months, nanos=-interval.nanos)


def absolute(interval: Interval) -> Interval:
    return neg(interval) if (interval.months, interval.nanos) < (0, 0) else interval


# ---------------------------------------------------------------------------------------------------------------------
# OVERLAPS


def overlaps(a: Value, b: Value) -> bool | None:
    """SQL's: a period is a moment and another one, or an interval. Which of its ends comes first does not matter, and
    one that is absent leaves the answer open where it could matter. Periods that only touch do not overlap."""
    (start, end), (other, other_end) = _period(a), _period(b)
    begins_inside = all_of(_after(start, other), negate(_behind(start, end, other_end)))
    is_begun_inside = all_of(_after(other, start), negate(_behind(other, other_end, end)))
    known = None if end is None or other_end is None else True
    begin_together = all_of(_reaches(start, other), _reaches(other, start), known)
    return any_of(begins_inside, is_begun_inside, begin_together)


def _behind(start: Value, end: Value, other_end: Value) -> bool | None:
    """Is the period after the end of the other?"""
    return all_of(_reaches(start, other_end), _reaches(end, other_end))


def _after(a: Value, b: Value) -> bool | None:
    return None if a is None or b is None else gt(a, b)


def _reaches(a: Value, b: Value) -> bool | None:
    return None if a is None or b is None else gte(a, b)


def _period(value: Value) -> tuple[Value, Value]:
    """Start and end, NULL where it is not known."""
    items = value.items if isinstance(value, Bag) else value
    if len(items) != 2:
        raise Forgivable(f"a period is a collection of two, not of {len(items)}")
    start, end = (None if absent(item) else item for item in items)
    if not isinstance(start, datetime.date | Time | Timestamp | None):
        raise Forgivable(f"a period begins with a moment, not {kind(start)}")
    if not isinstance(end, datetime.date | Time | Timestamp | Interval | None):
        raise Forgivable(f"a period ends with a moment or an interval, not {kind(end)}")
    if isinstance(end, Interval):
        end = None if start is None else plus(start, end)
    known = start is not None and end is not None
    return (end, start) if start is None or (known and gt(start, end)) else (start, end)
