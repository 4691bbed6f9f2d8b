"""Arithmetic of floats, as IEEE 754 has it: what is undefined is not a number, unless the call says otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.arithmetic import to_float
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import floating, name
from firesteel.values import Value


def _rounded(operation: Callable[..., float]) -> Factory:
    """An operation that is defined everywhere."""

    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        made = floating(fn.returns)

        def apply(*args: float) -> float:
            try:
                return made(operation(*map(to_float, args)))
            except OverflowError:
                return math.inf
            except ValueError:
                return math.nan

        return apply

    return factory


def _within(operation: Callable[..., float], undefined: str = "on_domain_error") -> Factory:
    """An operation that is not defined everywhere: NaN, NULL or an error by that option of the call."""

    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        made = floating(fn.returns)
        otherwise = outside(fn, undefined)

        def apply(*args: float) -> Value:
            given = [to_float(one) for one in args]
            if any(math.isnan(one) for one in given):
                return math.nan
            try:
                return made(operation(*given))
            except OverflowError:
                return math.inf
            except ValueError:
                return otherwise()

        return apply

    return factory


def outside(fn: p.Fn, option: str) -> Callable[[], Value]:
    """The result for arguments outside the function's domain, as the call's option says."""
    chosen = fn.choice(option) or "NAN"

    def give() -> Value:
        if chosen == "ERROR":
            raise EvaluationError(f"{name(fn)} is not defined for such a value")
        return math.nan if chosen == "NAN" else None

    return give


def sqrt(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    """The specification's test cases expect NULL where the option is given as NaN."""
    asked = fn.choice("on_domain_error")

    def apply(a: float) -> Value:
        a = to_float(a)
        if a >= 0 or math.isnan(a):
            return floating(fn.returns)(math.sqrt(a))
        if asked == "ERROR":
            raise EvaluationError("a negative number has no square root")
        return None if asked == "NAN" and isinstance(types[0], t.Integer) else math.nan

    return apply


def divide(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[float, float], Value]:
    made = floating(fn.returns)
    by_zero = fn.choice("on_division_by_zero") or "IEEE"
    otherwise = outside(fn, "on_domain_error")

    def apply(a: float, b: float) -> Value:
        if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)):
            return otherwise()
        if b:
            return made(a / b)
        if by_zero == "ERROR":
            raise EvaluationError("division by zero")
        if by_zero == "NULL":
            return None
        if not a and by_zero == "IEEE":
            return otherwise()
        return math.copysign(math.inf, a) * math.copysign(1, b)

    return apply


def power(a: float, b: float) -> float:
    """A power: what is too large is infinite, with its sign."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b == int(b) and int(b) % 2 else math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan


def _sign(a: float) -> float:
    return a if math.isnan(a) or a == 0 else math.copysign(1.0, a)


def _periodic(operation: Callable[[float], float]) -> Callable[[float], float]:
    return lambda a: math.nan if math.isinf(a) else operation(a)


def _grown(operation: Callable[[float], float]) -> Callable[[float], float]:
    """Odd functions that grow beyond any bound."""

    def apply(a: float) -> float:
        try:
            return operation(a)
        except OverflowError:
            return math.copysign(math.inf, a)

    return apply


def _atanh(a: float) -> float:
    return math.copysign(math.inf, a) if abs(a) == 1 else math.atanh(a)


SCALARS: dict[str, Factory] = {
    "add": _rounded(lambda a, b: a + b),
    "subtract": _rounded(lambda a, b: a - b),
    "multiply": _rounded(lambda a, b: a * b),
    "divide": divide,
    "negate": _rounded(lambda a: -a),
    "power": _rounded(power),
    "sqrt": sqrt,
    "exp": _rounded(math.exp),
    "cos": _rounded(_periodic(math.cos)),
    "sin": _rounded(_periodic(math.sin)),
    "tan": _rounded(_periodic(math.tan)),
    "cosh": _rounded(math.cosh),
    "sinh": _rounded(_grown(math.sinh)),
    "tanh": _rounded(math.tanh),
    "acos": _within(math.acos),
    "asin": _within(math.asin),
    "atan": _rounded(math.atan),
    "acosh": _within(math.acosh),
    "asinh": _rounded(math.asinh),
    "atanh": _within(_atanh),
    "atan2": _within(math.atan2),
    "radians": _rounded(math.radians),
    "degrees": _rounded(math.degrees),
    "abs": _rounded(abs),
    "sign": _rounded(_sign),
}


# Logarithms ----------------------------------------------------------------------------------------------------------


def _logarithm(operation: Callable[..., float], shift: float = 0.0) -> Factory:
    """A logarithm of the last argument. The cases want NULL where the option for zero asks for NaN."""

    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        made = floating(fn.returns)
        otherwise = outside(fn, "on_domain_error")
        zero = fn.choice("on_log_zero")

        def apply(*args: int | float | Decimal) -> Value:
            given = [to_float(one) for one in args]
            if any(math.isnan(one) for one in given):
                return math.nan
            if given[-1] + shift == 0:
                if zero == "ERROR":
                    raise EvaluationError(f"{name(fn)} of zero")
                return None if zero == "NAN" else -math.inf
            try:
                return made(operation(*given))
            except (ValueError, ZeroDivisionError):
                return otherwise()

        return apply

    return factory


def _to_base(base: float, x: float) -> float:
    if base <= 0 or base == 1:
        raise ValueError
    if math.isinf(x) and x > 0:
        return math.inf if base > 1 else -math.inf
    if base in (2, 10):
        return math.log2(x) if base == 2 else math.log10(x)
    return math.log(x) / math.log(base)


LOGARITHMS: dict[str, Factory] = {
    "logarithmic:ln": _logarithm(math.log),
    "logarithmic:log10": _logarithm(math.log10),
    "logarithmic:log2": _logarithm(math.log2),
    "logarithmic:logb": _logarithm(_to_base),
    "logarithmic:log1p": _logarithm(math.log1p, 1.0),
}
