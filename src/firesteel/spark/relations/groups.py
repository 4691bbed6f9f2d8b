"""Grouping: by typed columns natively, by comparison keys where Spark cannot group by the values themselves."""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.conversions import as_single_kind, split_variant
from firesteel.spark.core.expr import Depth, Expr, Split, StructParts, Variant, column_expr, null_expr, reference
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import Layout, Order, Rows, apply_stages, project, refuse_comparator
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, JsonWords, form
from firesteel.spark.keys.comparison import is_own_key, key
from firesteel.spark.relations.group_order import StreamedOrder
from firesteel.spark.relations.nested.groups import distinct_array, value_keys
from firesteel.spark.scalar.collections.aggregates import Aggregate, Group
from firesteel.spark.scalar.collections.folds import aggregate_array
from firesteel.spark.scalar.functions import AGGREGATES, UNSUPPORTED
from firesteel.spark.scalar.logic import balanced
from firesteel.spark.scalar.substrait import aggregates as substrait


@handles(p.Aggregate)
def _aggregate(node: p.Aggregate, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    partial = node.strategy is p.Strategy.PARTIAL
    keys: list[Expr] = []
    for expr in node.keys:
        key_value = split_variant((yield from expr_of(expr, scope)))
        keys.append(key_value if _is_key(key_value) and not partial else scope.bind(key_value))
    totals: list[Column] = []
    results: list[Expr] = []
    for agg in node.aggs:
        args: list[Expr] = []
        for arg in agg.args:
            if isinstance(arg, p.Rex):
                args.append((yield from expr_of(arg, scope)))
        condition = None if agg.filter is None else scope.bind((yield from expr_of(agg.filter, scope)))
        order: list[Order] = []
        for spec in agg.order:
            refuse_comparator(spec)
            value = scope.bind(split_variant((yield from expr_of(spec.key, scope))))
            order.append(Order(scope.bind(key(scope, value, ordering=True)), spec.order))
        results.append(_aggregate_call(agg, args, scope, totals, condition, order))
    by, groups = _group_columns(scope, node, keys, totals)
    rows = apply_stages(rows, scope, node.where)
    frame = rows.materialize()
    if partial:
        present = [~test for test in (expr.is_absent() for expr in keys) if test is not None]
        frame = frame.filter(balanced(present, True)) if present else frame
    streamed = StreamedOrder.of(node, rows, outer.run) if node.keeps_order and rows.ordered is not False else None
    if streamed is not None:
        frame = streamed.numbered(frame, totals)
    frame = frame.groupBy(*by).agg(*(totals or [F.count(F.lit(1)).alias(outer.run.name())]))
    layout = Layout.UNKNOWN if node.keys else Layout.ONE
    grouped = Rows(frame, (), operators=rows.stacked(outer.run, 2, node.where), layout=layout)
    if streamed is not None:
        grouped = streamed.first_rows(grouped)
    made = project(grouped, grouped.scope(outer), [*groups, *results], node.where)
    return made if streamed is None else streamed.apply(made, outer)


def _aggregate_call(
    agg: p.Agg, args: list[Expr], scope: Scope, totals: list[Column], condition: Expr | None, order: list[Order]
) -> Expr:
    row = functions.called(agg.fn.name, functions.Kind.AGGREGATE, len(agg.args), agg.where)
    build = AGGREGATES.get(row.name)
    if row.name in substrait.AGGREGATES:
        group = Group(scope, row.name, agg.distinct, agg.where, lambda column: _add_total(column, scope.run, totals))
        return substrait.compile_aggregate(group, agg.fn, args, order, None if condition is None else condition.plain)
    if build is None:
        why = UNSUPPORTED.get(row.name, "it is no aggregate of Spark")
        raise UnsupportedError(f"function '{row.name}' on Spark: {why}", where=agg.where)
    if condition is not None:
        build, args = _apply_filter(agg, build, [scope.bind(split_variant(arg)) for arg in args], condition.plain)
    group = Group(
        scope, row.name, agg.distinct, agg.where, lambda column: _add_total(column, scope.run, totals), tuple(order)
    )
    if agg.distinct and args and distinct_is_collected(row.name, args[0]):
        return aggregate_distinct(group, args[0])
    return build(group, *args)


def _apply_filter(agg: p.Agg, build: Aggregate, args: list[Expr], condition: Column) -> tuple[Aggregate, list[Expr]]:
    """FILTER (WHERE ...): arguments are NULL or MISSING where the condition is not true, so aggregates skip them."""
    if agg.fn.name in ("collect", "array_agg"):
        raise UnsupportedError(f"'{agg.fn.name}' with a filter is not native on Spark", where=agg.where)
    if agg.fn.name == "count_star":
        return AGGREGATES["count"], [column_expr(t.absent(t.INT64, nullable=True), F.when(condition, F.lit(1)))]
    masked: list[Expr] = []
    for arg in args:
        variant = form(arg.type) is Form.VARIANT
        type_ = t.absent(arg.type, nullable=True, missable=True) if variant else arg.type
        type_ = type_ if type_.missable else t.absent(type_, nullable=True)
        masked.append(
            column_expr(type_, F.when(condition, arg.column), stage=arg.place.stage, height=arg.place.height + 1)
        )
    return build, masked


def distinct_is_collected(name: str, arg: Expr) -> bool:
    """Is Spark's DISTINCT of no use? For `collect`, and for sums and means of values that Spark compares otherwise."""
    plain = isinstance(arg.type, t.Number) and is_own_key(arg.type) and not isinstance(arg, Split)
    return name in ("collect", "array_agg") or (name in ("sum", "avg") and not plain)


def aggregate_distinct(group: Group, arg: Expr) -> Expr:
    """An aggregate with DISTINCT: collect the values in an array, keep the first of equal ones, aggregate the array."""
    value = group.bound(as_single_kind(arg))
    boxed = group.add(F.collect_list(F.struct(value.column.alias("v"))))
    array = column_expr(t.Bag(value.type), F.transform(boxed, lambda item: item["v"]), height=Depth.TINY)
    inline = Scope(group.scope.run)  # names cannot be bound in selects after the aggregation
    once = distinct_array(inline, array, value_keys(value.type), group.where)
    return inline.let([once], lambda bound: aggregate_array(inline, group.name, bound, group.where))


def _add_total(column: Column, run: Run, totals: list[Column]) -> str:
    name = run.name()
    totals.append(column.alias(name))
    return name


def _key_type(expr: Expr) -> t.Type:
    """The type of a key in the result: a MISSING key becomes NULL."""
    return t.absent(expr.type, nullable=expr.type.absent, missable=False)


def _is_key(expr: Expr) -> bool:
    """Can Spark group by the column as it is?"""
    return not isinstance(expr, Variant) and not isinstance(expr, StructParts) and is_own_key(_key_type(expr))


def _group_columns(
    scope: Scope, node: p.Aggregate, keys: list[Expr], totals: list[Column]
) -> tuple[list[Column], list[Expr]]:
    """The columns to group by, and the keys as expressions of the groups."""
    by: list[Column] = []
    groups: list[Expr] = []
    for expr in keys:
        if isinstance(expr.type, t.Null | t.Missing):
            groups.append(null_expr())
            continue
        type_ = _key_type(expr)
        name = scope.run.name()
        if _is_key(expr):
            by.append(expr.plain.alias(name))
            groups.append(reference(type_, name))
            continue
        if isinstance(expr.type, JsonWords):
            by.append(F.coalesce(F.to_json(expr.column), F.lit("null")).alias(name))
            groups.append(column_expr(expr.type, F.parse_json(F.col(name)), height=Depth.TINY))
            continue
        key_column = scope.bind(key(scope, expr)).column
        # With `F.first` of such values Spark groups by sorting. A hash in front is cheap to compare and mostly decides.
        by += [F.xxhash64(key_column).alias(scope.run.name()), key_column.alias(name)]
        value = _add_total(F.first(expr.column), scope.run, totals)
        if form(expr.type) is Form.VARIANT:
            groups.append(column_expr(t.ANY, F.coalesce(F.col(value), variants.null()), height=Depth.TINY))
        else:
            groups.append(reference(type_, value))
    if keys and not by:  # Spark's groupBy() without columns gives one group even of no rows
        by.append(F.lit("").alias(scope.run.name()))
    return by, groups
