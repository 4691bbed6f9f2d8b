"""The values of a group as an array, in the order that an aggregate call says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel.spark.core.rows import Order
from firesteel.spark.encoding import columns as F


def in_order(add: Callable[[Column], Column], order: Sequence[Order], value: Column) -> Column:
    """The values that are not SQL NULL, in this order; `add` adds an aggregated column."""
    keys = [one.expr.column.alias(f"k{i}") for i, one in enumerate(order)]
    every = add(F.collect_list(F.when(value.isNotNull(), F.struct(*keys, value.alias("v")))))
    return F.transform(F.array_sort(every, lambda a, b: _compare(order, a, b)), lambda one: one["v"])


def _compare(order: Sequence[Order], a: Column, b: Column) -> Column:
    """-1, 0 or 1: which of two structs comes first."""
    result = F.lit(0)
    for i, spec in reversed(list(enumerate(order))):
        x, y = a[f"k{i}"], b[f"k{i}"]
        less, nulls = (1, -1)[not spec.order.descending], (1, -1)[spec.order.nulls_first]
        result = (
            F.when(x.isNull() & y.isNull(), result)
            .when(x.isNull(), F.lit(nulls))
            .when(y.isNull(), F.lit(-nulls))
            .when(x < y, F.lit(less))
            .when(x > y, F.lit(-less))
            .otherwise(result)
        )
    return result
