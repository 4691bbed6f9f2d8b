"""Functions on dates, times and timestamps. The field (`year`, `month` ...) must be a literal to be native."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.scalar.dates import CLOCK, UNITS
from firesteel.spark.core.expr import Depth, Expr, Variant
from firesteel.spark.core.literals import literal
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.numbers.exact_decimals import exact_number
from firesteel.spark.scalar.arguments import call
from firesteel.spark.time import calendar, moments
from firesteel.spark.time.calendar import MONTHS, SECONDS
from firesteel.spark.time.moments import DATE, DAY, NANOS, TIME, TIMESTAMP, Interval, Moment, long, quotient

_DAYS = frozenset({"year", "month", "day"})
_FINEST = {"year": 0, "month": 1, "day": 2, "hour": 3, "minute": 3, "second": 4}


def _field(scope: Scope, name: str, field: Expr, where: Where) -> str:
    if not isinstance(field.constant, str):
        raise UnsupportedError(f"'{name}' of a field that only the run knows is not native on Spark", where=where)
    return str(field.constant)


def _no_field(scope: Scope, field: str, where: Where) -> Column:
    return scope.run.error(f"no '{field}' to count in: {', '.join((*MONTHS, *SECONDS))}", where)


def date_add(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """DATE_ADD. Adding hours, minutes or seconds to a date gives a timestamp."""
    field = _field(scope, "date_add", args[0], where)
    ranks = moments.ranks_of(args[2])
    clock = field not in _DAYS
    moved = frozenset(
        TIMESTAMP if clock and rank == DATE else rank for rank in ranks - (frozenset() if clock else {TIME})
    )
    if field not in MONTHS and field not in SECONDS:
        error = _no_field(scope, field, where).cast("bigint")
        return call(scope, "date_add", args[1:], ("int", "moment"), lambda n, m: error, t.INT64, where, throws=True)
    if not moved:
        moved = frozenset({TIMESTAMP})

    def native(count: Column, column: Column) -> Column:
        rank = column["r"] if not clock else F.when(column["r"] == DATE, TIMESTAMP).otherwise(column["r"])
        moment = Moment(_with_rank(column, rank), moved)
        zero = long(0)
        months = _times(count, MONTHS[field]) if field in MONTHS else zero
        seconds = zero if field in MONTHS else _times(count, SECONDS[field])
        made = calendar.later(moment, months, seconds, zero, F.lit(_FINEST[field]))
        fits = F.lit(True) if clock else column["r"] != TIME
        return F.when(count.isNotNull() & column.isNotNull() & fits, variants.let(made, encode))

    def encode(column: Column) -> Column:
        return calendar.encoded(scope, Moment(column, moved), where)[1]

    type_, _ = calendar.encoded(scope, Moment(F.col("x"), moved), where)
    families = ("int", "moment")
    said = f"a time of day is not counted in {field}s"
    return call(
        scope, "date_add", args[1:], families, native, type_, where, partial=said, throws=True, cost=Depth.VERY_DEEP
    )


def _with_rank(column: Column, rank: Column) -> Column:
    return F.struct(rank.cast("int").alias("r"), *(column[name].alias(name) for name in "snopg"))


def _times(count: Column, size: int) -> Column:
    return calendar.within(count, calendar.FAR_SECONDS) * long(size)


def date_diff(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """DATE_DIFF: the number of complete years, months ... between two moments."""
    field = _field(scope, "date_diff", args[0], where)
    ranks = [moments.ranks_of(arg) for arg in args[1:]]

    def native(a: Column, b: Column) -> Column:
        start, end = (Moment(column, found) for column, found in zip((a, b), ranks, strict=True))
        fits = calendar.comparable(start, end)
        if field in _DAYS:
            fits = fits & ~start.is_rank(TIME)
        if field in MONTHS:
            months = calendar.months_between(start, end)
            return F.when(fits, quotient(months, MONTHS[field]))
        return F.when(fits, quotient(calendar.seconds_between(start, end), SECONDS[field]))

    if field not in MONTHS and field not in SECONDS:
        error = _no_field(scope, field, where).cast("bigint")
        return call(scope, "date_diff", args[1:], ("moment",) * 2, lambda a, b: error, t.INT64, where, throws=True)
    said = f"nothing can be counted in {field}s between these"
    return call(scope, "date_diff", args[1:], ("moment",) * 2, native, t.INT64, where, partial=said, cost=Depth.DEEP)


def date_trunc(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """DATE_TRUNC: the start of a unit of time. A week starts on Monday."""
    unit = _field(scope, "date_trunc", args[0], where).lower()
    ranks = moments.ranks_of(args[1])
    if unit not in UNITS:
        error = scope.run.error(f"no '{unit}' to cut to: {', '.join(UNITS)}", where).cast("bigint")
        return call(scope, "date_trunc", args[1:], ("moment",), lambda m: error, t.INT64, where, throws=True)
    days = UNITS.index(unit) <= UNITS.index("day")
    if isinstance(args[1].type, t.Date) and not isinstance(args[1], Variant):
        same = not days or unit == "day"
        cut = args[1].plain if same else F.trunc(args[1].plain, unit)
        return call(scope, "date_trunc", args[1:], ("date",), lambda _: cut, t.DATE, where)
    kept = (ranks - {TIME} if days else ranks) or frozenset({TIMESTAMP})

    def native(column: Column) -> Column:
        moment, zero = Moment(column, ranks), F.lit(0)
        seconds = _start(moment, unit)
        made = moments.of_moment(column["r"], seconds, zero, moment.offset, moment.precision, zero)
        fits = column["r"] != TIME if days else column.isNotNull()
        return F.when(fits, variants.let(made, lambda one: calendar.encoded(scope, Moment(one, kept), where)[1]))

    type_, _ = calendar.encoded(scope, Moment(F.col("x"), kept), where)
    said = f"a time of day is not in a {unit}"
    return call(
        scope, "date_trunc", args[1:], ("moment",), native, type_, where, partial=said, throws=True, cost=Depth.DEEP
    )


def _start(moment: Moment, unit: str) -> Column:
    """The second at which the unit starts."""
    if unit in SECONDS:
        return moment.seconds - F.pmod(moment.seconds, long(SECONDS[unit]))
    if unit == "week":
        return (moment.day - F.pmod(moment.day + long(3), long(7))) * long(DAY)  # 1970 began on a Thursday
    return F.unix_date(F.trunc(moment.date, unit)).cast("bigint") * long(DAY)


# ---------------------------------------------------------------------------------------------------------------------
# EXTRACT


def _sign(value: Column) -> Column:
    return F.when(value < 0, F.lit(-1)).otherwise(F.lit(1))


_DATE_FIELDS: dict[str, Callable[[Moment], Column]] = {
    "year": lambda m: F.year(m.date),
    "month": lambda m: F.month(m.date),
    "day": lambda m: F.day(m.date),
}
_CLOCK_FIELDS: dict[str, Callable[[Moment], Column]] = {
    "hour": moments.hour_of,
    "minute": moments.minute_of,
    "timezone_hour": lambda m: quotient(m.offset.cast("bigint"), 60) % 24,
    "timezone_minute": lambda m: m.offset % 60,
}
_FIELDS: dict[int, frozenset[str]] = {
    DATE: frozenset((*_DATE_FIELDS, "hour", "minute")),
    TIME: frozenset(_CLOCK_FIELDS),
    TIMESTAMP: frozenset((*_DATE_FIELDS, *_CLOCK_FIELDS)),
}


def _interval_field(field: str, interval: Interval) -> Column | None:
    """A field of an interval; every field has the sign of the interval."""
    months = interval.months
    of_months = {"year": quotient(months, 12), "month": months % long(12)}
    if field in of_months:
        return F.when(interval.is_unit("year_month"), of_months[field])
    if field not in ("day", "hour", "minute"):
        return None
    seconds = F.call_function("div", interval.nanos, F.literal(Decimal(NANOS), moments.WHOLE)).cast("bigint")
    of_seconds = {"day": quotient(seconds, DAY), "hour": quotient(seconds % long(DAY), 3_600)}
    found = of_seconds.get(field, quotient(seconds % long(3_600), 60))
    return F.when(interval.is_unit("day_time"), found)


def extract(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    field = _field(scope, "extract", args[0], where)
    ranks = moments.ranks_of(args[1])

    def of_moment(column: Column) -> Column:
        fitting = frozenset(rank for rank in ranks if field in _FIELDS[rank])
        if not fitting:
            return F.literal(None, "bigint")
        moment = Moment(column, ranks)
        found = {**_DATE_FIELDS, **_CLOCK_FIELDS}[field](moment).cast("bigint")
        if fitting == ranks:
            return found
        return F.when(_any(moment.is_rank(rank) for rank in fitting), found)

    def of_interval(column: Column) -> Column:
        found = _interval_field(field, Interval(column))
        return F.literal(None, "bigint") if found is None else found.cast("bigint")

    return temporal(scope, "extract", args[1], of_moment, of_interval, t.INT64, f"there is no field '{field}'", where)


def _any(conditions: object) -> Column:
    found = variants.any_of(conditions)  # type: ignore[arg-type]
    assert found is not None
    return found


def extract_second(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """EXTRACT(SECOND): keeps the digits that the value was written with."""
    ranks = moments.ranks_of(args[0])

    def of_moment(column: Column) -> Column:
        moment = Moment(column, ranks)
        return F.when(column.isNotNull(), exact_number(moments.second_text(moment)))

    def of_interval(column: Column) -> Column:
        rest = Interval(column).nanos % F.literal(Decimal(60 * NANOS), moments.WHOLE)
        size = F.abs(rest)
        written = F.rtrim(F.lpad(F.pmod(size, F.lit(Decimal(NANOS))).cast("bigint").cast("string"), 9, "0"), F.lit("0"))
        seconds = F.call_function("div", size, F.literal(Decimal(NANOS), moments.WHOLE)).cast("string")
        text = F.concat(F.when(rest < 0, "-").otherwise(""), seconds, F.when(written != "", "."), written)
        text = F.when(written == "", F.concat(F.when(rest < 0, "-").otherwise(""), seconds)).otherwise(text)
        return F.when(Interval(column).is_unit("day_time"), exact_number(text))

    said = "an interval of months has no seconds"
    return temporal(scope, "extract_second", args[0], of_moment, of_interval, t.DECIMAL, said, where)


def temporal(
    scope: Scope,
    name: str,
    arg: Expr,
    of_moment: Callable[[Column], Column],
    of_interval: Callable[[Column], Column],
    type_: t.Type,
    partial: str,
    where: Where,
) -> Expr:
    """A function of a moment or an interval. If the static type allows only one of them, only that is compiled."""
    kinds = possible_kinds(arg)
    if kinds is not None and Kind.INTERVAL not in kinds:
        return call(scope, name, [arg], ("moment",), of_moment, type_, where, partial=partial, cost=Depth.LARGE)
    if kinds is not None and kinds <= {Kind.INTERVAL}:
        return call(scope, name, [arg], ("interval",), of_interval, type_, where, partial=partial, cost=Depth.LARGE)

    def native(column: Column) -> Column:
        return F.coalesce(of_moment(column["moment"]), of_interval(column["interval"]))

    return call(scope, name, [arg], ("temporal",), native, type_, where, partial=partial, cost=Depth.DEEP)


# ---------------------------------------------------------------------------------------------------------------------
# Constructors


def unix_timestamp(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """UNIX_TIMESTAMP: an integer, or a decimal if the timestamp has fractions of a second."""

    def native(column: Column) -> Column:
        moment = Moment(column, frozenset({TIMESTAMP}))
        exact = moment.instant.cast("decimal(20,0)") + (moment.nanos.cast("decimal(10,0)") * F.lit(Decimal("1E-9")))
        fraction = exact_number(exact.cast("decimal(29,9)").cast("string"))
        made = F.when(moment.digits > 0, fraction).otherwise(moment.instant.cast("variant"))
        return F.when(column.isNotNull(), made)

    type_ = t.union((t.INT64, t.DECIMAL))
    return call(scope, "unix_timestamp", args, ("timestamp",), native, type_, where, cost=Depth.LARGE)


def make_date(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    def native(year: Column, month: Column, day: Column) -> Column:
        fits = year.between(1, 9_999) & month.between(1, 12) & day.between(1, 31)
        first = F.make_date(F.when(fits, year).cast("int"), F.when(fits, month).cast("int"), F.lit(1))
        return F.when(fits & (day <= F.day(F.last_day(first))), F.date_add(first, (day - 1).cast("int")))

    said = "there is no such day"
    return call(scope, "make_date", args, ("int",) * 3, native, t.DATE, where, partial=said, cost=Depth.MEDIUM)


def make_time(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """MAKE_TIME: the time has as many digits of a second as the argument is written with."""

    def native(hour: Column, minute: Column, second: Column, offset: Column | None = None) -> Column:
        nanos = _nanos(second)
        fine = scope.run.error(
            "a time of more than 9 digits of a second is not native on Spark", where, cls=UnsupportedError
        )
        fits = hour.between(0, 23) & minute.between(0, 59) & nanos.between(0, 60 * NANOS - 1)
        if offset is not None:
            fits = fits & offset.between(-24 * 60 + 1, 24 * 60 - 1)
        zone = F.literal(None, "int") if offset is None else offset
        clock = hour * long(3_600) + minute * long(60) + quotient(nanos, NANOS)
        moment = moments.of_moment(TIME, clock, F.pmod(nanos, long(NANOS)), zone, F.lit(4), second["e"])
        made = variants.let(moment, lambda column: moments.to_variant(Moment(column, frozenset({TIME}))))
        there = second["u"].isNotNull() & hour.isNotNull() & minute.isNotNull()
        return F.when(there & (second["e"] > 9), fine.cast("variant")).when(there & fits, made)

    families = ("int", "int", "number", "int")[: len(args)]
    type_ = t.Time(zone=len(args) > 3)
    said = "there is no such time"
    return call(
        scope, "make_time", args, families, native, type_, where, partial=said, throws=True, cost=Depth.VERY_DEEP
    )


def _nanos(number: Column) -> Column:
    """A number of seconds in nanoseconds, truncated; SQL NULL if it is far too large."""
    text = F.concat(number["u"].cast("string"), F.repeat(F.lit("0"), F.greatest(9 - number["e"], F.lit(0))))
    size = F.char_length(text) - F.greatest(number["e"] - 9, F.lit(0))
    cut = F.when(size > 0, F.substring(text, F.lit(1), size))
    return F.coalesce(cut.try_cast(moments.WHOLE), F.when(size <= 0, F.literal(0, moments.WHOLE))).try_cast("bigint")


def from_unixtime(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """FROM_UNIXTIME: seconds since 1970. Computed in decimals: 64 bits of nanoseconds end in 2262."""

    def native(number: Column) -> Column:
        text = F.concat(number["u"].cast("string"), F.repeat(F.lit("0"), F.greatest(9 - number["e"], F.lit(0))))
        size = F.char_length(text) - F.greatest(number["e"] - 9, F.lit(0))
        nanos = F.when(size > 0, F.substring(text, F.lit(1), size)).try_cast(moments.WHOLE)
        nanos = F.coalesce(nanos, F.when(size <= 0, F.literal(0, moments.WHOLE)))
        seconds, rest = calendar.split(nanos)
        error = scope.run.error("no timestamp is so many seconds after 1970", where).cast("variant")
        moment = moments.of_moment(TIMESTAMP, seconds, rest, F.lit(None), F.lit(4), moments.digits_of(rest))
        ranks = frozenset({TIMESTAMP})
        made = variants.let(moment, lambda column: calendar.encoded(scope, Moment(column, ranks), where)[1])
        limit = F.literal(str(10**22), moments.WHOLE)
        near = nanos.between(-limit, limit)
        return F.when(number.isNotNull(), F.when(F.coalesce(near, F.lit(False)), made).otherwise(error))

    return call(
        scope, "from_unixtime", args, ("number",), native, t.TIMESTAMP, where, throws=True, cost=Depth.VERY_DEEP
    )


def current(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """CURRENT_DATE and the like: the same all through a run."""
    return lambda scope, args, where: literal(CLOCK[name](scope.run.now))
