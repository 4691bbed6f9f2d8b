"""What a program can log of its queries, under the name `firesteel`: one line for each query (INFO), and one for each
pass over its plan (DEBUG). A line names tables, engines and numbers: no text of a query, no value, no secret.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from firesteel.errors import redacted

LOG = logging.getLogger("firesteel")
LOG.addHandler(logging.NullHandler())

#: At most so many tables are named.
_MOST = 5


def answered(tables: Iterable[str], engine: str, seconds: float, rows: int | None) -> None:
    """A query was answered."""
    if not LOG.isEnabledFor(logging.INFO):
        return
    names = list(tables)
    shown = redacted(", ".join(names[:_MOST])) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
    counted = "" if rows is None else f", {rows} row{'' if rows == 1 else 's'}"
    LOG.info("query over %s on %s: %.1f ms%s", shown or "no table", engine, seconds * 1000, counted)


def pass_ran(phase: str, name: str, seconds: float, *, changed: bool) -> None:
    """A pass of the pipeline ran."""
    LOG.debug("%s: %s: %.2f ms%s", phase, name, seconds * 1000, "" if changed else ", nothing to do")


__all__ = ["LOG", "answered", "pass_ran"]
