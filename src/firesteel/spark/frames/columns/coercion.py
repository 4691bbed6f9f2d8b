"""Spark's implicit casts under ANSI rules, which are its default: one type for two operands, a common type of many."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait import EnumValue
from firesteel.plan import build
from firesteel.spark.frames.base import refuse

_WIDTHS: tuple[type[t.Integer], ...] = (t.Int8, t.Int16, t.Int32, t.Int64)
#: How many digits an integer has as a decimal.
_DIGITS: dict[type[t.Type], int] = {t.Int8: 3, t.Int16: 5, t.Int32: 10, t.Int64: 20}
_MOST, _LEAST_SCALE = 38, 6


def cast(rex: p.Rex, type_: t.Type) -> p.Rex:
    """The value as the type; what does not fit is an error, as in Spark."""
    if isinstance(rex, p.Lit) and isinstance(rex.type, t.Integer) and isinstance(type_, t.Integer) and rex.value:
        return p.Lit(t.proper(type_), rex.value) if _fits(rex.value, type_) else build.substrait_cast(rex, type_)
    return build.substrait_cast(rex, type_)


def _fits(value: int, type_: t.Integer) -> bool:
    return type_.bits is None or -(1 << type_.bits - 1) <= value < 1 << type_.bits - 1


def as_decimal(rex: p.Rex) -> p.Rex:
    """An integer as a decimal: of the digits that a literal has, or that its type may have."""
    if not isinstance(rex.type, t.Integer):
        return rex
    if isinstance(rex, p.Lit) and rex.value is not None:
        from decimal import Decimal

        return p.Lit(t.Decimal(len(str(abs(rex.value))), 0), Decimal(rex.value))
    return cast(rex, t.Decimal(_DIGITS[type(rex.type)], 0))


def bounded(precision: int, scale: int) -> t.Decimal:
    """The type of a decimal that may need more digits than there are: digits behind the point are given up first."""
    if precision <= _MOST:
        return t.Decimal(precision, scale)
    whole = precision - scale
    return t.Decimal(_MOST, max(_MOST - whole, min(scale, _LEAST_SCALE)))


def common_type(a: t.Type, b: t.Type) -> t.Type:
    """The type that two values are compared as, or chosen from."""
    left, right = t.proper(a), t.proper(b)
    if left == right or isinstance(right, t.Null):
        return left
    if isinstance(left, t.Null):
        return right
    for one, other in ((left, right), (right, left)):
        made = _common(one, other)
        if made is not None:
            return made
    raise refuse(f"an implicit cast of {left} and {right}", "cast one of them")


def _common(one: t.Type, other: t.Type) -> t.Type | None:
    match one, other:
        case t.Integer(), t.Integer():
            return max(one, other, key=lambda type_: _WIDTHS.index(type(type_)))
        case t.Decimal(), t.Integer():
            return _wider(one, t.Decimal(_DIGITS[type(other)], 0))
        case t.Decimal(), t.Decimal():
            return _wider(one, other)
        case t.Float64(), t.Number():
            return t.FLOAT64
        case t.Float32(), (t.Int8() | t.Int16()):
            return t.FLOAT32
        case t.Float32(), t.Number():
            return t.FLOAT64
        case t.Text(), t.Integer():
            return t.INT64
        case t.Text(), (t.Date() | t.Timestamp() | t.Bool() | t.Float64()):
            return other
        case t.Text(), t.Text():
            return t.STRING
        case t.Timestamp(), t.Date():
            return one
        case t.Array(), t.Array():
            inner = common_type(one.element, other.element)
            return t.Array(t.absent(inner, nullable=one.element.nullable or other.element.nullable))
    return None


def _wider(one: t.Decimal, other: t.Decimal) -> t.Decimal:
    """A decimal that has the digits of both, before and behind the point."""
    (p1, s1), (p2, s2) = digits(one), digits(other)
    scale = max(s1, s2)
    return bounded(max(p1 - s1, p2 - s2) + scale, scale)


def digits(type_: t.Decimal) -> tuple[int, int]:
    return type_.precision or _MOST, type_.scale or 0


def alike(args: Sequence[p.Rex]) -> list[p.Rex]:
    """The values as their common type."""
    type_ = reduce(common_type, (one.type for one in args))
    return [cast(one, type_) for one in args]


def operands(a: p.Rex, b: p.Rex) -> tuple[p.Rex, p.Rex]:
    """Two numbers that are computed with: decimals keep their own digits, all others become one type."""
    types = (t.proper(a.type), t.proper(b.type))
    if any(isinstance(one, t.Decimal) for one in types) and not any(
        isinstance(one, t.Float32 | t.Float64 | t.Text) for one in types
    ):
        return as_decimal(a), as_decimal(b)
    a, b = (cast(one, t.FLOAT64) if isinstance(one.type, t.Text) else one for one in (a, b))
    one, other = alike([a, b])
    return one, other


# ---------------------------------------------------------------------------------------------------------------------
# Calls


def standard_call(name: str, *args: p.Rex | str, **options: str) -> p.Rex:
    """A call of a standard function of Substrait; a string is the name of an enumeration argument."""
    given: list[standard.Argument] = []
    for one in args:
        if isinstance(one, str):
            given.append(EnumValue(one))
        else:
            given.append(standard.Constant(one.type, one.value) if isinstance(one, p.Lit) else one.type)
    found = standard.resolve(None, name, None, Kind.SCALAR, given, [(key, (value,)) for key, value in options.items()])
    values = [one for one in args if not isinstance(one, str)]
    fitted = [
        one if target is None else build.substrait_cast(one, target)
        for one, target in zip(values, found.casts, strict=True)
    ]
    return p.Call(build.typed_fn(found.row.name, fitted, found.returns, found.choices), tuple(fitted))


def datafusion_call(name: str, returns: t.Type, *args: p.Rex, nullable: bool | None = None) -> p.Rex:
    """A call of a function that DataFusion has with Spark's meaning."""
    may = any(one.type.nullable for one in args) if nullable is None else nullable
    return p.Call(build.typed_fn(f"datafusion:{name}", args, t.absent(returns, nullable=may)), args)
