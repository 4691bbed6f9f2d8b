"""DataFusion's own aggregates on Spark, where Spark has the same."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr, null_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.scalar.substrait.aggregates.call import AggregateCall, in_order
from firesteel.spark.scalar.substrait.aggregates.statistics import correlation
from firesteel.spark.scalar.substrait.base import is_float
from firesteel.spark.scalar.substrait.decimals import cut_quotient, digits, in_units

Aggregate = Callable[[AggregateCall], Expr]

#: Values that Spark orders as DataFusion does.
_ORDERED = (t.Number, t.Text, t.Bool, t.Date, t.Octets)
_SMALL = (t.Int8, t.Int16, t.Int32, t.Float32, t.Float64)


def _plain(call: AggregateCall, *kinds: type[t.Type]) -> None:
    for arg in call.args:
        if not isinstance(arg.type, kinds) or form(arg.type) is not Form.PLAIN:
            raise call.unsupported(f"arguments of the type {t.proper(arg.type)}")


def _extreme(function: Callable[[Column], Column]) -> Aggregate:
    def build(call: AggregateCall) -> Expr:
        if isinstance(call.args[0].type, t.Null):
            return null_expr()
        _plain(call, *_ORDERED)
        return call.result(function(call.value()))

    return build


def _boxes(call: AggregateCall) -> Column:
    """The values of all rows in the call's order, each in a struct, so that NULL is kept."""
    if call.group.distinct:
        raise call.unsupported("DISTINCT values, whose order is not determined")
    boxed = F.struct(call.args[0].column.alias("a"))
    boxed = boxed if call.filter is None else F.when(call.filter, boxed)
    return in_order(call, boxed) if call.order else call.group.add(F.collect_list(boxed))


def _place(at: int) -> Aggregate:
    """The value at a place of the rows: 0 is the first, -1 the last."""

    def build(call: AggregateCall) -> Expr:
        if isinstance(call.args[0].type, t.Null):
            return null_expr()
        every = _boxes(call)
        return call.after(F.get(every, F.lit(0) if at == 0 else F.array_size(every) - 1)["a"])

    return build


def _nth(call: AggregateCall) -> Expr:
    """The value at a place from 1, from the end where it is negative."""
    place = call.args[1].constant
    if not isinstance(place, int) or not -(2**31) < place < 2**31:
        raise call.unsupported("a place that only the run knows")
    if not place or isinstance(call.args[0].type, t.Null):
        return null_expr()
    return call.after(F.try_element_at(_boxes(call), F.lit(place))["a"])


def _array_agg(call: AggregateCall) -> Expr:
    if form(call.args[0].type) is not Form.PLAIN:
        raise call.unsupported(f"values of the type {t.proper(call.args[0].type)}")
    every = _boxes(call)
    found = F.transform(every, lambda one: one["a"]).cast(cast_type(call.returns))
    return call.after(F.when(F.array_size(every) > 0, found))


def _collect_list(call: AggregateCall) -> Expr:
    every = _boxes(call)
    present = F.filter(every, lambda one: one["a"].isNotNull())
    return call.after(F.transform(present, lambda one: one["a"]).cast(cast_type(call.returns)))


def _percentile(call: AggregateCall) -> Expr:
    """Spark's is exact, of floats."""
    part = call.args[1].constant if len(call.args) > 1 else 0.5
    if not is_float(call.returns) or len(call.args) > 2 or not isinstance(part, int | float) or call.group.distinct:
        raise call.unsupported("a result that is no float, or a part that only the run knows")
    if not isinstance(call.args[0].type, _SMALL):
        raise call.unsupported(f"values of the type {t.proper(call.args[0].type)}")
    part = 1 - part if call.choice("direction", "ASC") == "DESC" else part
    return call.after(call.cast(call.group.add(F.percentile(call.value().cast("double"), F.lit(float(part))))))


def _bits(function: Callable[[Column], Column]) -> Aggregate:
    def build(call: AggregateCall) -> Expr:
        _plain(call, t.Integer)
        if call.group.distinct:
            raise call.unsupported("DISTINCT values")
        return call.result(function(call.value()))

    return build


def _pairs(function: Callable[[Column, Column], Column]) -> Aggregate:
    def build(call: AggregateCall) -> Expr:
        _plain(call, t.Number)
        if call.group.distinct:
            raise call.unsupported("DISTINCT values")
        return call.result(function(call.value().cast("double"), call.value(1).cast("double")))

    return build


def _count(call: AggregateCall) -> Expr:
    if call.group.distinct:
        return call.result(F.count_distinct(*(arg.plain for arg in call.args)))
    there = call.value().isNotNull()
    for arg in call.args[1:]:
        there = there & arg.plain.isNotNull()
    return call.result(F.count(F.when(there, F.lit(1))))


def _mean(call: AggregateCall) -> Expr:
    """The mean of decimals, without the digits behind those of its type."""
    _plain(call, t.Decimal)
    value, scale = call.value(), digits(call.args[0].type)[1]
    total = call.group.add(F.sum_distinct(value) if call.group.distinct else F.try_sum(value))
    count = call.addends(value)
    by = F.when(count > 0, count).cast("decimal(20,0)")
    made = cut_quotient(in_units(total, scale), by, digits(call.returns)[1] - scale, call.returns)
    if made is None:
        raise call.unsupported("more digits than Spark has")
    return call.after(F.coalesce(made, F.when(count > 0, call.error("overflow"))), throws=True)


AGGREGATES: dict[str, Aggregate] = {
    "datafusion:avg": _mean,
    "datafusion:min": _extreme(F.min),
    "datafusion:max": _extreme(F.max),
    "datafusion:first_value": _place(0),
    "datafusion:last_value": _place(-1),
    "datafusion:nth_value": _nth,
    "datafusion:array_agg": _array_agg,
    "datafusion:collect_list": _collect_list,
    "datafusion:median": _percentile,
    "datafusion:approx_median": _percentile,
    "datafusion:percentile_cont": _percentile,
    "datafusion:approx_percentile_cont": _percentile,
    "datafusion:bit_and": _bits(F.bit_and),
    "datafusion:bit_or": _bits(F.bit_or),
    "datafusion:bit_xor": _bits(F.bit_xor),
    "datafusion:count": _count,
    "datafusion:corr": correlation,
    "datafusion:covar_pop": _pairs(F.covar_pop),
    "datafusion:covar_samp": _pairs(F.covar_samp),
    **{
        f"datafusion:{name}": _pairs(getattr(F, name))
        for name in ("regr_slope", "regr_intercept", "regr_r2", "regr_avgx", "regr_avgy", "regr_count")
    },
    **{f"datafusion:{name}": _pairs(getattr(F, name)) for name in ("regr_sxx", "regr_syy", "regr_sxy")},
}
