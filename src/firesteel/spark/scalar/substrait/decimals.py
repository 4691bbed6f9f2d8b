"""Arithmetic of decimals. Results have the precision and scale that the specification derives; for sums, differences,
products and quotients Spark derives the same. A result that does not fit is an error, unless the call says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import MAX_DIGITS
from firesteel.spark.scalar.substrait.base import Build, Call
from firesteel.spark.scalar.substrait.integers import WIDE, is_up, number

_HALF = 2**64


def digits(type_: t.Type) -> tuple[int, int]:
    assert isinstance(type_, t.Decimal)
    return type_.precision or MAX_DIGITS, type_.scale or 0


def _before(type_: t.Type) -> int:
    precision, scale = digits(type_)
    return precision - scale


def extremes(type_: t.Type) -> tuple[Decimal, Decimal]:
    """The least and the greatest value of a type."""
    precision, scale = digits(type_)
    return tuple(Decimal((sign, (9,) * precision, -scale)) for sign in (1, 0))  # type: ignore[return-value]


def in_units(value: Column, scale: int) -> Column:
    """A decimal of that scale as a whole number of its last digit; SQL NULL if it is too long."""
    return (value * F.literal(str(10**scale), f"decimal({scale + 1},0)")).try_cast(f"decimal({MAX_DIGITS},0)")


def cut_quotient(a: Column, b: Column, shift: int, returns: t.Type) -> Column | None:
    """The quotient of two whole numbers, the first times ten to the power of `shift`, in units of the result, without
    the digits behind those. SQL NULL if a number is too long; None if Spark has no room for the result's digits behind
    the point. A type of 38 digits has less room here: Spark multiplies the quotient by the unit, which takes digits."""
    precision, scale = digits(returns)
    room = MAX_DIGITS - scale - 2
    if shift < 0 or room < 1 or shift > MAX_DIGITS - 2:
        return None
    whole = f"decimal({MAX_DIGITS},0)"
    shifted = (a * F.literal(str(10**shift), f"decimal({shift + 1},0)")).try_cast(whole)
    exact = ((shifted - shifted % b) / b).try_cast(f"decimal({min(precision, room)},0)")
    unit = F.literal(f"{Decimal((0, (1,), -scale)):f}", f"decimal({scale + 1},{scale})")
    return (exact * unit).try_cast(f"decimal({precision},{scale})")


def fit_result(call: Call, value: Column, negative: Callable[[], Column]) -> Column:
    """The value in the result type. If it does not fit (it is SQL NULL although the arguments are not), the `overflow`
    option decides; `negative` tells whether it is too small rather than too large."""
    fitted = value.try_cast(call.spark)
    match call.choice("overflow", "ERROR"):
        case "SATURATE" | "SILENT":  # SILENT may give any result
            low, high = (F.literal(f"{bound:f}", call.spark) for bound in extremes(call.returns))
            return call.or_else(fitted, F.when(negative(), low).otherwise(high))
    return call.or_else(fitted, call.error("overflow"))


def _roomy(call: Call, before: int, scale: int) -> bool:
    """Does the result type have this scale, and room for so many digits before the point?"""
    return before <= _before(call.returns) and scale == digits(call.returns)[1]


def may_overflow(call: Call) -> bool:
    """May a sum, a difference or a product not fit?"""
    a, b = (arg.type for arg in call.args)
    return not (_product_fits(call, a, b) if call.name == "multiply" else _sum_fits(call, a, b))


def mentions_operands_twice(call: Call) -> bool:
    """Does a sum, a difference or a product mention its operands again, for the case of overflow?"""
    match call.choice("overflow", "ERROR"):
        case "SATURATE" | "SILENT":
            return may_overflow(call)
    return any(arg.type.nullable for arg in call.args) and may_overflow(call)


def _sum_fits(call: Call, a: t.Type, b: t.Type) -> bool:
    return _roomy(call, max(_before(a), _before(b)) + 1, max(digits(a)[1], digits(b)[1]))


def _product_fits(call: Call, a: t.Type, b: t.Type) -> bool:
    return _roomy(call, _before(a) + _before(b), digits(a)[1] + digits(b)[1])


def add(call: Call) -> Column:
    return _sum(call, 1)


def subtract(call: Call) -> Column:
    return _sum(call, -1)


def _sum(call: Call, direction: int) -> Column:
    x, y = call.columns
    if not may_overflow(call):
        return x + y if direction > 0 else x - y
    return fit_result(call, F.try_add(x, y) if direction > 0 else F.try_subtract(x, y), lambda: x < 0)


def multiply(call: Call) -> Column:
    x, y = call.columns
    if not may_overflow(call):
        return x * y
    return fit_result(call, F.try_multiply(x, y), lambda: (x < 0) != (y < 0))


def divide(call: Call) -> Column:
    """Division; by zero it is an error, because the specification has no option for decimals."""
    x, y = call.columns
    value = fit_result(call, F.try_divide(x, y), lambda: (x < 0) != (y < 0))
    return F.when(x.isNotNull() & (y == 0), call.error("division by zero")).otherwise(value)


def modulus(call: Call) -> Column:
    x, y = call.columns
    value = fit_result(call, F.try_mod(x, y), lambda: x < 0)
    return F.when(x.isNotNull() & (y == 0), call.error("division by zero")).otherwise(value)


#: Spark's `-` and `abs` round decimals to so many digits.
_EXACT = 34


def negate(call: Call) -> Column:
    (x,) = call.columns
    return -x if digits(call.returns)[0] <= _EXACT else _flip_sign(x, call)


def absolute(call: Call) -> Column:
    (x,) = call.columns
    return F.abs(x) if digits(call.returns)[0] <= _EXACT else F.when(x < 0, _flip_sign(x, call)).otherwise(x)


def _flip_sign(x: Column, call: Call) -> Column:
    """The number with the other sign, by its text."""
    text = x.cast("string")
    other = F.when(x < 0, F.substring(text, F.lit(2), F.lit(40))).otherwise(F.concat(F.lit("-"), text))
    return other.cast(call.spark)


# ---------------------------------------------------------------------------------------------------------------------
# Functions whose result is a float


def square_root(call: Call) -> Column:
    (x,) = call.columns
    value = x.cast("double")
    return F.when(x < 0, call.error("no root of a negative number")).otherwise(F.sqrt(F.when(x >= 0, value)))


def power(call: Call) -> Column:
    x, y = (column.cast("double") for column in call.columns)
    value = F.pow(x, y)
    if call.choice("complex_number_result", "NAN") != "ERROR":
        return value
    scale = digits(call.args[1].type)[1]
    if scale == 0:
        return value
    complex_ = (x < 0) & (y != F.rint(y))
    return F.when(complex_, call.error("no real number")).otherwise(value)


# ---------------------------------------------------------------------------------------------------------------------
# Rounding


def whole(function: Callable[[Column], Column]) -> Build:
    return lambda call: function(call.columns[0]).cast(call.spark)


def round_decimal(call: Call) -> Column:
    """Round to `s` digits behind the point; the result keeps the scale of the argument."""
    x, s = call.columns
    mode = call.choice("rounding", "TIE_AWAY_FROM_ZERO")
    places = call.constant(1)
    precision, scale = digits(call.args[0].type)
    if type(places) is int and places >= scale:
        return x.cast(call.spark)
    if type(places) is int and places >= scale - precision and mode in ("TIE_TO_EVEN", "TIE_AWAY_FROM_ZERO"):
        return (F.bround if mode == "TIE_TO_EVEN" else F.round)(x, places).cast(call.spark)
    if precision + 2 > MAX_DIGITS:
        raise call.unsupported("rounding a decimal of so many digits this way")
    room = f"decimal({MAX_DIGITS},{scale})"
    wide = x.cast(room)
    least = scale - precision - 1
    units = F.array(*(F.literal(f"{Decimal(1).scaleb(-n):f}", room) for n in range(least, scale)))
    unit = F.get(units, F.when(s < least, F.lit(0)).otherwise(s - least))
    rest = F.pmod(wide, unit)
    low = wide - rest
    odd = F.pmod(F.call_function("div", low, unit), F.lit(2)) == 1
    moved = F.when(is_up(mode, x, rest, rest + rest, unit, odd), low + unit).otherwise(low)
    return F.when(s >= scale, x.cast(call.spark)).otherwise(fit_result(call, moved, lambda: x < 0))


# ---------------------------------------------------------------------------------------------------------------------
# Bitwise operators, on 128 bits in two halves


def _halves(x: Column) -> tuple[Column, Column]:
    """The two 64-bit halves of an integer's two's complement: the upper signed, the lower unsigned."""
    wide, size = x.cast(WIDE), number(_HALF)
    upper = F.call_function("div", wide, size).cast("bigint")
    rest = wide % size
    return F.when(rest < 0, upper - 1).otherwise(upper), F.when(rest < 0, rest + size).otherwise(rest)


def _long(lower: Column) -> Column:
    """An unsigned 64-bit number as the bigint with the same bits."""
    return F.when(lower >= number(2**63), lower - number(_HALF)).otherwise(lower).cast("bigint")


def bitwise(function: Callable[[Column, Column], Column]) -> Build:
    def build(call: Call) -> Column:
        a, b = call.args
        if max(digits(a.type)[0], digits(b.type)[0]) <= 18:
            x, y = (column.cast("bigint") for column in call.columns)
            return function(x, y).cast(call.spark)
        (h1, l1), (h2, l2) = (_halves(column) for column in call.columns)
        low = function(_long(l1), _long(l2)).cast(WIDE)
        low = F.when(low < 0, low + number(_HALF)).otherwise(low).cast(WIDE)
        # A negative number is (high + 1) * 2^64 + (low - 2^64): high * 2^64 alone may have more than 38 digits.
        high = function(h1, h2).cast("decimal(20,0)")
        negative = high < 0
        high, low = F.when(negative, high + 1).otherwise(high), F.when(negative, low - number(_HALF)).otherwise(low)
        value = F.try_add(F.try_multiply(high.cast("decimal(20,0)"), number(_HALF, "decimal(20,0)")), low.cast(WIDE))
        return call.or_else(value.try_cast(call.spark), call.error("overflow"))

    return build
