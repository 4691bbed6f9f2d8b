"""TO_STRING and TO_TIMESTAMP with a literal pattern: one column for each field of the pattern.

The meaning of patterns, and the regular expressions for reading, come from the reference evaluator
(`evaluate.patterns`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.scalar.patterns import SYMBOLS, PatternSymbol, parts_of, reader_of
from firesteel.spark.core.expr import Depth, Expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import may_be
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variants import let
from firesteel.spark.scalar.arguments import call
from firesteel.spark.time import moments
from firesteel.spark.time.moments import DATE, DAY, PRECISIONS, TIMESTAMP, Moment, hour_of, long, minute_of

_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _pattern(name: str, pattern: Expr, where: Where) -> str | None:
    """The literal pattern; None if it is NULL, MISSING or no text."""
    if isinstance(pattern.constant, str):
        return str(pattern.constant)
    if may_be(pattern, "text"):
        raise UnsupportedError(f"'{name}' by a pattern that only the run knows is not native on Spark", where=where)
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Writing

Write = Callable[[Moment], Column]


def _number(get: Write, width: int = 1) -> Write:
    def write(moment: Moment) -> Column:
        text = get(moment).cast("string")
        return text if width == 1 else F.lpad(text, F.greatest(F.char_length(text), F.lit(width)), F.lit("0"))

    return write


def _name(names: Sequence[str]) -> Write:
    return lambda moment: F.element_at(F.array(*map(F.lit, names)), F.month(moment.date))


def _fraction(digits: int) -> Write:
    return lambda moment: F.substring(F.lpad(moment.nanos.cast("string"), 9, "0"), 1, digits)


def _offset(zero: str, colon: str = "", optional: bool = False) -> Write:
    def write(moment: Moment) -> Column:
        offset = F.coalesce(moment.offset, F.lit(0))
        size = F.abs(offset)
        minutes = F.concat(F.lit(colon), F.lpad((size % 60).cast("string"), 2, "0"))
        if optional:
            minutes = F.when(size % 60 == 0, F.lit("")).otherwise(minutes)
        sign = F.when(offset < 0, F.lit("-")).otherwise(F.lit("+"))
        hours = F.lpad(moments.quotient(size.cast("bigint"), 60).cast("string"), 2, "0")
        text = F.concat(sign, hours, minutes)
        return F.when(size == 0, F.lit(zero)).otherwise(text) if zero else text

    return write


def _year(moment: Moment) -> Column:
    return F.year(moment.date)


def _half_day(moment: Moment) -> Column:
    return F.pmod(hour_of(moment) - long(1), long(12)) + long(1)


def _second(moment: Moment) -> Column:
    return F.pmod(moment.seconds, long(60))


_WRITTEN: dict[str, Write] = {
    "y": _number(_year),
    "yy": _number(lambda m: F.pmod(_year(m), F.lit(100)), 2),
    "yyy": _number(_year, 4),
    "yyyy": _number(_year, 4),
    "M": _number(lambda m: F.month(m.date)),
    "MM": _number(lambda m: F.month(m.date), 2),
    "MMM": _name([name[:3] for name in _NAMES]),
    "MMMM": _name(_NAMES),
    "MMMMM": _name([name[0] for name in _NAMES]),
    "d": _number(lambda m: F.day(m.date)),
    "dd": _number(lambda m: F.day(m.date), 2),
    "H": _number(hour_of),
    "HH": _number(hour_of, 2),
    "h": _number(_half_day),
    "hh": _number(_half_day, 2),
    "a": lambda m: F.when(hour_of(m) >= 12, F.lit("PM")).otherwise(F.lit("AM")),
    "m": _number(minute_of),
    "mm": _number(minute_of, 2),
    "s": _number(_second),
    "ss": _number(_second, 2),
    "n": _number(lambda m: m.nanos),
    **{"S" * digits: _fraction(digits) for digits in range(1, 10)},
    **{
        letter * size: write
        for letter, zero in (("X", "Z"), ("x", ""))
        for sizes, write in (
            ((1,), _offset(zero, optional=True)),
            ((2, 4), _offset(zero)),
            ((3, 5), _offset(zero, ":")),
        )
        for size in sizes
    },
}
#: The same, by the `id` of the reference evaluator's symbols, which its parsed patterns consist of.
_WRITE: dict[int, Write] = {id(symbol): _WRITTEN[token] for token, symbol in SYMBOLS.items()}


def to_string(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    pattern = _pattern("to_string", args[1], where)
    families = ("day", "text")
    ranks = moments.ranks_of(args[0]) & {DATE, TIMESTAMP}
    if pattern is None:
        nothing = F.literal(None, "string")
        return call(scope, "to_string", args, families, lambda m, p: nothing, t.STRING, where)
    try:
        parts = parts_of(pattern)
    except EvaluationError as error:
        wrong = scope.run.error(error.message, where)
        return call(
            scope, "to_string", args, families, lambda m, p: F.when(m.isNotNull(), wrong), t.STRING, where, throws=True
        )

    def native(column: Column, _: Column) -> Column:
        moment = Moment(column, ranks)
        texts = [F.lit(part) if isinstance(part, str) else _WRITE[id(part)](moment) for part in parts]
        return F.when(column.isNotNull(), F.concat(*texts) if texts else F.lit(""))

    return call(scope, "to_string", args, families, native, t.STRING, where, cost=Depth.DEEP)


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def to_timestamp(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """Text that does not match the pattern is an error in both modes, and so is an invalid pattern."""
    families = ("text", "text")[: len(args)]
    nothing = F.literal(None, "variant")
    if not may_be(args[0], "text"):
        return call(scope, "to_timestamp", args, families, lambda *_: nothing, t.TIMESTAMP, where)
    if len(args) == 1:
        raise UnsupportedError("'to_timestamp' of Ion's notation is not native on Spark", where=where)
    pattern = _pattern("to_timestamp", args[1], where)
    if pattern is None:
        return call(scope, "to_timestamp", args, families, lambda *_: nothing, t.TIMESTAMP, where)
    type_ = t.union((t.TIMESTAMP, t.Timestamp(zone=True)))
    try:
        reader = reader_of(pattern)
    except EvaluationError as error:
        wrong = scope.run.error(error.message, where).cast("variant")
        return call(
            scope, "to_timestamp", args, families, lambda v, _: F.when(v.isNotNull(), wrong), type_, where, throws=True
        )
    looks = rf"(?i)^(?:{reader.looks.pattern})\z"
    said = scope.run.error(f"the text is not a timestamp as '{pattern}' says", where).cast("variant")

    def native(value: Column, _: Column) -> Column:
        groups = {
            symbol.field: _read(symbol, F.regexp_extract(value, looks, i)) for i, symbol in enumerate(reader.symbols, 1)
        }
        found = let(F.struct(*(column.alias(_plain(field)) for field, column in groups.items())), make_stamp)
        return F.when(value.isNotNull(), F.coalesce(F.when(value.rlike(looks), found), said))

    def make_stamp(fields: Column) -> Column:
        present = {symbol.field: fields[_plain(symbol.field)] for symbol in reader.symbols}
        return _stamp(present, PRECISIONS.index(reader.known_to))

    return call(scope, "to_timestamp", args, families, native, type_, where, throws=True, cost=Depth.HUGE)


def _plain(field: str) -> str:
    return field.replace(" ", "_").replace("-", "_")


def _token(symbol: PatternSymbol) -> str:
    return next(token for token, known in SYMBOLS.items() if known is symbol)


def _read(symbol: PatternSymbol, text: Column) -> Column:
    """The number in a field's text (a fraction in nanoseconds); SQL NULL if it is far too large."""
    token = _token(symbol)
    if symbol.field == "fraction":
        return text.try_cast("bigint") if token == "n" else F.rpad(text, 9, "0").try_cast("bigint")
    if symbol.field == "month" and token.startswith("MMM"):
        names = F.lit(",".join(name[:3].lower() for name in _NAMES))
        return F.find_in_set(F.substring(F.lower(text), 1, 3), names).cast("bigint")
    if symbol.field == "half":
        return F.when(F.upper(text) == "PM", long(12)).otherwise(long(0))
    if symbol.field == "offset":
        return _read_offset(text)
    number = text.try_cast("bigint")
    if token == "yy":
        return number + F.when(number >= 70, long(1900)).otherwise(long(2000))
    return number


def _read_offset(text: Column) -> Column:
    """The offset in minutes; SQL NULL if it is more than 18 hours."""
    digits = F.regexp_replace(text, r"[^0-9]", "")
    hours = F.substring(digits, 1, 2).try_cast("bigint")
    minutes = F.coalesce(F.substring(digits, 3, 2).try_cast("bigint"), long(0))
    size = hours * long(60) + minutes
    signed = F.when(text.startswith("-"), long(0) - size).otherwise(size)
    far = (minutes > 59) | (size > 18 * 60)
    return F.when(F.upper(text) == "Z", long(0)).when(~far, signed)


def _stamp(fields: dict[str, Column], known_to: int) -> Column:
    """The timestamp of these fields as a variant; SQL NULL if there is no such time."""
    year, month, day = (fields.get(name, long(1)) for name in ("year", "month", "day"))
    hour, minute, second, fraction = (fields.get(name, long(0)) for name in ("hour", "minute", "second", "fraction"))
    fits = year.between(1, 9_999) & month.between(1, 12) & day.between(1, 31)
    if "half-day hour" in fields:
        half_day = fields["half-day hour"]
        hour = F.pmod(half_day, long(12)) + fields["half"]
        fits = fits & half_day.between(1, 12)
    fits = fits & (hour < 24) & (minute < 60) & (second < 60) & (fraction < 1_000_000_000)
    offset = fields["offset"] if "offset" in fields else F.literal(None, "int")
    if "offset" in fields:
        fits = fits & offset.isNotNull()
    fits = F.coalesce(fits, F.lit(False))
    first = F.make_date(F.when(fits, year).cast("int"), F.when(fits, month).cast("int"), F.lit(1))
    days = F.unix_date(first).cast("bigint") + day - long(1)
    seconds = days * long(DAY) + hour * long(3_600) + minute * long(60) + second
    digits = moments.digits_of(fraction)
    moment = moments.of_moment(TIMESTAMP, seconds, fraction, offset, F.lit(known_to), digits)
    exists = fits & (day <= F.day(F.last_day(first)))
    ranks = frozenset({TIMESTAMP})
    return F.when(exists, let(moment, lambda column: moments.to_variant(Moment(column, ranks))))
