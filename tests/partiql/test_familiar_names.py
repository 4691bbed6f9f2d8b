"""Functions by the names of other databases: what they mean, in which order names are looked up, and the hints."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import functions
from firesteel.cli.entry import _run
from firesteel.partiql.lower.calls.familiar_names import _OF_FIELDS, DEFINITIONS, HINTS
from tests.partiql.familiar_calls import AGGREGATES, CALLS, ROW, ROWS


@pytest.fixture
def session() -> fs.Session:
    session = fs.connect(engine="reference")
    session.register("t", [ROW])
    session.register("rows", ROWS)
    return session


def test_every_name_has_a_case() -> None:
    names = {call.partition("(")[0] for call in DEFINITIONS} | set(_OF_FIELDS)
    assert names <= set(CALLS) | set(AGGREGATES)
    assert not [name for name in [*names, *HINTS] if functions.find_partiql(name)]  # it would hide a function of ours


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, session: fs.Session) -> None:
    call, wanted = CALLS[name]
    assert session.query(f"SELECT VALUE {call} FROM t").to_python() == [wanted]


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates(name: str, session: fs.Session) -> None:
    call, wanted = AGGREGATES[name]
    rows = session.query(f"SELECT t.g, {call} AS v FROM rows AS t GROUP BY t.g ORDER BY t.g").to_python()
    assert tuple(row["v"] for row in rows) == wanted


def test_over_windows_and_in_having(session: fs.Session) -> None:
    found = session.query("SELECT t.g, MEAN(t.x) OVER (PARTITION BY t.g) AS m FROM rows AS t ORDER BY t.g").to_python()
    assert [row["m"] for row in found] == [1.75, 1.75, 1.75, 4, 4]
    having = "SELECT VALUE {'g': g} FROM rows AS t GROUP BY t.g AS g HAVING COUNT_IF(t.y) > 1"
    assert session.query(having).to_python() == [{"g": 1}]


def test_a_registered_function_comes_first(session: fs.Session) -> None:
    session.register_function("nvl", lambda a, b: "mine", "(any, any) -> string")
    assert session.query("NVL(1, 2)").to_python() == "mine"


def test_places_of_errors_are_those_of_the_call(session: fs.Session) -> None:
    with pytest.raises(fs.EvaluationError) as caught:
        session.query("SELECT VALUE 1 + YEAR(t.s) FROM t", mode="strict").to_python()
    assert "SELECT VALUE 1 + YEAR(t.s) FROM t" in str(caught.value)
    with pytest.raises(fs.AnalysisError, match="no function 'nvl'"):
        session.query("NVL(1)")


@pytest.mark.parametrize("name", HINTS)
def test_hints(name: str, session: fs.Session) -> None:
    if name in ("try_cast", "safe_cast"):
        return
    with pytest.raises(fs.AnalysisError) as caught:
        session.query(f"SELECT VALUE {name}(t.s) FROM t")
    assert caught.value.help == HINTS[name]


def test_what_is_unknown_everywhere(session: fs.Session) -> None:
    with pytest.raises(fs.AnalysisError) as caught:
        session.query("SELECT VALUE zzyzx(t.s) FROM t")
    assert "register_function" in (caught.value.help or "")
    with pytest.raises(fs.AnalysisError, match="FILTER"):
        session.query("SELECT ARRAY_AGG(t.x) FILTER (WHERE t.x > 1) AS a FROM rows AS t")


def test_the_command_line_knows_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["functions", "nvl2"]) == 0
    assert "CASE WHEN a IS NOT NULL THEN b ELSE c END" in capsys.readouterr().out
    assert _run(["functions", "to_char"]) == 0
    assert "TO_STRING" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("query", "help_"),
    [
        ("SELECT VALUE t.s RLIKE 'a' FROM t", "REGEXP_LIKE"),
        ("SELECT VALUE t.s SIMILAR TO 'a' FROM t", "REGEXP_LIKE"),
        ("SELECT VALUE t.s ~ 'a' FROM t", "REGEXP_LIKE"),
        ("SELECT t.n FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY t.n) = 1", "a query in FROM"),
        ("SELECT VALUE t.n::INT FROM t", "CAST(x AS INT)"),
        ("SELECT VALUE t.n ** 2 FROM t", "POWER"),
        ("SELECT VALUE t.n // 2 FROM t", "truncates"),
        ("SELECT VALUE t.n IS DISTINCT FROM 2 FROM t", "NOT (a = b)"),
        ("SELECT * EXCLUDE (n) FROM t", "without brackets"),
    ],
)
def test_syntax_of_other_databases(query: str, help_: str, session: fs.Session) -> None:
    with pytest.raises(fs.ParseError) as caught:
        session.query(query)
    assert help_ in str(caught.value)
