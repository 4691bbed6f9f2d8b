"""Streaming DataFrames as tables: the answer is a streaming DataFrame, if every relation of the plan can stream.

Rows are taken one by one: scans, filters, projections, and ranging over what is inside of a row. Whatever has to see
all rows (sorts, groups, limits, joins with tables) is refused by name; so is everything that wants the answer now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import has, walk
from firesteel.tables import Frame

if TYPE_CHECKING:
    from firesteel.tables import Table

#: The relations that take rows one by one.
_STREAM: tuple[type[p.Rel], ...] = (p.Scan, p.ScanIndexed, p.Unpivot, p.Filter, p.Project, p.Exclude)


def is_stream(tables: Sequence[Table]) -> bool:
    """Is one of the tables a streaming DataFrame?"""
    frames = (table.source.frame for table in tables if isinstance(table.source, Frame))
    return any(frame.isStreaming for frame in frames)


def ensure_streams(plan: p.Plan, tables: Sequence[Table]) -> bool:
    """Is the answer of the plan a stream? Then a relation that has to see all rows is refused."""
    if not is_stream(tables):
        return False
    for rel in walk(plan.statement, p.Rel):
        if not isinstance(rel, _STREAM) and not _ranges_inside(rel):
            raise UnsupportedError(
                f"{rel.tag} over a stream: it has to see all rows",
                where=rel.where,
                help="compute it over the streaming DataFrame that `to_spark` gives for the rest",
            )
    return True


def _ranges_inside(rel: p.Rel) -> bool:
    """Is it a join of each row with what is inside of it?"""
    return isinstance(rel, p.Join) and rel.lateral and not has(rel.right, p.Global)


def no_end() -> UnsupportedError:
    """The error for whoever wants to compute the answer of a stream."""
    return UnsupportedError(
        "the answer of a query over a stream has no end", help="r.to_spark().writeStream... starts it"
    )


__all__ = ["ensure_streams", "is_stream", "no_end"]
