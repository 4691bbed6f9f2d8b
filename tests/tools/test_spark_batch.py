"""Many queries in one Spark job: each has its own answer, in order, and an error is told where it belongs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import firesteel as fs
from firesteel.values import Bag, Struct
from tests.substrait.plans.build import FALSE, divide, f, i64
from tests.substrait.plans.relations import filtered, only, ordered, plan, root, virtual
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


def test_rows_of_relations_keep_their_types_and_their_order(spark: Any) -> None:
    """Relations with other columns share a job: none takes the values, or the type, of another."""
    session = fs.connect(spark=spark, in_process=False)
    texts = virtual("s string, n i64?", ("a", 1), ("b", None))
    digits = virtual("d decimal<5,2>, n i32, m i32", ("4.00", 1, 2))
    rels = [
        (
            ordered(texts, (f(1), "DESC_NULLS_FIRST")),
            [Struct([("x", "b"), ("y", None)]), Struct([("x", "a"), ("y", 1)])],
        ),
        (digits, Bag([Struct([("x", Decimal("4.00")), ("y", 1), ("z", 2)])])),
        (filtered(texts, FALSE), Bag([])),
        (only(texts, 2, divide(i64(1), f(1))), Bag([Struct([("x", 1)]), Struct([("x", None)])])),
    ]
    names = [["x", "y"], ["x", "y", "z"], ["x", "y"], ["x"]]
    plans = [plan(root(rel, given)) for (rel, _), given in zip(rels, names, strict=True)]
    with configured(spark, FAST):
        answers = together([Answer(session.run(one)) for one in plans])
    for (_, expected), answer in zip(rels, answers, strict=True):
        assert answer.error is None
        assert repr(answer.value) == repr(expected)


def test_settings_are_put_back(spark: Any) -> None:
    name = "spark.sql.codegen.wholeStage"
    before = spark.conf.get(name, None)
    with configured(spark, FAST):
        assert spark.conf.get(name) == "false"
    assert spark.conf.get(name, None) == before
