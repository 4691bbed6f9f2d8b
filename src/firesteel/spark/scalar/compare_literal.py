"""Comparing a variant with a constant number or text, without keys.

Only numbers compare with a number, and only texts with a text: the variant's kind says whether it is one, and Spark's
own comparison does the rest. If the constant is exactly a float, other numbers are compared as floats. Only a decimal
that rounds to the same float is compared as a decimal with room for all digits.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, Variant, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import is_json, may_be_tagged
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import FAMILIES, NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, extract, one_of, payload
from firesteel.spark.numbers.float_compare import stands_for
from firesteel.spark.numbers.float_text import EXACT, side_of
from firesteel.values import Symbol, decimal_of

Operator = Callable[[Any, Any], Column]


def comparable(a: Expr, b: Expr) -> bool:
    """Is one a variant, and the other a constant number or text that `compared` can handle?"""
    return (isinstance(a, Variant) and _family(b) is not None) or (isinstance(b, Variant) and _family(a) is not None)


def _family(expr: Expr) -> str | None:
    value = expr.constant
    if isinstance(expr, Variant) or isinstance(value, bool):
        return None
    if isinstance(value, str) and not isinstance(value, Symbol):
        return "text"
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        exact = stands_for(value)
        fits = abs(exact) < EXACT and -int(exact.as_tuple().exponent) <= _places(exact)
        return "number" if fits and decimal_of(float(exact)) == exact else None
    return None


def compare_with_literal(scope: Scope, operator: Operator, where: Where, a: Expr, b: Expr) -> Expr:
    """`a < b` or `a <= b`; for other kinds MISSING, or an error if strict; NULL if one is NULL."""
    variant, literal = (a, b) if isinstance(a, Variant) else (b, a)
    side = Side.of(scope, variant)
    family = _family(literal)
    assert family is not None

    def ordered(value: Column, known: Column) -> Column:
        return operator(value, known) if variant is a else operator(known, value)

    if family == "text":
        value = ordered(side.text(), literal.plain)
    else:
        double = scope.bind(derive(t.absent(t.FLOAT64, nullable=True), side.read("double"), *side.parts), dear=True)
        side.parts.append(double)
        value = _numbers(side, double.plain, literal.constant, ordered, variant is a)
    misfit = F.coalesce(~one_of(side.kind, *FAMILIES[family], Kind.VOID), F.lit(False))
    kinds = [scope.kind(e).column for e in (a, b)]
    error = scope.wrong("cannot compare ", where, kinds[0], F.lit(" and "), kinds[1])
    if error is not None:
        value = F.when(misfit, error).otherwise(value)
    unknown = t.absent(t.BOOL, nullable=True, missable=True)
    # Do not mark an error as MISSING, too: IS MISSING around the value would then hide the error.
    missing = variant.column.isNull() if error is not None else misfit | variant.column.isNull()
    return derive(unknown, value, *side.parts, missing=missing, cost=Depth.LARGE, throws=error is not None)


@dataclass(frozen=True)
class Side:
    """A variant that is compared with a constant: its kind, and its text if that is already bound."""

    variant: Expr
    kind: Column
    written: Column | None
    parts: list[Expr]

    @classmethod
    def of(cls, scope: Scope, variant: Expr) -> Side:
        kind = scope.kind(variant)
        if not scope.tells(variant):
            return cls(variant, kind.column, None, [variant, kind])
        text = scope.text(variant)
        return cls(variant, kind.column, text.plain, [variant, kind, text])

    @property
    def tags(self) -> bool:
        return may_be_tagged(self.variant)

    def text(self) -> Column:
        if self.written is not None:
            return F.when(self.kind == Kind.STRING, self.written)
        return extract(self.variant.column, self.kind, "text")

    def read(self, spark_type: str) -> Column:
        """The number as a column of this type. A 32-bit float is read from the variant, not from the text."""
        if self.written is not None:
            number = F.when(one_of(self.kind, *NUMBERS), self.written).try_cast(spark_type)
            return F.coalesce(number, F.when(self.kind == Kind.FLOAT, cast_variant(self.variant.column, spark_type)))
        found = cast_variant(self.variant.column, spark_type)
        return F.coalesce(found, payload(self.variant.column, spark_type)) if self.tags else found


def _numbers(side: Side, double: Column, value: Any, ordered: Operator, first: bool) -> Column:
    """The comparison, by the kind of number; SQL NULL if it is no number."""
    literal = F.lit(float(value))
    # NaN is less than any number; for Spark it is greater.
    floats = (F.isnan(double) | ordered(double, literal)) if first else (~F.isnan(double) & ordered(double, literal))
    room = f"decimal(38,{_places(stands_for(value))})"
    near = ordered(side.read(room), F.literal(f"{stands_for(value):f}", room))
    decimals = F.when(double == literal, near).otherwise(ordered(double, literal))
    found = F.when(one_of(side.kind, Kind.BIGINT, Kind.DOUBLE, Kind.FLOAT), floats).when(
        side.kind == Kind.DECIMAL, decimals
    )
    if not side.tags:
        return found
    beside = ordered(side_of(double, payload(side.variant.column, "string")), F.lit(0))
    wide = F.when(double == literal, beside).otherwise(ordered(double, literal))
    return found.when(one_of(side.kind, *WIDE_NUMBERS), wide)


def _places(number: Decimal) -> int:
    """The scale that decimal(38) leaves for a number with this many digits before the point."""
    return 38 - len(str(abs(int(number)))) if abs(number) >= 1 else 38


#: A text that cannot be the JSON of a number, boolean, null or container.
_WORD = re.compile(r"(?!(?:true|false|null|nan|inf|infinity)$)[^\W\d_].*", re.IGNORECASE | re.DOTALL)


def same_word(scope: Scope, type_: t.Type, a: Expr, b: Expr) -> Expr | None:
    """Equality of JSON and a constant word, by the JSON's text: only that word is written so, so no kind is tested."""
    for one, other in ((a, b), (b, a)):
        word = other.constant if isinstance(other.constant, str) and not isinstance(other.constant, Symbol) else ""
        if not isinstance(one, Variant) or not _WORD.fullmatch(word):
            continue
        quoted = json.dumps(word, ensure_ascii=False)
        if scope.stages is not None and is_json(one) and len(quoted) == len(word) + 2:
            written = scope.json(scope.bind(one))
            return derive(type_, F.when(written.plain != "null", written.plain == quoted), written)
        if not may_be_tagged(one):
            return derive(type_, cast_variant(one.column, "string") == other.plain, one, other)
    return None
