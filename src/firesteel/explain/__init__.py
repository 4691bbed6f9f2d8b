"""Printers of plans. `text.py` draws the tree, `table.py` draws rows, `rex.py` writes an expression on one line."""

from firesteel.explain.table import table
from firesteel.explain.text import explain

__all__ = ["explain", "table"]
