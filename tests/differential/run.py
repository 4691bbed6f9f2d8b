"""Statements on both engines, and what differs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps
from firesteel.passes import PIPELINE, Phase
from tests.differential.data import environment
from tests.differential.pieces import Piece, shrink
from tools.spark_batch import Answer, evaluated, parallel, together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


PASSES = tuple(step.name for step in PIPELINE[Phase.OPTIMIZE])


@dataclass(frozen=True)
class Case:
    """A statement, over the data of a seed, in a mode, with some passes switched off."""

    query: Piece
    data: int
    mode: str
    skip: Collection[str] = ()


@dataclass(frozen=True)
class Difference:
    """A statement whose answers differ: `kind` says how."""

    case: Case
    kind: str
    reference: Answer
    spark: Answer

    def __str__(self) -> str:
        tables = "\n".join(f"  {name}: {dumps(value)}" for name, value in environment(self.case.data).items())
        return (
            f"{self.kind}, {self.case.mode}, without {', '.join(self.case.skip) or 'nothing'}, data {self.case.data}:\n"
            f"  {self.case.query.text()}\n"
            f"  reference: {_told(self.reference)}\n  spark:     {_told(self.spark)}\n{tables}"
        )


def _told(answer: Answer) -> str:
    if answer.error is None:
        return dumps(answer.value)
    message = getattr(answer.error, "message", str(answer.error))
    return f"{type(answer.error).__name__}: {message}"


class Engines:
    """Sessions of both engines over the same data."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._sessions: dict[tuple[str, int, frozenset[str]], fs.Session] = {}

    def session(self, engine: str, case: Case) -> fs.Session:
        """A session over the data of a case. The reference does without any pass."""
        skip = frozenset(case.skip if engine == "spark" else PASSES)
        key = engine, case.data, skip
        if key not in self._sessions:
            if engine == "spark":
                made = fs.connect(spark=self._spark, in_process=False, skip_passes=skip)
            else:
                made = fs.connect(engine="reference", skip_passes=skip)
            for name, value in environment(case.data).items():
                made.register(name, value)
            self._sessions[key] = made
        return self._sessions[key]

    def attempt(self, case: Case, engine: str) -> Answer:
        try:
            return Answer(self.session(engine, case).query(case.query.text(), mode=case.mode))
        except Exception as error:
            return Answer(error=error)

    def differences(self, cases: Sequence[Case]) -> list[Difference]:
        """The cases on which the engines do not agree. Those that fail in the reference run alone on Spark."""
        expected = [evaluated(self.attempt(case, "reference")) for case in cases]
        tried = parallel(lambda case: self.attempt(case, "spark"), cases)
        found = together(tried, alone=[answer.error is not None for answer in expected])
        told = [(case, differs(a, b), a, b) for case, a, b in zip(cases, expected, found, strict=True)]
        return [Difference(case, kind, a, b) for case, kind, a, b in told if kind]

    def shrunk(self, difference: Difference) -> Difference:
        """The difference on a smaller statement."""
        best = difference

        def fails(query: Piece) -> bool:
            nonlocal best
            case = Case(query, difference.case.data, difference.case.mode, difference.case.skip)
            for found in self.differences([case]):
                if found.kind == difference.kind:
                    best = found
                    return True
            return False

        shrink(difference.case.query, fails)
        return best


def differs(reference: Answer, spark: Answer) -> str:
    """How the answers differ; nothing where Spark's is right.

    Spark may skip an error whose value is not needed: where the reference fails, it may have an answer. It never fails
    where the reference does not.
    """
    if spark.error is not None:
        if isinstance(spark.error, fs.UnsupportedError):
            return "" if isinstance(reference.error, fs.UnsupportedError) else "refused"
        if not isinstance(spark.error, fs.FiresteelError):
            return "crash"
        return "" if reference.error is not None else "error"
    if reference.error is not None:
        return "crash" if not isinstance(reference.error, fs.FiresteelError) else ""
    return "" if values.equal(reference.value, spark.value) else "answer"


def tally(found: Sequence[Any]) -> Mapping[str, int]:
    """How many differences there are of each kind."""
    return {kind: sum(one.kind == kind for one in found) for kind in sorted({one.kind for one in found})}
