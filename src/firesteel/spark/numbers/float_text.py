"""The decimal that a float stands for: the shortest text that reads back as the float, as Python writes it.

Java before 19 does not always write the shortest digits (`2e23` is `1.9999999999999998E23`), but digits close to them.
So Java's digits are cut to 15, 16 and 17, and for each length the number below and the number above are read back: the
first that gives the float is taken, the nearer one if both do.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variants import let_interpreted

#: Different decimals of up to this many significant digits read as different floats.
DIGITS = 15
#: All integers below this are exact as floats.
EXACT = 2.0**53
#: The least normal float; smaller ones (subnormal) have fewer than 53 bits.
_NORMAL = 2.0**-1022
#: From `EXACT` up to here a float is written as the sum of two integers: some of Java's digits are wrong there.
_TAKEN_APART, _PART = 2.0**93, 2.0**40
#: What counts as the `place` of zero and of infinity: below, and above, that of any other number.
_ZERO, _INFINITY = -(2**31), 2**31 - 1

Step = Callable[[Column], Column]


def apply_steps(row: Column, *steps: Step) -> Column:
    """The row after all steps, each of which takes the result of the one before. Each step is a `transform` of its own:
    lambdas inside one another would nest too deep for Spark Connect."""
    array = F.array(row)
    for step in steps:
        array = F.transform(array, step)
    return F.element_at(array, 1)


def _with(row: Column, *kept: str, **more: Column) -> Column:
    """A struct of the row's fields `kept` and of `more`. Not by `withField`: Catalyst would then inline the selects
    below into this one, where a condition around them may skip an error."""
    return F.struct(*(row[name] for name in kept), *(column.alias(name) for name, column in more.items()))


def digits(written: Column) -> Column:
    """The significant digits of a number's text: without sign, point, exponent, and zeros at both ends."""
    return F.rtrim(F.ltrim(F.regexp_replace(written, r"[eE].*$|[^0-9]", ""), F.lit("0")), F.lit("0"))


def first_digit_place(written: Column) -> Column:
    """Where the first of those digits stands: in `0.1` and `1e-1` at 0, in `12.5` at 2."""
    exponent = F.coalesce(F.regexp_extract(written, r"[eE]([+-]?\d+)$", 1).try_cast("int"), F.lit(0))
    before = F.regexp_extract(written, r"^[+-]?0*(\d*)", 1)
    zeros = F.regexp_extract(written, r"^[+-]?0*\.(0*)", 1)
    return exponent + F.char_length(before) - F.char_length(zeros)


def _order_key(written: Column) -> Column:
    """A struct that orders the texts of positive numbers as the numbers, and is equal where they are."""
    found = digits(written)
    where = (
        F.when(F.startswith(written, F.lit("Inf")), _INFINITY)
        .when(found == "", _ZERO)
        .otherwise(first_digit_place(written))
    )
    return F.struct(where.alias("a"), found.alias("y"))


def shortest(double: Column) -> Column:
    """The shortest text that reads as the float, which is not negative."""
    row = F.struct(double.alias("d"), F.lit(None).alias("s"), double.alias("e"))
    return apply_steps(row, *SHORTEST)["t"]


def decimal_text(double: Column) -> Column:
    """The text of the decimal that a finite float stands for."""
    return F.concat(F.when(double < 0, F.lit("-")).otherwise(F.lit("")), shortest(F.abs(double)))


def _with_java_text(row: Column) -> Column:
    double = row["e"]
    high = F.floor(double / _PART)
    whole = high.cast("decimal(16,0)") * F.lit(Decimal(int(_PART)))
    exact = whole + (double - high.cast("double") * _PART).cast("decimal(13,0)")
    within = (double >= EXACT) & (double < _TAKEN_APART)
    text = F.when(within, F.when(within, exact).cast("string")).otherwise(double.cast("string"))
    return _with(row, "d", "s", "e", j=text)


def _with_digits(row: Column) -> Column:
    return _with(row, "d", "s", "e", "j", y=digits(row["j"]), a=first_digit_place(row["j"]))


def _with_cuts(row: Column) -> Column:
    """Add the digits cut to 15, 16 and 17; for subnormal floats, which have fewer bits, to each length from 1."""
    counts = F.sequence(F.when(row["e"] >= _NORMAL, DIGITS).otherwise(1), F.lit(17))
    cuts = F.transform(F.when(_is_long(row["y"], row["e"]), counts), lambda count: _cut(row["y"], count))
    return _with(row, "d", "s", "e", "j", "a", c=cuts)


def _cut(all_digits: Column, count: Column) -> Column:
    size = F.least(count, F.char_length(all_digits))
    low = F.substring(all_digits, F.lit(1), size).try_cast("bigint")
    rest = F.substring(all_digits, size + 1, F.char_length(all_digits))
    return F.struct(size.alias("n"), low.alias("l"), rest.alias("r"))


def _with_candidates(row: Column) -> Column:
    """Add, for each cut, the numbers below and above as texts, and whether the one above is nearer."""

    def candidates(cut: Column) -> Column:
        exponent = (row["a"] - cut["n"]).cast("string")
        below, above = (F.concat((cut["l"] + i).cast("string"), F.lit("E"), exponent) for i in (0, 1))
        nearer = (cut["r"] > "5") | ((cut["r"] == "5") & (cut["l"] % 2 == 1))
        return F.struct(below.alias("b"), above.alias("u"), nearer.alias("n"))

    return _with(row, "d", "s", "e", "j", c=F.transform(row["c"], candidates))


def _with_shortest(row: Column) -> Column:
    """Add the first candidate that reads as the float, the nearer one if two do; else the text that Java writes."""

    def reading(cut: Column) -> Column:
        below, above = (cut[name].cast("double") == row["e"] for name in ("b", "u"))
        return F.when(above & (cut["n"] | ~below), cut["u"]).when(below, cut["b"])

    found = F.filter(F.transform(row["c"], reading), lambda text: text.isNotNull())
    return _with(row, "d", "s", t=F.coalesce(F.get(found, F.lit(0)), row["j"]))


#: From a float `e` that is not negative to its shortest text `t`; `d` and `s` stay in the row.
SHORTEST: tuple[Step, ...] = (_with_java_text, _with_digits, _with_cuts, _with_candidates, _with_shortest)


def _is_long(digits_: Column, double: Column) -> Column:
    """May other numbers of as many digits read as the same float? With few digits, only subnormals and infinity."""
    return (F.char_length(digits_) > DIGITS) | (double < _NORMAL) | (double == float("inf"))


# ---------------------------------------------------------------------------------------------------------------------
# A number beside the float that is nearest to it


def side_of(double: Column, written: Column) -> Column:
    """Is a number, by its text, less (-1) or more (1) than what its nearest float stands for, or the same (0)? Few rows
    need it and it is large, so Spark generates no code for it (`apart`)."""
    return let_interpreted(F.struct(double.alias("d"), written.alias("s")), lambda row: apply_steps(row, *SIDE)["x"])


def _with_float_in_doubt(row: Column) -> Column:
    """Add the float where other numbers may read as it too, else SQL NULL."""
    far = F.abs(row["d"])
    return _with(row, "d", "s", e=F.when(_is_long(digits(row["s"]), far), far))


def _with_side(row: Column) -> Column:
    number, float_ = _order_key(row["s"]), _order_key(row["t"])
    side = F.when(number < float_, -1).when(number > float_, 1).otherwise(0)
    signed = F.when(row["t"].isNull(), 0).when(row["s"].startswith("-"), -side).otherwise(side)
    return _with(row, "d", "s", x=signed)


#: From a float `d` and a text `s` to these and `x`.
SIDE: tuple[Step, ...] = (_with_float_in_doubt, *SHORTEST, _with_side)
