"""Rows as a table of HTML, for notebooks: escaped, with its own small style, no script and nothing from a network."""

from __future__ import annotations

from html import escape

from firesteel import values
from firesteel.explain.rows.cells import shortened
from firesteel.explain.rows.grid import Column, Grid

#: A cell shows so many characters; a larger nested value can be opened, and shows so many then.
SHORT, LONG = 60, 2_000
#: A folded text has so many lines.
LINES = 300

#: The colours are those of the page, so that it is readable on light and on dark ones.
STYLE = (
    "<style>.firesteel table{border-collapse:collapse;font-size:90%}"
    ".firesteel td,.firesteel th{padding:2px 8px;text-align:left;vertical-align:top;border-bottom:1px solid #8884}"
    ".firesteel td.n{text-align:right;font-variant-numeric:tabular-nums}.firesteel small,.firesteel i{opacity:.6}"
    ".firesteel pre{margin:0;white-space:pre-wrap}.firesteel summary{cursor:pointer}</style>"
)


def html_page_part(body: str) -> str:
    """A piece of a page that has our style."""
    return f'{STYLE}<div class="firesteel">{body}</div>'


def html_table(grid: Grid) -> str:
    """The rows of a grid, and how many there are."""
    heads = "".join(_head(column) for column in grid.columns)
    cells = [[_cell(column, number) for column in grid.columns] for number in range(grid.size)]
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table><small>{escape(grid.count)}</small>"


def _head(column: Column) -> str:
    type_ = f"<br><small>{escape(column.type)}</small>" if column.type else ""
    return f'<th scope="col">{escape(column.name)}{type_}</th>'


def _cell(column: Column, number: int) -> str:
    item = column.items[number]
    if values.absent(item):
        return "<td></td>" if item is values.MISSING else "<td><i>null</i></td>"
    whole = column.text(number, LONG)
    if len(whole) > SHORT:
        short = escape(column.text(number, SHORT))
        return f"<td><details><summary>{short}</summary><pre>{escape(whole)}</pre></details></td>"
    return f"<td{' class=n' if column.is_number else ''}>{escape(whole)}</td>"


def html_text(text: str) -> str:
    """A paragraph of text."""
    return f"<p>{escape(text)}</p>"


def cut(text: str) -> str:
    """The first lines of a long text."""
    lines = text.splitlines()
    more = [f"… and {len(lines) - LINES:,} more lines"] if len(lines) > LINES else []
    return "\n".join(shortened(line, LONG) for line in [*lines[:LINES], *more])


def html_details(summary: str, text: str, *, open_: bool = False) -> str:
    """A text that can be folded."""
    return f"<details{' open' if open_ else ''}><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>"
