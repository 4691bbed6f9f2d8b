"""What is promised of a table: an order, and a distribution.

A promise changes no row. If it is to be verified, a subquery beside the rows looks for the first row that breaks it,
and raises an error that names it; the rows themselves stay where they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from pyspark.sql import Column

from firesteel import plan as p
from firesteel.plan.field_paths import field_path
from firesteel.plan.properties import Properties, Singleton, is_partitioned
from firesteel.spark.core.expr import Expr, as_variant, reference, struct_expr
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import Layout, Order, Rows, apply_stages
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.relations.physical.fields import distribution_key
from firesteel.spark.relations.unary import sort_order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@handles(p.Promised)
def _promised(node: p.Promised, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    if node.verified:
        rows = yield from _verified(node, rows, outer)
    if rows.layout is Layout.EXCHANGED and not _follows(node, p.relation_properties(node.input)):
        return replace(rows, layout=Layout.UNKNOWN)
    return rows


def _follows(node: p.Promised, known: Properties) -> bool:
    """Does the distribution that is promised follow from what is known?"""
    if node.singleton:
        return isinstance(known.distribution, Singleton)
    paths = [field_path(rex) for rex in node.partitioned]
    return not paths or is_partitioned(known, [path for path in paths if path is not None])


# ---------------------------------------------------------------------------------------------------------------------
# Verification

#: The columns of the frame in which offending rows are looked for: a row's partition, its place among all rows, its
#: number in the partition, counted from 1, and the row as text.
_PART, _PLACE, _NUMBER, _TEXT = "part", "place", "number", "text"
#: The number of the partition where the partitions are not Spark's.
_NO_TASK = -1


def _verified(node: p.Promised, rows: Rows, outer: Scope) -> Compiling[Rows]:
    """The rows, read only if no row breaks the promise."""
    scope = rows.scope(outer)
    order = yield from sort_order(node.order, scope)
    fields: list[Expr] = []
    for rex in node.partitioned:
        fields += distribution_key(scope, (yield from expr_of(rex, scope)))
    staged = apply_stages(rows, scope, node.where)
    frame = _numbered(node, staged, [*(one.expr for one in order), *fields])
    tests: list[DataFrame] = []
    if order:
        keys = [Order(reference(one.expr.type, f"k{i}"), one.order) for i, one in enumerate(order)]
        tests.append(_raising(_out_of_order(frame, keys), "is not in the order that is promised", node, outer))
    if fields:
        keys_ = [F.col(f"k{len(order) + i}") for i in range(len(fields))]
        said = "is not in the partition of the rows that are like it in the promised fields"
        tests.append(_raising(_apart(frame, keys_), said, node, outer))
    if node.singleton:
        tests.append(_raising(_in_second_partition(frame), "is in a second partition", node, outer))
    if not tests:
        return rows
    held = reduce(and_, (test.scalar() for test in tests))
    checked = rows.materialize().filter(held)
    return rows.row_by_row(checked, operators=rows.stacked(outer.run, 5, node.where))


def _numbered(node: p.Promised, rows: Rows, keys: list[Expr]) -> DataFrame:
    """Every row with its partition, its place, its number, its text, and the keys (`k0`, `k1` ...).

    The partitions of a DataFrame, and those of an exchange, are Spark's. Those of a table of files are the files, which
    Spark may split or pack together. Any other table is one partition."""
    task, file, block = F.lit(_NO_TASK), F.lit(""), F.lit(0)
    if rows.layout is not Layout.UNKNOWN:
        task = F.spark_partition_id()
    elif not rows.order:
        file, block = F.input_file_name(), F.input_file_block_start()
    part = F.struct(task.alias("task"), file.alias("file")).alias(_PART)
    arrival = F.struct(block.alias("block"), F.monotonically_increasing_id().alias("row")).alias("arrival")
    frame = rows.materialize().select("*", part, arrival)
    order = [one.column() for one in rows.order] or [F.col("arrival")]
    number = F.row_number().over(F.Window.partitionBy(_PART).orderBy(*order)).alias(_NUMBER)
    columns = [expr.column.alias(f"k{i}") for i, expr in enumerate(keys)]
    place = F.struct(F.col(_PART), F.col("arrival")).alias(_PLACE)
    return frame.select(F.col(_PART), place, number, _text(node, rows).alias(_TEXT), *columns)


def _text(node: p.Promised, rows: Rows) -> Column:
    """A row for people, as JSON."""
    if len(rows.columns) == 1:
        return F.to_json(as_variant(rows.columns[0]))
    names = [field.name or f"_{i + 1}" for i, field in enumerate(p.schema(node.input))]
    return F.to_json(as_variant(struct_expr(zip(names, rows.columns, strict=True))))


def _raising(offences: DataFrame, message: str, node: p.Promised, outer: Scope) -> DataFrame:
    """One row: true, or an error if there are offences. The error names the first of them."""
    row = F.col("row")
    part = row[_PART]
    file = F.when(part["file"] != "", F.concat(F.lit(" of "), part["file"])).otherwise(F.lit(""))
    task = F.when(part["task"] != _NO_TASK, F.concat(F.lit(" of partition "), part["task"].cast("string")))
    said = [F.lit("row "), row[_NUMBER].cast("string"), F.coalesce(task, file), F.lit(f" {message}: "), row[_TEXT]]
    error = outer.run.error("", node.where, *said).cast("boolean")
    first = F.min_by(F.struct(_NUMBER, _PART, _TEXT), F.col(_PLACE)).alias("row")
    return offences.agg(first).select(F.when(row.isNotNull(), error).otherwise(F.lit(True)))


def _out_of_order(frame: DataFrame, keys: list[Order]) -> DataFrame:
    """The rows that have a lower rank than the row in front of them. Values of a field that is clustered may come in
    any sequence, so the number of the first row that is like this one ranks them."""
    columns: list[Column] = []
    for i, one in enumerate(keys):
        if one.order is p.SortOrder.CLUSTERED:
            like = F.Window.partitionBy(_PART, *(f"k{j}" for j in range(i + 1)))
            frame = frame.select("*", F.min(_NUMBER).over(like).alias(f"first{i}"))
            columns.append(F.col(f"first{i}"))
        else:
            columns.append(one.column())
    ranked = frame.select("*", F.dense_rank().over(F.Window.partitionBy(_PART).orderBy(*columns)).alias("rank"))
    before = F.lag("rank").over(F.Window.partitionBy(_PART).orderBy(_NUMBER)).alias("before")
    return ranked.select("*", before).filter(F.col("rank") < F.col("before"))


def _apart(frame: DataFrame, keys: list[Column]) -> DataFrame:
    """The rows whose keys are equal to those of a row in an earlier partition."""
    first = F.min(_PART).over(F.Window.partitionBy(*keys)).alias("first")
    return frame.select("*", first).filter(F.col(_PART) != F.col("first"))


def _in_second_partition(frame: DataFrame) -> DataFrame:
    """The first row of each partition that has rows, except the first of these partitions."""
    firsts = frame.groupBy(_PART).agg(
        F.min(_PLACE).alias(_PLACE), *(F.min_by(name, _PLACE).alias(name) for name in (_NUMBER, _TEXT))
    )
    return firsts.select("*", F.row_number().over(F.Window.orderBy(_PART)).alias("nth")).filter(F.col("nth") > 1)
