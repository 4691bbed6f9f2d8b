"""Many queries in one Spark job: each has its own answer, in order, and an error is told where it belongs."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel.values import Bag
from tools.spark_batch import FAST, Answer, configured, together

pytestmark = pytest.mark.spark

QUERIES: list[tuple[str, Any]] = [
    ("SELECT VALUE v FROM t AS v ORDER BY v DESC", [3, 2, 1]),
    ("SELECT VALUE v FROM t AS v WHERE v > 1", Bag([2, 3])),
    ("SELECT VALUE v FROM t AS v WHERE v > 5", Bag([])),
    ("(SELECT VALUE SUM(v) FROM t AS v)", Bag([6])),
    ("9223372036854775807 + 1", fs.EvaluationError),
    ("1 + 1", 2),
    ("'a' || 'b'", "ab"),
    ("{'a': [1, NULL]}", {"a": [1, None]}),
    ("MISSING", fs.MISSING),
]


def test_every_query_has_its_own_answer(spark: Any) -> None:
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", [1, 2, 3])
    with configured(spark, FAST):
        answers = together([Answer(session.query(text)) for text, _ in QUERIES])
    for (text, expected), answer in zip(QUERIES, answers, strict=True):
        if isinstance(expected, type):
            assert isinstance(answer.error, expected), text
        else:
            assert answer.error is None, text
            assert fs.values.equal(answer.value, fs.values.from_python(expected)), text
        assert answer.native, text


def test_settings_are_put_back(spark: Any) -> None:
    name = "spark.sql.codegen.wholeStage"
    before = spark.conf.get(name, None)
    with configured(spark, FAST):
        assert spark.conf.get(name) == "false"
    assert spark.conf.get(name, None) == before
