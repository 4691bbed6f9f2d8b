"""Functions over a row's own collections: aggregates (`coll_sum`; see `folds.py`), `filter_distinct`, comparisons with
ANY and ALL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import COLLECTIONS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, one_of
from firesteel.spark.keys.comparison import row_key
from firesteel.spark.numbers.operands import Choice
from firesteel.spark.scalar import compare
from firesteel.spark.scalar.collections.folds import aggregate_array, wrong_value
from firesteel.spark.scalar.structs import elements_of, misfit


def aggregate(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """`coll_sum`, `coll_avg` and so on."""

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        return scope.let(args, lambda arg: _of_elements(scope, arg, body, f"coll_{name} takes collections", where))

    def body(scope: Scope, array: Expr, where: Where) -> Expr:
        return aggregate_array(scope, name, array, where)

    return build


Body = Callable[[Scope, Expr, Where], Expr]


def _of_elements(scope: Scope, arg: Expr, body: Body, message: str, where: Where) -> Expr:
    """Apply `body` to the elements of a collection. NULL and MISSING propagate; any other value is wrong."""
    if isinstance(arg.type, t.Null | t.Missing):
        return arg
    array, element = elements_of(scope, arg)
    typed = array.with_type(t.Bag(element)) if isinstance(array.type, t.Bag) else array
    wrong = misfit(scope, arg, "collection")
    if wrong is None and not arg.type.absent:
        return body(scope, typed, where)

    def apply(found: Expr) -> Expr:
        result = body(scope, found, where)
        choice = Choice()
        if wrong is not None:
            choice.when(wrong, lambda: wrong_value(scope, message, where))
        missing, null = arg.is_missing(), arg.is_null()
        if missing is not None:
            choice.when(missing, variants.missing)
        if null is not None:
            choice.when(null, variants.null)
        choice.when(True, lambda: variants.to_variant(result.column, result.type))
        throws = scope.run.strict or result.place.throws
        return derive(t.ANY, choice.end(), arg, found, result, throws=throws, cost=Depth.SMALL)

    proper = derive(t.absent(typed.type, nullable=False, missable=False), typed.column, typed)
    return scope.let([proper], apply)


def filter_distinct(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The collection with only the first of deeply equal elements; a list stays a list."""
    (arg,) = args

    def distinct(scope: Scope, array: Expr, where: Where) -> Expr:
        assert isinstance(array.type, t.Collection)
        element = array.type.element
        inner = scope.inner((), where)

        def key_of(item: Column) -> Column:
            return row_key(inner, column_expr(element, item, atomic=True)).column

        keys = derive(t.ANY, F.transform(array.column, key_of), array, cost=Depth.DEEP)

        def firsts(found: Expr) -> Expr:
            flags = F.transform(found.column, lambda k: F.struct(k.isNull().alias("n"), k.alias("k")))
            return scope.let([derive(t.ANY, flags, found, cost=Depth.TINY)], keep_firsts)

        def keep_firsts(found: Expr) -> Expr:
            places = F.transform(found.column, lambda k: F.array_position(found.column, k))
            pairs = F.arrays_zip(array.column.alias("v"), places.alias("p"))
            once = F.filter(pairs, lambda pair, i: pair["p"] == i + 1)
            column = F.transform(once, lambda pair: pair["v"])
            return derive(array.type, column, array, found, cost=Depth.LARGE)

        return scope.let([keys], firsts)

    def apply(value: Expr) -> Expr:
        said = "filter_distinct takes collections"
        if not isinstance(value, Variant):
            return _of_elements(scope, value, distinct, said, where)
        kind = scope.kind(value)

        def tagged(scope: Scope, array: Expr, where: Where) -> Expr:
            found = distinct(scope, array, where)
            items = variants.items_variant(found.column, t.ANY)
            column = (
                F.when(kind.column == Kind.ARRAY, items)
                .when(kind.column == Kind.BAG, variants.tag(Kind.BAG, items))
                .otherwise(variants.tag(Kind.SEXP, items))
            )
            return derive(t.ANY, column, found, kind, cost=Depth.LARGE)

        return _of_elements(scope, value, tagged, said, where)

    return scope.let([arg], apply)


def as_bag(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """An operand of an OUTER set operator as a bag: absent gives none, a scalar one element; if strict, an error."""
    (arg,) = args
    if isinstance(arg.type, t.Collection) and not isinstance(arg, Variant) and not arg.type.absent:
        return arg.with_type(t.Bag(arg.type.element))

    def apply(value: Expr) -> Expr:
        variant, kind = scope.variant(value)
        column, found = variant.column, kind.column
        collection = F.coalesce(one_of(found, *COLLECTIONS), F.lit(False))
        nothing, itself = F.array().cast("array<variant>"), F.array(column)
        other: Column = F.when(found.isNull() | (found == Kind.VOID), nothing).otherwise(itself)
        error = scope.wrong("a set operator takes collections, not ", where, F.coalesce(found, F.lit("MISSING")))
        if error is not None:
            other = error.cast("array<variant>")
        listed = F.when(collection, variants.elements(column, found)).otherwise(other)
        return derive(t.Bag(t.ANY), listed, variant, kind, throws=error is not None, cost=Depth.MEDIUM)

    return scope.let([arg], apply)


def quantified(name: str, every: bool) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """A comparison with ALL (the AND of all comparisons) or ANY (their OR); a wrong element counts as NULL."""

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        return scope.let(args, lambda value, collection: apply(scope, value, collection, where))

    def apply(scope: Scope, value: Expr, collection: Expr, where: Where) -> Expr:
        array, element = elements_of(scope, collection)
        inner = scope.inner((), where)

        def holds(item: Column) -> Column:
            return _held(inner, name, value, column_expr(element, item, atomic=True), where)

        found = (F.forall if every else F.exists)(array.column, holds)
        wrong = misfit(scope, collection, "collection")
        missing = any_of(test for test in (wrong, collection.is_missing()) if test is not None)
        error = scope.wrong("ANY and ALL take collections", where) if wrong is not None else None
        throws = scope.run.strict
        if wrong is not None and error is not None:
            found = F.when(wrong, error).otherwise(found)
            missing = collection.is_missing()
        full = t.absent(t.BOOL, nullable=True, missable=missing is not None)
        return derive(full, found, value, collection, array, missing=missing, cost=Depth.DEEP, throws=throws)

    return build


def _held(scope: Scope, name: str, value: Expr, item: Expr, where: Where) -> Column:
    """Does the comparison hold for one element? SQL NULL if it is unknown."""
    if name in ("eq", "ne"):
        same = compare.equal(scope, value, item, where).plain
        return same if name == "eq" else ~same
    held = compare.compare(scope, name, value, item, where)
    return variants.cast_variant(held.column, "boolean") if isinstance(held, Variant) else held.plain
