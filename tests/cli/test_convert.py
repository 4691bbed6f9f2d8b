"""`firesteel convert`: every pair of forms, what is lost, and old Substrait plans in today's form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import firesteel as fs
from firesteel.cli import main
from firesteel.errors import FiresteelError

FORMS = {"partiql": "q.partiql", "algebra": "q.algebra", "ion": "q.ion", "ion-binary": "q.10n"} | {
    "substrait": "q.proto",
    "substrait-json": "q.json",
}
QUERIES = [
    "SELECT e.id, p AS title FROM emp AS e, @e.projects AS p WHERE e.id > 1",
    "SELECT e.dept, COUNT(*) AS n FROM emp AS e GROUP BY e.dept ORDER BY n DESC, e.dept LIMIT 2",
    "SELECT VALUE e.id FROM emp AS e WHERE e.dept IN (SELECT VALUE d.id FROM dept AS d) OR e.name LIKE 'b%'",
    "SELECT e.name, d.title FROM emp AS e LEFT JOIN dept AS d ON e.dept = d.id",
    "(SELECT VALUE e.dept FROM emp AS e) UNION (SELECT VALUE d.id FROM dept AS d)",
    "PIVOT e.id AT e.name FROM emp AS e",
]
EMP = """$bag::[{id: 1, name: "a", dept: 1, projects: ["x"]}, {id: 2, name: "b", dept: 2, projects: ["y", "z"]},
    {id: 3, name: "c", dept: 2, projects: []}]"""


def _run(*args: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    return int(stop.value.code or 0)


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("emp", fs.ion(EMP))
    made.register("dept", fs.ion('$bag::[{id: 1, title: "D"}]'))
    return made


@pytest.mark.parametrize("query", QUERIES)
def test_every_pair_of_forms(query: str, tmp_path: Path, session: fs.Session) -> None:
    first = tmp_path / "first.partiql"
    first.write_text(query, encoding="utf-8")
    expected = session.query(query).to_ion()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for source in FORMS.values():
        assert _run("convert", first, tmp_path / "a" / source) == 0
        for to in FORMS.values():
            assert _run("convert", tmp_path / "a" / source, tmp_path / "b" / to) == 0
            assert session.run(fs.read_plan(tmp_path / "b" / to)).to_ion() == expected, (source, to)


def test_a_strict_plan_stays_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query, ion, text, lost = (tmp_path / name for name in ("q.partiql", "q.ion", "again.sql", "q.algebra"))
    query.write_text("1 + 'a'", encoding="utf-8")
    assert _run("convert", query, ion, "--mode", "strict") == 0
    assert _run("convert", ion, text) == 0
    assert text.read_text(encoding="utf-8") == "-- mode: strict\n1 + 'a'\n"
    assert fs.read_plan(text).node == fs.read_plan(ion).node
    assert _run("convert", ion, lost) == 1
    assert "would lose: the mode 'strict'" in capsys.readouterr().err
    assert _run("convert", ion, lost, "--lossy") == 0
    assert "dropped: the mode 'strict'" in capsys.readouterr().err


def test_forms_that_are_said(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    query = tmp_path / "query.txt"
    query.write_text("SELECT t.a FROM t", encoding="utf-8")
    assert _run("convert", query, "-", "--from", "partiql", "--to", "partiql") == 0
    assert capfdbinary.readouterr().out == b"SELECT t.a FROM t\n"
    assert _run("convert", query, tmp_path / "out.txt", "--from", "partiql") == 1
    assert b"does not say which form" in capfdbinary.readouterr().err


def test_a_text_that_is_a_plan_reads_no_files(tmp_path: Path) -> None:
    query = tmp_path / "q.partiql"
    query.write_text("SELECT VALUE x FROM 'secret.csv' AS x", encoding="utf-8")
    with pytest.raises(fs.PolicyError, match=r"names the files 'secret\.csv'"):
        fs.connect(engine="reference").run(query)


def test_a_session_says_the_types(session: fs.Session) -> None:
    plan = fs.read_plan("(map_values (path (id t) (lit a)) (scan (id emp) t))")
    assert "string" not in plan.to_ion()
    assert "string" in plan.to_ion(session=session)


#: Repairs of what only old plans say.
_OLD = ("old_uri", "unknown_uri", "no_uri", "alias")


@pytest.mark.conformance
def test_old_plans_in_todays_form(outside: Callable[[str], Path]) -> None:
    """The producers' plans, upgraded: read again, they are equal."""
    count = 0
    for path in sorted(outside("substrait-plans").rglob("*.json")):
        try:
            plan = fs.read_plan(path)
            node = plan.node
        except FiresteelError:
            continue  # what says no types of its tables, or is no plan
        made = fs.convert(plan, "substrait", lossy=True)
        again = fs.read_plan(made.data)
        assert again.node == node, path.name
        assert not [one for one in again.lowered().repairs if one.name in _OLD], path.name
        count += 1
    assert count > 100


def test_spark_sql_is_written_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, query, out = (tmp_path / name for name in ("t.parquet", "q.partiql", "q.sparksql"))
    parquet.write_table(pa.table({"id": ["1"], "name": ["a"]}), data)
    query.write_text("SELECT t.name FROM t WHERE t.id = '1'", encoding="utf-8")
    expected = "SELECT c2 AS `name`\nFROM (\n  SELECT `id` AS c1, `name` AS c2\n  FROM `t`\n)\nWHERE c1 = '1'\n"
    assert _run("convert", query, out, "--table", f"t={data}") == 0
    assert out.read_text(encoding="utf-8") == expected
    assert _run("plan", query.read_text(encoding="utf-8"), data, "--as", "spark-sql") == 0
    assert capsys.readouterr().out == expected
    assert _run("convert", out, tmp_path / "q.ion") == 1
    assert "written and not read" in capsys.readouterr().err
