"""What runs in Spark's Python workers: expressions that have no native form, by the reference evaluator.

A `Job` is all that such an expression needs there. It is sent as a pickle and compiled once in every worker process. A
worker raises no errors: it returns an error beside the result, and Spark raises it only where the result is needed, as
it does for native expressions.
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
from firesteel.functions import substrait, users
from firesteel.node import depth, walk
from firesteel.source import Place
from firesteel.spark.encoding.arrow_values import NotPlain, arrow_type, putter, taken
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.failures import mark_message
from firesteel.stack import room
from firesteel.tables import Table
from firesteel.values import Value

#: How many stack frames pickling takes for each level of a plan.
_FRAMES = 20


@dataclass(frozen=True)
class Job:
    """An expression over one row, the columns of which are the inputs."""

    rex: p.Rex
    mode: p.Mode
    #: The tables that it refers to, at their ordinals in the plan; None for the plan's other tables.
    tables: tuple[Table | None, ...]
    #: The time of the run, the same in all workers.
    now: datetime.datetime
    inputs: tuple[t.Type, ...]
    result: t.Type
    #: Is the first column a guard, which is true where the result is needed, and no input?
    guarded: bool
    #: The number of its place in the query (`failures.Failures.number`). Its parts have such numbers as their places.
    number: int
    #: The user's functions that it calls, pickled: the worker registers them first.
    registered: bytes = b""

    def pickled(self) -> bytes:
        with room(_FRAMES * depth(self.rex)):
            return pickle.dumps(replace(self, registered=_pickle_functions(self.rex)))

    def outcomes(self) -> Callable[[Iterable[tuple[Value, ...]]], list[Value | FiresteelError]]:
        """A function from rows to results; an error of ours if the evaluator does not support the expression."""
        # The tables that it does not refer to are None.
        tables: Any = self.tables
        return evaluate.each(self.rex, self.mode, tables, self.now)


def result_type(result: t.Type) -> s.StructType:
    """Spark's type of what a task returns: the result `v`, or the error `e` instead of it."""
    return s.StructType([s.StructField("v", to_spark(result)), s.StructField("e", s.StringType())])


class Task:
    """A job as a function of Arrow columns."""

    def __init__(self, job: bytes) -> None:
        self._job = job

    def reference(self, *columns: pa.Array) -> pa.Array:
        """The results for a batch of rows."""
        job, outcomes = _load_job(self._job)
        size = len(columns[0])
        needed = columns[0].to_pylist() if job.guarded else None
        values = [
            taken(column, type_, sealed=False)
            for column, type_ in zip(columns[len(columns) - len(job.inputs) :], job.inputs, strict=True)
        ]
        rows: Iterable[tuple[Value, ...]] = zip(*values, strict=True) if values else [()] * size
        if needed is None:
            return _encode_outcomes(job, outcomes(rows))
        computed = iter(outcomes([row for row, wanted in zip(rows, needed, strict=True) if wanted]))
        return _encode_outcomes(job, [next(computed) if wanted else _NOTHING for wanted in needed])


_NOTHING = object()


@lru_cache(maxsize=256)
def _load_job(pickled: bytes) -> tuple[Job, Callable[[Iterable[tuple[Value, ...]]], list[Value | FiresteelError]]]:
    job: Job = pickle.loads(pickled)
    for function in pickle.loads(job.registered) if job.registered else ():
        (users if isinstance(function, users.UserFunction) else substrait).add(function)
    return job, job.outcomes()


def _pickle_functions(rex: p.Rex) -> bytes:
    """The user's functions that an expression calls, or names as what to compare by."""
    called = [node.fn for node in walk(rex, p.Call)]
    names = {fn.name for fn in called} | {fn.choice("comparator") or "" for fn in called}
    functions = [function for function in map(substrait.registered, sorted(names)) if function is not None]
    kept: list[Any] = [replace(function, column=None, sort_key=None) for function in functions]
    named = [user for user in map(users.find, sorted(names)) if user is not None]
    kept += [replace(user, udf=None, vectorized=user.takes == "arrow") for user in named]
    return cloudpickle.dumps(kept) if kept else b""


def _encode_outcomes(job: Job, outcomes: list[Value | FiresteelError]) -> pa.Array:
    """The results as a column, and the errors as one beside it."""
    put = putter(job.result)
    results: list[Any] = []
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
        results.append(value)
        errors.append(None if error is None else mark_message(_place_number(job, error), error))
    kind = arrow_type(to_spark(job.result))
    fields = [pa.field("v", kind), pa.field("e", pa.string())]
    return pa.StructArray.from_arrays([pa.array(results, kind), pa.array(errors, pa.string())], fields=fields)


def numbered_place(number: int) -> Place:
    """A place that is only a number: the worker does not get the text of the query."""
    return Place((str(number),))


def _place_number(job: Job, error: FiresteelError) -> int:
    return int(error.where.path[0]) if isinstance(error.where, Place) else job.number
