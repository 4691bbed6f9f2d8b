"""Fitting data to a declared schema: the casts and the names that turn a column into the type that a plan declares.

A column is cast only where nothing can be lost, otherwise it is an error. Example: a column `int32` fits a declared
`int64`; a struct's fields are matched by name.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError
from firesteel.node import drive
from firesteel.plan import build
from firesteel.plan.type_fit import lossless, narrower, shaped_alike
from firesteel.rules import NameRule, TypeRule
from firesteel.source import Place


def fit(rex: p.Rex, declared: t.Type, name: str, where: Place) -> p.Rex:
    """A column of the data as the plan declares it: cast where nothing can be lost, else an error that names it.

    Fields of a struct inside match by their names, as columns do, or, where none is known by its name, by their places.
    """
    found: p.Rex = drive(_fitting, rex, declared, name, where)
    return found


def _fitting(rex: p.Rex, declared: t.Type, name: str, where: Place) -> p.Rex | Generator[Any, Any, p.Rex]:
    given = rex.type
    if given.missable:
        rex = _present(rex)
    if isinstance(given, t.Any | t.Union | t.Unresolved) or (isinstance(given, t.Struct) and given.open):
        return _cast(rex, declared)
    plain, wanted = t.proper(given), t.proper(declared)
    if plain == wanted or isinstance(given, t.Null):
        return rex
    if isinstance(plain, t.Struct) and isinstance(wanted, t.Struct):
        return _fitting_struct(rex, plain, wanted, name, where)
    if isinstance(plain, t.Array) and isinstance(wanted, t.Array):
        return _fitting_array(rex, plain, wanted, name, where)
    if narrower(plain, wanted):  # a value that does not fit is an error at run time
        return build.substrait_cast(rex, t.absent(declared, nullable=given.nullable), failure="READ").at(where)
    if not lossless(plain, wanted):
        raise TypeRule.TABLE_TYPE.broken(
            f"column '{name}' is a {plain}, and the plan declares it as a {wanted}",
            where=where,
            help="a column is cast where nothing can be lost; register the table with a column of that type",
        )
    if shaped_alike(plain, wanted):
        return rex
    return _cast(rex, t.absent(declared, nullable=given.nullable))


def _fitting_struct(
    rex: p.Rex, given: t.Struct, wanted: t.Struct, name: str, where: Place
) -> Generator[Any, Any, p.Rex]:
    old = _matching_fields(given, wanted, name, where)
    parts = [attribute(rex, one) for one in old]
    made: list[p.Rex] = []
    for part, field in zip(parts, wanted.fields, strict=True):
        made.append((yield part, field.type, f"{name}.{field.name}", where))
    if old == [field.name for field in given.fields] and all(a is b for a, b in zip(parts, made, strict=True)):
        return rex
    pairs = zip((field.name or "" for field in wanted.fields), made, strict=True)
    return unless_null(rex, build.struct(pairs))


def _matching_fields(given: t.Struct, wanted: t.Struct, name: str, where: Place) -> list[str]:
    """The names in the data of the fields that a struct declares."""
    known = [field.name or "" for field in given.fields]
    exact = [field.name for field in wanted.fields if field.name in known]
    found: list[str] = []
    for field in wanted.fields:
        folded = (field.name or "").lower()
        alike = [one for one in known if one.lower() == folded]
        if field.name in known or len(alike) == 1:
            found.append(field.name if field.name in known else alike[0])
        elif not alike and not exact and not found and len(known) == len(wanted.fields):
            return known
        else:
            raise TypeRule.TABLE_TYPE.broken(f"column '{name}' has no field '{field.name}'", where=where)
    return found


def _fitting_array(rex: p.Rex, given: t.Array, wanted: t.Array, name: str, where: Place) -> Generator[Any, Any, p.Rex]:
    element = p.Var(given.element, 0)
    made = yield element, wanted.element, f"{name}[]", where
    return rex if made is element else unless_null(rex, build.select(made, p.Scan(rex), t.Array))


def _present(rex: p.Rex) -> p.Rex:
    """The value with MISSING replaced by NULL, because Substrait has no MISSING."""
    type_ = t.absent(rex.type, nullable=True, missable=False)
    if isinstance(type_, t.Missing):
        return p.Lit(t.NULL, None)
    if isinstance(type_, t.Any):
        return rex
    return p.Case(type_, None, (p.Branch(build.call("is_missing", rex), p.Lit(t.NULL, None)),), default=rex)


def _cast(rex: p.Rex, type_: t.Type) -> p.Rex:
    return build.call("cast", rex, type_)


def as_declared(rel: p.Rel, schema: t.Schema, where: Place) -> p.Rel:
    """A relation with the columns that are declared for it, by their places."""
    given = len(p.schema(rel))
    if given != len(schema):
        raise NameRule.WRITE_NAMES.broken(f"{given} columns, where {len(schema)} are declared", where=where)
    exprs = []
    for i, field in enumerate(schema):
        fitting = fit(build.column(rel, i), field.type, field.name or "", where)
        exprs.append(rename_fields(fitting, field.type) if not isinstance(fitting.type, t.Null | t.Any) else fitting)
    return p.Project(tuple(exprs), rel, names=tuple(field.name or "" for field in schema)).at(where)


# ---------------------------------------------------------------------------------------------------------------------
# Names on what is nested


def rename_fields(rex: p.Rex, type_: t.Type) -> p.Rex:
    """The value with the names of the type on the fields inside of it, by position."""
    found: p.Rex = drive(_renaming, rex, type_)
    return found


def _renaming(rex: p.Rex, type_: t.Type) -> p.Rex | Generator[Any, Any, p.Rex]:
    if names_of(rex.type) == names_of(type_):
        return rex
    if isinstance(rex, p.Lit):
        return p.Lit(t.absent(type_, nullable=rex.type.nullable), rename_value_fields(rex.value, type_))
    return _renaming_nested(rex, type_)


def _renaming_nested(rex: p.Rex, type_: t.Type) -> Generator[Any, Any, p.Rex]:
    if isinstance(type_, t.Struct) and isinstance(rex.type, t.Struct):
        pairs: list[tuple[str | p.Rex, p.Rex]] = []
        for old, new in zip(rex.type.fields, type_.fields, strict=True):
            inner = attribute(rex, old.name or "")
            pairs.append((new.name or "", (yield inner, new.type)))
        return unless_null(rex, build.struct(pairs))
    if isinstance(type_, t.Array) and isinstance(rex.type, t.Array):
        element = p.Var(rex.type.element, 0)
        inner = yield element, type_.element
        return unless_null(rex, build.select(inner, p.Scan(rex), t.Array))
    raise PlanError(f"names do not fit a {rex.type}", where=rex.where)


def named_like(type_: t.Type, other: t.Type) -> t.Type:
    """The type with the names of another on the fields inside of it, by position, as far as both are nested alike."""
    found: t.Type = drive(_naming_like, type_, other)
    return found


def _naming_like(type_: t.Type, other: t.Type) -> t.Type | Generator[Any, Any, t.Type]:
    return _naming_like_nested(type_, other) if isinstance(type_, t.Struct | t.Array | t.Map) else type_


def _naming_like_nested(type_: t.Type, other: t.Type) -> Generator[Any, Any, t.Type]:
    match type_, other:
        case t.Struct(), t.Struct() if len(type_.fields) == len(other.fields):
            fields = []
            for mine, theirs in zip(type_.fields, other.fields, strict=True):
                fields.append(t.Field(theirs.name, (yield mine.type, theirs.type)))
            return type_.replace(fields=tuple(fields))
        case t.Array(), t.Array():
            return type_.replace(element=(yield type_.element, other.element))
        case t.Map(), t.Map():
            key = yield type_.key, other.key
            return type_.replace(key=key, value=(yield type_.value, other.value))
    return type_


def names_of(type_: t.Type) -> tuple[Any, ...]:
    """All field names inside a type, in order. Used to see whether two types differ in names."""
    out: list[Any] = []
    stack = [type_]
    while stack:
        one = stack.pop()
        if isinstance(one, t.Struct):
            out.extend(field.name for field in one.fields)
            stack.extend(field.type for field in reversed(one.fields))
        elif isinstance(one, t.Collection):
            stack.append(one.element)
        elif isinstance(one, t.Map):
            stack += [one.value, one.key]
    return tuple(out)


def rename_value_fields(value: values.Value, type_: t.Type) -> values.Value:
    """A value with the names of the type on the fields inside of it, by position."""
    found: values.Value = drive(_renaming_value, value, type_)
    return found


def _renaming_value(value: values.Value, type_: t.Type) -> values.Value | Generator[Any, Any, values.Value]:
    nested = isinstance(value, values.Struct | list) and isinstance(type_, t.Struct | t.Array)
    return _renaming_inner(value, type_) if nested else value


def _renaming_inner(value: values.Value, type_: t.Type) -> Generator[Any, Any, values.Value]:
    if isinstance(type_, t.Struct) and isinstance(value, values.Struct):
        pairs = []
        for (_, inner), field in zip(value.pairs, type_.fields, strict=True):
            pairs.append((field.name or "", (yield inner, field.type)))
        return values.Struct(pairs)
    assert isinstance(type_, t.Array)
    made = []
    for item in value:
        made.append((yield item, type_.element))
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Parts that lowering uses too


def attribute(root: p.Rex, name: str) -> p.Rex:
    """The field of a struct. Of data without a schema it may be left out."""
    known = root.type.field(name) if isinstance(root.type, t.Struct) and not root.type.open else None
    if known is None or known.missable:
        return build.path(root, p.Key(build.lit(name), optional=True))
    if root.type.absent:
        return build.path(root, name)
    return p.Path(known, root, (p.Key(p.Lit(t.STRING, name)),))


def unless_null(rex: p.Rex, made: p.Rex) -> p.Rex:
    """`made`, but NULL where the value that it is made of is NULL."""
    if not rex.type.nullable:
        return made
    null = p.Lit(t.absent(made.type, nullable=True), None)
    branch = p.Branch(build.call("is_null", rex), null)
    return p.Case(t.absent(made.type, nullable=True), None, (branch,), default=made)
