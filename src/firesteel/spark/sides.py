"""On which side of the nearest float a number lies, exactly: what Spark does not tell, which makes floats of both."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pyspark.sql import Column

from firesteel.spark import columns as F

WHOLE = "decimal(38,0)"

Step = Callable[[Column], Column]


def before_point(written: Column) -> Column:
    """What is before the point of a number's text; SQL NULL if it has an exponent, or too many digits."""
    return F.regexp_extract(written, r"^(-?\d+)(\.\d+)?$", 1).try_cast(WHOLE)


def side_of(double: Column, written: Column) -> Column:
    """Is a number, by its text, less (-1) or more (1) than the float that is nearest to it, or the same (0)? One with
    more digits than Spark's decimals have is further from zero."""
    return in_turn(F.struct(double.alias("d"), written.alias("s")), *SIDE)["x"]


def in_turn(row: Column, *steps: Step) -> Column:
    """What the last step makes of what the one before it made, and so on. Each is a lambda of its own beside the
    others, and not inside them: what Spark Connect takes may nest only so deep."""
    array = F.array(row)
    for step in steps:
        array = F.transform(array, step)
    return F.element_at(array, 1)


def _with(row: Column, *kept: str, **made: Column) -> Column:
    return F.struct(*(row[name].alias(name) for name in kept), *(column.alias(name) for name, column in made.items()))


#: So many bits behind the point are as many digits: `2**-18`, and its square, in units of the 38th digit.
_STEP = 2.0**18
_UNITS = (5**18 * 10**20, 5**36 * 100)
_PART = 2.0**62


def _high(row: Column) -> Column:
    """`h`: how often there are 2**62 in the float. Signs are left out of account until the end."""
    return _with(row, "d", "s", h=(F.abs(row["d"]) / _PART).try_cast("bigint"))


def _low(row: Column) -> Column:
    """`l`: what is left of it then."""
    return _with(row, "d", "s", "h", l=F.abs(row["d"]) - row["h"].cast("double") * _PART)


def _before(row: Column) -> Column:
    """`p`: on which side what is before the point is, where 0 leaves it open; `f`: the float's fraction."""
    integer = row["l"].try_cast("bigint")
    many = F.try_multiply(row["h"].cast("decimal(19,0)"), F.literal(2**62, "decimal(19,0)"))
    apart = F.try_subtract(F.abs(before_point(row["s"])), F.try_add(many, integer.cast(WHOLE)))
    return _with(row, "d", "s", p=F.signum(apart.cast("double")), f=row["l"] - integer.cast("double"))


def _first_bits(row: Column) -> Column:
    """`a`: the first bits of the fraction; `r`: the rest."""
    first = (row["f"] * _STEP).cast("bigint")
    return _with(row, "d", "s", "p", a=first, r=row["f"] - first.cast("double") / _STEP)


def _next_bits(row: Column) -> Column:
    """`b`: the next bits; `r`: the rest."""
    second = (row["r"] * _STEP**2).cast("bigint")
    return _with(row, "d", "s", "p", "a", b=second, r=row["r"] - second.cast("double") / _STEP**2)


def _decided(row: Column) -> Column:
    """`x`: the side. A float with more bits than 38 is no decimal of 38 digits, however near."""
    behind = F.rpad(F.regexp_extract(row["s"], r"\.(\d+)$", 1), 38, "0").try_cast(WHOLE)
    for bits, units in zip(("a", "b"), _UNITS, strict=True):
        behind = F.try_subtract(behind, F.try_multiply(row[bits].cast("decimal(6,0)"), F.lit(Decimal(units))))
    more = (row["r"] * 2.0**38) != F.floor(row["r"] * 2.0**38).cast("double")
    far = F.signum(behind.cast("double") - row["r"] * 1e38) * 2 + more.cast("int")
    side = F.coalesce(F.signum(row["p"] * 4 + far), F.lit(1.0)).cast("int")
    side = F.when(F.abs(row["d"]) == float("inf"), -1).otherwise(side)
    return _with(row, "d", "s", x=F.when(row["s"].startswith("-"), -side).otherwise(side))


#: From a float and a text to these and `x`.
SIDE: tuple[Step, ...] = (_high, _low, _before, _first_bits, _next_bits, _decided)
