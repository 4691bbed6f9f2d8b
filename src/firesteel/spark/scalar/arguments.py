"""How a call treats NULL, MISSING and values of the wrong type: written once, for all functions that propagate them.

An argument of the wrong type is an error in strict mode and gives MISSING in permissive mode, even beside an absent
one. Otherwise one MISSING argument gives MISSING, and one NULL argument NULL. Otherwise the function is computed, over
plain columns. Docstrings in this folder call such values "wrong": an error if strict, else MISSING.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column

from firesteel import types as t
from firesteel.functions.catalog import FAMILIES as TYPES
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import EXTRACTED, any_of, extract, one_of
from firesteel.spark.numbers import exact_decimals
from firesteel.spark.time.moments import interval, moment

#: Makes the plain column of the result from plain columns; SQL NULL where an argument is.
Native = Callable[..., Column]


def propagate_absent(
    type_: t.Type, value: Column, args: Sequence[Expr], *, throws: bool = False, cost: int = 1
) -> Expr:
    """The value, SQL NULL where an argument is absent: that means MISSING if an argument is MISSING, else NULL. If the
    type is nullable, the value may be NULL for other reasons too."""
    nullable = type_.nullable or any(arg.type.nullable for arg in args)
    missable = any(arg.type.missable for arg in args)
    missing = any_of(test for test in (arg.is_missing() for arg in args) if test is not None)
    type_ = t.absent(type_, nullable=nullable, missable=missable)
    return derive(type_, value, *args, missing=missing if nullable else None, throws=throws, cost=cost)


def wrong_type(scope: Scope, type_: t.Type, args: Sequence[Expr], message: str, where: Where) -> Expr:
    """The result for arguments of the wrong types; if one is absent, the result is NULL or MISSING as usual."""
    error = scope.wrong(message, where)
    absent = any_of(test for test in (arg.is_absent() for arg in args) if test is not None)
    nothing = F.literal(None, cast_type(type_))
    throws = error is not None
    if absent is None:
        value = nothing if error is None else error.cast(cast_type(type_))
        return derive(t.absent(type_, missable=True), value, *args, throws=throws)
    value = nothing if error is None else F.when(~absent, error).otherwise(nothing)
    # Do not mark an error as MISSING, too: IS MISSING around the value would then hide the error.
    lost = ~absent if error is None else None
    missing = any_of(test for test in (lost, *(arg.is_missing() for arg in args)) if test is not None)
    full = t.absent(type_, nullable=True, missable=missing is not None)
    return derive(full, value, *args, missing=missing, throws=throws)


@dataclass(frozen=True)
class View:
    """An argument as a plain column of its parameter's family; SQL NULL where it is absent or of another family."""

    expr: Expr
    value: Column
    #: True where it is present and of another family; None if that cannot be.
    misfit: Column | None = None
    kind: Expr | None = None
    #: Other expressions that the value depends on.
    more: tuple[Expr, ...] = ()

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.expr, *self.more) if self.kind is None else (self.expr, self.kind, *self.more)


#: The static types of families that are plain columns. Any number may be read as a float.
_TYPES: dict[str, tuple[type[t.Type], ...]] = {**TYPES, "float": (t.Number,), "octets or text": ()}

#: The families whose values are read as structs (`moments.py`).
MOMENTS = ("date", "time", "timestamp", "day", "moment")
STRUCTS = (*MOMENTS, "interval", "temporal", "number")


def view(scope: Scope, expr: Expr, family: str, where: Where = None) -> View:
    """Read an argument by the family of its parameter. Bind a variant first: it is mentioned often."""
    if family in STRUCTS:
        return _struct_view(scope, expr, family, where)
    if family in ("collection", "list"):
        return _array_view(scope, expr, family)
    if family == "any":
        return View(expr, expr.column)
    spark_type, _ = EXTRACTED[family]
    if isinstance(expr.type, t.Null | t.Missing):
        return View(expr, F.literal(None, spark_type))
    if isinstance(expr, Variant):
        kind = scope.kind(expr)
        misfit = F.coalesce(~one_of(kind.column, *FAMILIES[family], Kind.VOID), F.lit(False))
        return View(expr, extract(expr.column, kind.column, family), misfit, kind)
    if isinstance(expr.type, _TYPES[family]):
        return View(expr, expr.plain.cast(spark_type) if family in ("int", "text", "float") else expr.plain)
    absent = expr.is_absent()
    said = column_expr(t.STRING, F.lit(str(t.proper(expr.type))), atomic=True)
    return View(expr, F.literal(None, spark_type), F.lit(True) if absent is None else ~absent, said)


def _struct_view(scope: Scope, expr: Expr, family: str, where: Where) -> View:
    """A moment, an interval or a number as a struct."""
    struct = _STRUCTS.get(family, moment)(scope, expr, where)
    kinds, known = FAMILIES[family], possible_kinds(expr)
    if known is not None and not known - set(kinds):
        return View(expr, struct.column, more=(struct,))
    if known is not None and not known & set(kinds):
        absent = expr.is_absent()
        said = column_expr(t.STRING, F.lit(str(t.proper(expr.type))), atomic=True)
        return View(expr, struct.column, F.lit(True) if absent is None else ~absent, said, (struct,))
    kind = scope.kind(expr)
    misfit = F.coalesce(~one_of(kind.column, *kinds, Kind.VOID), F.lit(False))
    return View(expr, struct.column, misfit, kind, (struct,))


def _array_view(scope: Scope, expr: Expr, family: str) -> View:
    """The elements of a collection as an array; of an unknown collection they are variants."""
    if isinstance(expr, Variant):
        kind = scope.kind(expr)
        misfit = F.coalesce(~one_of(kind.column, *FAMILIES[family], Kind.VOID), F.lit(False))
        return View(expr, variants.elements(expr.column, kind.column), misfit, kind)
    if isinstance(expr.type, _TYPES[family]):
        return View(expr, expr.plain)
    absent = expr.is_absent()
    nothing = F.literal(None, "array<variant>")
    if isinstance(expr.type, t.Null | t.Missing):
        return View(expr, nothing)
    said = column_expr(t.STRING, F.lit(str(t.proper(expr.type))), atomic=True)
    return View(expr, nothing, F.lit(True) if absent is None else ~absent, said)


def _temporal(scope: Scope, expr: Expr, where: Where) -> Expr:
    """A struct of both readings, as a moment and as an interval; at most one is not NULL."""
    m, i = moment(scope, expr, where), interval(scope, expr, where)
    pair = F.struct(m.column.alias("moment"), i.column.alias("interval"))
    return derive(t.ANY, F.when(m.column.isNotNull() | i.column.isNotNull(), pair), m, i, cost=Depth.TINY)


_STRUCTS = {"interval": interval, "temporal": _temporal, "number": exact_decimals.number}


def call(
    scope: Scope,
    name: str,
    args: Sequence[Expr],
    families: Sequence[str],
    native: Native,
    type_: t.Type,
    where: Where,
    *,
    partial: str = "",
    throws: bool = False,
    cost: int = 2,
) -> Expr:
    """A call of a function that propagates NULL and MISSING, with arguments of these families. If `partial` is given,
    the function may return SQL NULL for arguments that it has no result for, and this is the message."""

    def apply(*given: Expr) -> Expr:
        views = [view(scope, expr, family, where) for expr, family in zip(given, families, strict=True)]
        structs = [derive(t.ANY, v.value, *v.parts) for v, f in zip(views, families, strict=True) if f in STRUCTS]
        if not structs:
            return compute(views)
        return scope.let(structs, lambda *named: compute(_with_names(views, families, named)))

    def compute(views: Sequence[View]) -> Expr:
        value = native(*(v.value for v in views))
        if not partial:
            return _combine(scope, name, views, value, type_, where, families, throws)
        parts = [part for v in views for part in v.parts]
        raw = derive(t.absent(type_, nullable=True), value, *parts, throws=throws, cost=cost)
        return scope.let([raw], lambda found: check(found, views))

    def check(found: Expr, views: Sequence[View]) -> Expr:
        there = found.column if form(type_) is Form.VARIANT else found.plain
        failed = there.isNull()
        for v in views:
            if v.expr.type.absent or v.misfit is not None:
                failed = failed & v.value.isNotNull()
        error = scope.wrong(partial, where)
        value = there if error is None else F.when(failed, error).otherwise(there)
        failing = View(found.with_type(t.proper(type_)), there, failed)
        return _combine(scope, name, [*views, failing], value, type_, where, families, throws or error is not None)

    often = partial or any(isinstance(arg, Variant) or arg.type.absent for arg in args) or set(families) & set(STRUCTS)
    return scope.let(args, apply) if often else apply(*args)


def _with_names(views: Sequence[View], families: Sequence[str], named: Sequence[Expr]) -> list[View]:
    """The views, with structs replaced by the names that they are bound to."""
    names = iter(named)
    renamed = []
    for v, family in zip(views, families, strict=True):
        struct = next(names) if family in STRUCTS else None
        renamed.append(v if struct is None else replace(v, value=struct.column, more=(struct,)))
    return renamed


def _combine(
    scope: Scope,
    name: str,
    views: Sequence[View],
    value: Column,
    type_: t.Type,
    where: Where,
    families: Sequence[str],
    throws: bool,
) -> Expr:
    args = [v.expr for v in views]
    misfits = [v.misfit for v in views if v.misfit is not None]
    if not misfits and form(type_) is not Form.VARIANT:
        parts = [part for v in views for part in v.parts]
        result = propagate_absent(type_, value, args, throws=throws, cost=Depth.TINY)
        return result.with_place(stage=max(part.place.stage for part in parts))
    for v, family in zip(views, families, strict=False):
        if v.misfit is not None and v.kind is not None:
            error = scope.wrong(f"{name} takes {family}, not ", where, v.kind.column)
            if error is not None:
                value, throws = F.when(v.misfit, error).otherwise(value), True
    nullable = type_.nullable or any(arg.type.nullable for arg in args)
    missing = any_of(test for test in (arg.is_missing() for arg in args) if test is not None)
    wrong = any_of(misfits)
    if scope.run.strict and wrong is not None:  # the error of a wrong argument comes before MISSING
        missing = None if missing is None else missing & ~wrong
    elif wrong is not None:
        missing = wrong if missing is None else missing | wrong
    full = t.absent(type_, nullable=nullable, missable=missing is not None)
    parts = [part for v in views for part in v.parts]
    if form(type_) is not Form.VARIANT:
        return derive(full, value, *parts, missing=missing if nullable else None, throws=throws, cost=Depth.MEDIUM)
    null = any_of(test for test in (arg.is_null() for arg in args) if test is not None)
    if null is not None:
        value = F.when(null if wrong is None else null & ~wrong, variants.null()).otherwise(value)
    if missing is not None:
        value = F.when(~missing, value)
    return derive(full, value, *parts, throws=throws, cost=Depth.MEDIUM)
