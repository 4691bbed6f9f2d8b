"""The comparison operators: `=` is deep and takes any values, `<` compares only values of one family."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import or_
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.node import fold
from firesteel.spark.core.conversions import absent_as_null, fit
from firesteel.spark.core.expr import Columns, Depth, Expr, Split, Variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import MAX_DIGITS, Form, common_type, digits_of, form
from firesteel.spark.encoding.kinds import WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, cast_variant, extract, one_of, payload
from firesteel.spark.keys.comparison import is_own_key, is_scalar, key, variant_key
from firesteel.spark.keys.variant_keys import RANKS, Use
from firesteel.spark.numbers import float_compare
from firesteel.spark.numbers.float_text import EXACT, side_of
from firesteel.spark.scalar.arguments import propagate_absent, wrong_type
from firesteel.spark.scalar.compare_literal import comparable, compare_with_literal, same_word

Operator = Callable[[Any, Any], Column]

_CLASSES: tuple[tuple[Any, str], ...] = (
    (t.Number, "number"),
    (t.Clob, "clob"),
    (t.Text, "text"),
    (t.Bool, "bool"),
    (t.Date, "date"),
    (t.Timestamp, "timestamp"),
    (t.Time, "time"),
    (t.Interval, "interval"),
    (t.Octets, "octets"),
    (t.Bag, "bag"),
    (t.Collection, "array"),
    (t.Struct | t.Map, "struct"),
    (t.Null | t.Missing, "none"),
    (t.Uuid, "text"),
    (t.UserDefined, "number"),
)


def family(expr: Expr) -> str:
    """The family of an expression's values, for comparisons; `any` if it is known only at run time."""
    return next((name for cls, name in _CLASSES if isinstance(expr.type, cls)), "any")


# ---------------------------------------------------------------------------------------------------------------------
# Equality


def equal(scope: Scope, a: Expr, b: Expr, where: Where) -> Expr:
    """Deep equality; NULL if either is absent."""
    absent = a.type.absent or b.type.absent
    type_ = t.absent(t.BOOL, nullable=absent)
    kinds = {family(a), family(b)}
    if "none" in kinds:
        return column_expr(t.absent(t.BOOL, nullable=True), F.literal(None, "boolean"), atomic=True)
    if not isinstance(a, Variant) and not isinstance(b, Variant):
        if kinds == {"date", "timestamp"}:
            return derive(type_, _moment(a) == _moment(b), a, b)
        if len(kinds) > 1 and "any" not in kinds:
            return _unequal(type_, a, b)
        if kinds == {"number"} and float_compare.is_mixed(a, b):
            return derive(type_, float_compare.compare_mixed(_same, a, b), a, b, cost=Depth.SMALL)
        if kinds == {"number"} and _too_wide(a.type, b.type):
            coarse, fine, scale = _by_scale(a, b)
            same = (coarse.plain == F.floor(fine.plain, scale)) & (coarse.plain == F.ceil(fine.plain, scale))
            return derive(type_, same, a, b, cost=Depth.SMALL)
        if is_own_key(t.proper(a.type)) and is_own_key(t.proper(b.type)):
            return derive(type_, _comparable(a) == _comparable(b), a, b)
        shared = common_type((t.proper(a.type), t.proper(b.type)))
        if form(shared) is not Form.VARIANT and not _may_miss(shared):
            return scope.let([a, b], lambda x, y: _equal_keys(scope, type_, x, y, shared))
    word = same_word(scope, type_, a, b)
    if word is not None:
        return word
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Variant) and not isinstance(other, Variant) and family(other) in _SCALAR_TESTS:
            return scope.let([one, other], lambda x, y: _equal_scalar(scope, type_, x, y))
    return scope.let([a, b], lambda x, y: _equal_variants(scope, type_, x, y))


def _may_miss(type_: t.Type) -> bool:
    """May a collection in it have MISSING elements? `=` treats those as NULL, but keys tell them apart."""
    return fold(type_, lambda one, inner: any(inner) or (isinstance(one, t.Collection) and one.element.missable))


def _comparable(expr: Expr) -> Column:
    """The column to compare by. Timestamps compare as instants; those without a zone count as UTC."""
    return expr.plain.cast("timestamp") if isinstance(expr.type, t.Timestamp) else expr.plain


def _moment(expr: Expr) -> Column:
    return expr.plain.cast("timestamp")


def _unequal(type_: t.Type, a: Expr, b: Expr) -> Expr:
    absent = any_of(test for test in (a.is_absent(), b.is_absent()) if test is not None)
    never = F.lit(False)
    return derive(type_, never if absent is None else F.when(~absent, never), a, b)


def _equal_keys(scope: Scope, type_: t.Type, a: Expr, b: Expr, shared: t.Type) -> Expr:
    """Compare containers of one type by their keys."""
    wide = t.absent(shared, nullable=True)
    x, y = (derive(wide, fit(absent_as_null(e), wide), e) for e in (a, b))
    return scope.let([key(scope, x), key(scope, y)], lambda i, j: derive(type_, i.plain == j.plain, i, j))


#: Families of plain values that a variant is compared with directly, without a key.
_SCALAR_TESTS = frozenset({"number", "text", "bool"})


def _equal_scalar(scope: Scope, type_: t.Type, variant: Expr, plain: Expr) -> Expr:
    """Compare a variant with a plain scalar."""
    kind_expr = scope.kind(variant)
    column, other, kind = variant.column, plain.plain, kind_expr.column
    name = family(plain)
    if name == "number":
        same = _equal_number(column, kind, plain)
    else:
        same = extract(column, kind, name) == other
    there = ~one_of(kind, Kind.VOID)
    result = F.when(there & other.isNotNull(), F.coalesce(same, F.lit(False)))
    return derive(type_, result, variant, plain, kind_expr, cost=Depth.LARGE)


def _equal_number(column: Column, kind: Column, plain: Expr) -> Column:
    """Compare a variant with a plain number; SQL NULL if the variant is no number."""
    double, wide = cast_variant(column, "double"), F.lit(False)
    if float_compare.is_float(plain):
        given = plain.plain.cast("double")
        floating = double == given
        decimal = floating & (side_of(double, cast_variant(column, "string")) == 0)
        integer = floating & ((F.abs(double) < EXACT) | decimal)
        beyond = payload(column, "double")
        wide = (beyond == given) & (side_of(beyond, payload(column, "string")) == 0)
    else:
        integer = cast_variant(column, "bigint") == plain.plain
        scale = (plain.type.scale or 0) if isinstance(plain.type, t.Decimal) else 0
        same = (
            cast_variant(column, f"decimal(38,{scale})") == plain.plain
        )  # a number that this cast rounds is excluded below
        decimal = same & (F.char_length(F.regexp_extract(cast_variant(column, "string"), r"\.(\d+)$", 1)) <= scale)
        floating = float_compare.compare_mixed(_same, column_expr(t.FLOAT64, double), plain)
    return (
        F.when(kind == Kind.BIGINT, integer)
        .when(kind == Kind.DECIMAL, decimal)
        .when(one_of(kind, Kind.DOUBLE, Kind.FLOAT), floating)
        .when(one_of(kind, *WIDE_NUMBERS), wide)
    )


def _same(x: Any, y: Any) -> Any:
    return x == y


def _equal_variants(scope: Scope, type_: t.Type, a: Expr, b: Expr) -> Expr:
    """Compare values of unknown type by their keys; inside a container MISSING equals NULL."""
    shallow = is_scalar(a.type) or is_scalar(b.type)
    keys = [equality_key(scope, e, shallow=shallow) for e in (a, b)]
    return scope.let(keys, lambda i, j: derive(type_, i.column == j.column, i, j))


def equality_key(scope: Scope, expr: Expr, *, shallow: bool = False) -> Expr:
    """A key for a value of any type: keys are equal exactly where `=` is true. With `shallow`, only for comparisons
    with scalars. Bind the value first."""
    value, _ = scope.variant(expr)
    return variant_key(scope, value, Use.EQUAL, shallow=shallow)


# ---------------------------------------------------------------------------------------------------------------------
# Order


def compare(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    """`lt`, `lte`, `gt` or `gte`. Values of different families cannot be compared: MISSING, or an error if strict."""
    operator = _OPERATORS[name]
    kinds = {_order_family(a), _order_family(b)}
    args = (a, b)
    if "any" not in kinds and not isinstance(a, Variant) and not isinstance(b, Variant):
        if len(kinds - {"none"}) <= 1 and not kinds & {"array", "bag", "struct"}:
            return propagate_absent(t.BOOL, _native(name, a, b), args)
        return wrong_type(scope, t.BOOL, args, f"cannot compare {_said(a)} and {_said(b)}", where)
    if name in ("gt", "gte"):
        return compare(scope, _FLIPPED[name], b, a, where)
    if comparable(a, b):
        return scope.let([a, b], partial(compare_with_literal, scope, operator, where))
    return scope.let([a, b], partial(_compare_dynamic, scope, operator, where))


def between(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """BETWEEN compares with both bounds: a bound of the wrong type is wrong whatever the other says. But if one of the
    three is NULL, nothing is wrong."""

    def apply(value: Expr, low: Expr, high: Expr) -> Expr:
        within = float_compare.between(value, low, high)
        if within is not None:
            return propagate_absent(t.BOOL, within, (value,))
        sides = [compare(scope, "lte", low, value, where), compare(scope, "lte", value, high, where)]
        if not low.type.absent and not high.type.absent and all(not isinstance(side, Split) for side in sides):
            # With bounds that are never absent, both comparisons are NULL or MISSING exactly where the value is.
            return derive(sides[0].type, sides[0].plain & sides[1].plain, *sides)
        three = (value, low, high)
        null = any_of(test for test in (e.is_null() for e in three) if test is not None)
        if null is None:
            return scope.let(sides, _both)
        there = F.coalesce(~null, F.lit(True))
        stage = max(e.place.stage for e in (*sides, *three))
        guarded = [_only_where(there, side).with_place(stage=stage) for side in sides]
        return scope.let(guarded, lambda above, below: _unless_null(_both(above, below), there, three))

    return scope.let(args, apply)


def _both(above: Expr, below: Expr) -> Expr:
    there = above.plain.isNotNull() & below.plain.isNotNull()
    return propagate_absent(t.BOOL, F.when(there, above.plain & below.plain), (above, below), cost=Depth.TINY)


def _only_where(there: Column, side: Expr) -> Expr:
    """The comparison where `there` holds; SQL NULL elsewhere."""
    assert isinstance(side, Columns)
    guarded = replace(side, value=F.when(there, side.value))
    return replace(guarded, truth=None) if isinstance(guarded, Variant) else guarded


def _unless_null(found: Expr, there: Column, args: Sequence[Expr]) -> Expr:
    """A wrong type gives MISSING only if no argument is NULL; a MISSING argument always does."""
    if not isinstance(found, Split):
        return found
    tests = (test for test in (e.is_missing() for e in args) if test is not None)
    return replace(found, missing=reduce(or_, tests, found.missing & there))


def _order_family(expr: Expr) -> str:
    """Text and clobs compare as text, dates and timestamps as moments."""
    return {"clob": "text", "date": "timestamp"}.get(family(expr), family(expr))


def _said(expr: Expr) -> str:
    return str(t.proper(expr.type))


def _native(name: str, a: Expr, b: Expr) -> Column:
    operator = _OPERATORS[name]
    if family(a) == "none" or family(b) == "none":
        return F.literal(None, "boolean")
    if _order_family(a) == "text":
        return operator(_text(a), _text(b))
    if _order_family(a) == "timestamp" and type(a.type) is type(b.type) is t.Date:
        return operator(a.plain, b.plain)
    if _order_family(a) == "timestamp":
        return operator(_moment(a), _moment(b))
    if float_compare.is_mixed(a, b):
        return float_compare.compare_mixed(operator, a, b)
    if float_compare.is_float(a):
        x, y = a.plain.cast("double"), b.plain.cast("double")
        for one, other, apply in ((a, y, lambda p, q: operator(q, p)), (b, x, operator)):
            if isinstance(one.constant, float) and not math.isnan(one.constant):
                return float_compare.compare_floats(apply, other, F.lit(one.constant))
        return F.when(x.isNotNull() & y.isNotNull(), operator(_float_key(x), _float_key(y)))
    if _too_wide(a.type, b.type):
        return _compare_wide(name, a, b)
    return operator(a.plain, b.plain)


def comparable_as_they_are(a: Expr, b: Expr) -> bool:
    """Can two plain numbers be compared by Spark's own `=`?"""
    if not float_compare.is_mixed(a, b):
        return not _too_wide(a.type, b.type)
    return any(not float_compare.is_float(e) and float_compare.reads_as_itself(e) for e in (a, b))


def _too_wide(*types: t.Type) -> bool:
    """Would Spark round these decimals, because their common type needs more than 38 digits?"""
    if not any(isinstance(type_, t.Decimal) for type_ in types):
        return False
    sizes = [digits_of(type_) for type_ in types]
    return max(p - s for p, s in sizes) + max(s for _, s in sizes) > MAX_DIGITS


def _by_scale(a: Expr, b: Expr) -> tuple[Expr, Expr, Column]:
    """The number of smaller scale, that of larger scale, and the smaller scale. Rounded to the smaller scale, the
    second number needs no more digits than before, so Spark can compare both exactly."""
    coarse, fine = sorted((a, b), key=lambda e: digits_of(e.type)[1])
    return coarse, fine, F.lit(digits_of(coarse.type)[1])


def _compare_wide(name: str, a: Expr, b: Expr) -> Column:
    """Compare decimals whose common type is too wide, by rounding the finer one. For a number x of scale 2, say:
    x < y exactly if x < ceil(y, 2), and x <= y exactly if x <= floor(y, 2)."""
    coarse, fine, scale = _by_scale(a, b)
    if coarse is not a:
        return _compare_wide(_FLIPPED[name], b, a)
    cut = F.ceil if name in ("lt", "gte") else F.floor
    return _OPERATORS[name](coarse.plain, cut(fine.plain, scale))


def _float_key(column: Column) -> Column:
    """A sort key in which NaN is the least number; Spark has it as the greatest."""
    return F.struct((~F.isnan(column)).alias("r"), column.alias("n"))


def _text(expr: Expr) -> Column:
    return expr.plain.cast("string") if isinstance(expr.type, t.Clob) else expr.plain


def _same_unit(x: Column, y: Column) -> Column:
    """Two intervals are comparable only if both are of months or both of seconds."""
    return (x["r"] != RANKS[Kind.INTERVAL]) | (x["m"]["u"] == y["m"]["u"])


def _compare_dynamic(scope: Scope, operator: Operator, where: Where, a: Expr, b: Expr) -> Expr:
    """Compare values of unknown type by their keys, if their kinds have the same rank."""
    pairs = [scope.variant(e) for e in (a, b)]
    sides, kinds = [value for value, _ in pairs], [kind for _, kind in pairs]
    keys = [scope.bind(variant_key(scope, side, Use.ORDER, shallow=True)) for side in sides]
    x, y = keys[0].column, keys[1].column
    both = x.isNotNull() & y.isNotNull()
    like = (x["r"] == y["r"]) & (x["r"] < RANKS[Kind.ARRAY]) & _same_unit(x, y)
    value = F.when(both & like, operator(x, y))
    misfit = both & ~like
    error = scope.wrong("cannot compare ", where, kinds[0].column, F.lit(" and "), kinds[1].column)
    if error is not None:
        value = F.when(misfit, error).otherwise(value)
    absent = any_of(side.column.isNull() for side in sides)
    assert absent is not None
    unknown = t.absent(t.BOOL, nullable=True, missable=True)
    missing = misfit | absent if error is None else absent
    return derive(unknown, value, *keys, *kinds, *sides, missing=missing, cost=Depth.MEDIUM, throws=error is not None)


_OPERATORS: dict[str, Operator] = {
    "lt": lambda x, y: x < y,
    "lte": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "gte": lambda x, y: x >= y,
}
_FLIPPED = {"lt": "gt", "gt": "lt", "lte": "gte", "gte": "lte"}
