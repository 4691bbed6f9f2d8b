"""The Spark engine: it runs plans, and translates Spark's errors into our own."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.policy import ensure_unmoved
from firesteel.spark.core import limits as plan_depth
from firesteel.spark.core.fallback_log import Fallback, FallbackLog
from firesteel.spark.core.limits import Limits
from firesteel.spark.core.worker_package import is_connect
from firesteel.spark.encoding import columns
from firesteel.spark.encoding.arrow_values import download
from firesteel.spark.encoding.failures import Failures, is_from_spark, translated
from firesteel.spark.relations.compile import Compiled, compile_plan
from firesteel.spark.relations.shared import SharedRelations
from firesteel.spark.runtime.interrupts import interrupt_again, interruptible
from firesteel.spark.runtime.output import Warehouse, named_frame, store, write
from firesteel.spark.runtime.plan_cache import key_of
from firesteel.spark.runtime.sessions import Lease, lease, lease_given, release
from firesteel.spark.runtime.settings import java_options, settings
from firesteel.spark.runtime.start import STACK, silence
from firesteel.spark.sources.file_readers import text_lines
from firesteel.spark.sources.json_lines import malformed
from firesteel.spark.sources.known_shapes import KnownShapes, Learned
from firesteel.tables import File, Parts, Stored, files_of, is_document, path_of, records, warn_skipped
from firesteel.values import Bag, Sexp, Struct, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.tables import Source, Table

T = TypeVar("T")

#: A cancelled run is told to stop every 0.1 s: so many times while the caller waits, then so many in the background.
PATIENCE, STUBBORNNESS = 10, 1_200


class SparkEngine:
    """Runs plans on Spark: on a session that is given, or on one that it starts when it first needs it."""

    name = "spark"
    #: Spark reads tables only in relations: `decorrelate` moves subqueries over tables out of expressions. It sorts by
    #: columns: `rank_comparators` makes one of a comparison function that only Python knows. `plain_subqueries` leaves
    #: `decorrelate` no relations that it does not know.
    lowerings: tuple[str, ...] = ("rank_comparators", "plain_subqueries", "decorrelate")

    def __init__(
        self,
        spark: SparkSession | None = None,
        master: str | None = None,
        remote: str | None = None,
        fallback: Literal["allow", "refuse"] = "allow",
        warehouse: str | Path | None = None,
        shapes: str | Path | bool = True,
    ) -> None:
        self._warehouse = Warehouse(warehouse)
        folder = None if isinstance(shapes, bool) else path_of(shapes)
        self._shapes = KnownShapes(folder, on=shapes is not False)
        self._given = spark is not None
        self._refuse = fallback == "refuse"
        self._lease = None if spark is None else lease_given(spark)
        self._master = master
        self._remote = remote
        self._lock = threading.Lock()
        if spark is not None:
            silence()
            columns.forget()  # cached columns may belong to another JVM

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self._leased().spark

    def _leased(self) -> Lease:
        """The lease of a session. If we started Spark and it has ended, start it again."""
        with self._lock:
            if self._lease is not None and not self._given and self._lease.running.ended:
                release(self._lease)
                self._lease = None
            if self._lease is None:
                with translated(Failures()):
                    self._lease = lease(self._master, self._remote)
            return self._lease

    def dataframe(self, plan: p.Plan, tables: Sequence[Table] = ()) -> DataFrame:
        """The plan as a DataFrame with the user's column names."""
        return self.run(plan, tables).dataframe

    def together(self) -> SharedRelations:
        """What the statements of one plan share."""
        return SharedRelations()

    def admit(self, plan: p.Plan) -> None:
        """Refuse, before lowering, a plan that nests too deep for this Spark session."""
        leased = self._leased()
        with leased.using(Failures()):
            plan_depth.ensure(plan.statement, _limits(leased.spark))

    def run(self, plan: p.Plan, tables: Sequence[Table] = (), kept: SharedRelations | None = None) -> Outcome:
        """Compile a plan that has been through this engine's `lowerings`. It runs when the outcome's value is asked
        for."""
        kept = self.together() if kept is None else kept
        failures = kept.failures
        fallbacks = FallbackLog()
        leased = self._leased()
        spark = leased.spark
        lenient = _lenient(tables)
        key = None if kept.rows else key_of(plan, tables, self._shapes.on)

        def compiled_now(log: FallbackLog | None = None, misread: Sequence[Learned] = ()) -> Compiled:
            self._shapes.distrust(misread)
            return compile_plan(plan, tables, spark, _limits(spark), failures, log, self._refuse, kept, self._shapes)

        with leased.using(failures), settings(spark):
            known = leased.known.find(key)
            if known is not None:
                return Outcome(leased, *known, lenient=lenient, kept=kept, compile_again=compiled_now)
            compiled = compiled_now(fallbacks)
            if not fallbacks:
                leased.known.keep(key, compiled, plan)
        return Outcome(leased, compiled, plan, tuple(fallbacks), lenient, kept, _judged(tables), compiled_now)

    def forget(self) -> None:
        """Forget the plans that were compiled."""
        current = self._lease
        if current is not None:
            current.known.forget()

    def explain(self, plan: p.Plan, tables: Sequence[Table] = ()) -> tuple[p.Plan, Sequence[Fallback]]:
        """The plan as it is compiled, and the expressions of it that run in Python."""
        outcome = self.run(plan, tables)
        return outcome.plan, outcome.fallbacks

    def keep(
        self,
        plan: p.Plan | None,
        tables: Sequence[Table],
        columns: t.Schema,
        before: Source | None,
        kept: SharedRelations | None = None,
    ) -> Stored:
        """Write a plan's rows to a new folder. The table has the folders of `before`, then this one."""
        folders = before.folders if isinstance(before, Stored) else ()
        if plan is None:
            return Stored(folders, columns)
        folder = self._warehouse.folder(self.spark)
        self.run(plan, tables, kept).keep(folder, columns)
        return Stored((*folders, folder), columns)

    def close(self) -> None:
        """Remove stored tables, cancel running queries and release the session. It is stopped if we started it and no
        other engine uses it."""
        self._warehouse.close()
        self.forget()
        with self._lock:
            current, self._lease = self._lease, self._lease if self._given else None
        if current is not None and not self._given:
            release(current)


def _limits(spark: SparkSession) -> Limits:
    """How deep plans may nest on this session."""
    if is_connect(spark):
        return plan_depth.CONNECT
    return plan_depth.OWN if STACK in java_options(spark) else plan_depth.CLASSIC


def _lenient(tables: Sequence[Table]) -> list[File]:
    """The JSON files whose malformed lines are skipped."""
    files = (table.source for table in tables if table.malformed == "skip")
    return [source for source in files if isinstance(source, File) and source.format == "json"]


def _judged(tables: Sequence[Table]) -> list[Path]:
    """The files that a policy allowed to be read."""
    sources = (table.source.parts for table in tables if isinstance(table.source, Parts))
    return list(dict.fromkeys(part.path for parts in sources for part in parts))


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
    ) -> None:
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
        self._idle = threading.Event()
        self._idle.set()

    @property
    def dataframe(self) -> DataFrame:
        """The DataFrame, with the user's column names; nothing has run yet."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            self._renew()
            return named_frame(self._compiled)

    def value(self) -> Value:
        """The answer: a bag or list of values, or the only value; rows are structs."""
        return self._with_fitting_shapes(self._value)

    def _value(self) -> Value:
        with self._running():
            compiled = self._compiled.decided()
            rows = list(download(compiled.frame, compiled.types))
            self._ensure_same_files()
            self._warn_of_malformed()
        return answer_of(compiled, rows)

    def write(self, path: str | Path, format: str | None = None) -> None:
        """Write the answer. An existing target is replaced only when the new one is complete."""
        self._with_fitting_shapes(lambda: self._write(path, format))

    def _write(self, path: str | Path, format: str | None) -> None:
        with self._running():
            write(self._compiled, path, format, self._ensure_same_files)
            self._warn_of_malformed()

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
            try:
                if self._cancelled:
                    raise EvaluationError("cancelled")
                self._renew()
                yield
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
            return sum(self._count_malformed(source) for source in self._lenient)

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

    def _count_malformed(self, source: File) -> int:
        files, folders = files_of(source)
        if any(map(is_document, files)):
            count = sum(isinstance(item, EvaluationError) for item in records(source))
        else:
            count = malformed(text_lines(self._spark, source, files, folders)).count()
        if count:
            warn_skipped(source.path, count)
        return count


def answer_of(compiled: Compiled, rows: Sequence[tuple[Value, ...]]) -> Value:
    """A plan's rows as its answer: a bag, a list, or the only value."""
    if compiled.shape == "rows":
        structs = [Struct(zip(compiled.names, row, strict=True)) for row in rows]
        return structs if compiled.ordered else Bag(structs)
    values = [row[0] for row in rows]
    if compiled.shape == "value":
        return values[0]
    if compiled.kind is t.Bag:
        return Bag(values)
    return Sexp(values) if compiled.kind is t.Sexp else values
