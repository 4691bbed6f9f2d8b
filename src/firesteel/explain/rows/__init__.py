"""Rows for people: `cells.py` writes a value on one line, `grid.py` chooses the columns, `layouts.py` draws them as
text, `html.py` as a table of HTML; `summary.py` says what is in them."""

from firesteel.explain.rows.cells import display_width, one_line, printable, scalar_text, shortened
from firesteel.explain.rows.grid import Grid, grid_keys, grid_of
from firesteel.explain.rows.html import cut, html_details, html_page_part, html_table, html_text
from firesteel.explain.rows.layouts import LAYOUTS, draw
from firesteel.explain.rows.summary import LINE, summary

__all__ = [
    "LAYOUTS",
    "LINE",
    "Grid",
    "cut",
    "display_width",
    "draw",
    "grid_keys",
    "grid_of",
    "html_details",
    "html_page_part",
    "html_table",
    "html_text",
    "one_line",
    "printable",
    "scalar_text",
    "shortened",
    "summary",
]
