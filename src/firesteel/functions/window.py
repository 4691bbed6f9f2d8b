"""The rows of window functions. Aggregates can be called over a window, too; their rows are in `aggregate.py`."""

from __future__ import annotations

from firesteel.functions.catalog import Function, own
from firesteel.functions.properties import Kind


def _window(name: str, signatures: str | tuple[str, ...], doc: str) -> Function:
    return own(name, signatures, doc, "", kind=Kind.WINDOW, partiql=(name,))


_SHIFT = ("(any) -> any", "(any, int) -> any", "(any, int, any) -> any")

WINDOWS: tuple[Function, ...] = (
    _window("row_number", "() -> int", "The place of the row in its partition, from 1."),
    _window("rank", "() -> int", "One more than the number of rows before the row's peers."),
    _window("dense_rank", "() -> int", "One more than the number of groups of peers before the row's."),
    _window("percent_rank", "() -> float", "The rank less one, by the rows of the partition less one."),
    _window("cume_dist", "() -> float", "The share of the partition up to the row's last peer."),
    _window("ntile", "(int) -> int", "The number of the row's bucket, of so many of nearly one size."),
    _window("lag", _SHIFT, "The value so many rows before (1), or the default (NULL)."),
    _window("lead", _SHIFT, "The value so many rows after (1), or the default (NULL)."),
    _window("first_value", "(any) -> any", "The value of the frame's first row."),
    _window("last_value", "(any) -> any", "The value of the frame's last row."),
    _window("nth_value", "(any, int) -> any", "The value of the frame's n-th row, NULL if it has none."),
)
