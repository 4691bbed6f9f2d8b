"""Equality and order, as `=` and `<` define them.

`=` is deep and takes anything. Within a container NULL and MISSING are the same, and a date is the timestamp of its
midnight; beyond that it is `values.key`. `<` and its kin compare like with like, by the total order.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal

from firesteel import values
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import COLLECTIONS, NUMBERS, TEXTS, kind
from firesteel.values import MISSING, Bag, Clob, Interval, Key, Struct, Time, Timestamp, Value, absent

_PLAIN = frozenset({int, str, bool})
_EXACT = frozenset({int, Decimal})
_MISSING_KEY = values.key(MISSING)[0]


def eq(a: Value, b: Value) -> bool | None:
    """Deep equality; NULL if either is absent."""
    if a is None or b is None or a is MISSING or b is MISSING:
        return None
    left, right = type(a), type(b)
    if left is right and left in _PLAIN:
        return bool(a == b)
    if left in _EXACT and right in _EXACT:
        return bool(a == b) or (a != a and b != b)  # NaN is equal to itself
    return equality_key(a) == equality_key(b)


def ne(a: Value, b: Value) -> bool | None:
    same = eq(a, b)
    return None if same is None else not same


def equality_key(value: Value) -> Key:
    """Equal for the values that are `=`."""
    if type(value) is datetime.date:
        value = _midnight(value)
    key = values.key(value)
    # A key is made of sorted pieces: what is the same has to be the same before they are sorted.
    return values.key(_without_missing(value)) if _MISSING_KEY in key else key


def _without_missing(value: Value) -> Value:
    def container(value: Value, inner: list[Value]) -> Value:
        if isinstance(value, Struct):
            return Struct(zip([name for name, _ in value.pairs], inner, strict=True))
        return Bag(inner) if isinstance(value, Bag) else inner

    return values.fold(value, lambda item: None if item is MISSING else item, container)


def _midnight(date: datetime.date) -> Timestamp:
    return Timestamp(date.year, date.month, date.day)


def _order_key(value: Value, other: Value) -> Key:
    """The sort key of a value; an error if the two values cannot be compared."""
    mine, others = type(value), type(other)
    if mine in NUMBERS and others in NUMBERS:
        return values.key(value)
    if mine in TEXTS and others in TEXTS:
        return values.key(text(value))
    if mine in _DAYS and others in _DAYS:
        return values.key(_midnight(value) if mine is datetime.date else value)
    if mine is others and mine in _ALIKE and (mine is not Interval or value.unit == other.unit):
        return values.key(value)
    raise Forgivable(f"cannot compare {kind(value)} and {kind(other)}")


_DAYS = frozenset({datetime.date, Timestamp})
_ALIKE = frozenset({bool, Time, Interval, bytes})


def text(value: str | Clob) -> str:
    """Text as text: a symbol acts as its name, a clob as what its octets say."""
    if isinstance(value, str):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Forgivable("the clob is not UTF-8") from None


def lt(a: Value, b: Value) -> bool:
    left, right = type(a), type(b)
    if (left in _EXACT and right in _EXACT and a == a and b == b) or (left is str and right is str):
        return bool(a < b)
    return _order_key(a, b) < _order_key(b, a)


def lte(a: Value, b: Value) -> bool:
    left, right = type(a), type(b)
    if (left in _EXACT and right in _EXACT and a == a and b == b) or (left is str and right is str):
        return bool(a <= b)
    return _order_key(a, b) <= _order_key(b, a)


def gt(a: Value, b: Value) -> bool:
    return lt(b, a)


def gte(a: Value, b: Value) -> bool:
    return lte(b, a)


COMPARISONS: dict[str, Callable[[Value, Value], bool | None]] = {
    "eq": eq,
    "ne": ne,
    "lt": lt,
    "lte": lte,
    "gt": gt,
    "gte": gte,
}


def extreme(better: Callable[[Value, Value], bool]) -> Callable[..., Value]:
    """The first of the values that no other one is better than. They are compared one after the other: behind an absent
    one the result is absent."""

    def apply(first: Value, *others: Value) -> Value:
        best = first
        for other in others:
            if absent(best) or absent(other):
                best = MISSING if MISSING in (best, other) else None
            elif better(other, best):
                best = other
        return best

    return apply


def between(value: Value, low: Value, high: Value) -> bool:
    # Both are compared, so that a bound of the wrong type is wrong whatever the other says.
    above, below = lte(low, value), lte(value, high)
    return above and below


def in_collection(value: Value, collection: Value) -> Value:
    """True if one element is `=`, else NULL if one might be, else false."""
    if absent(collection):
        return collection
    if type(collection) not in COLLECTIONS:
        raise Forgivable(f"IN takes collections, not {kind(collection)}")
    items = collection.items if isinstance(collection, Bag) else collection
    unknown = False
    for item in items:
        same = eq(value, item)
        if same:
            return True
        unknown = unknown or same is None
    return None if unknown else False


def nullif(a: Value, b: Value) -> Value:
    return None if eq(a, b) else a
