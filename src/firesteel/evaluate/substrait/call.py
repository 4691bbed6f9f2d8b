"""Calls of Substrait functions. NULL arguments are handled here for functions whose result is NULL then."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cmp_to_key
from types import UnionType

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.evaluate import datafusion
from firesteel.evaluate.base import Env, RexClosure
from firesteel.evaluate.kinds import kind
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
from firesteel.values import MISSING, Interval, Struct, Time, Timestamp, Value, from_python, items


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
    "expression:ranks": lambda fn, _: _ranks(fn),
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
    factory = SCALARS.get(row.name) or datafusion.SCALARS.get(row.name) or _registered(row.name)
    if factory is None:
        reason = standard.UNSUPPORTED.get(row.name, "the reference evaluator does not know it")
        raise UnsupportedError(f"function '{row.name}': {reason}", where=node.where)
    try:
        function = factory(node.fn, _types(node.fn))
    except FiresteelError as error:
        raise error.located(node.where) from None
    where, propagates = node.where, row.propagates
    params = [one.type for one in node.fn.params if isinstance(one, p.ValueParam)]
    pairs = enumerate(zip(node.values, params, strict=False))
    dynamic = [(i, param) for i, (arg, param) in pairs if standard.by_name.is_open(arg.type)]

    def call(env: Env) -> Value:
        given = [_null_if_missing(arg(env)) for arg in args]
        for i, param in dynamic:
            _ensure(given[i], param, row.name, where)
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


def comparison_of(fn: p.Fn, where: Span | Place | None) -> tuple[Callable[[Value, Value], int], bool]:
    """A registered function that compares two values, for sorting; and whether it is given NULL too."""
    factory, row = _registered(fn.name), functions.find(fn.name)
    if factory is None or row is None:
        raise UnsupportedError(f"an order by the function '{fn.name}': it has no form in Python", where=where)
    function = factory(fn, _types(fn))

    def compare(a: Value, b: Value) -> int:
        try:
            found = function(a, b)
        except FiresteelError as error:
            raise error.located(where) from None
        if type(found) is not int:
            raise EvaluationError(f"'{fn.name}' compares to {kind(found)}, not to an integer", where=where)
        return found

    return compare, not row.propagates


def _ranks(fn: p.Fn) -> Callable[[Value], Value]:
    """The values of a collection, each with its rank by the comparison function that is chosen. Values that compare as
    equal share a rank. NULL has none, unless the function is given NULL too."""
    compare, takes_null = comparison_of(fn.replace(name=fn.choice("comparator") or ""), None)

    def apply(given: Value) -> Value:
        found: list[Value] = [None if value is MISSING else value for value in items(given) or []]
        ordered = sorted((one for one in found if takes_null or one is not None), key=cmp_to_key(compare))
        made: list[Value] = [Struct([("v", one), ("r", None)]) for one in found if one is None and not takes_null]
        rank = 0
        for i, one in enumerate(ordered):
            rank += bool(i) and compare(ordered[i - 1], one) != 0
            made.append(Struct([("v", one), ("r", rank)]))
        return made

    return apply


def _null_if_missing(value: Value) -> Value:
    """Substrait has no MISSING: to its functions it is NULL."""
    return None if value is MISSING else value


#: The classes of the values of a type.
_CLASSES: tuple[tuple[type[t.Type] | UnionType, type], ...] = (
    (t.Bool, bool),
    (t.Integer | t.UserDefined, int),
    (t.Decimal, Decimal),
    (t.Float32 | t.Float64, float),
    (t.Text | t.Uuid, str),
    (t.Octets, bytes),
    (t.Date, datetime.date),
    (t.Time, Time),
    (t.Timestamp, Timestamp),
    (t.Interval, Interval),
    (t.Array, list),
    (t.Struct | t.Map, Struct),
)


def _ensure(value: Value, type_: t.Type, name: str, where: Span | Place | None) -> None:
    """EvaluationError if a value that could have been anything is not of a parameter's type."""
    wanted = next((cls for known, cls in _CLASSES if isinstance(type_, known)), object)
    if value is not None and not (isinstance(value, wanted) and isinstance(value, bool) <= (wanted in (bool, object))):
        raise EvaluationError(f"'{name}' takes {type_}, not {kind(value)}", where=where)


def aggregate_of(fn: p.Fn, where: Span | Place | None) -> Aggregate:
    """An aggregate of the arguments of every row."""
    factory = AGGREGATES.get(fn.name) or datafusion.AGGREGATES.get(fn.name)
    if factory is None:
        raise UnsupportedError(f"aggregate function '{fn.name}': the reference evaluator does not know it", where=where)
    combine, types = factory(fn, _types(fn)), _types(fn)

    def apply(rows: Sequence[Sequence[Value]]) -> Value:
        made = [tuple([_null_if_missing(value) for value in row]) for row in rows]
        for row in made:
            for value, type_ in zip(row, types, strict=False):
                _ensure(value, type_, fn.name, where)
        return combine(made)

    return apply
