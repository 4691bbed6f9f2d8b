"""Functions of one number: `ceiling`, `floor` and the square root."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Variant
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.numbers import exact_decimals
from firesteel.spark.scalar.arguments import call, propagate_absent
from firesteel.spark.scalar.arithmetic.arithmetic import BEYOND

#: Floats of this size and above are integers.
_INTEGERS = float(2**53)


def ceiling_or_floor(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """`ceiling` or `floor`; infinities are unchanged."""
    function = F.ceil if name == "ceiling" else F.floor

    def floating(column: Column) -> Column:
        small = F.abs(column) < _INTEGERS
        return F.when(small, function(F.when(small, column)).cast("double")).otherwise(column)

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        (a,) = args
        if isinstance(a.type, t.Number) and not isinstance(a, Variant):
            return typed(a)

        def native(number: Column) -> Column:
            text = number["u"].cast("string")
            exact = F.when(number["e"] == 0, text).otherwise(_integer(number, name))
            beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant")
            integer = F.when(number["i"], number["u"].try_cast("bigint").cast("variant"))
            return (
                F.when(number["d"].isNotNull(), floating(number["d"]).cast("variant"))
                .when(number["i"], integer)
                .when(number["u"].isNotNull(), exact_decimals.exact_number(exact))
                .when(number.isNotNull(), beyond)
            )

        type_ = t.union((t.INT64, t.DECIMAL, t.FLOAT64))
        kinds = possible_kinds(a)
        if kinds is not None and not kinds & {Kind.DOUBLE, Kind.FLOAT}:
            type_ = t.union((t.INT64, t.DECIMAL))
        return call(scope, name, args, ("number",), native, type_, where, throws=True, cost=Depth.DEEP)

    def typed(a: Expr) -> Expr:
        if isinstance(a.type, t.Integer):
            return a
        if isinstance(a.type, t.Decimal):
            digits = (a.type.precision or 38) - (a.type.scale or 0) + 1
            type_ = t.Decimal(min(digits, 38), 0)
            return propagate_absent(type_, function(a.plain).cast(f"decimal({type_.precision},0)"), (a,))
        return propagate_absent(t.FLOAT64, floating(a.plain.cast("double")), (a,), cost=Depth.SMALL)

    return build


def _integer(number: Column, name: str) -> Column:
    """The integer part of a decimal, plus or minus one if the digits behind the point are not all zero."""
    text = number["u"].cast("string")
    size = F.char_length(text) - number["e"]
    before = F.coalesce(F.when(size > 0, F.substring(text, F.lit(1), size)).try_cast(exact_decimals.WHOLE), F.lit(0))
    behind = F.substring(
        F.lpad(exact_decimals.magnitude(number["u"]), number["e"], F.lit("0")), -number["e"], number["e"]
    )
    counts = F.rtrim(behind, F.lit("0")) != ""
    step = (number["u"] > 0) if name == "ceiling" else (number["u"] < 0)
    more = F.when(counts & step, F.lit(1 if name == "ceiling" else -1)).otherwise(F.lit(0))
    return F.try_add(before.cast(exact_decimals.WHOLE), more).cast("string")


def sqrt(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The square root; for a negative number an error in both modes."""

    def native(value: Column) -> Column:
        return F.when(value < 0, scope.run.error("sqrt of a negative number has no value", where)).otherwise(
            F.sqrt(F.when(~(value < 0), value))
        )

    return call(scope, "sqrt", args, ("float",), native, t.FLOAT64, where, throws=True, cost=Depth.TINY)
