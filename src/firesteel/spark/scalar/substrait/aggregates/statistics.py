"""Spreads, correlations, modes and medians. PySpark has no DISTINCT for them: then they are computed over an array of
the distinct values, or refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.numbers.exact_decimals import finite
from firesteel.spark.scalar.substrait.aggregates.call import AggregateCall, collect_values
from firesteel.spark.scalar.substrait.integers import WIDE, number
from firesteel.spark.scalar.substrait.reals import integral

Aggregate = Callable[[AggregateCall], Expr]


def spread(sample: Callable[[Column], Column], population: Callable[[Column], Column], power: int) -> Aggregate:
    """A variance (the power 2) or a standard deviation (1)."""

    def build(call: AggregateCall) -> Expr:
        whole = call.choice("distribution", "SAMPLE") == "POPULATION"
        value = call.value().cast("double")
        if call.group.distinct:
            return call.after(call.cast(_spread_of_array(collect_values(call, value), whole, power)))
        return call.after(call.cast(call.group.add((population if whole else sample)(value))))

    return build


def _spread_of_array(every: Column, whole: bool, power: int) -> Column:
    """The same of the values in an array, NULL of none. They are divided by the greatest of them first: squares may
    overflow."""
    size = F.array_size(every).cast("double")
    count = size if whole else size - 1
    scale = F.array_max(F.transform(every, F.abs))
    unit = F.when(scale > 0, scale).otherwise(F.lit(1.0))
    scaled = F.transform(every, lambda one: one / unit)

    def total(array: Column) -> Column:
        return F.aggregate(array, F.lit(0.0), lambda sum_, one: sum_ + one)

    mean = F.try_divide(total(scaled), size)
    squares = F.try_divide(total(F.transform(scaled, lambda one: (one - mean) * (one - mean))), count)
    made = F.sqrt(squares) * unit if power == 1 else squares * unit * unit
    return F.when(size > 0, made)


def correlation(call: AggregateCall) -> Expr:
    """The correlation; NULL for a single pair, or if all x or all y are equal."""
    if call.group.distinct:
        raise call.unsupported("DISTINCT pairs")
    x, y = (call.value(i).cast("double") for i in range(2))
    pairs = [F.when(other.isNotNull(), one) for one, other in ((x, y), (y, x))]
    ends = [(call.group.add(F.min(one)), call.group.add(F.max(one))) for one in pairs]
    odd = call.group.add(F.bool_or(~finite(x) | ~finite(y)))
    found = call.group.add(F.corr(F.when(finite(x), x), F.when(finite(y), y)))
    if call.fn.name.startswith("datafusion:"):  # NULL where one side does not vary, even if the other is NaN
        vary = [(least < most) | F.isnan(most) for least, most in ends]
        value = F.when(vary[0] & vary[1], F.when(odd, F.lit(math.nan)).otherwise(found))
    else:
        differ = [least < most for least, most in ends]
        value = F.when(odd, F.lit(math.nan)).otherwise(F.when(differ[0] & differ[1], found))
    return call.after(call.cast(value))


def mode(call: AggregateCall) -> Expr:
    if call.group.distinct:
        raise call.unsupported("the mode of DISTINCT values, which all occur once")
    return call.result(F.mode(call.value(), deterministic=True))


def median(call: AggregateCall) -> Expr:
    """The median. Of integers, the mean of the two middle values is rounded as the call says."""
    if isinstance(call.returns, t.Int64):
        return _median_of_integers(call)
    found = _median_of_array(call) if call.group.distinct else call.group.add(F.median(call.value()))
    if isinstance(call.returns, t.Float32 | t.Float64):
        return call.after(call.cast(found))
    return call.after(call.cast(integral(found, call.choice("rounding", "TIE_TO_EVEN"))))


def _median_of_integers(call: AggregateCall) -> Expr:
    """Exactly, where a double has no room for 64 bits."""
    every, low, high = _middle(call, WIDE)
    size = F.array_size(every)
    both = low + high
    half = F.call_function("div", both - F.pmod(both, number(2)), number(2)).cast("bigint")
    odd = F.pmod(both, number(2)) == 1
    small = F.when(half < 0, F.pmod(half, F.lit(2)) - 2).otherwise(
        F.pmod(half, F.lit(2))
    )  # -2..1: the parity and the sign of `half`
    up = odd & (integral(F.lit(0.5) + small, call.choice("rounding", "TIE_TO_EVEN")) > small)
    return call.after(F.when(size > 0, half + up.cast("bigint")))


def _median_of_array(call: AggregateCall) -> Column:
    _, low, high = _middle(call, "double")
    return (low + high) / 2


def _middle(call: AggregateCall, spark_type: str) -> tuple[Column, Column, Column]:
    """The values in order, and the two in the middle, which may be the same."""
    every = F.array_sort(collect_values(call, call.value().cast(spark_type)))
    size = F.array_size(every)
    low, high = (F.get(every, F.call_function("div", size - n, F.lit(2)).cast("int")) for n in (1, 0))
    return every, low, high
