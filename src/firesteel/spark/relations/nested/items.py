"""Rows inside a row: an array in a column, and a function that unpacks an item into the columns of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Depth, Expr, NumberParts, column_expr, derive
from firesteel.spark.core.handlers import compile_expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F

Unpack = Callable[[Column], tuple[Expr, ...]]


@dataclass(frozen=True, eq=False)
class Items:
    """Rows inside a row: the array, and what unpacks one of its items."""

    array: Expr
    unpack: Unpack
    #: A list (True), a bag (False), or known only at run time (None): then `listed` tells it for each row.
    ordered: bool | None
    listed: Expr | None = None


#: The type of an array of packed rows. It says nothing of the items: their types are in `unpack`.
ROWS = t.Bag(t.ANY)


def compile_inside(scope: Scope, items: Items, item: Column, rex: p.Rex, where: Where) -> Expr:
    """Compile an expression over one item. PySpark calls back to build lambdas, so this recurses, but not deep."""
    inner = scope.inner(items.unpack(item), where)
    return inner.lowered(compile_expr(rex, inner))


def derived_array(items: Items, column: Column, inner: Sequence[Expr], type_: t.Type | None = None) -> Expr:
    """An array made of another one by a lambda; it depends on the expressions inside the lambda, too."""
    return derive(type_ or items.array.type, column, items.array, *inner, cost=Depth.TINY)


def pack_row(exprs: Sequence[Expr], types: Sequence[t.Type] | None = None) -> Column:
    """One row, as an item; encoded by wider types, if they are given."""
    if not exprs:
        return F.struct(F.lit(0).alias("e"))
    wide = [expr.type for expr in exprs] if types is None else types
    columns = (fit(expr, type_) for expr, type_ in zip(exprs, wide, strict=True))
    return F.struct(*(column.alias(f"e{i}") for i, column in enumerate(columns)))


def unpacker(types: Sequence[t.Type]) -> Unpack:
    """A function that splits a packed row into its columns."""
    kept = tuple(types)
    return lambda item: tuple(column_expr(type_, item[f"e{i}"], atomic=True) for i, type_ in enumerate(kept))


def pack_parts(exprs: Sequence[Expr]) -> Column:
    """One row, as an item. Numbers in parts (`NumberParts`) stay in parts; they are no variants then."""
    if not exprs:
        return pack_row(exprs)
    return F.struct(*(column.alias(name) for i, expr in enumerate(exprs) for name, column in _parts(i, expr)))


def _parts(at: int, expr: Expr) -> list[tuple[str, Column]]:
    if isinstance(expr, NumberParts):
        return [(f"e{at}_{i}", column) for i, column in enumerate(expr.columns)]
    return [(f"e{at}", fit(expr, expr.type))]


def parts_unpacker(exprs: Sequence[Expr]) -> Unpack:
    """A function that splits what `pack_parts` makes of rows like this one into its columns."""
    kept = tuple(exprs)

    def unpack(item: Column) -> tuple[Expr, ...]:
        row: list[Expr] = []
        for at, expr in enumerate(kept):
            columns = [item[name] for name, _ in _parts(at, expr)]
            own = expr.with_columns(columns) if isinstance(expr, NumberParts) else None
            row.append(own or column_expr(expr.type, columns[0], atomic=True))
        return tuple(row)

    return unpack


def projected_items(
    scope: Scope, items: Items, row: Callable[[Scope, tuple[Expr, ...]], Sequence[Expr]], where: Where
) -> Items:
    """Each item replaced by the row that `row` makes of it."""
    inner: list[Expr] = []

    def project(item: Column) -> Column:
        columns = items.unpack(item)
        inside_ = scope.inner(columns, where)
        inner[:] = [inside_.lowered(expr) for expr in row(inside_, columns)]
        return pack_row(inner)

    column = F.transform(items.array.column, project)
    types = [expr.type for expr in inner]
    return Items(derived_array(items, column, inner, ROWS), unpacker(types), items.ordered, items.listed)


def both_listed(scope: Scope, a: Items, b: Items) -> tuple[bool | None, Expr | None]:
    """Is the join of two relations a list? Only if both are."""
    if a.ordered is False or b.ordered is False:
        return False, None
    tests = [expr for expr in (a.listed, b.listed) if expr is not None]
    if a.ordered and b.ordered:
        return True, None
    if len(tests) == 2:
        return None, derive(t.BOOL, tests[0].plain & tests[1].plain, *tests)
    return None, tests[0] if tests else None
