"""Subqueries over tables, at any depth: Spark's answers are the reference's, and joins are the joins they should be."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from tests.passes.subquery_cases import GUARDED, QUERIES, register
from tools.spark_batch import FAST, configured

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def sessions(spark: Any) -> tuple[fs.Session, fs.Session]:
    return register(fs.connect(engine="reference")), register(fs.connect(spark=spark))


def compared(sessions: tuple[fs.Session, fs.Session], queries: list[str], mode: str) -> list[str]:
    """The queries to which Spark has another answer: it may skip an error, and never raise one of its own."""
    reference, on_spark = sessions
    wrong = []
    for text in queries:
        try:
            expected = reference.query(text, mode=mode).value()
        except fs.EvaluationError:
            continue
        found = on_spark.query(text, mode=mode).value()
        if not values.equal(expected, found):
            wrong.append(f"{text}\n  expected {expected}\n  found    {found}")
    return wrong


@pytest.mark.parametrize(
    ("queries", "mode"), [(QUERIES[::25], "permissive"), (QUERIES[3::50], "strict"), (GUARDED, "strict")]
)
def test_a_part_of_the_queries(
    spark: Any, sessions: tuple[fs.Session, fs.Session], queries: list[str], mode: str
) -> None:
    with configured(spark, FAST):
        assert compared(sessions, queries, mode) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("mode", ["permissive", "strict"])
def test_all_queries(spark: Any, sessions: tuple[fs.Session, fs.Session], part: int, mode: str) -> None:
    with configured(spark, FAST):
        assert compared(sessions, [*QUERIES, *GUARDED][part::8], mode) == []


def physical(session: fs.Session, text: str) -> str:
    """Spark's plan, as it says it."""
    frame = session.query(text).to_spark()
    return str(frame._jdf.queryExecution().executedPlan().toString())  # type: ignore[operator]


#: Which joins Spark makes of a query.
SHAPES = {
    "SELECT VALUE e.name FROM emp AS e WHERE EXISTS(SELECT * FROM sale AS s WHERE s.emp = e.id)": "LeftSemi",
    "SELECT VALUE e.name FROM emp AS e WHERE NOT EXISTS(SELECT * FROM sale AS s WHERE s.emp = e.id)": "LeftAnti",
    "SELECT VALUE e.name FROM emp AS e WHERE e.id IN (SELECT s.emp FROM sale AS s)": "LeftSemi",
    "SELECT VALUE e.name FROM emp AS e WHERE e.id NOT IN (SELECT s.emp FROM sale AS s)": "LeftAnti",
    "SELECT VALUE e.name FROM emp AS e"
    " WHERE e.pay > (SELECT MAX(f.pay) AS a FROM emp AS f WHERE f.dept = e.dept AND f.name < 'b')": "Inner",
    "SELECT a.name, b.amt FROM emp AS a, (SELECT s.amt FROM sale AS s WHERE s.emp = a.id) AS b": "Inner",
    "SELECT VALUE e.name FROM emp AS e WHERE e.pay > (SELECT MIN(f.pay) AS a FROM emp AS f)": "Subquery",
}


def test_the_joins_are_native(sessions: tuple[fs.Session, fs.Session]) -> None:
    _, on_spark = sessions
    for text, wanted in SHAPES.items():
        plan = physical(on_spark, text)
        assert wanted in plan, (text, plan)
        assert "NestedLoop" not in plan, (text, plan)
        assert "ArrowEvalPython" not in plan, (text, plan)
