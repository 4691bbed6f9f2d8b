"""DISTINCT and set operators over rows with attributes of every kind, as the reference evaluator has them."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel import values

pytestmark = pytest.mark.spark

ROWS = '$bag::[{x: 1, y: 2}, {x: 2, y: 1}, {x: 1, y: 2}, {x: null, y: 2}, {y: 2}, {x: "1", y: 2}, {x: 1.0, y: 2.5}]'
QUERIES = [
    "SELECT DISTINCT t.x AS a, t.y AS a FROM t AS t",  # an attribute that repeats: {a: 1, a: 2} is {a: 2, a: 1}
    "SELECT DISTINCT t.x AS a, t.y AS A FROM t AS t",
    "SELECT DISTINCT t.x AS a, t.y AS b FROM t AS t",
    "SELECT DISTINCT VALUE {'o': {'x': t.x}, 'y': t.y} FROM t AS t",
    "SELECT DISTINCT VALUE {} FROM t AS t WHERE t.y > 1",
    "SELECT t.x AS a FROM t AS t EXCEPT SELECT t.y AS a FROM t AS t",
    "SELECT t.x AS a FROM t AS t INTERSECT SELECT t.y AS a FROM t AS t",
]


@pytest.mark.parametrize("typed", [False, True])
def test_rows_are_told_apart_by_their_attributes(spark: Any, typed: bool) -> None:
    rows: Any = [{"x": x, "y": y} for x, y in ((1, 2), (2, 1), (1, 2), (None, 2), (3, 2))] if typed else fs.ion(ROWS)
    reference = fs.connect(engine="reference")
    with fs.connect(spark=spark, in_process=False) as ours:
        reference.register("t", rows)
        ours.register("t", spark.createDataFrame(rows, "x bigint, y bigint") if typed else rows)
        for query in QUERIES:
            expected, found = (session.query(query).value() for session in (reference, ours))
            assert values.equal(found, expected), query
