"""Run many small queries on Spark in few jobs.

A Spark job takes a quarter of a second even without data, mostly for generating code. So the frames of many queries are
combined by a union; each row has the number of its query and a value, or, for the rows of a relation, a value per
column. An error fails the whole job; the query that raises it is found by halving. Rows stay in order, because a union
concatenates the partitions of its inputs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from firesteel import types as t
from firesteel.session import Result
from firesteel.values import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.spark.relations.compile import Compiled

#: Settings that make tiny jobs fast: no generated code, no adaptive planning, one task for a table.
FAST: dict[str, str] = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}

#: Settings that turn off the rules with which Catalyst computes literals while planning, so that the job computes them.
COMPUTING: dict[str, str] = {
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}"
        for rule in ("ConstantFolding", "NullPropagation", "ConvertToLocalRelation")
    )
}

#: The number of outcomes that share a job.
SIZE = 64
#: Fewer outcomes of a type than this do not get a job of their own.
FEW = 8


@contextmanager
def configured(spark: SparkSession, settings: Mapping[str, str | None]) -> Iterator[None]:
    """A context manager that changes settings of the session. None stands for Spark's default."""
    before = {name: spark.conf.get(name, None) for name in settings}
    _set(spark, settings)
    try:
        yield
    finally:
        _set(spark, before)


def _set(spark: SparkSession, settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)


@dataclass(frozen=True)
class Answer:
    """The answer of a query: its value (a `Result` until it is computed) or its error, and whether it ran without
    Python."""

    value: Any = None
    error: Exception | None = None
    native: bool = True
    #: Is the answer wrapped in a collection of one element?
    boxed: bool = False

    def computed(self, value: Value) -> Answer:
        """The answer with its computed value."""
        return replace(self, value=value[0] if self.boxed else value, boxed=False)


A = TypeVar("A")
B = TypeVar("B")


def parallel(work: Callable[[A], B], items: Sequence[A], threads: int = 2) -> list[B]:
    """Do the work for every item on so many threads. Spark plans each on one core."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def evaluated(answer: Answer) -> Answer:
    """The answer with its value computed, if that has not been done yet."""
    if not isinstance(answer.value, Result):
        return answer
    try:
        return answer.computed(answer.value.value())
    except Exception as error:
        return replace(answer, value=None, error=error)


def together(answers: Sequence[Answer], *, alone: Sequence[bool] = (), threads: int = 2) -> list[Answer]:
    """Compute the values of the answers, in order. Those marked `alone` (they are expected to fail) run one by one, the
    others in batches."""
    single = alone or [False] * len(answers)
    waiting = [i for i, answer in enumerate(answers) if isinstance(answer.value, Result)]
    batches = [[i] for i in waiting if single[i]]
    batches += _batches([i for i in waiting if not single[i]], answers)
    found = list(answers)
    for batch, made in zip(batches, parallel(lambda b: _run([answers[i] for i in b]), batches, threads), strict=True):
        for i, answer in zip(batch, made, strict=True):
            found[i] = answer
    return found


def _outcome(answer: Answer) -> Any:
    return answer.value._outcome


def _batches(indices: Sequence[int], answers: Sequence[Answer]) -> list[list[int]]:
    """Groups of answers that may share a job: rows of relations; values of one type, and, for types with few answers,
    all that can become variants. Answers that use Python are in batches of their own; those whose kind only the run can
    tell run alone."""
    alike: dict[t.Type, list[int]] = {}
    single: list[list[int]] = []
    relations: list[int] = []
    for i in indices:
        outcome = _outcome(answers[i])
        compiled: Compiled | None = getattr(outcome, "_compiled", None)
        if compiled is None or compiled.ordered is None:
            single.append([i])
        elif compiled.shape == "rows":
            relations.append(i)
        else:
            alike.setdefault(compiled.types[0], []).append(i)
    few = [type_ for type_, group in alike.items() if len(group) < FEW and type_ != t.ANY]
    for type_ in few:
        alike.setdefault(t.ANY, []).extend(alike.pop(type_))
    groups = [group for some in (relations, *alike.values()) for group in _by_fallback(some, answers)]
    return single + [group[at : at + SIZE] for group in groups for at in range(0, len(group), SIZE)]


def _by_fallback(group: Sequence[int], answers: Sequence[Answer]) -> list[list[int]]:
    """Split a group into the answers that use Python and those that do not."""
    python = [i for i in group if _outcome(answers[i]).fallbacks]
    native = [i for i in group if not _outcome(answers[i]).fallbacks]
    return [part for part in (native, python) if part]


def _run(answers: Sequence[Answer]) -> list[Answer]:
    """Compute answers in one job; if it fails, in halves."""
    if len(answers) == 1:
        return [_alone(answers[0])]
    try:
        found, native = _shared(answers)
    except Exception:  # halving finds the answer that raises it, and reports it there
        half = len(answers) // 2
        return _run(answers[:half]) + _run(answers[half:])
    if not native and not _outcome(answers[0]).fallbacks:  # unexpected Python: run each alone to find whose it is
        return [_alone(answer) for answer in answers]
    return [replace(answer, native=native).computed(value) for value, answer in zip(found, answers, strict=True)]


def _alone(answer: Answer) -> Answer:
    """Compute one answer as for a user. Whether its plan uses Python is found out even if the run fails."""
    outcome = _outcome(answer)
    native = not outcome.fallbacks
    if native:
        try:
            native = not _python_nodes(outcome._compiled.frame)
        except Exception:  # Spark cannot plan it; the run below reports the error
            native = True
    return evaluated(replace(answer, native=native))


def _shared(answers: Sequence[Answer]) -> tuple[list[Value], bool]:
    """The values of several answers, computed in one job, and whether its physical plan has no Python node."""
    from pyspark.sql import functions as F

    from firesteel.spark.encoding.arrow_values import seal, taken
    from firesteel.spark.runtime.engine import answer_of
    from firesteel.spark.runtime.settings import settings

    outcomes = [_outcome(answer) for answer in answers]
    compiled = [outcome._compiled for outcome in outcomes]
    slots, places = _slots(compiled)
    rows: list[list[tuple[Value, ...]]] = [[] for _ in compiled]
    with settings(outcomes[0]._spark):
        whole = _union([_tagged(one, i, slots, places[i]) for i, one in enumerate(compiled)])
        # One task, because every task has to read the plans of all answers.
        sealed = [seal(F.col(f"v{k}"), type_).alias(f"v{k}") for k, type_ in enumerate(slots)]
        whole = whole.select("i", *sealed).coalesce(1)
        table = whole.toArrow()
        native = not _python_nodes(whole)
    columns = [taken(table.column(f"v{k}"), type_, sealed=True) for k, type_ in enumerate(slots)]
    for row, i in enumerate(table.column("i").to_pylist()):
        rows[i].append(tuple(columns[k][row] for k in places[i]))
    return [answer_of(one, found) for one, found in zip(compiled, rows, strict=True)], native


def _slots(compiled: Sequence[Compiled]) -> tuple[list[t.Type], list[list[int]]]:
    """The types of the columns that all rows of a job have, and for each answer which of them hold its columns.

    Values share one column, of their type or else of any type. Columns of relations keep their types: an answer uses
    the first slots of its columns' types, and has NULL in all others.
    """
    if all(one.shape != "rows" for one in compiled):
        types = {one.types[0] for one in compiled}
        return [types.pop() if len(types) == 1 else t.ANY], [[0]] * len(compiled)
    slots: list[t.Type] = []
    places: list[list[int]] = []
    for one in compiled:
        mine: list[int] = []
        for type_ in one.types:
            slot = t.absent(type_, nullable=True)
            place = next((k for k, known in enumerate(slots) if known == slot and k not in mine), len(slots))
            slots += [slot] if place == len(slots) else []
            mine.append(place)
        places.append(mine)
    return slots, places


_printing = threading.Lock()


def _python_nodes(frame: DataFrame) -> list[str]:
    """The nodes of the frame's physical plan that run Python. `explain` prints to stdout, so one thread at a time."""
    from firesteel.spark.runtime.inspect import python_nodes

    with _printing:
        return python_nodes(frame)


def _tagged(compiled: Compiled, number: int, slots: Sequence[t.Type], places: Sequence[int]) -> DataFrame:
    """The frame with the number of its answer in the column `i`, and its columns in those slots, `v0` to `vn`."""
    from pyspark.sql import functions as F

    from firesteel.spark.core.conversions import convert
    from firesteel.spark.encoding.column_types import to_spark

    filled = {k: convert(F.col(f"o{i}"), compiled.types[i], slots[k]) for i, k in enumerate(places)}
    empty = {k: F.lit(None).cast(to_spark(type_)) for k, type_ in enumerate(slots) if k not in filled}
    columns = [column.alias(f"v{k}") for k, column in sorted((filled | empty).items())]
    return compiled.frame.select(F.lit(number).alias("i"), *columns)


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all frames, in order. The union is a balanced tree, because Spark analyzes the whole plan each time
    it grows."""
    while len(frames) > 1:
        pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
        frames = [pair[0].union(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return frames[0]
