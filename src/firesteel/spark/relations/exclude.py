"""EXCLUDE: values with parts left out.

From a struct with known attributes, columns are dropped. A variant is taken apart into its entries or elements and put
together again, level by level. The elements of a typed collection are changed by a lambda.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Depth, Expr, StructParts, Variant, as_variant, column_expr, derive, struct_expr
from firesteel.spark.core.handlers import Compiling, handles, rows_of
from firesteel.spark.core.rows import Rows, project
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import common_type
from firesteel.spark.encoding.kinds import COLLECTIONS, STRUCTS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import one_of
from firesteel.spark.scalar.structs import attributes

Steps = tuple[p.ExcludeStep, ...]


@handles(p.Exclude)
def _exclude(node: p.Exclude, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    return project(rows, scope, exclude_columns(scope, node, rows.columns), node.where)


def exclude_columns(scope: Scope, node: p.Exclude, row: tuple[Expr, ...]) -> list[Expr]:
    """The columns of a row, without what the paths lead to."""
    columns = list(row)
    for path in node.paths:
        if not 0 <= path.ordinal < len(columns) or not path.steps:
            raise PlanError(f"no column {path.ordinal} to exclude from, or no step", where=node.where)
        columns[path.ordinal] = scope.lowered(exclude_path(scope, columns[path.ordinal], path.steps, node.where))
    return columns


def exclude_path(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    """The value without what the path leads to; unchanged if the path leads nowhere.

    It recurses on the Python stack: a path is no deeper than types and lambdas may nest.
    """
    struct = attributes(value)
    if struct is not None and not (value.type.missable and not isinstance(value, StructParts)):
        return _exclude_from_struct(scope, value, struct, steps, where)
    if isinstance(value.type, t.Collection) and not isinstance(value, Variant):
        return scope.let([value], lambda bound: _exclude_from_collection(scope, bound, steps, where))
    if struct is not None:
        value = derive(t.ANY, as_variant(value), value, cost=Depth.SMALL)
    if not isinstance(value, Variant) or isinstance(value.type, t.Null | t.Missing):
        return value
    return scope.let([value], lambda bound: _exclude_from_variant(scope, bound, steps, where))


def _matches_name(step: p.ExcludeStep, name: str) -> bool:
    if isinstance(step, p.ExcludeField):
        return step.name == name if step.exact else step.name.lower() == name.lower()
    return isinstance(step, p.ExcludeAttributes)


def _exclude_from_struct(scope: Scope, value: Expr, known: list[tuple[str, Expr]], steps: Steps, where: Where) -> Expr:
    step, rest = steps[0], steps[1:]
    if not any(_matches_name(step, name) for name, _ in known):
        return value
    pairs = []
    for name, inner in known:
        if not _matches_name(step, name):
            pairs.append((name, inner))
        elif rest:
            pairs.append((name, exclude_path(scope, inner, rest, where)))
    if isinstance(value, StructParts):
        present = value.present
    else:
        present = value.plain.isNotNull() if value.type.nullable else None
    struct = struct_expr(pairs, present)
    if pairs:
        return struct.with_place(stage=max(struct.place.stage, value.place.stage))
    empty = variants.json_column("{}")
    if present is None:
        return column_expr(t.STRUCT, empty, stage=value.place.stage)
    return column_expr(
        t.ANY, F.when(present, empty).otherwise(variants.null()), stage=value.place.stage, height=Depth.TINY
    )


def _exclude_from_collection(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    type_, step, rest = value.type, steps[0], steps[1:]
    assert isinstance(type_, t.Collection)
    if isinstance(step, p.ExcludeIndex) and not isinstance(type_, t.Array | t.Sexp):
        return value
    if not isinstance(step, p.ExcludeIndex | p.ExcludeElements):
        return value
    if not rest:
        return derive(type_, _drop_elements(value.plain, step), value, cost=Depth.TINY)
    inner: list[Expr] = []
    inside = scope.inner(scope.row, where)

    def change(item: Column) -> Expr:
        inner.append(exclude_path(inside, column_expr(type_.element, item, atomic=True), rest, where))
        return inner[-1]

    if isinstance(step, p.ExcludeElements):
        column = F.transform(value.plain, lambda item: change(item).column)
        return derive(replace_element(type_, inner[-1].type), column, value, *inner, cost=Depth.TINY)
    index = step.index

    def change_at_index(item: Column, place: Column) -> Column:
        changed = change(item)
        wide = common_type((type_.element, changed.type))
        other = column_expr(type_.element, item, atomic=True)
        return F.when(place == index, fit(changed, wide)).otherwise(fit(other, wide))

    column = F.transform(value.plain, change_at_index)
    return derive(
        replace_element(type_, common_type((type_.element, inner[-1].type))), column, value, *inner, cost=Depth.MEDIUM
    )


def replace_element(type_: t.Collection, element: t.Type) -> t.Type:
    """The collection type with another element type."""
    return t.absent(type(type_)(element), nullable=type_.nullable, missable=type_.missable)


def _drop_elements(array: Column, step: p.ExcludeStep) -> Column:
    """The array without the element at an index, or (for `[*]`) an empty array."""
    if isinstance(step, p.ExcludeIndex):
        index = step.index
        return F.filter(array, lambda _, place: place != index)
    return F.filter(array, lambda _: F.lit(False))


def _exclude_from_variant(scope: Scope, value: Expr, steps: Steps, where: Where) -> Expr:
    step, rest = steps[0], steps[1:]
    kind = scope.kind(value)
    inner: list[Expr] = []

    def change(item: Column) -> Column:
        inside = scope.inner(scope.row, where)
        inner.append(exclude_path(inside, column_expr(t.ANY, item, atomic=True), rest, where))
        return inner[-1].column

    if isinstance(step, p.ExcludeField | p.ExcludeAttributes):
        return _exclude_from_entries(scope, value, kind, step, change if rest else None, inner)
    listed = F.when(kind.column == Kind.ARRAY, variants.cast_variant(value.column, "array<variant>"))
    kinds = (Kind.ARRAY, Kind.SEXP) if isinstance(step, p.ExcludeIndex) else COLLECTIONS
    tagged = F.when(one_of(kind.column, *kinds), variants.payload(value.column, "array<variant>"))
    array = F.coalesce(listed, tagged)
    if not rest:
        array = _drop_elements(array, step)
    elif isinstance(step, p.ExcludeIndex):
        index = step.index
        array = F.transform(array, lambda item, place: F.when(place == index, change(item)).otherwise(item))
    else:
        array = F.transform(array, change)
    changed = derive(t.ANY, array, value, kind, *inner, cost=Depth.MEDIUM)
    return scope.let([changed], lambda bound: _rebuild_collection(value, kind, bound))


def _rebuild_collection(value: Expr, kind: Expr, array: Expr) -> Expr:
    """The collection with its new elements; a value that is no collection is unchanged."""
    items = F.to_variant_object(array.column)
    column = (
        F.when(array.column.isNull(), value.column)
        .when(kind.column == Kind.ARRAY, items)
        .when(kind.column == Kind.BAG, variants.tag(Kind.BAG, items))
        .otherwise(variants.tag(Kind.SEXP, items))
    )
    return derive(value.type, column, value, kind, array, cost=Depth.MEDIUM)


def _exclude_from_entries(
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

        def change_entry(pair: Column) -> Column:
            item = F.when(matches(pair), change(pair["value"])).otherwise(pair["value"])
            return F.struct(pair["key"].alias("key"), item.alias("value"))

        array = F.transform(entries, change_entry)
    changed = derive(t.ANY, array, value, kind, *inner, cost=Depth.MEDIUM)

    def rebuild(bound: Expr) -> Expr:
        struct = variants.from_entries(bound.column)
        column = F.when(one_of(kind.column, *STRUCTS), struct).otherwise(value.column)
        return derive(t.ANY, column, value, kind, bound, cost=Depth.LARGE)

    return scope.let([changed], rebuild)
