"""The specification's own function cases, as protobuf plans: on the reference evaluator here, on Spark below."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from tools import conformance_substrait as conformance
from tools.conformance import known_failures
from tools.substrait_cases import ERROR, Case, load
from tools.verdicts import Verdict, surprises

ALL = 1_317


def judge(found: list[Verdict], count: int = ALL) -> None:
    assert len(found) == count
    assert surprises(found, known_failures(conformance.KNOWN)) == []


def test_on_the_reference_evaluator() -> None:
    judge(conformance.verdicts_on(fs.connect(engine="reference"), list(load())))


def some_of_each() -> list[Case]:
    """A fixed part: of each function's file the first case and every sixth after it, and so of its errors."""
    kinds: dict[tuple[str, bool], list[Case]] = {}
    for case in load():
        kinds.setdefault((case.file, case.expected == ERROR), []).append(case)
    return [case for cases in kinds.values() for case in cases[::6]]


@pytest.mark.spark
def test_some_on_spark(spark: Any) -> None:
    cases = some_of_each()
    assert {case.file for case in cases} == {case.file for case in load()}
    judge(conformance.verdicts_on(conformance.on_spark(spark), cases, spark), len(cases))


@pytest.mark.spark
@pytest.mark.slow
def test_on_spark(spark: Any) -> None:
    judge(conformance.verdicts_on(conformance.on_spark(spark), list(load()), spark))


def test_every_known_failure_has_a_reason() -> None:
    known = known_failures(conformance.KNOWN)
    assert 0 < len(known) < 40  # 97 in a hundred pass
    assert all(known.values())


@pytest.mark.parametrize(
    ("got", "wanted", "passes"), [(1.0, 1.0000001, True), (1.0, 1.001, False), (1, 1.0, False), (None, None, True)]
)
def test_how_results_are_compared(got: object, wanted: object, passes: bool) -> None:
    from firesteel import types as t

    assert conformance.alike(got, wanted, t.FLOAT32) is passes
