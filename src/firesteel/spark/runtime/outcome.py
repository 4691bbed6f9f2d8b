"""A compiled plan, which runs when its answer is asked for: as values, a DataFrame, Arrow or files."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.meter import Measured
from firesteel.evaluate.query_log import answered
from firesteel.policy import ensure_unmoved
from firesteel.spark.core.fallback_log import Fallback
from firesteel.spark.core.worker_package import is_connect
from firesteel.spark.encoding.arrow_values import download
from firesteel.spark.encoding.failures import is_from_spark
from firesteel.spark.relations.compile import Compiled
from firesteel.spark.relations.shared import SharedRelations
from firesteel.spark.runtime.answers import answer_of, arrow_table, batches, infer, named_frame, records, typed_frame
from firesteel.spark.runtime.inspect import physical_plan
from firesteel.spark.runtime.inspect.measure import measured
from firesteel.spark.runtime.interrupts import interrupt_again, interruptible
from firesteel.spark.runtime.output import is_native, store, write
from firesteel.spark.runtime.read_files import count_malformed
from firesteel.spark.runtime.sessions import Lease
from firesteel.spark.runtime.settings import settings
from firesteel.spark.runtime.streams import no_end
from firesteel.tables import File
from firesteel.tables.output.target import Output
from firesteel.tables.output.write import write_rows
from firesteel.tables.typed.arrow_types import arrow_schema, row_type
from firesteel.values import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


T = TypeVar("T")

#: A cancelled run is told to stop every 0.1 s: so many times while the caller waits, then so many in the background.
PATIENCE, STUBBORNNESS = 10, 1_200


class Outcome:
    """A compiled plan: its value, its DataFrame, its output."""

    def __init__(
        self,
        lease: Lease,
        compiled: Compiled,
        plan: p.Plan,
        fallbacks: tuple[Fallback, ...] = (),
        lenient: Sequence[File] = (),
        kept: SharedRelations | None = None,
        judged: Sequence[Path] = (),
        compile_again: Callable[..., Compiled] | None = None,
        streaming: bool = False,
    ) -> None:
        self._streaming = streaming
        self._judged = judged
        self._compile_again = compile_again
        self._kept = kept  # shared relations stay persisted while this outcome lives
        self._lease = lease
        self._spark = lease.spark
        self._compiled = compiled
        #: What was compiled, and the expressions of it that run in Python.
        self.plan = plan
        self.fallbacks = fallbacks
        self._lenient = lenient
        self._tag = f"firesteel-{uuid.uuid4().hex}"
        self._cancelled = False
        self._counted: int | None = None
        self._idle = threading.Event()
        self._idle.set()

    @property
    def dataframe(self) -> DataFrame:
        """The DataFrame, with the user's column names; nothing has run yet."""
        return self.typed_dataframe(t.ANY, None)

    def typed_dataframe(self, type_: t.Type, asked: t.Struct | None) -> DataFrame:
        """The same, with the columns that are asked for; the plan says that the answer is of the type."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            self._renew()
            return named_frame(self._compiled) if asked is None else typed_frame(self._compiled, type_, asked)

    def physical_plan(self) -> str:
        """Spark's physical plan, as Spark prints it."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            self._renew()
            return physical_plan(named_frame(self._compiled))

    def rows(self) -> Iterator[Value]:
        """The rows of the answer; Spark is asked for one partition after the other."""
        with self._running():
            yield from self._checked(records(self._compiled))
            self._warn_of_malformed()

    def infer(self, type_: t.Type) -> t.Struct:
        """The columns of the answer, those of uncertain types by their values."""
        return self._with_fitting_shapes(lambda: self._done(lambda: infer(self._compiled, type_)))

    def arrow(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Any:
        """The answer as an Arrow table of these columns."""
        schema = arrow_schema(asked) if schema is None else schema
        return self._with_fitting_shapes(
            lambda: self._done(lambda: arrow_table(typed_frame(self._compiled, type_, asked), schema))
        )

    def batches(self, type_: t.Type, asked: t.Struct, schema: Any = None) -> Iterator[Any]:
        """The answer as Arrow batches; Spark is asked for one partition after the other."""
        schema = arrow_schema(asked) if schema is None else schema
        with self._running():
            yield from batches(typed_frame(self._compiled, type_, asked), schema)
            self._ensure_same_files()
            self._warn_of_malformed()

    def _done(self, action: Callable[[], T]) -> T:
        """The result of an action that runs the plan, if the files are still the same."""
        with self._running():
            found = action()
            self._ensure_same_files()
            self._warn_of_malformed()
        return found

    def value(self, limit: int | None = None) -> Value:
        """The answer: a bag or list of values, or the only value; rows are structs."""
        return self._with_fitting_shapes(lambda: self._value(limit))

    def _value(self, limit: int | None) -> Value:
        with self._running():
            compiled = self._compiled.decided()
            frame = compiled.frame if limit is None or compiled.shape == "value" else compiled.frame.limit(limit)
            rows = list(download(frame, compiled.types))
            self._counted = len(rows)
            self._ensure_same_files()
            self._warn_of_malformed()
        return answer_of(compiled, rows)

    def needs_columns(self, output: Output) -> bool:
        """Does this write need to know the columns of the answer? Spark's own Parquet has VARIANTs, its JSON any."""
        untyped = output.format in ("json", "ion") or (output.format == "parquet" and is_native(output))
        return not untyped or bool(output.partition_by)

    def write(self, output: Output, type_: t.Type, columns: t.Struct | None = None) -> None:
        """Write the answer. An existing target is replaced only when the new one is complete."""
        self._with_fitting_shapes(lambda: self._write(output, type_, columns))

    def _write(self, output: Output, type_: t.Type, columns: t.Struct | None) -> None:
        with self._running():
            if is_native(output):
                write(self._compiled, output, type_, columns, self._ensure_same_files)
            else:
                write_rows(self._checked(records(self._compiled)), row_type(type_), output, columns)
            self._warn_of_malformed()

    def _checked(self, rows: Iterator[Value]) -> Iterator[Value]:
        """The rows; at their end, the files that they come from have to be the same still."""
        yield from rows
        self._ensure_same_files()

    def measure(self) -> Measured:
        """Run the plan once more, throw its rows away, and say what was measured."""

        def run(action: Callable[[], None]) -> None:
            self._with_fitting_shapes(lambda: self._done(action))

        with self._lease.using(self._compiled.failures), settings(self._spark):
            compiled = self._compiled.decided()
            return measured(self._spark, self.plan, compiled.frame, compiled.shape != "value", run)

    def keep(self, folder: Path, columns: t.Schema) -> None:
        """Write the rows, in our encoding, to a folder that later plans read as a table."""
        self._with_fitting_shapes(lambda: self._store(folder, columns))

    def _store(self, folder: Path, columns: t.Schema) -> None:
        with self._running():
            store(self._compiled, folder, columns, self.plan.statement.where, self._ensure_same_files)
            self._warn_of_malformed()

    def cancel(self) -> None:
        """Stop computing, wherever that is going on; wait a little until it has stopped."""
        self._cancelled = True
        if not self._try_to_stop(PATIENCE):
            threading.Thread(target=self._keep_stopping, daemon=True).start()

    def _try_to_stop(self, tries: int) -> bool:
        """Ask Spark to stop until it has: a query that is still being planned has no job to cancel yet."""
        for _ in range(tries):
            self._stop()
            if self._idle.wait(0.1):
                return True
        return False

    def _on_interrupt(self) -> None:
        """Handle Ctrl-C. PySpark goes on waiting while Spark plans a query: interrupt it a second time then."""
        if not self._try_to_stop(PATIENCE):
            interrupt_again()
            self._keep_stopping()

    def _keep_stopping(self) -> None:
        """Go on asking Spark to stop, for a query whose planning takes long; end when the session ends."""
        with suppress(Exception):
            for _ in range(STUBBORNNESS):
                self._stop()
                time.sleep(0.1)

    def _stop(self) -> None:
        if is_connect(self._spark):
            self._spark.interruptTag(self._tag)
        else:
            self._spark.sparkContext.cancelJobsWithTag(self._tag)

    @contextmanager
    def _running(self) -> Iterator[None]:
        """While this is open, Spark's jobs have a tag by which this outcome can be cancelled."""
        tags: Any = self._spark if is_connect(self._spark) else self._spark.sparkContext
        add, remove = (tags.addTag, tags.removeTag) if tags is self._spark else (tags.addJobTag, tags.removeJobTag)
        using = self._lease.using(self._compiled.failures)
        with interruptible(self._on_interrupt), using, settings(self._spark):
            add(self._tag)
            self._idle.clear()
            self._lease.busy.add(self)
            start = time.perf_counter()
            try:
                if self._cancelled:
                    raise EvaluationError("cancelled")
                if self._streaming:
                    raise no_end()
                self._renew()
                yield
                tables = [binding.name for binding in self.plan.globals]
                answered(tables, "spark", time.perf_counter() - start, self._counted)
            except BaseException as error:
                if not is_from_spark(error):
                    self._stop()  # an interrupt, a timeout: nobody waits for the job any more
                else:
                    self._ensure_same_shapes()
                raise
            finally:
                self._lease.busy.discard(self)
                self._idle.set()
                remove(self._tag)

    @cached_property
    def malformed(self) -> int:
        """The number of malformed lines that were skipped. Counting them is a Spark job of its own."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            return sum(count_malformed(self._spark, source) for source in self._lenient)

    def _with_fitting_shapes(self, action: Callable[[], T]) -> T:
        """The result of the action. If a line does not fit the shape that was learned (a key repeats in it, with values
        of two types), the action is repeated without the shape."""
        try:
            return action()
        except EvaluationError:
            unfit = self._compiled.failures.unreadable and bool(self._compiled.relies_on)
            if not unfit or self._compile_again is None:
                raise
        with self._lease.using(self._compiled.failures), settings(self._spark):
            self._compiled = self._compile_again(misread=self._compiled.relies_on)
        return action()

    def _renew(self) -> None:
        """Compile again if a file has changed whose shape the plan relies on."""
        if self._compile_again is not None and not all(learned.holds() for learned in self._compiled.relies_on):
            self._compiled = self._compile_again()

    def _ensure_same_files(self) -> None:
        """Spark opens files by name: check that they are still the files that the policy allowed, and that none changed
        while it was read."""
        for path in self._judged:
            ensure_unmoved(path)
        self._ensure_same_shapes()

    def _ensure_same_shapes(self) -> None:
        for learned in self._compiled.relies_on:
            if not learned.holds():
                names = ", ".join(f"'{file}'" for file in learned.states)
                raise EvaluationError(f"{names} changed while it was read", help="run the query again")

    def _warn_of_malformed(self) -> None:
        """Warn of skipped lines: counting them issues the warning."""
        if self._lenient:
            _ = self.malformed
