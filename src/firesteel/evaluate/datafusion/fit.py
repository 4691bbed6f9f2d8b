"""Results in the type that a call declares: an integer as the decimal that stands for an unsigned one, and so on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import digits
from firesteel.evaluate.substrait.numbers import bounds, decimal_fitting, single
from firesteel.values import Struct, Time, Timestamp, Value

Fit = Callable[[Value], Value]


def plain(operation: Callable[..., Any]) -> Factory:
    """A function that needs nothing of the call but its arguments."""
    return lambda fn, types: operation


def whole(value: Value) -> int:
    """An integer; an unsigned one of 64 bits is a decimal here."""
    return int(value)


def fitting(type_: t.Type) -> Fit:
    """The function that brings a result into a type."""
    match t.proper(type_):
        case t.Decimal():
            fit = decimal_fitting(p.Fn("datafusion:result", p.FnOption.NONE, (), t.proper(type_)))
            return lambda value: None if value is None else fit(Decimal(value))
        case t.Integer() as kind:
            return _integer(kind)
        case t.Float32():
            return lambda value: None if value is None else single(_float(value))
        case t.Float64():
            return lambda value: None if value is None else _float(value)
        case t.Time(precision=int(count)) | t.Timestamp(precision=int(count)):
            return lambda value: digits(value, count) if isinstance(value, Time | Timestamp) else value
        case t.Interval(unit="day_time", precision=int(count)) if count < 9:
            step = 10 ** (9 - count)
            return lambda value: (
                None if value is None else replace(value, nanos=int(Fraction(value.nanos, step)) * step)
            )
        case t.Array(element=element):
            inner = fitting(element)
            return lambda value: None if value is None else [inner(one) for one in value]
        case t.Struct(fields=fields):
            return _struct(fields)
    return lambda value: value


def _float(value: Value) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _integer(kind: t.Integer) -> Fit:
    low, high = bounds(kind)

    def fit(value: Value) -> Value:
        if value is None or isinstance(value, bool):
            return value
        number = int(value)
        if not low <= number <= high:
            raise EvaluationError(f"overflow: {number:,} is no {kind}")
        return number

    return fit


def _interval(step: int) -> Fit:
    """Without what is less than a unit of so many nanoseconds."""
    return lambda value: None if value is None else replace(value, nanos=math.trunc(Fraction(value.nanos, step)) * step)


def _struct(fields: tuple[t.Field, ...]) -> Fit:
    parts = [(one.name or "", fitting(one.type)) for one in fields]

    def fit(value: Value) -> Value:
        if not isinstance(value, Struct) or len(value.pairs) != len(parts):
            return value
        return Struct((name, inner(item)) for (name, inner), (_, item) in zip(parts, value.pairs, strict=True))

    return fit


def fitted(factory: Factory) -> Factory:
    """The function, its results in the declared type."""

    def make(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
        apply, fit = factory(fn, types), fitting(fn.returns)

        def call(*args: Value) -> Value:
            try:
                return fit(apply(*args))
            except (TypeError, AttributeError, IndexError, KeyError):
                kinds = ", ".join(map(str, types))
                raise EvaluationError(f"'{fn.name}' of ({kinds}) does not give {fn.returns}") from None

        return call

    return make
