"""What runs in Spark's Python workers: expressions that have no native form, by the reference evaluator.

A `Job` is all that such an expression needs there. It goes as a pickle, made by this package for this package, and is
compiled once in every worker process. Nothing is raised in a worker: an error is a value beside the result, so that
it becomes one just where Spark needs the result, as with expressions that are native.
"""

from __future__ import annotations

import datetime
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import types as s

from firesteel import evaluate
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError
from firesteel.functions import substrait
from firesteel.node import depth, walk
from firesteel.source import Place
from firesteel.spark.encoding.arrow_values import NotPlain, arrow_type, putter, taken
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.failures import marked
from firesteel.stack import room
from firesteel.tables import Table
from firesteel.values import Value

#: What a level of a plan takes of the stack while it is pickled.
_FRAMES = 20


@dataclass(frozen=True)
class Job:
    """An expression over one row, the columns of which are the inputs."""

    rex: p.Rex
    mode: p.Mode
    #: The tables that it refers to, where they stand among those of the plan.
    tables: tuple[Table | None, ...]
    #: The time of the run: one and the same in all workers.
    now: datetime.datetime
    inputs: tuple[t.Type, ...]
    result: t.Type
    #: Is the first column no input, but says where the result is needed at all?
    guarded: bool
    #: The number of its place. Those of its parts are where their places were: see `failures.Failures.number`.
    number: int
    #: The functions of the user's that it calls: the worker is told of them first.
    registered: bytes = b""

    def pickled(self) -> bytes:
        with room(_FRAMES * depth(self.rex)):
            return pickle.dumps(replace(self, registered=_registered(self.rex)))

    def outcomes(self) -> Callable[[Iterable[tuple[Value, ...]]], list[Value | FiresteelError]]:
        """What computes it; an error of ours if that cannot be done."""
        # What it does not refer to may be absent.
        tables: Any = self.tables
        return evaluate.each(self.rex, self.mode, tables, self.now)


def returned(result: t.Type) -> s.StructType:
    """Spark's type of what a task gives: the result, or the error instead of it."""
    return s.StructType([s.StructField("v", to_spark(result)), s.StructField("e", s.StringType())])


class Task:
    """A job as a function of Arrow columns."""

    def __init__(self, job: bytes) -> None:
        self._job = job

    def reference(self, *columns: pa.Array) -> pa.Array:
        """The results for a batch of rows."""
        job, outcomes = _compiled(self._job)
        size = len(columns[0])
        needed = columns[0].to_pylist() if job.guarded else None
        values = [
            taken(column, type_, sealed=False)
            for column, type_ in zip(columns[len(columns) - len(job.inputs) :], job.inputs, strict=True)
        ]
        rows: Iterable[tuple[Value, ...]] = zip(*values, strict=True) if values else [()] * size
        if needed is None:
            return _encoded(job, outcomes(rows))
        found = iter(outcomes([row for row, wanted in zip(rows, needed, strict=True) if wanted]))
        return _encoded(job, [next(found) if wanted else _NOTHING for wanted in needed])


_NOTHING = object()


@lru_cache(maxsize=256)
def _compiled(pickled: bytes) -> tuple[Job, Callable[[Iterable[tuple[Value, ...]]], list[Value | FiresteelError]]]:
    job: Job = pickle.loads(pickled)
    for one in pickle.loads(job.registered) if job.registered else ():
        substrait.add(one)
    return job, job.outcomes()


def _registered(rex: p.Rex) -> bytes:
    names = {node.fn.name for node in walk(rex, p.Call)}
    found = [one for one in map(substrait.registered, sorted(names)) if one is not None]
    return cloudpickle.dumps([replace(one, column=None) for one in found]) if found else b""


def _encoded(job: Job, outcomes: list[Value | FiresteelError]) -> pa.Array:
    """The results as a column, and the errors as one beside it."""
    put = putter(job.result)
    made: list[Any] = []
    errors: list[str | None] = []
    for outcome in outcomes:
        value, error = None, outcome if isinstance(outcome, FiresteelError) else None
        if error is None and outcome is not _NOTHING:
            try:
                value = put(outcome)
            except FiresteelError as failed:
                error = failed
            except NotPlain:
                error = EvaluationError(f"the plan says {job.result} of what is a {t.type_of(outcome)}")
        made.append(value)
        errors.append(None if error is None else marked(_number(job, error), error))
    kind = arrow_type(to_spark(job.result))
    fields = [pa.field("v", kind), pa.field("e", pa.string())]
    return pa.StructArray.from_arrays([pa.array(made, kind), pa.array(errors, pa.string())], fields=fields)


def placed(number: int) -> Place:
    """A place that is only a number: the worker has no need of the text."""
    return Place((str(number),))


def _number(job: Job, error: FiresteelError) -> int:
    return int(error.where.path[0]) if isinstance(error.where, Place) else job.number
