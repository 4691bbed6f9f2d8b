"""Queries inside a row: relations over the row's own collections, as arrays and lambdas.

What is compiled here is an `Items`: an array in each row, and what one of its items binds. A nested SELECT transforms
it, a lateral join explodes it. Spark interprets lambdas and has no select in them, so a plain scan of a lateral join,
which is what most are, does not come this way: it is exploded as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import drive
from firesteel.spark import dynamic
from firesteel.spark.dynamic import from_entries, kind_of
from firesteel.spark.encoding import common
from firesteel.spark.expr import Expr, as_variant, choose, fit, made, missing_expr, null_expr
from firesteel.spark.handlers import dispatch, handles, handles_nested
from firesteel.spark.rel import constant_count
from firesteel.spark.rex import truth
from firesteel.spark.scans import ranged, unpivoted
from firesteel.spark.scope import Scope, Where

Unpack = Callable[[Column], tuple[Expr, ...]]


@dataclass(frozen=True, eq=False)
class Items:
    """Rows inside a row."""

    array: Expr
    unpack: Unpack
    #: A list (True), a bag (False), or whatever the run says (None): then `listed` says it for each row.
    ordered: bool | None
    listed: Expr | None = None


Compiling = Generator[Any, Any, Items]


def _inside(scope: Scope, items: Items, item: Column, rex: p.Rex, where: Where) -> Expr:
    """An expression over one item. Lambdas are built by calling back, so this one goes down by itself; not deep."""
    inner = scope.inner(items.unpack(item), where)
    return inner.lowered(drive(dispatch, rex, inner))


def _mapped(scope: Scope, items: Items, body: Callable[[Column], Expr], collect: list[Expr]) -> Column:
    def one(item: Column) -> Column:
        collect.append(body(item))
        return collect[-1].column

    return F.transform(items.array.column, one)


def _over(items: Items, column: Column, inner: list[Expr], type_: t.Type | None = None) -> Expr:
    """An array made of another one by a lambda."""
    result = made(type_ or items.array.type, column, items.array, *inner, cost=3)
    return replace(result, stage=items.array.stage)


# ---------------------------------------------------------------------------------------------------------------------
# Relations


@handles_nested(p.Scan, p.ScanIndexed)
def _scan(node: p.Scan | p.ScanIndexed, scope: Scope) -> Compiling:
    if isinstance(node.rex, p.Global) and node.identified:
        raise UnsupportedError("'scan' with BY inside an expression, on Spark", where=node.where)
    expr = yield node.rex, scope
    found: list[bool | None] = []
    expr = scope.bind(expr)
    listed = _is_listed(scope, expr)

    def range_over(value: Expr) -> Expr:
        array = ranged(scope, value, node.where)
        found.append(None if value.dynamic else isinstance(value.type, t.Array | t.Sexp))
        if not isinstance(node, p.ScanIndexed):
            return array
        assert isinstance(array.type, t.Collection)
        return made(array.type, _indexed(array.column, value), array, value, throws=array.throws)

    array = scope.let([expr], range_over)
    assert isinstance(array.type, t.Collection)
    element = array.type.element
    if not isinstance(node, p.ScanIndexed):
        extra = (missing_expr(),) if node.identified else ()
        return Items(array, lambda item: (Expr(element, item, atomic=True), *extra), found[-1], listed)
    index = t.absent(t.INT64, missable=found[-1] is not True)
    return Items(
        array,
        lambda item: (Expr(element, item["v"], atomic=True), Expr(index, item["i"], atomic=True)),
        found[-1],
        listed,
    )


def _is_listed(scope: Scope, value: Expr) -> Expr | None:
    """Of a value of unknown type: is it a list?"""
    if not value.dynamic:
        return None
    kind = scope.kind(value)
    return made(t.BOOL, F.coalesce(dynamic.one_of(kind.column, "ARRAY", "sexp"), F.lit(False)), value, kind)


def _indexed(array: Column, value: Expr) -> Column:
    """Elements with their index, which only lists have. Strict mode is not stricter here: nobody may ask for it."""
    listed = (
        kind_of(value.column).isin("ARRAY", "sexp")
        if value.dynamic
        else F.lit(isinstance(value.type, t.Array | t.Sexp))
    )

    def pair(item: Column, index: Column) -> Column:
        return F.struct(item.alias("v"), F.when(listed, index.cast("bigint")).alias("i"))

    return F.transform(array, pair)


@handles_nested(p.Unpivot)
def _unpivot(node: p.Unpivot, scope: Scope) -> Compiling:
    expr = yield node.rex, scope
    array = scope.let([expr], lambda value: unpivoted(scope, value, node.where))
    assert isinstance(array.type, t.Collection)
    pair = array.type.element
    assert isinstance(pair, t.Struct)
    fields = pair.fields
    return Items(array, lambda item: tuple(Expr(f.type, item[f.name or ""], atomic=True) for f in fields), False)


@handles_nested(p.Filter)
def _filter(node: p.Filter, scope: Scope) -> Compiling:
    items: Items = yield node.input, scope, True
    return filtered_items(
        scope, items, node.predicate, lambda item: items.unpack(item), node.predicate.where or node.where
    )


def filtered_items(scope: Scope, items: Items, rex: p.Rex, row: Unpack, where: Where) -> Items:
    """The items for which a predicate over some row is true."""
    inner: list[Expr] = []

    def holds(item: Column) -> Column:
        lambda_scope = scope.inner(row(item), where)
        value = lambda_scope.lowered(drive(dispatch, rex, lambda_scope))
        inner.append(truth(lambda_scope, value, "a condition is a boolean", where))
        return F.coalesce(inner[-1].plain, F.lit(False))

    return replace(items, array=_over(items, F.filter(items.array.column, holds), inner))


@handles_nested(p.Project)
def _project(node: p.Project, scope: Scope) -> Compiling:
    items: Items = yield node.input, scope, True
    inner: list[Expr] = []

    def row(item: Column) -> Column:
        made_ = [_inside(scope, items, item, rex, node.where) for rex in node.exprs]
        inner[:] = made_
        return _packed(made_)

    column = F.transform(items.array.column, row)
    return Items(_over(items, column, inner, t.Bag(t.ANY)), _unpacker(inner), items.ordered, items.listed)


def _packed(exprs: list[Expr]) -> Column:
    return F.struct(*(expr.column.alias(f"e{i}") for i, expr in enumerate(exprs)))


def _unpacker(exprs: list[Expr]) -> Unpack:
    types = [expr.type for expr in exprs]
    return lambda item: tuple(Expr(type_, item[f"e{i}"], atomic=True) for i, type_ in enumerate(types))


@handles_nested(p.Join)
def _join(node: p.Join, scope: Scope) -> Compiling:
    """Inner joins: for every left item, the right items beside it."""
    if node.capture is not p.Capture.INNER or isinstance(node.type, p.Equi):
        raise UnsupportedError("'join' other than inner or cross inside an expression, on Spark", where=node.where)
    left: Items = yield node.left, scope, True
    inner: list[Expr] = []

    def beside(item: Column) -> Column:
        row = left.unpack(item)
        inside = scope.inner(row, node.where)
        right: Items = drive(dispatch, node.right, inside if node.lateral else scope, True)
        if isinstance(node.type, p.Theta):
            condition = node.type.condition
            where = condition.where or node.where
            right = filtered_items(scope, right, condition, lambda other: row + right.unpack(other), where)

        def both(other: Column) -> Column:
            inner[:] = [*row, *right.unpack(other)]
            return _packed(inner)

        column = F.transform(right.array.column, both)
        heights.append(right.array)
        return column

    heights: list[Expr] = []
    column = F.flatten(F.transform(left.array.column, beside))
    return Items(_over(left, column, [*inner, *heights], t.Bag(t.ANY)), _unpacker(inner), left.ordered)


@handles_nested(p.Limit, p.Offset)
def _slice(node: p.Limit | p.Offset, scope: Scope) -> Compiling:
    items: Items = yield node.input, scope, True
    count = constant_count(node, scope.run)
    if count is None:
        return items
    size = 2**31 - 1
    column = items.array.column
    cut = (
        F.slice(column, 1, min(count, size))
        if isinstance(node, p.Limit)
        else F.slice(column, min(count + 1, size), size)
    )
    return replace(items, array=_over(items, cut, []))


@handles_nested(p.Aggregate)
def _aggregate(node: p.Aggregate, scope: Scope) -> Compiling:
    """Counting; the rest is not native inside a row yet."""
    names = [agg.fn.name for agg in node.aggs]
    if node.keys or any(name not in ("count_star", "count") for name in names) or any(a.distinct for a in node.aggs):
        raise UnsupportedError("'aggregate' inside an expression, on Spark: only count without keys", where=node.where)
    items: Items = yield node.input, scope, True
    counts: list[Expr] = []
    for agg in node.aggs:
        array = items.array.column
        if agg.fn.name == "count":
            (rex,) = (arg for arg in agg.args if isinstance(arg, p.Rex))

            def present(item: Column, rex: p.Rex = rex) -> Column:
                absent = _inside(scope, items, item, rex, node.where).is_absent()
                return F.lit(True) if absent is None else ~absent

            array = F.filter(array, present)
        counts.append(made(t.INT64, F.array_size(array).cast("bigint"), items.array, cost=3))
    array_ = made(t.Bag(t.ANY), F.array(_packed(counts)), *counts)
    return Items(array_, _unpacker(counts), False)


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


@handles(p.Select)
def _select(node: p.Select, scope: Scope) -> Generator[Any, Any, Expr]:
    items: Items = yield node.input, scope, True
    inner: list[Expr] = []
    column = _mapped(scope, items, lambda item: _inside(scope, items, item, node.constructor, node.where), inner)
    element = inner[-1].type
    if isinstance(node.type, t.Collection):
        return _over(items, column, inner, type(node.type)(element))
    result = _over(items, column, inner, (t.Array if items.ordered else t.Bag)(element))
    if items.listed is None:
        return result
    as_list = result.renamed(t.Array(element))
    return scope.let([items.listed, as_list], lambda listed, array: choose([listed], [array, _as_bag(array)]))


def _as_bag(array: Expr) -> Expr:
    assert isinstance(array.type, t.Collection)
    return array.renamed(t.Bag(array.type.element))


@handles(p.Pivot)
def _pivot(node: p.Pivot, scope: Scope) -> Generator[Any, Any, Expr]:
    items: Items = yield node.input, scope, True
    inner: list[Expr] = []

    def pair(item: Column) -> Column:
        inside = scope.inner(items.unpack(item), node.where)
        found = [inside.lowered(drive(dispatch, rex, inside)) for rex in (node.key, node.value)]
        inner[:] = found
        return pivot_pair(inside, found[0], found[1], node.where)

    entries = _over(items, F.transform(items.array.column, pair), inner, t.Bag(t.ANY))
    return scope.let([entries], lambda bound: made(t.STRUCT, from_entries(bound.column), bound, cost=8))


def pivot_pair(scope: Scope, key: Expr, value: Expr, where: Where) -> Column:
    """An attribute as an entry; one whose key is no text is left out, or an error."""
    variant, kind = scope.variant(key)
    name = dynamic.extract(variant.column, kind.column, "text")
    error = scope.wrong("an attribute's name must be text", where)
    if error is not None:
        name = F.coalesce(name, error)
    item = as_variant(value)
    return F.struct(name.alias("key"), F.when(name.isNotNull(), item).alias("value"))


@handles(p.CollToScalar)
def _coll_to_scalar(node: p.CollToScalar, scope: Scope) -> Generator[Any, Any, Expr]:
    query: Expr = yield node.query, scope
    if not isinstance(query.type, t.Collection) or query.dynamic or query.type.absent:
        raise UnsupportedError("'coll_to_scalar' of a value that is no query, on Spark", where=node.where)
    element = query.type.element

    def scalar(array: Expr) -> Expr:
        size = F.array_size(array.column)
        one = scope.let(
            [Expr(element, F.get(array.column, F.lit(0)), stage=array.stage)], lambda e: only_attribute(scope, e, node)
        )
        type_ = common((one.type, t.NULL, t.MISSING))
        wrong = scope.wrong("a scalar subquery gives one row", node.where)
        many = fit(missing_expr(), type_) if wrong is None else wrong
        column = F.when(size == 0, fit(null_expr(), type_)).when(size == 1, fit(one, type_)).otherwise(many)
        return made(type_, column, array, one, throws=wrong is not None, cost=3)

    return scope.let([query], scalar)


def only_attribute(scope: Scope, row: Expr, node: p.CollToScalar) -> Expr:
    """The attribute of a struct that has one; MISSING of a struct that has none."""
    if isinstance(row.type, t.Struct) and not row.type.open and not row.dynamic and len(row.type.fields) == 1:
        (field,) = row.type.fields
        return row.fields[0] if row.virtual else made(field.type, row.plain[field.name or ""], row)
    variant, kind = scope.variant(row)
    pairs = dynamic.entries(variant.column, kind.column)
    wrong = scope.wrong("a scalar subquery gives one attribute", node.where)
    found = F.when(F.array_size(pairs) == 1, F.get(pairs, F.lit(0))["value"])
    if wrong is not None:
        found = F.when(F.coalesce(F.array_size(pairs), F.lit(2)) > 1, wrong).otherwise(found)
    return made(t.ANY, found, variant, kind, throws=wrong is not None, cost=6)
