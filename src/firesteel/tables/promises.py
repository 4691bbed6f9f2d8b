"""What the owner of a table promises of it: the order of its rows, and how they are distributed over partitions.

    ordered_by=["city", "born desc nulls first", ("name", "clustered")], partitioned_by=["address.zip"]

The promise is about the rows of each partition. Nothing is read here: whether it is true is checked when the table is
read, if a session is to verify properties.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firesteel import types as t
from firesteel.errors import AnalysisError

#: What a user may give as a column of an order: "a", "b.c desc", or ("a", "desc", "nulls first").
OrderedColumn = str | Sequence[str]
#: What stands for a table that has one partition.
SINGLETON = "singleton"


@dataclass(frozen=True)
class PromisedColumn:
    """A column, or a field of it, that rows are ordered by. If it is `clustered`, equal values are side by side, and
    nothing is known of their order."""

    path: tuple[str, ...]
    descending: bool = False
    nulls_first: bool = False
    clustered: bool = False


@dataclass(frozen=True)
class Promise:
    """An order and a distribution. `partitioned` are columns, or fields of columns: rows with equal values in all of
    them are in the same partition. `singleton`: there is one partition."""

    order: tuple[PromisedColumn, ...] = ()
    partitioned: tuple[tuple[str, ...], ...] = ()
    singleton: bool = False


def promise_of(
    type_: t.Type,
    ordered_by: str | Sequence[OrderedColumn] | None,
    partitioned_by: str | Sequence[str] | None,
) -> Promise | None:
    """The promise that a user makes of a table of this type; None if it says nothing."""
    order = tuple(_ordered(one, type_) for one in _listed(ordered_by, "ordered_by"))
    _ensure_once([one.path for one in order], "ordered_by")
    if partitioned_by == SINGLETON:
        return Promise(order, singleton=True)
    partitioned = tuple(_path(one, type_, "partitioned_by") for one in _listed(partitioned_by, "partitioned_by"))
    _ensure_once(list(partitioned), "partitioned_by")
    return Promise(order, partitioned) if order or partitioned else None


def _listed(given: object, option: str) -> list[object]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Sequence):
        raise AnalysisError(f"{option} is a list of columns, not a {type(given).__name__}", help=_EXAMPLE[option])
    return list(given)


_EXAMPLE = {
    "ordered_by": "say ordered_by=['a', 'b.c desc', 'd desc nulls first', 'e clustered']",
    "partitioned_by": "say partitioned_by=['a', 'b.c'], or partitioned_by='singleton'",
}


def _ensure_once(paths: list[tuple[str, ...]], option: str) -> None:
    twice = next((path for i, path in enumerate(paths) if path in paths[:i]), None)
    if twice is not None:
        raise AnalysisError(f"{option} names '{'.'.join(twice)}' twice")


# ---------------------------------------------------------------------------------------------------------------------
# Orders

_ENDING = re.compile(r"(?:\s+(asc|desc|clustered))?(?:\s+nulls\s+(first|last))?\s*\Z", re.I)


def _ordered(given: object, type_: t.Type) -> PromisedColumn:
    """A column with its direction. In a tuple the first item is the name of the column, whatever words are in it."""
    parts = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
    if not parts or not all(isinstance(part, str) for part in parts):
        raise AnalysisError(f"ordered_by takes the name of a column, not {given!r}", help=_EXAMPLE["ordered_by"])
    name, *words = map(str, parts)
    text = " ".join(["", *words])
    if isinstance(given, str):
        split = _first_match(name)
        name, text = name[:split], name[split:]
    found = _ENDING.match(text)
    if found is None:
        raise AnalysisError(f"no order '{text.strip()}' of '{name}'", help=_EXAMPLE["ordered_by"])
    direction, nulls = (word.lower() if word else None for word in found.groups())
    if direction == "clustered" and nulls:
        raise AnalysisError(f"'{name}' is clustered: its NULLs may be anywhere", help=_EXAMPLE["ordered_by"])
    descending = direction == "desc"
    return PromisedColumn(
        _path(name.strip(), type_, "ordered_by"),
        descending,
        nulls_first=descending if nulls is None else nulls == "first",  # as ORDER BY has it in PartiQL
        clustered=direction == "clustered",
    )


def _first_match(text: str) -> int:
    """Where the words after the name of a column begin."""
    found = _ENDING.search(text)
    assert found is not None
    return found.start()


# ---------------------------------------------------------------------------------------------------------------------
# Columns


def _path(given: object, type_: t.Type, option: str) -> tuple[str, ...]:
    """The names that lead to a column or a field, in the table's own spelling. Data without a schema may have any."""
    if not isinstance(given, str) or not given.strip():
        raise AnalysisError(f"{option} takes the name of a column, not {given!r}", help=_EXAMPLE[option])
    at = type_.element if isinstance(type_, t.Collection) else type_
    names: list[str] = []
    rest: str | None = given
    while rest is not None:
        name, rest = _step(at, rest)
        found = at.field(name) if isinstance(at, t.Struct) else None
        if found is None and isinstance(at, t.Struct) and not at.open:
            known = ", ".join(field.name or "?" for field in at.fields) or "none"
            raise AnalysisError(f"{option} names '{given}', and there is no '{name}'", help=f"there is {known}")
        if found is None and not isinstance(at, t.Struct | t.Any | t.Union):
            where = ".".join(names)
            said = f"'{where}' is a {at}" if names else f"its rows are {at}"
            raise AnalysisError(f"{option} names '{given}', and {said}, which has no fields")
        names.append(name)
        at = found or t.ANY
    return tuple(names)


def _step(type_: t.Type, text: str) -> tuple[str, str | None]:
    """The next name of a path, and what follows. A field may have dots in its name, or be spelled in another case."""
    fields = [field.name or "" for field in type_.fields] if isinstance(type_, t.Struct) else []
    for end in sorted({len(text), *(i for i, char in enumerate(text) if char == ".")}, reverse=True):
        alike = [name for name in fields if name.lower() == text[:end].lower()]
        exact = text[:end] in fields
        if exact or len(alike) == 1:
            return text[:end] if exact else alike[0], text[end + 1 :] if end < len(text) else None
    name, dot, rest = text.partition(".")
    return name, rest if dot else None
