"""What NULL, MISSING and values of the wrong type make of a call: written once, for all functions that propagate.

A present argument that is not of its parameter's family is wrong, even beside an absent one; else MISSING in any gives
MISSING, else NULL in any gives NULL; else the function is asked, with plain columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import types as t
from firesteel.functions.catalog import FAMILIES as TYPES
from firesteel.spark.dynamic import EXTRACTED, FAMILIES, any_of, extract, one_of
from firesteel.spark.encoding import to_spark
from firesteel.spark.expr import Expr, made
from firesteel.spark.scope import Scope, Where

#: Given plain columns, the plain column of the result: SQL NULL where an argument is.
Native = Callable[..., Column]


def propagated(type_: t.Type, value: Column, args: Sequence[Expr], *, throws: bool = False, cost: int = 1) -> Expr:
    """A value that is SQL NULL just where an argument is absent: MISSING if one is, else NULL."""
    nullable = any(arg.type.nullable for arg in args)
    missable = any(arg.type.missable for arg in args)
    missing = any_of(test for test in (arg.is_missing() for arg in args) if test is not None)
    type_ = t.absent(type_, nullable=nullable, missable=missable)
    return made(type_, value, *args, missing=missing if nullable else None, throws=throws, cost=cost)


def wrong_type(scope: Scope, type_: t.Type, args: Sequence[Expr], message: str, where: Where) -> Expr:
    """Arguments that do not go together; an absent one gives what it gives."""
    error = scope.wrong(message, where)
    absent = any_of(test for test in (arg.is_absent() for arg in args) if test is not None)
    nothing = F.lit(None).cast(to_spark(type_))
    throws = error is not None
    if absent is None:
        value = nothing if error is None else error.cast(to_spark(type_))
        return made(t.absent(type_, missable=True), value, *args, throws=throws)
    value = nothing if error is None else F.when(~absent, error).otherwise(nothing)
    missing = any_of([~absent, *(test for test in (arg.is_missing() for arg in args) if test is not None)])
    return made(t.absent(type_, nullable=True, missable=True), value, *args, missing=missing, throws=throws)


@dataclass(frozen=True)
class View:
    """An argument as its parameter wants it: a plain column that is SQL NULL where there is nothing right in it."""

    expr: Expr
    value: Column
    #: Where it is present and wrong; None if that cannot be.
    misfit: Column | None = None
    kind: Expr | None = None

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.expr,) if self.kind is None else (self.expr, self.kind)


def view(scope: Scope, expr: Expr, family: str) -> View:
    """An argument, by the family of its parameter; a dynamic one is mentioned often, so give it a name first."""
    spark_type, _ = EXTRACTED[family]
    if isinstance(expr.type, t.Null | t.Missing):
        return View(expr, F.lit(None).cast(spark_type))
    if expr.dynamic:
        kind = scope.kind(expr)
        misfit = F.coalesce(~one_of(kind.column, *FAMILIES[family], "VOID"), F.lit(False))
        return View(expr, extract(expr.column, kind.column, family), misfit, kind)
    if isinstance(expr.type, TYPES[family]):
        return View(expr, expr.plain.cast(spark_type) if family in ("int", "text") else expr.plain)
    absent = expr.is_absent()
    said = Expr(t.STRING, F.lit(str(t.proper(expr.type))), atomic=True)
    return View(expr, F.lit(None).cast(spark_type), F.lit(True) if absent is None else ~absent, said)


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
) -> Expr:
    """A function that propagates, of arguments of these families. `partial` is the message for a SQL NULL of its own:
    the arguments fit and are wrong all the same."""

    def apply(*given: Expr) -> Expr:
        views = [view(scope, expr, family) for expr, family in zip(given, families, strict=True)]
        value = native(*(v.value for v in views))
        if not partial:
            return _combine(scope, name, views, value, type_, where, families, throws)
        parts = [part for v in views for part in v.parts]
        raw = made(t.absent(type_, nullable=True), value, *parts, throws=throws)
        return scope.let([raw], lambda found: checked(found, views))

    def checked(found: Expr, views: Sequence[View]) -> Expr:
        failed = found.plain.isNull()
        for v in views:
            if v.expr.type.absent or v.misfit is not None:
                failed = failed & v.value.isNotNull()
        error = scope.wrong(partial, where)
        value = found.plain if error is None else F.when(failed, error).otherwise(found.plain)
        failing = View(found.renamed(t.proper(type_)), found.plain, failed)
        return _combine(scope, name, [*views, failing], value, type_, where, families, throws or error is not None)

    often = partial or any(arg.dynamic or arg.type.absent for arg in args)
    return scope.let(args, apply) if often else apply(*args)


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
    if not misfits:
        return propagated(type_, value, args, throws=throws, cost=2)
    for v, family in zip(views, families, strict=False):
        if v.misfit is not None and v.kind is not None:
            error = scope.wrong(f"{name} takes {family}, not ", where, v.kind.column)
            if error is not None:
                value, throws = F.when(v.misfit, error).otherwise(value), True
    nullable = any(arg.type.nullable for arg in args)
    missing = any_of([*misfits, *(test for test in (arg.is_missing() for arg in args) if test is not None)])
    full = t.absent(type_, nullable=nullable, missable=True)
    parts = [part for v in views for part in v.parts]
    return made(full, value, *parts, missing=missing if nullable else None, throws=throws, cost=6)
