"""Comparison, logic, lists and sets: what PartiQL's functions do not say the same way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Interval, Key, Struct, Value, key


def _plain(operation: Callable[..., Any]) -> Factory:
    return lambda fn, types: operation


def order(value: Value) -> Key:
    """Values of one type in order: NULL first, lists and structs by their elements."""
    if isinstance(value, Interval):
        return ((value.months, value.nanos),)
    if isinstance(value, Struct):
        return key([item for _, item in value.pairs])
    return key(value)


def same(a: Value, b: Value) -> bool | None:
    """Equality: NULL if either is; NULL is the same as itself inside of others."""
    return None if a is None or b is None else key(a) == key(b)


def _compared(test: Callable[[Key, Key], bool]) -> Factory:
    return _plain(lambda a, b: test(order(a), order(b)))


def _and_not(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is True:
        return False
    return None if a is None or b is None else True


def _all(*args: bool | None) -> bool | None:
    if any(one is False for one in args):
        return False
    return None if any(one is None for one in args) else True


def _any(*args: bool | None) -> bool | None:
    if any(one is True for one in args):
        return True
    return None if any(one is None for one in args) else False


def _least(*args: Value) -> Value:
    return min(args, key=order)


def _greatest(*args: Value) -> Value:
    return max(args, key=order)


def _skipping(operation: Callable[..., Value]) -> Factory:
    def apply(*args: Value) -> Value:
        present = [one for one in args if one is not None]
        return operation(*present) if present else None

    return _plain(apply)


def _index_in(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[Value, list[Value] | None], int | None]:
    unlike = fn.choice("nan_equality") == "NAN_IS_NOT_NAN"

    def apply(needle: Value, haystack: list[Value] | None) -> int | None:
        if needle is None or haystack is None or (unlike and isinstance(needle, float) and math.isnan(needle)):
            return None
        wanted = key(needle)
        return next((i for i, one in enumerate(haystack) if one is not None and key(one) == wanted), None)

    return apply


def _sort(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[list[Value]], list[Value]]:
    direction = fn.choice("direction") or "ASC_NULLS_FIRST"

    def apply(items: list[Value]) -> list[Value]:
        absent = [None] * sum(one is None for one in items)
        present = sorted((one for one in items if one is not None), key=order, reverse=direction.startswith("DESC"))
        return absent + present if direction.endswith("FIRST") else present + absent

    return apply


def _at_most(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[int, int], bool]:
    what = "a record of more than {} bytes" if fn.choice("unit") == "BYTES" else "more than {} records"

    def apply(count: int, most: int) -> bool:
        if count > most:
            raise EvaluationError(what.format(most))
        return True

    return apply


def _element(items: list[Value], at: int) -> Value:
    return items[at] if -len(items) <= at < len(items) else None


def _map_value(entries: Struct, wanted: Value) -> Value:
    return next((value for name, value in entries.pairs if key(name) == key(wanted)), None)


def _map_entry(entries: Struct | None, wanted: Value, value: Value) -> Struct | None:
    if entries is None:
        return None
    return Struct([(wanted, value)] if any(key(name) == key(wanted) for name, _ in entries.pairs) else [])


def _map(*parts: Value) -> Struct:
    """A map of keys and values; of a key that repeats the last counts."""
    if any(name is None for name in parts[::2]):
        raise EvaluationError("map: NULL for a key")
    return Struct({parts[i]: parts[i + 1] for i in range(0, len(parts), 2)}.items())


SCALARS: dict[str, Factory] = {
    "boolean:and": _plain(_all),
    "boolean:or": _plain(_any),
    "boolean:and_not": _plain(_and_not),
    "boolean:xor": _plain(lambda a, b: a is not b),
    "boolean:not": _plain(lambda a: not a),
    "comparison:equal": _plain(same),
    "comparison:not_equal": _plain(lambda a, b: not same(a, b)),
    "comparison:is_not_distinct_from": _plain(lambda a, b: key(a) == key(b)),
    "comparison:is_distinct_from": _plain(lambda a, b: key(a) != key(b)),
    **{
        f"{stem}:{name}": _compared(test)
        for stem in ("comparison", "datetime")
        for name, test in (
            ("lt", lambda a, b: a < b),
            ("lte", lambda a, b: a <= b),
            ("gt", lambda a, b: a > b),
            ("gte", lambda a, b: a >= b),
        )
    },
    "comparison:between": _plain(lambda a, low, high: order(low) <= order(a) <= order(high)),
    "comparison:is_true": _plain(lambda a: a is True),
    "comparison:is_not_true": _plain(lambda a: a is not True),
    "comparison:is_false": _plain(lambda a: a is False),
    "comparison:is_not_false": _plain(lambda a: a is not False),
    "comparison:is_null": _plain(lambda a: a is None),
    "comparison:is_not_null": _plain(lambda a: a is not None),
    "comparison:is_nan": _plain(math.isnan),
    "comparison:is_finite": _plain(math.isfinite),
    "comparison:is_infinite": _plain(math.isinf),
    "comparison:nullif": _plain(lambda a, b: None if same(a, b) else a),
    "comparison:coalesce": _plain(lambda *args: next((one for one in args if one is not None), None)),
    "comparison:least": _plain(_least),
    "comparison:least_skip_null": _skipping(_least),
    "comparison:greatest": _plain(_greatest),
    "comparison:greatest_skip_null": _skipping(_greatest),
    "set:index_in": _index_in,
    "list:cardinality": _plain(len),
    "list:sort": _sort,
    "expression:any_true": _plain(lambda items: _any(*items)),
    "expression:all_true": _plain(lambda items: _all(*items)),
    "expression:at_most": _at_most,
    "expression:list_element": _plain(_element),
    "expression:map_value": _plain(_map_value),
    "expression:map_entry": _plain(_map_entry),
    "expression:map": _plain(_map),
}
