"""Exchanges and captures: to which partition a row goes.

A number of partitions that the plan gives is Spark's `repartition(n, ...)` or `repartitionById(n, ...)`: adaptive
execution does not merge such partitions. Without a number Spark decides. A row that goes to several partitions is
exploded first, to a row for each of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive, reference
from firesteel.spark.core.handlers import Compiling, expr_of, handles, part_of, rows_of
from firesteel.spark.core.rows import Layout, Order, Rows, apply_stages
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import versions
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import one_of
from firesteel.spark.relations.nested.items import Items, projected_items
from firesteel.spark.relations.physical.fields import distribution_key
from firesteel.spark.scalar.arguments import view
from firesteel.spark.scalar.structs import elements_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Sending(NamedTuple):
    """What a kind of exchange is compiled over: the exchange, its input, and the scope around it."""

    node: p.Exchange
    rows: Rows
    outer: Scope


@handles(p.Exchange)
def _exchange(node: p.Exchange, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    sent: Rows = yield from part_of(node.kind, Sending(node, rows, outer))
    if not node.numbered:
        return sent
    number = outer.run.name()
    frame = sent.materialize().select("*", F.spark_partition_id().alias(number))
    return sent.row_by_row(frame, columns=(*sent.columns, reference(t.INT32, number)))


def _exchanged(sending: Sending, frame: DataFrame, rows: Rows | None = None, operators: int = 1) -> Rows:
    """The rows in the partitions of the frame. A list keeps the columns of its order, and is sorted when needed."""
    rows = sending.rows if rows is None else rows
    layout = Layout.ONE if sending.node.partitions == 1 else Layout.EXCHANGED
    total = rows.stacked(sending.outer.run, operators, sending.node.where)
    return rows.over(frame, layout=layout, sorted=False, operators=total)


def _by_number(frame: DataFrame, count: int, number: Column, sending: Sending) -> DataFrame:
    """The rows of a frame, each in the partition of that number."""
    if not versions.has_feature(sending.outer.run.spark, "repartition_by_id"):
        raise UnsupportedError(
            f"an exchange of the kind '{sending.node.kind.tag}' needs DataFrame.repartitionById, which Spark has "
            "since 4.1",
            where=sending.node.where,
            help="use a newer Spark, or a scatter exchange",
        )
    return frame.repartitionById(count, number)


# ---------------------------------------------------------------------------------------------------------------------
# One partition for each row


@handles(p.Scatter)
def _scatter(kind: p.Scatter, sending: Sending) -> Compiling[Rows]:
    """By Spark's hash of comparison keys: it depends only on the values, their type and the number of partitions."""
    node, rows, outer = sending
    scope = rows.scope(outer)
    keys: list[Expr] = []
    for rex in kind.fields:
        keys += distribution_key(scope, (yield from expr_of(rex, scope)))
    rows = apply_stages(rows, scope, node.where)
    columns = [expr.column for expr in keys] or [F.lit(0)]
    frame = rows.materialize()
    made = frame.repartition(*columns) if node.partitions is None else frame.repartition(node.partitions, *columns)
    return _exchanged(sending, made, rows)


@handles(p.SingleBucket)
def _single_bucket(kind: p.SingleBucket, sending: Sending) -> Compiling[Rows]:
    node, rows, outer = sending
    scope = rows.scope(outer)
    value = scope.bind((yield from expr_of(kind.expression, scope)))
    # Catalyst may neither skip the test of a bucket nor make it only for rows that a later filter keeps.
    bucket = scope.bind(_bucket(scope, value, node, kind), dear=True)
    rows = apply_stages(rows, scope, node.where)
    frame = rows.materialize().filter(bucket.column.isNotNull())
    return _exchanged(sending, _by_bucket(frame, bucket.column, sending), rows, 2)


def _by_bucket(frame: DataFrame, bucket: Column, sending: Sending) -> DataFrame:
    """The rows of a frame by their buckets. Without a number of partitions, a bucket is only a key."""
    count = sending.node.partitions
    return frame.repartition(bucket) if count is None else _by_number(frame, count, bucket, sending)


def _bucket(scope: Scope, value: Expr, node: p.Exchange, kind: p.SingleBucket | p.MultiBucket) -> Expr:
    """The number of a partition: the value modulo their number, or an error if there is none of that number."""
    run, count = scope.run, node.partitions
    seen = view(scope, value, "int")
    number = seen.value
    column = F.when(number.isNull(), run.error("a bucket is a number", node.where).cast("bigint"))
    if kind.constrained:
        there = "" if count is None else f": there are {count}"
        wrong = run.error("no partition ", node.where, number.cast("string"), F.lit(there)).cast("bigint")
        outside = number < 0 if count is None else (number < 0) | (number >= count)
        column = column.when(outside, wrong)
    elif count is not None:
        number = F.pmod(number, F.lit(count))
    type_ = t.INT64 if count is None else t.INT32
    made = column.otherwise(number)
    return derive(type_, made if count is None else made.cast("int"), *seen.parts, throws=True, cost=Depth.SMALL)


@handles(p.RoundRobin)
def _round_robin(kind: p.RoundRobin, sending: Sending) -> Rows:
    """Exact: by the number of the row, counted in the order of a list, or as the rows come. Spark numbers the rows in
    one task."""
    node, rows, outer = sending
    frame = rows.materialize()
    if not kind.exact:
        made = frame.hint("repartition") if node.partitions is None else frame.repartition(node.partitions)
        return _exchanged(sending, made)
    run = outer.run
    count = int(run.spark.conf.get("spark.sql.shuffle.partitions") or 1) if node.partitions is None else node.partitions
    order = [one.column() for one in rows.order]
    if not order:
        arrival = run.name()
        frame, order = frame.select("*", F.monotonically_increasing_id().alias(arrival)), [F.col(arrival)]
    number = run.name()
    turn = F.pmod(F.row_number().over(F.Window.orderBy(*order)) - 1, F.lit(count)).cast("int")
    frame = frame.select("*", turn.alias(number))
    return _exchanged(sending, _by_number(frame, count, F.col(number), sending), operators=4)


# ---------------------------------------------------------------------------------------------------------------------
# Several partitions for each row


@handles(p.Broadcast)
def _broadcast(_: p.Broadcast, sending: Sending) -> Rows:
    """A copy for every partition; without a number of partitions, the rows as they are."""
    node, rows, outer = sending
    if node.partitions is None:
        return rows
    number = outer.run.name()
    copies = copied(rows, F.sequence(F.lit(0), F.lit(node.partitions - 1)), number, outer.run)
    frame = _by_number(copies.materialize(), node.partitions, F.col(number), sending)
    return _exchanged(sending, frame, copies, 3)


@handles(p.MultiBucket)
def _multi_bucket(kind: p.MultiBucket, sending: Sending) -> Compiling[Rows]:
    """A copy for each of the different buckets of a row."""
    node, rows, outer = sending
    scope = rows.scope(outer)
    value = scope.bind((yield from expr_of(kind.expression, scope)))
    buckets = scope.bind(_buckets(scope, value, node, kind), dear=True)
    rows = apply_stages(rows, scope, node.where)
    number = outer.run.name()
    copies = copied(rows, buckets.column, number, outer.run)
    return _exchanged(sending, _by_bucket(copies.materialize(), F.col(number), sending), copies, 3)


def _buckets(scope: Scope, value: Expr, node: p.Exchange, kind: p.MultiBucket) -> Expr:
    """The different buckets in a list, as an array of numbers."""
    array, element = elements_of(scope, value)
    items = Items(array, lambda item: (column_expr(element, item, atomic=True),), True)
    numbers = projected_items(scope, items, lambda inner, row: [_bucket(inner, row[0], node, kind)], node.where)
    column = F.array_distinct(F.transform(numbers.array.column, lambda item: item["e0"]))
    type_ = t.Array(t.INT64 if node.partitions is None else t.INT32)
    listed = _is_list(scope, value)
    wrong = scope.run.error("buckets are a list of numbers", node.where)
    empty = F.literal(None, "array<bigint>" if node.partitions is None else "array<int>")
    column = F.when(F.coalesce(listed, F.lit(False)), column).otherwise(F.when(wrong.cast("boolean"), empty))
    return derive(type_, column, value, numbers.array, throws=True, cost=Depth.SMALL)


def _is_list(scope: Scope, value: Expr) -> Column:
    """Is a value a list that is there?"""
    if isinstance(value, Variant):
        return one_of(scope.kind(value).column, Kind.ARRAY, Kind.SEXP)
    if not isinstance(value.type, t.Array | t.Sexp):
        return F.lit(False)
    absent = value.is_absent()
    return F.lit(True) if absent is None else ~absent


def copied(rows: Rows, numbers: Column, number: str, run: Run) -> Rows:
    """Each row as often as its array of numbers has elements, with one of them in the column `number`. The copies of a
    row of a list stay side by side, even if other rows are equal to it in the keys that the list is sorted by."""
    frame, order = rows.materialize(), rows.order
    if rows.ordered is not False:
        row = run.name()
        frame = frame.select("*", F.monotonically_increasing_id().alias(row))
        order = (*order, Order(reference(t.INT64, row)))
    frame = frame.select("*", F.explode(numbers).alias(number))
    return rows.row_by_row(frame, order=order, sorted=False)


# ---------------------------------------------------------------------------------------------------------------------
# Captures


@handles(p.MergingCapture)
def _merging_capture(node: p.MergingCapture, outer: Scope) -> Compiling[Rows]:
    """Nothing to do: the rows of a list are merged in order when the answer is gathered."""
    return (yield from rows_of(node.input, outer))


@handles(p.SimpleCapture)
def _simple_capture(node: p.SimpleCapture, outer: Scope) -> Compiling[Rows]:
    """The rows in their partitions; a list becomes a bag."""
    rows = yield from rows_of(node.input, outer)
    return replace(rows, order=(), ordered=False, sorted=False, listed=())
