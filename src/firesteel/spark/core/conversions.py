"""Conversions of expressions: to another encoding or representation, and of several into one CASE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import (
    NATIVE,
    Depth,
    Expr,
    NumberParts,
    Plain,
    Split,
    StructParts,
    Variant,
    as_variant,
    derive,
    number_parts,
)
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import (
    MAX_DIGITS,
    Form,
    WholeOrDecimal,
    cast_type,
    common_type,
    form,
    to_spark,
)
from firesteel.spark.encoding.variants import to_variant


def fit(expr: Expr, target: t.Type) -> Column:
    """The expression as one column, encoded by `target`, a type that holds its values."""
    if isinstance(expr, StructParts) and form(target) is not Form.VARIANT and isinstance(target, t.Struct):
        by_name = dict(expr.named)
        parts = []
        for field in target.fields:
            inner = by_name.get(field.name or "")
            column = fit(inner, field.type) if inner is not None else _empty(field.type)
            parts.append(column.alias(field.name or ""))
        struct = F.struct(*parts)
        return struct if expr.present is None else F.when(expr.present, struct)
    if isinstance(expr.type, t.Null | t.Missing) and not (expr.type.nullable and expr.type.missable):
        return _empty(target, null=expr.type.nullable)
    if isinstance(expr, StructParts) and form(target) is Form.VARIANT:
        return as_variant(expr)
    return convert(expr.column, expr.type, target)


def _empty(type_: t.Type, null: bool = False) -> Column:
    """MISSING, or NULL, as a column of the type."""
    if form(type_) is Form.VARIANT:
        return variants.null() if null else variants.missing()
    return F.literal(None, cast_type(type_))


def _map_of_struct(column: Column, source: t.Struct, target: t.Map) -> Column:
    """A struct as a map from names to values, without the attributes that are MISSING."""
    entries = []
    for field in source.fields:
        value = column[field.name or ""]
        there = value.isNotNull() if field.type.missable else F.lit(True)
        key, item = F.lit(field.name or ""), convert(value, field.type, target.value)
        entries.append(F.when(there, F.struct(key.alias("key"), item.alias("value"))))
    if not entries:
        return F.create_map().cast(cast_type(target))
    return F.map_from_entries(F.array_compact(F.array(*entries)))


def convert(column: Column, source: t.Type, target: t.Type) -> Column:
    """A column encoded by `source`, encoded by `target`, a type that holds its values. Types are not nested deep."""
    if form(target) is Form.VARIANT:
        return to_variant(column, source)
    if form(source) is Form.VARIANT and not isinstance(source, t.Null | t.Missing):
        return variants.from_variant(column, target)
    if to_spark(source) == to_spark(target):
        return column
    if isinstance(source, t.Collection) and isinstance(target, t.Collection):
        inner, outer = source.element, target.element
        return F.transform(column, lambda item: convert(item, inner, outer))
    if isinstance(source, t.Struct) and isinstance(target, t.Struct):
        parts = []
        for field in target.fields:
            found = source.field(field.name or "")
            part = convert(column[field.name or ""], found, field.type) if found is not None else _empty(field.type)
            parts.append(part.alias(field.name or ""))
        return F.when(column.isNotNull(), F.struct(*parts))
    if isinstance(source, t.Struct) and isinstance(target, t.Map):
        return F.when(column.isNotNull(), _map_of_struct(column, source, target))
    if isinstance(source, t.Null | t.Missing):
        return F.literal(None, cast_type(target))
    return column.cast(cast_type(target))


def split_variant(expr: Expr) -> Expr:
    """A variant of one scalar type as a Split, so that functions of that type can take its plain column. NumberParts
    become one column, unless they are one already."""
    if isinstance(expr, NumberParts) and not isinstance(expr.type, WholeOrDecimal):
        return derive(expr.type, expr.column, expr, cost=Depth.TINY)
    if not isinstance(expr, Variant) or not isinstance(t.proper(expr.type), NATIVE):
        return expr
    place = replace(expr.place, height=expr.place.height + 1)
    return Split(expr.type, expr.plain, expr.value.isNull(), place=place, constant=expr.constant)


def as_single_kind(expr: Expr) -> Expr:
    """Integers and decimals in one column of decimals, as variants; any other expression as it is. For callers that do
    different things with integers and decimals."""
    if not isinstance(expr, NumberParts) or not isinstance(expr.type, WholeOrDecimal):
        return expr
    type_ = t.Union(expr.type.members, nullable=expr.type.nullable, missable=expr.type.missable)
    return derive(type_, to_variant(expr.value, expr.type), expr, cost=Depth.SMALL)


def truth(expr: Expr) -> Expr:
    """Of a boolean: true where it is true, false or SQL NULL elsewhere."""
    variant = isinstance(expr, Variant)
    column = expr.truth() if isinstance(expr, Variant) and expr.truth is not None else expr.plain
    return derive(t.absent(t.BOOL, nullable=True), column, expr, cost=int(variant))


def as_present(expr: Expr) -> Expr:
    """The expression with a type that is never absent, where it is known to be present. A variant stays as it is."""
    match expr:
        case Variant():
            return expr
        case Split():
            return Plain(t.proper(expr.type), expr.value, place=expr.place, constant=expr.constant)
        case StructParts():
            return replace(expr, type=t.proper(expr.type), present=None)
        case _:
            return expr.with_type(t.proper(expr.type))


def absent_as_null(expr: Expr) -> Expr:
    """The expression with NULL for MISSING, where both count the same. Of a variant only the type changes."""
    type_ = t.absent(expr.type, nullable=True, missable=False)
    if isinstance(expr, Split):
        return Plain(type_, expr.value, place=expr.place, constant=expr.constant)
    return expr.with_type(type_)


def fit_cost(expr: Expr, target: t.Type) -> int:
    """How much deeper `fit` nests: tags and lambdas are several levels each, and more where they are nested."""
    if form(target) is not Form.VARIANT:
        return 0 if isinstance(expr, StructParts) or to_spark(expr.type) == to_spark(target) else 4
    if isinstance(expr, Variant) or isinstance(expr.type, t.Null | t.Missing):
        return 0
    return 3 if isinstance(expr.type, _AS_THEY_ARE) else 12


_AS_THEY_ARE = (*NATIVE, t.Decimal, t.Char, t.Byte, t.Blob, t.Timestamp)


def choose(conditions: Sequence[Expr], results: Sequence[Expr]) -> Expr:
    """The result of the first condition that is true; the last result if none is."""
    if not conditions:
        return results[-1]
    number = _choose_number(conditions, results)
    if number is not None:
        return number
    type_ = common_type(result.type for result in results)
    *branches, default = (fit(result, type_) for result in results)
    cost = 1 + max(fit_cost(result, type_) for result in results)
    return derive(type_, _case(conditions, [*branches, default]), *conditions, *results, cost=cost)


def _case(conditions: Sequence[Expr], branches: Sequence[Column]) -> Column:
    column: Any = F
    for condition, branch in zip(conditions, branches, strict=False):
        column = column.when(condition.plain, branch)
    found: Column = column.otherwise(branches[-1])
    return found


#: A sum of integers smaller than this fits 64 bits, however many there are.
_SMALL = 10**9


def _choose_number(conditions: Sequence[Expr], results: Sequence[Expr]) -> Expr | None:
    """A CASE of decimals of one type and small literal integers: no variants. None if the results are others."""
    constants = [type(result.constant) is int and abs(result.constant) < _SMALL for result in results]
    others = [result for result, constant in zip(results, constants, strict=True) if not constant]
    if not any(constants) or not all(_is_decimal(result) for result in others):
        return None
    types = {t.proper(result.type) for result in others}
    decimal = types.pop() if len(types) == 1 else None
    if not isinstance(decimal, t.Decimal) or decimal.precision is None:
        return None
    digits = max(len(str(abs(r.constant))) for r, constant in zip(results, constants, strict=True) if constant)
    scale = decimal.scale or 0
    wide = t.Decimal(max(decimal.precision - scale, digits) + scale, scale)
    if (wide.precision or 0) > MAX_DIGITS:
        return None
    value = _case(conditions, [result.plain.cast(cast_type(wide)) for result in results])
    flags = [F.lit(constant) for constant in constants]
    return number_parts(wide, value, _case(conditions, flags), *conditions, *results, cost=Depth.TINY)


def _is_decimal(expr: Expr) -> bool:
    return isinstance(expr, Plain) and not expr.type.missable and isinstance(expr.type, t.Decimal)
