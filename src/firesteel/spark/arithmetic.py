"""Arithmetic.

Integers are of 64 bits: what does not fit is an error in both modes, and so is division by zero. Typed decimals go by
Spark's rules for precision and scale, which keep 38 digits; floats are IEEE's. Never a bare ANSI operator: those raise
errors on rows that nobody asked for, when Catalyst moves them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.arguments import propagated
from firesteel.spark.dynamic import FAMILIES, any_of, decimal_variant, null, one_of, whole
from firesteel.spark.encoding import MAX_DIGITS, to_spark
from firesteel.spark.expr import Expr, made
from firesteel.spark.scope import Scope, Where

Operation = Callable[[Any, Any], Column]

OVERFLOW = "integer overflow: the result takes more than 64 bits"
DECIMAL_OVERFLOW = "decimal overflow: the result is out of range"
DIVISION = "division by zero"
_MIN = -(2**63)


def _divide_ints(a: Column, b: Column) -> Column:
    """Truncated; SQL NULL of zero and of the one quotient that does not fit."""
    fits = (b != 0) & ~((a == F.lit(_MIN).cast("bigint")) & (b == -1))
    return F.call_function("div", a, F.when(fits, b))


#: Each on integers, on decimals and on floats; SQL NULL where the result does not fit.
_OPERATIONS: dict[str, tuple[Operation, Operation, Operation]] = {
    "plus": (F.try_add, F.try_add, lambda a, b: a + b),
    "minus": (F.try_subtract, F.try_subtract, lambda a, b: a - b),
    "times": (F.try_multiply, F.try_multiply, lambda a, b: a * b),
    "divide": (_divide_ints, F.try_divide, F.try_divide),
    "modulo": (F.try_mod, F.try_mod, F.try_mod),
}
_DIVISIONS = ("divide", "modulo")

#: The decimals that operands of unknown scale are made, so that Spark's rules lose nothing of the result.
_SHAPES: dict[str, tuple[str, str]] = {
    "plus": ("decimal(37,17)", "decimal(37,17)"),
    "minus": ("decimal(37,17)", "decimal(37,17)"),
    "times": ("decimal(19,9)", "decimal(18,9)"),
    "divide": ("decimal(19,9)", "decimal(18,9)"),
    "modulo": ("decimal(37,17)", "decimal(37,17)"),
}


def binary(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """`plus`, `minus`, `times`, `divide`, `modulo`."""
    a, b = args
    if all(_typed(arg) for arg in args):
        return _typed_binary(scope, name, a, b, where)
    return scope.let(args, lambda x, y: _dynamic_binary(scope, name, x, y, where))


def _typed(expr: Expr) -> bool:
    return isinstance(expr.type, t.Number) and not expr.dynamic


# ---------------------------------------------------------------------------------------------------------------------
# Of known types


def _typed_binary(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    ints, decimals, floats = _OPERATIONS[name]
    if any(isinstance(e.type, t.Float32 | t.Float64) for e in (a, b)):
        x, y = a.plain.cast("double"), b.plain.cast("double")
        if name not in _DIVISIONS:
            return propagated(t.FLOAT64, floats(x, y), (a, b))
        return _guarded(scope, t.FLOAT64, floats, a, b, "double", DIVISION, where)
    if all(isinstance(e.type, t.Integer) for e in (a, b)):
        return _guarded(scope, t.INT64, ints, a, b, "bigint", OVERFLOW, where, division=name in _DIVISIONS)
    type_ = _decimal_result(name, _digits(a), _digits(b))
    return _guarded(scope, type_, decimals, a, b, None, DECIMAL_OVERFLOW, where, division=name in _DIVISIONS)


def _guarded(
    scope: Scope,
    type_: t.Type,
    operation: Operation,
    a: Expr,
    b: Expr,
    cast: str | None,
    message: str,
    where: Where,
    division: bool = False,
) -> Expr:
    """An operation whose SQL NULL, of operands that are there, is an error in both modes."""

    def apply(x: Expr, y: Expr) -> Expr:
        left, right = (e.plain.cast(cast) if cast else _as_decimal(e) for e in (x, y))
        value = operation(left, right)
        if cast is None:
            value = value.try_cast(to_spark(type_))
        error = scope.run.error(message, where)
        if division or message is DIVISION:
            zero = scope.run.error(DIVISION, where)
            error = F.when(right == 0, zero).otherwise(error if message is not DIVISION else F.lit(None))
        if x.type.absent or y.type.absent:
            error = F.when(left.isNotNull() & right.isNotNull(), error)
        return propagated(type_, F.coalesce(value, error), (x, y), throws=True, cost=3)

    often = division or message is DIVISION or a.type.absent or b.type.absent
    return scope.let([a, b], apply) if often else apply(a, b)


def _as_decimal(expr: Expr) -> Column:
    if isinstance(expr.type, t.Integer):
        precision, _ = _digits(expr)
        return expr.plain.cast(f"decimal({precision},0)")
    return expr.plain


def _digits(expr: Expr) -> tuple[int, int]:
    """Precision and scale of a number that is no float."""
    if isinstance(expr.type, t.Decimal):
        return expr.type.precision or MAX_DIGITS, expr.type.scale or 0
    if isinstance(expr.constant, int):
        return max(len(str(abs(expr.constant))), 1), 0
    assert isinstance(expr.type, t.Integer)
    return {8: 3, 16: 5, 32: 10, 64: 20}.get(expr.type.bits or 0, MAX_DIGITS), 0


def _decimal_result(name: str, a: tuple[int, int], b: tuple[int, int]) -> t.Decimal:
    """Spark's own rules (`DecimalPrecision`), so that its types and ours agree."""
    (p1, s1), (p2, s2) = a, b
    if name in ("plus", "minus"):
        scale = max(s1, s2)
        precision = max(p1 - s1, p2 - s2) + scale + 1
    elif name == "times":
        precision, scale = p1 + p2 + 1, s1 + s2
    elif name == "divide":
        scale = max(6, s1 + p2 + 1)
        precision = p1 - s1 + s2 + scale
    else:
        scale = max(s1, s2)
        precision = min(p1 - s1, p2 - s2) + scale
    if precision > MAX_DIGITS:
        whole_digits = precision - scale
        scale = max(MAX_DIGITS - whole_digits, min(scale, 6))
        precision = MAX_DIGITS
    return t.Decimal(precision, scale)


# ---------------------------------------------------------------------------------------------------------------------
# Of types that only the run knows


@dataclass(frozen=True)
class _Number:
    """An operand: what it is, and its value as each kind of number."""

    expr: Expr
    kind: Expr

    def is_kind(self, *kinds: str) -> Column:
        return one_of(self.kind.column, *kinds)

    def as_type(self, spark_type: str) -> Column:
        return whole(self.expr.column, spark_type)


def _number(scope: Scope, expr: Expr) -> _Number:
    return _Number(*scope.variant(expr))


def _dynamic_binary(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    x, y = _number(scope, a), _number(scope, b)
    ints, decimals, floats = _OPERATIONS[name]
    left, right = _SHAPES[name]
    error = scope.run.error
    zero = y.as_type("double") == 0

    whole_numbers = F.coalesce(ints(x.as_type("bigint"), y.as_type("bigint")).cast("variant"), error(OVERFLOW, where))
    floating = floats(x.as_type("double"), y.as_type("double")).cast("variant")
    beyond = error("decimals of more digits than Spark's are not native yet", where, cls=UnsupportedError)
    exact = F.coalesce(decimal_variant(decimals(x.as_type(left), y.as_type(right))), beyond)

    column: Any = F.when(_misfit(x, y), _complaint(scope, name, x, y, where))
    column = column.when(x.expr.column.isNull() | y.expr.column.isNull(), F.lit(None))
    column = column.when(x.is_kind("VOID") | y.is_kind("VOID"), null())
    if name in _DIVISIONS:
        column = column.when(zero, error(DIVISION, where))
    column = column.when(x.is_kind("BIGINT") & y.is_kind("BIGINT"), whole_numbers)
    column = column.when(x.is_kind("DOUBLE", "FLOAT") | y.is_kind("DOUBLE", "FLOAT"), floating)
    column = column.when(x.is_kind("int", "decimal") | y.is_kind("int", "decimal"), beyond)
    return made(_UNKNOWN, column.otherwise(exact), x.expr, y.expr, x.kind, y.kind, cost=10, throws=True)


_UNKNOWN = t.absent(t.union((t.INT64, t.DECIMAL, t.FLOAT64)), nullable=True, missable=True)


def _misfit(*numbers: _Number) -> Column:
    found = any_of(~number.is_kind(*FAMILIES["number"], "VOID") for number in numbers)
    assert found is not None
    return F.coalesce(found, F.lit(False))


def _complaint(scope: Scope, name: str, x: _Number, y: _Number, where: Where) -> Column:
    said = [F.coalesce(number.kind.column, F.lit("MISSING")) for number in (x, y)]
    kinds = F.concat(said[0], F.lit(" and "), said[1])
    return _or_missing(scope.wrong(f"{name} takes numbers, not ", where, kinds))


def _or_missing(error: Column | None) -> Column:
    return F.lit(None) if error is None else error


# ---------------------------------------------------------------------------------------------------------------------
# Of one number


def unary(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """`neg`, `pos`, `abs`."""
    (a,) = args
    if _typed(a):
        if name == "pos":
            return a
        if isinstance(a.type, t.Integer) and name == "neg":
            zero = Expr(t.INT64, F.lit(0).cast("bigint"), atomic=True, constant=0)
            return _guarded(scope, t.INT64, F.try_subtract, zero, a, "bigint", OVERFLOW, where)
        if isinstance(a.type, t.Integer):
            return _absolute(scope, a, where)
        type_ = t.FLOAT64 if isinstance(a.type, t.Float32) else t.proper(a.type)
        value = a.plain.cast("double") if isinstance(a.type, t.Float32) else a.plain
        return propagated(type_, F.negative(value) if name == "neg" else F.abs(value), (a,))
    return scope.let([a], lambda x: _dynamic_unary(scope, name, x, where))


def _absolute(scope: Scope, a: Expr, where: Where) -> Expr:
    def apply(x: Expr) -> Expr:
        value = x.plain.cast("bigint")
        bad = value == F.lit(_MIN).cast("bigint")
        made_ = F.abs(F.when(~bad, value))
        return propagated(t.INT64, F.when(bad, scope.run.error(OVERFLOW, where)).otherwise(made_), (x,), throws=True)

    return scope.let([a], apply)


def _dynamic_unary(scope: Scope, name: str, a: Expr, where: Where) -> Expr:
    x = _number(scope, a)
    value = x.expr.column
    if name != "pos":
        apply = F.negative if name == "neg" else F.abs
        integer = x.as_type("bigint")
        safe = F.when(integer != F.lit(_MIN).cast("bigint"), integer)
        value = (
            F.when(x.is_kind("BIGINT"), F.coalesce(apply(safe).cast("variant"), scope.run.error(OVERFLOW, where)))
            .when(x.is_kind("DOUBLE", "FLOAT"), apply(x.as_type("double")).cast("variant"))
            .when(x.is_kind("DECIMAL"), decimal_variant(apply(x.as_type("decimal(38,18)"))))
            .when(x.is_kind("VOID"), x.expr.column)
        )
    wrong = _or_missing(scope.wrong(f"{name} takes numbers, not ", where, x.kind.column))
    column = F.when(_misfit(x), wrong).otherwise(value)
    return made(_UNKNOWN, column, x.expr, x.kind, cost=8, throws=True)
