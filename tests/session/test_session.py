"""The Python interface, on the reference engine: tables, views, plans, results, errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build as b

ROWS = [{"id": 1, "name": "Ada"}, {"id": 2, "name": None}, {"id": 3}]
ALL = "(map_values (id r) (scan (id t) r))"
NAMES = "(map_values (path (id r) (lit name)) (scan (id t) r))"


@pytest.fixture
def session() -> fs.Session:
    return fs.connect(engine="reference")


def test_the_names_that_users_rely_on() -> None:
    for name in fs.__all__:
        assert hasattr(fs, name), name
    tree = [fs.ParseError, fs.AnalysisError, fs.EvaluationError, fs.PlanError, fs.PolicyError, fs.UnsupportedError]
    assert all(issubclass(error, fs.FiresteelError) for error in tree)


def test_importing_is_light() -> None:
    code = "import sys, firesteel; print([m for m in ('pyspark', 'pyarrow', 'pandas', 'click') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


SOURCES: dict[str, Any] = {
    "python": ROWS,
    "ion": fs.ion('$bag::[{id: 1, name: "Ada"}, {id: 2, name: null}, {id: 3}]'),
    "value": fs.Bag([fs.Struct(row) for row in ROWS]),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_data_in_memory(session: fs.Session, kind: str) -> None:
    session.register("t", SOURCES[kind])
    assert session.run(NAMES).to_python() == ["Ada", None, fs.MISSING]


def test_arrow_pandas_and_files(session: fs.Session, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "name": ["Ada", None]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("id,name\n1,Ada\n2,\n")
    (tmp_path / "t.jsonl").write_text('{"id": 1, "name": "Ada"}\n\n{"id": 2, "name": null}\n')
    (tmp_path / "t.ion").write_text('{id: 1, name: "Ada"} {id: 2, name: null}')
    for source in (table, table.to_pandas(), *sorted(tmp_path.iterdir())):
        session.register("t", source, replace=True)
        names = session.run(NAMES).to_python()
        assert names in (["Ada", None], ["Ada", ""]), source


def test_a_map_whose_keys_are_not_text_is_refused_by_the_name_of_its_column(session: fs.Session) -> None:
    numbered = pa.array([[(1, "a")], []], pa.map_(pa.int64(), pa.string()))
    session.register("t", pa.table({"id": [1, 2], "m": numbered}))
    with pytest.raises(fs.UnsupportedError, match="column 'm' is a map"):
        session.query("SELECT VALUE t.m FROM t AS t").value()


def test_names_are_found_in_any_case_unless_two_differ_only_in_it(session: fs.Session) -> None:
    session.register("hr.T", ROWS)
    assert len(session.run("(map_values (id r) (scan (id 'HR.t') r))").to_python()) == 3
    session.register("HR.t", [])
    assert session.run("(map_values (id r) (scan (id 'HR.t') r))").to_python() == []
    with pytest.raises(fs.AnalysisError, match=r"no table 'hr\.t'"):
        session.run("(map_values (id r) (scan (id 'hr.t') r))")


def test_registering_twice_needs_a_word(session: fs.Session) -> None:
    session.register("t", ROWS)
    with pytest.raises(fs.AnalysisError, match="registered already"):
        session.register("t", [])
    session.register("t", [], replace=True)
    assert session.run(ALL).to_python() == []
    session.unregister("t")
    with pytest.raises(fs.AnalysisError, match="no table 't'"):
        session.run(ALL)
    with pytest.raises(fs.AnalysisError, match="no table 'u'"):
        session.unregister("u")


def test_an_unknown_table_says_what_there_is(session: fs.Session) -> None:
    with pytest.raises(fs.AnalysisError, match="none is registered"):
        session.run(ALL)
    session.register("tt", ROWS)
    with pytest.raises(fs.AnalysisError) as error:
        session.run(ALL)
    assert "did you mean 'tt'?" in str(error.value)


def test_record_identifiers(session: fs.Session) -> None:
    session.register("t", ROWS, record_id="id")
    assert [row["uid"] for row in session.run("(scan (id t) r null uid)").to_python()] == [1, 2, 3]
    session.register("t", ROWS, record_id=["a", "b", "c"], replace=True)
    assert [row["uid"] for row in session.run("(scan (id t) r null uid)").to_python()] == ["a", "b", "c"]
    with pytest.raises(fs.PlanError, match="2 record identifiers for 3 records"):
        session.register("t", ROWS, record_id=["a", "b"], replace=True)


def test_views_are_plans_by_name(session: fs.Session) -> None:
    session.register("t", ROWS)
    body = b.select(b.path(p.Var(t.ANY, 0), "id"), p.Scan(p.Global(t.ANY, 0)))
    view = p.Plan(p.CreateView("ids", body), globals=(p.GlobalBinding(("t",), t.ANY),))
    assert session.run(view).to_python() == []
    assert session.run("(map_values (id i) (filter (gt (id i) (lit 1)) (scan (id ids) i)))").to_python() == [2, 3]
    with pytest.raises(fs.AnalysisError, match="registered already"):
        session.run(view)
    session.register("IDS", [7])  # the exact name is meant, be it a table's or a view's
    assert session.run("(map_values (id i) (scan (id 'IDS') i))").to_python() == [7]
    assert session.run("(map_values (id i) (scan (id ids) i))").to_python() == [1, 2, 3]
    with pytest.raises(fs.AnalysisError, match="no table 'Ids'"):
        session.run("(map_values (id i) (scan (id 'Ids') i))")
    session.unregister("ids")


def test_a_result_in_every_form(session: fs.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session.register("t", fs.Bag([fs.Struct(row) for row in ROWS]))
    result = session.run(ALL)
    assert result.to_python() == ROWS
    assert fs.ion(result.to_ion()) == result.value()
    assert fs.ion(result.to_ion(binary=True)) == result.value()
    assert result.to_arrow().to_pylist() == [{"id": i, "name": name} for i, name in [(1, "Ada"), (2, None), (3, None)]]
    assert list(result.to_pandas()["id"]) == [1, 2, 3]
    result.show()
    assert "Ada" in capsys.readouterr().out
    with pytest.raises(fs.UnsupportedError, match="not computed by Spark"):
        result.to_spark()
    for suffix in ("parquet", "orc", "csv", "jsonl", "ion"):
        target = tmp_path / f"out.{suffix}"
        result.write(target)
        session.register("back", target, replace=True)
        assert len(session.run("(map_values (id r) (scan (id back) r))").to_python()) == 3
    assert sorted(f.name for f in tmp_path.iterdir()) == [f"out.{s}" for s in ("csv", "ion", "jsonl", "orc", "parquet")]


def test_a_write_that_fails_leaves_what_was_there(session: fs.Session, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    session.run("(map_values (id x) (scan (lit [1, 2]) x))").write(target)
    before = target.read_bytes()
    with pytest.raises(fs.UnsupportedError, match="several types"):
        session.run('(map_values (id x) (scan (lit [1, "a"]) x))').write(target)
    assert target.read_bytes() == before
    assert [f.name for f in tmp_path.iterdir()] == ["out.parquet"]
    with pytest.raises(fs.UnsupportedError, match="cannot tell the format"):
        session.run(ALL.replace("(id t)", "(lit 1)")).write(tmp_path / "out.xyz")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.ion", "cannot read 'nowhere.ion'"),
        (b"", "<plan> is empty"),
        (b"\xff\xfe\x00", "neither Ion nor a Substrait plan"),
        ("(", "<plan>:1:1"),
        ("(scann (id t) r)", "scann"),
    ],
)
def test_what_is_no_plan_is_refused(source: Any, message: str) -> None:
    with pytest.raises(fs.FiresteelError) as error:
        fs.read_plan(source)
    assert message in str(error.value)


def test_a_plan_is_checked_before_it_runs(session: fs.Session) -> None:
    bad = p.Plan(p.Query(b.select(p.Var(t.ANY, 7), p.Scan(b.lit([1])))))
    with pytest.raises(fs.PlanError, match="no variable 7"):
        session.run(bad)


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(fs.UnsupportedError, match="no engine 'duck'"):
        fs.connect(engine="duck")  # type: ignore[arg-type]
