"""Quotients of decimals whose types are known: 38 digits that count, half to even, as a variant.

A long division of few steps. The dividend is filled with zeros to 38 digits, and the divisor to 18, or to 19 if it then
begins with no more than the dividend does: so the quotient, carried on for 18 digits, has just 38. Its first 20 are one
division, and the rest of that with 18 zeros more fits a decimal again, for the other 18. By a longer divisor it takes
more steps.

The expression is short, because each part of it is a call to Spark, and every rule of Spark's optimizer walks over it:
methods of columns before functions, which are three calls each or nine, and what is known of the types is not asked.
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

#: A divisor of at most so many digits, and how many of the quotient's are found at once by it: as many as fit beside
#: a rest of one digit more than the divisor has. By a longer one they are found one by one.
_STEPS = ((18, 18), (24, 12))
_WHOLE = f"decimal({MAX_DIGITS},0)"
#: A long number with a sign, without the zeros before it and behind it.
_ZEROS = r"^(-?)0*(\d+\.\d+?)0*$"
#: What a variant has no room for, as a number, and how it is written instead (`dynamic.tag`).
_WIDE = rf"^(-?\d+\.\d{{{MAX_DIGITS + 1},}}|-?\d{{{MAX_DIGITS}}}\.0)$"
_TAGGED = json.dumps({TAG: [Kind.WIDE_DECIMAL, "$1"]}).replace("\\", "\\\\")


@dataclass(frozen=True)
class Operand:
    """A decimal or an integer, as text; how many digits its type has, and how many of them are behind the point."""

    text: Column
    precision: int
    scale: int

    def digits(self) -> Column:
        """Those that count; of zero, none."""
        return F.ltrim(F.translate(self.text, ".", "") if self.scale else self.text, F.lit("-0"))


@dataclass(frozen=True)
class Quotient:
    """A quotient, where it is one."""

    value: Column
    #: Where the divisor is zero.
    zero: Column
    #: Where there are more than 38 digits, or the divisor has all of these; None if that cannot be.
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

    def found(state: Column) -> Column:
        text = F.lpad(_rounded(state).cast("string"), F.lit(width), zero)
        if before >= MAX_DIGITS:  # then there may be none behind the point
            text = F.rpad(text, F.lit(width + 1), zero)
        sign = F.when(a.text.startswith("-") != b.text.startswith("-"), F.lit("-")).otherwise(F.lit(""))
        return _variant(F.overlay(F.overlay(text, F.lit("."), point, F.lit(0)), sign, F.lit(1), F.lit(0)))

    start = F.array(F.lit(0), dividend.cast(_WHOLE), F.rpad(y, length, zero).cast(_WHOLE))
    return Quotient(F.aggregate(powers, start, _step, found), size == 0, any_of(beyond))


def _steps(precision: int, size: Column, shift: Column) -> tuple[Column, Column]:
    """How long the divisor is to be, and the powers of ten to go on by."""
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
    """The quotient so far, what is left to be divided, and the divisor: some digits on."""
    found, left, b = state[0], state[1], state[2]
    digits, rest = _divided(left, b)
    return F.array((found + digits) * power, rest * power, b)


def _rounded(state: Column) -> Column:
    """The quotient: up if the rest is more than half, or is half and the last digit odd."""
    found, left, b = state[0], state[1], state[2]
    digits, rest = _divided(left, b)
    return found + digits + (rest * 2 + digits % 2 > b).cast("int")


def _divided(a: Column, b: Column) -> tuple[Column, Column]:
    """The whole quotient, and the rest. Spark would round the quotient: it divides what can be divided."""
    rest = a % b
    return ((a - rest) / b).cast(_WHOLE), rest


def _variant(text: Column) -> Column:
    text = F.regexp_replace(text, F.lit(_ZEROS), F.lit("$1$2"))
    return F.parse_json(F.regexp_replace(text, F.lit(_WIDE), F.lit(_TAGGED)))
