"""Lateral joins: the right side is computed from each left row.

A right side that is a plain scan or UNPIVOT explodes the value that it ranges over. Any other is an array of items
(`relations/nested`), exploded. One that does not refer to the left row is an ordinary join.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan.scope import RowScope, visits
from firesteel.spark.core.expr import Expr, column_expr, derive, reference
from firesteel.spark.core.fallback import run_in_python
from firesteel.spark.core.fallback_log import Attempt, Fallback
from firesteel.spark.core.handlers import Compiling, expr_of, items_of, rows_of
from firesteel.spark.core.rows import Order, Rows, apply_stages, project
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.relations.expressions import truth
from firesteel.spark.relations.joins.items import condition_holds, has_no_condition
from firesteel.spark.relations.joins.sides import NO_BOOLEAN, condition_place, joined_order
from firesteel.spark.relations.nested.items import Items
from firesteel.spark.relations.nested.relations import kept_items
from firesteel.spark.relations.scans import explode_rows, null_unless
from firesteel.spark.relations.unary import filter_rows


def lateral_rows(node: p.Join, left: Rows, outer: Scope) -> Compiling[Rows]:
    """The left rows, each joined with the right side that is computed from it."""
    if not _sees_left(node, left):
        result = yield from rows_of(node.replace(lateral=False), outer)
        return result
    scope = left.scope(outer)
    keep = node.capture.pads_right
    condition = node.type.condition if isinstance(node.type, p.Theta) else None
    certain = isinstance(condition, p.Lit) and condition.value is True
    exploding = certain or (condition is not None and not keep) or isinstance(node.type, p.Cross)
    if isinstance(node.right, p.Scan | p.ScanIndexed | p.Unpivot) and exploding and not node.capture.tests:
        expr = yield from expr_of(node.right.rex, scope)
        rows = explode_rows(left, scope, node.right, expr, keep=keep)
        if certain or keep or condition is None:
            return rows
        over = rows.scope(outer)
        value = yield from expr_of(condition, over)
        held = truth(over, value, NO_BOOLEAN, condition_place(condition, node))
        return filter_rows(rows, over, [held], node)
    attempt = scope.run.fallbacks.begin()
    try:
        items = yield from items_of(node.right, scope)
    except UnsupportedError as error:
        items = _in_python(node.right, scope, error, attempt)
    items = _matching(node, left, scope, items, outer)
    return (
        _semi_anti_or_mark(node, left, scope, items)
        if node.capture.tests
        else _explode_items(left, scope, items, keep, node)
    )


def _in_python(node: p.Rel, scope: Scope, error: UnsupportedError, attempt: Attempt) -> Items:
    """A right side without a native form, by the reference evaluator (`fallback.py`): an array of rows, each a list."""
    ordered = p.is_list(node)
    if ordered is None:
        raise error  # list or bag: known only at run time
    columns = tuple(p.Var(field.type, i) for i, field in enumerate(p.schema(node)))
    type_ = t.Array(t.Array(t.ANY))
    rex = p.Select(type_, p.Collection(type_.element, columns), node).at(node.where)
    array = scope.bind(run_in_python(rex, scope, error, attempt, type_))
    attempt.becomes(Fallback(node, error.message))

    def unpack(item: Column) -> tuple[Expr, ...]:
        return tuple(column_expr(t.ANY, F.get(item, F.lit(i)), atomic=True) for i in range(len(columns)))

    return Items(array, unpack, ordered)


def _matching(node: p.Join, left: Rows, scope: Scope, items: Items, outer: Scope) -> Items:
    """The items that match the left row."""
    if has_no_condition(node.type):
        return items
    array = scope.bind(items.array)
    around = replace(outer, stages=None, guard=None)
    found = replace(items, array=array)

    def holds(item: Column) -> Expr:
        test = condition_holds(around, node, left.columns, items.unpack(item))
        assert test is not None
        return test

    return kept_items(found, holds)


def _semi_anti_or_mark(node: p.Join, left: Rows, scope: Scope, items: Items) -> Rows:
    """A semi, anti or mark join: the left rows with a match, those without, or all with a flag."""
    has = derive(t.BOOL, F.array_size(items.array.column) > 0, items.array)
    if node.capture is p.Capture.LEFT_MARK:
        return project(left, scope, [*left.columns, has], node.where)
    wanted = has if node.capture is p.Capture.LEFT_SEMI else derive(t.BOOL, ~has.plain, has)
    return filter_rows(left, scope, [wanted], node)


def _explode_items(left: Rows, scope: Scope, items: Items, keep: bool, node: p.Join) -> Rows:
    rows = apply_stages(left, scope, node.where)
    run = scope.run
    position, item = run.name(), run.name()
    explode = F.posexplode_outer if keep else F.posexplode
    kept = [F.col(name) for name in rows.names()]
    frame = rows.materialize().select(*kept, explode(items.array.column).alias(position, item))
    item_exprs = tuple(expr.with_place(names=(item,)) for expr in items.unpack(F.col(item)))
    if keep:
        item_exprs = tuple(null_unless(expr, F.col(position).isNotNull(), (position,)) for expr in item_exprs)
    ordered = joined_order(left.ordered, items.ordered)
    order = (*rows.order, Order(reference(t.INT64, position))) if ordered is not False else ()
    listed = rows.listed
    if ordered is None and items.listed is not None:
        before, test = rows.materialize(), items.listed.plain
        listed = (*listed, lambda: before.agg(F.bool_and(test)))
    operators = rows.stacked(run, 1, node.where)
    return Rows(frame, rows.columns + item_exprs, order, ordered, operators=operators, listed=listed)


def _sees_left(node: p.Join, left: Rows) -> bool:
    """Does the right of a lateral join refer to the left row, or to a row of an outer query?"""
    here = RowScope(tuple(t.Field(None, expr.type) for expr in left.columns))
    for visit in visits(node.right, here):
        if isinstance(visit.node, p.Var) and visit.scope is not None:
            target = visit.scope.at(visit.node.depth)
            if target is here or target is None:
                return True
    return False
