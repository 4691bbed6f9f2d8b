"""The interface `Engine` that a session needs, the reference evaluator as an engine, and the engines of one session.
The Spark engine is in `spark/runtime/engine.py`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from firesteel import evaluate, tables, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.meter import Measured, Meter, Progress
from firesteel.evaluate.query_log import answered
from firesteel.node import Node
from firesteel.passes import touched_paths
from firesteel.session import writes
from firesteel.tables import Source, Table, counting_skipped
from firesteel.tables.output.target import Output
from firesteel.tables.output.write import wanted, write_parquet, write_rows
from firesteel.tables.sizes import input_bytes
from firesteel.tables.typed.arrow_types import arrow_schema, batches_of, infer_columns, row_type, rows_of


class Outcome(Protocol):
    """What a run returns: the answer, which is computed when it is first asked for."""

    @property
    def plan(self) -> p.Plan | None:
        """The plan that was run."""

    @property
    def fallbacks(self) -> Sequence[tuple[Node, str]]:
        """The expressions of the plan that run in Python, with the reasons."""

    def value(self, limit: int | None = None) -> values.Value:
        """The answer; with a limit, at most so many of its rows."""

    def rows(self) -> Iterator[values.Value]:
        """The rows of the answer, one after the other: its items, or the only value."""

    def infer(self, type_: t.Type) -> t.Struct:
        """The columns of the answer, whose type the plan says: where that is not certain, as the values need them."""

    def arrow(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Any:
        """The answer as an Arrow table of these columns; an error names the first value that does not fit. A schema of
        Arrow's may be more exact than the columns."""

    def batches(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Iterator[Any]:
        """The same as Arrow batches, one after the other."""

    def needs_columns(self, output: Output) -> bool:
        """Does this write need to know the columns of the answer?"""

    def write(self, output: Output, type_: t.Type, columns: t.Struct | None = None) -> None:
        """Write the answer, whose type the plan says: with these columns, or as it is."""

    def measure(self) -> Measured:
        """Run the plan once more, and measure it."""

    def cancel(self) -> None: ...


class EngineWatch(Protocol):
    """Tells how far the query is that one engine runs."""

    def now(self) -> Progress | None:
        """How far it is; None if the engine runs none."""

    def close(self) -> None: ...


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
    def physical_plan(self, plan: p.Plan, tables: Sequence[Table]) -> str | None:
        """What the engine itself plans, as it prints it; None if it has no plan of its own."""

    def keep(
        self,
        plan: p.Plan | None,
        tables: Sequence[Table],
        columns: t.Schema,
        before: Source | None,
        kept: Any = None,
    ) -> Source:
        """Compute the rows of a plan and store them after those that were stored before; without a plan, no rows."""

    def find_table(self, path: Sequence[str]) -> Table | None:
        """The table of that name in the engine's own catalog, if it has one."""

    def table_names(self) -> list[str]:
        """The names of the tables in the engine's own catalog."""

    def shape_of(self, source: tables.File) -> str | None:
        """What is known of the shape of these files, which have no schema, in words; None if the engine learns none."""

    def pin(self, source: Source) -> None:
        """Keep the rows of a stored table in memory, until the engine is closed."""

    def watch(self, began: float) -> EngineWatch:
        """An object that tells, from any thread, how far the query is that runs. It began when `perf_counter` was
        `began`."""

    def forget(self) -> None:
        """Forget compiled plans."""

    def close(self) -> None: ...


class Known:
    """The outcome of a run whose value is already computed."""

    def __init__(
        self,
        value: values.Value,
        plan: p.Plan | None = None,
        malformed: int = 0,
        measure: Callable[[], Measured] | None = None,
    ) -> None:
        self._value = value
        self._measure = measure
        #: How many malformed lines of files were skipped.
        self.malformed = malformed
        self.plan = plan
        self.fallbacks: Sequence[tuple[Node, str]] = ()

    def value(self, limit: int | None = None) -> values.Value:
        if limit is None or not isinstance(self._value, list | values.Bag):
            return self._value
        return type(self._value)(list(self._value)[:limit])

    def rows(self) -> Iterator[values.Value]:
        return iter(rows_of(self._value))

    def infer(self, type_: t.Type) -> t.Struct:
        return infer_columns(rows_of(self._value), row_type(type_))

    def arrow(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Any:
        import pyarrow as pa

        schema = arrow_schema(asked) if schema is None else schema
        return pa.Table.from_batches(self.batches(type_, asked, schema), schema)

    def batches(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Iterator[Any]:
        return batches_of(rows_of(self._value), row_type(type_), asked, schema)

    def needs_columns(self, output: Output) -> bool:
        plain = output.format == "parquet" and not (output.many or output.compression or output.mode == "append")
        return output.format not in ("json", "ion") and not plain

    def write(self, output: Output, type_: t.Type, columns: t.Struct | None = None) -> None:
        if columns is not None or output.format in ("json", "ion"):
            write_rows(rows_of(self._value), row_type(type_), output, columns)
        elif wanted(output):
            write_parquet(self._value, type_, output)

    def measure(self) -> Measured:
        if self._measure is None:
            raise UnsupportedError("this answer was not computed from a plan, so there is nothing to measure")
        return self._measure()

    def cancel(self) -> None:
        """There is nothing to cancel."""


class Reference:
    """The reference evaluator as an engine."""

    name = "reference"
    lowerings: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._running: list[p.Plan | None] = []

    def admit(self, plan: p.Plan) -> None:
        """Admits every plan; the evaluator checks the depth itself when it runs."""

    def together(self) -> dict[str, Any]:
        return {}

    def run(self, plan: p.Plan, tables: Sequence[Table], kept: dict[str, Any] | None = None) -> Outcome:
        start = time.perf_counter()
        with counting_skipped() as skipped, self._computing(plan):
            value = evaluate.evaluate(plan, tables, kept, touched_paths(plan))
        answered(
            [binding.name for binding in plan.globals], self.name, time.perf_counter() - start, len(rows_of(value))
        )
        return Known(value, plan, sum(skipped.values()), lambda: _measured(plan, tables))

    def explain(self, plan: p.Plan, tables: Sequence[Table]) -> tuple[p.Plan, Sequence[tuple[Node, str]]]:
        return plan, ()

    def physical_plan(self, plan: p.Plan, tables: Sequence[Table]) -> str | None:
        return None

    def keep(
        self,
        plan: p.Plan | None,
        used: Sequence[Table],
        columns: t.Schema,
        before: Source | None,
        kept: dict[str, Any] | None = None,
    ) -> Source:
        with self._computing(plan):
            rows = [] if plan is None else _stored_rows(plan, used, kept)
        writes.ensure_required(rows, columns, None if plan is None else plan.statement.where)
        old = values.items(before.value) if isinstance(before, tables.Memory) else None
        return tables.Memory(values.Bag([*(old or []), *rows]), declared=True)

    def find_table(self, path: Sequence[str]) -> Table | None:
        """It has no catalog."""
        return None

    def table_names(self) -> list[str]:
        return []

    def shape_of(self, source: tables.File) -> str | None:
        return None

    def pin(self, source: Source) -> None:
        """They are in memory already."""

    @contextmanager
    def _computing(self, plan: p.Plan | None) -> Iterator[None]:
        """While this is open, `watch` tells that a plan runs."""
        self._running.append(plan)
        try:
            yield
        finally:
            self._running.pop()

    def watch(self, began: float) -> EngineWatch:
        return _ReferenceWatch(self._running, began)

    def forget(self) -> None:
        """There is nothing to forget."""

    def close(self) -> None:
        """Nothing was started."""


class _ReferenceWatch:
    """Tells that the reference evaluator runs a query. It does not know how far that is."""

    def __init__(self, running: Sequence[object], began: float) -> None:
        self._running = running
        self._began = began

    def now(self) -> Progress | None:
        return Progress(time.perf_counter() - self._began, Reference.name) if self._running else None

    def close(self) -> None:
        """It holds nothing."""


def _measured(plan: p.Plan, tables: Sequence[Table]) -> Measured:
    meter = Meter()
    start = time.perf_counter()
    value = evaluate.evaluate(plan, tables, {}, touched_paths(plan), meter)
    taken = (time.perf_counter() - start) * 1000
    return Measured(plan, taken, len(rows_of(value)), meter.figures())


def _stored_rows(plan: p.Plan, used: Sequence[Table], kept: dict[str, Any] | None) -> list[values.Value]:
    found = evaluate.evaluate(plan, used, kept, touched_paths(plan))
    return list(map(_stored, values.items(found) or []))


def _stored(row: values.Value) -> values.Value:
    """A row as a table has it: an attribute that is MISSING is not there."""
    if not isinstance(row, values.Struct):
        return row
    return values.Struct([pair for pair in row.pairs if pair[1] is not values.MISSING])


class Engines:
    """The engines of one session: the one that it was connected to, and the reference evaluator beside it. With
    `shared` that is a Spark that others use, too, and may have made tables in; without, its catalog is empty until it
    runs. With `small`, plans over at most so many bytes of input run on the reference evaluator."""

    def __init__(
        self, start: Callable[[], Engine], *, in_process: bool, shared: bool = False, small: int | None = None
    ) -> None:
        self._shared = shared
        self._start = start
        self._started: Engine | None = None
        self._lock = threading.Lock()
        self._reference: Engine = Reference()
        self._in_process = in_process
        self.small = small

    @property
    def main(self) -> Engine:
        """The engine that the session was connected to, made when it is first needed."""
        with self._lock:
            if self._started is None:
                self._started = self._start()
            return self._started

    def choose(self, used: Sequence[Table]) -> Engine:
        """The engine for a plan over these tables. With `in_process` a plan without tables runs on the reference
        evaluator, and so does one over little input if the session has a bound for that."""
        if self._in_process and not used:
            return self._reference
        size = None if self.small is None else input_bytes(used)
        return self._reference if self.small is not None and size is not None and size <= self.small else self.main

    @property
    def keeper(self) -> Engine | None:
        """The engine that stores the tables that plans create; None: the one that computes their rows."""
        return self.main if self.small is None else None

    def keeper_of(self, source: Source) -> Engine:
        """The engine that has stored a table, and adds rows to it."""
        return self.main if self.small is None or isinstance(source, tables.Stored) else self._reference

    def keep_none(self, columns: t.Schema) -> Source:
        """A new table without rows."""
        return (self.keeper or self._reference).keep(None, (), columns, None)

    def start_in_background(self) -> None:
        """Start the main engine in a thread of its own, so that a later plan need not wait. A failure is reported to
        the plan that needs the engine."""

        def start() -> None:
            with suppress(Exception):
                getattr(self.main, "spark", None)

        threading.Thread(target=start, name="firesteel-start", daemon=True).start()

    def with_tables(self) -> Engine | None:
        """The engine whose catalog may have tables. Spark is not started only to look for some."""
        return self.main if self._shared else self._started

    def find_table(self, path: Sequence[str]) -> Table | None:
        """The table of that name in the engine's own catalog, if it has one."""
        engine = self.with_tables()
        return None if engine is None else engine.find_table(path)

    def table_names(self) -> list[str]:
        """The names of the tables in the engine's own catalog."""
        engine = self.with_tables()
        return [] if engine is None else engine.table_names()

    def shape_of(self, source: tables.File) -> str | None:
        """What is known of the shape of these files."""
        return None if self._started is None else self._started.shape_of(source)

    @property
    def made(self) -> tuple[Engine, ...]:
        """The engines that were made so far."""
        return (self._reference,) if self._started is None else (self._reference, self._started)

    def watch(self) -> Watch:
        """An object that tells how far the query is that runs."""
        return Watch(self)

    def forget(self) -> None:
        """Forget compiled plans."""
        if self._started is not None:
            self._started.forget()

    def close(self) -> None:
        """Close the engines that were started."""
        if self._started is not None:
            self._started.close()
            self._started = None


class Watch:
    """Tells how far the query is that a session runs. The query runs in one thread, and another asks."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._began = time.perf_counter()
        self._watches: dict[Engine, EngineWatch] = {}

    def now(self) -> Progress:
        """How far the query is. The engine may have been made after this object."""
        for engine in self._engines.made:
            if engine not in self._watches:
                self._watches[engine] = engine.watch(self._began)
            found = self._watches[engine].now()
            if found is not None:
                return found
        return Progress(time.perf_counter() - self._began)

    def close(self) -> None:
        """Ask no more."""
        for watch in self._watches.values():
            watch.close()
