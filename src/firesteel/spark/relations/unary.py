"""Relations, except scans, joins, groups and set operators."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate import expression
from firesteel.functions.substrait import registered
from firesteel.node import has
from firesteel.spark.core.expr import UNKNOWN, Depth, Expr, Plain, derive, place_over
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import (
    Layout,
    Order,
    Rows,
    apply_stages,
    keep_needed,
    one_row,
    project,
    refuse_comparator,
)
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.keys.comparison import key
from firesteel.spark.relations.expressions import holds, truth
from firesteel.spark.scalar.arguments import view
from firesteel.spark.scalar.logic import balanced


@handles(p.Project)
def _project(node: p.Project, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    exprs = []
    for expr in node.exprs:
        exprs.append((yield from expr_of(expr, scope)))
    return project(rows, scope, exprs, node.where)


@handles(p.Filter)
def _filter(node: p.Filter, outer: Scope) -> Compiling[Rows]:
    """Filters over filters are link: a predicate is evaluated only where those below it hold."""
    chain = [node]
    while isinstance(chain[-1].input, p.Filter):
        chain.append(chain[-1].input)
    rows = yield from rows_of(chain[-1].input, outer)
    scope = here = rows.scope(outer)
    conditions = []
    for link in reversed(chain):
        predicate = yield from expr_of(link.predicate, here)
        held = here.lowered(truth(here, predicate, "a condition is a boolean", link.predicate.where or link.where))
        conditions.append(held)
        here = here.guarded(partial(holds, held), held)
    return filter_rows(rows, scope, conditions, node)


def filter_rows(rows: Rows, scope: Scope, conditions: list[Any], node: p.Rel) -> Rows:
    """The rows for which all conditions, compiled in the scope, are true."""
    assert scope.stages is not None
    bound = bool(scope.stages.levels)
    rows = apply_stages(rows, scope, node.where)
    operators = rows.stacked(scope.run, 1, node.where)
    condition = balanced([condition.plain for condition in conditions], True)
    if not bound and not any(condition.place.throws for condition in conditions):
        rows = rows.with_columns_computed()
        return replace(rows, pending_filters=(*rows.pending_filters, condition), operators=operators)
    result = rows.row_by_row(rows.materialize().filter(condition), operators=operators, facts=rows.facts)
    return keep_needed(result) if bound and result.names() else result


@handles(p.Sort)
def _sort(node: p.Sort, outer: Scope) -> Compiling[Rows]:
    """A stable sort: if the input is a list, its order breaks ties."""
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    order = yield from sort_order(node.specs, scope)
    # Rows that are known to be distributed stay in their partitions; any others may be sorted across partitions.
    layout = Layout.UNKNOWN if p.relation_properties(node).distribution is None else rows.layout
    placed = apply_stages(rows, scope, node.where)
    return replace(placed, order=(*order, *rows.order), ordered=True, sorted=False, layout=layout)


def sort_order(specs: tuple[p.SortSpec, ...], scope: Scope) -> Compiling[list[Order]]:
    """The columns to sort by."""
    order: list[Order] = []
    for spec in specs:
        value = yield from expr_of(spec.key, scope)
        sort_key = scope.bind(_compared(spec, value) if spec.comparator else key(scope, value, ordering=True))
        order.append(Order(sort_key.with_place(stage=0), spec.order))
    return order


def _compared(spec: p.SortSpec, value: Expr) -> Expr:
    """The column that sorts as a comparison function compares. `rank_comparators` has replaced functions without."""
    assert spec.comparator is not None
    found = registered(spec.comparator.name)
    if found is None or found.sort_key is None:
        refuse_comparator(spec)
    assert found is not None
    assert found.sort_key is not None
    return Plain(t.absent(t.STRING, nullable=True), found.sort_key(value.plain), place=place_over([value]))


@handles(p.Limit)
def _limit(node: p.Limit, outer: Scope) -> Compiling[Rows]:
    """LIMIT over OFFSET is `limit(count + skip).offset(skip)`. We add the numbers and do not leave that to Catalyst."""
    count = constant_count(node, outer.run)
    below = node.input
    skip = constant_count(below, outer.run) if isinstance(below, p.Offset) and isinstance(count, int) else None
    if isinstance(below, p.Offset) and isinstance(count, int) and isinstance(skip, int) and count + skip <= MOST_ROWS:
        rows = yield from rows_of(below.input, outer)
        frame = rows.in_order().limit(count + skip).offset(skip)
        return rows.over(frame, sorted=True, operators=rows.stacked(outer.run, 3, node.where))
    rows = yield from rows_of(node.input, outer)
    if not isinstance(count, int):
        return (yield from _slice_by_column(node, rows, outer))
    if count > MOST_ROWS:
        return rows  # no frame of ours has as many rows
    frame = rows.in_order().limit(count)
    return rows.over(frame, sorted=True, operators=rows.stacked(outer.run, 2, node.where))


@handles(p.Offset)
def _offset(node: p.Offset, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    count = constant_count(node, outer.run)
    if count is None:
        return rows
    if not isinstance(count, int):
        return (yield from _slice_by_column(node, rows, outer))
    frame = rows.in_order().offset(min(count, MOST_ROWS))
    return rows.over(frame, sorted=True, operators=rows.stacked(outer.run, 2, node.where))


#: The most rows that Spark's limit and offset take.
MOST_ROWS = 2**31 - 1


def _slice_by_column(node: p.Limit | p.Offset, rows: Rows, outer: Scope) -> Compiling[Rows]:
    """LIMIT or OFFSET by a number known only at run time: number the rows, and cross join them with that number."""
    alone = one_row(outer.run)
    scope = alone.scope(outer)
    value = yield from expr_of(node.count, scope)
    limit = scope.let([value], lambda bound: count_column(scope, bound, node))
    counted = project(alone, scope, [limit], node.where)
    place = outer.run.name()
    order = [spec.column() for spec in rows.order] or [F.lit(1)]
    numbered = rows.materialize().select("*", F.row_number().over(F.Window.orderBy(*order)).alias(place))
    frame = numbered.crossJoin(counted.materialize())
    size = counted.columns[0].column
    kept = F.col(place) <= size if isinstance(node, p.Limit) else F.col(place) > size
    sliced = rows.over(frame.filter(kept), sorted=False, operators=rows.stacked(outer.run, 4, node.where))
    return keep_needed(sliced) if sliced.names() else sliced


def count_column(scope: Scope, value: Expr, node: p.Limit | p.Offset) -> Expr:
    """The number of rows. Any other value is an error; in permissive mode a wrong OFFSET skips nothing."""
    seen = view(scope, value, "int")
    wrong: Column = scope.run.error(f"{node.tag.upper()} takes a number of rows", node.where)
    if isinstance(node, p.Offset) and not scope.run.strict:
        wrong = F.lit(0)
    column = F.when(seen.value >= 0, seen.value).otherwise(wrong)
    return derive(t.INT64, column.cast("bigint"), *seen.parts, throws=True, cost=Depth.TINY)


def constant_count(node: p.Limit | p.Offset, run: Run) -> int | object | None:
    """The number of rows, if it is known before running, else UNKNOWN. None: a wrong OFFSET that skips nothing."""
    count = constant_value(node.count, run)
    if count is UNKNOWN or (type(count) is int and count >= 0):
        return count
    if isinstance(node, p.Offset) and not run.strict:
        return None
    raise EvaluationError(f"{node.tag.upper()} takes a number of rows, not {count!r}", where=node.where)


def constant_value(rex: p.Rex, run: Run) -> Any:
    """The value of an expression that sees no row, if it is known before running, else UNKNOWN."""
    if isinstance(rex, p.Lit):
        return rex.value
    if has(rex, p.Var, p.Global, p.Rel):
        return UNKNOWN
    return expression(rex, p.Mode.STRICT if run.strict else p.Mode.PERMISSIVE)([])
