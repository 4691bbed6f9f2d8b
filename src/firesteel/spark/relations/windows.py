"""Window calls, by Spark's own windows.

Rows are partitioned and ordered by comparison keys. Frames are in `window_frames.py`, ranks and functions like `lag` in
`window_functions.py`; aggregates are here.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, NamedTuple

from pyspark.sql import Column
from pyspark.sql.window import WindowSpec

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.functions import OfNothing
from firesteel.spark.core.conversions import as_single_kind, fit, split_variant
from firesteel.spark.core.expr import Depth, Expr, column_expr, null_expr
from firesteel.spark.core.handlers import Compiling, expr_of, handles, part_of, rows_of
from firesteel.spark.core.rows import Order, Rows, apply_stages, project, refuse_comparator
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import cast_type
from firesteel.spark.keys.comparison import key
from firesteel.spark.relations.groups import aggregate_distinct
from firesteel.spark.relations.window_frames import Build, Call, Framing, WindowColumns, window_with_frame
from firesteel.spark.relations.window_functions import WINDOWS
from firesteel.spark.scalar.collections.aggregates import Group
from firesteel.spark.scalar.functions import AGGREGATES, UNSUPPORTED
from firesteel.spark.scalar.substrait import aggregates as substrait
from firesteel.spark.scalar.substrait.base import null_of


@handles(p.Window)
def _window(node: p.Window, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    later = WindowColumns(outer.run)
    results: list[Expr] = []
    for call in node.calls:
        results.append((yield from part_of(call, Over(scope, rows, later))))
    rows = apply_stages(rows, scope, node.where)
    frame = rows.materialize()
    for columns in (later.groups, later.columns):
        frame = frame.select("*", *columns) if columns else frame
    windowed = Rows(frame, rows.columns, operators=rows.stacked(outer.run, 2, node.where))
    if node.keeps_order:
        windowed = replace(windowed, order=rows.order, ordered=rows.ordered, listed=rows.listed)
    return project(windowed, windowed.scope(outer), [*rows.columns, *results], node.where)


class Over(NamedTuple):
    """What a window call is compiled with."""

    scope: Scope
    rows: Rows
    later: WindowColumns


@handles(p.WindowCall)
def _window_call(node: p.WindowCall, over: Over) -> Compiling[Expr]:
    scope, rows, later = over
    build = _builder(node)
    args: list[Expr] = []
    for arg in node.args:
        if isinstance(arg, p.Rex):
            args.append(scope.bind(split_variant(as_single_kind((yield from expr_of(arg, scope))))))
    partition: list[Column] = []
    for expr in node.partition:
        value, found = yield from _value_and_key(expr, scope, later, ordering=False)
        if not isinstance(value.type, t.Null | t.Missing):
            partition.append(found.column)
    order: list[Order] = []
    raw: list[Expr] = []
    for spec in node.order:
        refuse_comparator(spec)
        value, found = yield from _value_and_key(spec.key, scope, later, ordering=True)
        raw.append(value)
        order.append(Order(found, spec.order))
    offsets: list[Expr | None] = []
    for bound in (node.frame.start, node.frame.end) if node.frame else ():
        offsets.append((yield from expr_of(bound.offset, scope)) if bound.offset is not None else None)
    call = Call(node, scope, tuple(args), tuple(partition), tuple(order), rows.order, later)
    return build(call, lambda: window_with_frame(call, raw, offsets))


def _value_and_key(
    rex: p.Rex, scope: Scope, later: WindowColumns, *, ordering: bool
) -> Generator[Any, Any, tuple[Expr, Expr]]:
    """An expression and its key, bound once for all calls."""
    if (rex, ordering) not in later.keys:
        value = scope.bind(split_variant((yield from expr_of(rex, scope))))
        found = scope.bind(key(scope, value, ordering=ordering))
        later.keys[rex, ordering] = (value, found)
    return later.keys[rex, ordering]


def _builder(node: p.WindowCall) -> Build:
    name = node.fn.name
    row = functions.called(name, functions.Kind.WINDOW, len(node.args), node.where)
    if row.kind is functions.Kind.WINDOW:
        if row.origin is functions.Origin.PARTIQL:
            return WINDOWS[name]
        return _with_declared_type(WINDOWS[name.rpartition(":")[2]])
    if name not in AGGREGATES and name not in substrait.AGGREGATES:
        why = UNSUPPORTED.get(name, "it is no aggregate of Spark")
        raise UnsupportedError(f"function '{name}' on Spark: {why}", where=node.where)
    return _aggregate


def _with_declared_type(build: Build) -> Build:
    """The builder, with its result cast to the type that the call declares."""

    def retyped(call: Call, framing: Framing) -> Expr:
        found, returns = build(call, framing), call.node.fn.returns
        column = null_of(returns) if isinstance(found.type, t.Null) else fit(found, returns)
        return column_expr(
            returns,
            column,
            stage=found.place.stage,
            height=found.place.height,
            throws=found.place.throws,
        )

    return retyped


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates


def _aggregate(call: Call, framing: Framing) -> Expr:
    """An aggregate, compiled as for a group; each of its aggregated columns is over the window."""
    spec = framing()
    node = call.node
    if F.is_column(spec):
        return column_expr(t.ANY, spec.cast("variant"), throws=True)
    if spec is None:
        return _of_nothing(call)
    distinct = node.distinct and not call.row.ignores_duplicates
    if node.fn.name in substrait.AGGREGATES:
        if distinct:
            said = f"'{node.fn.name}' with DISTINCT over a window is not native on Spark"
            raise UnsupportedError(said, where=node.where)
        group = Group(call.scope, node.fn.name, False, node.where, lambda column: call.later.add(column, spec))
        return substrait.compile_aggregate(group, node.fn, call.args)
    if distinct and call.args:
        return _distinct(call, spec)
    group = Group(call.scope, node.fn.name, False, node.where, lambda column: call.later.add(column, spec))
    return AGGREGATES[node.fn.name](group, *call.args)


def _of_nothing(call: Call) -> Expr:
    """The aggregate of an empty frame."""
    returns = t.INT64 if call.row.origin is functions.Origin.PARTIQL else t.proper(call.node.fn.returns)
    match call.row.of_nothing:
        case OfNothing.ZERO:
            return column_expr(returns, F.literal(0, cast_type(returns)))
        case OfNothing.ONE:
            return column_expr(returns, F.literal(1, cast_type(returns)))
        case OfNothing.EMPTY_BAG:
            return column_expr(t.Bag(t.ANY), F.array().cast("array<variant>"))
        case OfNothing.EMPTY_LIST:
            return column_expr(t.Array(t.ANY), F.array().cast("array<variant>"))
        case OfNothing.NULL:
            return null_expr()


def _distinct(call: Call, spec: WindowSpec) -> Expr:
    """Spark has no DISTINCT over windows: the keys are collected as a set, or the values as an array."""
    (value,) = call.args
    if call.node.fn.name != "count":
        node = call.node
        group = Group(call.scope, node.fn.name, True, node.where, lambda column: call.later.add(column, spec))
        return aggregate_distinct(group, value)
    found = call.scope.bind(key(call.scope, value))
    keys = call.later.add(F.collect_set(found.column), spec)
    return column_expr(t.INT64, F.array_size(F.col(keys)).cast("bigint"), height=Depth.TINY)
