"""A dynamic value compared with a number or a text that is known: only numbers, only texts can be less or more.

So no key of whatever it may be is made: its kind says what it is, and the comparison is Spark's own. A number that is a
float as it stands divides all other numbers as their floats do, but for those that round to it; these are compared as
decimals that have room for all their digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark import columns as F
from firesteel.spark.dynamic import FAMILIES, extract, one_of, payload, whole
from firesteel.spark.expr import Expr, made
from firesteel.spark.kinds import tagged_kinds
from firesteel.spark.scope import Scope, Where
from firesteel.values import Symbol

Operator = Callable[[Any, Any], Column]

#: Integers of a float's own: below that every integer is one.
_EXACT = 2**53


def comparable(a: Expr, b: Expr) -> bool:
    """Is one dynamic, and the other a number or a text that `compared` knows how to compare with?"""
    return (a.dynamic and _family(b) is not None) or (b.dynamic and _family(a) is not None)


def _family(expr: Expr) -> str | None:
    value = expr.constant
    if expr.dynamic or isinstance(value, bool):
        return None
    if isinstance(value, str) and not isinstance(value, Symbol):
        return "text"
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        exact = Decimal(value)
        return "number" if abs(exact) < _EXACT and Decimal(float(exact)) == exact else None
    return None


def compared(scope: Scope, operator: Operator, where: Where, a: Expr, b: Expr) -> Expr:
    """`a < b` or `a <= b`: MISSING, or an error, for what is not alike; NULL of NULL."""
    variant, literal = (a, b) if a.dynamic else (b, a)
    found = scope.kind(variant)
    column, kind = variant.column, found.column
    first = variant is a
    family = _family(literal)
    assert family is not None
    tags = tagged_kinds(variant)
    if family == "text":
        text = extract(column, kind, "text") if tags else F.when(kind == "STRING", whole(column, "string"))
        value = operator(text, literal.plain) if first else operator(literal.plain, text)
    else:
        value = _numbers(column, kind, literal.constant, operator, first, tags)
    misfit = F.coalesce(~one_of(kind, *FAMILIES[family], "VOID"), F.lit(False))
    kinds = [scope.kind(e).column for e in (a, b)]
    error = scope.wrong("cannot compare ", where, kinds[0], F.lit(" and "), kinds[1])
    if error is not None:
        value = F.when(misfit, error).otherwise(value)
    unknown = t.absent(t.BOOL, nullable=True, missable=True)
    missing = misfit | column.isNull()
    return made(unknown, value, variant, found, missing=missing, cost=8, throws=error is not None)


def _numbers(column: Column, kind: Column, value: Any, operator: Operator, first: bool, tags: bool) -> Column:
    """The comparison by what kind of number it is; SQL NULL if it is none."""

    def ordered(number: Column, literal: Column) -> Column:
        return operator(number, literal) if first else operator(literal, number)

    def read(spark_type: str) -> Column:
        found = whole(column, spark_type)
        return F.coalesce(found, payload(column, spark_type)) if tags else found

    double = read("double")
    literal = F.lit(float(value))
    # NaN is less than any number; to Spark it is more.
    floats = (F.isnan(double) | ordered(double, literal)) if first else (~F.isnan(double) & ordered(double, literal))
    places = 38 - len(str(abs(int(value)))) if abs(value) >= 1 else 38
    room = f"decimal(38,{places})"
    near = ordered(read(room), F.literal(f"{Decimal(value):f}", room))
    exact = one_of(kind, "DECIMAL", "decimal", "int") if tags else kind == "DECIMAL"
    decimals = F.when(double == literal, near).otherwise(ordered(double, literal))
    return F.when(one_of(kind, "BIGINT", "DOUBLE", "FLOAT"), floats).when(exact, decimals)


#: What no number, truth value or container is written as.
_WORD = re.compile(r"(?!(?:true|false|null|nan|inf|infinity)$)[^\W\d_].*", re.IGNORECASE | re.DOTALL)


def same_word(type_: t.Type, a: Expr, b: Expr) -> Expr | None:
    """The equality of JSON and a word: nothing else is written like that, so nothing has to be asked for its kind."""
    for one, other in ((a, b), (b, a)):
        word = other.constant if isinstance(other.constant, str) and not isinstance(other.constant, Symbol) else ""
        if one.dynamic and not tagged_kinds(one) and _WORD.fullmatch(word):
            return made(type_, whole(one.column, "string") == other.plain, one, other)
    return None
