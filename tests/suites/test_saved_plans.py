"""Plans that real producers saved: run on Spark over TPC-H data, and equal to DuckDB's answers (`make saved-plans`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from tools import saved_plans, tpcds

pytestmark = [
    pytest.mark.spark,
    pytest.mark.usefixtures("codegen"),
    pytest.mark.skipif(not saved_plans.PLANS.exists(), reason="the saved plans are not here"),
]

#: A few of each producer in every run; all of them with the slow tests.
PART = r"tpch/(datafusion/q(03|13)|duckdb/q(11|13)|isthmus/q(02|17|20)|ibis/q(03|15))\.json|cases/relation/set/"


@pytest.fixture(scope="module")
def runner(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> saved_plans.Runner:
    session = fs.connect(spark=spark, in_process=False)
    return saved_plans.Runner(session, tmp_path_factory.mktemp("tpch"), 0.01)


def wrong(runner: saved_plans.Runner, pattern: str) -> list[str]:
    outcomes = [runner.run(plan) for plan in saved_plans.saved(pattern) if not plan.wrong]
    assert outcomes
    return [str(outcome) for outcome in outcomes if not outcome.equal]


def test_a_part_of_them(runner: saved_plans.Runner) -> None:
    assert wrong(runner, PART) == []


@pytest.mark.slow
def test_all_of_them(runner: saved_plans.Runner) -> None:
    assert wrong(runner, "") == []


@pytest.mark.slow
def test_the_queries_of_tpcds(runner: saved_plans.Runner) -> None:
    """On Spark, over the small data; `make saved-plans` takes data over which all queries have rows."""
    folder = Path(saved_plans.DATA / "tpcds")
    try:
        plans = saved_plans.made(folder, "tpcds", largest=min(tpcds.SCALES))
    except tpcds.Absent as absent:
        pytest.skip(str(absent))
    assert len(plans) == tpcds.COUNT
    outcomes = [runner.run(plan) for plan in plans if not plan.wrong]
    assert [str(outcome) for outcome in outcomes if not outcome.equal] == []


def test_both_forms_of_a_plan_are_one(runner: saved_plans.Runner) -> None:
    folder = Path(saved_plans.PLANS / "tpch" / "datafusion")
    for path in sorted(folder.glob("*.json")):
        one, other = (fs.read_plan(path.with_suffix(suffix)).message for suffix in (".json", ".proto"))
        assert one == other, path.name
