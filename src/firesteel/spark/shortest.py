"""Floats as the decimals that they stand for: the shortest ones that read as the float, as Python writes it.

Java before 19 does not always write the shortest digits (`2e23` is `1.9999999999999998E23`), but digits near to them.
So each number of digits that may do is tried: those that Java writes are cut down to so many, and the one below or
above that reads as the float is taken, the nearer one if both do.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pyspark.sql import Column

from firesteel.spark import columns as F
from firesteel.spark.dynamic import apart

#: Decimals of so many digits that count read as different floats if they are different.
DIGITS = 15
#: Whole numbers below this are floats exactly.
EXACT = 2.0**53
#: The least float that has all its 53 bits.
_NORMAL = 2.0**-1022
#: Up to here a float above `EXACT` is taken apart into two whole numbers: some of Java's digits are wrong there.
_TAKEN_APART, _PART = 2.0**93, 2.0**40
#: The place of zero's first digit, which is before that of any other number, and that of infinity's.
_ZERO, _INFINITY = -(2**31), 2**31 - 1

Step = Callable[[Column], Column]


def in_turn(row: Column, *steps: Step) -> Column:
    """What the last step makes of what the one before it made, and so on. Each is a lambda of its own beside the
    others, and not inside them: what Spark Connect takes may nest only so deep."""
    array = F.array(row)
    for step in steps:
        array = F.transform(array, step)
    return F.element_at(array, 1)


def digits(written: Column) -> Column:
    """The digits of a number's text that count: without sign, point, exponent, and zeros at both ends."""
    return F.rtrim(F.ltrim(F.regexp_replace(written, r"[eE].*$|[^0-9]", ""), F.lit("0")), F.lit("0"))


def place(written: Column) -> Column:
    """Where the first of those digits stands: in `0.1` and `1e-1` at 0, in `12.5` at 2."""
    exponent = F.coalesce(F.regexp_extract(written, r"[eE]([+-]?\d+)$", 1).try_cast("int"), F.lit(0))
    before = F.regexp_extract(written, r"^[+-]?0*(\d*)", 1)
    zeros = F.regexp_extract(written, r"^[+-]?0*\.(0*)", 1)
    return exponent + F.char_length(before) - F.char_length(zeros)


def _normal(written: Column) -> Column:
    """Ordered as positive numbers are, and equal where they are."""
    found = digits(written)
    where = F.when(F.startswith(written, F.lit("Inf")), _INFINITY).when(found == "", _ZERO).otherwise(place(written))
    return F.struct(where.alias("a"), found.alias("y"))


def shortest(double: Column) -> Column:
    """The text of a float that is not negative, of as few digits as read as that float."""
    row = F.struct(double.alias("d"), _java_text(double).alias("s"))
    return in_turn(row, _taken_apart, lambda row: F.coalesce(_first_that_reads(row), row["s"]))


def decimal_text(double: Column) -> Column:
    """The text of the decimal that a finite float stands for."""
    return F.concat(F.when(double < 0, F.lit("-")).otherwise(F.lit("")), shortest(F.abs(double)))


def _java_text(double: Column) -> Column:
    high = F.floor(double / _PART)
    whole = high.cast("decimal(16,0)") * F.lit(Decimal(int(_PART)))
    exact = whole + (double - high.cast("double") * _PART).cast("decimal(13,0)")
    within = (double >= EXACT) & (double < _TAKEN_APART)
    return F.when(within, F.when(within, exact).cast("string")).otherwise(double.cast("string"))


def _taken_apart(row: Column) -> Column:
    return F.struct(row["d"], row["s"], digits(row["s"]).alias("y"), place(row["s"]).alias("a"))


def _first_that_reads(row: Column) -> Column:
    """Tried are 15, 16 and 17 digits; fewer only for the floats below all others, which have fewer bits."""
    counts = F.sequence(F.when(row["d"] >= _NORMAL, DIGITS).otherwise(1), F.lit(17))
    tried = F.transform(F.when(_is_long(row["y"], row["d"]), counts), lambda count: _cut(row, count))
    return F.get(F.filter(tried, lambda text: text.isNotNull()), F.lit(0))


def _is_long(digits_: Column, double: Column) -> Column:
    """Are there other numbers of so many digits that read as the same float? Of few digits only near the ends."""
    return (F.char_length(digits_) > DIGITS) | (double < _NORMAL) | (double == float("inf"))


def _cut(row: Column, count: Column) -> Column:
    """The number cut down to so many digits, or the next one, whichever reads as the float; else SQL NULL."""
    size = F.least(count, F.char_length(row["y"]))
    low = F.substring(row["y"], F.lit(1), size).try_cast("bigint")
    rest = F.substring(row["y"], size + 1, F.char_length(row["y"]))
    below, above = (F.concat((low + i).cast("string"), F.lit("E"), (row["a"] - size).cast("string")) for i in (0, 1))
    nearer = (rest > "5") | ((rest == "5") & (low % 2 == 1))
    reads = [text.cast("double") == row["d"] for text in (below, above)]
    return F.when(reads[1] & nearer, above).when(reads[0], below).when(reads[1], above)


# ---------------------------------------------------------------------------------------------------------------------
# A number beside the float that is nearest to it


def side_of(double: Column, written: Column) -> Column:
    """Is a number, by its text, less (-1) or more (1) than what its nearest float stands for, or the same (0)? It is
    seldom asked, and large: no code is generated for it."""
    return apart(F.struct(double.alias("d"), written.alias("s")), lambda row: in_turn(row, *SIDE)["x"])


def _with_shortest(row: Column) -> Column:
    far = F.abs(row["d"])
    text = F.when(_is_long(digits(row["s"]), far), shortest(far))
    return F.struct(row["d"], row["s"], text.alias("t"))


def _with_side(row: Column) -> Column:
    number, float_ = _normal(row["s"]), _normal(row["t"])
    side = F.when(number < float_, -1).when(number > float_, 1).otherwise(0)
    signed = F.when(row["t"].isNull(), 0).when(row["s"].startswith("-"), -side).otherwise(side)
    return F.struct(row["d"], row["s"], signed.alias("x"))


#: From a float and a text to these and `x`.
SIDE: tuple[Step, ...] = (_with_shortest, _with_side)
