"""How far a query is: the stages that Spark runs, and how many of their tasks are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from firesteel.evaluate.meter import Progress
from firesteel.spark.core.worker_package import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel.spark.runtime.sessions import Lease

#: The tasks of a stage, and how many of them are done.
Tasks = tuple[int, int]


class StagesSeen:
    """The stages of classic Spark that were seen while somebody asked. Spark tells the active ones only: one that is no
    longer active is done."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._seen: dict[int, Tasks] = {}

    def tasks(self) -> list[Tasks]:
        tracker = self._spark.sparkContext.statusTracker()
        active = {number: tracker.getStageInfo(number) for number in tracker.getActiveStageIds()}
        for number, (count, _) in self._seen.items():
            self._seen[number] = (count, count)
        for number, info in active.items():
            if info is not None:
                self._seen[number] = (info.numTasks, min(info.numCompletedTasks, info.numTasks))
        return list(self._seen.values())

    def close(self) -> None:
        """Nothing was registered."""


class StagesTold:
    """The stages that Spark Connect tells of: those of each operation."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._told: dict[str | None, list[Tasks]] = {}
        spark.registerProgressHandler(self._handle)  # type: ignore[arg-type]

    def _handle(self, stages: Iterable[Any] | None, operation_id: str | None, **_: object) -> None:
        self._told[operation_id] = [(stage.num_tasks, stage.num_completed_tasks) for stage in stages or ()]

    def tasks(self) -> list[Tasks]:
        return [stage for stages in list(self._told.values()) for stage in stages]

    def close(self) -> None:
        with suppress(ValueError):
            self._spark.removeProgressHandler(self._handle)  # type: ignore[arg-type]


class SparkWatch:
    """Tells how far the query is that an engine runs. It counts from when it is first asked, and for all that runs on
    the session. It never starts Spark, nor waits for its start."""

    def __init__(self, lease: Callable[[], Lease | None], began: float) -> None:
        self._lease = lease
        self._began = began
        self._stages: StagesSeen | StagesTold | None = None

    def now(self) -> Progress | None:
        """How far the query is; None if Spark runs nothing of ours, or does not answer."""
        with suppress(Exception):  # Spark may end at any time, and the query itself reports that
            lease = self._lease()
            if lease is None:
                return None
            if self._stages is None:
                self._stages = (StagesTold if is_connect(lease.spark) else StagesSeen)(lease.spark)
            stages = self._stages.tasks()
            if stages or lease.busy:
                tasks, done = sum(count for count, _ in stages), sum(done for _, done in stages)
                return Progress(time.perf_counter() - self._began, "spark", len(stages), tasks, done)
        return None

    def close(self) -> None:
        """Ask no more."""
        if self._stages is not None:
            with suppress(Exception):
                self._stages.close()
