"""Dates, times and timestamps as SQL writes them, `2023-12-25 15:30:45.5+05:30`: read from text, and written."""

from __future__ import annotations

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variants import let
from firesteel.spark.time import moments
from firesteel.spark.time.moments import DATE, DAY, TIME, TIMESTAMP, Moment, hour_of, long, minute_of

_DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_CLOCK = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
_ZONE = r"([zZ]|[+-][0-9]{2}:[0-9]{2})?"
_PATTERNS = {
    DATE: rf"^{_DATE}\z",
    TIME: rf"^{_CLOCK}{_ZONE}\z",
    TIMESTAMP: rf"^{_DATE}(?:[T ]{_CLOCK} ?{_ZONE})?\z",
}


def read(text: Column, rank: int) -> Column:
    """The text as a moment struct; SQL NULL if it is none. Nine digits of a second are read: a cast keeps no more."""
    pattern = _PATTERNS[rank]

    def group(index: int) -> Column:
        return F.regexp_extract(text, pattern, index)

    first = 4 if rank == TIMESTAMP else 1
    names = "yrd" if rank != TIME else ""
    parts = [group(i + 1).try_cast("int").alias(name) for i, name in enumerate(names)]
    if rank != DATE:
        parts += [F.coalesce(group(first + i).try_cast("int"), F.lit(0)).alias(name) for i, name in enumerate("hms")]
        parts += [F.substring(group(first + 3), 1, 9).alias("f"), group(first + 4).alias("z")]
    matched = F.when(text.rlike(pattern), F.struct(*parts))
    return let(matched, lambda fields: F.when(fields.isNotNull(), _moment(fields, rank)))


def _moment(fields: Column, rank: int) -> Column:
    days, fits = long(0), F.lit(True)
    if rank != TIME:
        fits = fields["y"].between(1, 9_999) & fields["r"].between(1, 12) & fields["d"].between(1, 31)
        first = F.make_date(F.when(fits, fields["y"]), F.when(fits, fields["r"]), F.lit(1))
        fits = fits & (fields["d"] <= F.day(F.last_day(first)))
        days = F.unix_date(first).cast("bigint") + fields["d"].cast("bigint") - long(1)
    if rank == DATE:
        date = moments.of_moment(rank, days * long(DAY), F.lit(0), F.lit(None), F.lit(4), F.lit(0))
        return F.when(fits, date)
    zone = fields["z"]
    size = F.substring(zone, 2, 2).try_cast("int") * 60 + F.substring(zone, 5, 2).try_cast("int")
    signed = F.when(zone.startswith("-"), -size).otherwise(size)
    offset = F.when(zone == "", F.lit(None)).when(F.lower(zone) == "z", F.lit(0)).otherwise(signed)
    fits = fits & (fields["h"] < 24) & (fields["m"] < 60) & (fields["s"] < 60)
    fits = fits & F.coalesce(size < 24 * 60, F.lit(True))
    clock = (
        fields["h"].cast("bigint") * long(3_600) + fields["m"].cast("bigint") * long(60) + fields["s"].cast("bigint")
    )
    nanos = F.rpad(fields["f"], 9, "0").cast("bigint")
    digits = F.char_length(fields["f"])
    return F.when(fits, moments.of_moment(rank, days * long(DAY) + clock, nanos, offset, F.lit(4), digits))


def cut(moment: Moment, rank: int, digits: int, zone: bool) -> Column:
    """The moment as one of `rank`, with at most `digits` digits of a second; more are cut off. Without `zone` it keeps
    its local time and loses its offset; with `zone`, a moment without an offset is in UTC."""
    unit = 10 ** (9 - digits)
    seconds = moment.clock if rank == TIME else moment.seconds
    nanos = moment.nanos - F.pmod(moment.nanos, long(unit))
    offset = F.coalesce(moment.offset, F.lit(0)) if zone else F.lit(None)
    kept = F.least(moment.digits, F.lit(digits))
    return F.when(moment.column.isNotNull(), moments.of_moment(rank, seconds, nanos, offset, F.lit(4), kept))


def written(moment: Moment) -> Column:
    """The moment as text."""
    date = moment.date
    year = F.year(date).cast("string")
    day = F.concat(
        F.lpad(year, F.greatest(F.char_length(year), F.lit(4)), F.lit("0")),
        *(F.concat(F.lit("-"), _two(part)) for part in (F.month(date), F.day(date))),
    )
    offset = moment.offset
    zone = F.concat(
        F.when(offset < 0, F.lit("-")).otherwise(F.lit("+")),
        _two(moments.quotient(F.abs(offset).cast("bigint"), 60)),
        F.lit(":"),
        _two(F.abs(offset) % 60),
    )
    clock = F.concat(
        _two(hour_of(moment)),
        F.lit(":"),
        _two(minute_of(moment)),
        F.lit(":"),
        _two(F.pmod(moment.seconds, long(60))),
        moments.fraction_text(moment),
        F.coalesce(zone, F.lit("")),
    )
    whole = F.concat(day, F.lit(" "), clock)
    return F.when(moment.is_rank(DATE), day).when(moment.is_rank(TIME), clock).otherwise(whole)


def _two(number: Column) -> Column:
    return F.lpad(number.cast("string"), 2, "0")
