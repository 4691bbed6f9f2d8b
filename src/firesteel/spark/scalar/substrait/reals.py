"""Arithmetic and functions of floats. Overflow is never an error. Where a function has no value, an option chooses NaN,
NULL or an error. Rounding is IEEE 754's default: to the nearest, ties to even."""

from __future__ import annotations

import math
from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.substrait.base import Build, Call, is_float, null_of

Test = Callable[[Column], Column]


def as_result(call: Call, value: Column) -> Column:
    """A double in the type of the result."""
    return value.cast("float") if isinstance(call.returns, t.Float32) else value


def doubles(call: Call) -> list[Column]:
    """The arguments as doubles: 32 bits are too few for intermediate results."""
    return [
        x if isinstance(a.type, t.Float64) else x.cast("double") for a, x in zip(call.args, call.columns, strict=True)
    ]


def add(call: Call) -> Column:
    x, y = call.columns
    return x + y


def subtract(call: Call) -> Column:
    x, y = call.columns
    return x - y


def multiply(call: Call) -> Column:
    x, y = call.columns
    return x * y


def divide(call: Call) -> Column:
    """Division by zero gives infinity, and 0/0 NaN (IEEE); or always infinity (LIMIT); or NULL; or an error."""
    x, y = call.columns
    value = F.try_divide(x, F.when(y != 0, y)).cast(call.spark)
    match call.choice("on_division_by_zero", "IEEE"):
        case "ERROR":
            at_zero = call.error("division by zero")
        case "NULL":
            at_zero = null_of(call.returns)
        case choice:
            sign = F.when(y.cast("string") == "-0.0", F.lit(-math.inf)).otherwise(F.lit(math.inf))
            at_zero = x.cast("double") * sign
            if choice == "LIMIT":
                at_zero = F.when(x == 0, sign).otherwise(at_zero)
            at_zero = as_result(call, at_zero)
    quotient = F.when(x.isNotNull() & (y == 0), at_zero).otherwise(value)
    if call.choice("on_domain_error", "NAN") == "NAN":
        return quotient
    infinite = (F.abs(x) == F.lit(math.inf)) & (F.abs(y) == F.lit(math.inf))
    return F.when(F.isnan(x) | F.isnan(y) | infinite, _instead(call, "on_domain_error", "NAN")).otherwise(quotient)


def negate(call: Call) -> Column:
    return -call.columns[0]


def absolute(call: Call) -> Column:
    return F.abs(call.columns[0])


def sign(call: Call) -> Column:
    (x,) = call.columns
    return F.when(F.isnan(x) | (x == 0), x).otherwise(F.signum(x).cast(call.spark))


def power(call: Call) -> Column:
    x, y = doubles(call)
    return as_result(call, F.pow(x, y))


def _instead(call: Call, option: str, default: str) -> Column:
    """The result where a function has no value, by the call's option."""
    match call.choice(option, default):
        case "ERROR":
            return call.error("no value for this argument")
        case "NULL" | "NONE":
            return null_of(call.returns)
    return F.literal(math.nan, call.spark)


def real(function: Callable[[Column], Column], outside: Test | None = None) -> Build:
    """A function of one number. `outside` tests for numbers without a value, for which Spark's functions give NaN."""

    def build(call: Call) -> Column:
        (x,) = doubles(call)
        if outside is None or _gives_nan(call):
            return as_result(call, function(x))
        wrong = outside(x) & ~F.isnan(x)
        value = as_result(call, function(F.when(~wrong, x)))
        if call.choice("on_domain_error", "NAN") != "ERROR":
            return value
        return F.when(wrong, call.error("no value for this argument")).otherwise(value)

    return build


def _gives_nan(call: Call) -> bool:
    """Does the call want NaN? If the argument is an integer, which has no NaN, it is NULL instead."""
    chosen = call.fn.choice("on_domain_error")
    return chosen is None or (chosen == "NAN" and is_float(call.args[0].type))


def atan2(call: Call) -> Column:
    y, x = doubles(call)
    return as_result(call, F.atan2(y, x))


# ---------------------------------------------------------------------------------------------------------------------
# Logarithms


def logarithm(function: Callable[[Column], Column], zero: float = 0.0) -> Build:
    """At `zero` the logarithm is minus infinity; below, it has no value."""

    def build(call: Call) -> Column:
        (x,) = doubles(call)
        return _log(call, x, as_result(call, function(F.when(x > zero, x))), zero)

    return build


def logb(call: Call) -> Column:
    """The logarithm to a base, which is the first argument."""
    base, x = doubles(call)
    fits = (base > 0) & (base != 1)
    value = F.try_divide(F.ln(F.when(x > 0, x)), F.ln(F.when(fits, base)))
    log = _log(call, x, as_result(call, value), 0.0, wrong=~fits)
    there = call.there()
    result = F.when(F.isnan(base), F.literal(math.nan, call.spark)).otherwise(log)
    return result if there is None else F.when(there, result)


def _log(call: Call, x: Column, value: Column, zero: float, wrong: Column | None = None) -> Column:
    """The value, or what the options choose. For zero, NAN gives NULL, as in the specification's test cases."""
    match call.choice("on_log_zero", "MINUS_INFINITY"):
        case "ERROR":
            at_zero = call.error("the logarithm of zero")
        case "MINUS_INFINITY":
            at_zero = F.literal(-math.inf, call.spark)
        case _:
            at_zero = null_of(call.returns)
    outside = x < zero if wrong is None else (x < zero) | wrong
    instead = _instead(call, "on_domain_error", "NAN")
    nan = F.literal(math.nan, call.spark)
    return F.when(F.isnan(x), nan).when(x == zero, at_zero).when(outside, instead).otherwise(value)


# ---------------------------------------------------------------------------------------------------------------------
# Rounding

#: Doubles of this size and above are integers.
_INTEGERS = float(2**52)


def whole(function: Callable[[Column], Column]) -> Build:
    """`ceil` or `floor`. Spark's give 64-bit integers, too small for large floats, which are integers already."""

    def build(call: Call) -> Column:
        (x,) = call.columns
        small = F.abs(x) < F.lit(_INTEGERS)
        return F.when(small, function(F.when(small, x)).cast(call.spark)).otherwise(x)

    return build


def round_float(call: Call) -> Column:
    """Round to `s` decimal digits. A float counts as it is written: 0.1 is 0.1, not its exact binary value."""
    x, _ = call.columns
    mode, places = call.choice("rounding", "TIE_AWAY_FROM_ZERO"), call.constant(1)
    if places is None:
        return null_of(call.returns)
    if type(places) is not int or mode not in ("TIE_TO_EVEN", "TIE_AWAY_FROM_ZERO"):
        raise call.unsupported(f"rounding {mode} of floats, or to digits that only the run knows")
    written = x.cast("string").cast("double") if isinstance(call.returns, t.Float32) else x
    function = F.bround if mode == "TIE_TO_EVEN" else F.round
    return as_result(call, function(written, max(-400, min(places, 400))))


def integral(x: Column, mode: str) -> Column:
    """A double rounded to an integer, by one of the specification's ten rounding modes."""
    low = F.floor(x).cast("double")
    high = low + F.lit(1.0)
    rest = x - low
    half = F.lit(0.5)
    even = F.pmod(low, F.lit(2.0)) == 0
    up: Column
    match mode:
        case "FLOOR":
            return low
        case "CEILING":
            return F.when(rest == 0, low).otherwise(high)
        case "TRUNCATE":
            up = (x < 0) & (rest > 0)
        case "AWAY_FROM_ZERO":
            up = (x > 0) & (rest > 0)
        case "TIE_DOWN":
            up = rest > half
        case "TIE_UP":
            up = rest >= half
        case "TIE_TOWARDS_ZERO":
            up = (rest > half) | ((rest == half) & (x < 0))
        case "TIE_AWAY_FROM_ZERO":
            up = (rest > half) | ((rest == half) & (x > 0))
        case "TIE_TO_ODD":
            up = (rest > half) | ((rest == half) & even)
        case _:
            up = (rest > half) | ((rest == half) & ~even)
    return F.when(up, high).otherwise(low)
