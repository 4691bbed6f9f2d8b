"""The public PartiQL suite, on the reference engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import record_suite
from tools.conformance import known_failures, verdicts
from tools.partiql_suite import in_part, load

#: The areas of the suite, so that two processes can share the work.
AREAS = ["core eval", "core eval-equiv", "core fail", "core success", "extended"]


@pytest.mark.conformance
@pytest.mark.parametrize("area", AREAS)
def test_reference(area: str, outside: Callable[[str], Path]) -> None:
    runs = [run for run in load(outside("partiql-tests")) if _area(run.area) == area]
    known = known_failures()
    failed, passed_after_all = [], []
    for verdict in verdicts(runs):
        if not verdict.passed and verdict.run.id not in known:
            failed.append(f"{verdict.run.id}\n    {verdict.detail}")
        if verdict.passed and verdict.run.id in known:
            passed_after_all.append(verdict.run.id)
    record_suite("partiql-tests", len(runs))
    assert not failed, f"{len(failed)} of {len(runs)} runs failed:\n" + "\n".join(failed[:20])
    assert not passed_after_all, "known failures that pass: take them off the list\n" + "\n".join(passed_after_all)


@pytest.mark.conformance
def test_literals_in_a_table_mean_the_same(outside: Callable[[str], Path]) -> None:
    """What the Spark run with dynamic literals relies on, on the reference engine."""
    runs = [run for run in load(outside("partiql-tests")) if run.expected.startswith("Evaluation")]
    known = known_failures()
    runs = [run for run in runs if in_part(run, 5) and run.id not in known]
    failed = [verdict for verdict in verdicts(runs, "dynamic") if not verdict.passed]
    assert not failed, "\n".join(f"{v.run.id}\n    {v.detail}" for v in failed[:20])


def _area(area: str) -> str:
    """The longest of the areas that a run's own begins with."""
    return max((known for known in AREAS if area.startswith(known)), key=len)


def test_every_known_failure_has_a_reason() -> None:
    for run, reason in known_failures().items():
        assert reason, run
