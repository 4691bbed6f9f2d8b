"""Arithmetic with intervals: moment +- interval, moment - moment, interval +- interval, interval * number.

Operands are read as structs (`moments.py`) that are bound to names; the result is a variant, or a plain date. If an
operand may also be a number, the kinds at run time decide which arithmetic applies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.scalar.calendar import MONTHS, SECONDS
from firesteel.spark.core.expr import Depth, Expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import let, one_of
from firesteel.spark.numbers.exact_decimals import finite
from firesteel.spark.numbers.float_compare import mantissa_of, power_of_two
from firesteel.spark.scalar.arguments import call
from firesteel.spark.time import calendar, moments
from firesteel.spark.time.moments import DAY, NANOS, TIME, UNITS, WHOLE, Interval, Moment, interval_variant, long

Mixed = Callable[..., Expr]

_BEYOND = "an interval times or by a number of so many digits is not native on Spark yet"
_TEMPORAL = FAMILIES["temporal"]


def may_be_any(expr: Expr, *families: str) -> bool:
    """May the value be of one of the families, or is it always absent?"""
    kinds = possible_kinds(expr)
    return not kinds or any(kinds & set(FAMILIES[family]) for family in families)


def is_temporal(name: str, a: Expr, b: Expr) -> bool:
    """Is this arithmetic of moments or intervals, or may it be?"""
    if not any(possible_kinds(e) is None or possible_kinds(e) & set(_TEMPORAL) for e in (a, b)):  # type: ignore[operator]
        return False
    match name:
        case "plus":
            return (may_be_any(a, "interval") and may_be_any(b, "temporal")) or (
                may_be_any(a, "temporal") and may_be_any(b, "interval")
            )
        case "minus":
            return may_be_any(a, "temporal") and may_be_any(b, "temporal")
        case "times":
            return (may_be_any(a, "interval") and may_be_any(b, "number")) or (
                may_be_any(a, "number") and may_be_any(b, "interval")
            )
        case "divide":
            return may_be_any(a, "interval") and may_be_any(b, "number")
    return False


def binary(scope: Scope, name: str, a: Expr, b: Expr, mixed: Mixed | None, where: Where) -> Expr:
    """`plus`, `minus`, `times`, `divide`; `mixed` computes them for numbers, if the operands may be numbers."""

    def apply(x: Expr, y: Expr) -> Expr:
        build = _sum if name in ("plus", "minus") else _scale_either
        temporal = build(scope, name, x, y, where)
        if mixed is None:
            return temporal
        return _either(scope, (x, y), temporal, mixed(x, y))

    return scope.let([a, b], apply)


def _either(scope: Scope, args: Sequence[Expr], temporal: Expr, numeric: Expr) -> Expr:
    """Choose between the two results by the kinds of the operands."""
    kinds = [scope.variant(arg)[1] for arg in args]
    test = F.lit(False)
    for kind in kinds:
        test = test | F.coalesce(one_of(kind.column, *_TEMPORAL), F.lit(False))
    column = F.when(test, temporal.column.cast("variant")).otherwise(numeric.column)
    return derive(t.ANY, column, temporal, numeric, *kinds, *args, throws=True, cost=Depth.TINY)


# ---------------------------------------------------------------------------------------------------------------------
# Sums and differences


def _sum(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    sign = 1 if name == "plus" else -1
    ranks = moments.ranks_of(a) if may_be_any(b, "interval") else frozenset()
    if name == "plus" and may_be_any(a, "interval"):
        ranks = ranks | moments.ranks_of(b)
    pairs = may_be_any(a, "interval") and may_be_any(b, "interval")
    apart = name == "minus" and bool(moments.ranks_of(a)) and bool(moments.ranks_of(b))
    only_dates = ranks == {moments.DATE} and not pairs and not apart
    families = tuple("interval" if possible_kinds(e) == frozenset({Kind.INTERVAL}) else "temporal" for e in (a, b))

    def native(x: Column, y: Column) -> Column:
        (m1, i1), (m2, i2) = (_parts(column, family) for column, family in zip((x, y), families, strict=True))
        results: list[Column] = []
        if ranks and m1 is not None:
            results.append(_move(scope, m1, i2, sign, moments.ranks_of(a), where))
        if ranks and name == "plus" and m2 is not None:
            results.append(_move(scope, m2, i1, 1, moments.ranks_of(b), where))
        if pairs:
            results.append(_add(scope, i1, i2, sign, where))
        if apart and m1 is not None and m2 is not None:
            results.append(_difference(m1, m2, moments.ranks_of(a), moments.ranks_of(b)))
        if not results:
            return F.literal(None, "variant")
        return F.coalesce(*results) if len(results) > 1 else results[0]

    type_ = t.DATE if only_dates else _sum_type(ranks, pairs or apart)
    said = f"{name} does not take these"
    return call(scope, name, [a, b], families, native, type_, where, partial=said, throws=True, cost=Depth.HUGE)


def _sum_type(ranks: frozenset[int], intervals: bool) -> t.Type:
    types = [*([calendar.type_of(ranks)] if ranks else []), *([t.INTERVAL] if intervals or not ranks else [])]
    return t.union((*types, t.INTERVAL)) if ranks == {moments.DATE} else t.union(types)


def _parts(column: Column, family: str) -> tuple[Column | None, Column]:
    return (None, column) if family == "interval" else (column["moment"], column["interval"])


def _move(scope: Scope, moment: Column, interval: Column, sign: int, ranks: frozenset[int], where: Where) -> Column:
    """The moment plus or minus the interval; SQL NULL where that is impossible."""
    span = Interval(interval)
    fits = moment.isNotNull() & interval.isNotNull()
    if TIME in ranks:
        fits = fits & ~(Moment(moment, ranks).is_rank(TIME) & ~span.is_unit("day_time"))
    nanos = span.nanos if sign > 0 else F.literal(0, "decimal(1,0)") - span.nanos
    months = span.months * long(sign)

    def later(split: Column) -> Column:
        known_to = calendar.exactness(months, split["s"], split["r"])
        return calendar.later(Moment(moment, ranks), months, split["s"], split["r"], known_to)

    seconds, rest = calendar.split(nanos.cast(WHOLE))
    moved = let(F.struct(seconds.alias("s"), rest.alias("r")), later)
    encoded = let(moved, lambda column: calendar.encoded(scope, Moment(column, ranks), where)[1])
    return F.when(fits, encoded)


def _add(scope: Scope, a: Column, b: Column, sign: int, where: Where) -> Column:
    x, y = Interval(a), Interval(b)
    months = x.months + long(sign) * y.months
    add = F.try_add if sign > 0 else F.try_subtract
    fraction = F.greatest(a["f"], b["f"])
    struct = moments.of_interval(x.unit, months, add(x.nanos, y.nanos), F.lit(9), fraction)
    return F.when(x.unit == y.unit, _check_and_encode(scope, struct, where))


def _difference(a: Column, b: Column, ranks_a: frozenset[int], ranks_b: frozenset[int]) -> Column:
    start, end = Moment(b, ranks_b), Moment(a, ranks_a)
    nanos = calendar.nanos_between(start, end)
    unit = F.lit(UNITS.index("day_time"))
    struct = moments.of_interval(unit, F.lit(0), nanos, F.lit(9), F.lit(9))
    fits = a.isNotNull() & b.isNotNull() & calendar.comparable(start, end)
    return F.when(fits, let(struct, lambda column: interval_variant(Interval(column))))


def _check_and_encode(scope: Scope, struct: Column, where: Where) -> Column:
    """The interval as a variant, truncated to its digits of a second; an error if years or days are too many."""

    def cut(column: Column) -> Column:
        unit = F.element_at(
            F.array(*(F.literal(Decimal(10**n), "decimal(10,0)") for n in range(9, -1, -1))), column["f"] + 1
        )
        nanos = column["n"] - (column["n"] % unit.cast(WHOLE))
        return moments.of_interval(column["u"], column["m"], nanos, column["d"], column["f"])

    def check(column: Column) -> Column:
        years = F.abs(moments.quotient(column["m"], 12)).cast(WHOLE)
        days = F.abs(F.call_function("div", column["n"], F.literal(Decimal(DAY * NANOS), WHOLE))).cast(WHOLE)
        most = F.element_at(F.array(*(F.literal(Decimal(10**n), "decimal(11,0)") for n in range(11))), column["d"] + 1)
        error = scope.run.error("interval overflow: the years or days take too many digits", where)
        return F.when(F.greatest(years, days) >= most, error).otherwise(interval_variant(Interval(column)))

    return let(let(struct, cut), check)


def fit(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """CAST to an interval from a first to a last field, as in `INTERVAL DAY TO SECOND`; the fields are constants."""
    first, last, digits, fraction = (arg.constant for arg in args[1:])
    if not (isinstance(first, str) and isinstance(last, str) and type(digits) is type(fraction) is int):
        raise UnsupportedError("an interval of fields that only the run knows is not native on Spark", where=where)
    months = first in MONTHS
    sizes = MONTHS if months else {name: seconds * NANOS for name, seconds in SECONDS.items()}
    if first not in sizes or last not in sizes or not (1 <= digits <= 9 and 0 <= fraction <= 9):
        raise UnsupportedError(f"no interval goes from {first}({digits}) to {last}({fraction})", where=where)
    unit = 10 ** (9 - fraction) if last == "second" else sizes[last]

    def native(column: Column) -> Column:
        amount = (column["m"] if months else column["n"]).cast(WHOLE)
        return let(amount - amount % _whole(unit), lambda cut: checked(column, cut))

    def checked(column: Column, amount: Column) -> Column:
        error = scope.run.error(f"interval overflow: the {first}s take more than {digits} digits", where)
        zero = F.literal(0, "bigint")
        parts = (amount, zero) if months else (zero, amount)
        struct = moments.of_interval(column["u"], *parts, F.lit(digits), F.lit(fraction))
        fitting = let(struct, lambda made_: interval_variant(Interval(made_)))
        value = F.when(F.abs(amount) >= _whole(10**digits * sizes[first]), error).otherwise(fitting)
        return F.when(Interval(column).is_unit("year_month" if months else "day_time"), value)

    said = f"an interval of the other kind has no {first} and {last}"
    taken, type_ = args[:1], t.Interval("year_month" if months else "day_time")
    return call(
        scope,
        "fit_interval",
        taken,
        ("interval",),
        native,
        type_,
        where,
        partial=said,
        throws=True,
        cost=Depth.VERY_DEEP,
    )


def _whole(number: int) -> Column:
    return F.literal(Decimal(number), WHOLE)


# ---------------------------------------------------------------------------------------------------------------------
# Multiples


def _scale_either(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    """Interval * number, number * interval, or interval / number."""
    forth = may_be_any(a, "interval") and may_be_any(b, "number")
    back = name == "times" and may_be_any(b, "interval") and may_be_any(a, "number")
    if not (forth and back):
        return _multiple(scope, name, b, a, where) if back else _multiple(scope, name, a, b, where)
    first, second = _multiple(scope, name, a, b, where), _multiple(scope, name, b, a, where)
    kind = scope.variant(a)[1]
    column = F.when(F.coalesce(kind.column == Kind.INTERVAL, F.lit(False)), first.column).otherwise(second.column)
    return derive(t.ANY, column, first, second, kind, a, throws=True)


def _multiple(scope: Scope, name: str, interval: Expr, factor: Expr, where: Where) -> Expr:
    native = partial(_scale, scope, name, where)
    families = ("interval", "number")
    said = f"{name} does not take these"
    return call(
        scope, name, [interval, factor], families, native, t.INTERVAL, where, partial=said, throws=True, cost=Depth.HUGE
    )


def _scale(scope: Scope, name: str, where: Where, interval: Column, factor: Column) -> Column:
    """`factor` is a struct: digits (u, e) of an exact number, or a float (d)."""
    error = scope.run.error
    beyond = error(_BEYOND, where, cls=UnsupportedError)
    zero = F.coalesce(factor["d"] == 0, factor["u"] == 0)
    infinite = ~finite(factor["d"])

    def scale(amount: Column, exactly: bool) -> Column:
        amount = amount.cast(WHOLE)
        if name == "times":
            product = F.try_multiply(amount, factor["u"]).cast("string")
            return _drop_digits(product, factor["e"])
        aligned = F.concat(amount.cast("string"), F.repeat(F.lit("0"), factor["e"])).try_cast(WHOLE)
        quotient = _truncated(aligned, factor["u"])
        if not exactly:
            return quotient
        return F.when(factor["d"].isNotNull(), _by_float(amount, factor["d"])).otherwise(quotient)

    months = scale(interval["m"], False)
    nanos = scale(interval["n"], True)
    struct = moments.of_interval(interval["u"], months, nanos, interval["d"], interval["f"])
    fits = months.isNotNull() & nanos.isNotNull()
    far = error("interval overflow: the result is out of range", where)
    column = F.when(
        interval.isNotNull() & factor.isNotNull(),
        F.when(fits, _check_and_encode(scope, struct, where)).otherwise(beyond),
    )
    column = F.when(F.coalesce(infinite, F.lit(False)), far).otherwise(column)
    if name == "divide":
        column = F.when(zero, error("division by zero", where)).otherwise(column)
    return column


def _drop_digits(text: Column, digits: Column) -> Column:
    """The integer that is left without the last digits of a text; SQL NULL for NULL."""
    size = F.char_length(text) - digits
    cut = F.when(size > 0, F.substring(text, F.lit(1), size))
    return F.when(text.isNotNull(), F.coalesce(cut.try_cast(WHOLE), F.literal(0, WHOLE)))


def _truncated(a: Column, b: Column) -> Column:
    divisor = F.nullif(b, F.literal(0, WHOLE))
    return F.try_divide(F.try_subtract(a, F.try_mod(a, divisor)), divisor).try_cast(WHOLE)


def _by_float(amount: Column, number: Column) -> Column:
    """Divide by the exact value of a float: an integer over a power of two."""
    bits, mantissa = mantissa_of(number)
    return _truncated(F.try_multiply(amount, power_of_two(bits)), F.try_multiply(mantissa, power_of_two(-bits)))


def unary(scope: Scope, name: str, a: Expr, mixed: Mixed | None, where: Where) -> Expr:
    """`neg`, `pos`, `abs` of an interval."""

    def native(column: Column) -> Column:
        if name == "pos":
            return F.when(column.isNotNull(), interval_variant(Interval(column)))
        zero = F.literal(0, "decimal(1,0)")
        months, nanos = long(0) - column["m"], (zero - column["n"]).cast(WHOLE)
        other = moments.of_interval(column["u"], months, nanos, column["d"], column["f"])
        if name == "abs":
            negative = (column["m"] < 0) | ((column["m"] == 0) & (column["n"] < 0))
            other = F.when(negative, other).otherwise(column)
        return F.when(column.isNotNull(), let(other, lambda made_: interval_variant(Interval(made_))))

    def apply(x: Expr) -> Expr:
        temporal = call(scope, name, [x], ("interval",), native, t.INTERVAL, where, cost=Depth.DEEP)
        return temporal if mixed is None else _either(scope, [x], temporal, mixed(x))

    return scope.let([a], apply)
