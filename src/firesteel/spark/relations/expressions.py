"""Expressions, except calls and paths."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark.core.conversions import choose, fit, fit_cost
from firesteel.spark.core.conversions import truth as plain_truth
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive, null_expr, struct_expr
from firesteel.spark.core.handlers import Compiling, expr_of, handles
from firesteel.spark.core.literals import literal, typed_literal
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, common_type, form, nests
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.scalar.compare import equal
from firesteel.tables import Memory
from firesteel.values import Value

#: A table this small may be used as a value; a larger one only in FROM.
MAX_INLINE = 1_000


@handles(p.Lit)
def _lit(node: p.Lit, scope: Scope) -> Expr:
    if values.items(node.value) == [] and isinstance(node.type, t.Collection) and form(node.type) is Form.PLAIN:
        # Only the type of an empty collection says what its elements are.
        return column_expr(node.type, F.array().cast(cast_type(node.type)), atomic=True, constant=node.value)
    return typed_literal(node.value, node.type) or literal(node.value)


@handles(p.Var)
def _var(node: p.Var, scope: Scope) -> Expr:
    return scope.variable(node.ordinal, node.depth, node.where)


@handles(p.Parameter)
def _parameter(node: p.Parameter, _: Scope) -> NoReturn:
    raise PlanError(f"no value is given for parameter {node.ordinal}", where=node.where)


@handles(p.UnresolvedVar)
def _unresolved(node: p.UnresolvedVar, _: Scope) -> NoReturn:
    raise PlanError(f"the plan leaves '{node.name}' unresolved", where=node.where)


@handles(p.Global)
def _global(node: p.Global, scope: Scope) -> Expr:
    """A whole table as a value: where it is small and in memory, a literal."""
    tables = scope.run.tables
    if not 0 <= node.ordinal < len(tables):
        raise PlanError(f"no global {node.ordinal}: {len(tables)} tables are given", where=node.where)
    source = tables[node.ordinal].source
    if isinstance(source, Memory) and _size(source.value, MAX_INLINE) <= MAX_INLINE:
        return literal(source.value)
    raise UnsupportedError(
        "'global' outside FROM: a whole table is not a value of one row in Spark",
        where=node.where,
        help=f"range over it; a table in memory of at most {MAX_INLINE:,} values may be used as a value",
    )


def _size(value: Value, limit: int) -> int:
    """The number of values in a value, or more than the limit."""
    count, stack = 0, [value]
    while stack and count <= limit:
        count += 1
        stack.extend(values.items(stack.pop()) or ())
    return count


# ---------------------------------------------------------------------------------------------------------------------
# Conditions


def holds(condition: Expr) -> Column:
    """Is the condition true, and not NULL?"""
    return F.coalesce(condition.plain, F.lit(False))


def _fails(condition: Expr) -> Column:
    return ~holds(condition)


def truth(scope: Scope, expr: Expr, said: str, where: Any) -> Expr:
    """True where the value is true; false or SQL NULL elsewhere. If strict, a value that is no boolean is an error."""
    if isinstance(expr.type, t.Bool):
        return plain_truth(expr)
    if isinstance(expr.type, t.Null | t.Missing):
        return column_expr(t.BOOL, F.lit(False), atomic=True)
    if not isinstance(expr, Variant):
        error = scope.wrong(f"{said}, not {t.proper(expr.type)}", where)
        never = F.lit(False)
        if error is None:
            return column_expr(t.BOOL, never, atomic=True)
        absent = expr.is_absent()
        column = error if absent is None else F.when(~absent, error).otherwise(never)
        return derive(t.BOOL, column.cast("boolean"), expr, throws=True)

    def test(value: Expr) -> Expr:
        kind = scope.kind(value)
        plain = variants.extract(value.column, kind.column, "bool")
        boolean = t.absent(t.BOOL, nullable=True)
        if not scope.run.strict:
            return derive(boolean, plain, value, kind, cost=Depth.SMALL)
        error = scope.wrong(f"{said}, not ", where, kind.column)
        bad = ~variants.one_of(kind.column, Kind.BOOLEAN, Kind.VOID)
        return derive(boolean, F.when(bad, error).otherwise(plain), value, kind, cost=Depth.MEDIUM, throws=True)

    return scope.let([expr], test)


@handles(p.Case)
def _case(node: p.Case, scope: Scope) -> Compiling[Expr]:
    match = None
    if node.match is not None:
        match = scope.bind((yield from expr_of(node.match, scope)))
    conditions: list[Expr] = []
    results: list[Expr] = []
    here = scope
    for branch in node.branches:
        when = yield from expr_of(branch.when, here)
        if match is None:
            held = truth(here, when, "WHEN takes booleans", branch.when.where or node.where)
        else:
            held = equal(here, match, when, node.where)
        held = here.lowered(held)
        conditions.append(held)
        there = here.guarded(partial(holds, held), held)
        results.append(there.lowered((yield from expr_of(branch.then, there))))
        here = here.guarded(partial(_fails, held), held)
    results.append(here.lowered((yield from expr_of(node.default, here))) if node.default is not None else null_expr())
    return choose(conditions, results)


# ---------------------------------------------------------------------------------------------------------------------
# Constructors


@handles(p.Collection)
def _collection(node: p.Collection, scope: Scope) -> Compiling[Expr]:
    items: list[Expr] = []
    for item in node.items:
        items.append(scope.lowered((yield from expr_of(item, scope))))
    if not isinstance(node.type, t.Collection):
        raise PlanError(f"a collection cannot be of type {node.type}", where=node.where)
    expr = collection(type(node.type), items)
    if items and all(isinstance(item.constant, _SCALARS) for item in items):
        return replace(expr, constant=[item.constant for item in items])
    return expr


#: A collection of constants of these types is itself a constant.
_SCALARS = (bool, int, Decimal, str, datetime.date)


def collection(kind: type[t.Collection], items: Sequence[Expr]) -> Expr:
    """A collection of these items; a variant if it nests deeper than our types go."""
    element = common_type(item.type for item in items) if items else t.ANY
    if form(element) is Form.VARIANT and any(isinstance(m, t.Collection | t.Struct) for m in t.members(element)):
        element = t.ANY  # a type that is spelled out would grow with every level of nesting
    type_ = kind(element)
    if not items:
        return derive(type_, F.array().cast(cast_type(type_)))
    columns = [fit(item, element) for item in items]
    cost = 1 + max(fit_cost(item, element) for item in items)
    if form(type_) is not Form.VARIANT:
        return derive(type_, F.array(*columns), *items, cost=cost)
    tags: dict[type[t.Collection], str] = {t.Bag: Kind.BAG, t.Sexp: Kind.SEXP}
    array = F.to_variant_object(
        F.array(*(F.coalesce(variants.to_variant(c, element), variants.missing_item()) for c in columns))
    )
    tagged = variants.tag(tags[kind], array) if kind in tags else array
    return derive(t.absent(kind(t.ANY), nullable=True, missable=True), tagged, *items, cost=cost + 10)


@handles(p.Struct)
def _struct(node: p.Struct, scope: Scope) -> Compiling[Expr]:
    pairs: list[tuple[Expr, Expr]] = []
    for pair in node.pairs:
        key = yield from expr_of(pair.key, scope)
        pairs.append((key, scope.lowered((yield from expr_of(pair.value, scope)))))
    if all(isinstance(key.constant, str) for key, _ in pairs):
        named = [(str(key.constant), value) for key, value in pairs if not isinstance(value.type, t.Missing)]
        if not named:
            return derive(t.STRUCT, variants.json_column("{}"))
        struct = struct_expr(named)
        # If it nests deeper than our types go, it becomes a variant, whose type does not list the attributes.
        return struct if nests(struct.type) else derive(t.STRUCT, struct.column, struct, cost=Depth.VERY_DEEP)
    from firesteel.spark.scalar.structs import struct_of_keys

    return struct_of_keys(scope, pairs, node.where)
