"""Functions of structs and collections, also of unknown shape: by their entries and elements."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, StructParts, Variant, as_variant, column_expr, derive, struct_expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, elements, entries, from_entries, one_of, to_variant
from firesteel.spark.numbers.float_compare import stands_for
from firesteel.spark.scalar.arguments import propagate_absent, view
from firesteel.spark.scalar.compare import equal
from firesteel.values import Bag, Text, decimal_of

_BOTH = t.absent(t.STRUCT, nullable=True, missable=True)
_ENTRIES = "array<struct<key:string,value:variant>>"


def struct_of_keys(scope: Scope, pairs: Sequence[tuple[Expr, Expr]], where: Where) -> Expr:
    """A struct whose keys are computed. An attribute that is MISSING, or whose key is no text, is left out."""
    args = [expr for pair in pairs for expr in pair]

    def apply(*given: Expr) -> Expr:
        entries_ = []
        parts = list(given)
        throws = False
        for key, value in zip(given[::2], given[1::2], strict=True):
            name = view(scope, key, "text")
            column = name.value
            parts.extend(name.parts)
            error = scope.wrong("an attribute's name must be text", where)
            if error is not None:
                column, throws = F.coalesce(column, error), True
            item = as_variant(value)
            entries_.append(F.struct(column.alias("key"), F.when(column.isNotNull(), item).alias("value")))
        array = derive(t.ANY, F.array(*entries_), *parts, throws=throws)
        return scope.let([array], lambda bound: derive(_PRESENT, from_entries(bound.column), bound, cost=Depth.LARGE))

    return scope.let(args, apply)


_PRESENT = t.absent(t.STRUCT)


def entries_of(scope: Scope, expr: Expr) -> Expr:
    """The attributes of a struct as an array of (key, variant); SQL NULL if it is no struct. Bind the value first."""
    if not isinstance(expr, Variant):
        return derive(t.ANY, _entries(expr), expr, cost=Depth.TINY)
    kind = scope.kind(expr)
    return derive(t.ANY, entries(expr.column, kind.column), expr, kind, cost=Depth.SMALL)


def _entries(expr: Expr) -> Column:
    if isinstance(expr, StructParts) or isinstance(expr.type, t.Struct):
        return _struct_entries(expr)
    if isinstance(expr.type, t.Map):
        inner = expr.type.value
        return F.transform(
            F.map_entries(expr.plain),
            lambda pair: F.struct(pair["key"].alias("key"), to_variant(pair["value"], inner).alias("value")),
        )
    return F.literal(None, _ENTRIES)


def attributes(expr: Expr, like: str | None = None) -> list[tuple[str, Expr]] | None:
    """The attributes of a struct as expressions; None if they are not known statically. `like` asks only for those of
    this name, upper or lower case: each makes a column, and a table may have hundreds of them."""
    if not isinstance(expr.type, t.Struct) or expr.type.open:
        return None
    if isinstance(expr, StructParts):
        named = [(field.name or "", inner) for field, inner in zip(expr.type.fields, expr.fields, strict=True)]
        return [(name, inner) for name, inner in named if _is_like(name, like)]
    if isinstance(expr, Variant):
        return None
    column = expr.plain
    fields = [(f.name or "", f.type) for f in expr.type.fields]
    return [(name, derive(type_, column[name], expr)) for name, type_ in fields if _is_like(name, like)]


def _is_like(name: str, like: str | None) -> bool:
    return like is None or name.lower() == like.lower()


def _struct_entries(expr: Expr) -> Column:
    named = attributes(expr) or []
    pairs = [F.struct(F.lit(name).alias("key"), as_variant(inner).alias("value")) for name, inner in named]
    array = F.array(*pairs) if pairs else F.array().cast(_ENTRIES)
    present = F.filter(array, lambda pair: pair["value"].isNotNull())
    absent = expr.is_absent()
    return present if absent is None else F.when(~absent, present)


def struct_concat(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """One struct with the attributes of all arguments, in order; repeated names are kept."""
    known = [attributes(arg) for arg in args]
    if all(pairs is not None for pairs in known) and not any(arg.type.absent for arg in args):
        return struct_expr(pair for pairs in known for pair in pairs or [])

    def apply(*given: Expr) -> Expr:
        arrays = [entries_of(scope, arg) for arg in given]
        wrong = any_of(test for test in (misfit(scope, arg, "struct") for arg in given) if test is not None)
        error = scope.wrong("struct_concat takes structs", where) if wrong is not None else None
        value = F.concat(*(array.column for array in arrays))
        if wrong is not None and error is not None:
            value = F.when(wrong, error).otherwise(value)
        joined = derive(t.ANY, value, *given, *arrays, throws=error is not None, cost=Depth.MEDIUM)
        lost = wrong if error is None else None
        missing = any_of(test for test in (lost, *(arg.is_missing() for arg in given)) if test is not None)

        def finish(bound: Expr) -> Expr:
            column = F.when(bound.column.isNotNull(), from_entries(bound.column)).otherwise(variants.null())
            if missing is not None:
                column = F.when(~missing, column)
            return derive(_BOTH, column, bound, *given, cost=Depth.LARGE)

        return scope.let([joined], finish)

    return scope.let(args, apply)


_TYPES = {"struct": (t.Struct,), "collection": (t.Collection,), "container": (t.Collection, t.Struct)}


def misfit(scope: Scope, expr: Expr, family: str) -> Column | None:
    """True where a value is present and not of this family of containers; None if that cannot be."""
    if isinstance(expr.type, t.Null | t.Missing) or (
        isinstance(expr.type, _TYPES[family]) and not isinstance(expr, Variant)
    ):
        return None
    if isinstance(expr, Variant):
        return F.coalesce(~one_of(scope.kind(expr).column, *FAMILIES[family], Kind.VOID), F.lit(False))
    absent = expr.is_absent()
    return F.lit(True) if absent is None else ~absent


def elements_of(scope: Scope, expr: Expr) -> tuple[Expr, t.Type]:
    """The elements of a collection as an array (SQL NULL if it is none), and their type. Bind the value first."""
    if isinstance(expr.type, t.Collection) and not isinstance(expr, Variant):
        if expr.type.nullable and expr.type.missable:  # split: its `column` would be a VARIANT
            return derive(t.absent(expr.type, nullable=True, missable=False), expr.plain, expr), expr.type.element
        return expr, expr.type.element
    if isinstance(expr, Variant):
        kind = scope.kind(expr)
        return derive(
            t.absent(t.BAG, nullable=True), elements(expr.column, kind.column), expr, kind, cost=Depth.SMALL
        ), t.ANY
    return derive(t.absent(t.BAG, nullable=True), F.literal(None, "array<variant>"), expr), t.ANY


def size_of(scope: Scope, expr: Expr) -> Expr:
    """The number of elements or attributes; SQL NULL if the value is no container."""
    kind = scope.kind(expr) if isinstance(expr, Variant) else expr
    return derive(
        t.absent(t.INT64, nullable=True), _size(expr, kind.column).cast("bigint"), expr, kind, cost=Depth.SMALL
    )


def _size(expr: Expr, kind: Column) -> Column:
    if isinstance(expr, Variant):
        listed = F.when(kind == Kind.ARRAY, variants.cast_variant(expr.column, "array<variant>")).otherwise(
            F.when(one_of(kind, Kind.BAG, Kind.SEXP, Kind.PAIRS), variants.payload(expr.column, "array<variant>"))
        )
        pairs = F.when(kind == Kind.OBJECT, variants.cast_variant(expr.column, "map<string,variant>"))
        return F.coalesce(F.array_size(listed), F.array_size(F.map_keys(pairs)))
    if isinstance(expr.type, t.Collection):
        return F.array_size(expr.plain)
    return F.array_size(_entries(expr))


def container_result(
    scope: Scope, expr: Expr, family: str, found: Expr, type_: t.Type, message: str, where: Where
) -> Expr:
    """The result `found` of a function of one container. A present argument that is no container is wrong."""
    wrong = misfit(scope, expr, family)
    value = found.column
    if wrong is None:
        return propagate_absent(type_, value, [expr], cost=Depth.TINY)
    error = scope.wrong(message, where)
    lost = wrong if error is None else None
    missing = any_of(test for test in (lost, expr.is_missing()) if test is not None)
    if error is not None:
        value = F.when(wrong, error).otherwise(value)
    full = t.absent(type_, nullable=expr.type.nullable, missable=missing is not None)
    split = missing if expr.type.nullable else None
    if form(t.proper(type_)) is Form.VARIANT:
        value, split = (
            F.when(~(missing if missing is not None else F.lit(False)), F.coalesce(value, variants.null())),
            None,
        )
        full = t.absent(type_, nullable=True, missable=True)
    return derive(full, value, expr, found, missing=split, cost=Depth.MEDIUM, throws=error is not None)


def cardinality(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    said = "cardinality takes collections and structs"
    return scope.let(
        args, lambda arg: container_result(scope, arg, "container", size_of(scope, arg), t.INT64, said, where)
    )


def exists(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """EXISTS: does the value have elements or attributes? False for NULL, MISSING and scalars."""

    def apply(arg: Expr) -> Expr:
        size = size_of(scope, arg)
        return derive(t.BOOL, F.coalesce(size.column > 0, F.lit(False)), size)

    return scope.let(args, apply)


def to_bag(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    def apply(arg: Expr) -> Expr:
        array, element = elements_of(scope, arg)
        return container_result(scope, arg, "collection", array, t.Bag(element), "to_bag takes collections", where)

    return scope.let(args, apply)


def _constants(value: Expr, constant: object) -> list[Any] | None:
    """The elements of a constant collection for Spark's own IN; None unless all are present and of the value's kind.
    They are plain Python values where PySpark infers the type: `F.literal` takes three times as many calls."""
    items = constant.items if isinstance(constant, Bag) else constant
    if not isinstance(items, list) or not items or isinstance(value, Variant):
        return None
    match value.type:
        case t.String() | t.Char() if all(type(item) in (str, Text) for item in items):
            return [str(item) for item in items]
        case t.Int64() if all(type(item) is int for item in items):
            return [item for item in items if -(2**63) <= item < 2**63] or None
        case t.Int8() | t.Int16() | t.Int32() if all(type(item) is int for item in items):
            bits = value.type.bits or 32
            kept = [item for item in items if -(2 ** (bits - 1)) <= item < 2 ** (bits - 1)]
            return [F.literal(item, cast_type(value.type)) for item in kept] or None
        case t.Float32() | t.Float64() if all(type(item) in (int, Decimal, float) for item in items):
            floats = [float(Decimal(item)) for item in items]
            kept = [f for f, item in zip(floats, items, strict=True) if f != f or decimal_of(f) == stands_for(item)]
            return [F.lit(f) for f in kept] or None
        case t.Date() if all(type(item) is datetime.date for item in items):
            return [F.lit(item) for item in items]
    return None


def in_collection(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """IN: true if an element equals the value, else NULL if one is absent, else false."""
    listed = _constants(args[0], args[1].constant)
    if listed is not None:
        type_ = t.absent(t.BOOL, nullable=args[0].type.absent)
        return derive(type_, args[0].plain.isin(*listed), args[0])

    def apply(value: Expr, collection: Expr) -> Expr:
        array, element = elements_of(scope, collection)
        inner = scope.inner((), where)

        def same(item: Column) -> Column:
            return equal(inner, value, column_expr(element, item, atomic=True), where).plain

        found = F.exists(array.column, same)
        nullable = derive(t.absent(t.BOOL, nullable=True), found, value, collection, array, cost=Depth.LARGE)
        wrong = misfit(scope, collection, "collection")
        if wrong is None and collection.is_missing() is None:
            return nullable
        error = scope.wrong("IN takes collections", where) if wrong is not None else None
        lost = wrong if error is None else None
        missing = any_of(test for test in (lost, collection.is_missing()) if test is not None)
        column = found
        if wrong is not None and error is not None:
            column = F.when(wrong, error).otherwise(found)
        full = t.absent(t.BOOL, nullable=True, missable=missing is not None)
        return derive(
            full, column, value, collection, array, missing=missing, cost=Depth.LARGE, throws=error is not None
        )

    return scope.let(args, apply)
