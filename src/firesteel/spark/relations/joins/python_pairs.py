"""Outer, semi, anti and mark joins by a condition that runs in Python: Spark cannot run it inside the join.

All pairs are made first, and the condition is a column of them. Both sides' rows are numbered: a window over the pairs
of a row counts its matches, and if there is none, the first of its pairs stands for the row alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.expr import derive, reference
from firesteel.spark.core.handlers import Compiling, expr_of
from firesteel.spark.core.rows import Rows, apply_stages
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.relations.expressions import truth
from firesteel.spark.relations.joins.sides import NO_BOOLEAN, SECOND_MATCH, condition_place, joined_rows
from firesteel.spark.relations.scans import null_unless
from firesteel.spark.scalar.logic import balanced

_HOW = {p.Capture.RIGHT: "right", p.Capture.FULL: "full"}
#: The role of a pair in the result: a match, or a left or right row that has no match.
_MATCH, _LEFT, _RIGHT = range(3)


def join_by_pairs(
    node: p.Join, condition: p.Rex, tests: list[Column], left: Rows, right: Rows, outer: Scope
) -> Compiling[Rows]:
    """The rows of a join that is not an inner one. `tests` are native and stay inside Spark's join."""
    run, capture = outer.run, node.capture
    a, b = reference(t.INT64, run.name()), reference(t.INT64, run.name())
    frames = [
        rows.materialize().select(F.col("*"), F.monotonically_increasing_id().alias(number.place.names[0]))
        for rows, number in ((left, a), (right, b))
    ]
    frame = frames[0].join(frames[1], balanced(tests, True) if tests else F.lit(True), _HOW.get(capture, "left"))
    pairs = Rows(frame, left.columns + right.columns, operators=max(left.operators, right.operators) + 4)
    scope = pairs.scope(outer)
    there = scope.bind(derive(t.BOOL, a.plain.isNotNull() & b.plain.isNotNull(), a, b))
    within = scope.guarded(lambda: there.plain, there)
    value = yield from expr_of(condition, within)
    held = truth(within, value, NO_BOOLEAN, condition_place(condition, node))
    match = F.coalesce(F.when(there.plain, held.plain), F.lit(False))
    pairs = apply_stages(pairs, scope, node.where)
    name = run.name()
    frame = pairs.materialize().select(F.col("*"), match.alias(name))
    if capture.tests:
        return _semi_anti_or_mark(capture, left, frame, a.plain, F.col(name), pairs.operators, outer)
    roles = [F.when(F.col(name), F.lit(_MATCH))]
    if capture.pads_right:
        error = run.error(SECOND_MATCH, node.where).cast("int") if capture is p.Capture.LEFT_SINGLE else None
        roles.append(_unmatched_role(a.plain, F.col(name), _LEFT, error))
    if capture.pads_left:
        roles.append(_unmatched_role(b.plain, F.col(name), _RIGHT, None))
    return _explode_roles(node, left, right, frame, F.array(*roles), pairs.operators, outer)


def _is_first(number: Column) -> Column:
    return F.row_number().over(F.Window.partitionBy(number).orderBy(number)) == 1


def _matches(number: Column, match: Column) -> Column:
    return F.count(F.when(match, 1)).over(F.Window.partitionBy(number))


def _unmatched_role(number: Column, match: Column, role: int, error: Column | None) -> Column:
    """The role, in the first pair of a row without a match; else SQL NULL. `error` is for a row with two matches."""
    matches = _matches(number, match)
    unmatched = F.when(number.isNotNull() & (matches == 0) & _is_first(number), F.lit(role))
    return unmatched if error is None else unmatched.when(matches > 1, error)


def _semi_anti_or_mark(
    capture: p.Capture, left: Rows, frame: Any, number: Column, match: Column, operators: int, outer: Scope
) -> Rows:
    """A semi, anti or mark join: each left row at most once."""
    first, mark = outer.run.name(), outer.run.name()
    frame = frame.select(F.col("*"), _is_first(number).alias(first), (_matches(number, match) > 0).alias(mark))
    frame = frame.filter(F.col(first))
    if capture is p.Capture.LEFT_MARK:
        columns = (*left.columns, reference(t.BOOL, mark))
        return left.over(frame, columns=columns, sorted=False, operators=operators)
    frame = frame.filter(F.col(mark) if capture is p.Capture.LEFT_SEMI else ~F.col(mark))
    return left.over(frame, sorted=False, operators=operators)


def _explode_roles(
    node: p.Join, left: Rows, right: Rows, frame: Any, roles: Column, operators: int, outer: Scope
) -> Rows:
    """One row for each role of a pair; the side that the role leaves out is padded."""
    listed, role, *markers = (outer.run.name() for _ in range(4))
    frame = frame.select(F.col("*"), F.array_compact(roles).alias(listed))
    frame = frame.select(F.col("*"), F.explode(listed).alias(role))
    columns = []
    kept: list[Column] = []
    for rows, marker, other in ((left, markers[0], _RIGHT), (right, markers[1], _LEFT)):
        there = F.col(role) != other
        kept.append(there.alias(marker))
        kept += [F.when(there, F.col(name)).alias(name) for name in rows.materialize().columns]
        columns += [null_unless(expr, F.col(marker), (marker,)) for expr in rows.columns]
    rows = joined_rows(node, left, right, frame.select(*kept))
    return replace(rows, columns=tuple(columns), operators=operators)
