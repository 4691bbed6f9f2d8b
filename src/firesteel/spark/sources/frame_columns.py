"""The columns of a DataFrame as expressions of our types."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Expr, column_expr, reference
from firesteel.spark.core.scope import Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import bare, from_spark, to_spark
from firesteel.tables import ensure_text_keys


def frame_column(field: s.StructField, name: str, where: Where) -> Expr:
    """A column of a frame, which has that name, by the type that Spark gives it."""
    try:
        type_ = t.absent(from_spark(field.dataType), nullable=field.nullable)
    except UnsupportedError as error:
        raise UnsupportedError(f"column '{field.name}': {error.message}", where=where, help=error.help) from None
    try:
        ensure_text_keys(t.Field(field.name, type_))
    except UnsupportedError as error:
        raise error.located(where) from None
    column = F.col(name)
    if isinstance(field.dataType, s.VariantType):
        return column_expr(t.ANY, F.coalesce(column, variants.null()), names=(name,), atomic=True)
    if isinstance(field.dataType, s.NullType):
        return column_expr(t.NULL, variants.null(), atomic=True)
    if _has_variants(field.dataType):
        # SQL NULL is NULL in these variants; in ours it would be MISSING.
        return column_expr(t.ANY, _as_variant(column, type_), names=(name,), atomic=True)
    if to_spark(type_) == bare(field.dataType):
        return reference(type_, name)
    return column_expr(type_, _as_variant(column, type_), names=(name,), atomic=True)


def _has_variants(spark: s.DataType) -> bool:
    match spark:
        case s.ArrayType():
            return _has_variants(spark.elementType)
        case s.MapType():
            return _has_variants(spark.valueType)
        case s.StructType():
            return any(_has_variants(field.dataType) for field in spark.fields)
    return isinstance(spark, s.VariantType | s.NullType)


def _as_variant(column: Column, type_: t.Type) -> Column:
    """A nested column of Spark's as a variant of ours."""
    return F.coalesce(F.to_variant_object(column), variants.null() if type_.nullable else variants.missing())
