"""Arithmetic of decimals: exact, then rounded half up to the type that the call gives. And rounding itself."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.arithmetic import to_float
from firesteel.evaluate.substrait.floats import outside, power
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import EXACT, bounds, decimal_fitting, floating, name, shortest, to_scale
from firesteel.values import Value


def _exact(operation: Callable[..., Fraction | Decimal | int]) -> Factory:
    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        fit = decimal_fitting(fn)
        return lambda *args: fit(operation(*args))

    return factory


def _quotient(a: Decimal, b: Decimal) -> Fraction:
    if not b:
        raise EvaluationError("division by zero")
    return Fraction(a) / Fraction(b)


def _remainder(a: Decimal, b: Decimal) -> Fraction:
    return Fraction(a) - Fraction(b) * math.trunc(_quotient(a, b))


def _sqrt(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[Decimal], float]:
    def apply(a: Decimal) -> float:
        if a < 0:
            raise EvaluationError("a negative number has no square root")
        return float(a.sqrt(EXACT))

    return apply


def _factorial(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[Decimal], Decimal]:
    def apply(a: Decimal) -> Decimal:
        if not 0 <= a <= 33:
            raise EvaluationError(f"{name(fn)} of {a} is no decimal of 38 digits")
        return Decimal(math.factorial(int(a)))

    return apply


def _power(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[Decimal, Decimal], Value]:
    otherwise = outside(fn, "complex_number_result")

    def apply(a: Decimal, b: Decimal) -> Value:
        found = power(float(a), float(b))
        return otherwise() if math.isnan(found) else found

    return apply


SCALARS: dict[str, Factory] = {
    "arithmetic_decimal:add": _exact(EXACT.add),
    "arithmetic_decimal:subtract": _exact(EXACT.subtract),
    "arithmetic_decimal:multiply": _exact(EXACT.multiply),
    "arithmetic_decimal:divide": _exact(_quotient),
    "arithmetic_decimal:modulus": _exact(_remainder),
    "arithmetic_decimal:negate": _exact(EXACT.minus),
    "arithmetic_decimal:abs": _exact(EXACT.abs),
    "arithmetic_decimal:bitwise_and": _exact(lambda a, b: int(a) & int(b)),
    "arithmetic_decimal:bitwise_or": _exact(lambda a, b: int(a) | int(b)),
    "arithmetic_decimal:bitwise_xor": _exact(lambda a, b: int(a) ^ int(b)),
    "arithmetic_decimal:sqrt": _sqrt,
    "arithmetic_decimal:factorial": _factorial,
    "arithmetic_decimal:power": _power,
    "rounding_decimal:ceil": _exact(math.ceil),
    "rounding_decimal:floor": _exact(math.floor),
}


# Rounding ------------------------------------------------------------------------------------------------------------

_MODES = {
    "TIE_TO_EVEN": decimal.ROUND_HALF_EVEN,
    "TIE_AWAY_FROM_ZERO": decimal.ROUND_HALF_UP,
    "TRUNCATE": decimal.ROUND_DOWN,
    "CEILING": decimal.ROUND_CEILING,
    "FLOOR": decimal.ROUND_FLOOR,
    "AWAY_FROM_ZERO": decimal.ROUND_UP,
    "TIE_TOWARDS_ZERO": decimal.ROUND_HALF_DOWN,
}
#: Beyond so many digits nothing changes, or nothing is left.
_FARTHEST = 400


def round_decimal(number: Decimal, places: int, mode: str) -> Decimal:
    """The number with so many digits behind the point, or so many zeros before it."""
    places = max(-_FARTHEST, min(_FARTHEST, places))
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    if -exponent <= places:
        return number
    if mode in _MODES:
        return to_scale(number, places, _MODES[mode])
    down, up = (to_scale(number, places, way) for way in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING))
    below, above = EXACT.subtract(number, down), EXACT.subtract(up, number)
    if below != above:
        return down if below < above else up
    if mode == "TIE_DOWN" or mode == "TIE_UP":
        return down if mode == "TIE_DOWN" else up
    odd = EXACT.remainder(EXACT.scaleb(down, places), Decimal(2)) != 0
    return down if odd else up  # TIE_TO_ODD


def mode_of(fn: p.Fn) -> str:
    """How a call rounds: as SQL's ROUND does, where it does not say."""
    return fn.choice("rounding") or "TIE_AWAY_FROM_ZERO"


def _round(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, int], Value]:
    mode, type_ = mode_of(fn), t.proper(types[0])

    def integer(number: int, places: int) -> int:
        made = int(round_decimal(Decimal(number), places, mode))
        low, high = bounds(type_)
        if not low <= made <= high:
            raise EvaluationError(f"overflow: {made:,} is no {type_}")
        return made

    def floats(number: float, places: int) -> float:
        if not math.isfinite(number):
            return number
        found = to_float(round_decimal(shortest(number, type_), places, mode))
        return floating(type_)(math.copysign(found, number))

    return integer if isinstance(type_, t.Integer) else floats


def _round_decimal(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[Decimal, int], Decimal]:
    fit, mode = decimal_fitting(fn), mode_of(fn)
    return lambda number, places: fit(round_decimal(number, places, mode))


def _integral(operation: Callable[[float], int]) -> Factory:
    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[float], float]:
        return lambda a: math.copysign(float(operation(a)), a) if math.isfinite(a) else a

    return factory


ROUNDING: dict[str, Factory] = {
    "rounding:ceil": _integral(math.ceil),
    "rounding:floor": _integral(math.floor),
    "rounding:round": _round,
    "rounding_decimal:round": _round_decimal,
}
