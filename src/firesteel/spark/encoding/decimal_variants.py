"""Decimals of a fixed scale as variants: without zeros at the end, but for one digit behind the point."""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import MAX_DIGITS


def decimal_variant(column: Column, scale: int, places: Column | None = None) -> Column:
    """A decimal of a fixed scale as a variant: with `places` digits behind the point, or without trailing zeros. One
    digit always stays: `parse_json` would read `2` as an integer."""
    if places is None:
        return F.parse_json(trimmed_text(column, scale))
    text = _fixed_text(column, scale)
    kept = F.char_length(text) - F.lit(scale) + F.greatest(places, F.lit(1))
    return F.parse_json(F.substring(text, F.lit(1), kept))


#: With at most so many places, trying each of them is faster than going through the text.
_FEW_PLACES = 4


def trimmed_variant(column: Column, type_: t.Decimal) -> Column:
    """A decimal as a variant of the fewest places, at least one, that keep its value."""
    precision, scale = type_.precision or MAX_DIGITS, type_.scale or 0
    if not 0 < scale <= _FEW_PLACES:
        return decimal_variant(column, scale)
    shortest = column.cast("variant")
    for places in reversed(range(1, scale)):
        short = column.cast(f"decimal({precision - scale + places + 1},{places})")
        shortest = F.when(short == column, short.cast("variant")).otherwise(shortest)
    return shortest


def trimmed_text(column: Column, scale: int) -> Column:
    """The text of a decimal of a fixed scale, without trailing zeros but the first one behind the point."""
    return F.regexp_replace(_fixed_text(column, scale), r"(\.\d+?)0+$", "$1")


def _fixed_text(column: Column, scale: int) -> Column:
    return F.when(column == 0, F.lit("0." + "0" * scale)).otherwise(column.cast("string"))


def is_whole(column: Column) -> Column:
    """Has a decimal no digits but zeros behind the point?"""
    return column == F.floor(column)
