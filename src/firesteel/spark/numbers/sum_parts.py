"""SUM and AVG of numbers of unknown type: the parts that each number is split into, and the totals of the parts.

Integers and decimals are added in a plain decimal of 18 digits behind the point. A decimal may have more (a quotient
has 38 significant digits): those behind the 18th are added in another column. Floats are added as floats; a mean also
adds the decimals that they are written as.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, NumberParts, Variant, derive
from firesteel.spark.core.scope import Scope
from firesteel.spark.core.variant_kinds import may_be_tagged
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import WIDE_NUMBERS, WRITTEN
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, kind_of, one_of, payload
from firesteel.spark.numbers.exact_arithmetic import PLACES
from firesteel.spark.numbers.exact_decimals import finite, places

EXACT, _WHOLE = f"decimal(38,{PLACES})", "decimal(38,0)"
#: How many digits of a long decimal are added behind its 18th.
MORE = 28


class Met(IntFlag):
    """The kinds of values met, as flags: aggregating one column of flags is faster than a dozen counts."""

    INT = 1
    DECIMAL = 2
    #: A decimal with more than 18 digits behind the point.
    LONG = 4
    FLOAT = 8
    INFINITE = 16
    #: A number with too many digits; UNWRITTEN is a float that has too many when written as a decimal.
    LOST = 32
    UNWRITTEN = 64
    OTHER = 128


EXACTLY = Met.INT | Met.DECIMAL
_LONG = Met.DECIMAL | Met.LONG


@dataclass(frozen=True)
class Addend:
    """The parts of one number; SQL NULL for those that it does not have."""

    met: Column
    exact: Column
    long: Column
    floating: Column
    #: How many digits a decimal has behind the point.
    places: Column

    @property
    def written(self) -> Column:
        """The float as a decimal."""
        return _float_as_decimal(self.floating)


@dataclass(frozen=True)
class Total:
    """The totals of the parts."""

    met: Column
    exact: Column
    long: Column
    floats: Column
    #: The most digits behind the point. Only for sums.
    places: Column
    #: The floats as the decimals that they are written as; and the number of numbers. Only for means.
    written: Column
    count: Column

    def has(self, what: Met) -> Column:
        return self.met.bitwiseAND(what.value) != 0

    def plain(self, column: Column, what: Met, spark_type: str) -> Column:
        """A total: zero if nothing of `what` was met, SQL NULL if it did not fit."""
        return F.when(self.has(what), column.try_cast(spark_type)).otherwise(F.literal(0, spark_type))

    def floating(self) -> Column:
        return self.floats + self.plain(self.exact, EXACTLY, "double")


def total(addend: Addend, add: Callable[[Column], Column], *, mean: bool) -> Total:
    """The totals; `add` adds a column to the aggregation."""
    nothing = F.lit(None)
    return Total(
        met=add(F.bit_or(addend.met)),
        exact=add(F.try_sum(addend.exact)),
        long=add(F.try_sum(addend.long)),
        floats=add(F.sum(addend.floating)),
        places=nothing if mean else add(F.max(addend.places)),
        written=add(F.try_sum(addend.written)) if mean else nothing,
        count=add(F.count(F.coalesce(addend.exact, addend.floating))) if mean else nothing,
    )


def addend(scope: Scope, value: Expr) -> Addend:
    """The parts of a value of unknown type, bound to names."""
    if isinstance(value, Variant) and value.number is not None:
        return _of_number(scope, value, value.number)
    variant, kind = scope.variant(value)
    text = scope.text(variant)
    known = [variant, kind, text]

    def bind_part(type_: t.Type, column: Column) -> Column:
        known.append(scope.bind(derive(t.absent(type_, nullable=True), column, *known), dear=True))
        return known[-1].plain

    written = text.plain
    if may_be_tagged(variant):
        written = bind_part(t.STRING, F.coalesce(written, _wide_text(variant.column, kind.column)))
    exact = bind_part(t.Decimal(38, PLACES), _exact(kind.column, written))
    floating = bind_part(t.FLOAT64, _floating(variant.column, kind.column, written))
    met = bind_part(t.INT32, _met(kind.column, written, exact, floating))
    behind = F.when(_is_decimal(kind.column), places(written))
    return Addend(met, exact, F.when(met == _LONG.value, _further_digits(written)), floating, behind)


def _of_number(scope: Scope, value: Expr, number: NumberParts) -> Addend:
    """The parts of a value that has a plain decimal beside it: values that the decimal has no room for go into the
    column `rest`; it is NULL in almost every row."""
    known = scope.bind(number, dear=True)
    assert isinstance(known, NumberParts)
    assert known.integral is not None
    assert known.places is not None
    there = known.value.isNotNull()
    inline = (variants.let_interpreted if scope.run.limits.roomy else variants.let)(value.column, _inline_parts)
    column = F.when(~there, inline)
    rest = scope.bind(derive(t.ANY, column, value, known, throws=value.place.throws, cost=Depth.VERY_DEEP), dear=True)
    exact = F.when(there, known.value.cast(EXACT)).otherwise(rest.column["e"])
    sort = F.when(known.integral, Met.INT.value).otherwise(Met.DECIMAL.value)
    met = F.when(there, sort).otherwise(rest.column["m"])

    def bind_part(type_: t.Type, part: Column) -> Column:
        return scope.bind(derive(t.absent(type_, nullable=True), part, known, rest), dear=True).plain

    decimal = t.Decimal(38, PLACES)
    behind = F.when(there, known.places).otherwise(rest.column["p"])
    return Addend(bind_part(t.INT32, met), bind_part(decimal, exact), rest.column["l"], rest.column["f"], behind)


def _inline_parts(variant: Column) -> Column:
    """The parts of a variant, as a struct."""

    def parts(p: Column) -> Column:
        exact, floating = _exact(p["k"], p["w"]), _floating(p["v"], p["k"], p["w"])
        both = F.struct(exact.alias("e"), floating.alias("f"))
        return variants.let(both, lambda found: named(p, found["e"], found["f"]))

    def named(p: Column, exact: Column, floating: Column) -> Column:
        met = _met(p["k"], p["w"], exact, floating)
        more = F.when(_is_long(p["k"], p["w"]), _further_digits(p["w"]))
        behind = F.when(_is_decimal(p["k"]), places(p["w"]))
        return F.struct(met.alias("m"), exact.alias("e"), more.alias("l"), floating.alias("f"), behind.alias("p"))

    def written(p: Column) -> Column:
        text = F.when(one_of(p["k"], *WRITTEN), cast_variant(p["v"], "string"))
        text = F.coalesce(text, _wide_text(p["v"], p["k"]))
        return variants.let(F.struct(p["v"].alias("v"), p["k"].alias("k"), text.alias("w")), parts)

    return variants.let(F.struct(variant.alias("v"), kind_of(variant).alias("k")), written)


# ---------------------------------------------------------------------------------------------------------------------
# The parts, from a kind and a text


def _wide_text(variant: Column, kind: Column) -> Column:
    return F.when(one_of(kind, *WIDE_NUMBERS), payload(variant, "string"))


def _is_int(kind: Column) -> Column:
    return one_of(kind, Kind.BIGINT, Kind.WIDE_INT)


def _is_decimal(kind: Column) -> Column:
    return one_of(kind, Kind.DECIMAL, Kind.WIDE_DECIMAL)


def _is_long(kind: Column, text: Column) -> Column:
    return _is_decimal(kind) & (places(text) > PLACES)


def _exact(kind: Column, text: Column) -> Column:
    cut = F.substring(text, F.lit(1), F.locate(".", text) + PLACES)
    return F.when(_is_int(kind) | _is_decimal(kind), F.when(_is_long(kind, text), cut).otherwise(text).try_cast(EXACT))


def _further_digits(text: Column) -> Column:
    sign = F.when(text.startswith("-"), F.lit("-")).otherwise(F.lit(""))
    digits = F.substring(text, F.locate(".", text) + PLACES + 1, F.lit(MORE))
    return F.concat(sign, F.rpad(digits, MORE, "0")).try_cast(_WHOLE)


def _floating(variant: Column, kind: Column, text: Column) -> Column:
    return F.when(kind == Kind.DOUBLE, text.try_cast("double")).when(
        kind == Kind.FLOAT, cast_variant(variant, "double")
    )


def _float_as_decimal(floating: Column) -> Column:
    return F.when(finite(floating), floating).try_cast(EXACT)


def _met(kind: Column, text: Column, exact: Column, floating: Column) -> Column:
    there = exact.isNotNull()
    float_ = F.when(~finite(floating), (Met.FLOAT | Met.INFINITE).value)
    float_ = float_.when(_float_as_decimal(floating).isNull(), (Met.FLOAT | Met.UNWRITTEN).value).otherwise(
        Met.FLOAT.value
    )
    return (
        F.when(there & _is_int(kind), Met.INT.value)
        .when(there & ~_is_long(kind, text), Met.DECIMAL.value)
        .when(there & (places(text) <= PLACES + MORE), _LONG.value)
        .when(floating.isNotNull(), float_)
        .when(_is_int(kind) | _is_decimal(kind), Met.LOST.value)
        .when(kind != Kind.VOID, Met.OTHER.value)
    )
