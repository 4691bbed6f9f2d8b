"""Quotients of decimals whose types are known: 38 digits that count, half to even, as a variant.

A long division in two steps. The dividend is filled with zeros to 38 digits, and the divisor to 18, or to 19 if it then
begins with no more than the dividend does: so the quotient, carried on for 18 digits, has just 38. Its first 20 are one
division, and the rest of that with 18 zeros more fits a decimal again, for the other 18. Of a divisor that is longer the
digits come one by one.

The expression is short, because each part of it is a call to Spark, and every rule of Spark's optimizer walks over it:
methods of columns before functions, which are three calls each or nine, and what is known of the types is not asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial

from pyspark.sql import Column

from firesteel.spark import columns as F
from firesteel.spark.dynamic import any_of
from firesteel.spark.encoding import MAX_DIGITS
from firesteel.spark.variant import TAG

#: So many digits are found at once. They fit beside the rest of a division by a number of one digit more.
_STEP = 18
_WHOLE = f"decimal({MAX_DIGITS},0)"
#: A long number with a sign, without the zeros before it and behind it.
_ZEROS = r"^(-?)0*(\d+\.\d+?)0*$"
#: What a variant has no room for, as a number, and how it is written instead (`dynamic.tag`).
_WIDE = rf"^(-?\d+\.\d{{{MAX_DIGITS + 1},}}|-?\d{{{MAX_DIGITS}}}\.0)$"
_TAGGED = json.dumps({TAG: ["decimal", "$1"]}).replace("\\", "\\\\")


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

    if b.precision <= _STEP:
        length, divided = shift + _STEP, _straight
    else:
        short = size <= _STEP
        length = F.when(short, shift + _STEP).otherwise(size)
        divided = partial(_stepwise, _steps(short, size - shift))

    def found(p: Column) -> Column:
        text = F.lpad(divided(p[0], p[1]).cast("string"), F.lit(width), zero)
        if before >= MAX_DIGITS:  # then there may be none behind the point
            text = F.rpad(text, F.lit(width + 1), zero)
        sign = F.when(a.text.startswith("-") != b.text.startswith("-"), F.lit("-")).otherwise(F.lit(""))
        return _variant(F.overlay(F.overlay(text, F.lit("."), point, F.lit(0)), sign, F.lit(1), F.lit(0)))

    both = F.array(dividend.cast(_WHOLE), F.rpad(y, length, zero).cast(_WHOLE))
    return Quotient(F.transform(F.array(both), found)[0], size == 0, any_of(beyond))


def _steps(short: Column, size: Column) -> Column:
    """The powers of ten to go on by."""
    once, often = F.array_repeat(_power(_STEP), F.lit(1)), F.array_repeat(_power(1), size)
    return F.when(short, once).otherwise(often)


def _power(digits: int) -> Column:
    return F.lit(str(10**digits)).cast(f"decimal({_STEP + 1},0)")


def _straight(a: Column, b: Column) -> Column:
    return _rounded(*_next(*_first(a, b), b, _power(_STEP)), b)


def _stepwise(powers: Column, a: Column, b: Column) -> Column:
    return F.aggregate(
        powers,
        F.array(*_first(a, b)),
        lambda s, power: F.array(*_next(s[0], s[1], b, power)),
        lambda s: _rounded(s[0], s[1], b),
    )


def _first(a: Column, b: Column) -> tuple[Column, Column]:
    """The whole quotient, and the rest. Spark would round the quotient: it divides what can be divided."""
    rest = a % b
    return ((a - rest) / b).cast(_WHOLE), rest


def _next(found: Column, rest: Column, b: Column, power: Column) -> tuple[Column, Column]:
    """The same with some digits more."""
    a = rest * power
    rest = a % b
    return found * power + ((a - rest) / b).cast(f"decimal({_STEP},0)"), rest


def _rounded(found: Column, rest: Column, b: Column) -> Column:
    twice = rest + rest
    return found + ((twice > b) | ((twice == b) & (found % 2 == 1))).cast("int")


def _variant(text: Column) -> Column:
    text = F.regexp_replace(text, F.lit(_ZEROS), F.lit("$1$2"))
    return F.parse_json(F.regexp_replace(text, F.lit(_WIDE), F.lit(_TAGGED)))
