"""Floats compared with integers and decimals: by what they are exactly, where Spark would make floats of both.

A literal is told apart while compiling: between two floats that are next to each other there is no float to be less or
more. Of columns the floats decide, unless the number rounds to the float: then its side does (`sides.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark import columns as F
from firesteel.spark.expr import Expr
from firesteel.spark.numbers import WHOLE
from firesteel.spark.sides import side_of

Operator = Callable[[Any, Any], Column]


def concerns(a: Expr, b: Expr) -> bool:
    """Is one a float, and the other a number that is none?"""
    floats = [isinstance(e.type, t.Float32 | t.Float64) for e in (a, b)]
    return floats[0] != floats[1]


def compared(operator: Operator, a: Expr, b: Expr) -> Column:
    """The comparison of plain numbers, one of them a float; SQL NULL of SQL NULL. NaN is the least number."""
    number, other = (a, b) if isinstance(a.type, t.Float32 | t.Float64) else (b, a)
    value = number.plain.cast("double")
    sign = _literal_sign(value, other.constant) if _is_number(other.constant) else _sign(value, other)
    there = value.isNotNull() & other.plain.isNotNull()
    zero = F.lit(0)
    return F.when(there, operator(sign, zero) if number is a else operator(zero, sign))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _literal_sign(value: Column, constant: Any) -> Column:
    """Less, equal or greater than a literal, as -1, 0 or 1."""
    exact = Decimal(constant)
    near = float(exact)
    below = F.isnan(value) | (value < F.lit(near))
    if Decimal(near) == exact:
        return F.when(below, -1).when(value == F.lit(near), 0).otherwise(1)
    high = near if Decimal(near) > exact else math.nextafter(near, math.inf)
    return F.when(F.isnan(value) | (value < F.lit(high)), -1).otherwise(1)


def _sign(value: Column, other: Expr) -> Column:
    near = other.plain.cast("double")
    tie = _integer_tie(value, other) if isinstance(other.type, t.Integer) else _decimal_tie(value, other)
    return F.when(F.isnan(value) | (value < near), -1).when(value > near, 1).otherwise(tie)


def _integer_tie(value: Column, other: Expr) -> Column:
    """The float is an integer then, of 64 bits unless it is too large by one."""
    whole = value.try_cast("bigint")
    number = other.plain.cast("bigint")
    return F.when(whole.isNull() | (whole > number), 1).when(whole < number, -1).otherwise(0)


def _decimal_tie(value: Column, other: Expr) -> Column:
    """The float is the one that is nearest to the decimal."""
    return -side_of(value, other.plain.cast("string"))


def mantissa_of(value: Column) -> tuple[Column, Column]:
    """A float as an integer of up to 55 bits, and by which power of two it is to be divided."""
    bits = F.lit(53) - F.floor(F.log2(F.abs(F.nullif(value, F.lit(0.0))))).cast("int")
    bits = F.coalesce(bits, F.lit(0))
    return bits, (value * F.pow(F.lit(2.0), bits)).try_cast("bigint").cast(WHOLE)


def power_of_two(bits: Column) -> Column:
    """One of a negative power; SQL NULL of one that takes more than 38 digits."""
    size = F.greatest(bits, F.lit(0))
    low, high = (
        F.pow(F.lit(2.0), part).cast("bigint").cast(WHOLE)
        for part in (F.least(size, F.lit(62)), F.greatest(F.least(size - 62, F.lit(62)), F.lit(0)))
    )
    return F.when(size <= 124, F.try_multiply(low, high))
