"""The columns of rows that are shown: their names, their types, and which rows there are."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice

from firesteel import types as t
from firesteel import values
from firesteel.explain.rows.cells import cell, printable, shortened
from firesteel.values import Value

#: A name or a type is cut to so many places of a terminal.
NAME, TYPE = 60, 24


@dataclass(frozen=True)
class Column:
    """A column: its values, MISSING where a row has none."""

    name: str
    type: str
    items: Sequence[Value]
    is_text: bool

    @cached_property
    def is_number(self) -> bool:
        """Are there numbers in it, and nothing else but NULL and MISSING?"""
        there = [item for item in self.items if not values.absent(item)]
        return bool(there) and all(
            isinstance(item, int | float | Decimal) and not isinstance(item, bool) for item in there
        )

    @cached_property
    def is_rigid(self) -> bool:
        """Are there only values that would be read as others if they were cut: numbers, dates?"""
        return all(not isinstance(item, str | bytes) and values.items(item) is None for item in self.items)

    def text(self, number: int, width: int | None) -> str:
        """The text of the value in the row of that number."""
        return cell(self.items[number], width, is_text=self.is_text)

    def texts(self, width: int | None) -> list[str]:
        """The texts of all values."""
        return [self.text(number, width) for number in range(len(self.items))]


@dataclass(frozen=True)
class Grid:
    """The rows that are shown, by columns. `more` says that there are others."""

    columns: Sequence[Column]
    size: int
    more: bool

    @property
    def count(self) -> str:
        """How many rows there are, in words."""
        if self.more:
            return f"(the first {self.size:,} rows; there are more)"
        return f"({self.size:,} row{'' if self.size == 1 else 's'})"

    @property
    def typed(self) -> bool:
        """Is the type of any column known?"""
        return any(column.type for column in self.columns)


def grid_of(rows: Iterable[Value], type_: t.Type = t.ANY, limit: int | None = None) -> Grid:
    """The first rows, as many as the limit says; one more is looked at, to know whether there are others. The columns
    that the type of a row names come first, in that order; others in the order in which they are found. A value that is
    no struct is in the column `_1`, and a name that a struct has twice is two columns."""
    shown = list(islice(rows, None if limit is None else limit + 1))
    more = limit is not None and len(shown) > limit
    shown = shown[:limit]
    known = _declared(type_)
    keys = grid_keys(shown, type_)
    found = [numbered(row) for row in shown]
    if not isinstance(type_, t.Struct | t.Any):
        known[("_1", 0)] = type_
    return Grid(
        [
            Column(
                shortened(printable(key[0]) or '""', NAME),
                _type_name(known.get(key)),
                [row.get(key, values.MISSING) for row in found],
                isinstance(known.get(key), t.Text),
            )
            for key in keys
        ],
        len(shown),
        more,
    )


def grid_keys(rows: Iterable[Value], type_: t.Type) -> list[tuple[str, int]]:
    """The columns of rows: those that the type names, then others as they are found."""
    keys = dict.fromkeys(_declared(type_))
    for row in rows:
        keys.update(dict.fromkeys(numbered(row)))
    return list(keys)


def _declared(type_: t.Type) -> dict[tuple[str, int], t.Type]:
    known: dict[tuple[str, int], t.Type] = {}
    for field in type_.fields if isinstance(type_, t.Struct) else ():
        known[column_key(field.name or "", known)] = field.type
    return known


def column_key(name: str, taken: Container[tuple[str, int]]) -> tuple[str, int]:
    """What tells columns apart: the name, and a number if it is taken."""
    number = 0
    while (name, number) in taken:
        number += 1
    return name, number


def numbered(row: Value) -> dict[tuple[str, int], Value]:
    """The attributes of a row by their names; the second of a name has the number 1."""
    if not isinstance(row, values.Struct):
        return {("_1", 0): row}
    found = {(name, 0): item for name, item in row.pairs}
    if len(found) == len(row.pairs):
        return found
    seen: dict[str, int] = {}
    found = {}
    for name, item in row.pairs:
        number = seen[name] = seen.get(name, -1) + 1
        found[name, number] = item
    return found


def _type_name(type_: t.Type | None) -> str:
    """The type of a column for its head: without what is inside, and whether it may be absent."""
    if type_ is None or isinstance(type_, t.Any | t.Null | t.Missing | t.Unresolved):
        return ""
    if isinstance(type_, t.Union):
        return shortened("|".join(filter(None, map(_type_name, type_.members))), TYPE)
    if isinstance(type_, t.Collection | t.Struct | t.Map):
        return str(type_.tag)
    return shortened(t.text(t.absent(type_, nullable=False, missable=False)), TYPE)
