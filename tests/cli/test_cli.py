"""The command line: what it prints, and where; exit codes."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.cli.registry import load

ROOT = Path(__file__).parents[2]
PLAN = str(ROOT / "examples" / "revenue.ion")
TABLE = f"orders={ROOT / 'examples' / 'data' / 'orders.jsonl'}"
REFERENCE = ["--engine", "reference"]


def test_run_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["run", PLAN, "--table", TABLE, *REFERENCE]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in out[0].split("|")] == ["sku", "revenue"]
    assert out[-1] == "(4 rows)"


def test_run_prints_ion(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["run", PLAN, "--table", TABLE, *REFERENCE, "--format", "ion"]) == 0
    assert capsys.readouterr().out.startswith('[{sku: "steel"')


def test_run_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.jsonl"
    assert _run(["run", PLAN, "--table", TABLE, *REFERENCE, "-o", str(target)]) == 0
    assert len(target.read_text().splitlines()) == 4
    assert capsys.readouterr().err == f"wrote {target}\n"


def test_query_takes_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    text = "SELECT VALUE o.id FROM orders AS o WHERE o.id < ?"
    assert _run(["query", text, "--table", TABLE, *REFERENCE, "--param", "3", "--format", "ion"]) == 0
    assert capsys.readouterr().out == "$bag::[1, 2]\n"


def test_the_pipeline_shows_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["query", "1 + 2", *REFERENCE, "--pipeline", "debug", "--format", "ion"]) == 0
    said = capsys.readouterr()
    assert said.out == "3\n"
    for stage in ("tokens", "syntax tree", "plan", "merge_filters", "result"):
        assert f"-- {stage} " in said.err


def test_the_pipeline_of_a_script_and_of_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "CREATE VIEW v AS SELECT o.id FROM orders AS o;\nSELECT v.id FROM v LIMIT 1; SELECT\n  upper(v.id) FROM v"
    how = ["--table", TABLE, *REFERENCE, "--pipeline", "DEBUG", "--format", "csv"]
    assert _run(["query", text, *how, "--mode", "strict"]) == 1
    said = capsys.readouterr()
    assert said.out == "id\n1\n"  # the second statement sees the view of the first
    assert said.err.count("-- tokens ") == 3
    assert "<query>:3:3" in said.err
    assert _run(["query", "1; SELECT", *how]) == 1
    said = capsys.readouterr()
    assert (said.out, "-- tokens" in said.err) == ("", False)
    assert _run(["run", PLAN, "--table", TABLE, *REFERENCE, "--pipeline", "DEBUG"]) == 0
    assert "-- merge_filters " in capsys.readouterr().err
    assert _run(["plan", "1; 2", "--pipeline", "debug"]) == 1
    assert "more than one statement" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "opens"),
    [
        (["--pipeline", "DEBUG"], "shell"),
        (["--engine=reference", "-t", "t=t.csv"], "shell"),
        (["--pipeline", "DEBUG", "1 + 2"], "query"),
        (["--pipeline", "DEBUG", "-c", "1"], "query"),
        (["-f", "x.partiql"], "query"),
        (["--nonsense"], "query"),
    ],
)
def test_options_alone_open_the_shell(argv: list[str], opens: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    for name in ("shell", "query"):
        command = load(name)
        assert command is not None
        monkeypatch.setattr(command, "invoke", lambda ctx, name=name: called.append(name))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert _run(argv) == (2 if "--nonsense" in argv else 0)
    assert called == ([] if "--nonsense" in argv else [opens])
    called.clear()
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    _run(argv)
    assert "shell" not in called


def test_the_mode_and_the_record_identifiers_of_an_algebra_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("key,a\nk1,1\nk2,x\n")
    plan = tmp_path / "plan.ion"
    plan.write_text("(map_values (list (id u) (plus (path (id f) (lit a)) (lit 1))) (scan (id t) f null u))")
    how = [str(plan), "-t", f"t={table},record_id=key,types=text", *REFERENCE]
    assert _run(["run", *how, "--format", "ion"]) == 0
    assert capsys.readouterr().out == '$bag::[["k1", $missing::null], ["k2", $missing::null]]\n'
    assert _run(["run", *how, "--mode", "strict"]) == 1
    assert "plus takes numbers" in capsys.readouterr().err
    assert _run(["explain", *how[:3], "--mode", "strict"]) == 0
    assert capsys.readouterr().out.startswith("query strict")
    assert _run(["check", *how[:3], "--mode", "strict"]) == 0
    plan.write_text("(partiql::plan version::(0 1) (statement (query (lit 1))))")
    assert _run(["explain", str(plan), "--mode", "strict"]) == 1
    assert "has a mode of its own" in capsys.readouterr().err


def test_a_query_without_a_table_starts_no_jvm() -> None:
    code = "import sys; from firesteel.cli.entry import _run; _run(['query', '1 + 2']); print('py4j' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "3" in done.stdout


def test_plans_as_substrait(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    text = "SELECT t.a + 1 AS b FROM <<{'a': 1}>> AS t"
    assert _run(["plan", text, "--as", "substrait"]) == 0
    assert fs.read_plan(capsysbinary.readouterr().out).node == fs.connect(engine="reference").plan(text).node
    assert _run(["explain", text, "--as", "substrait-json", "--target", "spec:0.57"]) == 0
    made = json.loads(capsysbinary.readouterr().out)
    assert made["version"]["minorNumber"] == 57
    assert made["extensions"][0]["extensionFunction"]["name"] == "add:i64_i64"
    assert _run(["plan", text, "--as", "substrait", "--target", "nobody"]) == 1
    assert _run(["plan", text, "--target", "datafusion"]) == 2


def test_plan_explain_and_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["plan", "SELECT VALUE o FROM orders AS o", "--table", TABLE]) == 0
    assert capsys.readouterr().out.startswith("(partiql::plan")
    for notation, start in (("tree", "query"), ("ion", "(partiql::plan"), ("algebra", "(map_values")):
        assert _run(["explain", PLAN, "--as", notation]) == 0
        assert capsys.readouterr().out.startswith(start)
    assert _run(["explain", PLAN, "--engine", "reference", "--table", TABLE]) == 0
    assert capsys.readouterr().out.startswith("query")
    assert _run(["explain", PLAN, "--engine", "reference", "--as", "ion"]) == 2
    assert "--as tree" in capsys.readouterr().err
    assert _run(["check", PLAN]) == 0
    assert capsys.readouterr().out == f"{PLAN}: fine\n"


def test_check_names_every_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "bad.ion"
    plan.write_text("(partiql::plan version::(0 1) (statement (query (select (var 7) (scan (lit [1]))))))")
    assert _run(["check", str(plan)]) == 1
    err = capsys.readouterr().err
    assert "FS300: no variable 7: the row has 1 columns" in err
    assert f"{plan}:1:" in err
    assert f"{plan}: 1 problem\n" in err


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["run", "nowhere.ion"], 1, "cannot read 'nowhere.ion'"),
        (["run", PLAN, *REFERENCE], 1, "no table 'orders'"),
        (["run", PLAN, "--table", "orders"], 2, "is not NAME=FILE"),
        (["run", PLAN, "--table", "orders=nowhere.jsonl", *REFERENCE], 1, "no file 'nowhere.jsonl'"),
        (["run"], 2, "Missing argument"),
        (["fly"], 2, "No such command"),
        (["query", "SELECT FROM", *REFERENCE], 1, "FS100"),
        (["query", "uper('a')", *REFERENCE], 1, "did you mean 'upper'?"),
    ],
)
def test_exit_codes(argv: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(argv) == code
    said = capsys.readouterr()
    assert message in said.err
    assert not said.out
    assert "Traceback" not in said.err


def test_timeout(tmp_path: Path) -> None:
    plan = tmp_path / "slow.ion"
    scans = "(scan (id n) a) (cross_join (scan (id n) b) (cross_join (scan (id n) c) (scan (id n) d)))"
    plan.write_text(f"(map_values (lit 1) (filter (gt (id a) (lit 9)) (cross_join {scans})))")
    data = tmp_path / "n.jsonl"
    data.write_text("\n".join(map(str, range(60))))
    command = ["run", str(plan), "--table", f"n={data}", *REFERENCE, "--timeout", "0.3"]
    done = subprocess.run([sys.executable, "-m", "firesteel", *command], capture_output=True, text=True)
    assert done.returncode == 124
    assert done.stderr == "no answer within 0.3 seconds\n"


def test_py4j_is_not_heard() -> None:
    start = pytest.importorskip("firesteel.spark.runtime.start")
    start.silence()
    made = logging.getLogger().makeRecord
    for path, heard in (("/lib/py4j/java_gateway.py", False), ("/lib/mine.py", True)):
        record = made("root", logging.ERROR, path, 1, "KeyboardInterrupt while sending command.", (), None)
        assert bool(logging.getLogger().filter(record)) is heard


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seconds", [4, 40])
def test_timeout_on_spark(tmp_path: Path, seconds: int) -> None:
    """While Spark starts, and while it works: one line either way."""
    (tmp_path / "n.jsonl").write_text("\n".join(map(str, range(3_000))))
    text = "SELECT VALUE COUNT(*) FROM n AS a, n AS b, n AS c, n AS d WHERE a + b + c < d"
    command = ["query", text, "--table", f"n={tmp_path / 'n.jsonl'}", "--timeout", str(seconds)]
    done = subprocess.run([sys.executable, "-m", "firesteel", *command], capture_output=True, text=True)
    assert done.returncode == 124
    assert done.stderr == f"no answer within {seconds} seconds\n"


def test_a_closed_pipe_is_no_error() -> None:
    command = f'"{sys.executable}" -m firesteel explain "{PLAN}" | head -n 1'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_help_is_there_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "query", "plan", "explain", "check", "doctor"):
        assert _run([command, "--help"]) == 0
        assert "Usage: firesteel" in capsys.readouterr().out
