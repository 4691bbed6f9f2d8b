"""Functions of arrays and of the attributes of structs. An array of unknown elements is one of variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.functions.returns import ENTRY
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import COLLECTIONS
from firesteel.spark.encoding.variants import one_of, to_variant
from firesteel.spark.keys.comparison import key
from firesteel.spark.scalar.arguments import call
from firesteel.spark.scalar.compare import equal
from firesteel.spark.scalar.structs import container_result, elements_of, entries_of, in_collection

LoweredFunction = Callable[[Scope, Sequence[Expr], Where], Expr]


def _element(expr: Expr) -> t.Type:
    """The type of the elements, as `arguments.view` gives them."""
    known = isinstance(expr.type, t.Collection) and not isinstance(expr, Variant)
    return expr.type.element if known and isinstance(expr.type, t.Collection) else t.ANY


def _contains(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    return in_collection(scope, args[::-1], where)


def _position(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The place of the first element that is equal."""
    element, type_ = _element(args[0]), args[1].type

    def native(items: Column, column: Column) -> Column:
        value = column_expr(type_, column)
        inner = scope.inner((), where)

        def same(item: Column) -> Column:
            return equal(inner, value, column_expr(element, item, atomic=True), where).plain

        place = F.array_position(F.transform(items, same), F.lit(True)).cast("bigint")
        absent = value.is_absent()
        return place if absent is None else F.when(~absent, place)

    return call(scope, "array_position", args, ("list", "any"), native, t.INT64, where, cost=Depth.LARGE)


def _concat(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    elements = [_element(arg) for arg in args]
    same = all(element == elements[0] for element in elements)
    element = elements[0] if same else t.ANY

    def native(*arrays: Column) -> Column:
        if same:
            return F.concat(*arrays)
        return F.concat(*(_as_variants(array, inner) for array, inner in zip(arrays, elements, strict=True)))

    families = ("collection",) * len(args)
    return call(scope, "array_concat", args, families, native, t.Array(element), where, cost=Depth.MEDIUM)


def _as_variants(array: Column, element: t.Type) -> Column:
    return F.transform(array, lambda item: to_variant(item, element))


def _slice(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """As SUBSTRING: the part that lies in positions `start` up to `start + length`, wherever those are."""

    def native(array: Column, start: Column, length: Column) -> Column:
        low = F.greatest(F.least(start, F.lit(2**31 - 1)), F.lit(-(2**31 - 1)))
        size = F.least(length, F.lit(2**32))
        first = F.greatest(low, F.lit(1))
        kept = F.least(F.greatest(low + size - first, F.lit(0)), F.lit(2**31 - 1))
        there = array.isNotNull() & start.isNotNull() & (length >= 0)
        return F.when(there, F.slice(array, first.cast("int"), kept.cast("int")))

    type_ = t.Array(_element(args[0]))
    said = "a slice cannot have a negative length"
    families = ("list", "int", "int")
    return call(scope, "array_slice", args, families, native, type_, where, partial=said, cost=Depth.MEDIUM)


def _flatten(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The elements of the elements; an element that is no collection stays."""

    def apply(arg: Expr) -> Expr:
        array, element = elements_of(scope, arg)
        if isinstance(element, t.Collection) and not element.absent:
            found = derive(t.ANY, F.flatten(array.column), array, cost=Depth.TINY)
            return _result(scope, arg, found, t.Array(element.element), "array_flatten", where)

        def inside(item: Column) -> Column:
            return variants.let(to_variant(item, element), lambda v: variants.let(variants.kind_of(v), _of_kind(v)))

        found = derive(t.ANY, F.flatten(F.transform(array.column, inside)), array, cost=Depth.VERY_DEEP)
        return _result(scope, arg, found, t.Array(t.ANY), "array_flatten", where)

    return scope.let(args, apply)


def _of_kind(value: Column) -> Callable[[Column], Column]:
    def items(kind: Column) -> Column:
        inner = F.coalesce(one_of(kind, *COLLECTIONS), F.lit(False))
        return F.when(inner, variants.elements(value, kind)).otherwise(F.array(value))

    return items


def _result(scope: Scope, arg: Expr, found: Expr, type_: t.Type, name: str, where: Where) -> Expr:
    family = "struct" if name.startswith("map_") else "collection"
    return container_result(scope, arg, family, found, type_, f"{name} takes {family}s", where)


def _sort(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """By the total order; NULL and MISSING last, as they come."""

    def apply(arg: Expr) -> Expr:
        array, element = elements_of(scope, arg)
        return scope.let([array], lambda bound: ordered(arg, bound, element))

    def ordered(arg: Expr, array: Expr, element: t.Type) -> Expr:
        inner = scope.inner((), where)

        def ranked(item: Column, place: Column) -> Column:
            order = key(inner, column_expr(element, item, atomic=True), ordering=True).column
            return F.struct(order.isNull().alias("n"), order.alias("k"), place.alias("i"))

        sorted_ = F.array_sort(F.transform(array.column, ranked))
        column = F.transform(sorted_, lambda one: F.get(array.column, one["i"]))
        found = derive(t.ANY, column, array, cost=Depth.HUGE)
        return _result(scope, arg, found, t.Array(element), "array_sort", where)

    return scope.let(args, apply)


def _map(part: str, type_: t.Type) -> LoweredFunction:
    """The keys, the values or both of the attributes of a struct, in the order of the names."""

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        return scope.let(args, lambda arg: attributes(scope, arg, where))

    def attributes(scope: Scope, arg: Expr, where: Where) -> Expr:
        return scope.let([entries_of(scope, arg)], lambda pairs: ordered(scope, arg, pairs, where))

    def ordered(scope: Scope, arg: Expr, pairs: Expr, where: Where) -> Expr:
        places = F.array_sort(F.transform(pairs.column, lambda one, i: F.struct(one["key"].alias("k"), i.alias("i"))))
        column = F.transform(places, lambda one: _part(F.get(pairs.column, one["i"]), part))
        found = derive(t.ANY, column, pairs, cost=Depth.LARGE)
        return _result(scope, arg, found, type_, f"map_{part}", where)

    return build


def _part(one: Column, part: str) -> Column:
    match part:
        case "keys":
            return one["key"]
        case "values":
            return one["value"]
        case _:
            return F.struct(one["key"].alias("key"), one["value"].alias("value"))


ARRAYS: dict[str, LoweredFunction] = {
    "array_contains": _contains,
    "array_position": _position,
    "array_concat": _concat,
    "array_slice": _slice,
    "array_flatten": _flatten,
    "array_sort": _sort,
    "map_keys": _map("keys", t.Array(t.STRING)),
    "map_values": _map("values", t.Array(t.ANY)),
    "map_entries": _map("entries", t.Array(ENTRY)),
}
