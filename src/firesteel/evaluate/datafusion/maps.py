"""DataFusion's functions of maps."""

from __future__ import annotations

from collections.abc import Callable

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Struct, Value, key


def map_of(keys: list[Value] | None, found: list[Value] | None) -> Struct | None:
    """A map of a list of keys and a list of values."""
    if keys is None or found is None:
        return None
    if len(keys) != len(found):
        raise EvaluationError(f"map of {len(keys)} keys and {len(found)} values")
    if None in keys:
        raise EvaluationError("map: NULL for a key")
    if len({key(one) for one in keys}) != len(keys):
        raise EvaluationError("map: a key repeats")
    return Struct(zip(keys, found, strict=True))


def _from_entries(entries: list[Value]) -> Struct | None:
    if None in entries:
        return None
    pairs = [[item for _, item in one.pairs] for one in entries]
    return map_of([one[0] for one in pairs], [one[1] for one in pairs])


def _value(entries: Struct, wanted: Value) -> Value:
    return next((value for name, value in entries.pairs if key(name) == key(wanted)), None)


def _extract(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Struct | None, Value], list[Value] | None]:
    if isinstance(types[0], t.Null):
        return lambda entries, wanted: None
    return lambda entries, wanted: [None if entries is None else _value(entries, wanted)]


SCALARS: dict[str, Factory] = {
    "map": plain(map_of),
    "map_from_arrays": plain(map_of),
    "map_from_entries": plain(_from_entries),
    "map_extract": _extract,
    "map_keys": plain(lambda entries: [name for name, _ in entries.pairs]),
    "map_values": plain(lambda entries: [value for _, value in entries.pairs]),
    "map_entries": plain(lambda entries: [Struct([("key", name), ("value", value)]) for name, value in entries.pairs]),
}
