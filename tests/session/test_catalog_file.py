"""Views that are kept in a catalog file: they outlive the session, whatever happens to the file."""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.cli.entry import _run
from firesteel.ion import read, write
from firesteel.passes import Context, View, inline_views
from firesteel.plan import build

HEAD = "firesteel_catalog::{version: 1}\n"


def _connect(file: Path, **options: object) -> fs.Session:
    session = fs.connect(engine="reference", catalog=file, **options)  # type: ignore[arg-type]
    session.register("t", [{"a": 1, "b": "x"}, {"a": 2}])
    return session


def test_views_are_there_in_the_next_session(tmp_path: Path) -> None:
    file = tmp_path / "new" / "views.ion"
    first = _connect(file)
    assert not file.exists()
    first.query("CREATE VIEW small AS SELECT x.a FROM t AS x WHERE x.a < 2")
    first.query("CREATE VIEW hr.names AS SELECT VALUE x.b FROM t AS x, small AS s")
    first.query("CREATE VIEW checked AS SELECT VALUE x.a + 1 FROM t AS x", mode="strict")
    second = _connect(file)
    assert second.tables() == ["checked", "hr.names", "small", "t"]
    assert second.query("SELECT VALUE n FROM hr.names AS n").to_python() == ["x", fs.MISSING]
    assert second.query("SELECT VALUE c FROM checked AS c", mode="strict").to_python() == [2, 3]
    assert second.describe("small").columns
    assert os.listdir(file.parent) == ["views.ion"]


def test_a_view_is_replaced_and_dropped(tmp_path: Path) -> None:
    file = tmp_path / "views.ion"
    first, second = _connect(file), _connect(file)
    first.query("CREATE VIEW v AS SELECT VALUE x.a FROM t AS x")
    second.query("CREATE VIEW w AS SELECT VALUE x.b FROM t AS x")  # it does not know v, and does not lose it
    with pytest.raises(fs.AnalysisError, match="'v' is registered already"):
        first.query("CREATE VIEW v AS 1")
    first.query("CREATE OR REPLACE VIEW V AS SELECT VALUE x.a * 10 FROM t AS x")
    third = _connect(file)
    assert third.tables() == ["V", "t", "w"]
    assert third.query("SELECT VALUE n FROM v AS n").to_python() == [10, 20]
    third.unregister("V")
    assert _connect(file).tables() == ["t", "w"]


def test_its_tables_may_have_changed(tmp_path: Path) -> None:
    file = tmp_path / "views.ion"
    _connect(file).query("CREATE VIEW v AS SELECT VALUE x.a + 1 FROM t AS x")
    later = fs.connect(engine="reference", catalog=file)
    with pytest.raises(fs.AnalysisError, match="no table 't'"):
        later.query("SELECT VALUE n FROM v AS n").value()
    later.register("t", [{"a": 1.5}, {"a": "x"}])
    assert later.query("SELECT VALUE n FROM v AS n").to_python() == [2.5, fs.MISSING]


def test_explain_and_check_keep_nothing(tmp_path: Path) -> None:
    file = tmp_path / "views.ion"
    session = _connect(file)
    session.explain("CREATE VIEW v AS SELECT VALUE x.a FROM t AS x")
    session.check(session.plan("CREATE VIEW v AS SELECT VALUE x.a FROM t AS x"))
    assert not file.exists()
    assert session.tables() == ["t"]


def test_what_only_this_session_understands_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "views.ion"
    session = _connect(file)
    (tmp_path / "d.jsonl").write_text('{"a": 1}\n')
    session.register_function("twice", lambda n: 2 * n, "(int) -> int")
    for query, said in (
        (f"SELECT VALUE d.a FROM '{tmp_path}/d.jsonl' AS d", "names the file"),
        ("SELECT VALUE twice(x.a) FROM t AS x", "calls a function of this session"),
    ):
        with pytest.raises(fs.UnsupportedError, match=said):
            session.query(f"CREATE VIEW v AS {query}")
    assert session.tables() == ["t"]
    assert not file.exists()


BAD = {
    "empty": ("", "does not begin with"),
    "something else": ("{a: 1}", "does not begin with"),
    "another version": ("firesteel_catalog::{version: 2}", "another version than 1"),
    "no struct": ("firesteel_catalog::7", "another version than 1"),
    "no Ion": (HEAD + "(partiql::plan", "no catalog that can be read"),
    "a value": (HEAD + "17", "not a PartiQL plan"),
    "a query": (
        HEAD + "(partiql::plan version::(0 1) (statement (query (lit ($type int64::21) 1))))",
        "creates no view",
    ),
    "no plan": (HEAD + "(partiql::plan version::(0 1) (statement (create_view)))", "no catalog that can be read"),
    "deep": (HEAD + "(" * 50_000, "no catalog that can be read"),
    "NUL": (HEAD + "\0", "no catalog that can be read"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_and_kept(name: str, tmp_path: Path) -> None:
    text, said = BAD[name]
    file = tmp_path / "views.ion"
    file.write_text(text)
    with pytest.raises(fs.PlanError, match=said) as caught:
        _connect(file)
    assert str(file) in str(caught.value)
    assert file.read_text() == text


def _kept(tmp_path: Path) -> Path:
    file = tmp_path / "views.ion"
    session = _connect(file)
    session.query("CREATE VIEW v AS SELECT VALUE x.a FROM t AS x WHERE x.b = 'x'")
    session.query("CREATE VIEW w AS SELECT VALUE x.a FROM t AS x")
    return file


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    file = _kept(tmp_path)
    whole = file.read_bytes()
    for end in range(0, len(whole), 97):
        file.write_bytes(whole[:end])
        if whole[:end].strip().endswith((b"\n}", b"\n)")):
            assert len(_connect(file).tables()) > 1
            continue
        with pytest.raises(fs.FiresteelError, match=str(file)):
            _connect(file)
    for at in range(0, len(whole), 89):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x15]) + whole[at + 1 :])
        with contextlib.suppress(fs.FiresteelError):
            _connect(file)


def test_hostile_views(tmp_path: Path) -> None:
    file = _kept(tmp_path)
    text = file.read_text()
    twice = text + text[len(HEAD) :]
    file.write_text(twice)
    with pytest.raises(fs.PlanError, match="two views 'v'"):
        _connect(file)
    file.write_text(text.replace("(fn eq ", "(fn 'user:1:eq' "))
    with pytest.raises(fs.FiresteelError, match=r"user:1:eq"):
        _connect(file)
    file.write_text(text)
    with pytest.raises(fs.PolicyError, match="max_plan"):
        _connect(file, policy=fs.Policy(max_plan=100))
    with pytest.raises(fs.PolicyError, match=rf"'{file}': the view 'v': .* levels"):
        _connect(file, policy=fs.Policy(max_depth=2))
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(fs.PlanError, match="is a folder"):
        _connect(folder)


def test_views_that_go_in_circles(tmp_path: Path) -> None:
    file = _kept(tmp_path)
    file.write_text(file.read_text().replace("(globals ((t) ", "(globals ((w) "))
    with pytest.raises(fs.PlanError, match="100 levels deep"):
        _connect(file).query("SELECT VALUE n FROM w AS n").value()


def test_views_that_double() -> None:
    """Each of 60 views names the one before it by two globals: 2^60 globals, if equal ones were not made one."""

    def view(binding: p.GlobalBinding) -> View | None:
        number = int(binding.name[1:])
        below = p.GlobalBinding((f"v{number - 1}",), t.ANY)
        both = build.collection(t.Array, [p.Global(t.ANY, 0), p.Global(t.ANY, 1)])
        return View(both, (below, below)) if number else None

    plan = p.Plan(p.Query(p.Global(t.ANY, 0)), globals=(p.GlobalBinding(("v60",), t.ANY),))
    assert [one.name for one in inline_views(plan, Context(view=view)).globals] == ["v0"]


def test_a_binary_file_is_read(tmp_path: Path) -> None:
    file = _kept(tmp_path)
    file.write_bytes(write(read(file.read_text()), True))
    assert _connect(file).tables() == ["t", "v", "w"]


def test_writers_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "views.ion"

    def create(writer: int) -> None:
        session = _connect(file)
        for i in range(5):
            session.query(f"CREATE VIEW v{writer}_{i} AS SELECT x.a + {i} AS n FROM t AS x")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, range(4)))
    assert len(_connect(file).tables()) == 21
    assert os.listdir(tmp_path) == ["views.ion"]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    shared = ["--table", f"t={tmp_path}/t.jsonl", "--engine", "reference", "--catalog", str(tmp_path / "views.ion")]
    assert _run(["query", "CREATE VIEW v AS SELECT x.a * 2 AS n FROM t AS x", *shared]) == 0
    capsys.readouterr()
    assert _run(["query", "SELECT VALUE v.n FROM v ORDER BY v.n", *shared, "--format", "ion"]) == 0
    assert capsys.readouterr().out.split() == ["[2,", "4]"]
    (tmp_path / "views.ion").write_text("nonsense")
    assert _run(["query", "1", *shared]) == 1
    assert "no catalog that can be read" in capsys.readouterr().err
