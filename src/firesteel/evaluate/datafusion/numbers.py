"""DataFusion's functions of numbers, and those of several types."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.datafusion.order import order_null_first as order
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import EXACT, bits
from firesteel.values import Interval, Value


def _to_digits(rounding: str) -> Callable[..., Value]:
    def apply(number: Value, digits: Value = 0) -> Value:
        places = whole(digits)
        if isinstance(number, float):
            return _float_to_digits(number, places, rounding)
        unit = Decimal((0, (1,), -places))
        made = Decimal(number).quantize(unit, rounding, EXACT)
        return made if isinstance(number, Decimal) else int(made)

    return apply


def _float_to_digits(number: float, places: int, rounding: str) -> float:
    if not math.isfinite(number) or abs(places) > 300:
        return number if places > 0 or not math.isfinite(number) else 0.0
    scale = 10.0**places
    scaled = number * scale
    if not math.isfinite(scaled):
        return number
    made = math.trunc(scaled) if rounding == ROUND_DOWN else math.copysign(math.floor(abs(scaled) + 0.5), scaled)
    return made / scale


def _real(operation: Callable[..., float]) -> Factory:
    """A function of floats: NaN where it has no value."""

    def apply(*args: Value) -> float:
        try:
            return operation(*(float(one) for one in args))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return plain(apply)


def _ln(number: float) -> float:
    return -math.inf if number == 0 else math.log(number)


def _logarithm(number: float, base: float | None = None) -> float:
    if base is None:
        return math.log10(number) if number else -math.inf
    above, below = _ln(number), _ln(base)
    return _divided(above, below)  # type: ignore[no-any-return]


def _power(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    def apply(a: Value, b: Value) -> Value:
        if isinstance(a, float) or isinstance(b, float):
            try:
                return math.pow(float(a), float(b))
            except OverflowError:
                return math.inf
            except ValueError:
                return math.inf if not a else math.nan
        if b < 0 and not isinstance(a, Decimal):
            raise EvaluationError("power: a negative exponent of an integer")
        if abs(b) > 128:
            raise EvaluationError("power: an overflow")
        return a ** whole(b) if not isinstance(a, Decimal) else EXACT.power(a, whole(b))

    return apply


def _divided(a: Value, b: Value) -> Value:
    if isinstance(a, float):
        if b:
            return a / b
        return math.nan if not a or math.isnan(a) or math.isnan(b) else math.copysign(math.inf, a) * math.copysign(1, b)
    if not b:
        raise EvaluationError("division by zero")
    quotient = abs(a) // abs(b)
    return EXACT.divide(a, b) if isinstance(a, Decimal) else quotient if (a < 0) == (b < 0) else -quotient


def _quotient(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], Value]:
    """Of decimals with the digits of the result, and without those behind them."""
    type_ = t.proper(fn.returns)
    if not isinstance(type_, t.Decimal):
        return _divided
    unit = 10 ** (type_.scale or 0)

    def apply(a: Value, b: Value) -> Value:
        if not b:
            raise EvaluationError("division by zero")
        return Decimal(math.trunc(Fraction(a) / Fraction(b) * unit)).scaleb(-(type_.scale or 0), EXACT)

    return apply


def _remainder(a: Value, b: Value) -> Value:
    if isinstance(a, float):
        return math.fmod(a, b) if b and math.isfinite(a) else math.nan
    if not b:
        raise EvaluationError("division by zero")
    return (
        a - b * math.trunc(Decimal(a) / Decimal(b))
        if isinstance(a, Decimal)
        else int(math.fmod(a, b))
        if abs(a) < 2**52 and abs(b) < 2**52
        else (abs(a) % abs(b)) * (1 if a >= 0 else -1)
    )


def _shift(direction: int) -> Factory:
    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], int]:
        type_ = t.proper(fn.returns)
        size, signed = bits(type_) if isinstance(type_, t.Integer) else (64, False)

        def apply(value: Value, by: Value) -> int:
            number, count = whole(value), whole(by) % size
            made = number << count if direction > 0 else number >> count
            made &= (1 << size) - 1
            return made - (1 << size) if signed and made >> size - 1 else made

        return apply

    return factory


def _bucket(value: Value, low: Value, high: Value, count: Value) -> int | None:
    if isinstance(value, Interval):
        value, low, high = (one.months * 30 * 86_400 * 10**9 + one.nanos for one in (value, low, high))
    parts = whole(count)
    if parts <= 0 or low == high or any(isinstance(one, float) and math.isnan(one) for one in (value, low, high)):
        return None
    if any(isinstance(one, float) and math.isinf(one) for one in (low, high)):
        return None
    backwards = low > high
    if (value > low) if backwards else (value < low):
        return 0
    if (value <= high) if backwards else (value >= high):
        return parts + 1
    return int((value - low) * parts // (high - low)) + 1


def _chosen(choose: Callable[..., Any]) -> Factory:
    def apply(*args: Value) -> Value:
        present = [one for one in args if one is not None]
        return choose(present, key=order) if present else None

    return plain(apply)


def _in_units(operation: Callable[[int, int], int]) -> Factory:
    """A function of integers; of decimals it is that of their units."""

    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], Value]:
        type_ = t.proper(fn.returns)
        scale = (type_.scale or 0) if isinstance(type_, t.Decimal) else 0
        if not scale:
            return lambda a, b: operation(whole(a), whole(b))

        def apply(a: Value, b: Value) -> Value:
            made = operation(*(whole(Decimal(one).scaleb(scale, EXACT)) for one in (a, b)))
            return Decimal(made).scaleb(-scale, EXACT)

        return apply

    return factory


def _factorial(number: int) -> int:
    if number < 0 or number > 20:
        raise EvaluationError(f"factorial of {number}: an overflow")
    return math.factorial(number)


def _absolute(value: Value) -> Value:
    if isinstance(value, Interval):
        return Interval(value.unit, abs(value.months), abs(value.nanos))
    return abs(value)


def _negative(value: Value) -> Value:
    return Interval(value.unit, -value.months, -value.nanos) if isinstance(value, Interval) else -value


def _wrapped(operation: Callable[[Value], Value]) -> Factory:
    """Of an integer; the least one of its bits stays itself."""

    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value], Value]:
        type_ = t.proper(fn.returns)
        if not isinstance(type_, t.Integer):
            return operation
        least = -(1 << bits(type_)[0] - 1)
        return lambda value: value if value == least else operation(value)

    return factory


def _whole_float(operation: Callable[[float], int]) -> Callable[[Value], Value]:
    return lambda value: value if isinstance(value, float) and not math.isfinite(value) else operation(value)


def _sign(value: Value) -> Value:
    return value if value != value else (value > 0) - (value < 0)


SCALARS: dict[str, Factory] = {
    "round": plain(_to_digits(ROUND_HALF_UP)),
    "trunc": plain(_to_digits(ROUND_DOWN)),
    "abs": _wrapped(_absolute),
    "ceil": plain(_whole_float(math.ceil)),
    "floor": plain(_whole_float(math.floor)),
    "cot": _real(lambda x: 1 / math.tan(x) if x else math.inf),
    "csc": _real(lambda x: 1 / math.sin(x) if x else math.copysign(math.inf, x)),
    "sec": _real(lambda x: 1 / math.cos(x)),
    "cbrt": _real(math.cbrt),
    "gcd": _in_units(math.gcd),
    "lcm": _in_units(math.lcm),
    "factorial": plain(_factorial),
    "iszero": plain(lambda value: value == 0),
    "isnan": plain(lambda value: value != value),
    "nanvl": plain(lambda number, other: other if number != number else number),
    "logb": _real(_logarithm),
    "ln": _real(_ln),
    "log2": _real(lambda x: -math.inf if x == 0 else math.log2(x)),
    "log10": _real(_logarithm),
    "sqrt": _real(math.sqrt),
    "exp": _real(math.exp),
    "expm1": _real(math.expm1),
    "pi": plain(lambda: math.pi),
    "power": _power,
    "signum": plain(_sign),
    "negative": _wrapped(_negative),
    "negate": _wrapped(_negative),
    "mod": plain(_remainder),
    "modulus": plain(_remainder),
    "divide": _quotient,
    "hypot": _real(math.hypot),
    "width_bucket": plain(_bucket),
    "greatest": _chosen(max),
    "least": _chosen(min),
    "lt": plain(lambda a, b: order(a) < order(b)),
    "lte": plain(lambda a, b: order(a) <= order(b)),
    "gt": plain(lambda a, b: order(a) > order(b)),
    "gte": plain(lambda a, b: order(a) >= order(b)),
    "bitwise_shift_left": _shift(1),
    "bitwise_shift_right": _shift(-1),
    "shiftleft": _shift(1),
    "shiftright": _shift(-1),
}
