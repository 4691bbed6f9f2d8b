"""Paths: into structs by name, into arrays by index.

With a known type, a step is a field of a struct or an element of an array. Into a variant it is `variant_get`, without
a cast. A name that matches in any case is first looked up exactly, and only then among all keys.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan.scope import shifted
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Depth, Expr, Split, StructParts, Variant, derive, missing_expr, null_expr
from firesteel.spark.core.handlers import UNSUPPORTED, Compiling, expr_of, handles, part_of
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import JSON, may_be_tagged
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, common_type, form
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, cast_variant, to_variant
from firesteel.spark.scalar.arguments import view
from firesteel.spark.scalar.structs import attributes, entries_of

_UNKNOWN = t.ANY

#: A path with these is compiled as the query that it abbreviates.
UNSUPPORTED[p.Wildcard] = "a step of its own, outside a path, has no meaning"
UNSUPPORTED[p.UnpivotStep] = "a step of its own, outside a path, has no meaning"


@handles(p.Path)
def _path(node: p.Path, scope: Scope) -> Compiling[Expr]:
    if ranges(node):
        query = yield from expr_of(as_query(node), scope)
        return query
    value = yield from expr_of(node.root, scope)
    for step in node.steps:
        into = yield from part_of(step, scope)
        value = scope.lowered(into(value))
    return value


def ranges(node: p.Path) -> bool:
    """Has the path wildcards?"""
    return not all(isinstance(step, p.Key) for step in node.steps)


def as_query(node: p.Path) -> p.Select:
    """The query that a path with wildcards abbreviates: `t[*].a[*]` is `SELECT VALUE v2 FROM t AS v1, v1.a AS v2`."""
    rel, at = ranged_over(node)
    return p.Select(t.Bag(t.ANY), at, rel).at(node.where)


def ranged_over(node: p.Path) -> tuple[p.Rel, p.Rex]:
    """The relation that a path with wildcards ranges over, and the path's value in each of its rows."""
    at: p.Rex = node.root
    rel: p.Rel | None = None
    keys: list[p.Step] = []
    width = 0
    for step in node.steps:
        if isinstance(step, p.Key):
            # A key refers to the row around the path; inside the relation, that row is one scope further out.
            keys.append(step if rel is None else shifted(step, 1))
            continue
        at, keys = _with_steps(at, keys, node), []
        unpivots = isinstance(step, p.UnpivotStep)
        ranging: p.Rel = (p.Unpivot if unpivots else p.Scan)(at).at(step.where or node.where)
        rel = ranging if rel is None else p.Join(p.Cross(), rel, ranging, lateral=True).at(node.where)
        width += 2 if unpivots else 1
        at = p.Var(t.ANY, width - 1)
    assert rel is not None
    return rel, _with_steps(at, keys, node)


def _with_steps(at: p.Rex, keys: list[p.Step], node: p.Path) -> p.Rex:
    return p.Path(t.ANY, at, tuple(keys)).at(node.where) if keys else at


@handles(p.Key)
def _key(node: p.Key, scope: Scope) -> Generator[Any, Any, Any]:
    key = yield from expr_of(node.key, scope)
    where = node.where or node.key.where
    if node.optional:
        scope = replace(scope, lenient=True)
    if not isinstance(node.key.type, t.Text):
        return lambda value: _element(scope, value, key, where)
    any_case = isinstance(node.key.type, t.Symbol)
    if isinstance(key.constant, str):
        name = str(key.constant)
        return lambda value: _attribute(scope, value, name, any_case, where)
    return lambda value: _computed_attribute(scope, value, key, any_case, where)


# ---------------------------------------------------------------------------------------------------------------------
# By name


def _attribute(scope: Scope, value: Expr, name: str, any_case: bool, where: Where) -> Expr:
    if isinstance(value.type, t.Null | t.Missing):
        return value
    if isinstance(value.type, t.Map) and not isinstance(value, Variant):
        return scope.let([value], lambda v: _map_value(scope, v, name, any_case, where))
    if isinstance(value.type, t.Struct) and not isinstance(value, Variant):
        return _known_attribute(scope, value, name, any_case, where)
    if isinstance(value, Variant):
        return scope.let([value], lambda v: _variant_attribute(scope, v, name, any_case, where))
    return _no_such(scope, value, f"no attribute '{name}' in a value of type {t.proper(value.type)}", where)


def _known_attribute(scope: Scope, value: Expr, name: str, any_case: bool, where: Where) -> Expr:
    known = attributes(value, like=name) or []
    found = [inner for key, inner in known if key == name]
    if any_case and (not found or scope.strict):
        found = [inner for _, inner in known]
        if scope.strict and len(found) > 1:
            return _no_such(scope, value, f"attribute '{name}' is ambiguous", where)
    if not found:
        return _no_such(scope, value, f"no attribute '{name}'", where)
    inner = _ensure_present(scope, found[0], f"no attribute '{name}'", where)
    if not value.type.absent:
        return inner
    return scope.let(
        [value],
        lambda v: _or_absent(
            v, inner if isinstance(value, StructParts) else _attribute_of_bound(v, name, any_case, inner)
        ),
    )


def _attribute_of_bound(value: Expr, name: str, any_case: bool, inner: Expr) -> Expr:
    """The same attribute, of the value that is now bound to a name."""
    known = attributes(value, like=name) or []
    exact = [expr for key, expr in known if key == name]
    found = (exact or [expr for _, expr in known])[0]
    return found if not inner.place.throws else inner


def _ensure_present(scope: Scope, inner: Expr, message: str, where: Where) -> Expr:
    """In strict mode an attribute that is MISSING is an error."""
    if not scope.strict or not inner.type.missable:
        return inner

    def check(value: Expr) -> Expr:
        missing = value.is_missing()
        assert missing is not None
        error = scope.run.error(message, where)
        if isinstance(value, Variant):
            return derive(value.type, F.when(missing, error).otherwise(value.column), value, throws=True)
        present = t.absent(value.type, missable=False)
        return derive(present, F.when(missing, error).otherwise(value.plain), value, throws=True)

    return scope.let([inner], check)


def _or_absent(value: Expr, inner: Expr) -> Expr:
    """An attribute of a struct that may be absent: NULL or MISSING where the struct is."""
    absent = [*([t.NULL] if value.type.nullable else []), *([t.MISSING] if value.type.missable else [])]
    type_ = common_type([inner.type, *absent])
    if not inner.type.missable and not value.type.missable and not isinstance(inner, Variant):
        if isinstance(inner, StructParts):
            return replace(inner, type=t.absent(inner.type, nullable=True), present=_and(inner.present, value))
        return derive(type_, inner.plain, inner, cost=0) if not inner.place.atomic else _retype(inner, type_)
    if form(type_) is not Form.VARIANT and not isinstance(inner, Variant | StructParts | Split):
        # SQL NULL stands for the one way of being absent, and of a struct that is SQL NULL all attributes are.
        return derive(type_, inner.plain, inner, cost=0)
    column = fit(inner, type_)
    null, missing = value.is_null(), value.is_missing()
    if missing is not None:
        column = F.when(missing, fit(missing_expr(), type_)).otherwise(column)
    if null is not None:
        column = F.when(null, fit(null_expr(), type_)).otherwise(column)
    return derive(type_, column, value, inner)


def _and(present: Column | None, value: Expr) -> Column:
    absent = value.is_absent()
    there = F.lit(True) if absent is None else ~absent
    return there if present is None else there & present


def _retype(inner: Expr, type_: t.Type) -> Expr:
    return inner.with_type(type_)


def _no_such(scope: Scope, value: Expr, message: str, where: Where) -> Expr:
    """A step that leads nowhere: wrong, but NULL or MISSING where the value is."""
    error = scope.wrong(message, where)
    absent = value.is_absent()
    if absent is None:
        if error is None:
            return missing_expr()
        return derive(_UNKNOWN, error.cast("variant"), value, throws=True)

    def apply(v: Expr) -> Expr:
        column = variants.missing() if error is None else error
        null, missing = v.is_null(), v.is_missing()
        if missing is not None:
            column = F.when(missing, variants.missing()).otherwise(column)
        if null is not None:
            column = F.when(null, variants.null()).otherwise(column)
        return derive(t.Null(missable=True) if error is None else _UNKNOWN, column, v, throws=error is not None)

    return scope.let([value], apply)


def quoted(name: str) -> str | None:
    """The path of a name for `variant_get`; None if the name cannot be written there."""
    if "'" not in name:
        return f"$['{name}']" if name else None
    return f'$["{name}"]' if '"' not in name else None


def _variant_attribute(scope: Scope, value: Expr, name: str, any_case: bool, where: Where) -> Expr:
    """An attribute of a variant. The direct lookup comes first; the other ways are tried only if it finds nothing."""
    column = value.column
    path = quoted(name)
    tags = may_be_tagged(value)
    ways = [F.try_variant_get(column, path, "variant")] if path else []
    ways.append(F.when(F.is_variant_null(column), column))
    objects = F.map_entries(cast_variant(column, "map<string,variant>"))
    if any_case or not path:
        ways.append(_first_entry(objects, name, any_case))
    pairs = F.when(variants.tag_of(column) == Kind.PAIRS, variants.pairs(column)) if tags else objects
    if tags:
        ways.append(_first_entry(pairs, name, False))
        if any_case:
            ways.append(_first_entry(pairs, name, True))
    result = F.coalesce(*ways)
    if scope.strict:
        result = F.coalesce(result, F.when(column.isNotNull(), scope.run.error(f"no attribute '{name}'", where)))
        entries = F.coalesce(pairs, objects) if tags else objects
        alike = F.filter(entries, lambda pair: _matches(pair["key"], F.lit(name), any_case))
        many = F.coalesce(F.array_size(alike) > 1, F.lit(False))
        result = F.when(many, scope.run.error(f"attribute '{name}' is ambiguous", where)).otherwise(result)
    return derive(_inner(value), result, value, cost=Depth.LARGE, throws=scope.strict)


def _inner(value: Expr) -> t.Type:
    """The type of the values inside a variant: inside JSON there is only JSON."""
    return JSON if value.type == JSON else _UNKNOWN


def _first_entry(entries: Column, name: str | Column, any_case: bool) -> Column:
    """The value of the first entry with the name."""
    wanted = F.lit(name) if isinstance(name, str) else name
    return F.get(F.filter(entries, lambda pair: _matches(pair["key"], wanted, any_case)), F.lit(0))["value"]


def _matches(key: Column, name: Column, any_case: bool) -> Column:
    return F.lower(key) == F.lower(name) if any_case else key == name


def _map_value(scope: Scope, value: Expr, name: str, any_case: bool, where: Where) -> Expr:
    assert isinstance(value.type, t.Map)
    keys: Column = F.map_keys(value.plain)
    key: Column = F.lit(name)
    if any_case:
        key = F.coalesce(F.get(F.filter(keys, lambda one: one == name), F.lit(0)), _like(keys, name))
    column = to_variant(F.try_element_at(value.plain, key), t.absent(value.type.value, nullable=False))
    there = F.coalesce(F.array_contains(keys, key), F.lit(False))
    error = scope.wrong("no such attribute", where)
    result = F.when(there, F.coalesce(column, variants.null())).otherwise(
        variants.missing() if error is None else error
    )
    null = value.is_null()
    if null is not None:
        result = F.when(null, variants.null()).otherwise(result)
    return derive(_UNKNOWN, result, value, cost=Depth.MEDIUM, throws=error is not None)


def _like(keys: Column, name: str) -> Column:
    """The first key that is the name in upper or lower case; SQL NULL if there is none."""
    return F.get(F.filter(keys, lambda one: F.lower(one) == name.lower()), F.lit(0))


def _computed_attribute(scope: Scope, value: Expr, key: Expr, any_case: bool, where: Where) -> Expr:
    """An attribute by a name that is known only at run time: search the entries."""

    def apply(v: Expr, k: Expr) -> Expr:
        name = view(scope, k, "text")
        entries = entries_of(scope, v)
        found = _first_entry(entries.column, name.value, False)
        if any_case:
            found = F.coalesce(found, _first_entry(entries.column, name.value, True))
        null = any_of(test for test in (v.is_null(), k.is_null()) if test is not None)
        missing = any_of(test for test in (v.is_missing(), k.is_missing()) if test is not None)
        error = scope.wrong("no attribute ", where, name.value)
        column = found if error is None else F.coalesce(found, error)
        if null is not None:
            column = F.when(null, variants.null()).otherwise(column)
        if missing is not None:
            column = F.when(~missing, column)
        return derive(_UNKNOWN, column, v, *name.parts, entries, cost=Depth.LARGE, throws=error is not None)

    return scope.let([value, key], apply)


# ---------------------------------------------------------------------------------------------------------------------
# By index


def _element(scope: Scope, value: Expr, key: Expr, where: Where) -> Expr:
    return scope.let([value, key], lambda v, k: _at(scope, v, k, where))


def _at(scope: Scope, value: Expr, key: Expr, where: Where) -> Expr:
    if value.type == JSON and type(key.constant) is int and key.constant >= 0 and not scope.run.strict:
        column = value.column
        item = F.try_variant_get(column, f"$[{key.constant}]", "variant")
        return derive(JSON, F.coalesce(item, F.when(F.is_variant_null(column), column)), value, cost=Depth.TINY)
    index = view(scope, key, "int")
    parts = [value, *index.parts]
    if isinstance(value.type, t.Array | t.Sexp) and not isinstance(value, Variant):
        array, element = value.plain, value.type.element
    elif isinstance(value, Variant) and not may_be_tagged(value):
        array, element = cast_variant(value.column, "array<variant>"), t.ANY
    elif isinstance(value, Variant):
        kind = scope.kind(value)
        parts.append(kind)
        listed = F.when(kind.column == Kind.ARRAY, cast_variant(value.column, "array<variant>"))
        array = F.coalesce(listed, F.when(kind.column == Kind.SEXP, variants.payload(value.column, "array<variant>")))
        element = t.ANY
    else:
        array, element = F.literal(None, "array<variant>"), t.ANY
    within = (index.value >= 0) & (index.value < F.array_size(array))
    item = F.get(array, F.when(within, index.value).cast("int"))
    item = variants.item(item) if isinstance(value, Variant) and may_be_tagged(value) else item
    null = any_of(test for test in (value.is_null(), key.is_null()) if test is not None)
    missing = any_of(test for test in (value.is_missing(), key.is_missing()) if test is not None)
    error = scope.wrong("no such element", where)
    throws = error is not None
    plain = not element.absent and null is None and not throws
    if plain and key.is_missing() is None and not isinstance(value, Variant):
        # Of an array that is MISSING there is no element either: Spark gives SQL NULL for both.
        return derive(t.absent(element, missable=True), item, *parts, cost=Depth.TINY)
    column = to_variant(item, element)
    column = F.when(within, column) if error is None else F.when(within, column).otherwise(error)
    if null is not None:
        column = F.when(null, variants.null()).otherwise(column)
    if missing is not None:
        column = F.when(~missing, column)
    type_ = _inner(value) if isinstance(value, Variant) else common_type((element, t.NULL, t.MISSING))
    return derive(type_, column, *parts, cost=Depth.MEDIUM, throws=throws)
