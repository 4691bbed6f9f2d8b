"""Literals of a static type: Substrait's have one, and 5 may be an `i8`. What a type without a column of Spark's own
says of a literal is of no use here: then the value speaks for itself (`rex.literal`)."""

from __future__ import annotations

import datetime
from decimal import Decimal

from pyspark.sql import Column

from firesteel import types as t
from firesteel import values
from firesteel.node import fold
from firesteel.spark import columns as F
from firesteel.spark.encoding import Form, form, seconds, spelled
from firesteel.spark.expr import Expr
from firesteel.values import MISSING, Value

#: A list or a map with more items than this is not written out.
_MAX_ITEMS = 1_000

_LOOSE = (t.Any, t.Union, t.Null, t.Missing, t.Unresolved, t.Int)


def complete(type_: t.Type) -> bool:
    """Does the type say how its values sit in columns, all the way down, and is nothing ever MISSING?"""
    return form(type_) is Form.PLAIN and fold(type_, lambda node, inner: all(inner) and _tells(node))


def _tells(node: object) -> bool:
    if isinstance(node, t.Type) and (node.missable or isinstance(node, _LOOSE)):
        return False
    if isinstance(node, t.Struct) and node.open:
        return False
    if isinstance(node, t.Timestamp) and form(node) is Form.VARIANT:  # of more digits than Spark's column has
        return False
    return not isinstance(node, t.Decimal | t.Timestamp) or node.precision is not None


def typed(value: Value, type_: t.Type) -> Expr | None:
    """A literal of the type; None if the type does not tell, or the value is not of it."""
    if not complete(type_) or isinstance(type_, t.Symbol | t.Clob) or value is MISSING:
        return None
    if value is None and not type_.nullable:
        type_ = t.absent(type_, nullable=True)
    column = _column(value, type_)
    return None if column is None else Expr(type_, column, atomic=True, constant=value)


def _column(value: Value, type_: t.Type) -> Column | None:
    """Types are never nested deep (`encoding.MAX_NESTED`)."""
    if value is None:
        return F.literal(None, spelled(type_))
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
    spark = spelled(type_)
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
    return F.array(*found).cast(spelled(type_)) if len(found) == len(items) else None


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
    return F.create_map(*found).cast(spelled(type_)) if len(found) == len(parts) else None
