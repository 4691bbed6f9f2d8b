"""EXCLUDE: values with parts left out.

Of a struct of known attributes the columns are dropped; a variant is taken apart into its entries or elements and put
together again, level by level; elements of a collection by a lambda.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Expr, StructParts, Variant, as_variant, column_expr, derive, struct_expr
from firesteel.spark.core.handlers import Compiling, handles, rows_of
from firesteel.spark.core.rows import Rows, projected
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import common
from firesteel.spark.encoding.kinds import COLLECTIONS, STRUCTS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import one_of
from firesteel.spark.scalar.structs import attributes

Steps = tuple[p.ExcludeStep, ...]


@handles(p.Exclude)
def _exclude(node: p.Exclude, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    return projected(rows, scope, excluded(scope, node, rows.columns), node.where)


def excluded(scope: Scope, node: p.Exclude, row: tuple[Expr, ...]) -> list[Expr]:
    """The columns of a row, without what the paths lead to."""
    columns = list(row)
    for path in node.paths:
        if not 0 <= path.ordinal < len(columns) or not path.steps:
            raise PlanError(f"no column {path.ordinal} to exclude from, or no step", where=node.where)
        columns[path.ordinal] = scope.lowered(without(scope, columns[path.ordinal], path.steps, node.where))
    return columns


def without(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    """The value less what is at the end of the path; where the path does not lead anywhere, the value.

    It goes down by itself: a path nests no deeper than types and lambdas may.
    """
    struct = attributes(value)
    if struct is not None and not (value.type.missable and not isinstance(value, StructParts)):
        return _of_struct(scope, value, struct, steps, where)
    if isinstance(value.type, t.Collection) and not isinstance(value, Variant):
        return scope.let([value], lambda bound: _of_collection(scope, bound, steps, where))
    if struct is not None:
        value = derive(t.ANY, as_variant(value), value, cost=4)
    if not isinstance(value, Variant) or isinstance(value.type, t.Null | t.Missing):
        return value
    return scope.let([value], lambda bound: _of_variant(scope, bound, steps, where))


def _named(step: p.ExcludeStep, name: str) -> bool:
    if isinstance(step, p.ExcludeField):
        return step.name == name if step.exact else step.name.lower() == name.lower()
    return isinstance(step, p.ExcludeAttributes)


def _of_struct(scope: Scope, value: Expr, known: list[tuple[str, Expr]], steps: Steps, where: Where) -> Expr:
    step, rest = steps[0], steps[1:]
    if not any(_named(step, name) for name, _ in known):
        return value
    pairs = []
    for name, inner in known:
        if not _named(step, name):
            pairs.append((name, inner))
        elif rest:
            pairs.append((name, without(scope, inner, rest, where)))
    if isinstance(value, StructParts):
        present = value.present
    else:
        present = value.plain.isNotNull() if value.type.nullable else None
    made_ = struct_expr(pairs, present)
    if pairs:
        return made_.with_place(stage=max(made_.place.stage, value.place.stage))
    empty = variants.json_column("{}")
    if present is None:
        return column_expr(t.STRUCT, empty, stage=value.place.stage)
    return column_expr(t.ANY, F.when(present, empty).otherwise(variants.null()), stage=value.place.stage, height=2)


def _of_collection(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    type_, step, rest = value.type, steps[0], steps[1:]
    assert isinstance(type_, t.Collection)
    if isinstance(step, p.ExcludeIndex) and not isinstance(type_, t.Array | t.Sexp):
        return value
    if not isinstance(step, p.ExcludeIndex | p.ExcludeElements):
        return value
    if not rest:
        return derive(type_, _fewer(value.plain, step), value, cost=3)
    inner: list[Expr] = []
    inside = scope.inner(scope.row, where)

    def change(item: Column) -> Expr:
        inner.append(without(inside, column_expr(type_.element, item, atomic=True), rest, where))
        return inner[-1]

    if isinstance(step, p.ExcludeElements):
        column = F.transform(value.plain, lambda item: change(item).column)
        return derive(replace_element(type_, inner[-1].type), column, value, *inner, cost=3)
    index = step.index

    def one(item: Column, place: Column) -> Column:
        changed = change(item)
        wide = common((type_.element, changed.type))
        other = column_expr(type_.element, item, atomic=True)
        return F.when(place == index, fit(changed, wide)).otherwise(fit(other, wide))

    column = F.transform(value.plain, one)
    return derive(replace_element(type_, common((type_.element, inner[-1].type))), column, value, *inner, cost=6)


def replace_element(type_: t.Collection, element: t.Type) -> t.Type:
    """The type of a collection of other elements."""
    return t.absent(type(type_)(element), nullable=type_.nullable, missable=type_.missable)


def _fewer(array: Column, step: p.ExcludeStep) -> Column:
    """The array without an element, or without any."""
    if isinstance(step, p.ExcludeIndex):
        index = step.index
        return F.filter(array, lambda _, place: place != index)
    return F.filter(array, lambda _: F.lit(False))


def _of_variant(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    step, rest = steps[0], steps[1:]
    kind = scope.kind(value)
    inner: list[Expr] = []

    def change(item: Column) -> Column:
        inside = scope.inner(scope.row, where)
        inner.append(without(inside, column_expr(t.ANY, item, atomic=True), rest, where))
        return inner[-1].column

    if isinstance(step, p.ExcludeField | p.ExcludeAttributes):
        return _of_entries(scope, value, kind, step, change if rest else None, inner)
    listed = F.when(kind.column == Kind.ARRAY, variants.whole(value.column, "array<variant>"))
    kinds = (Kind.ARRAY, Kind.SEXP) if isinstance(step, p.ExcludeIndex) else COLLECTIONS
    tagged = F.when(one_of(kind.column, *kinds), variants.payload(value.column, "array<variant>"))
    array = F.coalesce(listed, tagged)
    if not rest:
        array = _fewer(array, step)
    elif isinstance(step, p.ExcludeIndex):
        index = step.index
        array = F.transform(array, lambda item, place: F.when(place == index, change(item)).otherwise(item))
    else:
        array = F.transform(array, change)
    found = derive(t.ANY, array, value, kind, *inner, cost=6)
    return scope.let([found], lambda bound: _rebuilt(value, kind, bound))


def _rebuilt(value: Expr, kind: Expr, array: Expr) -> Expr:
    """The collection of its new elements; what is none stays what it is."""
    items = F.to_variant_object(array.column)
    column = (
        F.when(array.column.isNull(), value.column)
        .when(kind.column == Kind.ARRAY, items)
        .when(kind.column == Kind.BAG, variants.tag(Kind.BAG, items))
        .otherwise(variants.tag(Kind.SEXP, items))
    )
    return derive(value.type, column, value, kind, array, cost=6)


def _of_entries(
    scope: Scope,
    value: Expr,
    kind: Expr,
    step: p.ExcludeStep,
    change: Callable[[Column], Column] | None,
    inner: list[Expr],
) -> Expr:
    def matches(pair: Column) -> Column:
        if not isinstance(step, p.ExcludeField):
            return F.lit(True)
        return pair["key"] == step.name if step.exact else F.lower(pair["key"]) == step.name.lower()

    entries = variants.entries(value.column, kind.column)
    if change is None:
        array = F.filter(entries, lambda pair: ~matches(pair))
    else:

        def one(pair: Column) -> Column:
            item = F.when(matches(pair), change(pair["value"])).otherwise(pair["value"])
            return F.struct(pair["key"].alias("key"), item.alias("value"))

        array = F.transform(entries, one)
    found = derive(t.ANY, array, value, kind, *inner, cost=6)

    def rebuilt(bound: Expr) -> Expr:
        struct = variants.from_entries(bound.column)
        column = F.when(one_of(kind.column, *STRUCTS), struct).otherwise(value.column)
        return derive(t.ANY, column, value, kind, bound, cost=8)

    return scope.let([found], rebuilt)
