"""Booleans and comparisons, by the same comparisons as in PartiQL."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.substrait.coercion import common
from firesteel.node import Node, fold
from firesteel.spark.core.expr import Depth, Expr, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.keys.comparison import is_own_key, key
from firesteel.spark.scalar import compare
from firesteel.spark.scalar import logic as partiql
from firesteel.spark.scalar.substrait.base import Build, Call, Scalar, arguments, is_float, scalar, simple


def compared(name: str) -> Scalar:
    """`eq`, `ne`, `lt`, `lte`, `gt` or `gte`."""

    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        a, b = arguments(fn, args)
        if name in ("eq", "ne"):
            found = compare.equal(scope, a, b, where)
            return found if name == "eq" else derive(found.type, ~found.plain, found)
        return ordered(scope, name, a, b, where)

    return apply


_OPERATORS: dict[str, Callable[[Column, Column], Column]] = {
    "lt": lambda x, y: x < y,
    "lte": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "gte": lambda x, y: x >= y,
}


def ordered(scope: Scope, name: str, a: Expr, b: Expr, where: Where) -> Expr:
    """`lt`, `lte`, `gt` or `gte`. Unlike in PartiQL, lists and structs can be compared, element by element."""
    if not any(isinstance(e.type, t.Array | t.Struct) for e in (a, b)):
        return compare.compare(scope, name, a, b, where)
    keys = [nested_key(scope, e) for e in _alike(a, b)]
    type_ = t.absent(t.BOOL, nullable=a.type.absent or b.type.absent)
    return scope.let(keys, lambda x, y: derive(type_, _OPERATORS[name](x.plain, y.plain), x, y))


def _alike(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Two lists of which one may have NULLs inside: the keys of both are those of lists that may."""
    shared = common((a.type, b.type))
    if not isinstance(shared, t.Array) or t.proper(a.type) == t.proper(b.type) or shared.element == t.NULL:
        return a, b
    types = [t.absent(shared, nullable=e.type.nullable) for e in (a, b)]
    made = [derive(type_, e.plain.cast(cast_type(t.proper(type_))), e) for type_, e in zip(types, (a, b), strict=True)]
    return made[0], made[1]


def nested_key(scope: Scope, expr: Expr) -> Expr:
    """The sort key of a list or struct. Structs compare field by field, whatever the names are."""
    if isinstance(expr.type, t.Struct):
        names = [f"f{i:05}" for i in range(len(expr.type.fields))]
        fields = zip(names, expr.type.fields, strict=True)
        type_ = t.Struct(
            tuple(t.Field(name, one.type) for name, one in fields), open=False, nullable=expr.type.nullable
        )
        expr = derive(type_, expr.plain.cast(cast_type(t.proper(type_))), expr)
    return key(scope, expr, ordering=True)


def _between(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
    """BETWEEN: false if one comparison is false, even if the other is NULL."""

    def body(x: Expr, low: Expr, high: Expr) -> Expr:
        sides = [ordered(scope, "lte", low, x, where), ordered(scope, "lte", x, high, where)]
        both = sides[0].plain & sides[1].plain
        return derive(fn.returns, both, *sides, x, low, high)

    return scope.let(arguments(fn, args), body)


def _is_distinct_from(same: bool) -> Scalar:
    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        def body(a: Expr, b: Expr) -> Expr:
            if all(form(e.type) is not Form.VARIANT and is_own_key(e.type) for e in (a, b)):
                column = a.plain.eqNullSafe(b.plain)
                return derive(fn.returns, column if same else ~column, a, b)
            equal = compare.equal(scope, a, b, where)
            x, y = (_is_null(e) for e in (a, b))
            column = F.coalesce(equal.plain, x & y)
            return derive(fn.returns, column if same else ~column, equal, a, b, cost=Depth.TINY)

        return scope.let(arguments(fn, args), body)

    return apply


def _is_null(expr: Expr) -> Column:
    test = expr.is_absent()
    return F.lit(False) if test is None else test


def _null(negated: bool) -> Scalar:
    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        (a,) = arguments(fn, args)
        test = _is_null(a)
        return derive(fn.returns, ~test if negated else test, a)

    return apply


def _nullif(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
    return partiql.nullif(scope, arguments(fn, args), where)


def _truth(value: bool, negated: bool) -> Build:
    """IS TRUE and IS FALSE, also negated. NULL is neither."""

    def build(call: Call) -> Column:
        (x,) = call.columns
        test = F.coalesce(x if value else ~x, F.lit(False))
        return ~test if negated else test

    return build


def _xor(call: Call) -> Column:
    x, y = call.columns
    return x != y


def _and_not(call: Call) -> Column:
    x, y = call.columns
    return x & ~y


def _chain(name: str) -> Scalar:
    """AND and OR of any number of arguments, including none."""

    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        given = arguments(fn, args)
        if not given:
            return column_expr(t.BOOL, F.lit(name == "and"), atomic=True, constant=name == "and")
        return given[0] if len(given) == 1 else partiql.kleene(scope, name, given, where)

    return apply


def _extreme(function: Callable[..., Column], skip: bool) -> Build:
    """The least or the greatest. Spark skips NULL; without `skip`, one NULL makes the result NULL."""

    def build(call: Call) -> Column:
        nested = any(isinstance(arg.type, t.Array | t.Struct) for arg in call.args)
        if any(not is_own_key(arg.type) for arg in call.args) and not (nested and _orderable(call.returns)):
            raise call.unsupported("of values that Spark does not order")
        if nested:
            keyed = [(nested_key(call.scope, arg).column.alias("k"), arg.plain.alias("v")) for arg in call.args]
            pairs = zip(call.columns, keyed, strict=True)
            value = function(*(F.when(column.isNotNull(), F.struct(*both)) for column, both in pairs))["v"]
        elif is_float(call.returns):
            value = function(*(nan_first(column) for column in call.columns))["n"]
        else:
            value = function(*call.columns)
        there = None if skip else call.there()
        return value if there is None else F.when(there, value)

    return build


def _orderable(type_: t.Type) -> bool:
    """Can Spark order the column? Not if it contains variants or maps."""
    return form(t.proper(type_)) is not Form.VARIANT and not fold(
        type_, lambda one, inner: any(inner) or _unordered(one)
    )


def _unordered(node: Node) -> bool:
    return isinstance(node, t.Map) or (isinstance(node, t.Type) and form(node) is Form.VARIANT)


def nan_first(x: Column) -> Column:
    """A sort key of floats with NaN first; Spark has it last."""
    return F.when(x.isNotNull(), F.struct((~F.isnan(x)).alias("r"), x.alias("n")))


def _finite(x: Column) -> Column:
    return ~F.isnan(x) & (F.abs(x) != F.lit(math.inf))


def _null_for_null(function: Callable[[Column], Column]) -> Build:
    """A test that is NULL for NULL; Spark's tests are false."""

    def build(call: Call) -> Column:
        (x,) = call.columns
        test = function(x)
        return F.when(x.isNotNull(), test) if call.args[0].type.nullable else test

    return build


COMPARISON: dict[str, Scalar] = {
    "equal": compared("eq"),
    "not_equal": compared("ne"),
    **{name: compared(name) for name in ("lt", "lte", "gt", "gte")},
    "between": _between,
    "is_not_distinct_from": _is_distinct_from(True),
    "is_distinct_from": _is_distinct_from(False),
    "is_null": _null(False),
    "is_not_null": _null(True),
    "is_true": scalar(_truth(True, False)),
    "is_not_true": scalar(_truth(True, True)),
    "is_false": scalar(_truth(False, False)),
    "is_not_false": scalar(_truth(False, True)),
    "is_nan": scalar(_null_for_null(F.isnan), twice=True),
    "is_finite": scalar(_null_for_null(_finite), twice=True),
    "is_infinite": simple(lambda x: F.abs(x) == F.lit(math.inf)),
    "nullif": _nullif,
    "coalesce": simple(F.coalesce),
    "least": scalar(_extreme(F.least, False), twice=True),
    "least_skip_null": scalar(_extreme(F.least, True)),
    "greatest": scalar(_extreme(F.greatest, False), twice=True),
    "greatest_skip_null": scalar(_extreme(F.greatest, True)),
}

BOOLEAN: dict[str, Scalar] = {
    "and": _chain("and"),
    "or": _chain("or"),
    "and_not": scalar(_and_not),
    "xor": scalar(_xor),
    "not": simple(lambda x: ~x),
}
