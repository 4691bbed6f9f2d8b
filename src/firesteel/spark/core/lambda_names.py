"""Names where there is no select: inside a lambda, and in the condition of an outer join.

A name there is the variable of a `transform` over an array of one. What is said of a JSON value (its text, its schema,
its kind) has a name too, if it is wanted: over a frame it would be a column, which is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr, again, truth
from firesteel.spark.core.variant_kinds import is_json
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants

if TYPE_CHECKING:
    from firesteel.spark.core.scope import Scope

Body = Callable[..., Expr]

#: What is said of variants, each of the one before: methods of a scope.
SAYINGS = ("json", "schema", "kind")


def let(scope: Scope, exprs: Sequence[Expr], body: Body) -> Expr:
    """The body, over names for the expressions. It is compiled with all that may be said of them, and once more with
    less if it did not want to hear it all."""
    heard = [set[str]() for _ in exprs]
    told = [SAYINGS if _worth_saying(scope, expr) else () for expr in exprs]

    def listened(*named: Expr) -> Expr:
        return body(*(replace(expr, heard=into) for expr, into in zip(named, heard, strict=True)))

    result = _saying(scope, exprs, told, listened if any(told) else body)
    used = [max((place for place, what in enumerate(SAYINGS, 1) if what in found), default=0) for found in heard]
    needed = [sayings[:last] for sayings, last in zip(told, used, strict=True)]
    if needed != told:
        result = _saying(scope, exprs, needed, body)
    if isinstance(result.type, t.Bool) and result.dynamic:
        return replace(result, truth=lambda: _saying(scope, exprs, needed, lambda *named: truth(body(*named))).column)
    return result


def _worth_saying(scope: Scope, expr: Expr) -> bool:
    """Is it worth a name what is said of this? Names take room."""
    return scope.run.limits.roomy and expr.dynamic and is_json(expr) and not expr.said


def _saying(scope: Scope, exprs: Sequence[Expr], told: Sequence[Sequence[str]], body: Body) -> Expr:
    """The body, over names for the expressions and for so much of what is said of each."""

    def then(named: Sequence[Expr], level: int) -> Expr:
        places = [place for place, sayings in enumerate(told) if len(sayings) > level]
        if not places:
            return body(*named)
        what = SAYINGS[level]

        def known(*found: Expr) -> Expr:
            said = dict(zip(places, found, strict=True))
            return then([e if i not in said else _told(e, what, said[i]) for i, e in enumerate(named)], level + 1)

        return _named([getattr(scope, what)(named[place]) for place in places], known)

    return _named(exprs, lambda *named: then(named, 0))


def _told(expr: Expr, what: str, found: Expr) -> Expr:
    return replace(expr, said={**expr.said, what: found})


def _named(exprs: Sequence[Expr], body: Body) -> Expr:
    """The body, over names for the expressions alone."""
    if all(expr.atomic for expr in exprs):
        return body(*exprs)
    parts: list[Column] = []
    packed = [_pack(expr, parts) for expr in exprs]
    found: list[Expr] = []

    def inside(row: Column) -> Column:
        found.append(body(*(unpack(row) for unpack in packed)))
        return found[-1].column

    column = variants.let(F.struct(*parts), inside)
    result = found[-1]
    height = 4 + max(result.height, *(expr.height for expr in exprs))
    throws = result.throws or any(expr.throws for expr in exprs)
    return Expr(result.type, column, stage=max(e.stage for e in exprs), height=height, throws=throws)


def _pack(expr: Expr, parts: list[Column]) -> Callable[[Column], Expr]:
    """Put an expression's columns among the parts of a struct; what comes back takes it out of the struct."""
    if expr.atomic:
        return lambda row: expr
    if expr.virtual:
        inner = [_pack(each, parts) for each in expr.fields]
        at = None
        if expr.present is not None:
            at = f"v{len(parts)}"
            parts.append(expr.present.alias(at))
        return lambda row: replace(
            expr,
            fields=tuple(unpack(row) for unpack in inner),
            present=None if at is None else row[at],
            atomic=True,
            height=0,
            throws=False,
        )
    names = [f"v{len(parts) + i}" for i, _ in enumerate(expr.columns)]
    parts.extend(column.alias(name) for column, name in zip(expr.columns, names, strict=True))
    return lambda row: replace(again(expr, [row[name] for name in names]), stage=expr.stage)
