"""Sorting and grouping inside a row: DISTINCT, set operators, aggregates, ORDER BY over arrays.

Items are sorted by (key, place), so that equal keys are adjacent and a group is a slice. Only keys and places are
sorted, because Spark cannot order variants; the items are then fetched by their places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from pyspark.sql import Column

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, NumberParts, column_expr, derive, null_expr
from firesteel.spark.core.handlers import Compiling, compile_expr, handles_nested, items_of
from firesteel.spark.core.rows import refuse_comparator
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, common_type, form
from firesteel.spark.keys.comparison import key, row_key
from firesteel.spark.relations.nested.items import (
    ROWS,
    Items,
    Unpack,
    derived_array,
    pack_parts,
    pack_row,
    parts_unpacker,
    unpacker,
)
from firesteel.spark.scalar.collections.folds import aggregate_array, has_plain_sum, number_item, sum_of_numbers

#: The keys of an item, compiled in the scope of a lambda.
Keys = Callable[[Scope, Column], Sequence[Expr]]


def _at(array: Expr, place: Column) -> Column:
    return F.get(array.column, place["i"])


def _keys_and_places(scope: Scope, array: Expr, keys: Keys, where: Where) -> Expr:
    """An array of (k: a struct of keys, i: the place of the item)."""
    inner: list[Expr] = []

    def pair(item: Column, place: Column) -> Column:
        within = scope.inner((), where)
        inner[:] = list(keys(within, item))
        parts = [expr.column.alias(f"k{i}") for i, expr in enumerate(inner)] or [F.lit(0).alias("k")]
        return F.struct(F.struct(*parts).alias("k"), place.alias("i"))

    return derive(ROWS, F.transform(array.column, pair), array, *inner, cost=Depth.SMALL)


def grouped(scope: Scope, array: Expr, keys: Keys, where: Where) -> Expr:
    """The items in groups of equal keys: an array of arrays of (k, i), in each group by place. Bind the array first."""

    def starts(ordered: Expr) -> Expr:
        sorted_ = ordered.column
        places = F.transform(sorted_, lambda _, place: place)
        first = F.filter(places, lambda i: (i == 0) | (F.get(sorted_, i)["k"] != F.get(sorted_, i - 1)["k"]))
        return scope.let([derive(ROWS, first, ordered, cost=Depth.MEDIUM)], lambda found: slices(ordered, found))

    def slices(ordered: Expr, found: Expr) -> Expr:
        def cut(start: Column, number: Column) -> Column:
            end = F.coalesce(F.get(found.column, number + 1), F.array_size(ordered.column))
            return F.slice(ordered.column, start + 1, end - start)

        return derive(ROWS, F.transform(found.column, cut), found, ordered, cost=Depth.MEDIUM)

    keyed = _keys_and_places(scope, array, keys, where)
    return scope.let([derive(ROWS, F.array_sort(keyed.column), keyed)], starts)


def distinct_array(scope: Scope, array: Expr, keys: Keys, where: Where) -> Expr:
    """The array with the first of equal items only."""

    def firsts(bound: Expr) -> Expr:
        groups = grouped(scope, bound, keys, where)
        column = F.transform(groups.column, lambda group: _at(bound, F.get(group, F.lit(0))))
        return derive(array.type, column, bound, groups, cost=Depth.SMALL)

    return scope.let([array], firsts)


def _row_keys(items: Items) -> Keys:
    """Keys for deep equality of rows: NULL equals NULL, MISSING equals MISSING."""
    return lambda scope, item: [row_key(scope, expr) for expr in items.unpack(item)]


# ---------------------------------------------------------------------------------------------------------------------
# Sorting


@handles_nested(p.Sort)
def _sort(node: p.Sort, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)

    def keys(within: Scope, item: Column) -> list[Expr]:
        # `within` has no row: sort keys refer to the columns of the item.
        row = replace(within, row=items.unpack(item))
        return [_sort_key(row, spec) for spec in node.specs]

    def sort_items(array: Expr) -> Expr:
        keyed = _keys_and_places(scope, array, keys, node.where)
        ordered = _array_sort(keyed.column, [spec.order.descending for spec in node.specs])
        return derive(array.type, F.transform(ordered, lambda one: _at(array, one)), array, keyed, cost=Depth.MEDIUM)

    array = scope.let([items.array], sort_items)
    return replace(items, array=array, ordered=True, listed=None)


def _sort_key(scope: Scope, spec: p.SortSpec) -> Expr:
    """The key, behind a flag that puts absent values first or last. DESC reverses both, so the flag allows for it."""
    refuse_comparator(spec)
    value = scope.lowered(compile_expr(spec.key, scope))
    if isinstance(value.type, t.Null | t.Missing):
        return column_expr(t.INT64, F.lit(0), atomic=True)
    found = key(scope, value, ordering=True)
    absent_first = spec.order.nulls_first is not spec.order.descending

    def placed(bound: Expr) -> Expr:
        flag = bound.column.isNotNull() if absent_first else bound.column.isNull()
        return derive(t.ANY, F.struct(flag.alias("a"), bound.column.alias("k")), bound, cost=Depth.TINY)

    return scope.let([found], placed)


def _array_sort(array: Column, descending: Sequence[bool]) -> Column:
    """Sorted by keys, then by place: the sort is stable."""
    if not any(descending):
        return F.array_sort(array)

    def compare(a: Column, b: Column) -> Column:
        x, y = a["k"], b["k"]
        result = F.when(a["i"] < b["i"], -1).otherwise(1)
        for i in reversed(range(len(descending))):
            low, high = (1, -1) if descending[i] else (-1, 1)
            less, more = x[f"k{i}"] < y[f"k{i}"], x[f"k{i}"] > y[f"k{i}"]
            result = F.when(less, low).when(more, high).otherwise(result)
        return result

    return F.array_sort(array, compare)


# ---------------------------------------------------------------------------------------------------------------------
# Sets


@handles_nested(p.Distinct)
def _distinct(node: p.Distinct, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)
    array = distinct_array(scope, items.array, _row_keys(items), node.where)
    return Items(array, items.unpack, False)


@handles_nested(p.Union, p.Intersect, p.Except)
def _set_operator(node: p.SetRel, scope: Scope) -> Compiling[Items]:
    left = yield from items_of(node.left, scope)
    right = yield from items_of(node.right, scope)
    rows = [side.unpack(F.lit(None)) for side in (left, right)]
    if len(rows[0]) != len(rows[1]):
        raise PlanError(f"'{node.tag}' of {len(rows[0])} and of {len(rows[1])} columns", where=node.where)
    types = [common_type((a.type, b.type)) for a, b in zip(*rows, strict=True)]
    columns = [_repack(side, types) for side in (left, right)]
    unpack = unpacker(types)
    both = derive(ROWS, F.concat(*columns), left.array, right.array, cost=Depth.SMALL)
    together = Items(both, unpack, False)
    distinct = node.quantifier is p.Quantifier.DISTINCT
    if isinstance(node, p.Union):
        if not distinct:
            return together
        return replace(together, array=distinct_array(scope, both, _row_keys(together), node.where))
    size = derive(t.INT64, F.array_size(left.array.column), left.array)
    array = scope.let([both, size], lambda rows_, count: _choose_rows(node, scope, rows_, count, together, distinct))
    return Items(array, unpack, False)


def _repack(side: Items, types: Sequence[t.Type]) -> Column:
    return F.transform(side.array.column, lambda item: pack_row(side.unpack(item), types))


def _choose_rows(node: p.SetRel, scope: Scope, rows: Expr, count: Expr, together: Items, distinct: bool) -> Expr:
    """From every group of equal rows, left ones first, take as many as INTERSECT or EXCEPT keeps."""
    groups = grouped(scope, rows, _row_keys(together), node.where)

    def take(group: Column) -> Column:
        left = F.array_size(F.filter(group, lambda one: one["i"] < count.column))
        right = F.array_size(group) - left
        if isinstance(node, p.Intersect):
            times = F.when((left > 0) & (right > 0), 1).otherwise(0) if distinct else F.least(left, right)
        else:
            times = (
                F.when((left > 0) & (right == 0), 1).otherwise(0) if distinct else F.greatest(left - right, F.lit(0))
            )
        return F.transform(F.slice(group, F.lit(1), times), lambda one: _at(rows, one))

    return derive(ROWS, F.flatten(F.transform(groups.column, take)), rows, groups, count, cost=Depth.MEDIUM)


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates


@handles_nested(p.Aggregate)
def _aggregate(node: p.Aggregate, scope: Scope) -> Compiling[Items]:
    """First compute the keys and arguments of every item, then group those."""
    items = yield from items_of(node.input, scope)
    rexes = [*node.keys, *(arg for agg in node.aggs for arg in agg.args if isinstance(arg, p.Rex))]
    inner: list[Expr] = []

    def row(item: Column) -> Column:
        within = scope.inner(items.unpack(item), node.where)
        inner[:] = [within.lowered(compile_expr(rex, within)) for rex in rexes]
        return pack_parts(inner)

    column = F.transform(items.array.column, row)
    unpack = parts_unpacker(inner)
    width = len(node.keys)
    if node.strategy is p.Strategy.PARTIAL and width:
        column = F.filter(column, lambda one: _all_present(unpack(one)[:width]))
    rows = derived_array(items, column, inner, ROWS)
    result_types: list[t.Type] = []

    def totals(bound: Expr) -> Expr:
        if not node.keys:
            results = _results(scope, node, lambda take: F.transform(bound.column, take), bound, unpack)
            result_types[:] = [expr.type for expr in results]
            return derive(ROWS, F.array(pack_row(results)), bound, *results, cost=Depth.TINY)
        return _aggregate_groups(scope, node, bound, unpack, result_types)

    array = scope.let([rows], totals)
    return Items(array, unpacker(result_types), False)


def _all_present(row: Sequence[Expr]) -> Column:
    column = F.lit(True)
    for expr in row:
        absent = expr.is_absent()
        column = column if absent is None else column & ~absent
    return column


def _aggregate_groups(scope: Scope, node: p.Aggregate, rows: Expr, unpack: Unpack, result_types: list[t.Type]) -> Expr:
    width = len(node.keys)
    groups = grouped(
        scope, rows, lambda within, item: [_group_key(within, e) for e in unpack(item)[:width]], node.where
    )
    inner: list[Expr] = []

    def aggregate(group: Column) -> Column:
        within = scope.inner((), node.where)
        first = _at(rows, F.get(group, F.lit(0)))
        keys = [_without_missing(expr) for expr in unpack(first)[:width]]

        def members(take: Callable[[Column], Column]) -> Column:
            return F.transform(group, lambda place: take(_at(rows, place)))

        inner[:] = [*keys, *_results(within, node, members, rows, unpack)]
        result_types[:] = [expr.type for expr in inner]
        return pack_row(inner)

    return derive(ROWS, F.transform(groups.column, aggregate), groups, rows, *inner, cost=Depth.SMALL)


def _group_key(scope: Scope, expr: Expr) -> Expr:
    """The key to group by: NULL and MISSING are one group."""
    if isinstance(expr.type, t.Null | t.Missing):
        return column_expr(t.INT64, F.lit(0), atomic=True)
    return key(scope, expr)


def _without_missing(expr: Expr) -> Expr:
    """The key in the result: MISSING becomes NULL."""
    if isinstance(expr.type, t.Null | t.Missing):
        return null_expr()
    if form(expr.type) is Form.VARIANT:
        return derive(t.ANY, F.coalesce(expr.column, variants.null()), expr)
    return expr.with_type(t.absent(expr.type, nullable=expr.type.absent, missable=False))


def _results(
    scope: Scope,
    node: p.Aggregate,
    members: Callable[[Callable[[Column], Column]], Column],
    rows: Expr,
    unpack: Unpack,
) -> list[Expr]:
    """The aggregates of a group. `members` maps a function over the rows of the group."""
    results: list[Expr] = []
    at = len(node.keys)
    like = unpack(F.lit(None))
    for agg in node.aggs:
        row = functions.called(agg.fn.name, functions.Kind.AGGREGATE, len(agg.args), agg.where)
        if agg.filter is not None or agg.order or len(agg.args) > 1:
            raise UnsupportedError(
                f"'{agg.fn.name}' with a filter, an order or several arguments inside of a row", where=agg.where
            )
        if row.name == "count_star":
            size = F.array_size(members(lambda one: F.lit(1)))
            results.append(derive(t.INT64, size.cast("bigint"), rows, cost=Depth.TINY))
            continue
        value, at = like[at], at + 1
        if isinstance(value, NumberParts) and row.name == "sum" and not agg.distinct and has_plain_sum(value):
            numbers = derive(ROWS, members(_number_at(unpack, at - 1)), rows, cost=Depth.TINY)
            results.append(scope.let([numbers], partial(sum_of_numbers, scope, value, agg.where)))
            continue
        array: Expr = derive(t.Bag(value.type), members(_value_at(unpack, at - 1)), rows, cost=Depth.TINY)
        if agg.distinct:
            array = distinct_array(scope, array, value_keys(value.type), agg.where)
        results.append(scope.let([array], partial(_folded, scope, agg)))
    return results


def _value_at(unpack: Unpack, at: int) -> Callable[[Column], Column]:
    return lambda one: unpack(one)[at].column


def _number_at(unpack: Unpack, at: int) -> Callable[[Column], Column]:
    return lambda one: number_item(unpack(one)[at])


def value_keys(type_: t.Type) -> Keys:
    """Keys for deep equality of items that are single values, not packed rows."""
    return lambda scope, item: [row_key(scope, column_expr(type_, item, atomic=True))]


def _folded(scope: Scope, agg: p.Agg, array: Expr) -> Expr:
    return aggregate_array(scope, agg.fn.name, array, agg.where)
