"""Ranges of Substrait's number types, and what happens to a number out of range."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError

#: Room for every intermediate result of two decimals of 38 digits.
EXACT = Context(prec=400, Emax=10_000_000, Emin=-10_000_000)


def bits(type_: t.Type) -> tuple[int, bool]:
    """The size of an integer type, and whether it has a sign."""
    if isinstance(type_, t.UserDefined):
        return int(type_.name[1:]), False
    assert isinstance(type_, t.Integer)
    return type_.bits or 64, True


def bounds(type_: t.Type) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    size, signed = bits(type_)
    return (-(1 << size - 1), (1 << size - 1) - 1) if signed else (0, (1 << size) - 1)


def fitting(fn: p.Fn) -> Callable[[int], int]:
    """An integer as the result of a call: what is too large is an error, unless the call says otherwise."""
    low, high = bounds(fn.returns)
    size, signed = bits(fn.returns)
    overflow = fn.choice("overflow") or "ERROR"

    def fit(number: int) -> int:
        if low <= number <= high:
            return number
        if overflow == "SATURATE":
            return low if number < low else high
        if overflow == "SILENT":
            number &= (1 << size) - 1
            return number - (1 << size) if signed and number > high else number
        raise EvaluationError(f"overflow: {name(fn)} gives {number:,}, which is no {t.proper(fn.returns)}")

    return fit


def name(fn: p.Fn) -> str:
    """What messages call a function."""
    return f"'{fn.name.rpartition(':')[2]}'"


# Floats --------------------------------------------------------------------------------------------------------------


def single(number: float) -> float:
    """The nearest float of 32 bits."""
    try:
        found: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return found


def floating(type_: t.Type) -> Callable[[float], float]:
    """A float as a value of a type of floats."""
    return single if isinstance(type_, t.Float32) else float


def shortest(number: float, type_: t.Type) -> Decimal:
    """A finite float as it is written: with the fewest digits that tell it from its neighbours of that type."""
    if not isinstance(type_, t.Float32):
        return Decimal(repr(number))
    for digits in range(1, 10):
        written = format(number, f".{digits}g")
        if single(float(written)) == single(number):
            return Decimal(written)
    return Decimal(repr(number))


# Decimals ------------------------------------------------------------------------------------------------------------


def to_scale(number: Fraction | Decimal | int, scale: int, rounding: str = ROUND_HALF_UP) -> Decimal:
    """The number with so many digits behind the point."""
    if isinstance(number, Fraction):
        number = _rounded(number, scale)
    return Decimal(number).quantize(Decimal((0, (1,), -scale)), rounding, EXACT)


def _rounded(number: Fraction, scale: int) -> Decimal:
    """A fraction rounded half away from zero, exactly."""
    whole, rest = divmod(abs(number.numerator) * 10**scale, number.denominator)
    whole += 2 * rest >= number.denominator
    return Decimal((int(number < 0), tuple(map(int, str(whole))), -scale))


def decimal_fitting(fn: p.Fn) -> Callable[[Fraction | Decimal | int], Decimal]:
    """A number as the decimal that a call gives: rounded half up; more digits before the point are an error."""
    type_ = fn.returns
    assert isinstance(type_, t.Decimal)
    precision, scale = type_.precision or 38, type_.scale or 0
    overflow = fn.choice("overflow") or "ERROR"
    most = Decimal((0, (9,) * precision, -scale))

    def fit(number: Fraction | Decimal | int) -> Decimal:
        made = to_scale(number, scale)
        if made.copy_abs() <= most:
            return made
        if overflow == "ERROR":
            raise EvaluationError(f"overflow: {name(fn)} gives more digits than {t.proper(type_)} has")
        return most.copy_sign(made)  # SILENT: any result is allowed

    return fit
