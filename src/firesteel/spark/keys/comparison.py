"""Comparison keys: columns that Spark can sort, group, join and compare, and that agree with `values.key`.

A plain scalar is its own key. The key of a float puts NaN first; the key of a collection or struct is made of the keys
of its items, sorted for a bag. The key of a variant is a token, a struct of a type rank, a number, a moment and a text,
and beside it the tokens of a container (`variant_keys`).
"""

from __future__ import annotations

from collections.abc import Set

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, Split, Variant, as_variant, derive
from firesteel.spark.core.scope import Scope
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants as dynamic
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.encoding.kinds import COLLECTIONS, STRUCTS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import kind_of, let_interpreted, one_of
from firesteel.spark.keys.simple_keys import ALWAYS, SimpleKey
from firesteel.spark.keys.variant_keys import MISSING, NULL, TOKEN, Use, double_of, flat, rank, token


def key(scope: Scope, expr: Expr, *, ordering: bool = False) -> Expr:
    """A column that is equal, and with `ordering` sorted, as the values are; SQL NULL where they are absent."""
    if isinstance(expr, Variant):
        return scope.let([expr], lambda value: _variant_key(scope, value))
    if isinstance(expr, Split):  # split: the plain column has the value, and SQL NULL where there is none
        expr = derive(t.absent(t.proper(expr.type), nullable=True), expr.plain, expr)
    if is_own_key(expr.type, ordering=ordering):
        return expr
    room = scope.run.limits.roomy
    if form(expr.type) is Form.VARIANT or not _has_typed_key(expr.type, ordering, variants=room):
        variant = derive(t.ANY, as_variant(expr), expr, cost=Depth.SMALL)
        return scope.let([variant], lambda value: _variant_key(scope, value))
    return scope.let([expr], lambda value: derive(expr.type, _key(value.plain, expr.type), value, cost=Depth.SMALL))


def row_key(scope: Scope, expr: Expr) -> Expr:
    """The key, with NULL and MISSING told apart: a row with NULL is not the same as one with MISSING."""
    plain_key = key(scope, expr)
    if not (isinstance(expr, Variant | Split)):
        return plain_key

    def with_flag(value: Expr, bound: Expr) -> Expr:
        missing = value.is_missing()
        flag = F.when(bound.column.isNotNull(), 0).when(F.lit(False) if missing is None else missing, 2).otherwise(1)
        return derive(t.ANY, F.struct(flag.alias("a"), bound.column.alias("k")), value, bound, cost=Depth.TINY)

    return scope.let([expr, plain_key], with_flag)


def is_own_key(type_: t.Type, *, ordering: bool = False) -> bool:
    """Can Spark group and join, or with `ordering` sort, by the column itself? Spark sorts NaN last, we first."""
    if form(type_) is Form.VARIANT or isinstance(type_, t.Collection | t.Struct | t.Map):
        return False
    return not (ordering and isinstance(type_, t.Float32 | t.Float64))


#: How much deeper the key of a container makes an expression.
_ROOM = 30


def _has_typed_key(type_: t.Type, ordering: bool, *, variants: bool) -> bool:
    """Can the key be made of the keys of the columns inside? `variants` says that these may be variants. With an
    attribute that may be MISSING, structs are not ordered as their columns are, column by column."""
    if isinstance(type_, t.Collection):
        return _has_typed_key(type_.element, ordering, variants=variants)
    if isinstance(type_, t.Struct):
        if ordering and any(field.type.missable for field in type_.fields):
            return False
        return all(_has_typed_key(field.type, ordering, variants=variants) for field in type_.fields)
    return not isinstance(type_, t.Map) and (variants or form(type_) is not Form.VARIANT)


def _key(column: Column, type_: t.Type) -> Column:
    match type_:
        case t.Float32() | t.Float64():
            return F.when(column.isNotNull(), F.struct((~F.isnan(column)).alias("r"), column.alias("n")))
        case t.Collection() if form(type_) is not Form.VARIANT:
            inner = type_.element
            array = F.transform(column, lambda item: _item(item, inner))
            return F.sort_array(array) if isinstance(type_, t.Bag) else array
        case t.Struct() if form(type_) is not Form.VARIANT:
            parts = [
                _item(column[field.name or ""], field.type).alias(f"k{i}")
                for i, field in enumerate(sorted(type_.fields, key=lambda field: field.name or ""))
            ]
            return F.when(column.isNotNull(), F.struct(*parts))
    return column


def _item(column: Column, type_: t.Type) -> Column:
    """The key of an item: absent items come last, NULL before MISSING."""
    if form(type_) is Form.VARIANT:
        return _item_key(column)
    inner = _key(column, type_)
    if not type_.absent:
        return inner
    flag = F.when(column.isNull(), 2 if type_.missable else 1).otherwise(0)
    return F.struct(flag.alias("a"), inner.alias("k"))


# ---------------------------------------------------------------------------------------------------------------------
# Variants


def _variant_key(scope: Scope, value: Expr) -> Expr:
    return scope.let([value], lambda bound: variant_key(scope, bound))


def variant_key(scope: Scope, value: Expr, use: Use = Use.SORT, *, shallow: bool = False) -> Expr:
    """The key of a variant that is bound to a name; SQL NULL for NULL and MISSING. If `shallow`, the key of a container
    is only its rank: it is compared with scalars."""
    kinds = possible_kinds(value)
    deep = not shallow and not is_scalar(value.type)
    limits = scope.run.limits
    roomy = limits.roomy
    if deep and scope.nested and not roomy:
        raise UnsupportedError(f"values of unknown type compared inside a row: {limits.engine} goes not so deep")

    def full(kind: Column, double: Column, of: Set[str] | None) -> Column:
        inner = F.when(_is_box(kind), flat(value.column, alike=use is not Use.SORT)) if deep else _no_tokens()
        return F.struct(*token(value.column, kind, double, kinds=of, use=use), inner.alias("a"))

    def number(kind: Expr) -> Expr:
        return derive(t.absent(t.FLOAT64, nullable=True), double_of(value.column, kind.column), value, kind)

    kind, cost = scope.kind(value), _ROOM if deep else 8
    if scope.stages is None:

        def inline(kind: Expr, double: Expr) -> Expr:
            return derive(
                t.ANY, F.when(_is_there(kind.column), full(kind.column, double.plain, kinds)), value, cost=cost
            )

        return scope.let([kind, number(kind)], inline)
    lean = SimpleKey.of(scope, value, kind)
    column = F.when(lean.there, F.struct(*lean.parts(kinds), _no_tokens().alias("a")))
    rest = None if kinds is None else kinds - ALWAYS
    if rest is None or rest:
        if roomy:
            other = let_interpreted(number(kind).plain, lambda double: full(kind.column, double, rest))
        else:  # one more lambda would nest too deep
            other = full(kind.column, scope.bind(number(kind), dear=True).plain, rest)
        column = column.when(_is_there(kind.column), other)
    return derive(t.ANY, column, value, lean.double, cost=cost)


def _no_tokens() -> Column:
    return F.literal(None, f"array<{TOKEN}>")


def _is_there(kind: Column) -> Column:
    return ~one_of(kind, Kind.VOID)


_SCALARS = (t.Number, t.Text, t.Bool, t.Octets, t.Date, t.Time, t.Timestamp, t.Interval, t.Null, t.Missing)


def is_scalar(type_: t.Type) -> bool:
    """Does the type say that there are no containers?"""
    return all(isinstance(member, _SCALARS) for member in t.members(type_))


def _is_box(kind: Column) -> Column:
    return one_of(kind, *COLLECTIONS, *STRUCTS)


def _item_key(column: Column) -> Column:
    """The key of a variant in a container of a known type."""

    def item_token(both: Column) -> Column:
        kind = both["k"]
        place = F.coalesce(rank(kind), F.when(kind == Kind.VOID, NULL).otherwise(MISSING))
        inner = F.when(_is_box(kind), flat(column, alike=False)).alias("a")
        return F.struct(*token(column, kind, both["d"], place=place), inner)

    kind = kind_of(column)
    return dynamic.let(F.struct(kind.alias("k"), double_of(column, kind).alias("d")), item_token)
