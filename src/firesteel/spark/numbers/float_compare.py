"""Floats compared with integers and decimals: a float stands for the decimal of its shortest text.

For numbers of up to 15 digits this is a comparison of floats, which Spark can push down to a scan. If a number has more
digits and reads as the same float, the digits decide (`float_text`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr, Variant
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import digits_of
from firesteel.spark.numbers.exact_decimals import WHOLE
from firesteel.spark.numbers.float_text import DIGITS, EXACT, side_of
from firesteel.values import decimal_of

Operator = Callable[[Any, Any], Any]


def is_float(expr: Expr) -> bool:
    return isinstance(expr.type, t.Float32 | t.Float64)


def is_mixed(a: Expr, b: Expr) -> bool:
    """Is one of them a float, and the other an integer or a decimal?"""
    return is_float(a) != is_float(b)


def reads_as_itself(expr: Expr) -> bool:
    """Have integers or decimals of this type so few digits that different ones read as different floats?"""
    return digits_of(expr.type)[0] <= DIGITS


def compare_mixed(operator: Operator, a: Expr, b: Expr) -> Column:
    """The comparison of plain numbers, one of them a float; SQL NULL if one is SQL NULL. NaN is the least number."""
    if not is_float(a):
        return compare_mixed(lambda x, y: operator(y, x), b, a)
    value = a.plain.cast("double")
    if is_number(b.constant):
        return _with_literal(operator, value, Decimal(b.constant))
    near = b.plain.cast("double")
    if reads_as_itself(b):
        return compare_floats(operator, value, near)
    side = side_of(near, b.plain.cast("string"))
    if isinstance(b.type, t.Integer):
        side = F.when(F.abs(near) < EXACT, 0).otherwise(side)  # `EXACT` itself is also the float of the next integer
    sign = F.when(F.isnan(value) | (value < near), -1).when(value > near, 1).otherwise(-side)
    return F.when(value.isNotNull() & near.isNotNull(), operator(sign, F.lit(0)))


def is_number(value: Any) -> bool:
    """Is it a literal integer or decimal?"""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def compare_floats(operator: Operator, value: Column, number: Column) -> Column:
    """The comparison of floats, the second of which is not NaN. NaN is the least number to us, Spark's greatest."""
    found: Column = operator(value, number)
    least, greatest = operator(-1, 0), operator(1, 0)
    if least == greatest:
        return found
    return found | F.isnan(value) if least else found & ~F.isnan(value)


def _with_literal(operator: Operator, value: Column, number: Decimal) -> Column:
    """A float compared with a literal. A literal that no float stands for lies between two floats."""
    near = float(number)
    nearest = decimal_of(near)
    if number == nearest:
        return compare_floats(operator, value, F.lit(near))
    if operator(-1, 0) == operator(1, 0):
        return F.when(value.isNotNull(), F.lit(bool(operator(-1, 0))))
    less, more = (_LESS_OR_EQUAL, _MORE) if number > nearest else (_LESS, _MORE_OR_EQUAL)
    return compare_floats(less if operator(-1, 0) else more, value, F.lit(near))


def between(value: Expr, low: Expr, high: Expr) -> Column | None:
    """A float BETWEEN two literals that floats stand for, by Spark's own `between`: NaN is below the range to us and
    above it to Spark, so outside for both. None for other operands."""
    if isinstance(value, Variant) or not is_float(value):
        return None
    bounds = [float(e.constant) for e in (low, high) if is_number(e.constant) or isinstance(e.constant, float)]
    known = [decimal_of(b) for b in bounds if math.isfinite(b)]
    if len(known) < 2 or any(n != stands_for(e.constant) for n, e in zip(known, (low, high), strict=True)):
        return None
    return value.plain.cast("double").between(*map(F.lit, bounds))


def stands_for(number: Any) -> Decimal:
    """The exact number that a literal stands for."""
    return decimal_of(number) if isinstance(number, float) else Decimal(number)


_LESS: Operator = lambda x, y: x < y  # noqa: E731
_LESS_OR_EQUAL: Operator = lambda x, y: x <= y  # noqa: E731
_MORE: Operator = lambda x, y: x > y  # noqa: E731
_MORE_OR_EQUAL: Operator = lambda x, y: x >= y  # noqa: E731


def mantissa_of(value: Column) -> tuple[Column, Column]:
    """`bits` and an integer of up to 55 bits, such that the float is the integer divided by 2**bits."""
    bits = F.lit(53) - F.floor(F.log2(F.abs(F.nullif(value, F.lit(0.0))))).cast("int")
    bits = F.coalesce(bits, F.lit(0))
    return bits, (value * F.pow(F.lit(2.0), bits)).try_cast("bigint").cast(WHOLE)


def power_of_two(bits: Column) -> Column:
    """2**bits; 1 if `bits` is negative, SQL NULL if it has more than 38 digits."""
    size = F.greatest(bits, F.lit(0))
    low, high = (
        F.pow(F.lit(2.0), part).cast("bigint").cast(WHOLE)
        for part in (F.least(size, F.lit(62)), F.greatest(F.least(size - 62, F.lit(62)), F.lit(0)))
    )
    return F.when(size <= 124, F.try_multiply(low, high))
