"""Literals. `typed` makes one of a given type: Substrait's literals have one, and 5 may be an `i8`. `literal` takes the
type from the value, where the given type does not determine a column."""

from __future__ import annotations

import datetime
from decimal import Decimal

from pyspark.sql import Column

from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.node import fold
from firesteel.spark.core.expr import Expr, column_expr, missing_expr, null_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, form, seconds, settle, to_spark
from firesteel.spark.encoding.json_text import json_text
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.values import MISSING, Timestamp, Value

#: A list or a map with more items than this is not written out item by item.
_MAX_ITEMS = 1_000

#: Types that do not determine a plain column.
_LOOSE = (t.Any, t.Union, t.Null, t.Missing, t.Unresolved, t.Int)


def determines_column(type_: t.Type) -> bool:
    """Does the type determine a plain column, at every level, and is nothing ever MISSING?"""
    return form(type_) is Form.PLAIN and fold(type_, lambda node, inner: all(inner) and _determines_column(node))


def _determines_column(node: object) -> bool:
    if isinstance(node, t.Type) and (node.missable or isinstance(node, _LOOSE)):
        return False
    if isinstance(node, t.Struct) and node.open:
        return False
    if isinstance(node, t.Timestamp) and form(node) is Form.VARIANT:  # of more digits than Spark's column has
        return False
    return not isinstance(node, t.Decimal | t.Timestamp) or node.precision is not None


def typed_literal(value: Value, type_: t.Type) -> Expr | None:
    """A literal of the type; None if the type is not `complete`, or the value is not of the type."""
    if not determines_column(type_) or isinstance(type_, t.Symbol | t.Clob) or value is MISSING:
        return None
    if value is None and not type_.nullable:
        type_ = t.absent(type_, nullable=True)
    column = _column(value, type_)
    return None if column is None else column_expr(type_, column, atomic=True, constant=value)


def _column(value: Value, type_: t.Type) -> Column | None:
    """The value as a column; None if it is not of the type. Types nest at most `column_types.MAX_NESTED` deep."""
    if value is None:
        return F.literal(None, cast_type(type_))
    match type_:
        case t.Array() if isinstance(value, list):
            return _array(value, type_)
        case t.Struct() if isinstance(value, values.Struct):
            return _struct(value, type_)
        case t.Map() if isinstance(value, values.Struct):
            return _map(value, type_)
        case t.Collection() | t.Struct() | t.Map():
            return None
    return _scalar(value, type_)


def _scalar(value: Value, type_: t.Type) -> Column | None:
    spark = cast_type(type_)
    match value:
        case bool():
            return F.lit(value) if isinstance(type_, t.Bool) else None
        case int():
            if isinstance(type_, t.Integer):
                return F.literal(value, spark)
            return F.literal(str(value), spark) if isinstance(type_, t.UserDefined) else None
        case float():
            return F.literal(value, spark) if isinstance(type_, t.Float32 | t.Float64) else None
        case Decimal():
            return F.literal(f"{value:f}", spark) if isinstance(type_, t.Decimal) and value.is_finite() else None
        case str():
            return F.lit(str(value)) if isinstance(type_, t.Text | t.Uuid) else None
        case bytes():
            return F.lit(bytes(value)) if isinstance(type_, t.Octets) else None
        case datetime.date():
            return F.lit(value) if isinstance(type_, t.Date) else None
        case values.Timestamp():
            if not isinstance(type_, t.Timestamp) or not seconds(value, type_):
                return None
            moment = F.timestamp_micros(F.lit(int(value.instant.scaleb(6))).cast("bigint"))
            return moment if type_.zone else moment.cast("timestamp_ntz")
    return None


def _array(value: list[Value], type_: t.Array) -> Column | None:
    if len(value) > _MAX_ITEMS:
        return None
    items = [_column(item, type_.element) for item in value]
    found = [item for item in items if item is not None]
    return F.array(*found).cast(cast_type(type_)) if len(found) == len(items) else None


def _struct(value: values.Struct, type_: t.Struct) -> Column | None:
    if [name for name, _ in value.pairs] != [field.name for field in type_.fields]:
        return None
    parts = []
    for (name, item), field in zip(value.pairs, type_.fields, strict=True):
        part = _column(item, field.type)
        if part is None:
            return None
        parts.append(part.alias(name))
    return F.struct(*parts)


def _map(value: values.Struct, type_: t.Map) -> Column | None:
    if len(value.pairs) > _MAX_ITEMS:
        return None
    pairs = [(_column(name, type_.key), _column(item, type_.value)) for name, item in value.pairs]
    parts = [part for pair in pairs for part in pair]
    found = [part for part in parts if part is not None]
    return F.create_map(*found).cast(cast_type(type_)) if len(found) == len(parts) else None


# ---------------------------------------------------------------------------------------------------------------------
# Literals


def literal(value: Value) -> Expr:
    """A value as an expression of its own type."""
    if value is None:
        return null_expr()
    if value is MISSING:
        return missing_expr()
    type_ = settle(t.type_of(value))
    if isinstance(value, int) and not isinstance(value, bool) and not isinstance(type_, t.Int64):
        type_ = t.ANY
    if isinstance(value, Decimal):
        type_ = _decimal_type(value)
    if isinstance(type_, t.Timestamp) and not seconds(value, type_):
        type_ = t.Timestamp(zone=type_.zone)
    column = _plain_literal(value, type_)
    if column is None:
        column = variant_literal(value)
        type_ = type_ if isinstance(type_, t.Temporal) else t.ANY
    return column_expr(type_, column, atomic=True, constant=value)


def _decimal_type(value: Decimal) -> t.Type:
    digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
    if not isinstance(exponent, int):
        return t.ANY
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    return t.Decimal(precision, scale) if precision <= 38 else t.ANY


def _bags_as_lists(value: Value) -> Value:
    """The value with its bags as lists: in a plain column the static type tells them apart, and nothing is tagged."""

    def container(item: Value, inner: list[Value]) -> Value:
        if isinstance(item, values.Struct):
            return values.Struct(zip((name for name, _ in item.pairs), inner, strict=True))
        return inner

    return values.fold(value, lambda item: item, container)


def _plain_literal(value: Value, type_: t.Type) -> Column | None:
    if form(type_) is Form.VARIANT:
        return None
    if values.items(value) is not None:
        text = json_text(_bags_as_lists(value)) if _json_type(type_) else None
        return (
            variants.cast_variant(variants.json_column(text), to_spark(type_).simpleString())
            if text is not None
            else None
        )
    match value:
        case bool() | float() | datetime.date():
            return F.lit(value)
        case int():
            return F.literal(value, "bigint")
        case Decimal():
            return F.literal(f"{value:f}", cast_type(type_))
        case str():
            return F.lit(str(value))
        case bytes():
            return F.lit(bytes(value))
        case Timestamp():
            micros = F.lit(int(value.instant.scaleb(6))).cast("bigint")
            moment = F.timestamp_micros(micros)
            return moment if value.offset is not None else moment.cast("timestamp_ntz")
    return None


def _json_type(type_: t.Type) -> bool:
    """Does `parse_json`, cast to Spark's type, give the value back? Not with tags, or names that need quotes."""
    if type_.missable:
        return False
    if isinstance(type_, t.Collection):
        return _json_type(type_.element)
    if isinstance(type_, t.Struct):
        return all((f.name or "").isidentifier() and _json_type(f.type) for f in type_.fields)
    return isinstance(type_, t.Bool | t.Int64 | t.Float64 | t.String)


def variant_literal(value: Value) -> Column:
    """A value as a variant: by `parse_json` if JSON can express it, else built from its parts."""
    text = json_text(value)
    if text is not None:
        return variants.json_column(text)
    return values.fold(value, _variant_leaf, _variant_box)


def _variant_leaf(value: Value) -> Column:
    if value is MISSING:
        return variants.missing_item()
    text = json_text(value)
    if text is not None:
        return variants.json_column(text)
    type_ = _decimal_type(value) if isinstance(value, Decimal) else t.type_of(value)
    column = _plain_literal(value, type_)
    if column is None:
        raise UnsupportedError(f"no literal for a value of type {type_} in Spark")
    return variants.to_variant(column, type_)


def _variant_box(value: Value, inner: list[Column]) -> Column:
    if isinstance(value, values.Struct):
        named = zip(value.pairs, inner, strict=True)
        return variants.struct_of([(name, column, False) for (name, item), column in named if item is not MISSING])
    array = F.to_variant_object(F.array(*inner)) if inner else variants.json_column("[]")
    if isinstance(value, values.Bag):
        return variants.tag(Kind.BAG, array)
    return variants.tag(Kind.SEXP, array) if isinstance(value, values.Sexp) else array
