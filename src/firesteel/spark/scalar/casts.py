"""CAST and IS.

For each target type a table (`cast_tables.py`) converts each kind of source, and gives SQL NULL where that is
impossible. A number that is too large for the target is an error in both modes; an impossible cast is an error if
strict, else MISSING.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Variant, as_variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import may_be, possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, TrimmedDecimal, cast_type, form
from firesteel.spark.encoding.decimal_variants import trimmed_text
from firesteel.spark.encoding.kinds import FAMILIES, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG
from firesteel.spark.encoding.variants import cast_variant, one_of
from firesteel.spark.scalar.arguments import propagate_absent
from firesteel.spark.scalar.cast_tables import Conversion, conversions, result_type
from firesteel.spark.scalar.compare import family
from firesteel.spark.scalar.structs import container_result, elements_of
from firesteel.spark.time.moments import moment


def cast(scope: Scope, args: Sequence[Any], where: Where) -> Expr:
    expr, target = args
    if isinstance(target, t.Null | t.Missing | t.Unresolved):
        raise PlanError(f"nothing can be cast to {target}", where=where)
    if isinstance(target, t.Any):
        return expr
    if isinstance(target, t.Collection):
        return _to_collection(scope, expr, target, where)
    if isinstance(target, t.Struct):
        return _to_struct(scope, expr, target, where)
    if isinstance(expr.type, t.Null | t.Missing):
        return expr
    if isinstance(target, t.Decimal) and target.precision is None and _plain_decimal(expr):
        return expr
    return scope.let([expr], lambda value: _cast(scope, value, target, where))


def can_cast(scope: Scope, args: Sequence[Any], where: Where) -> Expr:
    """Does the cast succeed? NULL and MISSING can always be cast."""
    expr, target = args
    if isinstance(target, t.Collection | t.Struct | t.Any):
        raise UnsupportedError(f"can_cast to {target} is not native on Spark", where=where)
    if isinstance(expr.type, t.Null | t.Missing):
        return column_expr(t.BOOL, F.lit(True), atomic=True)

    def test(value: Expr) -> Expr:
        return scope.let([_raw(scope, value, target, where, quiet=True)], lambda found: held(value, found))

    def held(value: Expr, found: Expr) -> Expr:
        absent = value.is_absent()
        there = found.column.isNotNull()
        return derive(t.BOOL, there if absent is None else there | absent, value, found)

    return scope.let([expr], test)


def can_lossless_cast(scope: Scope, args: Sequence[Any], where: Where) -> Expr:
    raise UnsupportedError("'can_lossless_cast' casts back to the type of each value: it is not native", where=where)


def _plain_decimal(expr: Expr) -> bool:
    return isinstance(expr.type, t.Decimal) and not isinstance(expr, Variant)


def _cast(scope: Scope, expr: Expr, target: t.Type, where: Where) -> Expr:
    """The cast; a present value that cannot be cast is an error if strict, else MISSING."""
    type_ = result_type(target)
    variant = form(type_) is Form.VARIANT

    def check(found: Expr) -> Expr:
        absent = expr.is_absent()
        failed = found.column.isNull() if absent is None else found.column.isNull() & ~absent
        said = [] if not isinstance(expr, Variant) else [F.lit(" a value of type "), scope.kind(expr).column]
        error = scope.wrong(f"cannot cast {t.proper(expr.type)} to {type_}", where, *said)
        column = found.column if error is None else F.when(failed, error).otherwise(found.column)
        null, missing = expr.is_null(), expr.is_missing()
        if error is None:
            missing = failed if missing is None else missing | failed
        if variant and null is not None:
            column = F.when(null, variants.null()).otherwise(column)
        full = t.absent(type_, nullable=null is not None, missable=missing is not None)
        split = missing if null is not None and not variant else None
        return derive(full, column, found, expr, missing=split, throws=error is not None, cost=Depth.TINY)

    raw = _raw(scope, expr, target, where)
    if not isinstance(expr, Variant) and not variant and _source(expr) in _SURE.get(type(type_), ()):
        return propagate_absent(type_, raw.plain, [expr], throws=raw.place.throws, cost=raw.place.height)
    return scope.let([raw], check)


def _source(expr: Expr) -> str:
    if isinstance(expr.type, t.Integer):
        return "int"
    if isinstance(expr.type, t.Decimal):
        return "decimal"
    if isinstance(expr.type, t.Number):
        return "float"
    return {"clob": "text", "date": "moment", "timestamp": "moment", "time": "moment"}.get(family(expr), family(expr))


#: By target: the sources whose values can all be cast, unless they overflow.
_SURE: dict[type[t.Type], tuple[str, ...]] = {
    t.Bool: ("bool", "int", "decimal", "float"),
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), ("bool", "int", "decimal")),
    t.Decimal: ("bool", "int", "decimal"),
    **dict.fromkeys((t.Float32, t.Float64), ("bool", "int", "decimal", "float")),
    **dict.fromkeys((t.String, t.Char, t.Symbol), ("bool", "int", "decimal", "text", "moment")),
    t.Date: (),
}

#: By kind of variant: its name as a source in the tables, and the Spark type that it is read as.
_KINDS: dict[str, tuple[str, str]] = {
    Kind.BOOLEAN: ("bool", "boolean"),
    Kind.BIGINT: ("int", "bigint"),
    Kind.DECIMAL: ("decimal", "decimal(38,18)"),
    Kind.DOUBLE: ("float", "double"),
    Kind.FLOAT: ("float", "double"),
    Kind.STRING: ("text", "string"),
}


def _raw(scope: Scope, expr: Expr, target: t.Type, where: Where, *, quiet: bool = False) -> Expr:
    """The cast; SQL NULL where it is impossible. A number that is too large is an error, or SQL NULL if `quiet`."""
    table = conversions(target, where)
    type_ = result_type(target)
    overflow = None if quiet else scope.run.error(f"overflow: the number does not fit in {type_}", where)
    if not isinstance(expr, Variant):
        return _typed(scope, expr, table, type_, overflow, where)
    return _dynamic(scope, expr, table, type_, overflow, where)


def _convert(conversion: Conversion, column: Column, type_: t.Type, overflow: Column | None) -> Column:
    value, beyond = conversion(column)
    value = value.cast(cast_type(type_))
    if beyond is None:
        return value
    return F.when(~beyond, value) if overflow is None else F.when(beyond, overflow).otherwise(value)


def _typed(
    scope: Scope, expr: Expr, table: dict[str, Conversion], type_: t.Type, overflow: Column | None, where: Where
) -> Expr:
    source = _source(expr)
    conversion = table.get(source)
    full = t.absent(type_, nullable=True)
    if conversion is None:
        return derive(full, F.literal(None, cast_type(type_)), expr)
    _ensure_same_text(type_, source, expr, where)
    if source == "moment":
        return scope.let(
            [moment(scope, expr, where)],
            lambda found: derive(
                full, _convert(conversion, found.column, type_, overflow), found, expr, cost=Depth.LARGE
            ),
        )
    column = expr.plain.cast("string") if isinstance(expr.type, t.Clob) else expr.plain
    if isinstance(expr.type, TrimmedDecimal) and isinstance(type_, t.Text):
        column = trimmed_text(column, expr.type.scale or 0)
    return derive(
        full, _convert(conversion, column, type_, overflow), expr, throws=overflow is not None, cost=Depth.MEDIUM
    )


def _ensure_same_text(type_: t.Type, source: str, expr: Expr, where: Where) -> None:
    """Refuse casts to text of numbers that Spark writes differently from the reference evaluator."""
    if not isinstance(type_, t.Text):
        return
    if source == "float":
        raise UnsupportedError(f"cast of a float to {type_}: Java writes floats another way", where=where)
    if source == "decimal" and (
        isinstance(expr, Variant) or (isinstance(expr.type, t.Decimal) and (expr.type.scale or 0) > 6)
    ):
        raise UnsupportedError(
            f"cast of a decimal to {type_}: Spark does not know how many zeros it was written with", where=where
        )


def _dynamic(
    scope: Scope, expr: Expr, table: dict[str, Conversion], type_: t.Type, overflow: Column | None, where: Where
) -> Expr:
    kind = scope.kind(expr)
    kinds = possible_kinds(expr)

    def build(stamp: Expr | None) -> Expr:
        column: Any = F
        for name, (source, spark_type) in _KINDS.items():
            conversion = table.get(source)
            if conversion is None or (kinds is not None and name not in kinds):
                continue
            _ensure_same_text(type_, source, expr, where)
            exact = source == "decimal" and "digits" in table
            conversion = table["digits"] if exact else conversion
            given = cast_variant(expr.column, "string" if exact else spark_type)
            column = column.when(kind.column == name, _convert(conversion, given, type_, overflow))
        if "text" in table and (kinds is None or kinds & {Kind.SYMBOL, Kind.CLOB}):
            text = _convert(table["text"], variants.payload(expr.column, "string"), type_, overflow)
            column = column.when(one_of(kind.column, Kind.SYMBOL, Kind.CLOB), text)
        if stamp is not None:
            moment_column = _convert(table["moment"], stamp.column, type_, overflow)
            column = column.when(one_of(kind.column, *FAMILIES["moment"]), moment_column)
        if isinstance(type_, t.Interval):
            column = column.when(_is_interval(expr, kind, type_), expr.column)
        if (kinds is None or kinds & {Kind.WIDE_INT, Kind.WIDE_DECIMAL}) and "int" in table:
            said = "cast of a number of more than 38 digits is not native on Spark yet"
            wide = scope.run.error(said, where, cls=UnsupportedError)
            column = column.when(one_of(kind.column, *WIDE_NUMBERS), wide)
        if column is F:
            column = F.literal(None, cast_type(type_))
        parts = [expr, kind, *([] if stamp is None else [stamp])]
        return derive(t.absent(type_, nullable=True), column, *parts, cost=Depth.LARGE, throws=True)

    if "moment" in table and may_be(expr, "moment"):
        return scope.let([moment(scope, expr, where)], build)
    return build(None)


def _is_interval(expr: Expr, kind: Expr, type_: t.Interval) -> Column:
    fits = kind.column == Kind.INTERVAL
    if type_.unit is None:
        return fits
    return fits & (F.try_variant_get(expr.column, f"$['{TAG}'][1][0]", "string") == type_.unit)


# ---------------------------------------------------------------------------------------------------------------------
# Containers


def _to_collection(scope: Scope, expr: Expr, target: t.Collection, where: Where) -> Expr:
    """Only the kind of the collection changes; the elements are not cast."""

    def apply(value: Expr) -> Expr:
        array, element = elements_of(scope, value)
        return container_result(
            scope, value, "collection", array, type(target)(element), f"cannot cast to {target}", where
        )

    return scope.let([expr], apply)


def _to_struct(scope: Scope, expr: Expr, target: t.Struct, where: Where) -> Expr:
    if isinstance(expr.type, t.Struct) and not isinstance(expr, Variant):
        return expr

    def apply(value: Expr) -> Expr:
        column = derive(t.ANY, as_variant(value), value)
        return container_result(scope, value, "struct", column, t.STRUCT, f"cannot cast to {target}", where)

    return scope.let([expr], apply)
