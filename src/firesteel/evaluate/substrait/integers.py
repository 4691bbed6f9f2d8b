"""Arithmetic and bits of integers, with a sign and without."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.substrait.numbers import bits, fitting, name
from firesteel.values import Value

Factory = Callable[[p.Fn, tuple[t.Type, ...]], Callable[..., Value]]


def checked(operation: Callable[..., int]) -> Factory:
    """An operation whose result has to fit."""

    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        fit = fitting(fn)
        return lambda *args: fit(operation(*args))

    return factory


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def divide(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int, int], int | None]:
    fit = fitting(fn)
    fails = "ERROR" in (fn.choice("on_division_by_zero"), fn.choice("on_domain_error"))

    def apply(a: int, b: int) -> int | None:
        if b:
            return fit(_truncated(a, b))
        if fails:
            raise EvaluationError("division by zero")
        return None

    return apply


def modulus(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int, int], int | None]:
    fails = fn.choice("on_domain_error") == "ERROR"
    floors = fn.choice("division_type") == "FLOOR"

    def apply(a: int, b: int) -> int | None:
        if b:
            return a % b if floors else a - b * _truncated(a, b)
        if fails:
            raise EvaluationError("division by zero")
        return None

    return apply


def power(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int, int], int]:
    fit = fitting(fn)

    def apply(a: int, b: int) -> int:
        if b >= 0:
            if abs(a) > 1 and b > 64 and fn.choice("overflow") != "SILENT":
                return fit((1 << 64) * (-1 if a < 0 and b % 2 else 1))
            return fit(pow(a, b, 1 << 64) if abs(a) > 1 and b > 64 else a**b)
        if a == 0:
            raise EvaluationError("zero has no negative power")
        return int((-1) ** (b % 2)) if a == -1 else int(a == 1)  # what is left of a fraction

    return apply


#: Its factorial has so many factors of two that none of 64 bits is left of it, nor of one that is greater.
NO_BITS = 66


def factorial(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int], int]:
    fit = fitting(fn)

    def apply(n: int) -> int:
        if n < 0:
            raise EvaluationError(f"{name(fn)} of a negative number")
        return fit(math.factorial(min(n, NO_BITS)))

    return apply


def _shift(operation: Callable[[int, int, int], int]) -> Factory:
    """Shifts by as many bits as there are, and counts on from there."""

    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int, int], int]:
        size, _signed = bits(fn.returns)

        def apply(a: int, by: int) -> int:
            found = operation(a, by % size, size) & (1 << size) - 1
            return found - (1 << size) if found >> size - 1 else found

        return apply

    return factory


def _plain(operation: Callable[..., Any]) -> Factory:
    return lambda fn, types: operation


SCALARS: dict[str, Factory] = {
    "add": checked(lambda a, b: a + b),
    "subtract": checked(lambda a, b: a - b),
    "multiply": checked(lambda a, b: a * b),
    "divide": divide,
    "negate": checked(lambda a: -a),
    "modulus": modulus,
    "power": power,
    "abs": checked(abs),
    "sign": _plain(lambda a: (a > 0) - (a < 0)),
    "factorial": factorial,
    "bitwise_not": _plain(lambda a: ~a),
    "bitwise_and": _plain(lambda a, b: a & b),
    "bitwise_or": _plain(lambda a, b: a | b),
    "bitwise_xor": _plain(lambda a, b: a ^ b),
    "shift_left": _shift(lambda a, by, _: a << by),
    "shift_right": _shift(lambda a, by, _: a >> by),
    "shift_right_unsigned": _shift(lambda a, by, size: (a & (1 << size) - 1) >> by),
}
