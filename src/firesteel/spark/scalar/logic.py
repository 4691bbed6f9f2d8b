"""Kleene's logic, where MISSING counts as NULL, and the functions that choose among their arguments.

Operands are evaluated from left to right until one decides the result: `false AND 1` is false, `1 AND false` is wrong.
An operand that is no boolean is wrong only if it is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.conversions import as_present, choose
from firesteel.spark.core.expr import Depth, Expr, Split, Variant, derive, missing_expr, null_expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.variants import any_of
from firesteel.spark.scalar.arguments import View, view
from firesteel.spark.scalar.compare import compare, equal

_NULLABLE = t.absent(t.BOOL, nullable=True)


def _is_boolean(expr: Expr) -> bool:
    return not isinstance(expr, Variant) and isinstance(expr.type, t.Bool | t.Null | t.Missing)


def _boolean(expr: Expr) -> Column:
    return expr.plain if isinstance(expr.type, t.Bool) else F.literal(None, "boolean")


def balanced(columns: Sequence[Column], conjunction: bool) -> Column:
    """AND or OR of all columns, as a balanced tree, which nests less deep than a chain."""
    level = list(columns)
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [(p[0] & p[1] if conjunction else p[0] | p[1]) if len(p) == 2 else p[0] for p in pairs]
    return level[0]


def kleene(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    """`and`, `or`. Spark's own do for booleans; only operands that may be no booleans need more."""
    conjunction = name == "and"
    if all(_is_boolean(arg) for arg in args):
        absent = any(arg.type.absent for arg in args)
        column = balanced([_boolean(arg) for arg in args], conjunction)
        return derive(t.absent(t.BOOL, nullable=absent), column, *args, cost=max(1, len(args).bit_length()))

    def apply(*given: Expr) -> Expr:
        views = [view(scope, arg, "bool") for arg in given]
        parts = [part for v in views for part in v.parts]
        result = balanced([v.value for v in views], conjunction)
        if all(v.misfit is None for v in views):
            return derive(_NULLABLE, result, *parts)
        decisive, wrong = _decisive_and_wrong(views, conjunction)
        error = scope.wrong(f"{name.upper()} takes booleans", where)
        column = result if error is None else F.when(wrong, error).otherwise(result)
        column = F.when(decisive, F.lit(not conjunction)).otherwise(column)
        if error is not None:
            return derive(_NULLABLE, column, *parts, cost=Depth.MEDIUM, throws=True)
        full = t.absent(t.BOOL, nullable=True, missable=True)
        return derive(full, column, *parts, missing=wrong & ~decisive, cost=Depth.MEDIUM)

    return scope.let(args, apply)


def _decisive_and_wrong(views: Sequence[View], conjunction: bool) -> tuple[Column, Column]:
    """Two tests: does an operand decide the result before one is wrong, and is any wrong?"""
    wrong: Column = F.lit(False)
    decisive: Column = F.lit(False)
    for v in views:
        decided = F.coalesce(v.value == F.lit(not conjunction), F.lit(False))
        decisive = decisive | (decided & ~wrong)
        if v.misfit is not None:
            wrong = wrong | v.misfit
    return decisive, wrong


def negate(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    (a,) = args
    if _is_boolean(a):
        return derive(t.absent(t.BOOL, nullable=a.type.absent), ~_boolean(a), a)

    def apply(given: Expr) -> Expr:
        v = view(scope, given, "bool")
        misfit = v.misfit if v.misfit is not None else F.lit(False)
        error = scope.wrong("NOT takes booleans", where)
        if error is not None:
            return derive(_NULLABLE, F.when(misfit, error).otherwise(~v.value), *v.parts, cost=Depth.SMALL, throws=True)
        full = t.absent(t.BOOL, nullable=True, missable=True)
        return derive(full, ~v.value, *v.parts, missing=misfit, cost=Depth.SMALL)

    return scope.let([a], apply)


def is_truth(truth: bool) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """IS TRUE, IS FALSE. An absent value is neither; a value that is no boolean is wrong."""

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        if _is_boolean(args[0]):
            return derive(t.BOOL, _boolean(args[0]).eqNullSafe(F.lit(truth)), args[0])
        return scope.let(args, lambda arg: test(scope, arg, where))

    def test(scope: Scope, arg: Expr, where: Where) -> Expr:
        v = view(scope, arg, "bool")
        held = v.value.eqNullSafe(F.lit(truth))
        if v.misfit is None:
            return derive(t.BOOL, held, *v.parts, cost=Depth.TINY)
        error = scope.wrong(f"IS {str(truth).upper()} takes booleans", where)
        if error is not None:
            return derive(t.BOOL, F.when(v.misfit, error).otherwise(held), *v.parts, cost=Depth.SMALL, throws=True)
        return derive(t.absent(t.BOOL, missable=True), F.when(~v.misfit, held), *v.parts, cost=Depth.SMALL)

    return build


def is_null(scope: Scope, args: Sequence[Expr], _: Where) -> Expr:
    return _test(scope, args[0].is_absent(), args[0])


def is_missing(scope: Scope, args: Sequence[Expr], _: Where) -> Expr:
    (arg,) = args
    test = arg.is_missing()
    if scope.strict and isinstance(arg, Split):
        test = arg.plain.isNull() & arg.missing  # evaluate the value first: it may raise an error
    return _test(scope, test, arg)


def _test(scope: Scope, column: Column | None, arg: Expr) -> Expr:
    """A test for absence; None if it is never absent. A value that may raise an error is evaluated all the same."""
    if column is None and scope.strict and arg.place.throws:
        column = arg.column.isNull() & arg.column.isNotNull()  # always false, but Catalyst cannot tell
    return derive(t.BOOL, F.lit(False) if column is None else column, arg)


def coalesce(scope: Scope, args: Sequence[Expr], _: Where) -> Expr:
    """The first present argument; if all are absent, NULL if one is NULL, else MISSING."""
    certain = next((i for i, arg in enumerate(args) if not arg.type.absent), None)
    if certain is not None:
        *before, last = args[: certain + 1]
        return scope.let(before, lambda *given: _first_present(given, last))
    return scope.let(args, lambda *given: _first_present(given, _absent(given)))


def _first_present(args: Sequence[Expr], default: Expr) -> Expr:
    present = [arg for arg in args if not isinstance(arg.type, t.Null | t.Missing)]
    conditions = []
    for arg in present:
        absent = arg.is_absent()
        assert absent is not None
        conditions.append(derive(t.BOOL, ~absent, arg))
    return choose(conditions, [*map(as_present, present), default])


def _absent(args: Sequence[Expr]) -> Expr:
    """NULL if one of the (absent) arguments is NULL, else MISSING."""
    if not all(arg.type.missable for arg in args):
        return null_expr()
    if not any(arg.type.nullable for arg in args):
        return missing_expr()
    nulls = any_of(test for test in (arg.is_null() for arg in args) if test is not None)
    assert nulls is not None
    return derive(t.Null(missable=True), F.when(nulls, variants.null()), *args)


def nullif(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """NULLIF: the first argument, or NULL if both are equal."""

    def apply(a: Expr, b: Expr) -> Expr:
        same = equal(scope, a, b, where)
        return choose([same], [null_expr(), a])

    return scope.let(args, apply)


def extreme(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """`greatest` or `least`: one after the other, the better of two, which have to compare."""
    better = "gt" if name == "greatest" else "lt"

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        return reduce(lambda best, other: scope.let([best, other], partial(_better, scope, better, where)), args)

    return build


def _better(scope: Scope, name: str, where: Where, a: Expr, b: Expr) -> Expr:
    """The second if it compares so with the first, else the first; NULL and MISSING as the comparison says."""

    def chosen(held: Expr) -> Expr:
        missing, null = held.is_missing(), held.is_null()
        tests = [(test, made) for test, made in ((missing, missing_expr()), (null, null_expr())) if test is not None]
        conditions = [derive(t.BOOL, test, held) for test, _ in tests]
        return choose([*conditions, held], [*(made for _, made in tests), b, a])

    return scope.let([compare(scope, name, b, a, where)], chosen)
