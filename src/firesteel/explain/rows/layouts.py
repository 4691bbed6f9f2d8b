"""Rows drawn as text: a plain table, a box, one line for each value, or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from firesteel import types as t
from firesteel.explain.rows.cells import display_width, shortened
from firesteel.explain.rows.grid import Column, Grid, grid_of
from firesteel.values import Value

#: The widest cell, where the width of the terminal is not known; and the narrowest that a column is cut to.
WIDEST, NARROWEST = 40, 8


def draw(rows: Iterable[Value], type_: t.Type = t.ANY, limit: int | None = 20, layout: str = "table") -> str:
    """The first rows as text. `type_` is the type of a row, as far as it is known."""
    return "\n".join(LAYOUTS[layout](grid_of(rows, type_, limit), None))


def _cells(
    grid: Grid, width: int | None, edges: int, heads: Callable[[Column], Sequence[str]]
) -> list[list[str]] | None:
    """The texts of each column, its head first, cut so that a line with `edges` more places for each column has the
    width. None if there are too many columns for that."""
    texts = [[*heads(column), *column.texts(WIDEST if width is None else width)] for column in grid.columns]
    if width is None or not texts:
        return texts
    least = [
        max(map(display_width, [column.name, *column.texts(None)])) if column.is_rigid else NARROWEST
        for column in grid.columns
    ]
    limits = _shares(_sizes(texts), least, width - edges * len(texts))
    if limits is None:
        return None
    return [
        [*(shortened(head, most) for head in heads(column)), *column.texts(most)]
        for column, most in zip(grid.columns, limits, strict=True)
    ]


def _shares(sizes: list[int], least: list[int], room: int) -> list[int] | None:
    """How wide each column may be: each at least as wide as it has to be, and what is left goes to those that want
    more, in equal parts. None if there is no room for that."""
    shares = list(map(min, sizes, least))
    left = room - sum(shares)
    if left < 0:
        return None
    wanting = [size - share for size, share in zip(sizes, shares, strict=True)]
    order = sorted(range(len(sizes)), key=wanting.__getitem__)
    for done, i in enumerate(order):
        more = min(wanting[i], left // (len(order) - done))
        shares[i] += more
        left -= more
    return shares


def _padded(texts: Sequence[str], sizes: Sequence[int], right: Sequence[bool]) -> list[str]:
    spaces = [" " * (size - display_width(text)) for text, size in zip(texts, sizes, strict=True)]
    return [
        space + text if to_right else text + space for text, space, to_right in zip(texts, spaces, right, strict=True)
    ]


def _sizes(columns: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(display_width, column)) for column in columns]


def table(grid: Grid, width: int | None) -> Iterator[str]:
    """`a | b`, with a line below the names."""
    columns = _cells(grid, width, 3, lambda column: (column.name,))
    if columns is None:
        yield from vertical(grid, width)
        return
    sizes = _sizes(columns)
    for number, row in enumerate(zip(*columns, strict=True) if columns else ()):
        yield " | ".join(_padded(row, sizes, [False] * len(sizes))).rstrip()
        if number == 0:
            yield "-+-".join("-" * size for size in sizes)
    yield grid.count


def box(grid: Grid, width: int | None) -> Iterator[str]:
    """A frame of lines, the types of the columns below their names, numbers to the right."""

    def heads(column: Column) -> Sequence[str]:
        return (column.name, column.type) if grid.typed else (column.name,)

    columns = _cells(grid, None if width is None else width - 1, 3, heads)
    if columns is None:
        yield from vertical(grid, width)
        return
    sizes = _sizes(columns)
    right = [column.is_number for column in grid.columns]
    for number, row in enumerate(zip(*columns, strict=True) if columns else ()):
        if number == 0:
            yield f"┌{'┬'.join('─' * (size + 2) for size in sizes)}┐"
        if number == 1 + grid.typed:
            yield f"├{'┼'.join('─' * (size + 2) for size in sizes)}┤"
        yield f"│ {' │ '.join(_padded(row, sizes, right))} │"
    if columns and not grid.size:
        yield f"├{'┼'.join('─' * (size + 2) for size in sizes)}┤"
    if columns:
        yield f"└{'┴'.join('─' * (size + 2) for size in sizes)}┘"
    yield grid.count


def vertical(grid: Grid, width: int | None) -> Iterator[str]:
    """A line for each value of each row; what is MISSING has none."""
    longest = max((display_width(column.name) for column in grid.columns), default=0)
    room = None if width is None else max(NARROWEST, width - longest - 3)
    for number in range(grid.size):
        head = f"-[ row {number + 1:,} ]"
        yield head + "-" * max(1, longest + 3 - len(head))
        for column in grid.columns:
            text = column.text(number, room)
            if text:
                yield f"{_padded([column.name], [longest], [False])[0]} | {text}"
    yield grid.count


def markdown(grid: Grid, width: int | None) -> Iterator[str]:
    """A table of Markdown. It is not cut to a width, because it is no text for a terminal."""
    columns = [[_in_markdown(text) for text in (column.name, *column.texts(None))] for column in grid.columns]
    sizes = [max(3, size) for size in _sizes(columns)]
    right = [column.is_number for column in grid.columns]
    for number, row in enumerate(zip(*columns, strict=True) if columns else ()):
        yield f"| {' | '.join(_padded(row, sizes, right))} |"
        if number == 0:
            lines = ["-" * (size - 1) + (":" if to_right else "-") for size, to_right in zip(sizes, right, strict=True)]
            yield f"| {' | '.join(lines)} |"
    if grid.more or not columns:
        yield ""
        yield grid.count


def _in_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<")


LAYOUTS: dict[str, Callable[[Grid, int | None], Iterator[str]]] = {
    "table": table,
    "box": box,
    "vertical": vertical,
    "markdown": markdown,
}
