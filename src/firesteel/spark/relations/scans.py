"""Ranging over values: scan, scan with an index, unpivot; of tables, of literals, of a collection in each row."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.expr import (
    Expr,
    as_variant,
    convert,
    fit,
    made,
    missing_expr,
    null_expr,
    reference,
    struct_expr,
)
from firesteel.spark.core.handlers import handles
from firesteel.spark.core.rows import Order, Rows, one_row, staged
from firesteel.spark.core.scope import Run, Scope, Stages, Where
from firesteel.spark.core.variant_kinds import JSON
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, common, form, settle
from firesteel.spark.encoding.variants import elements, kind_of, whole
from firesteel.spark.scalar.paths import ranged_over, ranges
from firesteel.spark.scalar.structs import attributes, entries_of
from firesteel.spark.sources.tables import table_rows, value_rows
from firesteel.values import MISSING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Ranging = p.Scan | p.ScanIndexed | p.Unpivot


@handles(p.Scan, p.ScanIndexed)
def _scan(node: p.Scan | p.ScanIndexed, outer: Scope) -> Rows | Generator[Any, Any, Rows]:
    if isinstance(node.rex, p.Global):
        return table_rows(outer.run, node, node.rex.ordinal)
    if isinstance(node.rex, p.Lit):
        return value_rows(outer.run, node, node.rex.value)
    if isinstance(node.rex, p.Path) and ranges(node.rex) and not outer.run.strict:
        return _of_path(node, node.rex, outer)
    return _of_one_row(node, outer)


def _of_path(node: p.Scan | p.ScanIndexed, path: p.Path, outer: Scope) -> Generator[Any, Any, Rows]:
    """Over a path with wildcards: what it ranges over, as rows. They are a bag, without index or identifier."""
    rel, at = ranged_over(path)
    extra = isinstance(node, p.ScanIndexed) + node.identified
    rows: Rows = yield p.Project((at, *([p.Lit(t.MISSING, MISSING)] * extra)), rel).at(node.where), outer
    return replace(rows, order=(), ordered=False, sorted=False)


@handles(p.Unpivot)
def _unpivot(node: p.Unpivot, outer: Scope) -> Generator[Any, Any, Rows]:
    return _of_one_row(node, outer)


def _of_one_row(node: Ranging, outer: Scope) -> Generator[Any, Any, Rows]:
    """Over the value of an expression that no row has a part in."""
    rows = one_row(outer.run)
    scope = Scope(outer.run, outer.row, outer.outer, Stages())
    expr = yield node.rex, scope
    return exploded(rows, scope, node, expr)


def exploded(rows: Rows, scope: Scope, node: Ranging, expr: Expr, *, keep: bool = False) -> Rows:
    """The rows, each as often as there is something in the value of the expression, with that beside it.

    With `keep` a row that has nothing stays, and what would be beside it is NULL.
    """
    found = scope.let([expr], lambda value: _ranged(scope, node, value))
    rows = staged(rows, scope, node.where)
    run = scope.run
    position, item = run.name(), run.name()
    explode = F.posexplode_outer if keep else F.posexplode
    kept = [F.col(name) for name in dict.fromkeys((*rows.names(), *_listed(found)))]
    frame = rows.frame.select(*kept, explode(found.column).alias(position, item))
    frame, opened_ = _opened(run, frame, kept, found, position, item)
    items = _items(run, node, found, position, opened_)
    order: tuple[Order, ...] = ()
    ordered = _is_list(found)
    if ordered is not False:
        order = (Order(reference(t.INT64, position)),)
    if keep:
        items = tuple(padded(expr, F.col(position).isNotNull(), (position,)) for expr in items)
    listed = rows.listed
    if ordered is None:
        before, test = rows.frame, variants.one_of(kind_of(found.fields[0].column), "ARRAY", "sexp")
        listed = (*listed, lambda: before.agg(F.bool_and(F.coalesce(test, F.lit(False)))))
    return Rows(
        frame,
        rows.columns + items,
        (*rows.order, *order),
        _both(rows.ordered, ordered) if rows.columns else ordered,
        operators=rows.stacked(run, 1, node.where),
        listed=listed,
    )


def _both(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


# ---------------------------------------------------------------------------------------------------------------------
# What there is to range over: an array. Its expression's type is a collection, of pairs for unpivot.


def _ranged(scope: Scope, node: Ranging, value: Expr) -> Expr:
    array = unpivoted(scope, value, node.where) if isinstance(node, p.Unpivot) else ranged(scope, value, node.where)
    # Whether a value of unknown type is a list decides whether its elements have an index.
    return replace(array, fields=(value,)) if value.dynamic else array


def ranged(scope: Scope, value: Expr, where: Where) -> Expr:
    """The elements of a collection; anything else is the only element. Give it a name first."""
    type_ = value.type
    if isinstance(type_, t.Collection) and not value.dynamic:
        return _typed_elements(scope, value, where)
    if value.dynamic and not scope.run.strict and value.type == JSON:
        column = F.coalesce(whole(value.column, "array<variant>"), F.array(value.column))
        return made(t.Sexp(JSON), column, value, cost=3)
    if value.dynamic:
        kind = scope.kind(value)
        array = elements(value.column, kind.column)
        alone = F.array(value.column)
        error = scope.wrong("FROM takes collections, not ", where, F.coalesce(kind.column, F.lit("MISSING")))
        if error is not None:
            alone = F.when(error.cast("boolean"), alone)
        return made(t.Sexp(t.ANY), F.coalesce(array, alone), value, kind, cost=6, throws=error is not None)
    error = scope.wrong(f"FROM takes collections, not {type_}", where)
    column = F.array(value.column)
    if error is not None:
        column = F.when(error.cast("boolean"), column)
    return made(t.Bag(type_), column, value, throws=error is not None)


def _typed_elements(scope: Scope, value: Expr, where: Where) -> Expr:
    type_ = value.type
    assert isinstance(type_, t.Collection)
    if not type_.absent:
        return value
    error = scope.wrong("FROM takes collections, not NULL or MISSING", where)
    if error is not None:
        column = F.coalesce(value.plain, error)
        return made(t.proper(type_), column, value, throws=True)
    nothing = missing_expr() if type_.missable else null_expr()
    element = common((type_.element, nothing.type))
    inner = type_.element
    array = F.transform(value.plain, lambda item: convert(item, inner, element))
    column = F.coalesce(array, F.array(fit(nothing, element)))
    return made(type(type_)(element), column, value)


def unpivoted(scope: Scope, value: Expr, where: Where) -> Expr:
    """The attributes of a struct as an array of (key, value); of another value, one with the key `_1`."""
    known = attributes(value)
    if known is not None:
        return _known_attributes(scope, value, known, where)
    type_ = t.Struct((t.Field("key", t.STRING), t.Field("value", t.ANY)), open=False)
    array = entries_of(scope, value)
    column = as_variant(value)
    alone = F.array(F.struct(F.lit("_1").alias("key"), column.alias("value")))
    error = scope.wrong("UNPIVOT takes structs", where)
    if error is not None:
        alone = F.when(error.cast("boolean"), alone)
    missing = value.is_missing()
    nothing = F.array().cast("array<struct<key:string,value:variant>>")
    if missing is not None and error is None:
        alone = F.when(missing, nothing).otherwise(alone)
    return made(t.Bag(type_), F.coalesce(array.column, alone), value, array, cost=6, throws=error is not None)


def _known_attributes(scope: Scope, value: Expr, known: list[tuple[str, Expr]], where: Where) -> Expr:
    element = settle(t.merge(expr.type for _, expr in known)) if known else t.ANY
    absent = value.is_absent()
    if absent is not None:
        element = common((element, t.NULL))
    pairs = [F.struct(F.lit(name).alias("key"), fit(expr, element).alias("value")) for name, expr in known]
    type_ = t.Struct((t.Field("key", t.STRING), t.Field("value", element)), open=False)
    array = F.array(*pairs) if pairs else F.array().cast("array<struct<key:string,value:variant>>")
    kept = [expr.is_missing() for _, expr in known]
    if any(test is not None for test in kept):
        there = [F.lit(True) if test is None else ~test for test in kept]
        marked = F.arrays_zip(array.alias("pair"), F.array(*there).alias("there"))
        array = F.transform(F.filter(marked, lambda both: both["there"]), lambda both: both["pair"])
    if absent is None:
        return made(t.Bag(type_), array, value, *(expr for _, expr in known), cost=4)
    error = scope.wrong("UNPIVOT takes structs, not NULL or MISSING", where)
    alone = F.array(F.struct(F.lit("_1").alias("key"), fit(null_expr(), element).alias("value")))
    if error is not None:
        alone = F.when(error.cast("boolean"), alone)
    elif value.type.missable:
        missing = value.is_missing()
        assert missing is not None
        alone = F.when(missing, F.filter(alone, lambda _: F.lit(False))).otherwise(alone)
    column = F.when(absent, alone).otherwise(array)
    return made(t.Bag(type_), column, value, *(expr for _, expr in known), cost=4, throws=error is not None)


# ---------------------------------------------------------------------------------------------------------------------
# What an exploded array gives


def _listed(array: Expr) -> tuple[str, ...]:
    """The columns that are asked about once more, after exploding."""
    return tuple(name for value in array.fields for name in value.names)


def _is_list(array: Expr) -> bool | None:
    if array.fields:
        return None
    return isinstance(array.type, t.Array | t.Sexp)


def _opened(
    run: Run, frame: DataFrame, kept: list[Column], array: Expr, position: str, item: str
) -> tuple[DataFrame, Expr]:
    """An item that is a struct of variants, as columns of their own: each is mentioned often, and has a kind."""
    assert isinstance(array.type, t.Collection)
    element = array.type.element
    if not isinstance(element, t.Struct) or element.absent or element.open or form(element) is Form.VARIANT:
        return frame, reference(element, item)
    if not element.fields or not all(form(field.type) is Form.VARIANT for field in element.fields):
        return frame, reference(element, item)
    names = {field.name or "": run.name() for field in element.fields}
    inner = [F.once(F.col(item)[name]).alias(column) for name, column in names.items()]
    pairs = [(field.name or "", reference(field.type, names[field.name or ""])) for field in element.fields]
    return frame.select(*kept, position, *inner), struct_expr(pairs)


def _items(run: Run, node: Ranging, array: Expr, position: str, item: Expr) -> tuple[Expr, ...]:
    assert isinstance(array.type, t.Collection)
    element = array.type.element
    if isinstance(node, p.Unpivot):
        assert isinstance(element, t.Struct)
        if item.virtual:
            return item.fields
        return tuple(
            Expr(field.type, item.column[field.name or ""], names=item.names, atomic=True) for field in element.fields
        )
    row: list[Expr] = [item]
    if isinstance(node, p.ScanIndexed):
        row.append(_index(run, node, array, position))
    if node.identified:
        row.append(missing_expr())
    return tuple(row)


def _index(run: Run, node: p.ScanIndexed, array: Expr, position: str) -> Expr:
    index = F.col(position).cast("bigint")
    listed = _is_list(array)
    if listed:
        return Expr(t.INT64, index, names=(position,), atomic=True)
    error = run.error("AT takes arrays: the elements of a bag have no index", node.where) if run.strict else None
    if listed is None:
        (value,) = array.fields
        column = F.when(kind_of(value.column).isin("ARRAY", "sexp"), index)
        if error is not None:
            column = F.coalesce(column, error)
        names = (position, *value.names)
        return Expr(t.absent(t.INT64, missable=True), column, names=names, atomic=True, throws=error is not None)
    if error is None:
        return missing_expr()
    return Expr(t.absent(t.INT64, missable=True), error.cast("bigint"), throws=True)


def padded(expr: Expr, present: Column, names: tuple[str, ...]) -> Expr:
    """The expression of a row that may not be there: then it is NULL. Where it is, its columns are SQL NULL anyway."""
    if expr.virtual:
        there = present if expr.present is None else present & expr.present
        fields = tuple(padded(inner, present, names) for inner in expr.fields)
        types = tuple(t.Field(f.name, e.type) for f, e in zip(_fields(expr), fields, strict=True))
        struct = t.Struct(types, open=False, nullable=True)
        return replace(expr, type=struct, fields=fields, present=there, names=(*expr.names, *names))
    type_ = common((expr.type, t.NULL))
    if isinstance(expr.type, t.Null | t.Missing):
        column = variants.null() if not expr.type.missable else F.when(present, expr.column).otherwise(variants.null())
        return Expr(type_, column, names=names, atomic=True)
    if expr.missing is not None:
        return replace(expr, missing=F.coalesce(expr.missing, F.lit(False)) & present, names=(*expr.names, *names))
    if form(expr.type) is not Form.VARIANT and not expr.type.missable:
        if expr.own:
            return replace(expr, type=type_)
        return Expr(type_, F.when(present, expr.plain), names=(*expr.names, *names), atomic=True)
    column = F.when(present, as_variant(expr)).otherwise(variants.null())
    return Expr(type_, column, names=(*expr.names, *names), atomic=True)


def _fields(expr: Expr) -> tuple[t.Field, ...]:
    assert isinstance(expr.type, t.Struct)
    return expr.type.fields
