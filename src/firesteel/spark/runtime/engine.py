"""The Spark engine: it runs plans, and translates Spark's errors into our own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core import limits as plan_depth
from firesteel.spark.core.fallback_log import Fallback, FallbackLog
from firesteel.spark.core.limits import Limits
from firesteel.spark.core.worker_package import is_connect
from firesteel.spark.encoding import columns
from firesteel.spark.encoding.failures import Failures, translated
from firesteel.spark.relations.compile import Compiled, compile_plan
from firesteel.spark.relations.shared import SharedRelations
from firesteel.spark.runtime.outcome import Outcome
from firesteel.spark.runtime.output import Warehouse
from firesteel.spark.runtime.plan_cache import key_of
from firesteel.spark.runtime.progress import SparkWatch
from firesteel.spark.runtime.read_files import judged_files, lenient_files
from firesteel.spark.runtime.session_catalog import find_table, table_names
from firesteel.spark.runtime.sessions import Lease, lease, lease_given, release
from firesteel.spark.runtime.settings import java_options, settings
from firesteel.spark.runtime.start import STACK, silence
from firesteel.spark.runtime.streams import ensure_streams
from firesteel.spark.sources.shapes.known_shapes import KnownShapes, Learned
from firesteel.spark.sources.tables import stored_frame
from firesteel.tables import File, Stored, files_of, path_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.tables import Source, Table


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
        conf: Mapping[str, str] | None = None,
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
        self._conf = dict(conf or {})
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
                    self._lease = lease(self._master, self._remote, self._conf)
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
        lenient, streaming = lenient_files(tables), ensure_streams(plan, tables)
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
        judged = judged_files(tables)
        return Outcome(leased, compiled, plan, tuple(fallbacks), lenient, kept, judged, compiled_now, streaming)

    def find_table(self, path: Sequence[str]) -> Table | None:
        """The table or view of the Spark session of that name, if it has one."""
        leased = self._leased()
        with leased.using(Failures()):
            return find_table(leased.spark, path)

    def table_names(self) -> list[str]:
        """The tables and views that the Spark session lists."""
        leased = self._leased()
        with leased.using(Failures()):
            return table_names(leased.spark)

    def shape_of(self, source: File) -> str:
        """What is known of the shape of these files."""
        return self._shapes.knowledge(files_of(source)[0])

    def forget(self) -> None:
        """Forget the plans that were compiled."""
        current = self._lease
        if current is not None:
            current.known.forget()

    def explain(self, plan: p.Plan, tables: Sequence[Table] = ()) -> tuple[p.Plan, Sequence[Fallback]]:
        """The plan as it is compiled, and the expressions of it that run in Python."""
        outcome = self.run(plan, tables)
        return outcome.plan, outcome.fallbacks

    def physical_plan(self, plan: p.Plan, tables: Sequence[Table] = ()) -> str:
        """Spark's physical plan, as Spark prints it. Nothing is run for that."""
        return self.run(plan, tables).physical_plan()

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

    def pin(self, source: Source) -> None:
        """Keep the rows of a stored table in memory: Spark uses them wherever a plan reads that table."""
        assert isinstance(source, Stored)
        self._warehouse.pin(stored_frame(self.spark, source))

    def watch(self, began: float) -> SparkWatch:
        """An object that tells, from any thread, how far the query is that runs."""
        return SparkWatch(lambda: self._lease, began)

    def close(self) -> None:
        """Remove stored tables, cancel queries, release the session; stop it if we started it and no other uses it."""
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
