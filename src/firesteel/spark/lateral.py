"""Lateral joins: left rows, each with what the right is for it.

A right that is a plain scan or unpivot explodes the value that it ranges over; any other is an array of items
(`nested.py`), exploded; one that does not look at the left row is no lateral join at all.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from pyspark.sql import functions as F

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan.scope import Scope as PlanScope
from firesteel.plan.scope import visits
from firesteel.spark.expr import reference
from firesteel.spark.nested import Items, filtered_items
from firesteel.spark.rel import filtered
from firesteel.spark.rex import truth
from firesteel.spark.rows import Order, Rows, staged
from firesteel.spark.scans import exploded, padded
from firesteel.spark.scope import Scope


def lateral_rows(node: p.Join, left: Rows, outer: Scope) -> Generator[Any, Any, Rows]:
    """Left rows, each with what the right is for it."""
    if not _sees_left(node, left):
        result: Rows = yield node.replace(lateral=False), outer
        return result
    scope = left.scope(outer)
    keep = node.capture.pads_right
    condition = node.type.condition if isinstance(node.type, p.Theta) else None
    certain = condition is None or (isinstance(condition, p.Lit) and condition.value is True)
    if isinstance(node.type, p.Equi):
        raise UnsupportedError("a lateral 'join' by keys on Spark", where=node.where, help="write it as a condition")
    if isinstance(node.right, p.Scan | p.ScanIndexed | p.Unpivot) and (certain or not keep):
        expr = yield node.right.rex, scope
        rows = exploded(left, scope, node.right, expr, keep=keep)
    else:
        items: Items = yield node.right, scope, True
        if condition is not None and keep and not certain:
            where = condition.where or node.where
            items = filtered_items(scope, items, condition, lambda item: left.columns + items.unpack(item), where)
        rows = _explode_items(left, scope, items, keep, node)
    if certain or keep or condition is None:
        return rows
    over = rows.scope(outer)
    value = yield condition, over
    return filtered(rows, over, [truth(over, value, "a condition is a boolean", condition.where or node.where)], node)


def _explode_items(left: Rows, scope: Scope, items: Items, keep: bool, node: p.Join) -> Rows:
    rows = staged(left, scope, node.where)
    run = scope.run
    position, item = run.name(), run.name()
    explode = F.posexplode_outer if keep else F.posexplode
    kept = [F.col(name) for name in rows.names()]
    frame = rows.frame.select(*kept, explode(items.array.column).alias(position, item))
    found = tuple(replace(expr, names=(item,)) for expr in items.unpack(F.col(item)))
    if keep:
        found = tuple(padded(expr, F.col(position).isNotNull(), (position,)) for expr in found)
    ordered = False if left.ordered is False or items.ordered is False else None
    if left.ordered and items.ordered:
        ordered = True
    order = (*rows.order, Order(reference(t.INT64, position))) if ordered is not False else ()
    return Rows(frame, rows.columns + found, order, ordered, operators=rows.stacked(run, 1, node.where))


def _sees_left(node: p.Join, left: Rows) -> bool:
    """Does the right of a lateral join mention the left row, or one around it?"""
    here = PlanScope(tuple(t.Field(None, expr.type) for expr in left.columns))
    for visit in visits(node.right, here):
        if isinstance(visit.node, p.Var) and visit.scope is not None:
            target = visit.scope.at(visit.node.depth)
            if target is here or target is None:
                return True
    return False
