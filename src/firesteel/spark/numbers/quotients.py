"""Quotients of decimals of known types: 38 significant digits, half to even, as a variant.

A long division in few steps. The dividend is padded with zeros to 38 digits. The divisor is padded to 18 digits, or to
19 if its digits, read from the left, are not more than the dividend's. So the integer quotient has 20 digits. The
remainder with 18 zeros behind it fits a decimal again, and gives the other 18. A longer divisor takes more steps.

The expression is short, because each part of it is a call to Spark, and every rule of Spark's optimizer walks over it:
a method of a column, at three calls, is preferred to a function, at nine; and what the types tell is not tested.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from operator import add

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import MAX_DIGITS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG
from firesteel.spark.encoding.variants import any_of
from firesteel.spark.numbers.operands import Choice

#: The most digits of a divisor, and how many digits of the quotient one step finds: as many as fit 38 with a remainder
#: of one digit more than the divisor. With a longer divisor, each step finds one digit.
_STEPS = ((18, 18), (24, 12))
_WHOLE = f"decimal({MAX_DIGITS},0)"
#: A number with zeros before and behind it, to be removed; the sign stays.
_ZEROS = r"^(-?)0*(\d+\.\d+?)0*$"
#: A number with too many digits for a decimal of VARIANT, and the tag that replaces it (`variants.tag`).
_WIDE = rf"^(-?\d+\.\d{{{MAX_DIGITS + 1},}}|-?\d{{{MAX_DIGITS}}}\.0)$"
_TAGGED = json.dumps({TAG: [Kind.WIDE_DECIMAL, "$1"]}).replace("\\", "\\\\")


@dataclass(frozen=True)
class Operand:
    """A decimal or an integer, as text; how many digits its type has, and how many of them are behind the point."""

    text: Column
    precision: int
    scale: int

    def digits(self) -> Column:
        """The digits without sign, point and leading zeros; none for zero."""
        return F.ltrim(F.translate(self.text, ".", "") if self.scale else self.text, F.lit("-0"))


@dataclass(frozen=True)
class Quotient:
    """A quotient, and where there is none."""

    value: Column
    #: Where the divisor is zero.
    zero: Column
    #: Where the quotient has too many digits, or the divisor has all of 38; None if neither can be.
    beyond: Column | None


def quotient(a: Operand, b: Operand) -> Quotient:
    x, y = a.digits(), b.digits()
    size, zero = F.length(y), F.lit("0")
    dividend, aligned = F.rpad(x, F.lit(MAX_DIGITS), zero), F.rpad(y, F.lit(MAX_DIGITS), zero)
    shift = (dividend >= aligned).cast("int")
    before = a.precision - a.scale + b.scale  # at most so many digits are before the point
    behind = MAX_DIGITS + a.scale - b.scale  # and so many, and `size - shift - length(x)` more, behind it
    width = max(behind + b.precision, MAX_DIGITS) + 1
    point = F.length(x) + shift - size + (width + 1 - behind)
    beyond = [point > width + 1] if before > MAX_DIGITS else []
    if b.precision >= MAX_DIGITS:
        beyond.append(size >= MAX_DIGITS)

    length, powers = _steps(b.precision, size, shift)

    def finish(state: Column) -> Column:
        text = F.lpad(_round(state).cast("string"), F.lit(width), zero)
        if before >= MAX_DIGITS:  # then there may be none behind the point
            text = F.rpad(text, F.lit(width + 1), zero)
        sign = F.when(a.text.startswith("-") != b.text.startswith("-"), F.lit("-")).otherwise(F.lit(""))
        return _variant(F.overlay(F.overlay(text, F.lit("."), point, F.lit(0)), sign, F.lit(1), F.lit(0)))

    start = F.array(F.lit(0), dividend.cast(_WHOLE), F.rpad(y, length, zero).cast(_WHOLE))
    return Quotient(F.aggregate(powers, start, _step, finish), size == 0, any_of(beyond))


def _steps(precision: int, size: Column, shift: Column) -> tuple[Column, Column]:
    """The length to pad the divisor to, and the power of ten for each step."""
    length, powers = Choice(), Choice()
    for digits, step in _STEPS:
        fits = size <= digits if precision > digits else True
        length.when(fits, partial(add, shift, digits))
        powers.when(fits, partial(_powers, step, F.lit(digits // step)))
    length.when(True, lambda: size)
    powers.when(True, lambda: _powers(1, size - shift))
    return length.end(), powers.end()


def _powers(digits: int, times: Column) -> Column:
    return F.array_repeat(F.literal(str(10**digits), "decimal(19,0)"), times)


def _step(state: Column, power: Column) -> Column:
    """One step: the state is the quotient so far, the remainder to divide, and the divisor."""
    quotient, left, b = state[0], state[1], state[2]
    digits, rest = _divide(left, b)
    return F.array((quotient + digits) * power, rest * power, b)


def _round(state: Column) -> Column:
    """The quotient, rounded up if the remainder is more than half, or is half and the last digit is odd."""
    quotient, left, b = state[0], state[1], state[2]
    digits, rest = _divide(left, b)
    return quotient + digits + (rest * 2 + digits % 2 > b).cast("int")


def _divide(a: Column, b: Column) -> tuple[Column, Column]:
    """The integer quotient and the remainder, which is subtracted first, because Spark would round the quotient."""
    rest = a % b
    return ((a - rest) / b).cast(_WHOLE), rest


def _variant(text: Column) -> Column:
    text = F.regexp_replace(text, F.lit(_ZEROS), F.lit("$1$2"))
    return F.parse_json(F.regexp_replace(text, F.lit(_WIDE), F.lit(_TAGGED)))
