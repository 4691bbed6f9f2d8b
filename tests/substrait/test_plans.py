"""Plans written by hand, on both engines: each gives the rows that were thought out for it (`plans/`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import firesteel as fs
from firesteel.errors import EvaluationError, FiresteelError
from tests.substrait.plans import (
    columns,
    correlated,
    edges,
    expressions,
    flow,
    grouping,
    joins,
    lambdas,
    literals,
    physical,
    reads,
    structure,
    subqueries,
    windows,
    wrong_expressions,
)
from tests.substrait.plans import wrong as wrong_plans
from tests.substrait.plans.cases import Case, Cases, problem, tables

FILES = (
    reads,
    flow,
    joins,
    grouping,
    windows,
    expressions,
    lambdas,
    literals,
    columns,
    subqueries,
    correlated,
    structure,
    edges,
    physical,
    wrong_expressions,
    wrong_plans,
)
GROUPS: list[Cases] = [group for file in FILES for group in file.FOUND]
CASES: list[Case] = [case for group in GROUPS for case in group.found]


def connected(**parts: Any) -> fs.Session:
    session = fs.connect(**parts)
    for name, table in tables().items():
        session.register(name, table)
    return session


@pytest.fixture(scope="module")
def reference() -> fs.Session:
    return connected(engine="reference")


@pytest.fixture(scope="module")
def on_spark(spark: Any) -> fs.Session:
    return connected(spark=spark, in_process=False)


def _running(group: Cases) -> list[Case]:
    return [case for case in group.found if case.error in (None, EvaluationError)]


def _failures(session: fs.Session, cases: Sequence[Case]) -> str:
    """All that is wrong, one case after the other."""
    found = [(case.name, wrong(session, case)) for case in cases]
    return "\n".join(f"{name}: {why}" for name, why in found if why)


def wrong(session: fs.Session, case: Case) -> str:
    """What is wrong with what a session makes of a case, or nothing."""
    try:
        answers = [one.value() for one in session.run_all(case.data, params=case.params)]
    except FiresteelError as error:
        if case.error is None:
            return f"{type(error).__name__}: {error}"
        if not isinstance(error, case.error):
            return f"{type(error).__name__} and not {case.error.__name__}: {error}"
        return "" if str(error.where or "").endswith(case.where) else f"not at {case.where}: {error}"
    if case.error is not None:
        return f"no error: {answers}"
    if len(answers) != len(case.answers):
        return f"{len(answers)} answers"
    return "".join(map(problem, answers, case.answers, [case.ordered] * len(answers)))


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_on_the_reference_evaluator(group: Cases, reference: fs.Session) -> None:
    assert not _failures(reference, group.found)


#: Of the groups that have a plan for Spark; others are wrong before an engine sees them.
RUNNING = [group for group in GROUPS if _running(group)]


def _some(group: Cases) -> list[Case]:
    """A fixed part of a group: a quarter of it, of a large one about ten plans."""
    found = _running(group)
    if group.whole:
        return found
    return found[:: max(4, len(found) // 10)]


@pytest.mark.spark
@pytest.mark.parametrize("group", RUNNING, ids=str)
def test_some_on_spark(group: Cases, on_spark: fs.Session) -> None:
    assert not _failures(on_spark, _some(group))


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("group", RUNNING, ids=str)
def test_the_others_on_spark(group: Cases, on_spark: fs.Session) -> None:
    quick = {case.name for case in _some(group)}
    assert not _failures(on_spark, [case for case in _running(group) if case.name not in quick])


def test_there_are_enough() -> None:
    assert len(CASES) >= 250
