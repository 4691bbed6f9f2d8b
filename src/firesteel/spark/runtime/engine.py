"""The Spark engine: the one place where things run, and where every error of Spark's becomes one of ours."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

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
from firesteel.spark.encoding.failures import Failures, foreign, translated
from firesteel.spark.relations.compile import Compiled, compile_plan
from firesteel.spark.relations.shared import Kept
from firesteel.spark.runtime.interrupts import again, interruptible
from firesteel.spark.runtime.output import Warehouse, edge, store, write
from firesteel.spark.runtime.plan_cache import key_of
from firesteel.spark.runtime.sessions import Lease, lease, lease_given, release
from firesteel.spark.runtime.settings import java_options, settings
from firesteel.spark.runtime.start import STACK, silence
from firesteel.spark.sources.json_lines import malformed
from firesteel.spark.sources.tables import text_lines
from firesteel.tables import File, Parts, Stored, files_of, is_document, records, warn_skipped
from firesteel.values import Bag, Sexp, Struct, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.tables import Source, Table

#: How often, ten times a second, a run is told to stop while somebody waits for that, and after that.
PATIENCE, STUBBORNNESS = 10, 1_200


class SparkEngine:
    """Runs plans on Spark: on a session that is given, or on one that it starts when it first needs it."""

    name = "spark"
    #: Spark has tables only in relations: `decorrelate` takes them out of expressions.
    lowerings: tuple[str, ...] = ("decorrelate",)

    def __init__(
        self,
        spark: SparkSession | None = None,
        master: str | None = None,
        remote: str | None = None,
        fallback: Literal["allow", "refuse"] = "allow",
        warehouse: str | Path | None = None,
    ) -> None:
        self._warehouse = Warehouse(warehouse)
        self._given = spark is not None
        self._refuse = fallback == "refuse"
        self._lease = None if spark is None else lease_given(spark)
        self._master = master
        self._remote = remote
        self._lock = threading.Lock()
        if spark is not None:
            silence()
            columns.forget()  # it may be on another JVM than the last one

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self._leased().spark

    def _leased(self) -> Lease:
        """The use of a session. Where Spark was started by us and has ended, it is started anew."""
        with self._lock:
            if self._lease is not None and not self._given and self._lease.running.ended:
                release(self._lease)
                self._lease = None
            if self._lease is None:
                with translated(Failures()):
                    self._lease = lease(self._master, self._remote)
            return self._lease

    def dataframe(self, plan: p.Plan, tables: Sequence[Table] = ()) -> DataFrame:
        """The plan as a DataFrame, with names at its edge."""
        return self.run(plan, tables).dataframe

    def together(self) -> Kept:
        """What the statements of one plan share."""
        return Kept()

    def admit(self, plan: p.Plan) -> None:
        """Refuse a plan that nests deeper than this session of Spark goes, before it is lowered."""
        leased = self._leased()
        with leased.using(Failures()):
            plan_depth.ensure(plan.statement, _limits(leased.spark))

    def run(self, plan: p.Plan, tables: Sequence[Table] = (), kept: Kept | None = None) -> Outcome:
        """The plan, after the lowering passes that this engine asks for, compiled. It is computed when its outcome is
        asked for."""
        kept = self.together() if kept is None else kept
        failures = kept.failures
        fallbacks = FallbackLog()
        leased = self._leased()
        spark = leased.spark
        lenient = _lenient(tables)
        key = None if kept.rows else key_of(plan, tables)
        with leased.using(failures), settings(spark):
            known = leased.known.find(key)
            if known is not None:
                return Outcome(leased, *known, lenient=lenient, kept=kept)
            compiled = compile_plan(plan, tables, spark, _limits(spark), failures, fallbacks, self._refuse, kept)
            if not fallbacks:
                leased.known.keep(key, compiled, plan)
        return Outcome(leased, compiled, plan, tuple(fallbacks), lenient, kept, _judged(tables))

    def forget(self) -> None:
        """Forget the plans that were compiled."""
        found = self._lease
        if found is not None:
            found.known.forget()

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
        kept: Kept | None = None,
    ) -> Stored:
        """The rows of a plan's root in a folder of their own, behind those that were kept before."""
        folders = before.folders if isinstance(before, Stored) else ()
        if plan is None:
            return Stored(folders, columns)
        folder = self._warehouse.folder(self.spark)
        self.run(plan, tables, kept).keep(folder, columns)
        return Stored((*folders, folder), columns)

    def close(self) -> None:
        """Give the session back: it is stopped if it was started here and nobody else uses it; what was kept is gone.
        A query that is still running is cancelled."""
        self._warehouse.close()
        self.forget()
        with self._lock:
            found, self._lease = self._lease, self._lease if self._given else None
        if found is not None and not self._given:
            release(found)


def _limits(spark: SparkSession) -> Limits:
    """How deep plans may nest on this session."""
    if is_connect(spark):
        return plan_depth.CONNECT
    return plan_depth.OWN if STACK in java_options(spark) else plan_depth.CLASSIC


def _lenient(tables: Sequence[Table]) -> list[File]:
    """The files of which lines that are no JSON are left out."""
    files = (table.source for table in tables if table.malformed == "skip")
    return [source for source in files if isinstance(source, File) and source.format == "json"]


def _judged(tables: Sequence[Table]) -> list[Path]:
    """The files that a policy allowed to be read."""
    found = (table.source.parts for table in tables if isinstance(table.source, Parts))
    return list(dict.fromkeys(part.path for parts_ in found for part in parts_))


class Outcome:
    """A compiled plan: its value, its DataFrame, its output."""

    def __init__(
        self,
        lease: Lease,
        compiled: Compiled,
        plan: p.Plan,
        fallbacks: tuple[Fallback, ...] = (),
        lenient: Sequence[File] = (),
        kept: Kept | None = None,
        judged: Sequence[Path] = (),
    ) -> None:
        self._judged = judged
        self._kept = kept  # for as long as the answer may be asked for
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
        """The DataFrame, with names at its edge; not yet computed."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            return edge(self._compiled)

    def value(self) -> Value:
        """The answer: a bag or list of values, or the only value; rows are structs."""
        with self._running():
            compiled = self._compiled.decided()
            rows = list(download(compiled.frame, compiled.types))
            self._ensure_judged()
            self._tell()
        return gathered(compiled, rows)

    def write(self, path: str | Path, format: str | None = None) -> None:
        """Write the answer; what was there before stays until the new one is whole."""
        with self._running():
            write(self._compiled, path, format, self._ensure_judged)
            self._tell()

    def keep(self, folder: Path, columns: t.Schema) -> None:
        """Write the rows to a folder of ours, from where they are read as they are."""
        with self._running():
            store(self._compiled, folder, columns, self.plan.statement.where, self._ensure_judged)
            self._tell()

    def cancel(self) -> None:
        """Stop computing, wherever that is going on; wait a little until it has stopped."""
        self._cancelled = True
        if not self._stopped(PATIENCE):
            threading.Thread(target=self._chased, daemon=True).start()

    def _stopped(self, tries: int) -> bool:
        """Tell Spark to stop until it has: what is still being planned has no job yet that could be stopped."""
        for _ in range(tries):
            self._stop()
            if self._idle.wait(0.1):
                return True
        return False

    def _interrupted(self) -> None:
        """The main thread was interrupted. PySpark waits on for what Spark is planning: interrupt it again then."""
        if not self._stopped(PATIENCE):
            again()
            self._chased()

    def _chased(self) -> None:
        """Stop what is planned in the end after all, unless the session ends before."""
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
        """Spark is at work on this outcome, under a tag by which it can be cancelled."""
        tags: Any = self._spark if is_connect(self._spark) else self._spark.sparkContext
        add, remove = (tags.addTag, tags.removeTag) if tags is self._spark else (tags.addJobTag, tags.removeJobTag)
        using = self._lease.using(self._compiled.failures)
        with interruptible(self._interrupted), using, settings(self._spark):
            add(self._tag)
            self._idle.clear()
            self._lease.busy.add(self)
            try:
                if self._cancelled:
                    raise EvaluationError("cancelled")
                yield
            except BaseException as error:
                if not foreign(error):
                    self._stop()  # an interrupt, a timeout: nobody waits for the job any more
                raise
            finally:
                self._lease.busy.discard(self)
                self._idle.set()
                remove(self._tag)

    @cached_property
    def malformed(self) -> int:
        """How many lines of the files that were read were left out. Counting them is a job of its own."""
        with self._lease.using(self._compiled.failures), settings(self._spark):
            return sum(self._left_out(source) for source in self._lenient)

    def _ensure_judged(self) -> None:
        """Spark opens by name: the files that it has read must still be those that were judged."""
        for path in self._judged:
            ensure_unmoved(path)

    def _tell(self) -> None:
        """Warn of lines that were left out: counting them does."""
        if self._lenient:
            _ = self.malformed

    def _left_out(self, source: File) -> int:
        files, folders = files_of(source)
        if any(map(is_document, files)):
            count = sum(isinstance(item, EvaluationError) for item in records(source))
        else:
            count = malformed(text_lines(self._spark, source, files, folders)).count()
        if count:
            warn_skipped(source.path, count)
        return count


def gathered(compiled: Compiled, rows: Sequence[tuple[Value, ...]]) -> Value:
    """The answer that a plan's rows make."""
    if compiled.shape == "rows":
        structs = [Struct(zip(compiled.names, row, strict=True)) for row in rows]
        return structs if compiled.ordered else Bag(structs)
    values = [row[0] for row in rows]
    if compiled.shape == "value":
        return values[0]
    if compiled.kind is t.Bag:
        return Bag(values)
    return Sexp(values) if compiled.kind is t.Sexp else values
