"""The shape of the values in a file without a schema: what was found at each path.

    {"id": 1, "total": 12.5, "items": [{"sku": "S1"}]}
    {"id": 2, "total": 8, "note": null}

has the shape: objects with `id`, always an integer; `total`, always an integer or a decimal with one digit behind the
point; `items`, an array of such objects, sometimes absent; `note`, null or absent.

A shape is a fact about a file in one state (`FileState`). It says what occurs, not what may occur: a reader may rely on
it only while the file has not changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

#: The kinds of values in JSON, besides null. A `wide` number is an integer of more than 64 bits.
KINDS = ("bool", "int", "wide", "decimal", "float", "string", "array", "object")
#: An integer counts as one of so many digits, or of so many: its exact number of digits is of no use.
SHORT, LONG = 9, 19
#: An object with more different keys than this counts as one whose keys are data.
MOST_FIELDS = 1_000
#: Values that nest deeper have no shape.
MOST_NESTED = 40


class Unknown(Exception):
    """A file has no shape, for the reason in the message."""


@dataclass(frozen=True)
class ValueShape:
    """What was found at a path."""

    kinds: frozenset[str] = frozenset()
    #: Was there a null?
    null: bool = False
    #: The most digits of a number before the point, and behind it. Floats do not count.
    whole: int = 0
    places: int = 0
    #: Was there a decimal that ends in zero: `12.0`, `4.50`?
    zeros: bool = False
    fields: Mapping[str, ValueShape] = field(default_factory=dict)
    #: The names of fields that some of the objects do not have.
    optional: frozenset[str] = frozenset()
    #: Are the keys of the objects data? Then there are no `fields`, and the flags are those of all values inside.
    open: bool = False
    #: The shape of all values in such objects; None if that is not known.
    values: ValueShape | None = None
    #: The shape of the elements of arrays; None if there are none.
    element: ValueShape | None = None


NOTHING = ValueShape()
ANYTHING = ValueShape(frozenset(KINDS), null=True, zeros=True)


def merge(a: ValueShape, b: ValueShape) -> ValueShape:
    """The shape of values of which some have the one shape, and some the other."""
    if a is b or b == NOTHING:
        return a
    if a == NOTHING:
        return b
    fields = dict(a.fields)
    for name, shape in b.fields.items():
        fields[name] = merge(fields[name], shape) if name in fields else shape
    if a.open or b.open or len(fields) > MOST_FIELDS:
        return _opened(a, b)
    optional = a.optional | b.optional
    if "object" in a.kinds and "object" in b.kinds:
        optional |= a.fields.keys() ^ b.fields.keys()
    elements = [shape.element for shape in (a, b) if shape.element is not None]
    return ValueShape(
        a.kinds | b.kinds,
        a.null or b.null,
        max(a.whole, b.whole),
        max(a.places, b.places),
        a.zeros or b.zeros,
        fields,
        optional,
        element=merge_all(elements) if elements else None,
    )


def _opened(a: ValueShape, b: ValueShape) -> ValueShape:
    """The two shapes as one whose keys are data."""
    elements = [shape.element for shape in (a, b) if shape.element is not None]
    zeros = any(map(has_zeros, (a, b)))
    return ValueShape(
        a.kinds | b.kinds,
        a.null or b.null,
        max(a.whole, b.whole),
        max(a.places, b.places),
        zeros,
        open=True,
        values=_inner_values(a, b),
        element=merge_all(elements) if elements else None,
    )


def _inner_values(*shapes: ValueShape) -> ValueShape | None:
    """The shape of all values in the objects; None if that is not known."""
    found = [shape.values if shape.open else merge_all(shape.fields.values()) for shape in shapes]
    return None if None in found else merge_all(shape for shape in found if shape is not None)


def has_zeros(shape: ValueShape) -> bool:
    """Is there a decimal that ends in zero, at the path or further in?"""
    inner = [*shape.fields.values(), *([shape.element] if shape.element is not None else [])]
    return shape.zeros or any(map(has_zeros, inner))


def merge_all(shapes: Iterable[ValueShape]) -> ValueShape:
    """The shape of values of which each has one of these."""
    found = NOTHING
    for shape in shapes:
        found = merge(found, shape)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Shapes as JSON, to keep them


def to_json(shape: ValueShape) -> dict[str, Any]:
    """The shape as a value for `json.dumps`. What is empty or false is left out."""
    parts: dict[str, Any] = {
        "kinds": sorted(shape.kinds),
        "null": shape.null,
        "whole": shape.whole,
        "places": shape.places,
        "zeros": shape.zeros,
        "fields": {name: to_json(inner) for name, inner in shape.fields.items()},
        "optional": sorted(shape.optional),
        "open": shape.open,
        "values": None if shape.values is None else to_json(shape.values),
        "element": None if shape.element is None else to_json(shape.element),
    }
    return {name: part for name, part in parts.items() if part or (name in ("values", "element") and part is not None)}


def from_json(parts: Mapping[str, Any]) -> ValueShape:
    """The reverse of `to_json`. Raises TypeError, KeyError or ValueError for what is none."""
    shape = ValueShape(
        frozenset(parts.get("kinds", ())),
        bool(parts.get("null", False)),
        int(parts.get("whole", 0)),
        int(parts.get("places", 0)),
        bool(parts.get("zeros", False)),
        {str(name): from_json(inner) for name, inner in parts.get("fields", {}).items()},
        frozenset(parts.get("optional", ())),
        bool(parts.get("open", False)),
    )
    if not shape.kinds <= set(KINDS) or not shape.optional <= shape.fields.keys():
        raise ValueError("no shape")
    element, inner = parts.get("element"), parts.get("values")
    return replace(
        shape,
        element=None if element is None else from_json(element),
        values=None if inner is None else from_json(inner),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Files


class FileState(NamedTuple):
    """What changes when a file does. `ctime` cannot be set by a program, as `mtime` can."""

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, stat: os.stat_result) -> FileState:
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def file_state(path: Path) -> FileState:
    """The state of a file now."""
    return FileState.of(os.stat(path))


__all__ = [
    "ANYTHING",
    "KINDS",
    "LONG",
    "MOST_FIELDS",
    "MOST_NESTED",
    "NOTHING",
    "SHORT",
    "FileState",
    "Unknown",
    "ValueShape",
    "file_state",
    "from_json",
    "has_zeros",
    "merge",
    "merge_all",
    "to_json",
]
