"""Exact decimals of any scale: an integer of up to 38 digits, and a scale that differs from row to row.

Spark's own decimals have one scale for a whole column, and its arithmetic rounds what does not fit that. Here a result
is only rounded to 38 digits, half to even; SQL NULL if it has more before the point. This module makes and writes such
decimals; `exact_arithmetic.py` computes with them.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, Variant, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant
from firesteel.spark.numbers.float_text import decimal_text

WHOLE = "decimal(38,0)"
DIGITS = 38


def finite(column: Column) -> Column:
    """Is a float neither NaN nor an infinity?"""
    return ~(F.isnan(column) | (F.abs(column) == float("inf")))


def places(text: Column) -> Column:
    """How many digits are behind the point of a number that is written without an exponent."""
    at = F.locate(".", text)
    return F.when(at == 0, F.lit(0)).otherwise(F.char_length(text) - at)


def decimal_places(text: Column, kind: Column) -> Column:
    """How many digits a variant's number has behind the point. Spark writes `4.50` as `4.5` and `2.0` as `2`, but a
    decimal has at least one: without a point, JSON would have made it an integer."""
    return F.when(kind == Kind.DECIMAL, F.greatest(places(text), F.lit(1))).otherwise(F.lit(0))


def exact_number(text: Column) -> Column:
    """A decimal as a variant, from its text without an exponent. `2` becomes `2.0`: JSON would make it an integer."""
    return F.parse_json(F.when(F.contains(text, F.lit(".")), text).otherwise(F.concat(text, F.lit(".0"))))


@dataclass(frozen=True)
class Digits:
    """A column of (integer, scale)."""

    column: Column

    @property
    def unscaled(self) -> Column:
        return self.column["u"]

    @property
    def scale(self) -> Column:
        return self.column["e"]


def of_digits(unscaled: Column, scale: Column) -> Column:
    return F.struct(unscaled.cast(WHOLE).alias("u"), scale.cast("int").alias("e"))


def digits(text: Column) -> Column:
    """The digits of a number's text without an exponent; SQL NULL if there are too many."""
    scale = F.char_length(F.regexp_extract(text, r"\.(\d+)$", 1))
    pair = of_digits(F.regexp_replace(text, r"\.", "").try_cast(WHOLE), scale)
    return F.when(text.isNotNull(), pair)  # Catalyst would split a bare struct, and compute it once for each field


def of_text(text: Column) -> Column:
    """The digits of a number's text, which may have an exponent; rounded to 38, half to even. SQL NULL if the exponent
    adds too many zeros."""

    def of_parts(p: Column) -> Column:
        scale = F.char_length(F.regexp_extract(p["m"], r"\.(\d*)$", 1)) - p["e"]
        digits_ = F.regexp_replace(p["m"], r"[^0-9]", "")
        return F.when(p["m"].isNotNull(), rounded(digits_, F.lit(False), p["m"].startswith("-"), scale))

    mantissa = F.regexp_extract(text, r"^([^eE]*)", 1)
    exponent = F.coalesce(F.regexp_extract(text, r"[eE]([+-]?\d+)$", 1).try_cast("int"), F.lit(0))
    near = F.when(exponent.between(-10_000, 10_000), F.struct(mantissa.alias("m"), exponent.alias("e")))
    return variants.let(F.when(text.isNotNull(), near), lambda p: F.when(p.isNotNull(), of_parts(p)))


def of_variant(column: Column, kind: Column | None = None) -> Column:
    """The digits of a variant that is an integer of 64 bits or a decimal of 38 digits. If the kind is given, a decimal
    has at least one digit behind the point: `2.0`, not `2`."""
    text = cast_variant(column, "string")
    if kind is not None:
        bare = (kind == Kind.DECIMAL) & (F.locate(".", text) == 0) & (F.char_length(text) < DIGITS)
        text = F.when(bare, F.concat(text, F.lit(".0"))).otherwise(text)
    return digits(text)


def of_plain(expr: Expr) -> Column:
    """The digits of a plain column of integers or decimals."""
    scale = (expr.type.scale or 0) if isinstance(expr.type, t.Decimal) else 0
    text = F.translate(expr.plain.cast("string"), ".", "")
    return F.when(expr.plain.isNotNull(), of_digits(text.try_cast(WHOLE), F.lit(scale)))


def number(scope: Scope, expr: Expr, where: Where) -> Expr:
    """A number as a struct: digits (`u`, `e`), the float if it is one (`d`), is it an integer (`i`)? The digits of a
    float are those of its text. They are SQL NULL if there are too many; the struct is SQL NULL for other values."""
    if not isinstance(expr, Variant):
        floating = isinstance(expr.type, t.Float32 | t.Float64)
        if floating:
            column = of_float(expr.plain.cast("double"))
        else:
            integer = F.lit(isinstance(expr.type, t.Integer))
            numeric = isinstance(expr.type, t.Number)
            column = _with_float(of_plain(expr), integer) if numeric else F.lit(None).cast(_NUMBER)
        return derive(t.ANY, F.when(expr.plain.isNotNull(), column), expr, cost=Depth.MEDIUM)
    kind = scope.kind(expr)
    wide = F.struct(
        F.lit(None).cast(WHOLE).alias("u"),
        F.lit(None).cast("int").alias("e"),
        F.lit(None).cast("double").alias("d"),
        F.lit(False).alias("i"),
    )
    column = (
        F.when(
            variants.one_of(kind.column, Kind.BIGINT, Kind.DECIMAL),
            _with_float(of_variant(expr.column), kind.column == Kind.BIGINT),
        )
        .when(variants.one_of(kind.column, Kind.DOUBLE, Kind.FLOAT), of_float(cast_variant(expr.column, "double")))
        .when(variants.one_of(kind.column, *WIDE_NUMBERS), wide)
    )
    return derive(t.ANY, column, expr, kind, cost=Depth.LARGE)


_NUMBER = "struct<u:decimal(38,0),e:int,d:double,i:boolean>"


def _with_float(pair: Column, integer: Column) -> Column:
    nothing = F.lit(None).cast("double")
    return F.struct(pair["u"].alias("u"), pair["e"].alias("e"), nothing.alias("d"), integer.alias("i"))


def of_float(column: Column) -> Column:
    """A float as a number: without digits if it is not finite."""

    def with_float(written: Column) -> Column:
        return F.struct(written["u"].alias("u"), written["e"].alias("e"), column.alias("d"), F.lit(False).alias("i"))

    return variants.let(of_text(decimal_text(F.when(finite(column), column))), with_float)


def to_variant(number: Digits) -> Column:
    """The number as a variant: a decimal, tagged if it has more digits than the decimals of VARIANT."""

    def padded(p: Column) -> Column:
        return variants.let(F.lpad(p["t"], F.greatest(p["n"], p["e"] + 1), F.lit("0")), lambda text: written(p, text))

    def written(p: Column, text: Column) -> Column:
        before = F.char_length(text) - p["e"]
        after = F.when(p["e"] > 0, F.substring(text, before + 1, p["e"])).otherwise(F.lit("0"))
        full = F.concat(p["m"], F.substring(text, F.lit(1), before), F.lit("."), after)
        return variants.let(F.struct(full.alias("t"), narrow(p).alias("n")), encoded)

    def narrow(p: Column) -> Column:
        return (p["e"] <= DIGITS) & (p["n"] + F.when(p["e"] == 0, 1).otherwise(0) <= DIGITS)

    def encoded(p: Column) -> Column:
        parsed = F.parse_json(F.when(p["n"], p["t"]))
        return F.when(p["n"], parsed).otherwise(variants.tag(Kind.WIDE_DECIMAL, p["t"].cast("variant")))

    size = magnitude(number.unscaled)
    sign = F.when(number.unscaled < 0, F.lit("-")).otherwise(F.lit(""))
    parts = (size.alias("t"), F.char_length(size).alias("n"), number.scale.alias("e"), sign.alias("m"))
    return variants.let(F.struct(*parts), padded)


def magnitude(unscaled: Column) -> Column:
    """The digits without the sign. Spark's own `abs` and `-` round decimals to 34 digits."""
    return F.ltrim(unscaled.cast("string"), F.lit("-"))


def rounded(text: Column, more: Column, negative: Column, scale: Column) -> Column:
    """A long number rounded to 38 digits, half to even; `more` says that the text goes on, not only with zeros."""

    def cut(p: Column) -> Column:
        size = F.char_length(p["t"])
        dropped = F.greatest(size - DIGITS, F.lit(0))
        kept = F.substring(p["t"], F.lit(1), size - dropped)
        rest = F.substring(p["t"], size - dropped + 1, dropped)
        half = F.concat(F.lit("5"), F.repeat(F.lit("0"), dropped - 1))
        odd = F.substring(kept, F.lit(-1), F.lit(1)).isin("1", "3", "5", "7", "9")
        up = (dropped > 0) & ((rest > half) | ((rest == half) & (p["m"] | odd)))
        number = F.try_add(F.when(size == 0, F.lit("0")).otherwise(kept).try_cast(WHOLE), F.when(up, 1).otherwise(0))
        parts = (p["n"].alias("n"), number.cast("string").alias("t"), (p["s"] - dropped).alias("s"))
        return variants.let(F.struct(*parts), trimmed)

    parts = (F.ltrim(text, F.lit("0")).alias("t"), more.alias("m"), negative.alias("n"), scale.alias("s"))
    return variants.let(F.struct(*parts), cut)


def trimmed(p: Column) -> Column:
    """The number without trailing zeros behind the point; a negative scale is written out as zeros."""
    text, scale = p["t"], p["s"]
    zeros = F.char_length(text) - F.char_length(F.rtrim(text, F.lit("0")))
    cut = F.greatest(F.least(zeros, scale, F.char_length(text) - 1), F.lit(0))
    sign = F.when(p["n"], F.lit("-")).otherwise(F.lit(""))
    short = F.substring(text, F.lit(1), F.char_length(text) - cut)
    full = F.concat(sign, short, F.repeat(F.lit("0"), F.greatest(-scale, F.lit(0)))).try_cast(WHOLE)
    behind = F.when(text == "0", F.lit(0)).otherwise(F.greatest(scale - cut, F.lit(0)))
    return of_digits(full, behind)
