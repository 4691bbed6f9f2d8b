"""Sums and products of numbers that are integers in one row and decimals in another (`WholeOrDecimal`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from firesteel import types as t
from firesteel.spark.core.conversions import as_single_kind
from firesteel.spark.core.expr import Expr, NumberParts, Variant, as_decimal, place_over
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import WholeOrDecimal, digits_of
from firesteel.spark.numbers.operands import typed
from firesteel.spark.scalar.arithmetic.arithmetic import OVERFLOW, dynamic_binary, typed_binary
from firesteel.tables.shapes.value_shapes import LONG

#: The operators whose result has the same value for `12` and for `12.0`.
OPERATORS = ("plus", "minus", "times")


def applies(name: str, args: Sequence[Expr | t.Type]) -> bool:
    """Are there such operands, beside integers of a known type at most?"""
    mixed = [isinstance(arg, NumberParts) and isinstance(arg.type, WholeOrDecimal) for arg in args]
    others = [isinstance(arg, Expr) and isinstance(arg.type, t.Integer) and typed(arg) for arg in args]
    return name in OPERATORS and any(mixed) and all(map(max, mixed, others))


def binary(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """The result, computed with decimals. It is an integer where both operands are."""
    a, b = args
    result = typed_binary(scope, name, as_decimal(a), as_decimal(b), where)
    if isinstance(result, Variant) or not isinstance(result.type, t.Decimal):  # more digits than a decimal column has
        x, y = as_single_kind(a), as_single_kind(b)
        return scope.let([x, y], lambda left, right: dynamic_binary(scope, name, left, right, where))
    whole = [arg.integral for arg in args if isinstance(arg, NumberParts) and arg.integral is not None]
    integral = reduce(lambda left, right: left & right, whole)
    value, throws = result.plain, _whole_digits(name, a, b) >= LONG
    if throws:
        limit = F.literal(str(2**63), "decimal(19,0)")
        beyond = integral & ((value >= limit) | (value < -limit))
        value = F.when(beyond, scope.run.error(OVERFLOW, where)).otherwise(value)
    type_ = t.union((t.INT64, t.proper(result.type)))
    type_ = t.absent(type_, nullable=result.type.nullable, missable=result.type.missable)
    return NumberParts(type_, value, integral, place=place_over((result, *args), throws=throws))


def _whole_digits(name: str, a: Expr, b: Expr) -> int:
    """The most digits before the point that the result has."""
    precisions = (digits_of(as_decimal(arg).type) for arg in (a, b))
    x, y = (precision - scale for precision, scale in precisions)
    return x + y if name == "times" else max(x, y) + 1
