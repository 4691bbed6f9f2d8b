"""On which side of the nearest float a number lies, exactly: what Spark does not tell, which makes floats of both."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import Column

from firesteel.spark import columns as F
from firesteel.spark import dynamic

WHOLE = "decimal(38,0)"


def before_point(written: Column) -> Column:
    """What is before the point of a number's text; SQL NULL if it has an exponent, or too many digits."""
    return F.regexp_extract(written, r"^(-?\d+)(\.\d+)?$", 1).try_cast(WHOLE)


def side_of(double: Column, written: Column) -> Column:
    """Is a number, by its text, less (-1) or more (1) than the float that is nearest to it, or the same (0)? One with
    more digits than Spark's decimals have is further from zero. Names, please."""
    behind = F.rpad(F.regexp_extract(written, r"\.(\d+)$", 1), 38, "0").try_cast(WHOLE)
    far = _far(F.abs(double), F.abs(before_point(written)), behind)
    return far * F.when(written.startswith("-"), -1).otherwise(1)


#: So many bits behind the point are as many digits: `2**-18`, and its square, in units of the 38th digit.
_STEP = 2.0**18
_UNITS = (5**18 * 10**20, 5**36 * 100)


def _far(double: Column, before: Column, behind: Column) -> Column:
    """The same of numbers that are not negative: the digits before the point, and 38 behind it."""

    def of_low(part: Column) -> Column:  # part: the multiple of 2**62, and what is left
        whole_ = F.try_add(
            F.try_multiply(part["h"].cast("decimal(19,0)"), F.lit(2**62).cast("decimal(19,0)")),
            part["l"].try_cast("bigint").cast(WHOLE),
        )
        fraction = part["l"] - part["l"].try_cast("bigint").cast("double")
        apart = F.signum(F.try_subtract(before, whole_).cast("double"))
        return F.coalesce(_first(apart, dynamic.let(fraction, of_fraction)), F.lit(1))

    def of_fraction(fraction: Column) -> Column:
        first = (fraction * _STEP).cast("bigint")
        rest = fraction - first.cast("double") / _STEP
        return dynamic.let(F.struct(first.alias("a"), rest.alias("r")), of_rest)

    def of_rest(part: Column) -> Column:
        second = (part["r"] * _STEP**2).cast("bigint")
        rest = part["r"] - second.cast("double") / _STEP**2
        known = [F.try_multiply(n.cast("decimal(6,0)"), _units(i)) for i, n in enumerate((part["a"], second))]
        left = F.try_subtract(F.try_subtract(behind, known[0]), known[1]).cast("double")
        # A float with more bits than 38 is no decimal of 38 digits, however near.
        more = (rest * 2.0**38) != F.floor(rest * 2.0**38).cast("double")
        return _first(F.signum(left - rest * 1e38), more.cast("int"))

    high = (double / 2.0**62).try_cast("bigint")
    split = F.struct(high.alias("h"), (double - high.cast("double") * 2.0**62).alias("l"))
    return F.when(double == float("inf"), -1).otherwise(dynamic.let(split, of_low))


def _first(sign: Column, other: Column) -> Column:
    """The sign, or the other one where it is 0; neither is written twice."""
    return F.signum(sign * 2 + other).cast("int")


def _units(i: int) -> Column:
    return F.lit(Decimal(_UNITS[i])).cast(WHOLE)
