"""The commands as people type them: queries, files, standard input, options, mistakes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import firesteel as fs
from firesteel import functions
from firesteel.cli.entry import _run
from firesteel.cli.registry import COMMANDS, load
from firesteel.functions.examples import EXAMPLES, query_of
from tests.cli.golden_files import verify
from tests.cli.mistakes import MISTAKES, ORDERS, write_files


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str], bless: bool) -> None:
    """Each mistake is an error with its place and what to do, or a warning beside the answer; never a traceback."""
    seen = []
    for name, argv in MISTAKES.items():
        code = _run([*argv, "--format", "ion"] if argv[0] not in COMMANDS and argv != ["quer"] else argv)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert said.err
        seen.append(f"# {name}\n$ firesteel {' '.join(map(repr, argv))}\n{said.out}{said.err}exit code {code}\n")
    verify("mistakes", "\n".join(seen), bless)


def test_a_file_is_a_table_of_its_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["SELECT VALUE o.id FROM orders AS o", ORDERS, "--format", "ion"]) == 0
    said = capsys.readouterr()
    assert said.out == "$bag::[1, 2, 3]\n"
    assert said.err == "engine: in process, for at most 32 MB of input (--engine spark for Spark)\n"


@pytest.mark.parametrize(
    "argv", [["q.sql", ORDERS], ["-f", "q.sql", "-d", "only"], ["-f", "q.sql", "-t", f"orders={ORDERS}"]]
)
def test_scripts_have_several_answers(here: Path, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (here / "only").mkdir()
    (here / "only" / ORDERS).write_bytes((here / ORDERS).read_bytes())
    assert _run([*argv, "--format", "ion", "--quiet"]) == 0
    assert capsys.readouterr().out == "$bag::[{id: 1}, {id: 2}, {id: 3}]\n2\n"


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize("data", [b'{"a": 1}\n{"a": 2}\n', b"a\n1\n2\n", b"a,b\n1,1\n2,1\n", b"{a: 1}\n{a: 2}\n"])
def test_standard_input_is_a_table(
    data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _stdin(monkeypatch, data)
    assert _run(["SELECT VALUE s.a FROM stdin AS s", "-q", "--format", "ion"]) == 0
    assert capsys.readouterr().out == "$bag::[1, 2]\n"


@pytest.mark.parametrize("argv", [[], ["query"], ["-f", "-"], ["-"]])
def test_standard_input_is_a_query(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _stdin(monkeypatch, b"1 + 1;")
    assert _run(argv) == 0
    assert capsys.readouterr().out == "_1\n--\n2\n(1 row)\n"


def test_an_environment_and_output(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "env.ion").write_text("{t: [1, 2]}")
    assert _run(["SELECT VALUE x FROM t AS x", "-e", "env.ion", "-o", "-", "--format", "jsonl", "-q"]) == 0
    assert capsys.readouterr().out == "1\n2\n"
    assert _run(["SELECT x AS x FROM t AS x", "-e", "env.ion", "-o", "x.txt", "--format", "csv", "-q"]) == 0
    assert (here / "x.txt").read_text().split() == ["x", "1", "2"]
    assert _run(["1; 2", "-o", "x.csv"]) == 2


def test_malformed_lines_are_skipped(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["SELECT VALUE b.a FROM bad AS b", "bad.jsonl", "--malformed", "skip", "-q", "--format", "ion"]) == 0
    assert capsys.readouterr().out == "$bag::[1]\n"


def test_errors_in_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["SELECT rond(1)", "--error-format", "json"]) == 1
    said = json.loads(capsys.readouterr().err)
    assert (said["code"], said["line"], said["column"], said["help"]) == ("FS200", 1, 8, "did you mean 'round'?")
    assert _run(["--error-format=json", "--engin", "x"]) == 2
    assert json.loads(capsys.readouterr().err)["kind"] == "UsageError"


def test_config_show_has_the_bound(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["config", "show"]) == 0
    assert "33554432 (32 MB)" in capsys.readouterr().out
    monkeypatch.setenv("FIRESTEEL_SMALL_INPUT", "1024")
    assert _run(["config", "show"]) == 0
    assert "1024 (1 kB)" in capsys.readouterr().out


def test_the_engine_is_chosen_by_the_size_of_the_input(here: Path) -> None:
    session = fs.connect(engine="auto", small_input=10)
    session.register("t", here / ORDERS)
    assert session._engines.small == 10
    assert session._engines.choose([]).name == "reference"
    table = session._catalog.get("t")
    assert isinstance(table, object)
    assert session._engines.choose([table]).name == "spark"  # type: ignore[list-item]
    assert fs.connect(engine="auto")._engines.choose([table]).name == "reference"  # type: ignore[list-item]
    assert fs.connect(engine="auto", master="local[1]").small_input is None


def test_every_function_has_an_example_that_runs() -> None:
    session = fs.connect(engine="reference")
    for row in functions.all_functions():
        if row.partiql:
            scalar = row.kind is functions.Kind.SCALAR
            assert session.query(query_of(EXAMPLES[row.name], scalar=scalar)).to_ion() not in ("$missing::null", "null")


def test_functions_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["functions", "substr"]) == 0
    assert "example: substring('steel', 2, 3)  gives \"tee\"" in capsys.readouterr().out
    assert _run(["functions", "uper"]) == 1
    assert "did you mean 'upper'?" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["completion", shell]) == 0
    assert "_FIRESTEEL_COMPLETE" in capsys.readouterr().out


def _options() -> list[tuple[str, str]]:
    found = []
    for name in COMMANDS:
        command = load(name)
        assert command is not None
        for one in command.params:
            if isinstance(one, click.Option) and not one.is_flag:
                found.append((name, one.opts[0]))
    return found


@pytest.mark.parametrize(("name", "option"), _options())
def test_an_option_without_a_value_is_one_line(name: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run([name, option]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert option in said.err


@pytest.mark.parametrize(
    ("flag", "bound", "query"),
    [
        ("--max-plan", 5, "1 + 1 + 1"),
        ("--max-literal", 3, "'abcdef'"),
        ("--max-operands", 2, "1 = 2 OR 2 = 3 OR 3 = 4"),
        ("--max-depth", 2, "1 + (2 * (3 + (4 * 5)))"),
        ("--max-nodes", 1, "SELECT x FROM [1, 2] AS x WHERE x > 1"),
        ("--max-cross-rows", 1, "SELECT a FROM [1, 2] AS a, [1, 2] AS b"),
        ("--max-seconds", 0, "1"),
    ],
)
def test_a_limit_refuses_and_names_its_flag(
    flag: str, bound: int, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run([query, flag, str(bound)]) == 3
    assert flag in capsys.readouterr().err
    assert _run([query, flag, "1000"]) == 0


def test_the_flags_for_spark_are_those_of_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    connect = fs.connect

    def instead(**options: Any) -> fs.Session:
        asked.update(options)
        return connect(engine="reference")

    monkeypatch.setattr(fs, "connect", instead)
    assert _run(["1", "--master", "spark://host:7077", "--ui", "--fallback", "refuse", "--conf", "a=b"]) == 0
    assert (asked["master"], asked["fallback"]) == ("spark://host:7077", "refuse")
    assert asked["conf"] == {"a": "b", "spark.ui.enabled": "true"}


def test_a_dialect_and_a_width(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[2] / "examples"
    plans = [str(folder / "revenue.ion"), str(folder / "shipped.json")]
    assert _run(["check", plans[1], "--dialect", "spec"]) == 0
    assert _run(["diff", *plans, "--side-by-side", "--width", "60"]) == 1
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_every_option_has_a_help() -> None:
    for name in COMMANDS:
        command = load(name)
        assert command is not None
        assert not [one.name for one in command.params if isinstance(one, click.Option) and not one.help]


def test_importing_and_small_queries_load_no_large_packages() -> None:
    code = (
        "import sys, firesteel; from firesteel.cli.entry import _run; _run(['1 + 1']);"
        "print([n for n in ('pyspark', 'pyarrow', 'prompt_toolkit', 'pandas', 'google', 'yaml') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.endswith("[]\n")


def test_the_exported_names_are_there() -> None:
    assert all(getattr(fs, name) is not None for name in fs.__all__)
    with pytest.raises(AttributeError):
        _ = fs.nothing  # type: ignore[attr-defined]
