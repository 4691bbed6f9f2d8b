"""The public PartiQL suite on Spark: as it is, and with the literals of every statement lifted into a table without a
schema, so that values of unknown types are computed with too. A fixed part of it in `make test`, all of it with the
slow ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import record_suite
from tools.conformance import SPARK_KNOWN, known_failures, spark_verdicts
from tools.partiql_suite import Run, in_part, load

pytestmark = [pytest.mark.spark, pytest.mark.conformance]

#: One of so many runs is in the part that every test run has, and at least one of each area. Values of unknown types
#: take longer.
PARTS = {"static": 72, "dynamic": 480}
#: All runs are so many tests, so that a test run that is stopped has told of most of them.
SHARES = 8


@pytest.mark.parametrize("literals", ["static", "dynamic"])
def test_a_part(literals: str, spark: Any, outside: Callable[[str], Path]) -> None:
    runs = _evaluated(outside("partiql-tests"))
    of_each_area = {run.area: run.id for run in reversed(runs)}.values()
    _judge([run for run in runs if in_part(run, PARTS[literals]) or run.id in of_each_area], spark, literals)


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("nth", range(SHARES))
@pytest.mark.parametrize("literals", ["static", "dynamic"])
def test_all(literals: str, nth: int, spark: Any, outside: Callable[[str], Path]) -> None:
    runs = _evaluated(outside("partiql-tests"))[nth::SHARES]
    native = _judge(runs, spark, literals)
    assert native >= (0.9 if literals == "static" else 0.8), f"only {native:.1%} of the runs are native"


def _evaluated(folder: Path) -> list[Run]:
    return [run for run in load(folder) if run.expected.startswith("Evaluation")]


def _judge(runs: list[Run], spark: Any, literals: str) -> float:
    """No run fails that is not known to; the share of runs that are Spark's alone."""
    known = known_failures() | known_failures(SPARK_KNOWN)
    verdicts = list(spark_verdicts(runs, spark, literals))
    record_suite(f"partiql-tests on Spark ({literals} literals)", len(runs))
    failed = [f"{v.run.id}\n    {v.detail}" for v in verdicts if not v.passed and v.run.id not in known]
    assert not failed, f"{len(failed)} of {len(runs)} runs failed:\n" + "\n".join(failed[:20])
    after_all = [v.run.id for v in verdicts if v.passed and v.run.id in known and literals == "static"]
    assert not after_all, "known failures that pass: take them off the list\n" + "\n".join(after_all)
    return sum(v.passed and v.native for v in verdicts) / len(verdicts)


def test_every_known_failure_has_a_reason() -> None:
    for run, reason in known_failures(SPARK_KNOWN).items():
        assert reason, run
