"""Plans written by hand, on both engines: each gives the rows that were thought out for it (`plans/`)."""

from __future__ import annotations

import os
from typing import Any

import pytest

import firesteel as fs
from firesteel.errors import FiresteelError
from tests.substrait.plans import (
    columns,
    correlated,
    expressions,
    flow,
    grouping,
    joins,
    lambdas,
    literals,
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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_on_the_reference_evaluator(case: Case, reference: fs.Session) -> None:
    assert not wrong(reference, case)


@pytest.mark.spark
@pytest.mark.timeout(600)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.title)
def test_on_spark(group: Cases, on_spark: fs.Session) -> None:
    only = os.environ.get("FIRESTEEL_PLAN", "")
    found = {case.name: wrong(on_spark, case) for case in group.found if only in case.name}
    assert not [f"{name}: {why}" for name, why in found.items() if why]


def test_there_are_enough() -> None:
    assert len(CASES) >= 250
