"""The Spark engine: the one place where things run, and where every error of Spark's becomes one of ours."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.spark import depth
from firesteel.spark.compile import Compiled, compile_plan
from firesteel.spark.depth import Limits
from firesteel.spark.failures import Failures, translated
from firesteel.spark.output import edge, write
from firesteel.spark.start import STACK, silence, start
from firesteel.spark.transfer import download
from firesteel.values import Bag, Sexp, Struct, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.tables import Table

#: What our plans need of a session, set while something of ours is built or runs. A DataFrame that is handed out runs
#: under its owner's settings: there the time zone and the iterations matter to unusual plans only.
SETTINGS: dict[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.analyzer.maxIterations": "10000",
    "spark.sql.optimizer.maxIterations": "10000",
}


class SparkEngine:
    """Runs plans on Spark: on a session that is given, or on one that it starts when it first needs it."""

    name = "spark"

    def __init__(self, spark: SparkSession | None = None, master: str | None = None, remote: str | None = None) -> None:
        self._given = spark is not None
        self._spark = spark
        self._master = master
        self._remote = remote
        self._lock = threading.Lock()
        if spark is not None:
            silence()

    @property
    def spark(self) -> SparkSession:
        """The session."""
        with self._lock:
            if self._spark is None:
                with translated(Failures()):
                    self._spark = start(self._master, self._remote)
            return self._spark

    @property
    def limits(self) -> Limits:
        """How deep plans may nest on this session."""
        if _is_connect(self.spark):
            return depth.CONNECT
        options = self.spark.conf.get("spark.driver.extraJavaOptions", "") or ""
        return depth.OWN if STACK in options else depth.CLASSIC

    def dataframe(self, plan: p.Plan, tables: Sequence[Table] = ()) -> DataFrame:
        """The plan as a DataFrame, with names at its edge."""
        return self.run(plan, tables).dataframe

    def run(self, plan: p.Plan, tables: Sequence[Table] = ()) -> Outcome:
        """The plan, compiled. It is computed when its outcome is asked for."""
        failures = Failures()
        spark = self.spark
        with translated(failures), settings(spark):
            return Outcome(spark, compile_plan(plan, tables, spark, self.limits, failures))

    def close(self) -> None:
        """Stop the session, if it was started here."""
        with self._lock:
            if self._spark is not None and not self._given:
                self._spark.stop()
                self._spark = None


class Outcome:
    """A compiled plan: its value, its DataFrame, its output."""

    def __init__(self, spark: SparkSession, compiled: Compiled) -> None:
        self._spark = spark
        self._compiled = compiled
        self._tag = f"firesteel-{uuid.uuid4().hex}"
        self._cancelled = False

    @property
    def dataframe(self) -> DataFrame:
        """The DataFrame, with names at its edge; not yet computed."""
        with translated(self._compiled.failures), settings(self._spark):
            return edge(self._compiled)

    def value(self) -> Value:
        """The answer: a bag or list of values, or the only value; rows are structs."""
        compiled = self._compiled
        with self._running():
            rows = list(download(compiled.frame, compiled.types))
        if compiled.shape == "rows":
            structs = [Struct(zip(compiled.names, row, strict=True)) for row in rows]
            return structs if compiled.ordered else Bag(structs)
        values = [row[0] for row in rows]
        if compiled.shape == "value":
            return values[0]
        if compiled.kind is t.Bag:
            return Bag(values)
        return Sexp(values) if compiled.kind is t.Sexp else values

    def write(self, path: str | Path, format: str | None = None) -> None:
        """Write the answer; what was there before stays until the new one is whole."""
        with self._running():
            write(self._compiled, Path(path), format)

    def cancel(self) -> None:
        """Stop computing, wherever that is going on."""
        self._cancelled = True
        if _is_connect(self._spark):
            self._spark.interruptTag(self._tag)
        else:
            self._spark.sparkContext.cancelJobsWithTag(self._tag)

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Spark is at work on this outcome, under a tag by which it can be cancelled."""
        if self._cancelled:
            raise EvaluationError("cancelled")
        tags: Any = self._spark if _is_connect(self._spark) else self._spark.sparkContext
        add, remove = (tags.addTag, tags.removeTag) if tags is self._spark else (tags.addJobTag, tags.removeJobTag)
        with translated(self._compiled.failures), settings(self._spark):
            add(self._tag)
            try:
                yield
            finally:
                remove(self._tag)


def _is_connect(spark: SparkSession) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


_settings_lock = threading.RLock()


@contextmanager
def settings(spark: SparkSession) -> Iterator[None]:
    """The settings that our plans need, for as long as this lasts."""
    changed: dict[str, str | None] = {}
    with _settings_lock:
        for name, value in SETTINGS.items():
            before = spark.conf.get(name, None)
            if before != value:
                changed[name] = before
                spark.conf.set(name, value)
    try:
        yield
    finally:
        with _settings_lock:
            for name, old in changed.items():
                if old is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, old)
