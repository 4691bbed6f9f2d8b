"""What has no native form runs in Spark's Python workers, gives the reference's answers, and is told and counted."""

from __future__ import annotations

import datetime
import pickle
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.node import drive
from firesteel.plan import build as b
from firesteel.spark.core.worker import Job, Task, numbered_place
from firesteel.spark.encoding import versions
from firesteel.spark.encoding.arrow_values import put, taken
from firesteel.spark.runtime.inspect import physical_plan, python_nodes
from firesteel.spark.scalar import functions as calls
from firesteel.values import MISSING, Bag, Clob, Interval, Sexp, Struct, Symbol, Time, Timestamp
from tests.plan.strategies import values as any_values

#: Functions that these tests take their native form from, so that they do not depend on what has one.
TAKEN = ("upper", "char_length", "lower", "nullif")
REASON = "a test took its native form away"

KINDS: list[Any] = [
    *(None, MISSING, True, 7, -(2**63), 10**30, 1.5, float("inf"), Decimal("1.50"), Decimal("1e-60"), "text", ""),
    *(Symbol("symbol"), b"\x00octets", Clob(b"clob"), datetime.date(2020, 2, 29)),
    Time(10, 20, Decimal("30.5"), None),
    Time(10, 20, Decimal("30.123456789"), -90),
    Timestamp(2020, 1, 2, 3, 4, Decimal("5.678"), 120),
    Timestamp(2020, 1, 2, 3, 4, Decimal("5.123456789"), None),
    Timestamp(2020, 1, 2, 3, 4, Decimal(5), 0),
    Timestamp(2020, precision="year"),
    Interval("year_month", months=14),
    Interval("day_time", nanos=10**15),
    [1, MISSING, None],
    Bag([1, Bag([MISSING]), "a"]),
    Sexp([Symbol("plus"), 1]),
    Struct([("a", 1), ("a", 2)]),
    Struct({"a": None, "b": [Struct({"c": Bag([])})]}),
]


# ---------------------------------------------------------------------------------------------------------------------
# The worker's side, without Spark


def task(rex: p.Rex, *inputs: t.Type, result: t.Type = t.ANY, mode: p.Mode = p.Mode.PERMISSIVE, **more: Any) -> Task:
    now = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)
    return Task(Job(rex, mode, (), now, inputs, result, more.get("guarded", False), 9).pickled())


def answers(column: Any, type_: t.Type = t.ANY) -> tuple[list[Any], list[Any]]:
    found, errors = column.flatten()
    return taken(found, type_, sealed=False), errors.to_pylist()


def _without_missing(box: Any, items: list[Any]) -> Any:
    """A struct has no attributes that are MISSING, although one can be built."""
    if not isinstance(box, Struct):
        return type(box)(items)
    return Struct([(name, item) for (name, _), item in zip(box.pairs, items, strict=True) if item is not MISSING])


@given(any_values())
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    (found,), errors = answers(task(p.Var(t.ANY, 0), t.ANY).reference(put([value], t.ANY)))
    assert errors == [None]
    assert type(found) is type(value)
    assert values.equal(found, values.fold(value, lambda item: item, _without_missing))


def test_values_of_every_kind_come_back_as_they_went() -> None:
    found, errors = answers(task(p.Var(t.ANY, 0), t.ANY).reference(put(KINDS, t.ANY)))
    assert errors == [None] * len(KINDS)
    for before, after in zip(KINDS, found, strict=True):
        assert type(before) is type(after)
        assert values.equal(before, after)
        assert str(before) == str(after)


def test_an_error_is_a_value_with_its_class_and_the_number_of_its_place() -> None:
    rex = b.call("upper", p.Var(t.ANY, 0)).at(numbered_place(3))
    column = put(["a", 1, None], t.ANY)
    found, errors = answers(task(rex, t.ANY, mode=p.Mode.STRICT).reference(column))
    assert (found[0], found[2]) == ("A", None)
    assert errors == [None, "[firesteel:3:EvaluationError] upper(1): upper takes text, not int", None]
    assert answers(task(rex, t.ANY).reference(column)) == (["A", MISSING, None], [None] * 3)
    _, errors = answers(task(rex, t.ANY, result=t.INT64).reference(put(["a"], t.ANY)), t.INT64)
    assert errors[0].startswith("[firesteel:9:EvaluationError] the plan says int64 of what is a string")


def test_rows_that_are_not_needed_are_not_looked_at() -> None:
    rex = b.call("upper", p.Var(t.ANY, 0))
    needed = put([True, False, None, True], t.absent(t.BOOL, nullable=True))
    column = put(["a", 1, 2, "b"], t.ANY)
    made = task(rex, t.ANY, mode=p.Mode.STRICT, guarded=True).reference(needed, column)
    assert answers(made) == (["A", MISSING, MISSING, "B"], [None] * 4)


def test_the_clock_is_that_of_the_run() -> None:
    found, _ = answers(task(b.call("current_date")).reference(put([True], t.BOOL)))
    assert found == [datetime.date(2024, 2, 29)]


def test_a_deep_expression_can_be_sent() -> None:
    rex: p.Rex = p.Var(t.INT64, 0)
    for _ in range(2_000):
        rex = b.call("neg", rex)
    hash(rex)  # what is derived from it stays here
    job = Job(rex, p.Mode.STRICT, (), datetime.datetime.now(datetime.UTC), (t.INT64,), t.INT64, False, 0)
    assert "_hash" not in pickle.loads(job.pickled()).rex.__dict__
    assert answers(Task(job.pickled()).reference(put([5], t.INT64)), t.INT64) == ([5], [None])


def test_an_error_goes_up_through_those_who_wait() -> None:
    def handler(level: int) -> Iterator[Any]:
        try:
            result: Any = (yield (level - 1,)) if level else None
        except EvaluationError as error:
            if level < 500:
                raise
            return f"caught: {error.message}"
        if level == 0:
            raise EvaluationError("at the bottom")
        return result

    assert drive(handler, 1_000) == "caught: at the bottom"
    with pytest.raises(EvaluationError, match="at the bottom"):
        drive(handler, 400)


# ---------------------------------------------------------------------------------------------------------------------
# On Spark

PEOPLE = [
    {"id": i, "name": f"n{i}", "x": float(i), "tags": ["a", "b"][: i % 3], "z": None if i % 2 else i} for i in range(6)
]
MIXED = fs.ion(
    """$bag::[{v: "x", w: 1}, {v: sym, w: 2}, {v: null, w: 3}, {w: 4}, {v: [1, $missing::null], w: 5},
    {v: 2020-01-01T10:00:00.123+02:00, w: 6}, {v: $bag::[{a: 1, a: 2}], w: 7}, {v: 100000000000000000000000., w: 8}]"""
)


@pytest.fixture
def sessions(spark: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, fs.Session]:
    for name in TAKEN:
        for table in (calls.SPARK, calls.LOWERED):
            if name in table:
                monkeypatch.delitem(table, name)
        monkeypatch.setitem(calls.UNSUPPORTED, name, REASON)
    made = {
        "spark": fs.connect(spark=spark, in_process=False, skip_passes=["fold_constants"]),
        "refusing": fs.connect(spark=spark, in_process=False, fallback="refuse", skip_passes=["fold_constants"]),
        "reference": fs.connect(engine="reference"),
    }
    for session in made.values():
        session.register("people", PEOPLE)
        session.register("mixed", MIXED)
    return made


#: Queries, and how many of their expressions run in Python.
QUERIES: list[tuple[str, int]] = [
    ("SELECT VALUE upper(r.name) FROM people AS r", 1),
    ("SELECT VALUE nullif([m.v, {'v': m.v}], 0) FROM mixed AS m", 1),
    ("SELECT VALUE [m.w, upper(m.v), char_length(m.v)] FROM mixed AS m WHERE m.w < 9", 2),
    # What is below and has no native form either is part of it; what is above is native.
    ("SELECT VALUE upper(lower(r.name) || CAST(r.id AS STRING)) || '!' FROM people AS r", 1),
    ("SELECT VALUE EXP(r.x) FROM people AS r WHERE upper(r.name) <> 'N3'", 2),
    ("SELECT u, COUNT(*) AS n FROM people AS r GROUP BY char_length(r.name) AS u", 1),
    ("SELECT VALUE r.id FROM people AS r ORDER BY upper(r.name) DESC", 1),
    ("SELECT VALUE [r.id, q.id] FROM people AS r JOIN people AS q ON upper(r.name) = upper(q.name)", 2),
    # A query over a row's own collection, with something in it that has no native form, is one expression.
    ("SELECT VALUE (SELECT VALUE upper(e) || r.name FROM r.tags AS e) FROM people AS r", 1),
    ("SELECT VALUE (SELECT VALUE upper(q.name) FROM people AS q WHERE q.id = r.id) FROM people AS r", 1),
    ("SELECT VALUE CASE WHEN r.id > 3 THEN upper(r.name) WHEN r.z IS NULL THEN upper(r.id) ELSE r.z END "
     "FROM people AS r WHERE r.id > 3 OR r.z IS NOT NULL", 2),
    ("SELECT VALUE upper('a') FROM people AS r", 1),
    # Beside its row, it is a relation.
    ("SELECT VALUE [r.id, u] FROM people AS r, (SELECT VALUE upper(e) FROM r.tags AS e ORDER BY e DESC) AS u", 1),
    ("SELECT r.id, u FROM people AS r LEFT JOIN (SELECT VALUE upper(e) FROM r.tags AS e) AS u ON u <> 'A'", 1),
    # Inside a join there is no place for it: what is about one side is computed there,
    ("SELECT r.id AS a, q.id AS b FROM people AS r LEFT JOIN people AS q ON upper(r.name) < q.name", 1),
    ("SELECT VALUE r.id FROM people AS r WHERE NOT EXISTS "
     "(SELECT 1 FROM people AS q WHERE char_length(q.name) < r.id AND q.id < 2)", 1),
    # and what is about both over all pairs of rows.
    ("SELECT r AS a, q.id AS b FROM people AS r LEFT JOIN people AS q "
     "ON r.id < 3 AND upper(r.name || q.name) = 'N1N2'", 1),
    ("SELECT r.id AS a, q AS b FROM people AS r RIGHT JOIN people AS q ON upper(r.name || q.name) = 'N1N2'", 1),
    ("SELECT r.id AS a, q.id AS b FROM people AS r FULL JOIN people AS q ON upper(r.name || q.name) = 'N1N2'", 1),
    ("SELECT r.id AS a, q.id AS b FROM people AS r FULL JOIN (SELECT * FROM people AS n WHERE n.id > 9) AS q "
     "ON upper(r.name || q.name) = 'N1N2'", 1),
    ("SELECT VALUE r.id FROM people AS r WHERE EXISTS "
     "(SELECT 1 FROM people AS q WHERE upper(r.name || q.name) > 'N2N3')", 1),
    ("SELECT VALUE r.id FROM people AS r WHERE NOT EXISTS "
     "(SELECT 1 FROM people AS q WHERE upper(r.name || q.name) > 'N2N3')", 1),
    ("SELECT VALUE r.id FROM people AS r WHERE r.id = 0 OR EXISTS "
     "(SELECT 1 FROM people AS q WHERE upper(r.name || q.name) > 'N2N3')", 1),
    ("SELECT r.id AS a, (SELECT q.id FROM people AS q WHERE upper(r.name || q.name) = 'N1N2') AS b "
     "FROM people AS r", 1),
]  # fmt: skip


@pytest.mark.spark
def test_answers_are_the_references_and_are_counted(sessions: dict[str, fs.Session]) -> None:
    for text, count in QUERIES:
        mode = "permissive" if "mixed" in text else "strict"
        result = sessions["spark"].query(text, mode=mode)
        expected = sessions["reference"].query(text, mode=mode).value()
        found = result.value()
        assert type(found) is type(expected), text
        assert values.equal(found, expected), f"{text}: {found} is not {expected}"
        assert len(result.plan_report().fallbacks) == count, text
        assert python_nodes(result.to_spark()), text
    native = sessions["spark"].query("SELECT VALUE r.id + 1 FROM people AS r")
    assert native.plan_report().native
    assert not python_nodes(native.to_spark())


@pytest.mark.spark
def test_only_the_columns_that_it_needs(sessions: dict[str, fs.Session], spark: Any) -> None:
    if not versions.has_feature(spark, "arrow_udf"):
        pytest.skip("whole rows go through Python on this Spark")
    frame = spark.range(3).selectExpr("id", "'n' AS name", "1.5D AS x", "'unused' AS other")
    sessions["spark"].register("wide", frame)
    for text in (
        "SELECT VALUE upper(w.name) FROM wide AS w",
        "SELECT VALUE CASE WHEN w.id > 1 THEN upper(w.name) ELSE w.x END FROM wide AS w",
        "SELECT VALUE (SELECT VALUE upper(w.name) FROM [w.id] AS e) FROM wide AS w",
    ):
        shown = physical_plan(sessions["spark"].query(text).to_spark())
        assert "unused" not in shown, shown


@pytest.mark.spark
def test_errors_say_what_and_where_and_only_where_needed(sessions: dict[str, fs.Session]) -> None:
    session = sessions["spark"]
    with pytest.raises(fs.EvaluationError, match="upper takes text, not int") as error:
        session.query("SELECT VALUE r.name || upper(r.id) FROM people AS r", mode="strict").value()
    assert error.value.span is not None
    assert error.value.span.text == "upper(r.id)"
    with pytest.raises(fs.EvaluationError, match="overflow"):
        session.query("SELECT VALUE char_length(r.name) + 9223372036854775807 FROM people AS r").value()
    lazy = "SELECT VALUE CASE WHEN r.id < 0 THEN upper(r.id) ELSE coalesce(r.name, upper(r.id)) END FROM people AS r"
    assert len(session.query(lazy, mode="strict").to_python()) == 6
    alone = "FROM people AS r LEFT JOIN (SELECT * FROM people AS n WHERE n.id > 9) AS q ON upper(r.id) = q.name"
    assert len(session.query(f"SELECT r.id, q.id AS q {alone}", mode="strict").to_python()) == 6
    # Nobody asks for the value, so nobody asks for the error.
    unused = "SELECT COUNT(*) AS n FROM (SELECT upper(r.id) AS u FROM people AS r) AS q"
    assert session.query(unused, mode="strict").to_python() == [{"n": 6}]


@pytest.mark.spark
def test_refused_reported_and_explained(sessions: dict[str, fs.Session]) -> None:
    text = "SELECT VALUE [upper(r.name), r.id] FROM people AS r WHERE char_length(r.name) = 2"
    with pytest.raises(fs.UnsupportedError, match=REASON) as error:
        sessions["refusing"].query(text)
    assert "<query>:1:" in str(error.value)
    assert 'fallback="allow"' in str(error.value)
    assert sorted(sessions["refusing"].query("SELECT VALUE r.id FROM people AS r").to_python()) == [*range(6)]
    report = sessions["spark"].query(text).plan_report()
    assert not report.native
    assert report.engine == "spark"
    assert {(one.expression, str(one.where)) for one in report.fallbacks} == {
        ("upper(r.name)", "<query>:1:15"),
        ("char_length(r.name)", "<query>:1:59"),
    }
    assert "2 in Python" in str(report)
    assert REASON in str(report)
    explained = sessions["spark"].query(f"EXPLAIN {text}").to_python().splitlines()
    marks = [line.strip() for line in explained if "-- " in line]
    assert len(marks) == 2
    assert all(f"python: function '{name}'" in mark for name, mark in zip(("upper", "char_length"), marks, strict=True))
    twice = sessions["spark"].plan(text).node
    twice = twice.replace(statement=p.Script((twice.statement, twice.statement)))
    assert sessions["spark"].explain(twice).splitlines() == [*explained, "", *explained]
    assert "python" not in sessions["spark"].explain("SELECT VALUE r.id FROM people AS r")
    assert sessions["reference"].query(text).plan_report().native


@pytest.mark.spark
def test_a_hundred_thousand_rows(sessions: dict[str, fs.Session], spark: Any) -> None:
    sessions["spark"].register("many", spark.range(100_000))
    text = "SELECT SUM(char_length(upper(CAST(r.id AS STRING)))) AS n FROM many AS r"
    assert sessions["spark"].query(text).to_python() == [{"n": 488_890}]


def test_what_a_session_takes() -> None:
    with pytest.raises(fs.UnsupportedError, match="no fallback 'maybe'"):
        fs.connect(fallback="maybe")  # type: ignore[arg-type]
