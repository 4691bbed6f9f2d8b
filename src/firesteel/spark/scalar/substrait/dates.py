"""Functions of dates, times, timestamps and intervals.

Timestamps of up to six digits of a second are Spark's own. With a zone they are instants, and their calendar fields are
those of the local time in the zone that the call names. Intervals are mostly literals: then their months and
microseconds are literals, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.spark.core.expr import Depth, Expr, Split
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.scalar.substrait.base import Call, Scalar, arguments, scalar
from firesteel.spark.scalar.substrait.logic import compared
from firesteel.spark.scalar.temporal import intervals
from firesteel.spark.time import moments
from firesteel.spark.time.moments import Moment, long, quotient

_DAY, _SECOND = 86_400, 1_000_000


def _zone(call: Call, at: int) -> Column:
    """The name of a time zone; Spark raises an error if there is none of that name."""
    return call.args[at].plain


def plain_moment(call: Call, expr: Expr) -> Column:
    if form(expr.type) is Form.VARIANT:
        raise call.unsupported("more than six digits of a second")
    return expr.plain


def local(call: Call, expr: Expr, zone: Column | None) -> Column:
    """A timestamp or a date in local time, as a column without a zone."""
    column = plain_moment(call, expr)
    if isinstance(expr.type, t.Timestamp) and expr.type.zone:
        column = column.cast("timestamp_ntz")
        return column if zone is None else F.convert_timezone(F.lit("UTC"), zone, column)
    return column


def instant(column: Column, zone: Column | None) -> Column:
    """A local timestamp as an instant."""
    utc = column if zone is None else F.convert_timezone(zone, F.lit("UTC"), column)
    return utc.cast("timestamp")


# ---------------------------------------------------------------------------------------------------------------------
# Intervals


def span(call: Call, expr: Expr) -> tuple[Column, Column]:
    """The months and the microseconds of an interval."""
    if isinstance(expr.constant, values.Interval):
        value = expr.constant
        if value.nanos % 1_000:
            raise call.unsupported("more than six digits of a second")
        return F.lit(value.months), long(value.nanos // 1_000)
    struct = moments.interval(call.scope, expr, call.where).column
    micros = F.call_function("div", struct["n"], F.literal(1_000, "decimal(4,0)")).cast("bigint")
    return struct["m"].cast("int"), micros


def _absent(expr: Expr) -> bool:
    return isinstance(expr.type, t.Null) or expr.constant is None


def add_interval(direction: int) -> Scalar:
    """A date or timestamp plus or minus an interval. January 31 plus one month is the last day of February."""

    def build(call: Call) -> Column:
        x, by = call.args[0], call.args[1]
        if form(call.returns) is Form.VARIANT:
            raise call.unsupported("more than six digits of a second")
        if _absent(by):
            return F.literal(None, call.spark)
        months, micros = span(call, by)
        if direction < 0:
            months, micros = -months, -micros
        if isinstance(by.type, t.Interval) and by.type.unit == "year_month":
            return _by_months(call, x, months)
        column = plain_moment(call, x)
        if isinstance(x.type, t.Date):
            column = column.cast("timestamp_ntz")
        return F.timestamp_add("MICROSECOND", micros, column)

    def _by_months(call: Call, x: Expr, months: Column) -> Column:
        if isinstance(x.type, t.Date):
            return F.add_months(x.plain, months)
        zone = _zone(call, 2) if len(call.args) > 2 else None
        later = F.timestamp_add("MONTH", months, local(call, x, zone))
        return instant(later, zone) if isinstance(x.type, t.Timestamp) and x.type.zone else later

    return scalar(build, twice=True, cost=Depth.SMALL)


def of_intervals(name: str) -> Scalar:
    """`plus` of two intervals, or `times` of an interval and an integer."""

    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        a, b = arguments(fn, args)
        result = intervals.binary(scope, name, a, b, None, where)
        if isinstance(result, Split):
            return result
        return replace(result, type=t.absent(fn.returns, nullable=result.type.nullable))

    return apply


# ---------------------------------------------------------------------------------------------------------------------
# Parts


def _week(days: Column) -> Column:
    return (quotient(days.cast("bigint"), 7)).cast("bigint")


def _wednesday(date: Column) -> Column:
    """The Wednesday of the week (from Sunday) that the day is in. Its year is the year of the week."""
    return F.date_add(date, F.lit(4) - F.dayofweek(date))


#: Fields of a date that are counted from one.
_COUNTED: dict[str, Callable[[Column], Column]] = {
    "QUARTER": F.quarter,
    "MONTH": F.month,
    "DAY": F.day,
    "DAY_OF_YEAR": F.dayofyear,
    "MONDAY_DAY_OF_WEEK": lambda date: F.weekday(date) + 1,
    "SUNDAY_DAY_OF_WEEK": F.dayofweek,
    "MONDAY_WEEK": lambda date: _week(F.dayofyear(date) + 6 - F.weekday(date)),
    "SUNDAY_WEEK": lambda date: _week(F.dayofyear(date) + 7 - F.dayofweek(date)),
    "ISO_WEEK": F.weekofyear,
    "US_WEEK": lambda date: _week(F.dayofyear(_wednesday(date)) + 6),
}
_YEARS: dict[str, Callable[[Column], Column]] = {
    "YEAR": F.year,
    "ISO_YEAR": lambda date: F.extract(F.lit("YEAROFWEEK"), date),
    "US_YEAR": lambda date: F.year(_wednesday(date)),
}
_CLOCK: dict[str, Callable[[Column], Column]] = {"HOUR": F.hour, "MINUTE": F.minute, "SECOND": F.second}
#: Fractions of a second: (microseconds per unit, modulus in microseconds). MILLISECOND and MICROSECOND include the
#: seconds of the minute, as in the specification's test cases; SUBSECOND does not.
_FRACTIONS: dict[str, tuple[int, int]] = {
    "MILLISECOND": (1_000, 60 * _SECOND),
    "MICROSECOND": (1, 60 * _SECOND),
    "SUBSECOND": (1, _SECOND),
}


def _micros(column: Column) -> Column:
    """Microseconds since 1970 of a local timestamp."""
    return F.unix_micros(column.cast("timestamp"))


def _extract(call: Call) -> Column:
    component = call.choice("component", "")
    x = call.args[0]
    zone = _zone(call, 1) if len(call.args) > 1 else None
    if isinstance(x.type, t.Time):
        return _of_time(call, x, component)
    if component == "UNIX_TIME":
        return F.unix_seconds(plain_moment(call, x).cast("timestamp"))
    column = local(call, x, zone)
    if component in _COUNTED:
        found = _COUNTED[component](column).cast("bigint")
        return found - 1 if call.choice("indexing", "ONE") == "ZERO" else found
    if component in _YEARS:
        return _YEARS[component](column).cast("bigint")
    if component in _CLOCK:
        return _CLOCK[component](column).cast("bigint")
    if component in ("NANOSECOND", "PICOSECOND"):
        return F.when(column.isNotNull(), long(0))
    if component == "TIMEZONE_OFFSET":
        away = _micros(column) - F.unix_micros(plain_moment(call, x))
        return quotient(away, _SECOND)
    if component not in _FRACTIONS:
        raise call.unsupported(f"the component '{component}'")
    unit, whole = _FRACTIONS[component]
    return quotient(F.pmod(_micros(column), long(whole)), unit)


def _of_time(call: Call, x: Expr, component: str) -> Column:
    moment = Moment(moments.moment(call.scope, x, call.where).column, frozenset({moments.TIME}))
    seconds = F.pmod(moment.seconds, long(60))
    match component:
        case "HOUR":
            return moments.hour_of(moment)
        case "MINUTE":
            return moments.minute_of(moment)
        case "SECOND":
            return seconds
        case "MILLISECOND":
            return seconds * long(1_000) + quotient(moment.nanos, 1_000_000)
        case "MICROSECOND":
            return seconds * long(1_000_000) + quotient(moment.nanos, 1_000)
        case "SUBSECOND":
            return quotient(moment.nanos, 1_000)
    raise call.unsupported(f"the component '{component}' of a time")


def _extract_boolean(call: Call) -> Column:
    x = call.args[0]
    zone = _zone(call, 1) if len(call.args) > 1 else None
    if call.choice("component", "IS_LEAP_YEAR") != "IS_LEAP_YEAR":
        raise call.unsupported("whether it is summer time")
    year = F.year(local(call, x, zone))
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


# ---------------------------------------------------------------------------------------------------------------------
# Zones


def _assume(call: Call) -> Column:
    x = call.args[0]
    column = plain_moment(call, x).cast("timestamp_ntz") if isinstance(x.type, t.Date) else plain_moment(call, x)
    if form(call.returns) is Form.VARIANT:
        raise call.unsupported("more than six digits of a second")
    return instant(column, _zone(call, 1))


def _localized(call: Call) -> Column:
    if form(call.returns) is Form.VARIANT:
        raise call.unsupported("more than six digits of a second")
    return local(call, call.args[0], _zone(call, 1))


DATES: dict[str, Scalar] = {
    "add": add_interval(1),
    "subtract": add_interval(-1),
    "add_intervals": of_intervals("plus"),
    "multiply": of_intervals("times"),
    "extract": scalar(_extract, twice=True, cost=Depth.MEDIUM),
    "extract_boolean": scalar(_extract_boolean, twice=True, cost=Depth.MEDIUM),
    "assume_timezone": scalar(_assume),
    "local_timestamp": scalar(_localized),
    **{name: compared(name) for name in ("lt", "lte", "gt", "gte")},
}
