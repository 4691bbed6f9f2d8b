"""The relation cases that others wrote for Substrait, on both engines (`make conformance-relations`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import record_suite
from tools.conformance import known_failures
from tools.conformance_relations import KNOWN, verdicts
from tools.relation_cases import Case, load
from tools.verdicts import surprises

SUITE = "substrait-relations"


@pytest.fixture
def cases(outside: Callable[[str], Path]) -> list[Case]:
    return list(load(outside(SUITE)))


@pytest.mark.conformance
def test_all_are_read(cases: list[Case]) -> None:
    assert Counter(case.kind for case in cases) == {"positive": 63, "invalid_plan": 3, "unresolved": 5}
    assert sum(case.expected is not None and case.expected.rows is not None for case in cases) == 47


@pytest.mark.conformance
def test_on_the_reference_evaluator(cases: list[Case]) -> None:
    assert surprises(verdicts(cases), known_failures(KNOWN)) == []
    record_suite(SUITE, len(cases))


@pytest.mark.spark
@pytest.mark.conformance
def test_on_spark(spark: Any, cases: list[Case]) -> None:
    assert surprises(verdicts(cases, spark), known_failures(KNOWN)) == []
    record_suite(f"{SUITE} on Spark", len(cases))


@pytest.mark.conformance
def test_every_known_failure_is_a_case_and_has_a_reason(cases: list[Case]) -> None:
    known = known_failures(KNOWN)
    assert set(known) <= {case.name for case in cases}
    assert all(known.values())
    unresolved = {case.name for case in cases if case.kind == "unresolved"}
    assert unresolved <= set(known)  # what happens to them is said there
    assert len(known) - len(unresolved) <= 2
