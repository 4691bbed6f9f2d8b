"""Conditions that are no booleans, calls of one argument, casts of intervals and numbers of rows from data: on Spark as
the reference evaluator has them."""

from __future__ import annotations

import pytest

import firesteel as fs
from tests.spark.both import differences, sessions

pytestmark = pytest.mark.spark

TABLES = {
    "t": '$bag::[{x: 3, y: "c", k: 1}, {x: 1, y: "a", k: 2}, {x: 2, y: null, k: 1}, {x: 1, k: 2}]',
    "u": "$bag::[{x: 2, w: 1}, {x: 9, w: 3}]",
    "i": (
        '$bag::[{v: $interval_dt::{sign: "+", days: 5, hours: 7, seconds: 1, nanos: 123456789}},'
        '{v: $interval_dt::{sign: "-", days: 99, hours: 23}}, {v: $interval_ym::{sign: "-", years: 4, months: 7}},'
        "{v: null}, {v: 5}, {}]"
    ),
    "n": "$bag::[{c: 1}]",
}

#: What is no boolean, of every kind that a column has.
NO_BOOLEANS = ("1", "'a'", "t.x", "t.y", "t", "[true]", "{'a': true}", "DATE '2020-01-01'", "1.5", "1e0")
CONDITIONS = [
    *(f"SELECT VALUE t.x FROM t WHERE {condition}" for condition in NO_BOOLEANS),
    "SELECT VALUE t.x FROM t JOIN u ON 1",
    "SELECT t.x, u.w FROM t LEFT JOIN u ON t.y",
    "SELECT t.x, u.w FROM t FULL JOIN u ON 'a'",
    "SELECT t.k FROM t GROUP BY t.k HAVING 1",
    "SELECT t.k FROM t GROUP BY t.k HAVING max(t.y)",
    "SELECT VALUE t.x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x)",
]
CALLS = [
    "SELECT COALESCE(t.y) AS c, TUPLEUNION(t) AS s, COALESCE(t.nope) AS m FROM t",
    "SELECT CAST(i.v AS INTERVAL DAY) AS d, CAST(i.v AS INTERVAL HOUR(4)) AS h, CAST(i.v AS INTERVAL YEAR) AS y,"
    " CAST(i.v AS INTERVAL DAY(3) TO SECOND(2)) AS s, CAST(i.v AS INTERVAL MONTH) AS m FROM i",
    "SELECT VALUE CAST(i.v AS INTERVAL HOUR) FROM i",
    "SELECT VALUE CAST(i.v AS INTERVAL DAY(1)) FROM i",
]
COUNTS = [
    *(f"SELECT VALUE t.k FROM t {clause} n[0].c - 2" for clause in ("LIMIT", "OFFSET")),
    *(f"SELECT VALUE t.k FROM t {clause} (SELECT n.c - 2 FROM n)" for clause in ("LIMIT", "OFFSET")),
    "SELECT VALUE (SELECT VALUE v.x FROM t AS v ORDER BY v.x LIMIT u.w - 1) FROM u",
    "SELECT VALUE (SELECT VALUE v.x FROM t AS v ORDER BY v.x LIMIT u.w - 2) FROM u",
    "SELECT VALUE (SELECT VALUE v.x FROM t AS v ORDER BY v.x OFFSET u.w - 2) FROM u",
]


@pytest.fixture(scope="module")
def pair(spark: object) -> tuple[fs.Session, fs.Session]:
    return sessions(spark, TABLES)


@pytest.mark.timeout(300)
def test_what_is_no_boolean_and_what_is_no_number_of_rows(pair: tuple[fs.Session, fs.Session]) -> None:
    assert differences(pair, [*CONDITIONS, *CALLS, *COUNTS]) == []


@pytest.mark.timeout(300)
def test_in_strict_mode_they_are_errors(pair: tuple[fs.Session, fs.Session]) -> None:
    assert differences(pair, [*CONDITIONS[:3], *CONDITIONS[-6:], *COUNTS], mode="strict") == []
    for session in pair:
        for query in CONDITIONS:
            with pytest.raises(fs.FiresteelError):
                session.query(query, mode="strict").value()


PLANS = [
    "(filter (lit 1) (scan (id u) f))",
    "(map_values (id f) (filter (lit 1) (scan (id u) f)))",
    "(map_values (id f) (filter (path (id f) (lit w)) (scan (id u) f)))",
    "(map_values (path (id f) (lit w)) (join left (lit a) (scan (id u) f) (scan (id t) g)))",
    "(map_values (struct (expr_pair (lit a) (and (eq (path (id f) (lit w)) (lit 1))))"
    " (expr_pair (lit b) (or (lit false))) (expr_pair (lit c) (coalesce (path (id f) (lit w))))) (scan (id u) f))",
]


@pytest.mark.timeout(300)
def test_the_same_in_the_algebra_and_as_a_plan_document(pair: tuple[fs.Session, fs.Session]) -> None:
    answers = [
        [session.run(plan).to_ion(), session.run(fs.read_plan(fs.read_plan(plan).to_ion())).to_ion()]
        for plan in PLANS
        for session in pair
    ]
    expected = [
        *["$bag::[]"] * 3,
        "$bag::[1, 3]",
        "$bag::[{a: true, b: false, c: 1}, {a: false, b: false, c: 3}]",
    ]
    assert answers == [[one, one] for one in expected for _ in pair]
