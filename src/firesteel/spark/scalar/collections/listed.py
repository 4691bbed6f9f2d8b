"""Aggregates that keep every value: `array_agg` and `string_agg`. The call may say in which order."""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.evaluate.scalar.text import LONGEST
from firesteel.spark.core.expr import Depth, Expr, column_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.scalar.arguments import View, view
from firesteel.spark.scalar.collections.aggregates import Aggregate, Group
from firesteel.spark.scalar.collections.in_order import in_order


def _collected(group: Group, value: Column) -> Column:
    """The values that are not SQL NULL, as an array in the call's order."""
    return in_order(group.add, group.order, value) if group.order else group.add(F.collect_list(value))


def _array_agg(group: Group, arg: Expr) -> Expr:
    """Inside a struct Spark keeps NULL and MISSING."""
    value = group.bound(arg)
    every = _collected(group, F.struct(value.column.alias("v")))
    return column_expr(t.Array(value.type), F.transform(every, lambda item: item["v"]), height=Depth.TINY)


def _string_agg(group: Group, *args: Expr) -> Expr:
    """A separator is put before the text of its own row."""
    views = [view(group.scope, group.bound(arg), "text") for arg in args]
    text = views[0].value
    mark = F.coalesce(views[1].value, F.lit("")) if len(views) > 1 else F.lit("")
    every = _collected(group, F.when(text.isNotNull(), F.struct(text.alias("t"), mark.alias("s"))))
    every = F.array_distinct(every) if group.distinct else every
    parts = F.transform(every, lambda one, i: F.when(i == 0, one["t"]).otherwise(F.concat(one["s"], one["t"])))
    size = F.aggregate(parts, F.literal(0, "bigint"), lambda total, one: total + F.char_length(one))
    joined = F.when(size > LONGEST, group.error(f"a text of more than {LONGEST:,} characters")).otherwise(
        F.call_function("array_join", parts, F.lit(""))
    )
    found = F.when(F.array_size(every) > 0, joined)
    wrong = variants.any_of(one.misfit for one in views if one.misfit is not None)
    if wrong is None:
        return column_expr(t.String(nullable=True), found, height=Depth.MEDIUM, throws=True)
    others = group.add(F.count(F.when(wrong & _is_there(views[0]), 1)))
    column = F.when(others > 0, group.forgiven("string_agg takes text")).otherwise(
        F.coalesce(found.cast("variant"), variants.null())
    )
    full = t.absent(t.STRING, nullable=True, missable=True)
    return column_expr(full, column, height=Depth.LARGE, throws=True)


def _is_there(one: View) -> Column:
    absent = one.expr.is_absent()
    return F.lit(True) if absent is None else ~absent


LISTED: dict[str, Aggregate] = {"array_agg": _array_agg, "string_agg": _string_agg}
