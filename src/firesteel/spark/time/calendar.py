"""The calendar: moving moments along it, and counting between them."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import Column

from firesteel import types as t
from firesteel import values
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.time import moments
from firesteel.spark.time.moments import (
    DATE,
    DAY,
    NANOS,
    PRECISIONS,
    TIME,
    TIMESTAMP,
    WHOLE,
    Moment,
    date_of,
    long,
    quotient,
)

#: The fields of intervals, in months and in seconds.
MONTHS = {"year": 12, "month": 1}
SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}

#: Moving by more than this leaves all years that there are; moving by this overflows nothing.
FAR_MONTHS, FAR_SECONDS = 3_000_000, 10_000_000_000_000
_FIRST, _LAST = values.days_since_epoch(-9_999, 1, 1), values.days_since_epoch(100_000, 1, 1) - 1
_FIRST_DATE, _LAST_DATE = values.days_since_epoch(1, 1, 1), values.days_since_epoch(10_000, 1, 1) - 1


def within(number: Column, limit: int) -> Column:
    return F.greatest(F.least(number.cast("decimal(38,0)"), F.lit(limit)), F.lit(-limit)).cast("bigint")


def split(nanos: Column) -> tuple[Column, Column]:
    """Nanoseconds, a decimal, as whole seconds, rounded down, and the nanoseconds that remain."""
    rest = F.pmod(nanos, F.literal(Decimal(NANOS), WHOLE))
    return F.call_function("div", nanos - rest, F.literal(Decimal(NANOS), WHOLE)).cast("bigint"), rest.cast("bigint")


def exactness(months: Column, seconds: Column, rest: Column) -> Column:
    """The precision that a moment must have to be moved by this: of `PRECISIONS`, `day` for whole days."""
    clock = (
        F.when((F.pmod(seconds, long(DAY)) == 0) & (rest == 0), F.lit(PRECISIONS.index("day")))
        .when((F.pmod(seconds, long(60)) == 0) & (rest == 0), F.lit(PRECISIONS.index("minute")))
        .otherwise(F.lit(PRECISIONS.index("second")))
    )
    return F.when((seconds != 0) | (rest != 0), clock).otherwise(F.when(F.pmod(months, long(12)) != 0, 1).otherwise(0))


def later(moment: Moment, months: Column, seconds: Column, rest: Column, known_to: Column) -> Column:
    """The moment moved by months and seconds, as a struct. A date moves by whole days, a time goes round the clock; a
    day that a month does not have is its last one. `encoded` raises the error for years out of range."""
    months, seconds = within(months, FAR_MONTHS), within(seconds, FAR_SECONDS)
    nanos = moment.nanos + rest
    total = moment.clock + seconds + F.when(nanos >= NANOS, long(1)).otherwise(long(0))
    midnight = F.unix_date(F.add_months(moment.date, months.cast("int"))).cast("bigint") * long(DAY)
    # Whole days, towards zero. Negative seconds with a `rest` were rounded down: take that back.
    days = quotient(seconds + F.when((seconds < 0) & (rest > 0), long(1)).otherwise(long(0)), DAY) * long(DAY)
    local_seconds: Column = midnight + total
    if TIME in moment.ranks:
        local_seconds = F.when(moment.is_rank(TIME), F.pmod(total, long(DAY))).otherwise(local_seconds)
    if DATE in moment.ranks:
        local_seconds = F.when(moment.is_rank(DATE), midnight + days).otherwise(local_seconds)
    fraction = F.pmod(nanos, long(NANOS))
    digits = F.greatest(moment.digits, moments.digits_of(rest))
    if DATE in moment.ranks:
        fraction = F.when(moment.is_rank(DATE), long(0)).otherwise(fraction)
        digits = F.when(moment.is_rank(DATE), F.lit(0)).otherwise(digits)
    precision = F.greatest(moment.precision, known_to)
    moved_moment = moments.of_moment(moment.rank, local_seconds, fraction, moment.offset, precision, digits)
    return F.when(moment.column.isNotNull(), moved_moment)


def encoded(scope: Scope, moment: Moment, where: Where) -> tuple[t.Type, Column]:
    """The type of moved moments, and their column, encoded by it. The moment is mentioned often: bind it first."""
    days = moment.day
    if moment.ranks == {DATE}:
        error = scope.run.error("no date in the year ", where, F.year(date_of(days)).cast("string"))
        bad = ~days.between(_FIRST_DATE, _LAST_DATE)
        return t.DATE, F.when(bad, error).otherwise(moment.date)
    if moment.ranks == {TIME}:
        return type_of(moment.ranks), moments.to_variant(moment)
    bad = moment.is_rank(TIMESTAMP) & ~days.between(_FIRST, _LAST)
    if DATE in moment.ranks:
        bad = bad | (moment.is_rank(DATE) & ~days.between(_FIRST_DATE, _LAST_DATE))
    error = scope.run.error("no date or timestamp in the year ", where, F.year(date_of(days)).cast("string"))
    return type_of(moment.ranks), F.when(bad, error).otherwise(moments.to_variant(moment))


def type_of(ranks: frozenset[int]) -> t.Type:
    """The type of moments of these ranks."""
    types = {DATE: (t.DATE,), TIME: _ZONED[0], TIMESTAMP: _ZONED[1]}
    return t.union(type_ for rank in sorted(ranks) for type_ in types[rank])


_ZONED = ((t.TIME, t.Time(zone=True)), (t.TIMESTAMP, t.Timestamp(zone=True)))


def seconds_between(start: Moment, end: Moment) -> Column:
    """The whole seconds from the one instant to the other."""
    seconds, nanos = end.instant - start.instant, end.nanos - start.nanos
    back, forth = (seconds > 0) & (nanos < 0), (seconds < 0) & (nanos > 0)
    return seconds + F.when(back, long(-1)).otherwise(F.when(forth, long(1)).otherwise(long(0)))


def nanos_between(start: Moment, end: Moment) -> Column:
    seconds = (end.instant - start.instant).cast("decimal(18,0)")
    whole = (seconds * F.literal(Decimal(NANOS), "decimal(10,0)")).cast("decimal(30,0)")
    return whole + (end.nanos - start.nanos).cast("decimal(12,0)")


def comparable(a: Moment, b: Moment) -> Column:
    """Both times of day, or neither."""
    return a.is_rank(TIME) == b.is_rank(TIME)


def months_between(start: Moment, end: Moment) -> Column:
    """The whole months from the one instant to the other, neither of them a time of day."""
    (a, into_a), (b, into_b) = (_month(moment) for moment in (start, end))
    months = b - a
    less = (months > 0) & (into_b < into_a)
    more = (months < 0) & (into_b > into_a)
    return months + F.when(less, long(-1)).otherwise(F.when(more, long(1)).otherwise(long(0)))


def _month(moment: Moment) -> tuple[Column, Column]:
    """The month, counted from the year 0, and how far the instant is in it."""
    date = date_of(moments.floored(moment.instant, DAY))
    month = F.year(date).cast("bigint") * long(12) + F.month(date).cast("bigint")
    clock = F.pmod(moment.instant, long(DAY))
    return month, F.struct(F.day(date).alias("d"), clock.alias("s"), moment.nanos.alias("n"))
