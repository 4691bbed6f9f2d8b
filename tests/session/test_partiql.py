"""PartiQL through the Python interface: parameters, views, modes, typing, refusals."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

import firesteel as fs

ROWS = [{"id": 1, "n": "Ada"}, {"id": 2, "n": "Grace"}, {"id": 3}]


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("hr.people", ROWS)
    return made


PARAMETERS: list[tuple[str, list[Any], Any]] = [
    ("SELECT VALUE p.n FROM hr.people AS p WHERE p.id = ?", [1], ["Ada"]),
    ("SELECT VALUE p.id FROM hr.people AS p WHERE p.id > ? AND p.id < ?", [1, 3], [2]),
    ("? + ?", [1, 2], 3),
    ("? || ?", ["a", "b"], "ab"),
    ("SELECT VALUE x * ? FROM ? AS x", [10, [1, 2]], [10, 20]),
    ("?.a", [{"a": 5}], 5),
    ("? IS MISSING", [fs.MISSING], True),
    ("? IS NULL", [None], True),
    ("?", [Decimal("1.50")], Decimal("1.50")),
    ("EXTRACT(YEAR FROM ?)", [datetime.date(2020, 2, 3)], 2020),
    ("SELECT VALUE p.id FROM hr.people AS p ORDER BY p.id LIMIT ?", [1], [1]),
    ("?", ["'; DROP TABLE people --"], "'; DROP TABLE people --"),
]


@pytest.mark.parametrize(("text", "params", "result"), PARAMETERS)
def test_parameters(session: fs.Session, text: str, params: list[Any], result: Any) -> None:
    assert session.query(text, params=params).to_python() == result


def test_a_parameter_without_a_value(session: fs.Session) -> None:
    with pytest.raises(fs.AnalysisError, match="no value for parameter 2: 1 given") as error:
        session.query("? + ?", params=[1])
    assert "<query>:1:5" in str(error.value)


def test_names_of_tables_in_any_case_unless_quoted(session: fs.Session) -> None:
    assert len(session.query("SELECT * FROM HR.People AS p").to_python()) == 3
    with pytest.raises(fs.AnalysisError, match="no variable 'HR'"):
        session.query('SELECT * FROM "HR"."People" AS p')


def test_views(session: fs.Session) -> None:
    session.query("CREATE VIEW named AS SELECT p.id, p.n FROM hr.people AS p WHERE p.n IS NOT MISSING")
    assert session.query("SELECT VALUE v.n FROM named AS v ORDER BY v.id DESC").to_python() == ["Grace", "Ada"]
    session.query("CREATE VIEW firsts AS SELECT VALUE v.id FROM named AS v")
    assert session.query("SELECT VALUE f + 1 FROM firsts AS f").to_python() == [2, 3]
    assert session.query("SELECT a, b FROM named AS a, firsts AS b WHERE a.id = b").to_python() == [
        {"a": {"id": 1, "n": "Ada"}, "b": 1},
        {"a": {"id": 2, "n": "Grace"}, "b": 2},
    ]
    with pytest.raises(fs.AnalysisError, match="registered already"):
        session.query("CREATE VIEW named AS SELECT 1 AS one FROM hr.people AS p")
    session.unregister("named")
    with pytest.raises(fs.AnalysisError, match="no table 'named'"):
        session.query("SELECT VALUE f FROM firsts AS f").value()


def test_explain_gives_the_tree(session: fs.Session) -> None:
    text = session.query("EXPLAIN SELECT VALUE p.id FROM hr.people AS p").to_python()
    assert text.splitlines()[0] == "query → bag(int64)"


def test_modes(session: fs.Session) -> None:
    assert session.query("1 + 'a'").to_python() is fs.MISSING
    with pytest.raises(fs.EvaluationError) as error:
        session.query("1 +\n  'a'", mode="strict").value()
    assert "<query>:1:1" in str(error.value)
    with pytest.raises(fs.UnsupportedError, match="no mode 'lax'"):
        session.query("1", mode="lax")


def test_static_typing_finds_what_must_fail(session: fs.Session) -> None:
    assert session.query("SELECT VALUE p.id || 'x' FROM hr.people AS p").to_python() == [fs.MISSING] * 3
    with pytest.raises(fs.AnalysisError, match="'concat' does not take") as error:
        session.plan("SELECT VALUE p.id || 'x' FROM hr.people AS p", typing="static")
    assert "^" in str(error.value)
    session.plan("SELECT VALUE p.n || 'x' FROM hr.people AS p", typing="static")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("SELECT", fs.ParseError, "expected"),
        ("SELECT a FROM t WHERE", fs.ParseError, "expected"),
        ("nobody", fs.AnalysisError, "no variable 'nobody'"),
        ("uper('a')", fs.AnalysisError, "no function 'uper'"),
        ("upper('a', 'b')", fs.AnalysisError, "does not take 2 arguments"),
        ("SELECT COUNT(x) FROM nowhere AS x", fs.AnalysisError, "no variable 'nowhere'"),
        ("CAST(1 AS NONSENSE)", fs.FiresteelError, "NONSENSE"),
        ("INSERT INTO t VALUES (1)", fs.UnsupportedError, "INSERT"),
        ("DELETE FROM t", fs.UnsupportedError, "DELETE"),
        ("CREATE TABLE t", fs.UnsupportedError, "CREATE TABLE"),
        ("DATE '2020-13-01'", fs.FiresteelError, "2020-13-01"),
    ],
)
def test_refusals_say_where_and_what(
    session: fs.Session, text: str, error: type[fs.FiresteelError], message: str
) -> None:
    with pytest.raises(error) as raised:
        session.query(text)
    assert message in str(raised.value)
    assert raised.value.span is not None


def test_the_plan_of_a_query_can_be_kept(session: fs.Session) -> None:
    plan = session.plan("SELECT VALUE p.id FROM hr.people AS p WHERE p.n LIKE 'A%'")
    again = fs.read_plan(plan.to_ion(binary=True))
    assert again.node == plan.node
    assert session.run(again).to_python() == [1]
