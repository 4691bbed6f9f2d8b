"""What a query may say and hardly ever means: a warning with its place and what to write instead; an error if asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.warning import WarningKind

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guide.md"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", [{"x": 1, "y": "a", "k": 1}, {"x": 2, "y": "b", "k": 1}])
    made.register("u", [{"x": 2}])
    made.register("e", [{"n": 1, "items": [1, 2]}])
    lines = tmp_path_factory.mktemp("warnings") / "orders.jsonl"
    lines.write_text(json.dumps({"status": "shipped"}) + "\n", encoding="utf-8")
    made.register("orders", lines)
    return made


#: A query, and of each warning its code, what the caret is under, and a part of the hint.
WARNED: dict[str, list[tuple[str, str, str]]] = {
    "SELECT t.x, t.y AS b FROM t ORDER BY 2, t.x": [("FS701", "2", "write b")],
    "SELECT t.x FROM t ORDER BY 'x'": [("FS701", "'x'", "leave it out")],
    "SELECT DISTINCT t.x FROM t ORDER BY 1": [("FS701", "1", "write t.x")],
    "SELECT t.x FROM t UNION SELECT u.x FROM u ORDER BY 1": [("FS701", "1", "write t.x")],
    "SELECT t.k, count(*) AS n FROM t GROUP BY 1": [("FS701", "1", "write t.k"), ("FS703", "t.k", "max(t.k)")],
    "SELECT VALUE (SELECT VALUE v FROM [1] AS v ORDER BY t.x) FROM t": [("FS701", "t.x", "leave it out")],
    "SELECT * FROM e, e.items AS i": [("FS702", "e", "@e")],
    "SELECT e.n FROM e WHERE EXISTS (SELECT 1 FROM e.items AS i)": [("FS702", "e", "@e")],
    "SELECT t.k, t.x, count(*) AS n FROM t GROUP BY t.k": [("FS703", "t.x", "max(t.x)")],
    "SELECT a.k, upper(a.y) AS y FROM t AS a GROUP BY a.k": [("FS703", "a.y", "max(a.y)")],
    "SELECT t.k FROM t GROUP BY t.k HAVING t.x > 1": [("FS703", "t.x", "max(t.x)")],
    "SELECT t.xx FROM t": [("FS704", ".xx", "did you mean 'x'?")],
    "SELECT t.x FROM t WHERE t.nope = 1": [("FS704", ".nope", "there are x, y, k")],
    "SELECT q.b FROM (SELECT 1 AS a) AS q": [("FS704", ".b", "there are a")],
    "SELECT t.x, count(*) AS n FROM t": [("FS703", "t.x", "max(t.x)")],
    "SELECT e.items[z] FROM e": [("FS704", "e.items[z]", "there are e")],
    "SELECT z.y FROM t": [("FS704", "z.y", "there are t")],
    'SELECT o.status FROM orders AS o WHERE o.status = "shipped"': [("FS705", '"shipped"', "write 'shipped'")],
    "SELECT o.status FROM orders AS o WHERE o.status IN (\"a\", 'b')": [("FS705", '"a"', "write 'a'")],
    'SELECT o.status FROM orders AS o WHERE status LIKE "s%"': [("FS705", '"s%"', "write 's%'")],
    'SELECT t.x FROM t WHERE t.y = "u"': [("FS705", '"u"', "write 'u'")],
    "SELECT t.x FROM t WHERE 1": [("FS706", "1", "compare it")],
    "SELECT t.x FROM t JOIN u ON t.y": [("FS706", "t.y", "compare it")],
    "SELECT t.k FROM t GROUP BY t.k HAVING 'a'": [("FS706", "'a'", "compare it")],
    "SELECT t.x AS a FROM t UNION SELECT u.x AS b FROM u": [("FS707", "SELECT u.x AS b FROM u", "AS a")],
    f"1.{'0' * 40}1": [("FS708", f"1.{'0' * 40}1", "fewer digits")],
    "TIME '10:00:00.1234567891'": [("FS708", "TIME '10:00:00.1234567891'", "fewer digits")],
    "CREATE VIEW warned AS SELECT t.nope FROM t": [("FS704", ".nope", "there are x, y, k")],
}


@pytest.mark.parametrize("query", WARNED)
def test_a_warning_has_its_place_and_a_way_out(query: str, session: fs.Session) -> None:
    found = session.plan(query).warnings
    expected = WARNED[query]
    assert [(warning.code, warning.span.text if warning.span else "") for warning in found] == [
        (code, text) for code, text, _ in expected
    ]
    for warning, (_, _, hint) in zip(found, expected, strict=True):
        assert hint in (warning.hint or "")
        assert "^" in str(warning)
    assert session.query(query).warnings == found
    with pytest.raises(fs.AnalysisError) as error:
        session.plan(query, typing="static")
    assert (error.value.message, error.value.help) == (found[0].message, found[0].hint)


FINE = [
    "SELECT t.x, t.y FROM t ORDER BY t.y, x DESC",
    "SELECT t.k AS a, max(t.x) AS m FROM t GROUP BY t.k ORDER BY a, count(*)",
    "SELECT VALUE g FROM t GROUP BY t.k GROUP AS g",
    "SELECT * FROM e, @e.items AS i",
    "SELECT * FROM e AS a, a.items AS i",
    "SELECT * FROM e, e AS f",
    'SELECT "status" FROM orders WHERE "status" = \'shipped\'',
    "SELECT o.anything FROM orders AS o WHERE o.other",
    'SELECT t."x" FROM t WHERE t.x = "x"',
    "SELECT t.X FROM t WHERE t.Y LIKE 'a%'",
    "SELECT t.x AS a FROM t UNION SELECT u.x AS A FROM u",
    "SELECT t.x FROM t WHERE NULL",
    "1.50 + 2",
]


@pytest.mark.parametrize("query", FINE)
def test_nothing_to_say(query: str, session: fs.Session) -> None:
    assert session.query(query).warnings == ()


def test_a_string_in_double_quotes_that_can_be_no_name(session: fs.Session) -> None:
    with pytest.raises(fs.AnalysisError) as error:
        session.query('SELECT t.x FROM t WHERE t.y = "abc"')
    assert "write 'abc'" in (error.value.help or "")


def test_the_command_line_says_it_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT VALUE v FROM [2, 1] AS v ORDER BY 1"
    assert _run(["query", query, "--engine", "reference"]) == 0
    shown = capsys.readouterr()
    assert "FS701: warning: ORDER BY 1 is the same for every row" in shown.err
    assert "FS701" not in shown.out
    assert _run(["plan", query]) == 0
    assert "FS701" in capsys.readouterr().err
    assert _run(["plan", query, "--typing", "static"]) == 1


def test_every_code_is_in_the_guide() -> None:
    rows = dict(re.findall(r"^\| `(FS7\d\d)` \| (.*?) \|", GUIDE.read_text(encoding="utf-8"), re.M))
    assert rows == {doubt.code: doubt.about for doubt in WarningKind}
    assert len(rows) == len(WarningKind)
