"""Dates, times, timestamps and intervals as structs of numbers, to compute with.

A moment is (rank, seconds, nanoseconds, offset, precision, digits): seconds since 1970, or since midnight, in its local
time; its offset from UTC in minutes, SQL NULL without one; its precision, an index in `PRECISIONS`; and how many digits
of a second were written. An interval is (unit, months, nanoseconds, digits, fraction). Bind one to a name before
computing with it (`Scope.let`).
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG
from firesteel.spark.encoding.variants import cast_variant, one_of

DATE, TIME, TIMESTAMP = 3, 4, 5
PRECISIONS = ("year", "month", "day", "minute", "second")
UNITS = ("compound", "day_time", "year_month")
DAY = 86_400
NANOS = 1_000_000_000
WHOLE = "decimal(38,0)"

_RANKS = {
    Kind.DATE: DATE,
    Kind.TIME: TIME,
    Kind.TIMESTAMP: TIMESTAMP,
    Kind.TIMESTAMP_NTZ: TIMESTAMP,
    Kind.TAGGED_TIMESTAMP: TIMESTAMP,
}
_MOMENT = "struct<r:int,s:bigint,n:bigint,o:int,p:int,g:int>"
_INTERVAL = "struct<u:int,m:bigint,n:decimal(38,0),d:int,f:int>"
_TOO_FINE = "a time of more than 9 digits of a second is not native on Spark yet"

#: The first and the last second of the years 1 to 9999, the range of Spark's own timestamps.
FIRST = values.days_since_epoch(1, 1, 1) * DAY
LAST = values.days_since_epoch(10_000, 1, 1) * DAY - 1


def long(number: int) -> Column:
    return F.literal(number, "bigint")


def quotient(a: Column, b: int) -> Column:
    """Integer division, truncated."""
    return F.call_function("div", a, long(b))


def floored(a: Column, b: int) -> Column:
    return quotient(a - F.pmod(a, long(b)), b)


@dataclass(frozen=True)
class Moment:
    """A column of moments; `ranks` are those that the moments may have."""

    column: Column
    ranks: frozenset[int]

    @property
    def rank(self) -> Column:
        return F.lit(next(iter(self.ranks))) if len(self.ranks) == 1 else self.column["r"]

    @property
    def seconds(self) -> Column:
        return self.column["s"]

    @property
    def nanos(self) -> Column:
        return self.column["n"]

    @property
    def offset(self) -> Column:
        return self.column["o"]

    @property
    def precision(self) -> Column:
        return self.column["p"]

    @property
    def digits(self) -> Column:
        return self.column["g"]

    @property
    def instant(self) -> Column:
        """The seconds in UTC."""
        return self.seconds - self.minutes * long(60)

    @property
    def minutes(self) -> Column:
        """The offset; 0 where there is none."""
        return F.coalesce(self.offset, F.lit(0)).cast("bigint") if self.ranks != {DATE} else long(0)

    @property
    def day(self) -> Column:
        """Days since 1970."""
        return floored(self.seconds, DAY)

    @property
    def clock(self) -> Column:
        """Seconds since midnight."""
        return F.pmod(self.seconds, long(DAY))

    @property
    def date(self) -> Column:
        return date_of(self.day)

    def is_rank(self, rank: int) -> Column:
        if rank not in self.ranks:
            return F.lit(False)
        return F.lit(True) if len(self.ranks) == 1 else self.column["r"] == rank


def date_of(days: Column) -> Column:
    return F.date_from_unix_date(days.cast("int"))


@dataclass(frozen=True)
class Interval:
    """A column of intervals."""

    column: Column

    @property
    def unit(self) -> Column:
        return self.column["u"]

    @property
    def months(self) -> Column:
        return self.column["m"]

    @property
    def nanos(self) -> Column:
        return self.column["n"]

    def is_unit(self, unit: str) -> Column:
        return self.unit == UNITS.index(unit)


def of_moment(
    rank: int | Column, seconds: Column, nanos: Column, offset: Column, precision: Column, digits: Column
) -> Column:
    return F.struct(
        (F.lit(rank) if isinstance(rank, int) else rank).cast("int").alias("r"),
        seconds.cast("bigint").alias("s"),
        nanos.cast("bigint").alias("n"),
        offset.cast("int").alias("o"),
        precision.cast("int").alias("p"),
        digits.cast("int").alias("g"),
    )


def of_interval(unit: Column, months: Column, nanos: Column, digits: Column, fraction: Column) -> Column:
    return F.struct(
        unit.cast("int").alias("u"),
        months.cast("bigint").alias("m"),
        nanos.cast(WHOLE).alias("n"),
        digits.cast("int").alias("d"),
        fraction.cast("int").alias("f"),
    )


# ---------------------------------------------------------------------------------------------------------------------
# From columns


def ranks_of(expr: Expr) -> frozenset[int]:
    """The ranks of moments that an expression may be of."""
    kinds = possible_kinds(expr)
    return frozenset(rank for kind, rank in _RANKS.items() if kinds is None or kind in kinds)


def moment(scope: Scope, expr: Expr, where: Where) -> Expr:
    """The expression as a moment; SQL NULL where it is none. Bind the expression to a name first."""
    if isinstance(expr.constant, datetime.date | values.Time | values.Timestamp):
        return derive(t.ANY, _literal(expr.constant, where))
    if not isinstance(expr, Variant):
        return derive(t.ANY, _from_plain(expr), expr, cost=Depth.SMALL)
    kinds = possible_kinds(expr)
    kind = scope.kind(expr)
    column: Any = F
    builders = [
        ((Kind.DATE,), lambda: from_date(cast_variant(expr.column, "date"))),
        ((Kind.TIMESTAMP,), lambda: _from_stamp(expr.column, F.lit(0))),
        ((Kind.TIMESTAMP_NTZ,), lambda: _from_stamp(expr.column, F.lit(None))),
        ((Kind.TAGGED_TIMESTAMP,), lambda: _from_timestamp(scope, expr.column, where)),
        ((Kind.TIME,), lambda: _from_time(scope, expr.column, where)),
    ]
    parts = [(names, build()) for names, build in builders if kinds is None or kinds & set(names)]
    if not parts:
        return column_expr(t.ANY, F.literal(None, _MOMENT), atomic=True)
    for names, part in parts:
        column = column.when(one_of(kind.column, *names), part)
    return derive(
        t.ANY,
        column,
        expr,
        kind,
        cost=Depth.LARGE,
        throws=kinds is None or bool(kinds & {Kind.TIME, Kind.TAGGED_TIMESTAMP}),
    )


def _from_plain(expr: Expr) -> Column:
    match expr.type:
        case t.Date():
            return from_date(expr.plain)
        case t.Timestamp():
            micros = F.unix_micros(expr.plain.cast("timestamp"))
            offset = F.lit(0) if expr.type.zone else F.lit(None)
            return F.when(expr.plain.isNotNull(), _from_micros(micros, offset, F.lit(expr.type.precision)))
    return F.literal(None, _MOMENT)


def from_date(column: Column) -> Column:
    zero = F.lit(0)
    seconds = F.unix_date(column).cast("bigint") * long(DAY)
    return F.when(column.isNotNull(), of_moment(DATE, seconds, zero, F.lit(None), F.lit(4), zero))


def _from_micros(micros: Column, offset: Column, digits: Column | None) -> Column:
    nanos = F.pmod(micros, long(1_000_000)) * long(1_000)
    seconds = floored(micros, 1_000_000)
    return of_moment(TIMESTAMP, seconds, nanos, offset, F.lit(4), digits_of(nanos) if digits is None else digits)


def _from_stamp(column: Column, offset: Column) -> Column:
    return _from_micros(F.unix_micros(cast_variant(column, "timestamp")), offset, None)


def digits_of(nanos: Column) -> Column:
    """How many digits the nanoseconds of a second need behind the point."""
    return F.char_length(F.rtrim(F.lpad(nanos.cast("string"), 9, "0"), F.lit("0")))


def _part(column: Column, path: str, spark_type: str) -> Column:
    return F.try_variant_get(column, f"$['{TAG}']{path}", spark_type)


def _from_tag(scope: Scope, column: Column, rank: int, clock: str, precision: Column, where: Where) -> Column:
    """A moment from a tagged variant, which has the instant in nanoseconds, and the seconds as written."""
    instant = _part(column, "[2]", WHOLE)
    offset = _part(column, f"{clock}[3]", "int")
    digits = F.char_length(F.regexp_extract(_part(column, f"{clock}[2]", "string"), r"\.(\d+)", 1))
    nanos = F.pmod(instant, F.literal(Decimal(NANOS), WHOLE))
    seconds = F.call_function("div", instant - nanos, F.literal(Decimal(NANOS), WHOLE))
    fine = scope.run.error(_TOO_FINE, where, cls=UnsupportedError)
    local = seconds.cast("bigint") + F.coalesce(offset, F.lit(0)).cast("bigint") * long(60)
    return of_moment(rank, local, nanos, offset, precision, F.when(digits > 9, fine.cast("int")).otherwise(digits))


def _from_timestamp(scope: Scope, column: Column, where: Where) -> Column:
    precision = F.find_in_set(_part(column, "[1][3]", "string"), F.lit(",".join(PRECISIONS))) - 1
    return _from_tag(scope, column, TIMESTAMP, "[1][4]", precision, where)


def _from_time(scope: Scope, column: Column, where: Where) -> Column:
    return _from_tag(scope, column, TIME, "[1]", F.lit(4), where)


def _literal(value: values.Value, where: Where) -> Column:
    if isinstance(value, datetime.date):
        value = values.Timestamp(value.year, value.month, value.day)
        rank = DATE
    else:
        rank = TIME if isinstance(value, values.Time) else TIMESTAMP
    if value.digits > 9:
        raise UnsupportedError(_TOO_FINE, where=where)
    local = value.instant + (value.offset or 0) * 60
    seconds = int(local // 1) - (local < local // 1)  # // truncates
    precision = PRECISIONS.index(getattr(value, "precision", "second"))
    nanos = int((local - seconds).scaleb(9))
    numbers = (F.lit(value.offset), F.lit(precision), F.lit(value.digits))
    return of_moment(rank, F.lit(seconds), F.lit(nanos), *numbers)


def interval(scope: Scope, expr: Expr, where: Where = None) -> Expr:
    """The expression as an interval; SQL NULL where it is none. Bind the expression to a name first."""
    if isinstance(expr.constant, values.Interval):
        value = expr.constant
        numbers = (UNITS.index(value.unit), value.months, Decimal(value.nanos), value.digits, value.fraction)
        return derive(t.ANY, of_interval(*map(F.lit, numbers)))
    kinds = possible_kinds(expr)
    if not isinstance(expr, Variant) or (kinds is not None and Kind.INTERVAL not in kinds):
        return column_expr(t.ANY, F.literal(None, _INTERVAL), atomic=True)
    kind, column = scope.kind(expr), expr.column
    unit = F.find_in_set(_part(column, "[1][0]", "string"), F.lit(",".join(UNITS))) - 1
    months, nanos = _part(column, "[1][1]", "bigint"), _part(column, "[2]", WHOLE)
    struct = of_interval(unit, months, nanos, _part(column, "[3][0]", "int"), _part(column, "[3][1]", "int"))
    return derive(t.ANY, F.when(kind.column == Kind.INTERVAL, struct), expr, kind, cost=Depth.MEDIUM)


# ---------------------------------------------------------------------------------------------------------------------
# To columns


def listed(*items: Column) -> Column:
    """The items as a variant array; an item that is SQL NULL becomes NULL."""
    return F.to_variant_object(F.array(*(F.coalesce(item.cast("variant"), variants.null()) for item in items)))


def second_text(moment: Moment) -> Column:
    """The seconds, with as many digits as the moment has, and without a zero in front."""
    whole_part = F.pmod(moment.seconds, long(60)).cast("string")
    return F.concat(whole_part, fraction_text(moment))


def fraction_text(moment: Moment) -> Column:
    """The point and the digits behind it, if there are any."""
    digits = F.lpad(moment.nanos.cast("string"), 9, "0")
    return F.when(moment.digits > 0, F.concat(F.lit("."), F.substring(digits, F.lit(1), moment.digits))).otherwise("")


def hour_of(moment: Moment) -> Column:
    return quotient(moment.clock, 3_600)


def minute_of(moment: Moment) -> Column:
    return F.pmod(quotient(moment.seconds - F.pmod(moment.seconds, long(60)), 60), long(60))


def _clock_parts(moment: Moment) -> Column:
    return listed(hour_of(moment), minute_of(moment), second_text(moment), moment.offset)


def _instant_nanos(moment: Moment) -> Column:
    return (moment.instant.cast("decimal(20,0)") * F.literal(Decimal(NANOS), "decimal(10,0)")).cast(
        WHOLE
    ) + moment.nanos.cast("decimal(20,0)")


def to_variant(moment: Moment) -> Column:
    """As a variant: of a type of VARIANT where that gives the moment back unchanged, else tagged."""
    column = variants.missing()
    if TIMESTAMP in moment.ranks:
        column = F.when(moment.is_rank(TIMESTAMP), _timestamp(moment))
    if TIME in moment.ranks:
        parts = (_clock_parts(moment), _instant_nanos(moment).cast(WHOLE).cast("variant"))
        column = F.when(moment.is_rank(TIME), variants.tag(Kind.TIME, *parts)).otherwise(column)
    if DATE in moment.ranks:
        column = F.when(moment.is_rank(DATE), moment.date.cast("variant")).otherwise(column)
    return column


def micros_of(moment: Moment) -> Column:
    """Microseconds since 1970, in UTC."""
    return moment.instant * long(1_000_000) + quotient(moment.nanos, 1_000)


def _timestamp(moment: Moment) -> Column:
    native = (
        (moment.precision == 4)
        & (moment.digits <= 6)
        & (F.coalesce(moment.offset, F.lit(0)) == 0)
        & moment.seconds.between(FIRST, LAST)
        & (moment.digits == digits_of(moment.nanos))
    )
    stamp = F.timestamp_micros(micros_of(moment))
    plain = F.when(moment.offset.isNull(), stamp.cast("timestamp_ntz").cast("variant")).otherwise(stamp.cast("variant"))
    date = moment.date
    precision = F.element_at(F.split(F.lit(",".join(PRECISIONS)), ","), moment.precision + 1)
    day = [F.year(date), F.month(date), F.day(date), precision]
    parts = F.to_variant_object(F.array(*(part.cast("variant") for part in day), _clock_parts(moment)))
    tagged = variants.tag(Kind.TAGGED_TIMESTAMP, parts, _instant_nanos(moment).cast(WHOLE).cast("variant"))
    return F.when(native, plain).otherwise(tagged)


def interval_variant(interval: Interval) -> Column:
    unit = F.element_at(F.split(F.lit(",".join(UNITS)), ","), interval.unit + 1)
    digits = listed(interval.column["d"], interval.column["f"])
    return variants.tag(Kind.INTERVAL, listed(unit, interval.months), interval.nanos.cast("variant"), digits)
