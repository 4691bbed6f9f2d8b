"""Rounding moments: to a multiple of a unit, counted from an origin or from the start of a larger unit.

A moment is a number of microseconds, in local time if there is a zone. It is divided by units of fixed length. Months
are counted by the calendar; that first count may be off by one and is corrected.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.encoding.variants import let
from firesteel.spark.scalar.substrait.base import Call, Scalar, scalar
from firesteel.spark.scalar.substrait.dates import instant, local
from firesteel.spark.time.moments import long

_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}


def _micros(column: Column) -> Column:
    return F.unix_micros(column.cast("timestamp"))


def _local(call: Call, at: int, zone: Column | None) -> Column:
    arg = call.args[at]
    if form(arg.type) is Form.VARIANT:
        raise call.unsupported("times of day, or more than six digits of a second")
    return local(call, arg, zone)


def _start(moment: Column, unit: str) -> Column:
    """The start of the unit (year, week ...) that the moment is in."""
    if unit in ("SUNDAY_WEEK", "US_WEEK"):
        return F.date_add(moment.cast("date"), -(F.dayofweek(moment) - 1))
    return F.date_trunc("WEEK" if unit.endswith("WEEK") else unit, moment)


def _round_temporal(call: Call) -> Column:
    zone = call.args[2].plain if len(call.args) > 3 else None
    return _round(call, zone, lambda moment: _local(call, len(call.args) - 1, zone))


def _round_calendar(call: Call) -> Column:
    zone = call.args[2].plain if len(call.args) > 2 else None
    return _round(call, zone, lambda moment: _start(moment, call.choice("origin", "YEAR")))


def _round(call: Call, zone: Column | None, origin: Callable[[Column], Column]) -> Column:
    moment, multiple = _local(call, 0, zone), call.args[1].plain
    unit = call.choice("unit", "DAY")
    start = origin(moment)
    around = _by_months if unit in _MONTHS else _by_micros
    micros = let(around(moment, start, multiple, unit), lambda pair: _choose(pair, call.choice("rounding", "FLOOR")))
    rounded = F.timestamp_micros(micros)
    if call.constant(1) is None or not isinstance(call.constant(1), int) or call.constant(1) < 1:
        rounded = F.when(multiple < 1, call.error("a multiple of less than one")).otherwise(rounded)
    if isinstance(call.returns, t.Date):
        return rounded.cast("date")
    rounded = rounded.cast("timestamp_ntz")
    return instant(rounded, zone) if isinstance(call.returns, t.Timestamp) and call.returns.zone else rounded


def _by_micros(moment: Column, start: Column, multiple: Column, unit: str) -> Column:
    """The moment, the last multiple that is not after it, and the next one."""

    def around(given: Column) -> Column:
        before = given["m"] - F.pmod(given["m"] - given["o"], given["s"])
        return _pair(given["m"], before, before + given["s"])

    size = F.when(multiple >= 1, multiple * long(_MICROS[unit]))
    return let(F.struct(_micros(moment).alias("m"), _micros(start).alias("o"), size.alias("s")), around)


def _by_months(moment: Column, start: Column, multiple: Column, unit: str) -> Column:
    def at(given: Column, steps: Column) -> Column:
        return _micros(F.timestamp_add("MONTH", (steps * given["s"]).cast("int"), given["o"]))

    def count(given: Column) -> Column:
        months = (F.year(given["m"]) - F.year(given["o"])) * 12 + F.month(given["m"]) - F.month(given["o"])
        steps = F.floor(months.cast("double") / given["s"]).cast("bigint")
        return let(F.struct(steps.alias("n"), given.alias("g")), correct)

    def correct(given: Column) -> Column:
        """Correct the count by one where the time of day or a short month requires it."""
        steps, inner = given["n"], given["g"]
        before, after = at(inner, steps), at(inner, steps + 1)
        moment_ = _micros(inner["m"])
        return (
            F.when(moment_ < before, _pair(moment_, at(inner, steps - 1), before))
            .when(moment_ >= after, _pair(moment_, after, at(inner, steps + 2)))
            .otherwise(_pair(moment_, before, after))
        )

    size = F.when(multiple >= 1, multiple * long(_MONTHS[unit]))
    parts = (moment.cast("timestamp_ntz").alias("m"), start.cast("timestamp_ntz").alias("o"), size.alias("s"))
    return let(F.struct(*parts), count)


def _pair(moment: Column, before: Column, after: Column) -> Column:
    return F.struct(moment.alias("m"), before.alias("b"), after.alias("a"))


def _choose(pair: Column, rounding: str) -> Column:
    moment, before, after = pair["m"], pair["b"], pair["a"]
    match rounding:
        case "FLOOR":
            return before
        case "CEIL":
            later = moment > before
        case "ROUND_TIE_UP":
            later = (moment > before) & (moment - before >= after - moment)
        case _:
            later = moment - before > after - moment
    return F.when(later, after).otherwise(before)


CALENDARS: dict[str, Scalar] = {
    "round_temporal": scalar(_round_temporal, twice=True, cost=Depth.HUGE),
    "round_calendar": scalar(_round_calendar, twice=True, cost=Depth.HUGE),
}
