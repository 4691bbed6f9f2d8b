"""Aggregates of a row's own collections.

They give the same as over a group: NULL and MISSING are skipped, and integers and decimals are exact. Sums of floats
are compensated (Neumaier), so that the order of the elements does not matter.
"""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import (
    Depth,
    Expr,
    NumberParts,
    as_decimal,
    column_expr,
    derive,
    null_expr,
    number_parts,
)
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_DIGITS, Form, WholeOrDecimal, form, to_spark
from firesteel.spark.encoding.decimal_variants import decimal_variant
from firesteel.spark.encoding.kinds import NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, one_of
from firesteel.spark.keys.comparison import is_own_key, key
from firesteel.spark.numbers import exact_arithmetic, exact_decimals
from firesteel.spark.numbers.exact_decimals import Digits
from firesteel.spark.scalar.arithmetic.arithmetic import BEYOND, OVERFLOW
from firesteel.spark.scalar.collections.aggregates import decimal_sum_type

WHOLE = "decimal(38,0)"
_BOTH = {"nullable": True, "missable": True}
_SUM = t.absent(t.union((t.INT64, t.DECIMAL, t.FLOAT64)), **_BOTH)
_MEAN = t.absent(t.union((t.DECIMAL, t.FLOAT64)), **_BOTH)


def aggregate_array(scope: Scope, name: str, array: Expr, where: Where) -> Expr:
    """The aggregate `name` over the elements of an array that is not NULL."""
    assert isinstance(array.type, t.Collection)
    element = array.type.element
    if name in ("count", "count_star"):
        found = array.column if name == "count_star" else _present(array, element)
        return derive(
            t.INT64, F.coalesce(F.array_size(found).cast("bigint"), F.literal(0, "bigint")), array, cost=Depth.TINY
        )
    if name in ("collect", "array_agg"):
        return array.with_type((t.Bag if name == "collect" else t.Array)(element))
    if isinstance(element, t.Null | t.Missing):
        return null_expr()
    if name in ("min", "max"):
        return _extreme(scope, name == "min", array, element, where)
    if name in ("every", "any"):
        return _booleans(scope, name, array, element, where)
    if isinstance(element, t.Integer) and form(element) is not Form.VARIANT and name in ("sum", "arithmetic:sum"):
        return _integers(scope, array, where)
    if name == "sum" and _decimal_of(element) is not None:
        return _decimals(scope, array, element, where)
    if name not in ("sum", "avg"):
        raise UnsupportedError(f"'{name}' of a collection inside of a row", where=where)
    build = _total if name == "sum" else _mean
    return scope.let([_kinds(array, element)], lambda pairs: build(scope, pairs, where))


def _absent(item: Column, element: t.Type) -> Column:
    if form(element) is Form.VARIANT:
        return item.isNull() | F.is_variant_null(item)
    return item.isNull()


def _present(array: Expr, element: t.Type) -> Column:
    return F.filter(array.column, lambda item: ~_absent(item, element)) if element.absent else array.column


def _kinds(array: Expr, element: t.Type) -> Expr:
    """The present elements as variants, each with its kind."""

    def pair(item: Column) -> Column:
        value = variants.to_variant(item, element)
        return variants.let(value, lambda v: variants.let(F.schema_of_variant(v), lambda schema: with_kind(v, schema)))

    def with_kind(value: Column, schema: Column) -> Column:
        return F.struct(value.alias("v"), variants.tagged_kind(value, schema).alias("k"))

    pairs = F.filter(F.transform(array.column, pair), lambda p: p["k"].isNotNull() & (p["k"] != Kind.VOID))
    return derive(t.ANY, pairs, array, cost=Depth.DEEP)


# ---------------------------------------------------------------------------------------------------------------------
# Sums and means


def _integers(scope: Scope, array: Expr, where: Where) -> Expr:
    zero = F.literal(None, WHOLE)

    def add(total: Column, item: Column) -> Column:
        return F.coalesce(F.try_add(total, item.cast("decimal(20,0)")).cast(WHOLE), item.cast(WHOLE), total)

    total = derive(t.ANY, F.aggregate(array.column, zero, add), array, cost=Depth.MEDIUM)

    def checked(found: Expr) -> Expr:
        fits = found.column.try_cast("bigint")
        lost = found.column.isNotNull() & fits.isNull()
        column = F.when(lost, scope.run.error(OVERFLOW, where)).otherwise(fits)
        return derive(t.absent(t.INT64, nullable=True), column, found, throws=True, cost=Depth.TINY)

    return scope.let([total], checked)


def _decimal_of(element: t.Type) -> t.Decimal | None:
    """The decimals that a column of this type consists of, if they are added as such (`_has_room`)."""
    decimal = element.decimal if isinstance(element, WholeOrDecimal) else element
    plain = form(element) is not Form.VARIANT and _has_room(decimal)
    return decimal if plain and isinstance(decimal, t.Decimal) else None


#: Spark adds decimals of so many digits without rounding; and those of two digits less can be added a hundred times.
_SUM_DIGITS = MAX_DIGITS - 1


def _has_room(type_: t.Type) -> bool:
    return isinstance(type_, t.Decimal) and type_.precision is not None and type_.precision + 2 <= _SUM_DIGITS


def _sum_type(type_: t.Type) -> t.Decimal:
    """The type of a sum inside a row."""
    made = decimal_sum_type(type_)
    return type(made)(min(made.precision or MAX_DIGITS, _SUM_DIGITS), made.scale)


def _decimals(scope: Scope, array: Expr, element: t.Type, where: Where) -> Expr:
    """The sum of decimals of one type, or of integers and decimals in one column."""
    number = column_expr(element, F.lit(None))
    if isinstance(number, NumberParts):
        items = F.transform(array.column, lambda item: number_item(column_expr(element, item)))
        pairs = derive(t.Bag(t.ANY), items, array, cost=Depth.TINY)
        return scope.let([pairs], lambda bound: sum_of_numbers(scope, number, where, bound))
    type_ = _sum_type(element)
    column = _sum(scope, array.column, type_, where)
    return derive(t.absent(type_, nullable=True), column, array, cost=Depth.SMALL, throws=True)


def has_plain_sum(number: NumberParts) -> bool:
    """Are such numbers added as decimals of one type?"""
    return number.integral is not None and _has_room(t.proper(as_decimal(number).type))


def number_item(number: Expr) -> Column:
    """A number in parts, as the item of an array for `sum_of_numbers`."""
    assert isinstance(number, NumberParts)
    assert number.integral is not None
    return F.struct(number.value.alias("v"), number.integral.alias("i"))


def sum_of_numbers(scope: Scope, number: NumberParts, where: Where, array: Expr) -> Expr:
    """The sum of integers and decimals, which are like `number`: an integer if there are only integers. Its parts are
    mentioned often in a variant, so they get names first."""
    type_ = _sum_type(as_decimal(number).type)
    total = _sum(scope, F.transform(array.column, lambda item: item["v"]), type_, where)
    integral = ~F.exists(array.column, lambda item: ~item["i"])
    parts = number_parts(type_, total, F.coalesce(integral, F.lit(True)), array, cost=Depth.MEDIUM)
    return scope.let([parts], lambda named: derive(named.type, named.column, named, cost=Depth.SMALL))


def _sum(scope: Scope, numbers: Column, type_: t.Decimal, where: Where) -> Column:
    """The sum of decimals; SQL NULL if none is there."""
    spark = to_spark(type_).simpleString()
    beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast(spark)

    def add(total: Column, item: Column) -> Column:
        both = F.coalesce((total + item).try_cast(spark), beyond)
        return F.when(item.isNull(), total).when(total.isNull(), item.cast(spark)).otherwise(both)

    return F.aggregate(numbers, F.literal(None, spark), add)


def _any_kind(pairs: Column, *kinds: str) -> Column:
    return F.exists(pairs, lambda p: one_of(p["k"], *kinds))


def _other(pairs: Column, *kinds: str) -> Column:
    return F.exists(pairs, lambda p: ~one_of(p["k"], *kinds))


def _exact_total(items: Column) -> Column:
    """The sum of an array of decimals given by digits; `u` is SQL NULL if the sum has too many digits."""

    def sum_of(listed: Column) -> Column:
        scale = F.array_max(F.transform(listed, lambda d: d["e"]))

        def add(total: Column, item: Column) -> Column:
            text = F.concat(item["u"].cast("string"), F.repeat(F.lit("0"), scale - item["e"]))
            return F.try_add(total, text.try_cast(WHOLE)).try_cast(WHOLE)

        return exact_decimals.of_digits(F.aggregate(listed, F.literal(0, WHOLE), add), scale)

    return variants.let(items, sum_of)


def _float_total(items: Column) -> Column:
    """Neumaier's sum: the rounding error of every addition is summed separately. If not finite, the plain sum."""
    zero = F.struct(F.lit(0.0).alias("s"), F.lit(0.0).alias("c"))

    def add(total: Column, item: Column) -> Column:
        new = total["s"] + item
        lost = F.when(F.abs(total["s"]) >= F.abs(item), (total["s"] - new) + item).otherwise((item - new) + total["s"])
        return F.struct(new.alias("s"), (total["c"] + lost).alias("c"))

    def finish(total: Column) -> Column:
        return F.when(exact_decimals.finite(total["s"]), total["s"] + total["c"]).otherwise(total["s"])

    return F.aggregate(items, zero, add, finish)


def _doubles(pairs: Column) -> Column:
    return F.transform(pairs, lambda p: cast_variant(p["v"], "double"))


def wrong_value(scope: Scope, message: str, where: Where) -> Column:
    error = scope.wrong(message, where)
    return variants.missing() if error is None else error.cast("variant")


#: The largest scale of numbers that are summed as plain decimals.
_FEW = 12
_PLAIN = f"decimal({MAX_DIGITS},{_FEW})"


def _plain_total(items: Column) -> Column:
    """The sum of numbers of small scale; SQL NULL if one has a larger scale, or if the sum overflows."""

    def plain(text: Column) -> Column:
        return F.when((exact_decimals.places(text) <= _FEW) & (F.locate("E", text) == 0), text.try_cast(_PLAIN))

    parts = F.transform(items, lambda p: variants.let(F.to_json(p["v"]), plain))
    return F.aggregate(parts, F.literal(0, _PLAIN), lambda total, item: F.try_add(total, item).try_cast(_PLAIN))


def _total(scope: Scope, pairs: Expr, where: Where) -> Expr:
    column = pairs.column
    exact = F.filter(column, lambda p: one_of(p["k"], Kind.BIGINT, Kind.DECIMAL))
    digits = _exact_total(F.transform(exact, lambda p: exact_decimals.of_variant(p["v"])))
    beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant")

    def integer(number: Column) -> Column:
        return F.coalesce(number.try_cast("bigint").cast("variant"), scope.run.error(OVERFLOW, where).cast("variant"))

    def exactly(found: Column) -> Column:
        number = Digits(found)
        value = F.when(_any_kind(column, Kind.DECIMAL), exact_decimals.to_variant(number)).otherwise(
            integer(number.unscaled)
        )
        return F.when(number.unscaled.isNull(), beyond).otherwise(value)

    def finish(found: Expr) -> Expr:
        result = (
            F.when(_other(column, *NUMBERS, *WIDE_NUMBERS), wrong_value(scope, "sum takes numbers", where))
            .when(F.array_size(column) == 0, variants.null())
            .when(_any_kind(column, *WIDE_NUMBERS), beyond)
            .when(_any_kind(column, Kind.DOUBLE, Kind.FLOAT), _float_total(_doubles(column)).cast("variant"))
        )
        if roomy:
            plain = found.column
            behind = F.array_max(F.transform(exact, lambda p: exact_decimals.places(F.to_json(p["v"]))))
            quick = F.when(_any_kind(column, Kind.DECIMAL), decimal_variant(plain, _FEW, behind)).otherwise(
                integer(plain)
            )
            result = result.when(plain.isNotNull(), quick).otherwise(variants.let_interpreted(digits, exactly))
        else:
            result = result.otherwise(exactly(found.column))
        return derive(_SUM, F.when(column.isNotNull(), result), pairs, found, throws=True, cost=Depth.DEEP)

    roomy = scope.run.limits.roomy
    first = derive(t.Decimal(MAX_DIGITS, _FEW, nullable=True), _plain_total(exact), pairs, cost=Depth.LARGE)
    return scope.let([first if roomy else derive(t.ANY, digits, pairs, cost=Depth.DEEP)], finish)


def _mean(scope: Scope, pairs: Expr, where: Where) -> Expr:
    column = pairs.column

    def written(pair: Column) -> Column:
        floating = exact_decimals.of_float(cast_variant(pair["v"], "double"))
        number = exact_decimals.of_variant(pair["v"])
        exact = one_of(pair["k"], Kind.BIGINT, Kind.DECIMAL)
        return exact_decimals.of_digits(
            F.when(exact, number["u"]).otherwise(floating["u"]), F.when(exact, number["e"]).otherwise(floating["e"])
        )

    total = derive(t.ANY, _exact_total(F.transform(column, written)), pairs, cost=Depth.VERY_DEEP)
    count = derive(t.INT64, F.array_size(column), pairs, cost=Depth.TINY)

    def finish(found: Expr) -> Expr:
        doubles = _doubles(F.filter(column, lambda p: one_of(p["k"], Kind.DOUBLE, Kind.FLOAT)))
        infinite = F.exists(doubles, lambda d: ~exact_decimals.finite(d))
        floating = _float_total(_doubles(column)) / F.nullif(F.array_size(column), F.lit(0)).cast("double")
        beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant")
        result = (
            F.when(_other(column, *NUMBERS, *WIDE_NUMBERS), wrong_value(scope, "avg takes numbers", where))
            .when(F.array_size(column) == 0, variants.null())
            .when(infinite, floating.cast("variant"))
            .when(found.column["u"].isNull(), beyond)
            .otherwise(exact_decimals.to_variant(Digits(found.column)))
        )
        return derive(_MEAN, F.when(column.isNotNull(), result), pairs, found, throws=True, cost=Depth.DEEP)

    def quotient(i: Expr, j: Expr) -> Expr:
        column = exact_arithmetic.mean(Digits(i.column), j.column)
        return derive(t.ANY, column, i, j, cost=Depth.HUGE)

    return scope.let([total, count], lambda i, j: scope.let([quotient(i, j)], finish))


# ---------------------------------------------------------------------------------------------------------------------
# min, max; every, any


def _extreme(scope: Scope, least: bool, array: Expr, element: t.Type, where: Where) -> Expr:
    type_ = t.absent(element, nullable=True, missable=False)
    if is_own_key(element, ordering=True):
        column = (F.array_min if least else F.array_max)(array.column)
        return derive(type_, column, array, cost=Depth.TINY)
    inner = scope.inner((), where)
    heights: list[Expr] = []

    def ranked(item: Column, index: Column) -> Column:
        order = key(inner, column_expr(element, item, atomic=True), ordering=True)
        heights.append(order)
        place = index if least else -index
        return F.struct(order.column.alias("k"), place.alias("i"))

    ordered = F.filter(F.transform(array.column, ranked), lambda pair: pair["k"].isNotNull())
    best = (F.array_min if least else F.array_max)(ordered)
    place = derive(t.ANY, F.abs(best["i"]), array, *(e for e in heights[-1:] if not e.place.stage), cost=Depth.MEDIUM)

    def chosen(at: Expr) -> Expr:
        item = F.get(array.column, at.column)
        if form(element) is Form.VARIANT:
            return derive(t.ANY, F.coalesce(item, variants.null()), array, at)
        return derive(type_, item, array, at)

    return scope.let([place], chosen)


def _booleans(scope: Scope, name: str, array: Expr, element: t.Type, where: Where) -> Expr:
    nullable = t.absent(t.BOOL, nullable=True)
    combine = F.forall if name == "every" else F.exists
    if isinstance(element, t.Bool) and form(element) is not Form.VARIANT:
        items = _present(array, element)
        return derive(
            nullable, F.when(F.array_size(items) > 0, combine(items, lambda item: item)), array, cost=Depth.SMALL
        )

    def finish(pairs: Expr) -> Expr:
        column = pairs.column
        result = (
            F.when(_other(column, Kind.BOOLEAN), wrong_value(scope, f"{name} takes booleans", where))
            .when(F.array_size(column) == 0, variants.null())
            .otherwise(combine(column, lambda p: cast_variant(p["v"], "boolean")).cast("variant"))
        )
        full = t.absent(t.BOOL, **_BOTH)
        return derive(full, F.when(column.isNotNull(), result), pairs, throws=scope.run.strict, cost=Depth.SMALL)

    return scope.let([_kinds(array, element)], finish)
