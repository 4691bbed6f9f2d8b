"""Names where there is no select: inside a lambda, and in the condition of an outer join.

A name there is the variable of a `transform` over an array of one. Facts about a JSON value (its text, its schema, its
kind) have names too, if they are used: over a frame each would be a column, which is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.conversions import truth
from firesteel.spark.core.expr import Columns, Expr, Placement, StructParts, Variant, column_expr
from firesteel.spark.core.variant_kinds import is_json
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants

if TYPE_CHECKING:
    from firesteel.spark.core.scope import Scope

Body = Callable[..., Expr]

#: Facts about a variant, each made of the one before it: methods of a scope.
FACTS = ("json", "schema", "kind")


def let(scope: Scope, exprs: Sequence[Expr], body: Body) -> Expr:
    """The body, over names for the expressions. It is compiled with names for all facts, and once more with fewer if it
    did not use them all."""
    used = [set[str]() for _ in exprs]
    offered = [FACTS if _deserves_facts(scope, expr) else () for expr in exprs]

    def noting_use(*named: Expr) -> Expr:
        return body(*(_note_use(expr, into) for expr, into in zip(named, used, strict=True)))

    result = _with_facts(scope, exprs, offered, noting_use if any(offered) else body)
    last = [max((i for i, fact in enumerate(FACTS, 1) if fact in each), default=0) for each in used]
    needed = [facts[:count] for facts, count in zip(offered, last, strict=True)]
    if needed != offered:
        result = _with_facts(scope, exprs, needed, body)
    if isinstance(result.type, t.Bool) and isinstance(result, Variant):
        as_truth = lambda *named: truth(body(*named))  # noqa: E731
        return replace(result, truth=lambda: _with_facts(scope, exprs, needed, as_truth).column)
    return result


def _note_use(expr: Expr, used: set[str]) -> Expr:
    return replace(expr, used=used) if isinstance(expr, Variant) else expr


def _deserves_facts(scope: Scope, expr: Expr) -> bool:
    """Should facts about it get names? Every name nests the expression deeper."""
    return scope.run.limits.roomy and isinstance(expr, Variant) and is_json(expr) and not expr.facts


def _with_facts(scope: Scope, exprs: Sequence[Expr], facts: Sequence[Sequence[str]], body: Body) -> Expr:
    """The body, over names for the expressions and for these facts about each."""

    def with_fact(named: Sequence[Expr], level: int) -> Expr:
        places = [place for place, wanted in enumerate(facts) if len(wanted) > level]
        if not places:
            return body(*named)
        fact = FACTS[level]

        def inside(*values: Expr) -> Expr:
            by_place = dict(zip(places, values, strict=True))
            return with_fact([_add_fact(e, fact, by_place.get(i)) for i, e in enumerate(named)], level + 1)

        return _with_names([getattr(scope, fact)(named[place]) for place in places], inside)

    return _with_names(exprs, lambda *named: with_fact(named, 0))


def _add_fact(expr: Expr, fact: str, value: Expr | None) -> Expr:
    if value is None:
        return expr
    assert isinstance(expr, Variant)
    return replace(expr, facts={**expr.facts, fact: value})


def _with_names(exprs: Sequence[Expr], body: Body) -> Expr:
    """The body, over names for the expressions, without facts."""
    if all(expr.place.atomic for expr in exprs):
        return body(*exprs)
    parts: list[Column] = []
    unpackers = [_pack(expr, parts) for expr in exprs]
    results: list[Expr] = []

    def inside(row: Column) -> Column:
        results.append(body(*(unpack(row) for unpack in unpackers)))
        return results[-1].column

    column = variants.let(F.struct(*parts), inside)
    result = results[-1]
    height = 4 + max(result.place.height, *(expr.place.height for expr in exprs))
    throws = result.place.throws or any(expr.place.throws for expr in exprs)
    return column_expr(result.type, column, stage=max(e.place.stage for e in exprs), height=height, throws=throws)


def _pack(expr: Expr, parts: list[Column]) -> Callable[[Column], Expr]:
    """Put an expression's columns among the parts of a struct; what comes back takes it out of the struct."""
    if expr.place.atomic:
        return lambda row: expr
    if isinstance(expr, StructParts):
        inner = [_pack(each, parts) for each in expr.fields]
        at = None
        if expr.present is not None:
            at = f"v{len(parts)}"
            parts.append(expr.present.alias(at))
        return lambda row: replace(
            expr,
            fields=tuple(unpack(row) for unpack in inner),
            present=None if at is None else row[at],
            place=replace(expr.place, atomic=True, height=0, throws=False),
        )
    assert isinstance(expr, Columns)
    names = [f"v{len(parts) + i}" for i, _ in enumerate(expr.columns)]
    parts.extend(column.alias(name) for column, name in zip(expr.columns, names, strict=True))
    place = Placement(stage=expr.place.stage, atomic=True)
    return lambda row: replace(expr.with_columns([row[name] for name in names]), place=place)
