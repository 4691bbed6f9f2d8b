"""Calls of Substrait's functions: NULL is seen to here for those that leave it to the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.evaluate.base import Env, RexClosure
from firesteel.evaluate.substrait import (
    calendars,
    casts,
    comparison,
    decimals,
    floats,
    integers,
    moments,
    patterns,
    text,
)
from firesteel.evaluate.substrait.aggregates import AGGREGATES, Aggregate
from firesteel.evaluate.substrait.integers import Factory
from firesteel.functions import substrait as standard
from firesteel.source import Place, Span
from firesteel.values import Value, from_python


def _numeric(name: str) -> Factory:
    """A function of integers that gives one, else of floats."""

    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
        whole = isinstance(fn.returns, t.Integer) and name in integers.SCALARS
        return (integers.SCALARS if whole else floats.SCALARS)[name](fn, types)

    return factory


SCALARS: dict[str, Factory] = {
    **{f"arithmetic:{name}": _numeric(name) for name in {**integers.SCALARS, **floats.SCALARS}},
    **{f"unsigned_integers:{name}": integers.SCALARS[name] for name in ("add", "subtract", "multiply", "divide")},
    **floats.LOGARITHMS,
    **decimals.SCALARS,
    **decimals.ROUNDING,
    **comparison.SCALARS,
    **text.SCALARS,
    **patterns.SCALARS,
    **moments.SCALARS,
    **calendars.SCALARS,
    "expression:cast": casts.factory,
}


def _registered(name: str) -> Factory | None:
    """A function that somebody has registered: what it raises is an error of the query's."""
    found = standard.registered(name)
    function = None if found is None else found.function
    if function is None:
        return None

    def guarded(*args: Value) -> Value:
        try:
            return from_python(function(*args))
        except FiresteelError:
            raise
        except Exception as error:
            raise EvaluationError(f"function '{name}': {type(error).__name__}: {error}") from error

    return lambda fn, types: guarded


def _types(fn: p.Fn) -> tuple[t.Type, ...]:
    return tuple(param.type for param in fn.params)


def closure(node: p.Call, row: functions.Function, args: Sequence[RexClosure]) -> RexClosure:
    """A scalar call."""
    factory = SCALARS.get(row.name) or _registered(row.name)
    if factory is None:
        reason = standard.UNSUPPORTED.get(row.name, "the reference evaluator does not know it")
        raise UnsupportedError(f"function '{row.name}': {reason}", where=node.where)
    try:
        function = factory(node.fn, _types(node.fn))
    except FiresteelError as error:
        raise error.located(node.where) from None
    where, propagates = node.where, row.propagates

    def call(env: Env) -> Value:
        given = [arg(env) for arg in args]
        if propagates and None in given:
            return None
        try:
            return function(*given)
        except FiresteelError as error:
            error.located(where)
            raise
        except (ArithmeticError, ValueError, OverflowError, MemoryError) as error:
            raise EvaluationError(f"function '{row.name}': {error}", where=where) from None

    return call


def aggregating(fn: p.Fn, where: Span | Place | None) -> Aggregate:
    """An aggregate of the arguments of every row."""
    factory = AGGREGATES.get(fn.name)
    if factory is None:
        raise UnsupportedError(f"aggregate function '{fn.name}': the reference evaluator does not know it", where=where)
    return factory(fn, _types(fn))
