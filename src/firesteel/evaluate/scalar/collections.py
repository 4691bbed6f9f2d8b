"""Functions on collections and structs."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import COLLECTIONS
from firesteel.evaluate.relations import aggregates
from firesteel.evaluate.scalar.compare import eq
from firesteel.values import Bag, Key, Sexp, Struct, Value, absent, items, key


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


def position(array: list[Value], value: Value) -> int:
    return next((i for i, item in enumerate(array, 1) if eq(item, value)), 0)


def concat(*collections: Value) -> list[Value]:
    return [item for collection in collections for item in collection]


def flatten(collection: Value) -> list[Value]:
    """The elements of the elements; an element that is no collection stays."""
    return [inner for item in collection for inner in (item if type(item) in COLLECTIONS else (item,))]


def sort(collection: Value) -> list[Value]:
    return sorted(collection, key=lambda item: (absent(item), () if absent(item) else key(item)))


def slice_(array: list[Value], start: int, length: int) -> list[Value]:
    """As SUBSTRING: the part that lies in positions `start` up to `start + length`, wherever those are."""
    if length < 0:
        raise Forgivable("a slice cannot have a negative length")
    return list(array[max(start - 1, 0) : max(start + length - 1, 0)])


def entries(struct: Struct) -> list[tuple[str, Value]]:
    """The attributes in the order of their names. A struct has no order of its own."""
    return sorted(((name, value) for name, value in struct.pairs), key=lambda pair: pair[0])


def map_entries(struct: Struct) -> list[Value]:
    return [Struct([("key", name), ("value", value)]) for name, value in entries(struct)]


def to_index(value: int) -> int:
    if value.bit_length() > 63:
        raise Forgivable("no array is that long")
    return value
