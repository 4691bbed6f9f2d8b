"""Arithmetic.

Integers are of 64 bits: what does not fit is an error in both modes, and so is division by zero. Decimals carry 38
digits and round half to even. With a float everything is a float, as IEEE 754 has it, but for division by zero.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from firesteel.errors import EvaluationError
from firesteel.values import decimal_of

Number = int | float | Decimal

#: A decimal that this cannot hold is an error, never an infinity.
DECIMALS = decimal.Context(
    prec=38,
    rounding=decimal.ROUND_HALF_EVEN,
    traps=[decimal.Overflow, decimal.InvalidOperation, decimal.DivisionByZero],
)
_LONGEST_QUOTIENT = 20_000
_EXACT = decimal.Context(prec=1_000)
_ONE, _TENTH = Decimal(1), Decimal("0.1")


def int64(value: int) -> int:
    """The integer, if it is one of 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise EvaluationError("integer overflow: the result takes more than 64 bits")
    return value


def to_float(value: Number | Fraction) -> float:
    """The nearest float; beyond the largest, an infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_decimal(value: Number) -> Decimal:
    """A float as the decimal that it stands for."""
    return decimal_of(value) if isinstance(value, float) else Decimal(value)


def decimals(operation: Callable[..., Decimal], *args: Any) -> Decimal:
    """A decimal operation; the context's signals become our errors. The result has no positive exponent (`1E+2` becomes
    `100`), and zero has no sign."""
    try:
        found = operation(*args)
    except decimal.DecimalException:
        raise EvaluationError("decimal overflow: the result is out of range") from None
    if not found:
        return found.copy_abs()
    # From 1 on, a decimal is written with an exponent only if it has a positive one.
    return found.quantize(_ONE, context=DECIMALS) if 0 <= found.adjusted() < 38 and "E" in str(found) else found


def _places(number: Decimal) -> int:
    """The digits behind the point."""
    return -int(number.as_tuple().exponent)


def trim_zeros(number: Decimal) -> Decimal:
    """Without trailing zeros, but with at least one digit after the point: `2.50` is 2.5, and `2` is 2.0."""
    short = number.normalize(_EXACT)
    return short if _places(short) > 0 else short.quantize(_TENTH, context=_EXACT)


def _binary(
    ints: Callable[[int, int], int], decs: Callable[..., Decimal], floats: Callable[[float, float], float]
) -> Callable[[Any, Any], Number]:
    """An operator, chosen by the common type of its operands."""

    def apply(a: Number, b: Number) -> Number:
        left, right = type(a), type(b)
        if left is int and right is int:
            return int64(ints(a, b))  # type: ignore[arg-type]
        if left is float or right is float:
            return floats(to_float(a), to_float(b))
        return decimals(decs, a if left is Decimal else Decimal(a), b if right is Decimal else Decimal(b))

    return apply


def _nonzero(operator: Callable[[Any, Any], Number]) -> Callable[[Any, Any], Number]:
    def apply(a: Number, b: Number) -> Number:
        if b == 0:
            raise EvaluationError("division by zero")
        return operator(a, b)

    return apply


def _quotient(a: int, b: int) -> int:
    """Truncated toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) is (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    """With the sign of the dividend."""
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _decimal_quotient(a: Decimal, b: Decimal) -> Decimal:
    """38 significant digits, without trailing zeros: neither operand determines the scale of a quotient."""
    return trim_zeros(DECIMALS.divide(a, b))


def _decimal_remainder(a: Decimal, b: Decimal) -> Decimal:
    """The context needs enough precision for the whole quotient, although only the remainder is used."""
    digits = a.adjusted() - b.adjusted() + 2
    if digits > _LONGEST_QUOTIENT:
        raise decimal.Overflow
    context = DECIMALS.copy()
    context.prec = max(DECIMALS.prec, digits)
    return DECIMALS.plus(context.remainder(a, b))


def _float_remainder(a: float, b: float) -> float:
    return math.nan if math.isinf(a) else math.fmod(a, b)


plus = _binary(lambda a, b: a + b, DECIMALS.add, lambda a, b: a + b)
minus = _binary(lambda a, b: a - b, DECIMALS.subtract, lambda a, b: a - b)
times = _binary(lambda a, b: a * b, DECIMALS.multiply, lambda a, b: a * b)
divide = _nonzero(_binary(_quotient, _decimal_quotient, lambda a, b: a / b))
modulo = _nonzero(_binary(_remainder, _decimal_remainder, _float_remainder))


def neg(value: Number) -> Number:
    if isinstance(value, int):
        return int64(-value)
    return -value if isinstance(value, float) else decimals(DECIMALS.minus, value)


def absolute(value: Number) -> Number:
    if isinstance(value, int):
        return int64(abs(value))
    return abs(value) if isinstance(value, float) else decimals(DECIMALS.abs, value)


# ---------------------------------------------------------------------------------------------------------------------
# Functions


def _rounded(rounding: str, floats: Callable[[float], int]) -> Callable[[Number], Number]:
    """To an integer, of the same type; an infinity stays what it is."""

    def apply(value: Number) -> Number:
        if isinstance(value, Decimal):
            return decimals(DECIMALS.plus, value.to_integral_value(rounding))
        return float(floats(value)) if isinstance(value, float) and math.isfinite(value) else value

    return apply


ceiling = _rounded(decimal.ROUND_CEILING, math.ceil)
floor = _rounded(decimal.ROUND_FLOOR, math.floor)


def _to_places(rounding: str) -> Callable[..., Number]:
    """To so many digits behind the point; with a negative number, before it. A float is the decimal that it stands
    for."""

    def apply(value: Number, places: int = 0) -> Number:
        if isinstance(value, float) and not math.isfinite(value):
            return value
        exact = to_decimal(value)
        if places >= _places(exact):
            return value
        made = _cut(exact, places, rounding)
        if isinstance(value, int):
            return int64(int(made))
        return to_float(made) + 0.0 if isinstance(value, float) else decimals(DECIMALS.plus, made)

    return apply


def _cut(number: Decimal, places: int, rounding: str) -> Decimal:
    if places < -number.adjusted() - 1:  # less than a tenth of a unit
        return Decimal(0)
    return number.quantize(_ONE.scaleb(-places), rounding, _EXACT)


round_ = _to_places(decimal.ROUND_HALF_UP)
trunc = _to_places(decimal.ROUND_DOWN)


def sign(value: Number) -> Number:
    if isinstance(value, float) and math.isnan(value):
        return value
    return type(value)((value > 0) - (value < 0))


def _of_floats(name: str, function: Callable[..., float]) -> Callable[..., float]:
    """A function of floats. Where it is undefined it is an error in both modes, like division by zero."""

    def apply(*args: Number) -> float:
        try:
            return function(*map(to_float, args))
        except OverflowError:
            return math.inf
        except ValueError:
            raise EvaluationError(f"{name} of {', '.join(map(str, args))} has no value") from None

    return apply


sqrt = _of_floats("sqrt", math.sqrt)
exp = _of_floats("exp", math.exp)
ln = _of_floats("ln", math.log)
power = _of_floats("power", math.pow)
log10 = _of_floats("log10", math.log10)
log2 = _of_floats("log2", math.log2)


def _cube_root(value: float) -> float:
    """Of a cube exactly: the C library's may be a digit off (3.0000000000000004 of 27)."""
    found = math.cbrt(value)
    near = float(round(found)) if math.isfinite(found) else found
    return near if near**3 == value else found


#: The functions of angles, and the cube root.
ANGLES = {
    name: _of_floats(name, getattr(math, name))
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "degrees", "radians")
} | {"cbrt": _of_floats("cbrt", _cube_root)}


def float_sum(items: list[float]) -> float:
    """The float nearest to the exact sum, so that order does not matter."""
    beyond = [item for item in items if not math.isfinite(item)]
    if beyond:
        return sum(beyond)
    try:
        return math.fsum(items)
    except OverflowError:  # on the way; the end may still be in range
        return to_float(sum(map(Fraction, items)))
