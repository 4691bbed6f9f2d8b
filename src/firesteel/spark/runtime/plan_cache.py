"""A cache of compiled plans: the same plan over the same files is not compiled again.

This saves more than our own time. Spark numbers the variables of lambdas, and the numbers are in the Java code that it
generates. If the columns are built again, the code differs and the JVM has to compile it again; the same columns give
the same code, which Spark has cached.
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


class PlanCache:
    """The compiled plans of an engine."""

    def __init__(self) -> None:
        self._plans: Recent[tuple[Compiled, p.Plan]] = Recent()

    def find(self, key: Hashable | None) -> tuple[Compiled, p.Plan] | None:
        """The plan under the key. It gets a new DataFrame: one that has run before would keep the state of that run."""
        found = None if key is None else self._plans.find(key)
        return None if found is None else (replace(found[0]), found[1])

    def keep(self, key: Hashable | None, compiled: Compiled, plan: p.Plan) -> None:
        if key is not None:
            self._plans.keep(key, (compiled, plan))

    def forget(self) -> None:
        self._plans.forget()


def key_of(plan: p.Plan, tables: Sequence[Table], shapes: bool = True) -> Hashable | None:
    """The key of a plan: the plan, its text (errors show it), and the state of the files that it reads. None if it has
    to be compiled each time: it uses the clock, a user's function, a shared relation, or tables that are not files."""
    file_states: list[Hashable] = []
    for table in tables:
        if not isinstance(table.source, File) or table.source.format in ("ion", "arrow"):
            return None
        if table.record_id is not None and not isinstance(table.record_id, str):
            return None
        now = state(table.source)
        if now is None:
            return None
        file_states.append((table.source, table.record_id, table.malformed, now))
    if has(plan, p.Shared) or any(_varies(call.fn) for call in walk(plan, p.Call)):
        return None
    return plan, _text(plan.statement.where), tuple(file_states), shapes


def _varies(fn: p.Fn) -> bool:
    """May the function change between runs? `current_date` does, and a user's function may be registered again."""
    row = functions.find(fn.name)
    return row is None or not row.pure or row.origin is functions.Origin.USER


def _text(where: Span | Place | None) -> str | None:
    span = where.span if isinstance(where, Place) else where
    return None if span is None else span.source.text
