"""Queries inside a row: relations over the row's own collections, as arrays and lambdas.

A relation is compiled to `Items`: an array in each row, and how to unpack an item. A nested SELECT transforms the
array, a lateral join explodes it. Spark interprets lambdas, and they have no selects to bind names in; so a lateral
join with a plain scan, the usual case, explodes the value directly (`scans.exploded`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.spark.core.conversions import choose, fit
from firesteel.spark.core.expr import (
    Depth,
    Expr,
    StructParts,
    Variant,
    as_variant,
    column_expr,
    derive,
    missing_expr,
    null_expr,
)
from firesteel.spark.core.handlers import Compiling, compile_expr, expr_of, handles, handles_nested, items_of
from firesteel.spark.core.literals import typed_literal
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import common_type
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import from_entries, kind_of
from firesteel.spark.relations.exclude import exclude_columns
from firesteel.spark.relations.expressions import truth
from firesteel.spark.relations.nested.items import ROWS, Items, Unpack, compile_inside, derived_array, projected_items
from firesteel.spark.relations.scans import elements_to_scan, entries_to_scan
from firesteel.spark.relations.unary import constant_count, count_column
from firesteel.spark.scalar.structs import elements_of, misfit

# ---------------------------------------------------------------------------------------------------------------------
# Relations


@handles_nested(p.Scan, p.ScanIndexed)
def _scan(node: p.Scan | p.ScanIndexed, scope: Scope) -> Compiling[Items]:
    if isinstance(node.rex, p.Global) and node.identified:
        raise UnsupportedError("'scan' with BY inside an expression, on Spark", where=node.where)
    bag = _literal_bag(node.rex) if isinstance(node, p.Scan) else None
    expr = bag or (yield from expr_of(node.rex, scope))
    is_list: list[bool | None] = []
    expr = scope.bind(expr)
    listed = _is_listed(scope, expr)

    def range_over(value: Expr) -> Expr:
        array = elements_to_scan(scope, value, node.where)
        is_list.append(None if isinstance(value, Variant) else isinstance(value.type, t.Array | t.Sexp) and bag is None)
        if not isinstance(node, p.ScanIndexed):
            return array
        assert isinstance(array.type, t.Collection)
        return derive(array.type, _indexed(array.column, value), array, value, throws=array.place.throws)

    array = scope.let([expr], range_over)
    assert isinstance(array.type, t.Collection)
    element = array.type.element
    extra = (missing_expr(),) if node.identified else ()
    if not isinstance(node, p.ScanIndexed):
        return Items(array, lambda item: (column_expr(element, item, atomic=True), *extra), is_list[-1], listed)
    index = t.absent(t.INT64, missable=is_list[-1] is not True)
    return Items(
        array,
        lambda item: (column_expr(element, item["v"], atomic=True), column_expr(index, item["i"], atomic=True), *extra),
        is_list[-1],
        listed,
    )


def _literal_bag(rex: p.Rex) -> Expr | None:
    """A literal bag as a typed array, if Spark has columns for its items: compiled as a bag it would be a variant."""
    if not isinstance(rex, p.Lit) or not isinstance(rex.type, t.Bag) or not isinstance(rex.value, values.Bag):
        return None
    return typed_literal(list(rex.value), t.Array(rex.type.element))


def _is_listed(scope: Scope, value: Expr) -> Expr | None:
    """Is a value of unknown type a list? None if the type is known."""
    if not isinstance(value, Variant):
        return None
    kind = scope.kind(value)
    return derive(t.BOOL, F.coalesce(variants.one_of(kind.column, Kind.ARRAY, Kind.SEXP), F.lit(False)), value, kind)


def _indexed(array: Column, value: Expr) -> Column:
    """Elements with their index, MISSING in a bag. It is no error even in strict mode: the index may not be used."""
    listed = (
        kind_of(value.column).isin(Kind.ARRAY, Kind.SEXP)
        if isinstance(value, Variant)
        else F.lit(isinstance(value.type, t.Array | t.Sexp))
    )

    def pair(item: Column, index: Column) -> Column:
        return F.struct(item.alias("v"), F.when(listed, index.cast("bigint")).alias("i"))

    return F.transform(array, pair)


@handles_nested(p.Unpivot)
def _unpivot(node: p.Unpivot, scope: Scope) -> Compiling[Items]:
    expr = yield from expr_of(node.rex, scope)
    array = scope.let([expr], lambda value: entries_to_scan(scope, value, node.where))
    assert isinstance(array.type, t.Collection)
    pair = array.type.element
    assert isinstance(pair, t.Struct)
    fields = pair.fields
    return Items(array, lambda item: tuple(column_expr(f.type, item[f.name or ""], atomic=True) for f in fields), False)


@handles_nested(p.Filter)
def _filter(node: p.Filter, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)
    return filtered_items(scope, items, node.predicate, items.unpack, node.predicate.where or node.where)


def filtered_items(scope: Scope, items: Items, rex: p.Rex, row: Unpack, where: Where) -> Items:
    """The items for which a predicate over some row is true."""

    def holds(item: Column) -> Expr:
        inner = scope.inner(row(item), where)
        return truth(inner, inner.lowered(compile_expr(rex, inner)), "a condition is a boolean", where)

    return kept_items(items, holds)


def kept_items(items: Items, holds: Callable[[Column], Expr]) -> Items:
    """The items for which a condition is true."""
    inner: list[Expr] = []

    def test(item: Column) -> Column:
        inner.append(holds(item))
        return F.coalesce(inner[-1].plain, F.lit(False))

    return replace(items, array=derived_array(items, F.filter(items.array.column, test), inner))


@handles_nested(p.Project)
def _project(node: p.Project, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)
    return projected_items(scope, items, lambda inner, _: [compile_expr(rex, inner) for rex in node.exprs], node.where)


@handles_nested(p.Exclude)
def _exclude(node: p.Exclude, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)
    return projected_items(scope, items, lambda inner, row: exclude_columns(inner, node, row), node.where)


@handles_nested(p.Limit, p.Offset)
def _slice(node: p.Limit | p.Offset, scope: Scope) -> Compiling[Items]:
    items = yield from items_of(node.input, scope)
    longest = 2**31 - 2
    count = constant_count(node, scope.run)
    if isinstance(count, int):
        return _cut(node, items, F.lit(min(count, longest)), None)
    if count is None:
        return items
    value = yield from expr_of(node.count, replace(scope, row=(), outer=scope))
    count_expr = scope.let([value], lambda bound: count_column(scope, bound, node))
    return _cut(node, items, F.least(count_expr.column, F.lit(longest)).cast("int"), count_expr)


def _cut(node: p.Limit | p.Offset, items: Items, count: Column, count_expr: Expr | None) -> Items:
    start, size = (F.lit(1), count) if isinstance(node, p.Limit) else (count + 1, F.lit(2**31 - 1))
    column = F.slice(items.array.column, start, size)
    cut = derive(
        items.array.type, column, items.array, *([count_expr] if count_expr is not None else []), cost=Depth.TINY
    )
    return replace(items, array=cut)


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


@handles(p.Select)
def _select(node: p.Select, scope: Scope) -> Compiling[Expr]:
    items = yield from items_of(node.input, scope)
    inner: list[Expr] = []

    def construct(item: Column) -> Column:
        inner.append(compile_inside(scope, items, item, node.constructor, node.where))
        return inner[-1].column

    column = F.transform(items.array.column, construct)
    element = inner[-1].type
    if isinstance(node.type, t.Collection):
        return derived_array(items, column, inner, type(node.type)(element))
    result = derived_array(items, column, inner, (t.Array if items.ordered else t.Bag)(element))
    if items.listed is None:
        return result
    as_list = result.with_type(t.Array(element))
    return scope.let([items.listed, as_list], lambda listed, array: choose([listed], [array, _as_bag(array)]))


def _as_bag(array: Expr) -> Expr:
    assert isinstance(array.type, t.Collection)
    return array.with_type(t.Bag(array.type.element))


@handles(p.Pivot)
def _pivot(node: p.Pivot, scope: Scope) -> Compiling[Expr]:
    items = yield from items_of(node.input, scope)
    inner: list[Expr] = []

    def pair(item: Column) -> Column:
        within = scope.inner(items.unpack(item), node.where)
        found = [within.lowered(compile_expr(rex, within)) for rex in (node.key, node.value)]
        inner[:] = found
        return pivot_pair(within, found[0], found[1], node.where)

    entries = derived_array(items, F.transform(items.array.column, pair), inner, ROWS)
    return scope.let([entries], lambda bound: derive(t.STRUCT, from_entries(bound.column), bound, cost=Depth.LARGE))


def pivot_pair(scope: Scope, key: Expr, value: Expr, where: Where) -> Column:
    """An attribute as an entry. If its key is no text, it is left out; in strict mode that is an error."""
    variant, kind = scope.variant(key)
    name = variants.extract(variant.column, kind.column, "text")
    error = scope.wrong("an attribute's name must be text", where)
    if error is not None:
        name = F.coalesce(name, error)
    item = as_variant(value)
    return F.struct(name.alias("key"), F.when(name.isNotNull(), item).alias("value"))


@handles(p.CollToScalar)
def _coll_to_scalar(node: p.CollToScalar, scope: Scope) -> Compiling[Expr]:
    query = yield from expr_of(node.query, scope)
    return scope.let([query], lambda value: _scalar(scope, value, node))


def _scalar(scope: Scope, value: Expr, node: p.CollToScalar) -> Expr:
    """The only attribute of the only row of a collection. NULL and MISSING stay; other values are errors if strict."""
    if isinstance(value.type, t.Null | t.Missing):
        return value
    array, element = elements_of(scope, value)

    def one_of(bound: Expr) -> Expr:
        size = F.array_size(bound.column)
        row = column_expr(element, F.get(bound.column, F.lit(0)), stage=bound.place.stage)
        one = scope.let([row], lambda found: only_attribute(scope, found, node))
        type_ = common_type((one.type, t.NULL, t.MISSING))
        wrong = scope.wrong("a scalar subquery gives one row", node.where)
        many = fit(missing_expr(), type_) if wrong is None else wrong
        column = F.when(size == 0, fit(null_expr(), type_)).when(size == 1, fit(one, type_)).otherwise(many)
        bad = misfit(scope, value, "collection")
        if bad is not None and wrong is not None:
            column = F.when(bad, scope.run.error("a subquery gives a collection", node.where)).otherwise(column)
        null = value.is_null()
        if null is not None:
            column = F.when(null, fit(null_expr(), type_)).otherwise(column)
        missing = value.is_missing() if bad is None or wrong is not None else F.coalesce(bad, F.lit(True))
        if missing is not None:
            column = F.when(missing, fit(missing_expr(), type_)).otherwise(column)
        return derive(type_, column, bound, one, value, throws=wrong is not None, cost=Depth.MEDIUM)

    return scope.let([array], one_of)


def only_attribute(scope: Scope, row: Expr, node: p.CollToScalar) -> Expr:
    """The attribute of a struct that has one; MISSING of a struct that has none."""
    if (
        isinstance(row.type, t.Struct)
        and not row.type.open
        and not isinstance(row, Variant)
        and len(row.type.fields) == 1
    ):
        (field,) = row.type.fields
        return row.fields[0] if isinstance(row, StructParts) else derive(field.type, row.plain[field.name or ""], row)
    variant, kind = scope.variant(row)
    pairs = variants.entries(variant.column, kind.column)
    wrong = scope.wrong("a scalar subquery gives one attribute", node.where)
    found = F.when(F.array_size(pairs) == 1, F.get(pairs, F.lit(0))["value"])
    if wrong is not None:
        found = F.when(F.coalesce(F.array_size(pairs), F.lit(2)) > 1, wrong).otherwise(found)
    return derive(t.ANY, found, variant, kind, throws=wrong is not None, cost=Depth.MEDIUM)
