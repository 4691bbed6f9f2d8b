"""Aggregate functions of Substrait: Spark aggregates over columns, and expressions over their results.

They skip NULL. A call's filter is put into its arguments: they are NULL in rows that the filter leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.expr import Expr, StructParts, Variant, column_expr, null_expr
from firesteel.spark.core.rows import Order
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_DIGITS, cast_type, to_spark
from firesteel.spark.numbers.exact_arithmetic import mean as number_mean
from firesteel.spark.numbers.exact_decimals import Digits, of_plain, to_variant
from firesteel.spark.scalar.collections import aggregates as partiql
from firesteel.spark.scalar.collections.aggregates import Group
from firesteel.spark.scalar.substrait.aggregates import datafusion
from firesteel.spark.scalar.substrait.aggregates.call import AggregateCall, collect_values, in_order, ordered
from firesteel.spark.scalar.substrait.aggregates.statistics import correlation, median, mode, spread
from firesteel.spark.scalar.substrait.base import is_float, typed
from firesteel.spark.scalar.substrait.decimals import digits, extremes
from firesteel.spark.scalar.substrait.integers import WIDE, bounds, number, wrapped
from firesteel.spark.scalar.substrait.reals import integral

Aggregate = Callable[[AggregateCall], Expr]


def compile_aggregate(
    group: Group, fn: p.Fn, args: Sequence[Expr], order: Sequence[Order] = (), filter_: Column | None = None
) -> Expr:
    """Compile a call of one of the functions. Arguments are NULL in rows that the filter leaves out."""
    declared = [param.type for param in fn.params if isinstance(param, p.ValueParam)]
    if len(declared) != len(args):
        declared = [arg.type for arg in args]
    given = [typed(arg, type_) for arg, type_ in zip(args, declared, strict=True)]
    if not _mentioned_once(group, fn, given, filter_):
        given = [group.scope.bind(arg) for arg in given]
    if filter_ is not None:
        given = [_filter_argument(arg, filter_) for arg in given]
    call = AggregateCall(group, fn, tuple(given), tuple(order), filter_)
    return AGGREGATES[fn.name](call)


def _mentioned_once(group: Group, fn: p.Fn, args: Sequence[Expr], filter_: Column | None) -> bool:
    """Sums and means of an argument that is never NULL need no binding: their count is that of the rows."""
    always = (
        filter_ is None and not group.distinct and not any(arg.type.absent or isinstance(arg, Variant) for arg in args)
    )
    return always and AGGREGATES[fn.name] in (_sum, _mean)


def _filter_argument(arg: Expr, filter_: Column) -> Expr:
    type_ = t.absent(arg.type, nullable=True)
    return column_expr(type_, F.when(filter_, arg.column), stage=arg.place.stage, height=1, constant=arg.constant)


# ---------------------------------------------------------------------------------------------------------------------
# Counting


def _count(call: AggregateCall) -> Expr:
    if not call.args:
        counted = F.lit(1) if call.filter is None else F.when(call.filter, F.lit(1))
        return _count_result(call, F.count(counted))
    if call.group.distinct:
        return _retype(call, partiql.AGGREGATES["count"](call.group, *call.args))
    value = call.args[0]
    if isinstance(value, Variant | StructParts):
        return _retype(call, partiql.AGGREGATES["count"](call.group, value))
    return _count_result(call, F.count(value.plain))


def _count_result(call: AggregateCall, column: Column) -> Expr:
    if isinstance(call.returns, t.Decimal):
        return call.after(call.cast(call.group.add(column)))
    return call.result(column)


def _retype(call: AggregateCall, expr: Expr) -> Expr:
    return call.after(call.cast(expr.plain)) if isinstance(call.returns, t.Decimal) else expr


def _approx_count(call: AggregateCall) -> Expr:
    return _count_result(call, F.approx_count_distinct(call.value(), 0.02))  # a relative standard deviation of 2%


# ---------------------------------------------------------------------------------------------------------------------
# Sums and means


def _sum(call: AggregateCall, zero: bool = False) -> Expr:
    type_ = call.args[0].type
    if is_float(type_):
        add = F.sum_distinct if call.group.distinct else F.sum
        return _or_zero(call, add(call.value().cast("double")), zero)
    if isinstance(type_, t.Int8 | t.Int16 | t.Int32):
        # Four billion of the greatest value fit in 64 bits: for more, Spark's own overflow error is enough.
        return _or_zero(call, (F.sum_distinct if call.group.distinct else F.sum)(call.value()), zero)
    if isinstance(type_, t.Decimal) and digits(type_)[0] <= 28:
        add = F.sum_distinct if call.group.distinct else F.sum
        found = call.cast(call.group.add(add(call.value())))
        return call.after(F.coalesce(found, call.cast(F.lit(0))) if zero else found)
    return _checked_sum(call, zero)


def _or_zero(call: AggregateCall, column: Column, zero: bool) -> Expr:
    if not zero:
        return call.result(column)
    return call.after(F.coalesce(call.group.add(column), call.cast(F.lit(0))))


def _checked_sum(call: AggregateCall, zero: bool) -> Expr:
    """A sum that may overflow: then it is SQL NULL although there are addends, and the `overflow` option decides."""
    decimal = isinstance(call.returns, t.Decimal)
    wide = call.value() if decimal else call.value().cast("decimal(28,0)")
    total = call.group.add(F.sum_distinct(wide) if call.group.distinct else F.try_sum(wide))
    count = call.addends(wide)
    found = total.try_cast(cast_type(call.returns))
    if isinstance(call.returns, t.UserDefined):
        found = F.when(total <= number(bounds(call.returns).greatest), total).cast(cast_type(call.returns))
    overflow = call.choice("overflow", "ERROR")
    if decimal and overflow == "SILENT":
        overflow = "SATURATE"  # SILENT may give any result
    match overflow:
        case "SATURATE":
            ends = extremes(call.returns) if decimal else bounds(call.returns)
            low, high = (F.lit(f"{end:f}" if decimal else str(end)) for end in ends)
            sign = call.group.add(F.sum(call.value().cast("double")))
            other = call.cast(F.when(sign < 0, low).otherwise(high))
        case "SILENT":
            other = wrapped(total, call.returns).cast(cast_type(call.returns))
        case _:
            other = call.error("overflow")
    column = F.coalesce(found, F.when(count > 0, other))
    return call.after(F.coalesce(column, call.cast(F.lit(0))) if zero else column, throws=True)


#: The least scale of Spark's quotient of a 38-digit sum and a count.
_QUOTIENT_SCALE = 6


def _quotient(total: Column, by: Column, type_: t.Decimal, returns: t.Type) -> Column:
    """A sum of decimals divided by their count, in the scale of the mean. Spark's own quotient has the scale of the
    sum, or six: if the mean has more, the remainder is divided separately."""
    scale = digits(returns)[1]
    if scale <= max(digits(type_)[1], _QUOTIENT_SCALE) or scale > MAX_DIGITS - 2:
        return F.try_divide(total, by)
    rest = F.try_mod(total, by)
    whole = F.try_divide(total - rest, by).try_cast(f"decimal({MAX_DIGITS - 1 - scale},0)")
    return F.try_add(whole, F.try_divide(rest, by).cast(f"decimal({scale + 1},{scale})"))


def _mean(call: AggregateCall) -> Expr:
    """The mean; that of integers is truncated."""
    type_ = call.args[0].type
    value = call.value()
    if is_float(type_):
        if call.group.distinct:
            total, count = call.group.add(F.sum_distinct(value.cast("double"))), call.group.add(F.count_distinct(value))
            return call.after(call.cast(F.try_divide(total, count)))
        return call.after(call.cast(call.group.add(F.avg(value))))
    wide = value.cast("decimal(28,0)") if not isinstance(type_, t.Decimal) else value
    total = call.group.add(F.sum_distinct(wide) if call.group.distinct else F.try_sum(wide))
    count = call.addends(wide)
    by = F.when(count > 0, count).cast("decimal(20,0)")
    if not isinstance(type_, t.Decimal):
        return call.after(call.cast(F.call_function("div", total, by)))
    mean = _long_quotient(total, by, count, type_, call.returns).try_cast(cast_type(call.returns))
    return call.after(F.coalesce(mean, F.when(count > 0, call.error("overflow"))), throws=True)


#: With a scale of six there is room for so many digits before the point.
_BEFORE = MAX_DIGITS - _QUOTIENT_SCALE


def _long_quotient(total: Column, by: Column, count: Column, type_: t.Decimal, returns: t.Type) -> Column:
    """The mean of decimals whose sum may be too long for Spark's division: where it is, divide by digits."""
    precision, scale = digits(type_)
    short = _quotient(total, by, type_, returns)
    if precision - scale < _BEFORE:
        return short
    known = of_plain(column_expr(t.Decimal(MAX_DIGITS, scale), total.cast(f"decimal({MAX_DIGITS},{scale})")))

    def plain(variant: Column) -> Column:
        """Read the variant, which may hold the mean as a tagged (wide) number."""
        name = to_spark(returns).simpleString()
        return F.coalesce(variants.cast_variant(variant, name), variants.payload(variant, name))

    long = variants.let(
        variants.let(known, lambda sum_: number_mean(Digits(sum_), count)),
        lambda found: variants.let(to_variant(Digits(found)), plain),
    )
    few = F.abs(total) < F.literal("1" + "0" * (_BEFORE - 1), "decimal(38,0)")
    return F.when(few, short.try_cast(cast_type(returns))).otherwise(long)


def _product(call: AggregateCall) -> Expr:
    value = call.value()
    if is_float(call.args[0].type) and call.group.distinct:
        every = collect_values(call, value.cast("double"))
        return call.after(call.cast(F.aggregate(every, F.lit(1.0), lambda total, one: total * one)))
    if is_float(call.args[0].type):
        found = call.group.add(F.product(value.cast("double")))
        return call.after(F.coalesce(call.cast(found), call.cast(F.lit(1))))
    every = collect_values(call, value.cast(WIDE))
    if call.choice("overflow", "ERROR") == "SILENT":  # each step fits: 64 bits times 64 bits has at most 38 digits

        def step(total: Column, one: Column) -> Column:
            return wrapped(F.try_multiply(total, one).cast(WIDE), call.returns)

        return call.after(F.aggregate(every, number(1), step).cast(cast_type(call.returns)))
    exact = F.aggregate(every, number(1), lambda total, one: F.try_multiply(total, one).cast(WIDE))
    low, high = bounds(call.returns)
    fits = exact.between(number(low), number(high))
    negative = F.pmod(F.array_size(F.filter(every, lambda one: one < 0)), F.lit(2)) == 1
    beyond = call.error("overflow")
    if call.choice("overflow", "ERROR") == "SATURATE":
        beyond = call.cast(F.when(negative, number(low)).otherwise(number(high)))
    zero = F.exists(every, lambda one: one == 0)
    column = F.when(fits, exact).cast(cast_type(call.returns))
    return call.after(F.when(zero, call.cast(F.lit(0))).otherwise(F.coalesce(column, beyond)), throws=True)


# ---------------------------------------------------------------------------------------------------------------------
# Others


def _as_in_partiql(name: str) -> Aggregate:
    return lambda call: partiql.AGGREGATES[name](call.group, *call.args)


def _any_value(call: AggregateCall) -> Expr:
    if call.choice("ignore_nulls", "TRUE") == "FALSE" and call.filter is not None:
        raise call.unsupported("the NULLs of a part of the rows")
    value = call.args[0]
    if isinstance(value.type, t.Null):
        return null_expr()
    skips = call.choice("ignore_nulls", "TRUE") == "TRUE"
    if call.order:
        boxed = F.struct(value.column.alias("a"))
        every = in_order(call, F.when(value.column.isNotNull(), boxed) if skips else boxed)
        return call.after(F.get(every, F.lit(0))["a"])
    return call.result(F.any_value(value.column, F.lit(skips)))


def _string_agg(call: AggregateCall) -> Expr:
    """The texts in the call's order. A separator that is a column is put before the text of its own row."""
    text = call.value()
    separator = call.args[1].constant if len(call.args) > 1 else ""
    if isinstance(separator, str):
        every = _texts(call, text)
        joined = F.call_function("array_join", every, F.lit(separator))
    else:
        every = _texts(call, F.when(text.isNotNull(), F.struct(text.alias("t"), call.value(1).alias("s"))))
        parts = F.transform(
            every,
            lambda one, i: F.when(i == 0, one["t"]).otherwise(F.concat(F.coalesce(one["s"], F.lit("")), one["t"])),
        )
        joined = F.call_function("array_join", parts, F.lit(""))
    return call.after(F.when(F.array_size(every) > 0, joined))


def _texts(call: AggregateCall, value: Column) -> Column:
    if call.order:
        return ordered(call, value)
    return collect_values(call, value)


def _quantile(call: AggregateCall) -> Expr:
    """The values at the boundaries of n equal parts, in the call's order; interpolated between two values."""
    n, value = call.args[0].constant, call.args[1]
    if n is None or (type(n) is int and n < 1):
        return call.after(F.literal(None, cast_type(call.returns)))
    if type(n) is not int or not isinstance(value.type, t.Int8 | t.Int16 | t.Int32 | t.Float32 | t.Float64):
        raise call.unsupported("parts whose number only the run knows, or of other values than small numbers")
    boundaries = call.choice("boundaries", "NEITHER")
    first = 0 if boundaries in ("MINIMUM", "BOTH") else 1
    last = n if boundaries in ("MAXIMUM", "BOTH") else n - 1
    if call.group.distinct and not call.order:
        raise call.unsupported("DISTINCT values without an order")
    every = ordered(call, value.plain) if call.order else call.group.add(F.collect_list(value.plain))
    rows = F.lit(1) if call.filter is None else F.when(call.filter, F.lit(1))
    nulls = call.group.add(F.count(rows)) > F.array_size(every)
    assert isinstance(call.returns, t.Array)
    element = to_spark(call.returns.element)
    whole = isinstance(value.type, t.Integer)

    def at(place: Column) -> Column:
        where = place.cast("double") * (F.array_size(every) - 1) / F.lit(float(n))
        low = F.floor(where).cast("int")
        below = F.get(every, low).cast("double")
        above = F.coalesce(F.get(every, low + 1).cast("double"), below)
        found = below + (above - below) * (where - low)
        return (integral(found, call.choice("rounding", "TIE_TO_EVEN")) if whole else found).cast(element)

    places = F.array(*(F.lit(i) for i in range(first, last + 1))) if first <= last else F.array().cast("array<int>")
    column = F.transform(places, at).cast(cast_type(call.returns))
    return call.after(F.when((F.array_size(every) > 0) & ~nulls, column))


_INTEGERS: dict[str, Aggregate] = {
    "sum": _sum,
    "sum0": lambda call: _sum(call, True),
    "avg": _mean,
    "min": _as_in_partiql("min"),
    "max": _as_in_partiql("max"),
}

AGGREGATES: dict[str, Aggregate] = {
    **{f"arithmetic:{name}": build for name, build in _INTEGERS.items()},
    **{f"arithmetic_decimal:{name}": build for name, build in _INTEGERS.items()},
    **{f"unsigned_integers:{name}": _INTEGERS[name] for name in ("sum", "min", "max")},
    "arithmetic:product": _product,
    "arithmetic:std_dev": spread(F.stddev_samp, F.stddev_pop, 1),
    "arithmetic:variance": spread(F.var_samp, F.var_pop, 2),
    "arithmetic:corr": correlation,
    "arithmetic:mode": mode,
    "arithmetic:median": median,
    "arithmetic:quantile": _quantile,
    "aggregate_generic:count": _count,
    "aggregate_generic:any_value": _any_value,
    "aggregate_approx:approx_count_distinct": _approx_count,
    "aggregate_decimal_output:count": _count,
    "aggregate_decimal_output:approx_count_distinct": _approx_count,
    "boolean:bool_and": lambda call: call.result(F.bool_and(call.value())),
    "boolean:bool_or": lambda call: call.result(F.bool_or(call.value())),
    "datetime:min": _as_in_partiql("min"),
    "datetime:max": _as_in_partiql("max"),
    "string:string_agg": _string_agg,
    "datafusion:string_agg": _string_agg,
    **datafusion.AGGREGATES,
}
