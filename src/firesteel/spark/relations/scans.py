"""FROM items: scan, scan with an index (AT), UNPIVOT; over tables, literals, and collections in each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.conversions import convert, fit
from firesteel.spark.core.expr import (
    Depth,
    Expr,
    Split,
    StructParts,
    Variant,
    as_variant,
    column_expr,
    derive,
    missing_expr,
    null_expr,
    reference,
    struct_expr,
)
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import Order, Rows, apply_stages, one_row
from firesteel.spark.core.scope import Run, Scope, Stages, Where
from firesteel.spark.core.variant_kinds import JSON
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, common_type, form, settle, to_spark
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, elements, kind_of
from firesteel.spark.relations.joins.sides import joined_order
from firesteel.spark.relations.named_tables import named_rows
from firesteel.spark.scalar.paths import ranged_over, ranges
from firesteel.spark.scalar.structs import attributes, entries_of
from firesteel.spark.sources.tables import table_rows, value_rows
from firesteel.spark.sql_text.named_tables import tables_by_name
from firesteel.values import MISSING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Ranging = p.Scan | p.ScanIndexed | p.Unpivot


@handles(p.Scan, p.ScanIndexed)
def _scan(node: p.Scan | p.ScanIndexed, outer: Scope) -> Rows | Compiling[Rows]:
    named = tables_by_name(outer.run.spark)
    if isinstance(node.rex, p.Global) and named is not None:
        return named_rows(named, outer.run, node, node.rex.ordinal)
    if isinstance(node.rex, p.Global):
        return table_rows(outer.run, node, node.rex.ordinal)
    if isinstance(node.rex, p.Lit) and named is None:
        return value_rows(outer.run, node, node.rex.value)
    if isinstance(node.rex, p.Path) and ranges(node.rex) and not outer.run.strict:
        return _scan_path(node, node.rex, outer)
    return _scan_value(node, outer)


def _scan_path(node: p.Scan | p.ScanIndexed, path: p.Path, outer: Scope) -> Compiling[Rows]:
    """FROM over a path with wildcards, as `t[*].a`. The rows are a bag: index and identifier are MISSING."""
    rel, at = ranged_over(path)
    extra = isinstance(node, p.ScanIndexed) + node.identified
    rows = yield from rows_of(p.Project((at, *([p.Lit(t.MISSING, MISSING)] * extra)), rel).at(node.where), outer)
    return replace(rows, order=(), ordered=False, sorted=False)


@handles(p.Unpivot)
def _unpivot(node: p.Unpivot, outer: Scope) -> Compiling[Rows]:
    return _scan_value(node, outer)


def _scan_value(node: Ranging, outer: Scope) -> Compiling[Rows]:
    """FROM over an expression that refers to no row: explode it from a frame of one row."""
    rows = one_row(outer.run)
    scope = Scope(outer.run, outer.row, outer.outer, Stages())
    expr = yield from expr_of(node.rex, scope)
    return explode_rows(rows, scope, node, expr)


def explode_rows(rows: Rows, scope: Scope, node: Ranging, expr: Expr, *, keep: bool = False) -> Rows:
    """Explode: each row once for every element of its value of the expression, with the element as new columns.

    With `keep` (an outer join) a row without elements stays, and its new columns are NULL.
    """
    range_ = _range_over(scope, node, scope.bind(expr))
    rows = apply_stages(rows, scope, node.where)
    run = scope.run
    position, item = run.name(), run.name()
    explode = F.posexplode_outer if keep else F.posexplode
    kept = [F.col(name) for name in dict.fromkeys((*rows.names(), *range_.asked_again))]
    frame = rows.materialize().select(*kept, explode(range_.array.column).alias(position, item))
    frame, item_expr = _item(run, frame, kept, range_.element, position, item)
    items = _items(run, node, range_, position, item_expr)
    order: tuple[Order, ...] = ()
    ordered = range_.is_list
    if ordered is not False:
        order = (Order(reference(t.INT64, position)),)
    if keep:
        items = tuple(null_unless(expr, F.col(position).isNotNull(), (position,)) for expr in items)
    listed = rows.listed
    if ordered is None:
        before, test = rows.materialize(), range_.listed()
        listed = (*listed, lambda: before.agg(F.bool_and(F.coalesce(test, F.lit(False)))))
    return Rows(
        frame,
        rows.columns + items,
        (*rows.order, *order),
        joined_order(rows.ordered, ordered) if rows.columns else ordered,
        operators=rows.stacked(run, 1, node.where),
        listed=listed,
    )


# ---------------------------------------------------------------------------------------------------------------------
# The array to range over. Its type is a collection; for UNPIVOT a collection of (key, value).


@dataclass(frozen=True, eq=False)
class Range:
    """An array to range over. Only the elements of a list have an index. If the type of the value is unknown, `of` is
    the value, and that is tested at run time."""

    array: Expr
    of: Variant | None

    @property
    def element(self) -> t.Type:
        assert isinstance(self.array.type, t.Collection)
        return self.array.type.element

    @property
    def asked_again(self) -> tuple[str, ...]:
        """The columns of `of`, which must outlive the explode: its kind is tested afterwards."""
        return () if self.of is None else self.of.place.names

    @property
    def is_list(self) -> bool | None:
        return isinstance(self.array.type, t.Array | t.Sexp) if self.of is None else None

    def listed(self) -> Column:
        """Is the value of unknown type a list? Tested at run time."""
        assert self.of is not None
        return variants.one_of(kind_of(self.of.column), Kind.ARRAY, Kind.SEXP)


def _range_over(scope: Scope, node: Ranging, value: Expr) -> Range:
    array = (
        entries_to_scan(scope, value, node.where)
        if isinstance(node, p.Unpivot)
        else elements_to_scan(scope, value, node.where)
    )
    return Range(array, value if isinstance(value, Variant) else None)


def elements_to_scan(scope: Scope, value: Expr, where: Where) -> Expr:
    """The elements of a collection; any other value is its own only element. Bind the value first."""
    type_ = value.type
    if isinstance(type_, t.Collection) and not isinstance(value, Variant):
        return _typed_elements(scope, value, where)
    if isinstance(value, Variant) and not scope.run.strict and value.type == JSON:
        column = F.coalesce(cast_variant(value.column, "array<variant>"), F.array(value.column))
        return derive(t.Sexp(JSON), column, value, cost=Depth.TINY)
    if isinstance(value, Variant):
        kind = scope.kind(value)
        array = elements(value.column, kind.column)
        alone = F.array(value.column)
        error = scope.wrong("FROM takes collections, not ", where, F.coalesce(kind.column, F.lit("MISSING")))
        if error is not None:
            alone = F.when(error.cast("boolean"), alone)
        return derive(t.Sexp(t.ANY), F.coalesce(array, alone), value, kind, cost=Depth.MEDIUM, throws=error is not None)
    error = scope.wrong(f"FROM takes collections, not {type_}", where)
    column = F.array(value.column)
    if error is not None:
        column = F.when(error.cast("boolean"), column)
    return derive(t.Bag(type_), column, value, throws=error is not None)


def _typed_elements(scope: Scope, value: Expr, where: Where) -> Expr:
    type_ = value.type
    assert isinstance(type_, t.Collection)
    if not type_.absent:
        return value
    error = scope.wrong("FROM takes collections, not NULL or MISSING", where)
    if error is not None:
        column = F.coalesce(value.plain, error)
        return derive(t.proper(type_), column, value, throws=True)
    nothing = missing_expr() if type_.missable else null_expr()
    element = common_type((type_.element, nothing.type))
    inner = type_.element
    same = to_spark(inner) == to_spark(element)
    array = value.plain if same else F.transform(value.plain, lambda item: convert(item, inner, element))
    column = F.coalesce(array, F.array(fit(nothing, element)))
    return derive(type(type_)(element), column, value)


def entries_to_scan(scope: Scope, value: Expr, where: Where) -> Expr:
    """The attributes of a struct as an array of (key, value). Any other value gives one pair, with the key `_1`."""
    known = attributes(value)
    if known is not None:
        return _known_attributes(scope, value, known, where)
    if isinstance(value.type, t.Map) and not isinstance(value, Variant):
        return _map_entries(scope, value, value.type, where)
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
    return derive(
        t.Bag(type_), F.coalesce(array.column, alone), value, array, cost=Depth.MEDIUM, throws=error is not None
    )


def _map_entries(scope: Scope, value: Expr, type_: t.Map, where: Where) -> Expr:
    """The entries of a map, whose values keep their type."""
    element = t.absent(type_.value, nullable=type_.value.nullable or type_.nullable)
    pair = t.Struct((t.Field("key", t.STRING), t.Field("value", element)), open=False)
    entries, absent = F.map_entries(value.plain), value.is_absent()
    if absent is None:
        return derive(t.Bag(pair), entries, value, cost=Depth.TINY)
    error = scope.wrong("UNPIVOT takes structs, not NULL or MISSING", where)
    alone = F.array(F.struct(F.lit("_1").alias("key"), F.literal(None, cast_type(element)).alias("value")))
    if error is not None:
        alone = F.when(error.cast("boolean"), alone)
    elif type_.missable:
        alone = F.filter(alone, lambda _: F.lit(False))
    return derive(t.Bag(pair), F.when(absent, alone).otherwise(entries), value, throws=error is not None)


def _known_attributes(scope: Scope, value: Expr, known: list[tuple[str, Expr]], where: Where) -> Expr:
    element = settle(t.merge(expr.type for _, expr in known)) if known else t.ANY
    absent = value.is_absent()
    if absent is not None:
        element = common_type((element, t.NULL))
    pairs = [F.struct(F.lit(name).alias("key"), fit(expr, element).alias("value")) for name, expr in known]
    type_ = t.Struct((t.Field("key", t.STRING), t.Field("value", element)), open=False)
    array = F.array(*pairs) if pairs else F.array().cast("array<struct<key:string,value:variant>>")
    missing_tests = [expr.is_missing() for _, expr in known]
    if any(test is not None for test in missing_tests):
        there = [F.lit(True) if test is None else ~test for test in missing_tests]
        marked = F.arrays_zip(array.alias("pair"), F.array(*there).alias("there"))
        array = F.transform(F.filter(marked, lambda both: both["there"]), lambda both: both["pair"])
    if absent is None:
        return derive(t.Bag(type_), array, value, *(expr for _, expr in known), cost=Depth.SMALL)
    error = scope.wrong("UNPIVOT takes structs, not NULL or MISSING", where)
    alone = F.array(F.struct(F.lit("_1").alias("key"), fit(null_expr(), element).alias("value")))
    if error is not None:
        alone = F.when(error.cast("boolean"), alone)
    elif value.type.missable:
        missing = value.is_missing()
        assert missing is not None
        alone = F.when(missing, F.filter(alone, lambda _: F.lit(False))).otherwise(alone)
    column = F.when(absent, alone).otherwise(array)
    return derive(t.Bag(type_), column, value, *(expr for _, expr in known), cost=Depth.SMALL, throws=error is not None)


# ---------------------------------------------------------------------------------------------------------------------
# The columns of an exploded array


def _item(
    run: Run, frame: DataFrame, kept: list[Column], element: t.Type, position: str, item: str
) -> tuple[DataFrame, Expr]:
    """The item. A struct of variants is split into a column for each: expressions mention a variant often."""
    if not isinstance(element, t.Struct) or element.absent or element.open or form(element) is Form.VARIANT:
        return frame, reference(element, item)
    if not element.fields or not all(form(field.type) is Form.VARIANT for field in element.fields):
        return frame, reference(element, item)
    names = {field.name or "": run.name() for field in element.fields}
    inner = [F.once(F.col(item)[name]).alias(column) for name, column in names.items()]
    pairs = [(field.name or "", reference(field.type, names[field.name or ""])) for field in element.fields]
    return frame.select(*kept, position, *inner), struct_expr(pairs)


def _items(run: Run, node: Ranging, range_: Range, position: str, item: Expr) -> tuple[Expr, ...]:
    if isinstance(node, p.Unpivot):
        element = range_.element
        assert isinstance(element, t.Struct)
        if isinstance(item, StructParts):
            return item.fields
        return tuple(
            column_expr(field.type, item.column[field.name or ""], names=item.place.names, atomic=True)
            for field in element.fields
        )
    row: list[Expr] = [item]
    if isinstance(node, p.ScanIndexed):
        row.append(_index(run, node, range_, position))
    if node.identified:
        row.append(missing_expr())
    return tuple(row)


def _index(run: Run, node: p.ScanIndexed, range_: Range, position: str) -> Expr:
    index = F.col(position).cast("bigint")
    if range_.is_list:
        return column_expr(t.INT64, index, names=(position,), atomic=True)
    error = run.error("AT takes arrays: the elements of a bag have no index", node.where) if run.strict else None
    if range_.is_list is None:
        column = F.when(range_.listed(), index)
        if error is not None:
            column = F.coalesce(column, error)
        names = (position, *range_.asked_again)
        return column_expr(t.absent(t.INT64, missable=True), column, names=names, atomic=True, throws=error is not None)
    if error is None:
        return missing_expr()
    return column_expr(t.absent(t.INT64, missable=True), error.cast("bigint"), throws=True)


def null_unless(expr: Expr, present: Column, names: tuple[str, ...]) -> Expr:
    """An expression of the padded side of an outer join: NULL, not MISSING, where `present` is false. Its columns are
    SQL NULL there already."""
    if isinstance(expr, StructParts):
        there = present if expr.present is None else present & expr.present
        fields = tuple(null_unless(inner, present, names) for inner in expr.fields)
        types = tuple(t.Field(f.name, e.type) for f, e in zip(_fields(expr), fields, strict=True))
        struct = t.Struct(types, open=False, nullable=True)
        return replace(expr, type=struct, fields=fields, present=there).with_place(names=(*expr.place.names, *names))
    type_ = common_type((expr.type, t.NULL))
    if isinstance(expr.type, t.Null | t.Missing):
        column = variants.null() if not expr.type.missable else F.when(present, expr.column).otherwise(variants.null())
        return column_expr(type_, column, names=names, atomic=True)
    if isinstance(expr, Split):
        missing = F.coalesce(expr.missing, F.lit(False)) & present
        return replace(expr, missing=missing).with_place(names=(*expr.place.names, *names))
    if form(expr.type) is not Form.VARIANT and not expr.type.missable:
        if expr.place.own:
            return expr.with_type(type_)
        return column_expr(type_, F.when(present, expr.plain), names=(*expr.place.names, *names), atomic=True)
    column = F.when(present, as_variant(expr)).otherwise(variants.null())
    return column_expr(type_, column, names=(*expr.place.names, *names), atomic=True)


def _fields(expr: Expr) -> tuple[t.Field, ...]:
    assert isinstance(expr.type, t.Struct)
    return expr.type.fields
