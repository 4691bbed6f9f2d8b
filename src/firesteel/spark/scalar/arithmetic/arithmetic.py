"""Arithmetic.

Integers have 64 bits; overflow and division by zero are errors in both modes. Decimals are exact, and their quotients
have 38 digits: where Spark's rules for precision and scale would round, they are computed by digits
(`exact_arithmetic`), and the result is a variant. Floats are IEEE's. Moments and intervals are in `intervals`. An ANSI
operator that can throw is never used bare: Catalyst moves it, and it raises errors for rows that are not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, NumberParts, Variant, derive, place_over
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_DIGITS, ShortInt, TrimmedDecimal, cast_type, digits_of
from firesteel.spark.encoding.decimal_variants import decimal_variant
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, null, one_of
from firesteel.spark.numbers import exact_arithmetic, exact_decimals
from firesteel.spark.numbers.exact_decimals import Digits
from firesteel.spark.numbers.operands import Choice, Number, all_hold, any_holds, number, typed
from firesteel.spark.numbers.quotients import Operand, quotient
from firesteel.spark.numbers.small_decimals import small_result
from firesteel.spark.scalar.arguments import propagate_absent
from firesteel.spark.scalar.temporal import intervals

Operation = Callable[[Any, Any], Column]

OVERFLOW = "integer overflow: the result takes more than 64 bits"
DECIMAL_OVERFLOW = "decimal overflow: the result is out of range"
BEYOND = "decimals of more than 38 digits are not native on Spark yet; a CAST to DOUBLE PRECISION comes close"
DIVISION = "division by zero"
LEAST = -(2**63)


def _divide_ints(a: Column, b: Column) -> Column:
    """Integer division, truncated; SQL NULL for division by zero and for -2^63 / -1, which overflows."""
    fits = (b != 0) & ~((a == F.lit(LEAST).cast("bigint")) & (b == -1))
    return F.call_function("div", a, F.when(fits, b))


#: By name: the operation on integers, on decimals, on floats. SQL NULL where the result does not fit.
_OPERATIONS: dict[str, tuple[Operation, Operation, Operation]] = {
    "plus": (F.try_add, F.try_add, lambda a, b: a + b),
    "minus": (F.try_subtract, F.try_subtract, lambda a, b: a - b),
    "times": (F.try_multiply, F.try_multiply, lambda a, b: a * b),
    "divide": (_divide_ints, F.try_divide, F.try_divide),
    "modulo": (F.try_mod, F.try_mod, F.try_mod),
}
_EXACTLY: dict[str, Callable[[Digits, Digits], Column]] = {
    "plus": exact_arithmetic.plus,
    "minus": exact_arithmetic.minus,
    "times": exact_arithmetic.times,
    "divide": exact_arithmetic.divide,
    "modulo": exact_arithmetic.modulo,
}
_WIDE = Context(prec=MAX_DIGITS)
_DIVISIONS = ("divide", "modulo")


def binary(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """`plus`, `minus`, `times`, `divide`, `modulo`."""
    a, b = args
    if all(typed(arg) for arg in args):
        return typed_binary(scope, name, a, b, where)
    if intervals.is_temporal(name, a, b):
        both = intervals.may_be_any(a, "number") and intervals.may_be_any(b, "number")
        mixed = (lambda x, y: dynamic_binary(scope, name, x, y, where)) if both else None
        return intervals.binary(scope, name, a, b, mixed, where)
    return scope.let(args, lambda x, y: dynamic_binary(scope, name, x, y, where))


# ---------------------------------------------------------------------------------------------------------------------
# Operands of known types


def typed_binary(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    ints, decimals, floats = _OPERATIONS[name]
    if any(isinstance(e.type, t.Float32 | t.Float64) for e in (a, b)):
        x, y = a.plain.cast("double"), b.plain.cast("double")
        if name not in _DIVISIONS:
            return propagate_absent(t.FLOAT64, floats(x, y), (a, b))
        return with_overflow_check(scope, t.FLOAT64, floats, a, b, "double", DIVISION, where)
    if all(isinstance(e.type, t.Integer) for e in (a, b)):
        if name in _BARE and all(_small(e) for e in (a, b)):
            return propagate_absent(t.INT64, _BARE[name](a.plain.cast("bigint"), b.plain.cast("bigint")), (a, b))
        return with_overflow_check(scope, t.INT64, ints, a, b, "bigint", OVERFLOW, where, division=name in _DIVISIONS)
    if name == "divide":
        return _quotient(scope, a, b, where)
    type_ = _decimal_result(name, _digits(a), _digits(b))
    if type_ is None:  # without trailing zeros a constant needs fewer digits
        a, b = _without_zeros(a), _without_zeros(b)
        type_ = _decimal_result(name, _digits(a), _digits(b))
    if type_ is None:
        return _exact_binary(scope, name, a, b, where)
    if any(isinstance(e.type, TrimmedDecimal) for e in (a, b)):
        type_ = TrimmedDecimal(type_.precision, type_.scale)
    if name in _BARE and (type_.precision or MAX_DIGITS) < MAX_DIGITS:
        return propagate_absent(type_, _BARE[name](_as_decimal(a), _as_decimal(b)), (a, b))
    return with_overflow_check(scope, type_, decimals, a, b, None, DECIMAL_OVERFLOW, where, division=name in _DIVISIONS)


#: Spark's own operators, which raise an error on overflow: only for operands whose result always fits.
_BARE: dict[str, Operation] = {
    "plus": lambda a, b: a + b,
    "minus": lambda a, b: a - b,
    "times": lambda a, b: a * b,
}


def _small(expr: Expr) -> bool:
    """Does the integer have at most 32 bits? The sum or product of two such fits in 64."""
    if isinstance(expr.constant, int):
        return abs(expr.constant) < 2**31
    return isinstance(expr.type, t.Int8 | t.Int16 | t.Int32 | ShortInt)


def with_overflow_check(
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
    """An operation that gives SQL NULL on overflow: for present operands that is an error in both modes."""

    def apply(x: Expr, y: Expr) -> Expr:
        left, right = (e.plain.cast(cast) if cast else _as_decimal(e) for e in (x, y))
        value = operation(left, right)
        if cast is None:
            value = value.try_cast(cast_type(type_))
        error = scope.run.error(message, where)
        if division or message is DIVISION:
            zero = scope.run.error(DIVISION, where)
            error = F.when(right == 0, zero).otherwise(error if message is not DIVISION else F.lit(None))
        if x.type.absent or y.type.absent:
            error = F.when(left.isNotNull() & right.isNotNull(), error)
        return propagate_absent(type_, F.coalesce(value, error), (x, y), throws=True, cost=Depth.TINY)

    often = division or message is DIVISION or a.type.absent or b.type.absent
    return scope.let([a, b], apply) if often else apply(a, b)


def _as_decimal(expr: Expr) -> Column:
    precision, scale = _digits(expr)
    if t.proper(expr.type) == t.Decimal(precision, scale):
        return expr.plain
    return expr.plain.cast(f"decimal({precision},{scale})")


def _digits(expr: Expr) -> tuple[int, int]:
    """Precision and scale of an integer or decimal."""
    if isinstance(expr.type, t.Decimal) and isinstance(expr.constant, Decimal) and expr.constant.is_finite():
        return _constant_digits(expr.constant)
    if isinstance(expr.type, t.Integer) and isinstance(expr.constant, int):
        return max(len(str(abs(expr.constant))), 1), 0
    return digits_of(expr.type)


def _constant_digits(number: Decimal) -> tuple[int, int]:
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    return max(len(digits) + max(0, exponent), scale, 1), scale


def _without_zeros(expr: Expr) -> Expr:
    if not isinstance(expr.constant, Decimal) or not expr.constant.is_finite():
        return expr
    return replace(expr, constant=expr.constant.normalize(_WIDE))


def _written(expr: Expr) -> Column:
    """The text of an integer or decimal, with exactly the digits of `_digits`."""
    if isinstance(expr.constant, int | Decimal):
        return F.lit(f"{_WIDE.create_decimal(expr.constant).normalize(_WIDE):f}")
    return expr.plain.cast("string")


def _decimal_result(name: str, a: tuple[int, int], b: tuple[int, int]) -> t.Decimal | None:
    """The type by Spark's rules (`DecimalPrecision`), so that its types and ours agree; None if it would round."""
    (p1, s1), (p2, s2) = a, b
    if name in ("plus", "minus"):
        scale = max(s1, s2)
        precision = max(p1 - s1, p2 - s2) + scale + 1
    elif name == "times":
        precision, scale = p1 + p2 + 1, s1 + s2
    else:
        scale = max(s1, s2)
        precision = min(p1 - s1, p2 - s2) + scale
    if precision > MAX_DIGITS and max(MAX_DIGITS - (precision - scale), min(scale, 6)) < scale:
        return None
    return t.Decimal(min(precision, MAX_DIGITS), scale)


def _quotient(scope: Scope, a: Expr, b: Expr, where: Where) -> Expr:
    """The quotient of decimals: a variant, because the scale of its 38 digits varies by row."""

    def compute(x: Expr, y: Expr) -> Expr:
        found = quotient(*(Operand(_written(e), *_digits(_without_zeros(e))) for e in (x, y)))
        choice = Choice()
        if not isinstance(y.constant, int | Decimal) or y.constant == 0:
            choice.when(found.zero, lambda: scope.run.error(DIVISION, where))
        if found.beyond is not None:
            choice.when(found.beyond, lambda: scope.run.error(BEYOND, where, cls=UnsupportedError))
        choice.when(True, lambda: found.value)
        return _absent(scope, (x, y), derive(t.ANY, choice.end(), x, y, throws=True, cost=Depth.DEEPEST))

    return scope.let([a, b], compute)


def _exact_binary(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    """Decimals, computed by digits: the result is a variant. It is one expression whose parts are bound in lambdas:
    Catalyst would merge selects again and repeat each part at every mention."""

    def compute(x: Expr, y: Expr) -> Expr:
        lost = scope.run.error(BEYOND, where, cls=UnsupportedError)
        column = _by_digits(name, exact_decimals.of_plain(x), exact_decimals.of_plain(y), lost, variants.let)
        if name in _DIVISIONS:
            column = F.when(y.plain == 0, scope.run.error(DIVISION, where)).otherwise(column)
        return _absent(scope, (x, y), derive(t.ANY, column, x, y, throws=True, cost=Depth.DEEPEST))

    return scope.let([a, b], compute)


def _by_digits(
    name: str, a: Column, b: Column, beyond: Column, let: Callable[[Column, Callable[[Column], Column]], Column]
) -> Column:
    """The result for two numbers given by digits, as a variant; `let` binds parts of it to names."""

    def encode(result: Column) -> Column:
        fits = result["u"].isNotNull()
        return F.when(fits, exact_decimals.to_variant(Digits(result))).otherwise(beyond.cast("variant"))

    def compute(both: Column) -> Column:
        return variants.let(_EXACTLY[name](Digits(both["a"]), Digits(both["b"])), encode)

    return let(F.struct(a.alias("a"), b.alias("b")), compute)


def _exactly(name: str, a: Expr, b: Expr) -> Expr:
    """The digits of the result; SQL NULL if there are too many, or for division by zero."""
    return derive(t.ANY, _EXACTLY[name](Digits(a.column), Digits(b.column)), a, b, cost=Depth.VERY_DEEP)


def _absent(scope: Scope, args: Sequence[Expr], result: Expr) -> Expr:
    """The result where all arguments are present; else NULL or MISSING."""
    column = result.column
    null_, missing = (
        any_of(test for test in tests if test is not None)
        for tests in ((arg.is_null() for arg in args), [arg.is_missing() for arg in args])
    )
    if null_ is not None:
        column = F.when(null_, null()).otherwise(column)
    if missing is not None:
        column = F.when(~missing, column)
    type_ = t.absent(t.DECIMAL, nullable=null_ is not None, missable=missing is not None)
    return derive(type_, column, result, *args, throws=True)


# ---------------------------------------------------------------------------------------------------------------------
# Operands whose types are known only at run time


FLOATS = (Kind.DOUBLE, Kind.FLOAT)
#: Smaller integers surely fit in 64 bits.
_QUICK = 10**18


def dynamic_binary(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    """One branch for each pair of kinds that the operands may have."""
    x, y = number(scope, a), number(scope, b)
    floating = any_holds(x.is_kind(*FLOATS), y.is_kind(*FLOATS))
    exact = all_hold(x.is_kind(Kind.BIGINT, Kind.DECIMAL), y.is_kind(Kind.BIGINT, Kind.DECIMAL))
    whole_numbers = all_hold(x.is_kind(Kind.BIGINT), y.is_kind(Kind.BIGINT))
    if exact is False or whole_numbers is True or not _decimals(x, y):
        return _branches(scope, name, x, y, floating, whole_numbers, None, where)

    small = small_result(scope, name, x, y)
    if small is not None and scope.run.limits.roomy:
        return scope.let([small], lambda s: _branches(scope, name, x, y, floating, whole_numbers, None, where, s))
    parts = x.digits(), y.digits()
    if small is not None:
        parts = _unless(small, parts[0]), _unless(small, parts[1])

    def compute(i: Expr, j: Expr) -> Expr:
        found = _exactly(name, i, j)
        return scope.let(
            [found if small is None else _unless(small, found)],
            lambda exact: _branches(scope, name, x, y, floating, whole_numbers, exact, where, small),
        )

    return scope.let(parts, compute)


def _unless(small: Expr, expr: Expr) -> Expr:
    """The expression, only where the quick result `small` is SQL NULL."""
    return derive(expr.type, F.when(small.plain.isNull(), expr.column), expr, small)


def _decimals(*operands: Number) -> bool:
    return any(operand.is_kind(Kind.DECIMAL) is not False for operand in operands)


def _branches(
    scope: Scope,
    name: str,
    x: Number,
    y: Number,
    floating: Column | bool,
    whole_numbers: Column | bool,
    exact: Expr | None,
    where: Where,
    small: NumberParts | None = None,
) -> Expr:
    ints, _, floats = _OPERATIONS[name]
    error = scope.run.error
    beyond = error(BEYOND, where, cls=UnsupportedError)
    choice = Choice()
    if small is not None:
        fractional = not whole_numbers if isinstance(whole_numbers, bool) else ~whole_numbers
        there = all_hold(small.plain.isNotNull(), fractional)
        choice.when(there, lambda: decimal_variant(small.plain, digits_of(small.type)[1], small.places))
    choice.when(misfit(x, y), lambda: _complaint(scope, name, x, y, where))
    choice.when(any_holds(*(missing(n) for n in (x, y))), lambda: F.lit(None).cast("variant"))
    choice.when(any_holds(*(is_null(n) for n in (x, y))), null)
    if name in _DIVISIONS:
        choice.when(y.as_type("double") == 0, lambda: error(DIVISION, where).cast("variant"))
    integer = ints(x.as_type("bigint"), y.as_type("bigint"))
    if small is not None:
        integer = F.coalesce(small.plain.try_cast("bigint"), integer)
    choice.when(whole_numbers, lambda: F.coalesce(integer.cast("variant"), error(OVERFLOW, where)))
    choice.when(floating, lambda: floats(x.as_type("double"), y.as_type("double")).cast("variant"))
    if small is not None and exact is None:
        digits = x.digits().column, y.digits().column
        choice.when(True, lambda: _by_digits(name, *digits, beyond, variants.let_interpreted))
    if exact is not None:
        choice.when(exact.column["u"].isNotNull(), lambda: exact_decimals.to_variant(Digits(exact.column)))
    choice.when(True, lambda: beyond.cast("variant"))
    more = [part for part in (exact, small) if part is not None]
    result = derive(UNKNOWN, choice.end(), *x.parts, *y.parts, *more, cost=Depth.DEEP, throws=True)
    if small is None:
        return result
    within = F.when(F.abs(small.plain) < F.literal(_QUICK, "decimal(19,0)"), small.plain)
    integral = F.lit(whole_numbers) if isinstance(whole_numbers, bool) else whole_numbers
    place = place_over((*x.parts, *y.parts, small))
    number = NumberParts(small.type, within, integral, small.places, place=place)
    assert isinstance(result, Variant)
    return replace(result, number=number)


def missing(operand: Number) -> Column | bool:
    found = operand.expr.is_missing()
    return False if found is None else found


def is_null(operand: Number) -> Column | bool:
    if not operand.expr.type.nullable:
        return False
    if operand.kind is not None:
        return one_of(operand.kind.column, Kind.VOID)
    found = operand.expr.is_null()
    return False if found is None else found


UNKNOWN = t.absent(t.union((t.INT64, t.DECIMAL, t.FLOAT64)), nullable=True, missable=True)


def misfit(*operands: Number) -> Column | bool:
    tests: list[Column | bool] = []
    for operand in operands:
        kinds = possible_kinds(operand.expr)
        if operand.kind is None or (kinds is not None and kinds <= set(FAMILIES["number"])):
            continue
        tests.append(F.coalesce(~one_of(operand.kind.column, *FAMILIES["number"], Kind.VOID), F.lit(False)))
    return any_holds(*tests)


def _complaint(scope: Scope, name: str, x: Number, y: Number, where: Where) -> Column:
    kinds = F.concat(x.said(), F.lit(" and "), y.said())
    return or_missing(scope.wrong(f"{name} takes numbers, not ", where, kinds))


def or_missing(error: Column | None) -> Column:
    return F.lit(None).cast("variant") if error is None else error.cast("variant")
