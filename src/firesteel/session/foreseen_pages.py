"""The page of a plan as a session would run it: what the engine makes of it, the sizes of its tables, Spark's plan."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from firesteel import plan as p
from firesteel import tables
from firesteel.errors import FiresteelError
from firesteel.explain import Profile
from firesteel.explain.page import Facts, Measured
from firesteel.node import Node, walk
from firesteel.pages import Statement
from firesteel.session.document import Plan
from firesteel.session.plan_cache import Prepared
from firesteel.session.planner import Params, Planner
from firesteel.session.statements import Foreseen, Statements, shape_notes
from firesteel.tables.sizes import row_count


@dataclass
class _Seen:
    """What was learned of a statement while it was prepared and compiled."""

    in_python: Sequence[tuple[Node, str]] = ()
    notes: list[tuple[Node, str]] = field(default_factory=list)
    table_rows: dict[str, int] = field(default_factory=dict)
    engine: str = ""
    spark: str = ""
    no_spark: str = "nothing of this statement runs"

    def compiled(self, prepared: Prepared) -> Foreseen:
        """Let the engine compile the statement, and ask what there is to know."""
        engine, given = prepared.engine, prepared.tables
        plan, self.in_python = engine.explain(prepared.plan, given)
        self.engine, self.notes = engine.name, list(shape_notes(plan, prepared))
        for node in walk(plan.statement, p.Global):
            count = _rows(given[node.ordinal])
            if count is not None:
                self.table_rows[plan.globals[node.ordinal].name] = count
        try:
            self.spark = engine.physical_plan(prepared.plan, given) or ""
            self.no_spark = "this plan runs in this process, not on Spark (--engine spark)"
        except FiresteelError as error:
            self.no_spark = error.message
        return plan, ()


def _rows(table: tables.Table) -> int | None:
    with suppress(OSError, FiresteelError):  # a file that cannot be read is an error of the run
        return row_count(table)
    return None


def foreseen_statements(
    planner: Planner, document: Plan, params: Params = None, profile: Profile | None = None
) -> list[Statement]:
    """The statements of a plan as they would run, one after the other. Nothing is computed."""
    lowered = planner.lower(document, params)
    told = profile.operators.items() if profile is not None else ()
    measured = {path: Measured(figures.rows, figures.milliseconds) for path, figures in told}
    found: list[Statement] = []
    for node in lowered.plan.statements:
        seen = _Seen()
        plan, _ = Statements(planner, seen.compiled).foresee(lowered.plan.replace(statement=node))
        facts = Facts(seen.in_python, seen.notes, lowered.repairs, table_rows=seen.table_rows, measured=measured)
        warnings: Sequence[Any] = document.warnings or lowered.warnings
        notes = tuple(warning.message for warning in warnings)
        found.append(Statement(plan, document.message, facts, seen.engine, seen.spark, seen.no_spark, notes))
    return found


__all__ = ["foreseen_statements"]
