"""Top-N: the first rows in the order of the keys.

With constant counts it is a sort and a limit, which Spark runs as `TakeOrderedAndProject`. With ties, or with counts
that are known only at run time, the rows are numbered and ranked by a window.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.spark.core.expr import UNKNOWN, Depth, Expr, derive
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import Layout, Order, Rows, apply_stages, keep_needed, one_row, project
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.relations.unary import MOST_ROWS, constant_value, sort_order
from firesteel.spark.scalar.arguments import view
from firesteel.values import MISSING

_WRONG = "a top-N takes a number of rows"
#: No frame has so many rows, and the sum of two such numbers is still a 64-bit integer.
_ALL = 2**53


@handles(p.TopN)
def _top_n(node: p.TopN, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    keys = yield from sort_order(node.specs, scope)
    staged = apply_stages(rows, scope, node.where)
    sorted_rows = replace(staged, order=(*keys, *rows.order), ordered=True, sorted=False, layout=Layout.UNKNOWN)
    count = _constant_size(node.count, node, outer.run, _ALL)
    skip = 0 if node.skip is None else _constant_size(node.skip, node, outer.run, 0)
    if not isinstance(count, int) or not isinstance(skip, int):
        sizes = yield from _sizes(node, outer)
        return _cut(node, sorted_rows, keys, sizes, outer)
    if node.ties:
        return _cut(node, sorted_rows, keys, Sizes(F.lit(skip), F.lit(skip + count)), outer)
    frame = sorted_rows.in_order()
    frame = frame.limit(skip + count) if skip + count <= MOST_ROWS else frame
    frame = frame.offset(min(skip, MOST_ROWS)) if skip else frame
    return sorted_rows.over(frame, sorted=True, operators=rows.stacked(outer.run, 3, node.where))


def _constant_size(rex: p.Rex, node: p.TopN, run: Run, default: int) -> int | object:
    """A number of rows, if it is known before running, else UNKNOWN. NULL stands for the default."""
    value: Any = constant_value(rex, run)
    if type(value) is int and value >= 0:
        return min(value, _ALL)
    if value is UNKNOWN:
        return UNKNOWN
    if value is None or value is MISSING:
        return default
    raise EvaluationError(f"{_WRONG}, not {value!r}", where=node.where)


class Sizes(NamedTuple):
    """The numbers, counted from 1, of the last row that is skipped and of the last row that is kept; and the frame of
    one row that has them as columns, if they are known only at run time."""

    skipped: Column
    last: Column
    counted: Rows | None = None


def _sizes(node: p.TopN, outer: Scope) -> Compiling[Sizes]:
    """The sizes as columns of one row: the counts see no other."""
    alone = one_row(outer.run)
    scope = alone.scope(outer)
    found: list[Expr] = []
    for rex, default in ((node.skip, 0), (node.count, _ALL)):
        value = scope.bind((yield from expr_of(rex if rex is not None else p.Lit(t.INT64, 0), scope)))
        found.append(_size(scope, value, node, default))
    skipped, last = found[0], derive(t.INT64, found[0].plain + found[1].plain, *found)
    counted = project(alone, scope, [skipped, last], node.where)
    return Sizes(counted.columns[0].column, counted.columns[1].column, counted)


def _size(scope: Scope, value: Expr, node: p.TopN, default: int) -> Expr:
    seen = view(scope, value, "int")
    wrong = scope.run.error(_WRONG, node.where).cast("bigint")
    bad = seen.value < 0 if seen.misfit is None else seen.misfit | (seen.value < 0)
    size = F.least(F.coalesce(seen.value, F.lit(default)), F.lit(_ALL))
    return scope.bind(derive(t.INT64, F.when(bad, wrong).otherwise(size), *seen.parts, throws=True, cost=Depth.TINY))


def _cut(node: p.TopN, rows: Rows, keys: list[Order], sizes: Sizes, outer: Scope) -> Rows:
    """The rows between two numbers in the order of the list. A row that is tied with the last one has a rank that is no
    greater than the number of the last."""
    number, rank = outer.run.name(), outer.run.name()
    place = F.row_number().over(F.Window.orderBy(*(one.column() for one in rows.order)))
    tied = F.rank().over(F.Window.orderBy(*(one.column() for one in keys)))
    frame = rows.materialize().select("*", place.alias(number), tied.alias(rank))
    if sizes.counted is not None:
        frame = frame.crossJoin(sizes.counted.materialize())
    frame = frame.filter((F.col(number) > sizes.skipped) & (F.col(rank if node.ties else number) <= sizes.last))
    cut = rows.over(frame, sorted=False, operators=rows.stacked(outer.run, 4, node.where))
    return keep_needed(cut) if cut.names() else cut
