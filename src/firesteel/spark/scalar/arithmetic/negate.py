"""Arithmetic of one number: its negative, its absolute value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import may_be
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form, to_spark
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.numbers import exact_decimals
from firesteel.spark.numbers.operands import Choice, number, typed
from firesteel.spark.scalar.arguments import propagate_absent
from firesteel.spark.scalar.arithmetic.arithmetic import (
    BEYOND,
    FLOATS,
    LEAST,
    OVERFLOW,
    UNKNOWN,
    is_null,
    misfit,
    or_missing,
    with_overflow_check,
)
from firesteel.spark.scalar.temporal import intervals


def unary(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """`neg`, `pos`, `abs`."""
    (a,) = args
    if typed(a):
        return _typed_unary(scope, name, a, where)
    if may_be(a, "interval"):
        numeric = may_be(a, "number")
        mixed = (lambda x: _dynamic_unary(scope, name, x, where)) if numeric else None
        return intervals.unary(scope, name, a, mixed, where)
    return scope.let([a], lambda x: _dynamic_unary(scope, name, x, where))


def _typed_unary(scope: Scope, name: str, a: Expr, where: Where) -> Expr:
    if name == "pos":
        return a
    if isinstance(a.type, t.Integer) and name == "neg":
        zero = column_expr(t.INT64, F.literal(0, "bigint"), atomic=True, constant=0)
        return with_overflow_check(scope, t.INT64, F.try_subtract, zero, a, "bigint", OVERFLOW, where)
    if isinstance(a.type, t.Integer):
        return _absolute(scope, a, where)
    if isinstance(a.type, t.Decimal):
        spark_type = to_spark(t.proper(a.type))
        return propagate_absent(t.proper(a.type), _signed(name, a.plain, spark_type), (a,), cost=Depth.TINY)
    value = a.plain.cast("double")
    return propagate_absent(t.FLOAT64, F.negative(value) if name == "neg" else F.abs(value), (a,))


def _signed(name: str, column: Column, spark_type: Any) -> Column:
    """Negate, or take the absolute value. Spark's own `-` and `abs` round decimals to 34 digits."""
    other = F.try_subtract(F.literal(0, spark_type), column).try_cast(spark_type)
    return other if name == "neg" else F.when(column < 0, other).otherwise(column)


def _absolute(scope: Scope, a: Expr, where: Where) -> Expr:
    def apply(x: Expr) -> Expr:
        value = x.plain.cast("bigint")
        bad = value == F.literal(LEAST, "bigint")
        made_ = F.abs(F.when(~bad, value))
        return propagate_absent(
            t.INT64, F.when(bad, scope.run.error(OVERFLOW, where)).otherwise(made_), (x,), throws=True
        )

    return scope.let([a], apply)


def _dynamic_unary(scope: Scope, name: str, a: Expr, where: Where) -> Expr:
    x = number(scope, a)
    value = x.expr.column
    if name != "pos":
        apply = F.negative if name == "neg" else F.abs
        integer = x.as_type("bigint")
        safe = F.when(integer != F.literal(LEAST, "bigint"), integer)
        choice = Choice()
        choice.when(
            x.is_kind(Kind.BIGINT),
            lambda: F.coalesce(apply(safe).cast("variant"), scope.run.error(OVERFLOW, where)),
        )
        choice.when(x.is_kind(*FLOATS), lambda: apply(x.as_type("double")).cast("variant"))
        choice.when(
            x.is_kind(Kind.DECIMAL), lambda: exact_decimals.exact_number(_signed_text(name, x.as_type("string")))
        )
        choice.when(is_null(x), lambda: x.expr.column)
        choice.when(True, lambda: scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant"))
        value = F.when(x.expr.column.isNotNull(), choice.end())
    unfit = misfit(x)
    if not isinstance(unfit, bool):
        wrong = or_missing(scope.wrong(f"{name} takes numbers, not ", where, x.said()))
        value = F.when(unfit, wrong).otherwise(value)
    type_ = a.type if form(a.type) is Form.VARIANT and name == "pos" else UNKNOWN
    return derive(type_, value, *x.parts, cost=Depth.LARGE, throws=True)


def _signed_text(name: str, text: Column) -> Column:
    positive = F.ltrim(text, F.lit("-"))
    if name == "abs":
        return positive
    return F.when(text.startswith("-"), positive).otherwise(F.concat(F.lit("-"), text))
