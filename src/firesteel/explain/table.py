"""Rows as a table of text, for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from firesteel import values
from firesteel.ion import dumps


def table(value: values.Value, limit: int = 20, width: int = 40, *, names: Sequence[str] = ()) -> str:
    """The first rows of a collection; a struct's attributes are columns, any other value is the column `_1`. The
    columns that are named come first, in that order."""
    items = values.items(value) if isinstance(value, list | values.Bag) else None
    rows = [value] if items is None else items
    shown = [dict(row.pairs) if isinstance(row, values.Struct) else {"_1": row} for row in rows[:limit]]
    names = list(dict.fromkeys([*(names if shown else ()), *(name for row in shown for name in row)]))
    cells = [[_cell(row.get(name, values.MISSING), width) for name in names] for row in shown]
    sizes = [max(map(_width, column)) for column in zip(names, *cells, strict=True)] if names else []
    lines = [_line(names, sizes), "-+-".join("-" * size for size in sizes), *(_line(row, sizes) for row in cells)]
    count = f"({len(rows):,} row{'' if len(rows) == 1 else 's'})"
    if len(rows) > limit:
        count = f"(the first {limit:,} rows; there are more)"
    return "\n".join([*(lines if names else []), count])


def _line(cells: list[str], sizes: list[int]) -> str:
    padded = (cell + " " * (size - _width(cell)) for cell, size in zip(cells, sizes, strict=True))
    return " | ".join(padded).rstrip()


def _width(text: str) -> int:
    """Columns of a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _cell(value: values.Value, width: int) -> str:
    if value is values.MISSING:
        return ""
    text = str(value) if isinstance(value, str) and value.isprintable() else str(dumps(value))
    return text if len(text) <= width else text[: width - 1] + "…"
