"""Functions for the VARIANT columns of a result's DataFrame, for use with PySpark's own.

    from firesteel.spark import variant_columns as V

    frame = r.to_spark()
    frame.filter(V.kind("m") == "BIGINT").select(V.as_long("m"), V.attribute("m", "name"))

A VARIANT column holds values whose type is not certain. SQL NULL is MISSING in it, and a variant null is NULL. Bags,
symbols and other values that VARIANT has no type for are inside of an object with a tag; these functions know it.
"""

from __future__ import annotations

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.fitted import json_or_text
from firesteel.spark.encoding.kinds import VariantKind


def _column(column: Column | str) -> Column:
    return F.col(column) if isinstance(column, str) else column


def kind(column: Column | str) -> Column:
    """The kind of each value: `BIGINT`, `DECIMAL`, `DOUBLE`, `STRING`, `ARRAY`, `OBJECT`, `bag`, ... `VOID` is NULL,
    and SQL NULL is MISSING."""
    return variants.kind_of(_column(column))


def is_missing(column: Column | str) -> Column:
    """Is it MISSING?"""
    return _column(column).isNull()


def is_null(column: Column | str) -> Column:
    """Is it NULL, and not MISSING?"""
    return F.coalesce(kind(column) == VariantKind.VOID, F.lit(False))


def _extracted(column: Column | str, family: str) -> Column:
    return variants.extract(_column(column), kind(column), family)


def as_boolean(column: Column | str) -> Column:
    """The booleans; SQL NULL for all else."""
    return _extracted(column, "bool")


def as_long(column: Column | str) -> Column:
    """The integers of 64 bits; SQL NULL for all else."""
    return _extracted(column, "int")


def as_double(column: Column | str) -> Column:
    """The numbers; SQL NULL for all else."""
    return _extracted(column, "float")


def as_string(column: Column | str) -> Column:
    """The texts; SQL NULL for all else."""
    return _extracted(column, "text")


def as_binary(column: Column | str) -> Column:
    """The octets; SQL NULL for all else."""
    return _extracted(column, "octets")


def as_date(column: Column | str) -> Column:
    """The dates; SQL NULL for all else."""
    return _extracted(column, "date")


def items(column: Column | str) -> Column:
    """The items of lists and bags, as an array of variants; SQL NULL for all else."""
    return variants.elements(_column(column), kind(column))


def attribute(column: Column | str, name: str) -> Column:
    """The attribute of that name, as a variant; MISSING if there is none."""
    named = F.when(kind(column) == VariantKind.OBJECT, variants.cast_variant(_column(column), "map<string,variant>"))
    return F.try_element_at(named, F.lit(name))


def to_text(column: Column | str) -> Column:
    """Text as it is, any other value as its JSON; SQL NULL for what JSON has no form for, such as a bag."""
    return json_or_text(_column(column), kind(column))
