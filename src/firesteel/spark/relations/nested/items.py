"""Rows inside a row: an array, and what one of its items binds. What the nested relations are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Expr, column_expr, derive
from firesteel.spark.core.handlers import compile_expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F

Unpack = Callable[[Column], tuple[Expr, ...]]


@dataclass(frozen=True, eq=False)
class Items:
    """Rows inside a row."""

    array: Expr
    unpack: Unpack
    #: A list (True), a bag (False), or whatever the run says (None): then `listed` says it for each row.
    ordered: bool | None
    listed: Expr | None = None


#: The type of arrays of packed rows, whose items have types of their own.
ROWS = t.Bag(t.ANY)


def inside(scope: Scope, items: Items, item: Column, rex: p.Rex, where: Where) -> Expr:
    """An expression over one item. Lambdas are built by calling back, so this one goes down by itself; not deep."""
    inner = scope.inner(items.unpack(item), where)
    return inner.lowered(compile_expr(rex, inner))


def over(items: Items, column: Column, inner: Sequence[Expr], type_: t.Type | None = None) -> Expr:
    """An array made of another one by a lambda; what the lambda mentions has to be there too."""
    return derive(type_ or items.array.type, column, items.array, *inner, cost=3)


def packed(exprs: Sequence[Expr], types: Sequence[t.Type] | None = None) -> Column:
    """One row, as an item; encoded by wider types, if they are given."""
    if not exprs:
        return F.struct(F.lit(0).alias("e"))
    wide = [expr.type for expr in exprs] if types is None else types
    columns = (fit(expr, type_) for expr, type_ in zip(exprs, wide, strict=True))
    return F.struct(*(column.alias(f"e{i}") for i, column in enumerate(columns)))


def unpacker(types: Sequence[t.Type]) -> Unpack:
    """What takes a packed row apart."""
    kept = tuple(types)
    return lambda item: tuple(column_expr(type_, item[f"e{i}"], atomic=True) for i, type_ in enumerate(kept))


def projected_items(
    scope: Scope, items: Items, row: Callable[[Scope, tuple[Expr, ...]], Sequence[Expr]], where: Where
) -> Items:
    """Other rows, one of each."""
    inner: list[Expr] = []

    def one(item: Column) -> Column:
        columns = items.unpack(item)
        inside_ = scope.inner(columns, where)
        inner[:] = [inside_.lowered(expr) for expr in row(inside_, columns)]
        return packed(inner)

    column = F.transform(items.array.column, one)
    types = [expr.type for expr in inner]
    return Items(over(items, column, inner, ROWS), unpacker(types), items.ordered, items.listed)


def both_listed(scope: Scope, a: Items, b: Items) -> tuple[bool | None, Expr | None]:
    """Is what two relations make together a list? Only if both are."""
    if a.ordered is False or b.ordered is False:
        return False, None
    tests = [expr for expr in (a.listed, b.listed) if expr is not None]
    if a.ordered and b.ordered:
        return True, None
    if len(tests) == 2:
        return None, derive(t.BOOL, tests[0].plain & tests[1].plain, *tests)
    return None, tests[0] if tests else None
