"""The shape of JSON lines, found by this process: for small files. Spark finds the shape of large ones."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from firesteel.tables.json_files import refuse_constant
from firesteel.tables.shapes.value_shapes import (
    LONG,
    MOST_FIELDS,
    MOST_NESTED,
    NOTHING,
    SHORT,
    Unknown,
    ValueShape,
    has_zeros,
    merge,
    merge_all,
)

_INT64 = range(-(1 << 63), 1 << 63)
_DIGITS = 38


#: An object has data for keys if it has at least so many different ones, which on average occur less often than so many
#: times.
MANY, SELDOM = 30, 3


def keys_of_open_objects(lines: Iterable[bytes]) -> frozenset[str]:
    """The keys of objects whose own keys are data, as far as these lines show it: `votes` of `{"votes": {"u4711": 1}}`.
    A key stands for all paths that end in it."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        try:
            values = [("", json.loads(line))] if line.strip() else []
        except (ValueError, RecursionError):
            continue
        while values:
            key, value = values.pop()
            if isinstance(value, dict):
                counts[key].update(value.keys())
                values.extend(value.items())
            elif isinstance(value, list):
                values.extend((key, item) for item in value if isinstance(item, dict | list))
    return frozenset(
        key for key, names in counts.items() if key and len(names) >= MANY and names.total() < SELDOM * len(names)
    )


def shape_of_lines(lines: Iterable[bytes], open_keys: frozenset[str] = frozenset()) -> ValueShape:
    """The shape of the values on these lines. Raises `Unknown` if a line is not one object, or repeats a key. The
    objects under `open_keys` have data for keys."""
    root = NOTHING
    for line in lines:
        try:
            text = line.decode("utf-8").strip(" \t\r\n")
            if text:
                value = _decoder.decode(text)
                if not isinstance(value, dict):
                    raise Unknown("a line is no object")
                root = merge(root, _shape(value, 0, "", open_keys))
        except (ValueError, RecursionError):
            raise Unknown("a line is not JSON") from None
    return root


def _shape(value: Any, depth: int, key: str, open_keys: frozenset[str]) -> ValueShape:
    if isinstance(value, ValueShape):
        return value
    if depth > MOST_NESTED:
        raise Unknown(f"values nest deeper than {MOST_NESTED} levels")
    if isinstance(value, dict):
        fields = {name: _shape(item, depth + 1, name, open_keys) for name, item in value.items()}
        if key in open_keys or len(fields) > MOST_FIELDS:
            zeros = any(map(has_zeros, fields.values()))
            return ValueShape(frozenset(("object",)), zeros=zeros, open=True, values=merge_all(fields.values()))
        return ValueShape(frozenset(("object",)), fields=fields)
    if isinstance(value, list):
        elements = [_shape(item, depth + 1, key, open_keys) for item in value]
        return ValueShape(frozenset(("array",)), element=merge_all(elements) if elements else None)
    return _SCALARS[type(value)]


_SCALARS = {
    bool: ValueShape(frozenset(("bool",))),
    str: ValueShape(frozenset(("string",))),
    type(None): ValueShape(null=True),
}
_SHORT = ValueShape(frozenset(("int",)), whole=SHORT)
_LONG = ValueShape(frozenset(("int",)), whole=LONG)
_WIDE = ValueShape(frozenset(("wide",)))
_FLOAT = ValueShape(frozenset(("float",)))


def _integer(text: str) -> ValueShape:
    if len(text.lstrip("-")) <= SHORT:
        return _SHORT
    return _LONG if len(text) <= 20 and int(text) in _INT64 else _WIDE


def _number(text: str) -> ValueShape:
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = "" if whole == "0" else whole
    if "e" in text.lower() or len(whole) + len(fraction) > _DIGITS:
        return _FLOAT
    return ValueShape(frozenset(("decimal",)), False, len(whole), len(fraction), fraction.endswith("0"))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unknown("an object repeats a key")
    return found


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_integer, parse_constant=refuse_constant
)
