"""Aggregate functions: columns to aggregate, and what is made of them afterwards.

They skip NULL and MISSING; of nothing, a count is 0 and the others NULL. A sum of integers that takes more than 64
bits is an error. A mean is a decimal of 18 digits behind the point, or as many as its addends have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.spark import columns as F
from firesteel.spark import dynamic
from firesteel.spark.arithmetic import BEYOND, DECIMAL_OVERFLOW, OVERFLOW
from firesteel.spark.dynamic import NUMBERS, decimal_variant, extract, one_of, whole
from firesteel.spark.encoding import MAX_DIGITS, Form, form, spelled
from firesteel.spark.expr import Expr, as_decimal, made, mixed, null_expr, opened, reference
from firesteel.spark.keys import is_own_key, key
from firesteel.spark.numbers import PLACES, Digits, of_plain, to_variant
from firesteel.spark.numbers import mean as number_mean
from firesteel.spark.scope import Scope, Where

_EXACT, _WHOLE = "decimal(38,18)", "decimal(38,0)"


@dataclass(frozen=True)
class Group:
    """One aggregate call under way: its scope, before; where its columns go; and what comes of them, after."""

    scope: Scope
    name: str
    distinct: bool
    where: Where
    #: Aggregate a column; what comes back is its name.
    total: Callable[[Column], str]

    def add(self, column: Column) -> Column:
        return F.col(self.total(column))

    def result(self, type_: t.Type, column: Column) -> Expr:
        """An aggregated column that is the result as it is."""
        return reference(type_, self.total(column))

    def error(self, message: str) -> Column:
        return self.scope.run.error(message, self.where)

    def forgiven(self, message: str) -> Column:
        """What a value of the wrong type makes of the whole aggregate."""
        error = self.scope.wrong(message, self.where)
        return dynamic.missing() if error is None else error

    def bound(self, expr: Expr) -> Expr:
        return self.scope.bind(opened(expr))


Aggregate = Callable[..., Expr]


def _count_star(group: Group) -> Expr:
    return group.result(t.INT64, F.count(F.lit(1)))


def _present(expr: Expr) -> Column:
    """SQL NULL just where the value is absent."""
    if isinstance(expr.type, t.Null | t.Missing):
        return F.literal(None, "int")
    if not expr.dynamic and not expr.virtual:
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
    if arg.integral is not None and not group.distinct:
        return _mixed_sum(group, arg)
    value = group.bound(arg)
    if isinstance(value.type, t.Null | t.Missing):
        return _none()
    if value.dynamic or not isinstance(value.type, t.Number):
        return _dynamic_sum(group, value)
    if isinstance(value.type, t.Float32 | t.Float64):
        add = F.sum_distinct if group.distinct else F.sum
        return group.result(t.absent(t.FLOAT64, nullable=True), add(value.plain.cast("double")))
    if isinstance(value.type, t.Integer):
        return _integer_sum(group, value)
    return _decimal_sum(group, value)


def _mixed_sum(group: Group, arg: Expr) -> Expr:
    """Of integers alone it is an integer."""
    value = group.scope.bind(arg)
    assert value.integral is not None
    total = _decimal_sum(group, as_decimal(value))
    decimals = group.add(F.count(F.when(~value.integral, value.plain)))
    type_ = t.proper(total.type)
    assert isinstance(type_, t.Decimal)
    return mixed(type_, total.plain, decimals == 0, total)


def _decimal_sum(group: Group, value: Expr) -> Expr:
    type_ = _decimal_sum_type(value.type)
    if _roomy(value.type) and not group.distinct:
        return group.result(t.absent(type_, nullable=True), F.sum(value.plain))
    total = group.add(F.sum_distinct(value.plain) if group.distinct else F.try_sum(value.plain))
    return _unless_lost(group, value, total.cast(spelled(type_)), type_, DECIMAL_OVERFLOW)


def _decimal_sum_type(type_: t.Type) -> t.Decimal:
    assert isinstance(type_, t.Decimal)
    return t.Decimal(min(MAX_DIGITS, (type_.precision or MAX_DIGITS) + 10), type_.scale or 0)


def _roomy(type_: t.Type, most: int = MAX_DIGITS) -> bool:
    """Is there room for the sum of ten billion such values? Then Spark's own error, should there be more, will do.
    `most` is how many digits the values may have before the point."""
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
    """A total that is SQL NULL although there were addends did not fit."""
    count = group.add(F.count(value.plain))
    column = F.coalesce(total, F.when(count > 0, group.scope.run.error(message, group.where, cls=cls)))
    return Expr(t.absent(type_, nullable=True), column, height=3, throws=True)


def _mean(group: Group, arg: Expr) -> Expr:
    value = group.bound(as_decimal(arg))
    if isinstance(value.type, t.Null | t.Missing):
        return _none()
    if value.dynamic or not isinstance(value.type, t.Number) or isinstance(value.type, t.Float32 | t.Float64):
        return _dynamic_mean(group, value)
    # No mean is greater than the greatest value: few digits before the point leave room for what is done with it.
    if not group.distinct and isinstance(value.type, t.Int8 | t.Int16 | t.Int32):
        return _simple_mean(group, value.plain, 10)
    if not group.distinct and isinstance(value.type, t.Decimal) and _roomy(value.type, 20):
        return _simple_mean(group, value.plain, (value.type.precision or 0) - (value.type.scale or 0))
    wide = value.plain.cast("decimal(28,0)") if isinstance(value.type, t.Integer) else value.plain
    total = group.add(F.sum_distinct(wide) if group.distinct else F.try_sum(wide))
    count = group.add(F.count_distinct(wide) if group.distinct else F.count(wide))
    if isinstance(value.type, t.Decimal) and (value.type.scale or 0) > PLACES:
        return _long_mean(group, total, count, value.type)
    type_ = t.Decimal(MAX_DIGITS, PLACES)
    mean = _quotient(total, count).cast(spelled(type_))
    return _unless_lost(group, value, mean, type_, BEYOND, UnsupportedError)


def _long_mean(group: Group, total: Column, count: Column, type_: t.Decimal) -> Expr:
    """Of decimals of more digits behind the point than a mean has by itself."""
    known = of_plain(Expr(t.Decimal(MAX_DIGITS, type_.scale), total.cast(f"decimal({MAX_DIGITS},{type_.scale})")))
    lost = group.scope.run.error(BEYOND, group.where, cls=UnsupportedError).cast("variant")

    def encoded(found: Column) -> Column:
        return F.when(found["u"].isNotNull(), to_variant(Digits(found))).otherwise(lost)

    mean = dynamic.let(dynamic.let(known, lambda sum_: number_mean(Digits(sum_), count)), encoded)
    column = F.when(count == 0, dynamic.null()).otherwise(mean)
    return Expr(t.absent(t.DECIMAL, nullable=True), column, height=40, throws=True)


def _simple_mean(group: Group, column: Column, digits: int) -> Expr:
    """Of numbers of so many digits before the point, whose total has no more than twenty."""
    total, count = group.add(F.sum(column)), group.add(F.count(column))
    type_ = t.Decimal(digits + PLACES, PLACES)
    mean = F.try_divide(total.cast(_EXACT), count.cast("decimal(20,0)")).cast(spelled(type_))
    return Expr(t.absent(type_, nullable=True), mean, height=4)


def _quotient(total: Column, count: Column) -> Column:
    """Rounded half up, as Spark does; digits enough of it are kept before that for this to be right."""
    return F.try_divide(total.try_cast(_EXACT), F.when(count > 0, count).cast("decimal(20,0)"))


@dataclass(frozen=True)
class Parts:
    """A total of numbers of unknown type, by kind: how many, and how much."""

    ints: Column
    decimals: Column
    floats: Column
    beyond: Column
    others: Column
    int_total: Column
    decimal_total: Column
    float_total: Column
    #: The floats as decimals, as they would be written.
    written_total: Column


def _parts(group: Group, value: Expr) -> Parts:
    if group.distinct:
        raise UnsupportedError(
            f"'{group.name}' with DISTINCT of values of unknown type is not native on Spark yet", where=group.where
        )
    variant, found = group.scope.variant(value)
    column, kind = variant.column, found.column

    def bound(type_: t.Type, part: Column) -> Column:
        made_ = made(t.absent(type_, nullable=True), part, variant, found, text)
        return group.scope.bind(made_, dear=True).plain

    text = group.scope.text(variant)
    ints = bound(t.Decimal(38, 0), F.when(kind == "BIGINT", text.plain.try_cast(_WHOLE)))
    decimals = bound(t.Decimal(38, 18), F.when(kind == "DECIMAL", text.plain.try_cast(_EXACT)))
    double = F.when(kind == "DOUBLE", text.plain.try_cast("double")).when(kind == "FLOAT", whole(column, "double"))
    floats = bound(t.FLOAT64, double)
    infinite = F.isnan(floats) | (F.abs(floats) == float("inf"))
    written = F.when(~infinite, floats).try_cast(_EXACT)
    return Parts(
        ints=group.add(F.count(ints)),
        decimals=group.add(F.count(decimals)),
        floats=group.add(F.count(floats)),
        beyond=group.add(F.count(F.when(infinite, 1))),
        others=group.add(F.count(F.when(~one_of(kind, *NUMBERS, "VOID"), 1))),
        int_total=group.add(F.try_sum(ints)),
        decimal_total=group.add(F.try_sum(decimals)),
        float_total=group.add(F.sum(floats)),
        written_total=group.add(F.try_sum(written)),
    )


def _zero(column: Column, count: Column, spark_type: str) -> Column:
    """A total of nothing is zero; one that did not fit is SQL NULL."""
    return F.when(count > 0, column.try_cast(spark_type)).otherwise(F.literal(0, spark_type))


def _dynamic_sum(group: Group, value: Expr) -> Expr:
    return summed(group, _parts(group, value))


def summed(group: Group, parts: Parts) -> Expr:
    """The sum, of the kind that its addends make it."""
    ints, decimals = (parts.int_total, parts.ints), (parts.decimal_total, parts.decimals)
    floating = parts.float_total + _zero(*ints, "double") + _zero(*decimals, "double")
    exact = F.try_add(_zero(*decimals, "decimal(37,17)"), _zero(*ints, "decimal(37,17)"))
    whole_number = parts.int_total.try_cast("bigint").cast("variant")
    column = (
        F.when(parts.others > 0, group.forgiven("sum takes numbers"))
        .when(parts.floats > 0, floating.cast("variant"))
        .when(parts.decimals > 0, F.coalesce(decimal_variant(exact), group.error(DECIMAL_OVERFLOW)))
        .when(parts.ints > 0, F.coalesce(whole_number, group.error(OVERFLOW)))
        .otherwise(dynamic.null())
    )
    type_ = t.absent(t.union((t.INT64, t.DECIMAL, t.FLOAT64)), nullable=True, missable=True)
    return Expr(type_, column, height=6, throws=True)


def _dynamic_mean(group: Group, value: Expr) -> Expr:
    return averaged(group, _parts(group, value))


def averaged(group: Group, parts: Parts) -> Expr:
    """The mean: a decimal, unless there is a float that is not finite."""
    count = parts.ints + parts.decimals + parts.floats
    total = _zero(parts.int_total, parts.ints, _EXACT)
    for part, size in ((parts.decimal_total, parts.decimals), (parts.written_total, parts.floats)):
        total = F.try_add(total.try_cast("decimal(37,17)"), _zero(part, size, "decimal(37,17)"))
    column = (
        F.when(parts.others > 0, group.forgiven("avg takes numbers"))
        .when(parts.beyond > 0, (parts.float_total / count).cast("variant"))
        .when(count > 0, F.coalesce(decimal_variant(_quotient(total, count)), group.error(DECIMAL_OVERFLOW)))
        .otherwise(dynamic.null())
    )
    return Expr(t.absent(t.union((t.DECIMAL, t.FLOAT64)), nullable=True, missable=True), column, height=8, throws=True)


# ---------------------------------------------------------------------------------------------------------------------
# The least, the greatest; all, some; everything


def _none() -> Expr:
    return null_expr()


def _extreme(least: bool) -> Aggregate:
    def build(group: Group, arg: Expr) -> Expr:
        value = group.bound(arg)
        if isinstance(value.type, t.Null | t.Missing):
            return _none()
        found = t.absent(t.proper(value.type), nullable=True)
        if is_own_key(value.type, ordering=True) or value.missing is not None:
            return group.result(found, (F.min if least else F.max)(value.plain))
        order = group.bound(key(group.scope, value, ordering=True))
        column = (F.min_by if least else F.max_by)(value.column, order.column)
        if form(value.type) is not Form.VARIANT:
            return group.result(found, column)
        return Expr(t.ANY, F.coalesce(group.add(column), dynamic.null()), height=2)

    return build


def _booleans(name: str, combine: Callable[[Column], Column]) -> Aggregate:
    def build(group: Group, arg: Expr) -> Expr:
        value = group.bound(arg)
        if isinstance(value.type, t.Null | t.Missing):
            return _none()
        if isinstance(value.type, t.Bool) and not value.dynamic:
            return group.result(t.absent(t.BOOL, nullable=True), combine(value.plain))
        variant, found = group.scope.variant(value)
        kind = found.column
        result = group.add(combine(extract(variant.column, kind, "bool")))
        others = group.add(F.count(F.when(~one_of(kind, "BOOLEAN", "VOID"), 1)))
        made_ = F.coalesce(result.cast("variant"), dynamic.null())
        column = F.when(others > 0, group.forgiven(f"{name} takes booleans")).otherwise(made_)
        return Expr(t.absent(t.BOOL, nullable=True, missable=True), column, height=4, throws=True)

    return build


def _collect(group: Group, arg: Expr) -> Expr:
    """All values as a bag, NULL and MISSING included: inside a struct Spark keeps them."""
    if group.distinct:
        raise UnsupportedError("'collect' with DISTINCT is not native on Spark yet", where=group.where)
    value = group.bound(arg)
    column = group.add(F.collect_list(F.struct(value.column.alias("v"))))
    return Expr(t.Bag(value.type), F.transform(column, lambda item: item["v"]), height=3)


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
