"""The specification's own function cases, as protobuf plans: on the reference evaluator here, on Spark below."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from tools import conformance_substrait as conformance
from tools.conformance import known_failures
from tools.substrait_cases import load
from tools.verdicts import Verdict, surprises


def judge(found: list[Verdict]) -> None:
    assert len(found) == 1_317
    assert surprises(found, known_failures(conformance.KNOWN)) == []


def test_on_the_reference_evaluator() -> None:
    judge(conformance.verdicts_on(fs.connect(engine="reference"), list(load())))


@pytest.mark.spark
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
