"""The interface `Engine` that a session needs, the reference evaluator as an engine, and the engines of one session.
The Spark engine is in `spark/runtime/engine.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from firesteel import evaluate, tables, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.node import Node
from firesteel.session import writes
from firesteel.tables import Source, Table, counting_skipped


class Outcome(Protocol):
    """What a run returns: the answer, which is computed when it is first asked for."""

    @property
    def plan(self) -> p.Plan | None:
        """The plan that was run."""

    @property
    def fallbacks(self) -> Sequence[tuple[Node, str]]:
        """The expressions of the plan that run in Python, with the reasons."""

    def value(self) -> values.Value: ...
    def write(self, path: str | Path, format: str | None = None) -> None: ...
    def cancel(self) -> None: ...


class Engine(Protocol):
    """Runs a checked and typed plan over its tables. An engine rewrites no plan: it names the lowering passes of
    `firesteel.passes.PIPELINE` that it needs, and gets plans after these passes."""

    name: str
    #: The names of the lowering passes that the engine asks for.
    lowerings: tuple[str, ...]

    def admit(self, plan: p.Plan) -> None:
        """Refuse an optimized plan that is too large or too deep for this engine, before it is lowered."""

    def together(self) -> Any:
        """An object that the statements of one plan share; it is passed to `run` as `kept`."""

    def run(self, plan: p.Plan, tables: Sequence[Table], kept: Any = None) -> Outcome: ...
    def explain(self, plan: p.Plan, tables: Sequence[Table]) -> tuple[p.Plan, Sequence[tuple[Node, str]]]: ...
    def keep(
        self,
        plan: p.Plan | None,
        tables: Sequence[Table],
        columns: t.Schema,
        before: Source | None,
        kept: Any = None,
    ) -> Source:
        """Compute the rows of a plan and store them after those that were stored before; without a plan, no rows."""

    def forget(self) -> None:
        """Forget compiled plans."""

    def close(self) -> None: ...


class Known:
    """The outcome of a run whose value is already computed."""

    def __init__(self, value: values.Value, plan: p.Plan | None = None, malformed: int = 0) -> None:
        self._value = value
        #: How many malformed lines of files were skipped.
        self.malformed = malformed
        self.plan = plan
        self.fallbacks: Sequence[tuple[Node, str]] = ()

    def value(self) -> values.Value:
        return self._value

    def write(self, path: str | Path, format: str | None = None) -> None:
        type_ = t.ANY if self.plan is None else p.answer_type(self.plan.statement)
        tables.write_file(self._value, path, format, type_)

    def cancel(self) -> None:
        """There is nothing to cancel."""


class Reference:
    """The reference evaluator as an engine."""

    name = "reference"
    lowerings: tuple[str, ...] = ()

    def admit(self, plan: p.Plan) -> None:
        """Admits every plan; the evaluator checks the depth itself when it runs."""

    def together(self) -> dict[str, Any]:
        return {}

    def run(self, plan: p.Plan, tables: Sequence[Table], kept: dict[str, Any] | None = None) -> Outcome:
        with counting_skipped() as skipped:
            value = evaluate.evaluate(plan, tables, kept)
        return Known(value, plan, sum(skipped.values()))

    def explain(self, plan: p.Plan, tables: Sequence[Table]) -> tuple[p.Plan, Sequence[tuple[Node, str]]]:
        return plan, ()

    def keep(
        self,
        plan: p.Plan | None,
        used: Sequence[Table],
        columns: t.Schema,
        before: Source | None,
        kept: dict[str, Any] | None = None,
    ) -> Source:
        rows = [] if plan is None else list(values.items(evaluate.evaluate(plan, used, kept)) or [])
        writes.ensure_required(rows, columns, None if plan is None else plan.statement.where)
        old = values.items(before.value) if isinstance(before, tables.Memory) else None
        return tables.Memory(values.Bag([*(old or []), *rows]), declared=True)

    def forget(self) -> None:
        """There is nothing to forget."""

    def close(self) -> None:
        """Nothing was started."""


class Engines:
    """The engines of one session: the one that it was connected to, and the reference evaluator beside it."""

    def __init__(self, start: Callable[[], Engine], *, in_process: bool) -> None:
        self._start = start
        self._started: Engine | None = None
        self._reference: Engine = Reference()
        self._in_process = in_process

    @property
    def main(self) -> Engine:
        """The engine that the session was connected to, made when it is first needed."""
        if self._started is None:
            self._started = self._start()
        return self._started

    def choose(self, tables: Sequence[Table]) -> Engine:
        """The engine for a plan over these tables. With `in_process` a plan without tables runs on the reference
        evaluator."""
        return self._reference if self._in_process and not tables else self.main

    def forget(self) -> None:
        """Forget compiled plans."""
        if self._started is not None:
            self._started.forget()

    def close(self) -> None:
        """Close the engines that were started."""
        if self._started is not None:
            self._started.close()
            self._started = None
