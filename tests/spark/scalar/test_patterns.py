"""Patterns on Spark: native where Java cannot take long, else in Python; the answers are those of the reference."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from tests.spark.helpers import p
from tests.spark.standard import compare, i32, i64, made, native, of, plan, scan, text

pytestmark = pytest.mark.spark

TAME = [
    *(r"\w+", "a.b", "^.", ".$", r"(\w)\s(\w)", "(?i)HELLO|x", "[^a-z]+", r"\bc", r"(?=W)\w+", r"\Qo W\E", "", "l*"),
    *(r"(?m)^.", r"(?:Xb)*", r"\d{2,}?", "[äé]+"),
]
SUBJECTS = ["s", text("a\rb a\u2028b axb\r\n"), text("aéÉ ſ 1٣")]
#: Java would not end over the first, overflow its stack over the second, and nobody can judge the third before the run.
WILD = [
    of("string:regexp_count_substring", text("a" * 500), text("(a+)+b")),
    of("string:regexp_count_substring", text("ab" * 20_000), text("(a|b|c)*")),
    of("string:regexp_count_substring", "s", "u", "k64"),
    of("string:regexp_replace", "s", text(r"(\w+\s?)+l"), text(r"<\1>")),
    of("string:regexp_match_substring", "s", text(".*o.*(o.*d)"), i64(1), i64(1), i64(1)),
]


def test_patterns_that_java_matches(spark: Any) -> None:
    calls = [of("string:regexp_count_substring", subject, text(one)) for one in TAME for subject in SUBJECTS]
    calls += [of("string:regexp_replace", "s", text(one), text(r"<\0>")) for one in TAME]
    with native(spark) as engine:
        compare(engine, [p.Call(*made(call)) for call in calls], calls)


def test_patterns_that_java_does_not_match(spark: Any) -> None:
    compare(SparkEngine(spark, fallback="allow"), [p.Call(*made(call)) for call in WILD], WILD)
    for call in WILD:
        with native(spark) as engine, pytest.raises(fs.UnsupportedError, match="any time"):
            compare(engine, [p.Call(*made(call))], [call])


@pytest.mark.parametrize("name", ["repeat", "lpad", "rpad", "center"])
def test_a_text_that_would_fill_the_memory(spark: Any, name: str) -> None:
    many = i64(10**10) if name == "repeat" else i32(10**9)
    call = of(f"string:{name}", "s", many) if name == "repeat" else of(f"string:{name}", "s", many, text("x"))
    both = plan(p.Project((p.Call(*made(call)),), scan()), 1)
    for run in (evaluate, lambda plan: SparkEngine(spark).run(plan).value()):
        with pytest.raises(fs.EvaluationError, match="characters"):
            run(both)


def test_like_of_many_parts(spark: Any) -> None:
    patterns = [
        "%a%a%a%a%a%a%a%b",
        "%a%_a%a%a%",
        "%a%%%%a%",
        "a%.%*%(%[%",
        "%\\%%a%a%\n%",
        "a_%_%_%_%",
        "%a#%%a%#_%a%%",
    ]
    texts = ["a" * 2_000, "a" * 30 + "b", "a.*([", "\\a a \n", "", "aa", "a%aa_aa"]
    rows = [{"s": one, "p": pattern} for one in texts for pattern in patterns]
    queries = [
        "SELECT t.s || t.p AS s, t.s LIKE t.p AS l FROM t",
        *(f"SELECT t.s AS s, t.s LIKE '{pattern}' AS l FROM t" for pattern in patterns),
        *(f"SELECT t.s AS s, t.s LIKE '{pattern}' ESCAPE '#' AS l FROM t" for pattern in patterns),
    ]
    sessions = [fs.connect(engine="reference"), fs.connect(spark=spark, fallback="refuse")]
    for session in sessions:
        session.register("t", rows)
    union = " UNION ALL ".join(f"({query})" for query in queries)
    expected, actual = (session.query(union).to_python() for session in sessions)
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))
