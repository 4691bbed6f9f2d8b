"""Joins of two frames, by Spark's own joins.

An inner join with a condition is a cross join and a filter, which Catalyst turns into a join. An outer join has its
condition inside, where no select can bind names. An outer join pads with SQL NULL, which would read as MISSING, but
must give NULL: so the padded side gets a marker column that is true in its own rows.

A semi or anti join is Spark's. A mark join (every left row, with whether it has a match) by keys alone is a left join
with the distinct keys of the right; any other is the union of a semi and an anti join.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark.core.conversions import absent_as_null, fit, split_variant
from firesteel.spark.core.expr import Expr, Variant, as_decimal, column_expr, derive, reference
from firesteel.spark.core.handlers import Compiling, expr_of, handles, part_of, rows_of
from firesteel.spark.core.rows import Rows, apply_stages
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import versions
from firesteel.spark.encoding.column_types import Form, common_type, form
from firesteel.spark.keys.comparison import is_own_key, key
from firesteel.spark.relations.expressions import truth
from firesteel.spark.relations.joins.lateral import lateral_rows
from firesteel.spark.relations.joins.python_pairs import join_by_pairs
from firesteel.spark.relations.joins.sides import NO_BOOLEAN, SECOND_MATCH, condition_place, joined_rows
from firesteel.spark.relations.joins.strategies import hide_keys, is_nested_loop, with_hints
from firesteel.spark.relations.scans import null_unless
from firesteel.spark.relations.unary import filter_rows
from firesteel.spark.scalar.compare import comparable_as_they_are, equality_key
from firesteel.spark.scalar.logic import balanced

_HOW = {
    p.Capture.INNER: "inner",
    p.Capture.LEFT: "left",
    p.Capture.RIGHT: "right",
    p.Capture.FULL: "full",
    p.Capture.LEFT_SEMI: "left_semi",
    p.Capture.LEFT_ANTI: "left_anti",
    p.Capture.LEFT_SINGLE: "left",
}

#: Two key columns, and whether NULL equals NULL (Spark's `<=>`).
Pair = tuple[Expr, Expr, bool]


@handles(p.Join)
def _join(node: p.Join, outer: Scope) -> Compiling[Rows]:
    if node.lateral:
        if node.capture.pads_left:
            raise PlanError(
                "a lateral join cannot keep right rows: there are none without a left row", where=node.where
            )
        left = yield from rows_of(node.left, outer)
        return (yield from lateral_rows(node, left, outer))
    left = yield from rows_of(node.left, outer)
    right = yield from rows_of(node.right, outer)
    left, right = with_hints(node, left, right)
    result: Rows = yield from part_of(node.type, Sides(node, left, right, outer))
    if node.strategy is not None and not node.keeps_left_order:
        return replace(result, order=(), ordered=False, sorted=False, listed=())
    return result


class Sides(NamedTuple):
    """What a kind of join is compiled over: the join, both of its inputs, and the scope around it."""

    node: p.Join
    left: Rows
    right: Rows
    outer: Scope


@handles(p.Cross)
def _cross(_: p.Cross, sides: Sides) -> Rows:
    node, left, right = sides.node, sides.left, sides.right
    frame = _with_only_row(left, right) if node.strategy is None and _is_only_row(node.right) else None
    joined = left.materialize().crossJoin(right.materialize()) if frame is None else frame
    return joined_rows(node, left, right, joined)


def _is_only_row(rel: p.Rel) -> bool:
    """Does the relation always have one row? An aggregate without GROUP BY has."""
    while isinstance(rel, p.Project | p.Sort):
        rel = rel.input
    return isinstance(rel, p.Aggregate) and not rel.keys


def _with_only_row(left: Rows, right: Rows) -> Any:
    """The right's only row beside every left row, as a scalar subquery: that needs no exchange, and Catalyst can push a
    condition on it down to the left's scan. The condition then contains the subquery once per mention of the value,
    which is often for a variant: None for those, and for more than one column."""
    column = right.columns[0] if len(right.columns) == 1 else None
    if column is None or not column.place.own or isinstance(column, Variant) or len(column.place.names) != 1:
        return None
    (name,) = column.place.names
    return left.materialize().select(F.col("*"), right.picked([(name, column)]).scalar().alias(name))


@handles(p.Theta)
def _theta(theta: p.Theta, sides: Sides) -> Compiling[Rows]:
    node, left, right, outer = sides
    if theta.capture is p.Capture.INNER and not is_nested_loop(node):
        rows = joined_rows(node, left, right, left.materialize().crossJoin(right.materialize()))
        return (yield from _residual(theta.condition, rows, node, outer))
    return (yield from _join_on_condition(theta.condition, [], node, left, right, outer))


@handles(p.Equi)
def _equi(equi: p.Equi, sides: Sides) -> Compiling[Rows]:
    node, left, right, outer = sides
    scopes = (left.scope(outer), right.scope(outer))
    pairs: list[Pair] = []
    for both in equi.keys:
        a = _bind_key(scopes[0], (yield from expr_of(both.left, scopes[0])))
        b = _bind_key(scopes[1], (yield from expr_of(both.right, scopes[1])))
        pairs += _same_pairs(a, b, scopes) if both.same else [(*_equal_pair(a, b, scopes), False)]
    left, right = apply_stages(left, scopes[0], node.where), apply_stages(right, scopes[1], node.where)
    pairs, left, right = _hide_variant_keys(pairs, left, right, outer.run)
    tests = [_test(pair) for pair in pairs]
    if equi.residual is None and equi.capture is p.Capture.LEFT_MARK and pairs and not is_nested_loop(node):
        return _mark_by_keys(left, right, pairs, outer)
    slim = equi.residual is None and equi.capture is p.Capture.LEFT_SEMI and _is_slim(node.right, pairs)
    if slim and node.strategy is None and versions.has_feature(outer.run.spark, "in_frame"):
        return _semi_join_as_in(left, right, *pairs[0][:2])
    if equi.residual is not None and (equi.capture is not p.Capture.INNER or is_nested_loop(node)):
        return (yield from _join_on_condition(equi.residual, tests, node, left, right, outer))
    rows = _join_frames(node, left, right, balanced(tests, True) if tests else F.lit(True), outer)
    return rows if equi.residual is None else (yield from _residual(equi.residual, rows, node, outer))


def _bind_key(scope: Scope, key_expr: Expr) -> Expr:
    """Bind a key to a name. Catalyst adds `key IS NOT NULL` and pushes it below an explode, to rows that the explode
    drops. A key that may raise an error is bound so that Catalyst cannot move it (`dear`)."""
    expr = split_variant(as_decimal(key_expr))
    return scope.bind(expr, dear=expr.place.throws)


def _hide_variant_keys(pairs: list[Pair], left: Rows, right: Rows, run: Run) -> tuple[list[Pair], Rows, Rows]:
    """Put keys that are variants behind an explode of one element. Catalyst traces the keys of a join through all
    selects down to the scan and inlines every name on the way: the expression of such a key would grow without end."""
    hidden: list[Pair] = []
    for a, b, same in pairs:
        if isinstance(a, Variant) or isinstance(b, Variant):
            names = run.name(), run.name()
            left, right = (
                rows.over(rows.materialize().select(F.col("*"), F.explode(F.array(expr.column)).alias(name)))
                for rows, expr, name in ((left, a, names[0]), (right, b, names[1]))
            )
            a, b = reference(a.type, names[0]), reference(b.type, names[1])
        hidden.append((a, b, same))
    return hidden, left, right


def _residual(condition: p.Rex, rows: Rows, node: p.Join, outer: Scope) -> Compiling[Rows]:
    """The joined rows for which a further condition is true."""
    scope = rows.scope(outer)
    value = yield from expr_of(condition, scope)
    held = truth(scope, value, NO_BOOLEAN, condition_place(condition, node))
    return filter_rows(rows, scope, [held], node)


def _join_on_condition(
    condition: p.Rex, tests: list[Column], node: p.Join, left: Rows, right: Rows, outer: Scope
) -> Compiling[Rows]:
    """A join by a condition over both rows. No select can bind names inside a join: an expression over one side is
    bound on that side. If that is not enough, the condition is a column of all pairs of rows (`python_pairs`)."""
    row, attempt = left.columns + right.columns, outer.run.fallbacks.begin()
    a, b = (replace(rows.scope(outer), row=row) for rows in (left, right))
    sides = {ordinal: a if ordinal < len(left.columns) else b for ordinal in range(len(row))}
    scope = Scope(outer.run, row, outer, sides=sides)
    try:
        value = yield from expr_of(condition, scope)
    except UnsupportedError:
        attempt.abandon()
        if node.capture is p.Capture.INNER:
            rows = _join_frames(node, left, right, balanced(tests, True) if tests else F.lit(True), outer)
            return (yield from _residual(condition, rows, node, outer))
        return (yield from join_by_pairs(node, condition, tests, left, right, outer))
    held = truth(scope, value, NO_BOOLEAN, condition_place(condition, node))
    left, right, last = _pin_condition(
        held, apply_stages(left, a, node.where), apply_stages(right, b, node.where), outer.run
    )
    return _join_frames(node, left, right, balanced([*tests, last], True), outer)


def _pin_condition(condition: Expr, left: Rows, right: Rows, run: Run) -> tuple[Rows, Rows, Column]:
    """Keep Catalyst from pushing a condition that may raise an error below an explode, to rows that the explode drops:
    the condition includes a column of each side that Catalyst does not move (`F.once`)."""
    column = condition.plain
    if not condition.place.throws:
        return left, right, column
    walls = run.name(), run.name()
    left, right = (
        rows.over(rows.materialize().select(F.col("*"), F.once(F.lit(True)).alias(name)))
        for rows, name in zip((left, right), walls, strict=True)
    )
    return left, right, F.col(walls[0]) & F.col(walls[1]) & column


def _test(pair: Pair) -> Column:
    a, b, same = pair
    return a.column.eqNullSafe(b.column) if same else a.column == b.column


def _same_pairs(a: Expr, b: Expr, scopes: tuple[Scope, Scope]) -> list[Pair]:
    """Key columns to join by deep equality: NULL equals NULL, MISSING equals MISSING."""
    shared = common_type((a.type, b.type))
    if not shared.absent and not isinstance(a, Variant) and not isinstance(b, Variant) and is_own_key(shared):
        return [(derive(shared, a.plain, a), derive(shared, b.plain, b), False)]
    pairs: list[Pair] = []
    if shared.missable:
        flags = []
        for scope, expr in zip(scopes, (a, b), strict=True):
            missing = expr.is_missing()
            flags.append(scope.bind(derive(t.BOOL, F.lit(False) if missing is None else missing, expr)))
        pairs.append((flags[0], flags[1], False))
    if not isinstance(a, Variant) and not isinstance(b, Variant) and is_own_key(t.proper(shared)):
        nullable = t.absent(t.proper(shared), nullable=True)
        return [*pairs, (derive(nullable, a.plain, a), derive(nullable, b.plain, b), True)]
    keys = [s.bind(key(s, s.variant(e)[0])) for s, e in zip(scopes, (a, b), strict=True)]
    return [*pairs, (keys[0], keys[1], True)]


def _equal_pair(a: Expr, b: Expr, scopes: tuple[Scope, Scope]) -> tuple[Expr, Expr]:
    """Two key columns that Spark can join by: equal exactly where `=` is true."""
    plain = not isinstance(a, Variant) and not isinstance(b, Variant)
    shared = common_type((t.proper(a.type), t.proper(b.type)))
    if plain and is_own_key(shared):
        sides = [derive(t.absent(shared, nullable=True), e.plain, e) for e in (a, b)]
        return sides[0], sides[1]
    if plain and all(isinstance(e.type, t.Number) for e in (a, b)) and comparable_as_they_are(a, b):
        return (derive(a.type, a.plain, a), derive(b.type, b.plain, b))
    if plain and form(shared) is not Form.VARIANT:
        wide = t.absent(shared, nullable=True)
        fitted = [derive(wide, fit(absent_as_null(e), wide), e) for e in (a, b)]
        keys = [s.bind(key(s, s.bind(e))) for s, e in zip(scopes, fitted, strict=True)]
        return keys[0], keys[1]
    return _dynamic(a, scopes[0]), _dynamic(b, scopes[1])


def _dynamic(expr: Expr, scope: Scope) -> Expr:
    return scope.bind(equality_key(scope, expr))


def _join_frames(node: p.Join, left: Rows, right: Rows, condition: Column, outer: Scope) -> Rows:
    """Spark's join, with a marker column on each side that it pads."""
    run, capture = outer.run, node.capture
    if is_nested_loop(node):
        left, condition = hide_keys(left, condition, run)
    if capture.tests:
        return _semi_anti_or_mark(capture, left, right, condition, outer)
    if capture is p.Capture.INNER:
        left, right = left.with_columns_computed(), right.with_columns_computed()
        every = reduce(and_, (*left.pending_filters, *right.pending_filters), condition)
        return joined_rows(node, left, right, left.base.join(right.base, every, "inner"))
    markers: dict[str, str] = {}
    frames = {"left": left.materialize(), "right": right.materialize()}
    for side, pads in (("left", capture.pads_left), ("right", capture.pads_right)):
        if pads:
            markers[side] = run.name()
            frames[side] = frames[side].withColumn(markers[side], F.lit(True))
    single = capture is p.Capture.LEFT_SINGLE
    number = run.name()
    if single:
        frames["left"] = frames["left"].withColumn(number, F.monotonically_increasing_id())
    frame = frames["left"].join(frames["right"], condition, _HOW[capture])
    if single:
        frame = _check_single(frame, number, node, run)
    rows = joined_rows(node, left, right, frame)
    columns = []
    for side, found in (("left", left), ("right", right)):
        marker = markers.get(side)
        for expr in found.columns:
            columns.append(expr if marker is None else null_unless(expr, F.col(marker).isNotNull(), (marker,)))
    return replace(rows, columns=tuple(columns))


def _check_single(frame: Any, number: str, node: p.Join, run: Run) -> Any:
    """Raise an error if two of the joined rows come from one left row."""
    matches = run.name()
    frame = frame.withColumn(matches, F.count(F.lit(1)).over(F.Window.partitionBy(number)))
    wrong = run.error(SECOND_MATCH, node.where)
    return frame.filter(F.when(F.col(matches) > 1, wrong.cast("boolean")).otherwise(True))


# ---------------------------------------------------------------------------------------------------------------------
# Joins that only test whether there is a match: semi, anti, mark


def _semi_anti_or_mark(capture: p.Capture, left: Rows, right: Rows, condition: Column, outer: Scope) -> Rows:
    operators = max(left.operators, right.operators) + 1
    if capture is not p.Capture.LEFT_MARK:
        right = right.with_columns_computed()
        frame = left.materialize().join(right.base, reduce(and_, right.pending_filters, condition), _HOW[capture])
        return left.over(frame, sorted=False, operators=operators)
    mark = outer.run.name()
    with_, without = (
        left.materialize().join(right.materialize(), condition, how).withColumn(mark, F.lit(found))
        for how, found in (("left_semi", True), ("left_anti", False))
    )
    return _add_mark(left, with_.union(without), reference(t.BOOL, mark), operators + 2)


def _is_slim(rel: p.Rel, pairs: list[Pair]) -> bool:
    """Is the right side just a scan with filters, joined by a single key?"""
    while isinstance(rel, p.Project | p.Filter):
        rel = rel.input
    if not isinstance(rel, p.Scan) or len(pairs) != 1:
        return False
    a, b, same = pairs[0]
    return not same and t.proper(a.type) == t.proper(b.type)


def _semi_join_as_in(left: Rows, right: Rows, a: Expr, b: Expr) -> Rows:
    """A semi join as Spark's IN. Unlike for a join, Catalyst infers the IN for every column that equals the key, and
    another table is filtered before it is aggregated. The subquery runs once more for that: it pays if it is slim."""
    left = left.with_columns_computed()
    frame = left.base.filter(reduce(and_, left.pending_filters, a.column.isin(right.materialize().select(b.column))))
    return left.over(frame, sorted=False, operators=max(left.operators, right.operators) + 1)


def _mark_by_keys(left: Rows, right: Rows, pairs: list[Pair], outer: Scope) -> Rows:
    """A mark join as a left join with the right's distinct keys: a left row matches at most one of them."""
    run = outer.run
    names = [run.name() for _ in pairs]
    key_columns = right.materialize().select(
        *(b.column.alias(name) for name, (_, b, _) in zip(names, pairs, strict=True))
    )
    mark = run.name()
    there = key_columns.distinct().withColumn(mark, F.lit(True))
    tests = [_test((a, reference(b.type, name), same)) for name, (a, b, same) in zip(names, pairs, strict=True)]
    frame = left.materialize().join(there, balanced(tests, True), "left")
    marked = column_expr(t.BOOL, F.col(mark).isNotNull(), atomic=True, names=(mark,))
    return _add_mark(left, frame, marked, max(left.operators, right.operators) + 3)


def _add_mark(left: Rows, frame: Any, mark: Expr, operators: int) -> Rows:
    return left.over(frame, columns=(*left.columns, mark), sorted=False, operators=operators)
