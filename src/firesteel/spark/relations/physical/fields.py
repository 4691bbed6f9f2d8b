"""Columns for the fields that relation properties are about."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.properties import OrderField, SameField
from firesteel.spark.core.conversions import split_variant
from firesteel.spark.core.expr import Expr
from firesteel.spark.core.handlers import compile_expr
from firesteel.spark.core.rows import Order
from firesteel.spark.core.scope import Scope
from firesteel.spark.keys.comparison import key


def distribution_key(scope: Scope, value: Expr) -> list[Expr]:
    """A column that is equal exactly where the values are equal: its hash says to which partition a row goes. A value
    that is always absent decides nothing."""
    if isinstance(value.type, t.Null | t.Missing):
        return []
    return [scope.bind(key(scope, split_variant(value)))]


def distribution_keys(fields: Iterable[SameField], rel: p.Rel, scope: Scope) -> list[Expr]:
    """The columns for the fields of a distribution, in a scope over the rows of the relation."""
    found = sorted((_rex(field, rel) for field in fields), key=repr)
    return [column for rex in found for column in distribution_key(scope, compile_expr(rex, scope))]


def field_order(order: Iterable[OrderField], rel: p.Rel, scope: Scope) -> list[Order]:
    """The columns that put rows of the relation in this order, in a scope over them."""
    found: list[Order] = []
    for one in order:
        value = compile_expr(_rex(one.field, rel), scope)
        sort_key = scope.bind(key(scope, value, ordering=True))
        found.append(Order(sort_key.with_place(stage=0), one.order))
    return found


def _rex(field: SameField, rel: p.Rel) -> p.Rex:
    """The expression that gives a field of a relation; of several paths with the same value, the shortest."""
    ordinal, *names = min(field, key=lambda path: (len(path), repr(path)))
    assert isinstance(ordinal, int)
    column = build.column(rel, ordinal)
    return build.path(column, *map(str, names)) if names else column
