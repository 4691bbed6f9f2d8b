"""Calling a task of `worker.py` for every row of a frame.

A task is an Arrow function, and one call of it a column (`arrow_udf`). Spark 4.0 has no such functions. There the frame
goes through `mapInArrow`, which hands all of its columns to Python and takes them back with the result beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.spark.core.expr import Expr, column_expr, reference
from firesteel.spark.core.scope import Scope
from firesteel.spark.core.worker import Task
from firesteel.spark.core.worker_package import ship
from firesteel.spark.encoding import versions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def call_task(scope: Scope, task: Task, given: Sequence[Column], result: s.StructType, stage: int) -> Expr:
    """The task's result, bound in the scope; `stage` is the first in which the columns `given` exist."""
    ship(scope.run.spark)
    if versions.has_feature(scope.run.spark, "arrow_udf"):
        arrow_udf = functions.arrow_udf  # type: ignore[attr-defined]
        return scope.bind(column_expr(t.ANY, arrow_udf(task.reference, result)(*given), stage=stage))
    assert scope.stages is not None
    name = scope.run.name()
    scope.stages.add_step(lambda frame: _map_in_arrow(frame, task, given, s.StructField(name, result)), stage)
    return reference(t.ANY, name).with_place(stage=stage + 1)


def _map_in_arrow(frame: DataFrame, task: Task, given: Sequence[Column], result: s.StructField) -> DataFrame:
    """The frame with the task's result as one more column."""
    inputs = [column.alias(f"{result.name}_{i}") for i, column in enumerate(given)]
    kept = frame.schema.fields
    wide = frame.select("*", *inputs)
    return wide.mapInArrow(Batches(task, len(kept), result.name).results, s.StructType([*kept, result]))


@dataclass(frozen=True)
class Batches:
    """Runs in the workers: of each batch the first columns are returned, the others are the inputs of the task."""

    task: Task
    kept: int
    name: str

    def results(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = self.task.reference(*batch.columns[self.kept :])
            names = [*batch.schema.names[: self.kept], self.name]
            yield pa.RecordBatch.from_arrays([*batch.columns[: self.kept], found], names=names)
