"""Spark's functions of numbers: overflow and division by zero are errors, decimals have Spark's digits."""

from __future__ import annotations

from collections.abc import Callable

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.spark.frames.base import refuse
from firesteel.spark.frames.columns.choices import choice, is_float, null
from firesteel.spark.frames.columns.coercion import (
    as_decimal,
    bounded,
    cast,
    datafusion_call,
    digits,
    operands,
    standard_call,
)

Build = Callable[..., p.Rex]


def arithmetic(name: str) -> Build:
    def made(a: p.Rex, b: p.Rex) -> p.Rex:
        _ensure_numbers(name, a, b)
        one, other = operands(a, b)
        options = {} if is_float(one) or is_float(other) else {"overflow": "ERROR"}
        return standard_call(name, one, other, **options)

    return made


def _ensure_numbers(name: str, *args: p.Rex) -> None:
    wrong = next((one.type for one in args if not isinstance(one.type, t.Number | t.Text | t.Null)), None)
    if wrong is not None:
        raise refuse(f"'{name}' of a {t.proper(wrong)}", "date_add, date_sub and datediff move dates")


def divide(a: p.Rex, b: p.Rex) -> p.Rex:
    """Integers are divided as doubles, decimals to a type of their own."""
    _ensure_numbers("divide", a, b)
    decimals = [isinstance(one.type, t.Decimal) for one in (a, b)]
    if any(decimals) and not (is_float(a) or is_float(b)):
        one, other = as_decimal(a), as_decimal(b)
        if isinstance(one.type, t.Decimal) and isinstance(other.type, t.Decimal):
            return _divide_decimals(one, other, one.type, other.type)
    return standard_call("divide", cast(a, t.FLOAT64), cast(b, t.FLOAT64), on_division_by_zero="ERROR")


def _divide_decimals(a: p.Rex, b: p.Rex, dividend: t.Decimal, divisor: t.Decimal) -> p.Rex:
    (p1, s1), (p2, s2) = digits(dividend), digits(divisor)
    scale = max(6, s1 + p2 + 1)
    wanted = bounded(p1 - s1 + s2 + scale, scale)
    made = standard_call("divide", a, b, overflow="ERROR")
    kept = digits(wanted)[1]
    if isinstance(made.type, t.Decimal) and digits(made.type)[1] < kept:  # with one digit more, cut, it can be rounded
        made = datafusion_call("divide", t.Decimal(38, kept + 1), a, b)
    return cast(made, wanted)


def remainder(a: p.Rex, b: p.Rex) -> p.Rex:
    one, other = operands(a, b)
    if not (isinstance(one.type, t.Integer) and isinstance(other.type, t.Integer)):
        raise refuse(f"a remainder of {t.proper(one.type)}", "cast the numbers to integers")
    return standard_call("modulus", one, other, division_type="TRUNCATE", on_domain_error="ERROR")


def quotient(a: p.Rex, b: p.Rex) -> p.Rex:
    """`div`: the whole part of a quotient of integers, as a bigint."""
    if not (isinstance(a.type, t.Integer) and isinstance(b.type, t.Integer)):
        raise refuse(f"'div' of {t.proper(a.type)}", "cast the numbers to integers")
    return standard_call(
        "divide", cast(a, t.INT64), cast(b, t.INT64), overflow="ERROR", on_division_by_zero="ERROR", rounding="TRUNCATE"
    )


def checked(name: str) -> Build:
    return lambda a: standard_call(name, a, **({"overflow": "ERROR"} if isinstance(a.type, t.Integer) else {}))


def of_double(name: str) -> Build:
    return lambda *args: standard_call(name, *(cast(one, t.FLOAT64) for one in args))


def positive_only(name: str) -> Build:
    """A logarithm: NULL of zero and of less."""

    def made(a: p.Rex) -> p.Rex:
        number = cast(a, t.FLOAT64)
        found = standard_call(name, number, on_domain_error="NAN", on_log_zero="NAN")
        least = build.present("lte", number, p.Lit(t.FLOAT64, 0.0))
        return choice([(least, null(t.FLOAT64))], found)

    return made


def whole(name: str) -> Build:
    """`floor` and `ceil`: a bigint of an integer or a float, a decimal without digits behind the point of a decimal."""

    def made(a: p.Rex) -> p.Rex:
        if isinstance(a.type, t.Integer):
            return cast(a, t.INT64)
        if isinstance(a.type, t.Decimal):
            precision, scale = digits(a.type)
            return cast(standard_call(name, a), bounded(precision - scale + 1, 0)) if scale else a
        return cast(standard_call(name, cast(a, t.FLOAT64)), t.INT64)

    return made


def round(a: p.Rex, count: p.Rex | None = None) -> p.Rex:
    places = 0 if count is None else constant(count, "round")
    if isinstance(a.type, t.Integer):
        if places >= 0:
            return a
        raise refuse("'round' of an integer before its point")
    if not isinstance(a.type, t.Decimal):
        return datafusion_call("round", t.proper(a.type), a, p.Lit(t.INT32, places))
    precision, scale = digits(a.type)
    if places < 0:
        raise refuse("'round' of a decimal before its point")
    kept = min(places, scale)
    rounded = build.present("round", a, p.Lit(t.INT32, kept))
    return cast(rounded, t.Decimal(min(38, precision - scale + 1 + kept), kept))


def constant(rex: p.Rex, name: str) -> int:
    if not isinstance(rex, p.Lit) or not isinstance(rex.value, int):
        raise refuse(f"'{name}' with a number that is not a constant")
    return rex.value
