"""Functions of one number: `ceiling`, `floor`, `round`, `trunc`, `sign` and the square root."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Variant
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import cast_type
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.numbers import exact_decimals
from firesteel.spark.scalar.arguments import call, propagate_absent
from firesteel.spark.scalar.arithmetic.arithmetic import BEYOND, OVERFLOW

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


# ---------------------------------------------------------------------------------------------------------------------
# To a number of digits

#: Rounding to more digits than this, before or behind the point, changes no number, or makes it 0.
_FAR = 400


def to_places(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """`round` or `trunc`. The number of digits must be a literal to be native."""
    up = name == "round"

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        a, given = args[0], args[1].constant if len(args) > 1 else 0
        if type(given) is not int:
            raise UnsupportedError(f"'{name}' to digits that only the run knows is not native on Spark", where=where)
        places = max(-_FAR, min(given, _FAR))
        made = _typed_to_places(a, places, up) if not isinstance(a, Variant) else None
        return made or call(
            scope,
            name,
            args[:1],
            ("number",),
            lambda number: _number_to_places(scope, number, places, up, where),
            _result_type(a),
            where,
            throws=True,
            cost=Depth.DEEP,
        )

    return build


def _result_type(a: Expr) -> t.Type:
    kinds = possible_kinds(a)
    floats = kinds is None or bool(kinds & {Kind.DOUBLE, Kind.FLOAT})
    return t.union((t.INT64, t.DECIMAL, *((t.FLOAT64,) if floats else ())))


def _typed_to_places(a: Expr, places: int, up: bool) -> Expr | None:
    """The result for a typed column; None for integers that change."""
    match a.type:
        case t.Integer() if places >= 0:
            return a
        case t.Float32() | t.Float64():
            return propagate_absent(
                t.FLOAT64, _float_to_places(a.plain.cast("double"), places, up), (a,), cost=Depth.SMALL
            )
        case t.Decimal(precision=int() as precision, scale=scale):
            if places >= (scale or 0):
                return a
            digits = min(38, max(precision - (scale or 0), -places) + 1 + max(places, 0))
            type_ = t.Decimal(digits, max(places, 0))
            return propagate_absent(type_, _decimal_to_places(a.plain, places, up).cast(cast_type(type_)), (a,))
    return None


def _decimal_to_places(column: Column, places: int, up: bool) -> Column:
    if up:
        return F.round(column, places)
    return F.when(column < 0, F.ceil(column, F.lit(places))).otherwise(F.floor(column, F.lit(places)))


def _float_to_places(column: Column, places: int, up: bool) -> Column:
    """Spark rounds the decimal that a float stands for, half up. To cut, a result that is too far from zero is moved
    one unit back."""
    rounded = F.round(column, places)
    if up:
        return rounded
    back = F.round(rounded - F.signum(column) * F.lit(10.0**-places), places)
    return F.when(F.abs(rounded) > F.abs(column), back).otherwise(rounded)


def _number_to_places(scope: Scope, number: Column, places: int, up: bool, where: Where) -> Column:
    """The same for a number of unknown type, by its digits."""
    beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant")
    overflow = scope.run.error(OVERFLOW, where).cast("variant")
    dropped = number["e"] - places
    text = F.lpad(exact_decimals.magnitude(number["u"]), F.greatest(dropped + 1, _digits(number)), F.lit("0"))
    size = F.char_length(text) - dropped
    more = F.when(F.substring(text, size + 1, F.lit(1)) >= "5", 1).otherwise(0) if up else F.lit(0)
    kept = F.try_add(F.substring(text, F.lit(1), size).try_cast(exact_decimals.WHOLE), more).cast("string")
    sign = F.when(number["u"] < 0, F.lit("-")).otherwise(F.lit(""))
    whole = F.concat(sign, kept, F.lit("0" * max(0, -places)))
    exact = exact_decimals.of_digits(whole.try_cast(exact_decimals.WHOLE), F.lit(max(0, places)))
    made = F.when(dropped <= 0, exact_decimals.of_digits(number["u"], number["e"])).otherwise(exact)

    def encoded(found: Column) -> Column:
        integer = F.coalesce(found["u"].try_cast("bigint").cast("variant"), overflow)
        decimal = F.when(found["u"].isNull(), beyond).otherwise(exact_decimals.to_variant(exact_decimals.Digits(found)))
        return F.when(number["i"], integer).otherwise(decimal)

    return (
        F.when(number["d"].isNotNull(), _float_to_places(number["d"], places, up).cast("variant"))
        .when(number["u"].isNotNull(), variants.let(made, encoded))
        .when(number.isNotNull(), beyond)
    )


def _digits(number: Column) -> Column:
    return F.char_length(exact_decimals.magnitude(number["u"]))


def sign(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """-1, 0 or 1, of the number's own type."""
    (a,) = args
    if isinstance(a.type, t.Number) and not isinstance(a, Variant):
        type_: t.Type = t.INT64 if isinstance(a.type, t.Integer) else t.FLOAT64
        type_ = t.Decimal(1, 0) if isinstance(a.type, t.Decimal) else type_
        return propagate_absent(type_, F.signum(a.plain).cast(cast_type(type_)), args, cost=Depth.TINY)

    def native(number: Column) -> Column:
        beyond = scope.run.error(BEYOND, where, cls=UnsupportedError).cast("variant")
        side = F.signum(number["u"]).cast("bigint")
        return (
            F.when(number["d"].isNotNull(), F.signum(number["d"]).cast("variant"))
            .when(number["i"] & number["u"].isNotNull(), side.cast("variant"))
            .when(number["u"].isNotNull(), exact_decimals.exact_number(side.cast("string")))
            .when(number.isNotNull(), beyond)
        )

    return call(scope, "sign", args, ("number",), native, _result_type(a), where, throws=True, cost=Depth.DEEP)


def sqrt(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The square root; for a negative number an error in both modes."""

    def native(value: Column) -> Column:
        return F.when(value < 0, scope.run.error("sqrt of a negative number has no value", where)).otherwise(
            F.sqrt(F.when(~(value < 0), value))
        )

    return call(scope, "sqrt", args, ("float",), native, t.FLOAT64, where, throws=True, cost=Depth.TINY)
