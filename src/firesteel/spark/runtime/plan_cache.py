"""Plans that were compiled before: asked again over the same files, they are not compiled again.

That saves more than our own time. Spark names the variables of lambdas by a counter, and the names are in the code that
it generates: code of the same plan, built anew, is compiled anew, while code of the same columns is found again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from firesteel import functions
from firesteel import plan as p
from firesteel.lru import Recent
from firesteel.node import has, walk
from firesteel.source import Place, Span
from firesteel.spark.sources.file_frames import state
from firesteel.tables import File

if TYPE_CHECKING:
    from firesteel.spark.relations.compile import Compiled
    from firesteel.tables import Table


class Known:
    """The compiled plans of an engine."""

    def __init__(self) -> None:
        self._plans: Recent[tuple[Compiled, p.Plan]] = Recent()

    def find(self, key: Hashable | None) -> tuple[Compiled, p.Plan] | None:
        """What was kept under the key. Its frame is made anew: Spark computes a frame once, and these run again."""
        found = None if key is None else self._plans.find(key)
        return None if found is None else (replace(found[0]), found[1])

    def keep(self, key: Hashable | None, compiled: Compiled, plan: p.Plan) -> None:
        if key is not None:
            self._plans.keep(key, (compiled, plan))

    def forget(self) -> None:
        self._plans.forget()


def key_of(plan: p.Plan, tables: Sequence[Table]) -> Hashable | None:
    """What the compiled plan depends on: the plan, its text, which errors show, and the state of the files that it
    reads. None of one that has to be compiled each time: it asks for the time, for a user's function, or for tables
    that are not files."""
    found: list[Hashable] = []
    for table in tables:
        if not isinstance(table.source, File) or table.source.format == "ion":
            return None
        if table.record_id is not None and not isinstance(table.record_id, str):
            return None
        now = state(table.source.path)
        if now is None:
            return None
        found.append((table.source, table.record_id, table.malformed, now))
    if has(plan, p.Shared) or any(_varies(call.fn) for call in walk(plan, p.Call)):
        return None
    return plan, _text(plan.statement.where), tuple(found)


def _varies(fn: p.Fn) -> bool:
    """May a function mean something else the next time? The time does, and a user's function may be registered anew."""
    row = functions.find(fn.name)
    return row is None or not row.pure or row.origin is functions.Origin.USER


def _text(where: Span | Place | None) -> str | None:
    span = where.span if isinstance(where, Place) else where
    return None if span is None else span.source.text
