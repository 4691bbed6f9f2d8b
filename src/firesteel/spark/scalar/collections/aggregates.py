"""Aggregate functions: Spark aggregates over columns, and expressions over their results.

They skip NULL and MISSING. Over no values, a count is 0 and the others NULL. A sum of integers that takes more than 64
bits is an error. A mean is a decimal of scale 18, or of the scale of its addends if that is larger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.spark.core.conversions import split_variant
from firesteel.spark.core.expr import (
    Depth,
    Expr,
    NumberParts,
    Split,
    StructParts,
    Variant,
    as_decimal,
    column_expr,
    null_expr,
    number_parts,
    reference,
)
from firesteel.spark.core.rows import Order
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_DIGITS, Form, TrimmedDecimal, cast_type, form
from firesteel.spark.encoding.decimal_variants import decimal_variant
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import extract, one_of
from firesteel.spark.keys.comparison import is_own_key, key
from firesteel.spark.numbers.exact_arithmetic import PLACES, plus, shortened
from firesteel.spark.numbers.exact_arithmetic import mean as number_mean
from firesteel.spark.numbers.exact_decimals import Digits, of_digits, of_plain, to_variant
from firesteel.spark.numbers.sum_parts import EXACT, EXACTLY, MORE, Met, Total, addend, total
from firesteel.spark.scalar.arithmetic.arithmetic import BEYOND, DECIMAL_OVERFLOW, OVERFLOW

#: Two totals of this type can be added without overflow.
_ROOMY = "decimal(37,18)"


@dataclass(frozen=True)
class Group:
    """One aggregate call while it is compiled: the scope of its arguments, and where its aggregated columns go."""

    scope: Scope
    name: str
    distinct: bool
    where: Where
    #: Adds an aggregated column and returns its name.
    total: Callable[[Column], str]
    #: In which order the values are taken, if the call says so.
    order: tuple[Order, ...] = ()

    def add(self, column: Column) -> Column:
        return F.col(self.total(column))

    def result(self, type_: t.Type, column: Column) -> Expr:
        """The result, if it is an aggregated column as it is."""
        return reference(type_, self.total(column))

    def error(self, message: str) -> Column:
        return self.scope.run.error(message, self.where)

    def forgiven(self, message: str) -> Column:
        """The result if one value has the wrong type: MISSING, or an error if strict."""
        error = self.scope.wrong(message, self.where)
        return variants.missing() if error is None else error

    def bound(self, expr: Expr) -> Expr:
        return self.scope.bind(split_variant(expr))


Aggregate = Callable[..., Expr]


def _count_star(group: Group) -> Expr:
    return group.result(t.INT64, F.count(F.lit(1)))


def _present(expr: Expr) -> Column:
    """A column that is SQL NULL exactly where the value is absent."""
    if isinstance(expr.type, t.Null | t.Missing):
        return F.literal(None, "int")
    if not isinstance(expr, Variant) and not isinstance(expr, StructParts):
        return expr.plain
    absent = expr.is_absent()
    return F.lit(1) if absent is None else F.when(~absent, F.lit(1))


def _count(group: Group, arg: Expr) -> Expr:
    value = group.bound(arg)
    if group.distinct:
        found = group.bound(key(group.scope, value))
        return group.result(t.INT64, F.count_distinct(found.column))
    return group.result(t.INT64, F.count(_present(value)))


# ---------------------------------------------------------------------------------------------------------------------
# Sums and means


def _sum(group: Group, arg: Expr) -> Expr:
    if isinstance(arg, NumberParts) and not group.distinct:
        return _mixed_sum(group, arg)
    if isinstance(arg, Variant) and arg.number is not None and not group.distinct:
        return _dynamic_sum(group, arg)
    value = group.bound(arg)
    if isinstance(value.type, t.Null | t.Missing):
        return _none()
    if isinstance(value, Variant) or not isinstance(value.type, t.Number):
        return _dynamic_sum(group, value)
    if isinstance(value.type, t.Float32 | t.Float64):
        add = F.sum_distinct if group.distinct else F.sum
        return group.result(t.absent(t.FLOAT64, nullable=True), add(value.plain.cast("double")))
    if isinstance(value.type, t.Integer):
        return _integer_sum(group, value)
    return _decimal_sum(group, value)


def _mixed_sum(group: Group, arg: Expr) -> Expr:
    """The sum of integers and decimals: an integer if there are only integers."""
    value = group.scope.bind(arg)
    assert isinstance(value, NumberParts)
    assert value.integral is not None
    total = _decimal_sum(group, as_decimal(value))
    decimals = group.add(F.count(F.when(~value.integral, value.plain)))
    type_ = t.proper(total.type)
    assert isinstance(type_, t.Decimal)
    return number_parts(type_, total.plain, decimals == 0, total)


def _decimal_sum(group: Group, value: Expr) -> Expr:
    type_ = decimal_sum_type(value.type)
    if is_roomy(value.type) and not group.distinct:
        return group.result(t.absent(type_, nullable=True), F.sum(value.plain))
    total = group.add(F.sum_distinct(value.plain) if group.distinct else F.try_sum(value.plain))
    return _unless_lost(group, value, total.cast(cast_type(type_)), type_, DECIMAL_OVERFLOW)


def decimal_sum_type(type_: t.Type) -> t.Decimal:
    assert isinstance(type_, t.Decimal)
    cls = TrimmedDecimal if isinstance(type_, TrimmedDecimal) else t.Decimal
    return cls(min(MAX_DIGITS, (type_.precision or MAX_DIGITS) + 10), type_.scale or 0)


def is_roomy(type_: t.Type, most: int = MAX_DIGITS) -> bool:
    """Does the sum of ten billion such values fit in 38 digits? Then Spark's own overflow error is enough. `most` is
    the largest allowed number of digits before the point."""
    if not isinstance(type_, t.Decimal) or type_.precision is None:
        return False
    return type_.precision + 10 <= MAX_DIGITS and type_.precision - (type_.scale or 0) <= most


def _integer_sum(group: Group, value: Expr) -> Expr:
    if not group.distinct and not isinstance(value.type, t.Int):
        total = group.add(F.try_sum(value.plain.cast("bigint")))
    else:
        wide = value.plain.cast("decimal(28,0)")
        total = group.add(F.sum_distinct(wide) if group.distinct else F.try_sum(wide)).try_cast("bigint")
    return _unless_lost(group, value, total, t.INT64, OVERFLOW)


def _unless_lost(
    group: Group,
    value: Expr,
    total: Column,
    type_: t.Type,
    message: str,
    cls: type[FiresteelError] = EvaluationError,
) -> Expr:
    """The total; an error if it is SQL NULL although there were addends, since that is an overflow."""
    count = group.add(F.count(value.plain))
    column = F.coalesce(total, F.when(count > 0, group.scope.run.error(message, group.where, cls=cls)))
    return column_expr(t.absent(type_, nullable=True), column, height=Depth.TINY, throws=True)


def _mean(group: Group, arg: Expr) -> Expr:
    if isinstance(arg, Variant) and arg.number is not None and not group.distinct:
        return _dynamic_mean(group, arg)
    value = group.bound(as_decimal(arg))
    if isinstance(value.type, t.Null | t.Missing):
        return _none()
    if (
        isinstance(value, Variant)
        or not isinstance(value.type, t.Number)
        or isinstance(value.type, t.Float32 | t.Float64)
    ):
        return _dynamic_mean(group, value)
    # A mean has no more digits before the point than the values: if those have few, Spark's division is exact enough.
    if not group.distinct and isinstance(value.type, t.Int8 | t.Int16 | t.Int32):
        return _simple_mean(group, value.plain, 10)
    if not group.distinct and isinstance(value.type, t.Decimal) and is_roomy(value.type, 20):
        return _simple_mean(group, value.plain, (value.type.precision or 0) - (value.type.scale or 0))
    wide = value.plain.cast("decimal(28,0)") if isinstance(value.type, t.Integer) else value.plain
    total = group.add(F.sum_distinct(wide) if group.distinct else F.try_sum(wide))
    count = group.add(F.count_distinct(wide) if group.distinct else F.count(wide))
    if isinstance(value.type, t.Decimal) and (value.type.scale or 0) > PLACES:
        return _long_mean(group, total, count, value.type)
    type_ = TrimmedDecimal(MAX_DIGITS, PLACES)
    mean = _quotient(total, count).cast(cast_type(type_))
    return _unless_lost(group, value, mean, type_, BEYOND, UnsupportedError)


def _long_mean(group: Group, total: Column, count: Column, type_: t.Decimal) -> Expr:
    """The mean of decimals whose scale is larger than 18."""
    known = of_plain(
        column_expr(t.Decimal(MAX_DIGITS, type_.scale), total.cast(f"decimal({MAX_DIGITS},{type_.scale})"))
    )
    lost = group.scope.run.error(BEYOND, group.where, cls=UnsupportedError).cast("variant")

    def encode(found: Column) -> Column:
        return F.when(found["u"].isNotNull(), to_variant(Digits(found))).otherwise(lost)

    mean = variants.let(variants.let(known, lambda sum_: number_mean(Digits(sum_), count)), encode)
    column = F.when(count == 0, variants.null()).otherwise(mean)
    return column_expr(t.absent(t.DECIMAL, nullable=True), column, height=Depth.DEEPEST, throws=True)


def _simple_mean(group: Group, column: Column, digits: int) -> Expr:
    """The mean of numbers with `digits` digits before the point (at most 20)."""
    total, count = group.add(F.sum(column)), group.add(F.count(column))
    type_ = TrimmedDecimal(digits + PLACES, PLACES)
    mean = F.try_divide(total.cast(EXACT), count.cast("decimal(20,0)")).cast(cast_type(type_))
    return column_expr(t.absent(type_, nullable=True), mean, height=Depth.SMALL)


def _quotient(total: Column, count: Column) -> Column:
    """The mean, rounded half up by Spark, with enough digits for a later rounding to be right."""
    return F.try_divide(total.try_cast(EXACT), F.when(count > 0, count).cast("decimal(20,0)"))


def _total(group: Group, value: Expr, *, mean: bool) -> Total:
    if group.distinct:
        raise UnsupportedError(
            f"'{group.name}' with DISTINCT of values of unknown type is not native on Spark yet", where=group.where
        )
    return total(addend(group.scope, value), group.add, mean=mean)


def _dynamic_sum(group: Group, value: Expr) -> Expr:
    return sum_of(group, _total(group, value, mean=False))


def sum_of(group: Group, parts: Total) -> Expr:
    """The sum: an integer, decimal or float, by the kinds of the addends."""
    whole_number = parts.exact.try_cast("bigint").cast("variant")
    too_long = _too_long(group)
    column = (
        F.when(parts.has(Met.OTHER), group.forgiven("sum takes numbers"))
        .when(parts.has(Met.LOST), too_long)
        .when(parts.has(Met.FLOAT), F.coalesce(parts.floating().cast("variant"), too_long))
        .when(parts.has(Met.LONG), _exactly(parts.exact, parts, too_long, lambda sum_: shortened(sum_, parts.places)))
        .when(parts.has(Met.DECIMAL), F.coalesce(decimal_variant(parts.exact, PLACES, parts.places), too_long))
        .when(parts.has(Met.INT), F.coalesce(whole_number, group.error(OVERFLOW)))
        .otherwise(variants.null())
    )
    type_ = t.absent(t.union((t.INT64, t.DECIMAL, t.FLOAT64)), nullable=True, missable=True)
    return column_expr(type_, column, height=Depth.HUGE, throws=True)


def _too_long(group: Group) -> Column:
    return group.scope.run.error(BEYOND, group.where, cls=UnsupportedError).cast("variant")


def _exactly(short: Column, parts: Total, too_long: Column, finish: Callable[[Digits], Column]) -> Column:
    """Apply `finish` to the exact total, long decimals included; the result is a variant."""
    high = Digits(of_plain(column_expr(t.Decimal(38, PLACES), short.try_cast(EXACT))))
    low = Digits(of_digits(parts.long, F.lit(PLACES + MORE)))

    def encode(found: Column) -> Column:
        return F.when(found["u"].isNotNull(), to_variant(Digits(found))).otherwise(too_long)

    return variants.let_interpreted(plus(high, low), lambda total: variants.let(finish(Digits(total)), encode))


def _dynamic_mean(group: Group, value: Expr) -> Expr:
    return mean_of(group, _total(group, value, mean=True))


def mean_of(group: Group, parts: Total) -> Expr:
    """The mean: a decimal, or a float if an addend is NaN or infinite."""
    exact, floats = parts.plain(parts.exact, EXACTLY, _ROOMY), parts.plain(parts.written, Met.FLOAT, _ROOMY)
    total, count, too_long = F.try_add(exact, floats), parts.count, _too_long(group)
    column = (
        F.when(parts.has(Met.OTHER), group.forgiven("avg takes numbers"))
        .when(parts.has(Met.INFINITE), F.coalesce((parts.floating() / count).cast("variant"), too_long))
        .when(parts.has(Met.LOST | Met.UNWRITTEN), too_long)
        .when(parts.has(Met.LONG), _exactly(total, parts, too_long, lambda sum_: number_mean(sum_, count)))
        .when(count > 0, F.coalesce(decimal_variant(_quotient(total, count).cast(EXACT), PLACES), too_long))
        .otherwise(variants.null())
    )
    return column_expr(
        t.absent(t.union((t.DECIMAL, t.FLOAT64)), nullable=True, missable=True), column, height=Depth.HUGE, throws=True
    )


# ---------------------------------------------------------------------------------------------------------------------
# min, max; every, any; collect


def _none() -> Expr:
    return null_expr()


def _extreme(least: bool) -> Aggregate:
    def build(group: Group, arg: Expr) -> Expr:
        value = group.bound(arg)
        if isinstance(value.type, t.Null | t.Missing):
            return _none()
        type_ = t.absent(t.proper(value.type), nullable=True)
        if is_own_key(value.type, ordering=True) or isinstance(value, Split):
            return group.result(type_, (F.min if least else F.max)(value.plain))
        order = group.bound(key(group.scope, value, ordering=True))
        column = (F.min_by if least else F.max_by)(value.column, order.column)
        if form(value.type) is not Form.VARIANT:
            return group.result(type_, column)
        return column_expr(t.ANY, F.coalesce(group.add(column), variants.null()), height=Depth.TINY)

    return build


def _booleans(name: str, combine: Callable[[Column], Column]) -> Aggregate:
    def build(group: Group, arg: Expr) -> Expr:
        value = group.bound(arg)
        if isinstance(value.type, t.Null | t.Missing):
            return _none()
        if isinstance(value.type, t.Bool) and not isinstance(value, Variant):
            return group.result(t.absent(t.BOOL, nullable=True), combine(value.plain))
        variant, found = group.scope.variant(value)
        kind = found.column
        result = group.add(combine(extract(variant.column, kind, "bool")))
        others = group.add(F.count(F.when(~one_of(kind, Kind.BOOLEAN, Kind.VOID), 1)))
        boolean = F.coalesce(result.cast("variant"), variants.null())
        column = F.when(others > 0, group.forgiven(f"{name} takes booleans")).otherwise(boolean)
        return column_expr(t.absent(t.BOOL, nullable=True, missable=True), column, height=Depth.SMALL, throws=True)

    return build


def _collect(group: Group, arg: Expr) -> Expr:
    """All values as a bag, NULL and MISSING included: inside a struct Spark keeps them."""
    if group.distinct:
        raise UnsupportedError("'collect' with DISTINCT is not native on Spark yet", where=group.where)
    value = group.bound(arg)
    column = group.add(F.collect_list(F.struct(value.column.alias("v"))))
    return column_expr(t.Bag(value.type), F.transform(column, lambda item: item["v"]), height=Depth.TINY)


AGGREGATES: dict[str, Aggregate] = {
    "count_star": _count_star,
    "count": _count,
    "sum": _sum,
    "avg": _mean,
    "min": _extreme(True),
    "max": _extreme(False),
    "every": _booleans("every", F.bool_and),
    "any": _booleans("any", F.bool_or),
    "collect": _collect,
}
