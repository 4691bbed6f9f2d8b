"""Functions on collections and structs."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.relations import aggregates
from firesteel.values import Bag, Key, Sexp, Struct, Value, items, key


def struct_concat(*structs: Struct) -> Struct:
    return Struct([pair for struct in structs for pair in struct.pairs])


def exists(value: Value) -> bool:
    return bool(items(value))


def distinct(values: list[Value]) -> list[Value]:
    """The first of those that are deeply equal."""
    first: dict[Key, Value] = {}
    for value in values:
        first.setdefault(key(value), value)
    return list(first.values())


def filter_distinct(collection: Value) -> Value:
    found = distinct(list(collection))
    if isinstance(collection, list):
        return Sexp(found) if isinstance(collection, Sexp) else found
    return Bag(found)


def aggregate_collection(name: str) -> Callable[[Value], Value]:
    """An aggregate of the elements of a collection."""
    combine = aggregates.AGGREGATES[name]
    return lambda collection: combine(list(collection))


def to_index(value: int) -> int:
    if value.bit_length() > 63:
        raise Forgivable("no array is that long")
    return value
