"""Joins.

An inner join with a condition is a cross join and a filter, which Catalyst makes a join of; an outer one has its
condition inside, compiled without selects. What pads is NULL and not MISSING, so the padded side brings a column that
says where it is there. The right of a lateral join is an array of each left row, exploded.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.spark.compare import equality_key
from firesteel.spark.encoding import Form, common, form
from firesteel.spark.expr import Expr, fit, made, opened
from firesteel.spark.handlers import handles
from firesteel.spark.keys import is_own_key, key
from firesteel.spark.lateral import lateral_rows
from firesteel.spark.logic import balanced
from firesteel.spark.rel import filtered
from firesteel.spark.rex import truth
from firesteel.spark.rows import Rows, staged
from firesteel.spark.scans import padded
from firesteel.spark.scope import Scope

Compiling = Generator[Any, Any, Rows]

_HOW = {p.Capture.INNER: "inner", p.Capture.LEFT: "left", p.Capture.RIGHT: "right", p.Capture.FULL: "full"}


@handles(p.Join)
def _join(node: p.Join, outer: Scope) -> Compiling:
    if node.lateral:
        if node.capture.pads_left:
            raise PlanError(
                "a lateral join cannot keep right rows: there are none without a left row", where=node.where
            )
        left: Rows = yield node.left, outer
        return (yield from lateral_rows(node, left, outer))
    left = yield node.left, outer
    right: Rows = yield node.right, outer
    result: Rows = yield node.type, (node, left, right, outer)
    return result


@handles(p.Cross)
def _cross(_: p.Cross, parts: tuple[p.Join, Rows, Rows, Scope]) -> Rows:
    node, left, right, outer = parts
    return _beside(node, left, right, left.frame.crossJoin(right.frame), outer)


def _beside(node: p.Join, left: Rows, right: Rows, frame: Any, outer: Scope) -> Rows:
    ordered = False if left.ordered is False or right.ordered is False or node.capture.pads_left else None
    if left.ordered and right.ordered and ordered is None:
        ordered = True
    return Rows(
        frame,
        left.columns + right.columns,
        (*left.order, *right.order) if ordered is not False else (),
        ordered,
        operators=max(left.operators, right.operators) + 1,
    )


@handles(p.Theta)
def _theta(theta: p.Theta, parts: tuple[p.Join, Rows, Rows, Scope]) -> Compiling:
    node, left, right, outer = parts
    where = theta.condition.where or theta.where or node.where
    if theta.capture is p.Capture.INNER:
        rows = _beside(node, left, right, left.frame.crossJoin(right.frame), outer)
        scope = rows.scope(outer)
        condition = yield theta.condition, scope
        return filtered(rows, scope, [truth(scope, condition, "a condition is a boolean", where)], node)
    scope = Scope(outer.run, left.columns + right.columns, outer)
    condition = yield theta.condition, scope
    held = truth(scope, condition, "a condition is a boolean", where)
    return _outer_join(node, left, right, held.plain, outer)


@handles(p.Equi)
def _equi(equi: p.Equi, parts: tuple[p.Join, Rows, Rows, Scope]) -> Compiling:
    node, left, right, outer = parts
    scopes = (left.scope(outer), right.scope(outer))
    pairs: list[tuple[Expr, Expr]] = []
    for both in equi.keys:
        a = yield both.left, scopes[0]
        b = yield both.right, scopes[1]
        pairs.append(_alike(scopes[0].bind(opened(a)), scopes[1].bind(opened(b)), scopes, node))
    left, right = staged(left, scopes[0], node.where), staged(right, scopes[1], node.where)
    tests = [a.column == b.column for a, b in pairs]
    return _outer_join(node, left, right, balanced(tests, True) if tests else F.lit(True), outer)


def _alike(a: Expr, b: Expr, scopes: tuple[Scope, Scope], node: p.Join) -> tuple[Expr, Expr]:
    """Two keys as columns that Spark can join by, equal just where `=` is true."""
    plain = not a.dynamic and not b.dynamic
    shared = common((t.proper(a.type), t.proper(b.type)))
    if plain and is_own_key(shared):
        sides = [made(t.absent(shared, nullable=True), e.plain, e) for e in (a, b)]
        return sides[0], sides[1]
    numbers = plain and all(isinstance(e.type, t.Number) for e in (a, b))
    if numbers:
        return (made(a.type, a.plain, a), made(b.type, b.plain, b))
    if plain and form(shared) is not Form.VARIANT:
        wide = t.absent(shared, nullable=True)
        fitted = [made(wide, fit(e.renamed(t.absent(e.type, nullable=True, missable=False)), wide), e) for e in (a, b)]
        keys = [s.bind(key(s, s.bind(e), node.where)) for s, e in zip(scopes, fitted, strict=True)]
        return keys[0], keys[1]
    return _dynamic(a, scopes[0]), _dynamic(b, scopes[1])


def _dynamic(expr: Expr, scope: Scope) -> Expr:
    return scope.bind(equality_key(scope, expr))


def _outer_join(node: p.Join, left: Rows, right: Rows, condition: Column, outer: Scope) -> Rows:
    """The join, with a marker on each side that it pads."""
    run, capture = outer.run, node.capture
    markers: dict[str, str] = {}
    frames = {"left": left.frame, "right": right.frame}
    for side, pads in (("left", capture.pads_left), ("right", capture.pads_right)):
        if pads:
            markers[side] = run.name()
            frames[side] = frames[side].withColumn(markers[side], F.lit(True))
    frame = frames["left"].join(frames["right"], condition, _HOW[capture])
    rows = _beside(node, left, right, frame, outer)
    columns = []
    for side, found in (("left", left), ("right", right)):
        marker = markers.get(side)
        for expr in found.columns:
            columns.append(expr if marker is None else padded(expr, F.col(marker).isNotNull(), (marker,)))
    return replace(rows, columns=tuple(columns))
