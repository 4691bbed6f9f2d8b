"""Numbers as operands: what is known of them while compiling is not tested at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, Variant, derive
from firesteel.spark.core.scope import Scope
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variants import any_of, cast_variant, one_of
from firesteel.spark.numbers import exact_decimals


@dataclass(frozen=True)
class Number:
    """An operand, and its variant kind, which is None for a number of a known type: that needs no test."""

    expr: Expr
    kind: Expr | None

    def is_kind(self, *kinds: str) -> Column | bool:
        """Is it of one of these kinds? A column, or True or False if that is known while compiling."""
        known = possible_kinds(self.expr)
        if known is not None and not known & set(kinds):
            return False
        if self.kind is None:
            return True if not self.expr.type.absent else self.expr.plain.isNotNull()
        if known is not None and known <= set(kinds) and not self.expr.type.absent:
            return True
        return one_of(self.kind.column, *kinds)

    def as_type(self, spark_type: str) -> Column:
        if self.kind is None:
            return self.expr.plain.cast(spark_type)
        return cast_variant(self.expr.column, spark_type)

    def digits(self) -> Expr:
        if self.kind is None:
            return derive(t.ANY, exact_decimals.of_plain(self.expr), self.expr, cost=Depth.SMALL)
        column = exact_decimals.of_variant(self.expr.column, self.kind.column)
        return derive(t.ANY, column, *self.parts, cost=Depth.SMALL)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.expr,) if self.kind is None else (self.expr, self.kind)

    def said(self) -> Column:
        if self.kind is None:
            return F.lit(str(t.proper(self.expr.type)))
        return F.coalesce(self.kind.column, F.lit("MISSING"))


def typed(expr: Expr) -> bool:
    """Is it a number of a known type?"""
    return isinstance(expr.type, t.Number) and not isinstance(expr, Variant)


def number(scope: Scope, expr: Expr) -> Number:
    if typed(expr):
        return Number(expr, None)
    return Number(*scope.variant(expr))


def all_hold(*tests: Column | bool) -> Column | bool:
    """The AND of tests, some of which are known while compiling."""
    if any(test is False for test in tests):
        return False
    columns = [test for test in tests if not isinstance(test, bool)]
    result: Column | bool = True
    for column in columns:
        result = column if result is True else result & column
    return result


def any_holds(*tests: Column | bool) -> Column | bool:
    """The OR of tests, some of which are known while compiling."""
    if any(test is True for test in tests):
        return True
    column = any_of(test for test in tests if not isinstance(test, bool))
    return False if column is None else column


class Choice:
    """A CASE whose conditions may be known while compiling: branches that are never taken are left out."""

    def __init__(self) -> None:
        self.column: Any = None
        self.closed = False

    def when(self, test: Column | bool, value: Callable[[], Column]) -> Choice:
        if test is False or self.closed:
            return self
        if test is True:
            self.column = value() if self.column is None else self.column.otherwise(value())
            self.closed = True
        else:
            self.column = (F if self.column is None else self.column).when(test, value())
        return self

    def end(self) -> Column:
        found: Column = F.literal(None, "variant") if self.column is None else self.column
        return found
