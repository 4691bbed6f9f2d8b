"""Fast sums and products of the usual numbers in JSON: integers, and decimals of a few digits.

Exact arithmetic with variants needs decimals of any scale (`exact_decimals`), which is slow for `2 * 10.5`. If both
operands have few digits before and behind the point, a plain decimal of Spark's holds the sum or product unrounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, NumberParts, Variant, place_over
from firesteel.spark.core.scope import Scope
from firesteel.spark.core.variant_kinds import may_be_tagged
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, one_of
from firesteel.spark.numbers.exact_decimals import decimal_places
from firesteel.spark.numbers.operands import Number

#: The digits behind the point, and before it.
_SCALE, _BEFORE = 6, 12
_ROOM = f"decimal({_BEFORE + _SCALE},{_SCALE})"
#: The ends of the schemas of such variants, behind the last comma: `BIGINT`, or `1)` of `DECIMAL(3,1)`.
_ENDS = ",".join(["BIGINT", *(f"{digits})" for digits in range(_SCALE + 1))])

_OPERATIONS: dict[str, tuple[Callable[[Any, Any], Column], t.Decimal]] = {
    "plus": (lambda a, b: a + b, t.Decimal(_BEFORE + _SCALE + 1, _SCALE)),
    "minus": (lambda a, b: a - b, t.Decimal(_BEFORE + _SCALE + 1, _SCALE)),
    "times": (lambda a, b: a * b, t.Decimal(2 * (_BEFORE + _SCALE) + 1, 2 * _SCALE)),
}


def small_result(scope: Scope, name: str, x: Number, y: Number) -> NumberParts | None:
    """The result as a plain decimal, bound if there are stages; SQL NULL where an operand has too many digits. None if
    that is not worth a try."""
    if name not in _OPERATIONS or (scope.stages is None and not scope.run.limits.roomy):
        return None
    sides = [_small(scope, operand) for operand in (x, y)]
    if any(side is None for side in sides):
        return None
    a, b = (side for side in sides if side is not None)
    operation, type_ = _OPERATIONS[name]
    assert a.places is not None
    assert b.places is not None
    digits = a.places + b.places if name == "times" else F.greatest(a.places, b.places)
    return _bind(scope, _parts(type_, operation(a.value, b.value), digits, a, b))


def _bind(scope: Scope, parts: NumberParts) -> NumberParts:
    bound = scope.bind(parts, dear=True)
    assert isinstance(bound, NumberParts)
    return bound


def _small(scope: Scope, operand: Number) -> NumberParts | None:
    """An operand as a plain decimal, with its digits behind the point; None if it may have too many."""
    expr = operand.expr
    if operand.kind is None:
        return _small_plain(expr)
    if isinstance(expr, Variant) and expr.number is not None and expr.number.places is not None:
        bound = _bind(scope, expr.number)
        assert bound.places is not None
        return _operand(F.when(bound.places <= _SCALE, bound.plain.try_cast(_ROOM)), bound.places, bound)
    if may_be_tagged(expr):
        return None
    if scope.stages is not None or scope.tells(expr):
        text = scope.text(expr)
        behind = decimal_places(text.plain, operand.kind.column)
        exact = one_of(operand.kind.column, Kind.BIGINT, Kind.DECIMAL) & (behind <= _SCALE)
        column = F.when(exact, text.plain.try_cast(_ROOM))
        return _bind(scope, _operand(column, behind, text, operand.kind))
    schema = scope.schema(expr)
    end = F.substring_index(schema.plain, ",", -1)
    column = F.when(F.find_in_set(end, F.lit(_ENDS)) > 0, cast_variant(expr.column, "string").try_cast(_ROOM))
    behind = F.coalesce(F.greatest(F.rtrim(end, F.lit(")")).try_cast("int"), F.lit(1)), F.lit(0))
    return _operand(column, behind, expr, schema, cost=Depth.SMALL)


def _small_plain(expr: Expr) -> NumberParts | None:
    scale = 0
    if isinstance(expr.type, t.Decimal):
        digits, scale = expr.type.precision or 38, expr.type.scale or 0
        fits = digits - scale <= _BEFORE and scale <= _SCALE
    else:
        small = type(expr.constant) is int and abs(expr.constant) < 10**_BEFORE
        fits = small or isinstance(expr.type, t.Int8 | t.Int16 | t.Int32)
    return _operand(expr.plain.cast(_ROOM), F.lit(scale), expr) if fits else None


def _operand(column: Column, places: Column, *of: Expr, cost: int = 1) -> NumberParts:
    return _parts(t.Decimal(_BEFORE + _SCALE, _SCALE), column, places, *of, cost=cost)


def _parts(type_: t.Decimal, column: Column, places: Column, *of: Expr, cost: int = 1) -> NumberParts:
    """Decimals, and how many digits each has behind the point."""
    return NumberParts(t.absent(type_, nullable=True), column, places=places, place=place_over(of, cost))
