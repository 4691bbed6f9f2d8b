"""The calendar: moving moments along it and counting between them.

A moment is a date, a time of day or a timestamp. Adding to one keeps its offset. Differences
are counted between instants; a moment without an offset counts as UTC. A day beyond the end of a month becomes its
last day.
"""

from __future__ import annotations

import datetime
from decimal import Decimal

from firesteel.errors import EvaluationError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import kind
from firesteel.values import Time, Timestamp, days_since_epoch

Moment = datetime.date | Time | Timestamp

#: How many of the smallest the fields are: of months, and of seconds.
MONTHS = {"year": 12, "month": 1}
SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
NANOS = 10**9

#: The years that a timestamp may come to; dates have those of four digits.
_YEARS = range(-9_999, 100_000)
_CYCLE = 146_097
#: How exactly an Ion timestamp may be known, the least exactly first.
_PRECISIONS = ("year", "month", "day", "minute", "second")


def midnight(day: datetime.date) -> Timestamp:
    return Timestamp(day.year, day.month, day.day)


def later(moment: Moment, months: int = 0, nanos: int = 0, known_to: str | None = None) -> Moment:
    """So much later, or earlier. A date moves by whole days, a time goes round the clock. A timestamp becomes known as
    exactly as it has to be, or as is said: a month after `2017T` is `2017-02T`."""
    if isinstance(moment, Timestamp):
        return later_timestamp(moment, months, nanos, known_to or _exactness(months, nanos))
    if isinstance(moment, Time):
        if months:
            raise Forgivable("a time of day does not move by months")
        _, hour, minute, second = _clock(moment, nanos)
        return Time(hour, minute, second, moment.offset)
    days = abs(nanos) // (SECONDS["day"] * NANOS) * (-1 if nanos < 0 else 1)
    moved = later_timestamp(midnight(moment), months, days * SECONDS["day"] * NANOS, "day")
    if not 1 <= moved.year <= 9_999:
        raise EvaluationError(f"no date in the year {moved.year}")
    return moved.date


def later_timestamp(moment: Timestamp, months: int, nanos: int, known_to: str) -> Timestamp:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    days, hour, minute, second = _clock(moment, nanos)
    # The last day of a month is the one before the first day of the next.
    first, next_first = (days_since_epoch(y, m + 1, 1) for y, m in ((year, month), divmod(year * 12 + month + 1, 12)))
    year, month, day = _date_of(min(first + moment.day, next_first) - 1 + days)
    if year not in _YEARS:
        raise EvaluationError(f"no timestamp in the year {year}")
    precision = max(moment.precision, known_to, key=_PRECISIONS.index)
    return Timestamp(year, month, day, hour, minute, second, moment.offset, precision)


def _date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day so many days after 1970-01-01. The calendar repeats every 400 years."""
    cycles, rest = divmod(days, _CYCLE)
    date = datetime.date(1970, 1, 1) + datetime.timedelta(rest)
    return date.year + cycles * 400, date.month, date.day


def _exactness(months: int, nanos: int) -> str:
    if nanos:
        return next((unit for unit in ("day", "minute") if not nanos % (SECONDS[unit] * NANOS)), "second")
    return "month" if months % MONTHS["year"] else "year"


def _clock(moment: Time | Timestamp, nanos: int) -> tuple[int, int, int, Decimal]:
    """The time of day so much later, and the days that have passed until then."""
    seconds, rest = divmod(nanos, NANOS)
    whole = int(moment.second)
    fraction = moment.second - whole + Decimal(rest).scaleb(-9).normalize()
    if fraction >= 1:
        fraction, seconds = fraction - 1, seconds + 1
    days, clock = divmod(moment.hour * 3_600 + moment.minute * 60 + whole + seconds, SECONDS["day"])
    return days, clock // 3_600, clock // 60 % 60, clock % 60 + fraction


def at_utc(moment: Moment) -> Timestamp:
    """The same instant, told in UTC."""
    if isinstance(moment, Time):
        raise Forgivable("a time of day has no date")
    if isinstance(moment, datetime.date):
        return midnight(moment)
    return later_timestamp(moment, 0, -(moment.offset or 0) * SECONDS["minute"] * NANOS, "minute")


def seconds_between(start: Moment, end: Moment) -> Decimal:
    """From the one to the other: both of them times of day, or neither."""
    if isinstance(start, Time) != isinstance(end, Time):
        raise Forgivable(f"nothing can be counted from {kind(start)} to {kind(end)}")
    return _instant(end) - _instant(start)


def _instant(moment: Moment) -> Decimal:
    return midnight(moment).instant if isinstance(moment, datetime.date) else moment.instant


def as_seconds(nanos: int) -> Decimal:
    seconds, rest = divmod(nanos, NANOS)
    return seconds + Decimal(rest).scaleb(-9).normalize()


def months_between(start: Moment, end: Moment) -> int:
    """The whole months from the one to the other."""
    a, b = at_utc(start), at_utc(end)
    months = (b.year - a.year) * 12 + b.month - a.month
    into_a, into_b = ((m.day, m.hour, m.minute, m.second) for m in (a, b))
    if months > 0 and into_b < into_a:
        return months - 1
    return months + 1 if months < 0 and into_b > into_a else months
