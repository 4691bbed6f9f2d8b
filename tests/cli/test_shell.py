"""The shell without a terminal: statements, every dot-command, completion."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import firesteel as fs
from firesteel.cli import shell as shells
from firesteel.cli.render import FORMATS
from firesteel.cli.shell.completion import Completion
from firesteel.cli.shell.dot_commands import COMMANDS
from firesteel.cli.shell.highlight import PartiqlLexer
from firesteel.cli.shell.settings import SETTINGS, Settings
from firesteel.cli.shell.shell import Shell

ROOT = Path(__file__).parents[2]
ORDERS = ROOT / "examples" / "data" / "orders.jsonl"


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("orders", ORDERS)
    made.register("hr.people", [{"full name": "Ada", "born": {"year": 1815}}])
    return made


@pytest.fixture
def shell(session: fs.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(session, Settings(format="csv"), interactive=False, quiet=True)


def run(shell: Shell, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    shell.read(io.StringIO(text))
    said = capsys.readouterr()
    return said.out, said.err


#: For every dot-command: lines that use it, and what is printed then. Text of several lines is found in the output.
WORKS: dict[str, list[tuple[str, str]]] = {
    "tables": [(".tables", "hr.people\norders\n"), (".tables ORD", "orders\n")],
    "schema": [(".schema orders", "-- orders\npath,type\nid,int64\ncustomer,struct or string\ncustomer.name,string\n"),
               (".schema", "items[*].qty,int64 or string\n")],
    "describe": [(".describe orders", "no schema\ncolumn,type\nid,int64\ncustomer,struct or string\n")],
    "summarize": [(".summarize orders", "id,int64,6,0,0,6,1,6,3.5\n")],
    "load": [(f".load {ORDERS} o2\nSELECT COUNT(*) AS n FROM o2;", "loaded o2\nn\n6\n"),
             (f".load {ORDERS.parent} db\n.tables db", "loaded db.orders\ndb.orders\n"),
             (".once t.txt\nSELECT 1 AS a, 2 AS b FROM <<0>>;\n.load t.txt t format=csv delimiter=;\nSELECT * FROM t;",
              'loaded t\n"a,b"\n"1,2"\n')],
    "unload": [(".unload orders\n.tables", "hr.people\n")],
    "read": [(".once q.sql\n.output q.sql\n.print 1 + 1;\n.output\n.read q.sql", "_1\n2\n")],
    "save": [("SELECT 1 AS a FROM <<0>>;\n.save a.jsonl\n.load a.jsonl\nSELECT VALUE a.a FROM a;",
              "saved a.jsonl\nloaded a\n_1\n1\n")],
    "output": [("1;\n.output x\n2;\n.output\n3;", "_1\n1\n_1\n3\n")],
    "once": [("1;\n.once x\n2;\n3;", "_1\n1\n_1\n3\n")],
    "plan": [(".plan SELECT o.id FROM orders AS o", "query → bag(struct(id any))\n"),
             (".plan ion 1 + 1", "(partiql::plan"), (".plan algebra SELECT VALUE 1 FROM orders AS o", "(map_values"),
             (".plan substrait 1 + 1", '"relations"'), ("1 + 1;\n.plan", "query ")],
    "explain": [(".explain SELECT o.id FROM orders AS o;", "└─ scan orders"), ("1 + 1;\n.explain", "query ")],
    "functions": [(".functions char_len", "char_length,")],
    "mode": [(".mode\n.mode json\n1 + 1;", "mode csv\n2\n")],
    "max_rows": [(".mode table\n.max_rows 1\n[1, 2];", "(the first 1 rows; there are more)\n"),
                 (".mode table\n.max_rows 0\n[1, 2];", "(2 rows)\n")],
    "width": [(".mode table\n.width 20\n['a long text that is cut'];", "\na long text that…\n")],
    "strict": [(".strict on\n.strict", "strict on\n")],
    "timer": [(".timer on\n1;", " s)\n")],
    "pager": [(".pager off\n.pager", "pager off\n")],
    "pipeline": [(".pipeline debug\n.pipeline", "pipeline debug\n")],
    "set": [(".set timer on\n.set timer", "timer on\n"), (".set", "max_rows 100\n")],
    "print": [(".print  two words; ", "two words;\n"), (".print", "\n")],
    "cd": [(".cd /\n.cd", "/\n/\n")],
    "clear": [(".clear", "")],
    "version": [(".version", f"firesteel {fs.__version__}\n")],
    "help": [(".help", ".load FILE [NAME] [OPTION=VALUE]..."), (".help mode", ".mode [table|box|"), ("help", ".quit")],
    "quit": [(".quit\n1;", "")],
    "exit": [(".exit\n1;", ""), ("exit;\n1;", "")],
}  # fmt: skip

#: Bad usage: the line, and the one line that is said.
FAILS: dict[str, tuple[str, str]] = {
    "tables": (".tables a b", "usage: .tables [NAME]"),
    "schema": (".schema nowhere", "FS200: no table 'nowhere'"),
    "describe": (".describe", "usage: .describe TABLE"),
    "summarize": (".summarize", "usage: .summarize TABLE"),
    "load": (".load", "usage: .load FILE [NAME] [OPTION=VALUE]..."),
    "unload": (".unload nothing", "FS200: no table 'nothing'"),
    "read": (".read nowhere.sql", "firesteel: No such file or directory: 'nowhere.sql'"),
    "save": (".save x.csv", "there is no answer to save yet: run a query first"),
    "output": (".output /nowhere/x", "firesteel: No such file or directory: '/nowhere/x'"),
    "once": (".once", "usage: .once FILE"),
    "plan": (".plan", "there is no statement yet: write one behind the command"),
    "explain": (".explain", "there is no statement yet: write one behind the command"),
    "functions": (".functions a b", "usage: .functions [NAME]"),
    "mode": (".mode xml", "mode is one of table, box,"),
    "max_rows": (".max_rows many", "max_rows is a number, not 'many'"),
    "width": (".width -1", "width is a number, not '-1'"),
    "strict": (".strict maybe", "strict is one of on, off, not 'maybe'"),
    "timer": (".timer on off", "usage: .timer [on|off]"),
    "pager": (".pager less", "pager is one of on, off, not 'less'"),
    "pipeline": (".pipeline loud", "pipeline is one of quiet, debug, not 'loud'"),
    "set": (".set colour red", "no setting 'colour'; there are mode, max_rows,"),
    "print": (".prnt x", "no command '.prnt'; did you mean .print?"),
    "cd": (".cd /nowhere", "firesteel: No such file or directory: '/nowhere'"),
    "clear": (".clear all", "usage: .clear"),
    "version": (".version 2", "usage: .version"),
    "help": (".help me", "no command 'me'; .help lists the commands"),
    "quit": (".quit now", "usage: .quit"),
    "exit": (".exit 'now", "no closing quotation; usage: .exit"),
}


def test_every_command_is_tried() -> None:
    assert set(WORKS) == set(FAILS) == set(COMMANDS)
    assert set(SETTINGS) <= set(COMMANDS)


@pytest.mark.parametrize(("line", "expected"), [case for cases in WORKS.values() for case in cases])
def test_commands(shell: Shell, line: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(shell, line, capsys)
    assert expected in out if expected else out == ""
    assert not shell.failures, err


@pytest.mark.parametrize(("line", "expected"), FAILS.values())
def test_bad_usage_is_one_clear_line(
    shell: Shell, line: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = run(shell, line, capsys)
    assert (out, shell.failures) == ("", 1)
    assert err.startswith(expected)
    assert len(err.splitlines()) == (2 if "FS200" in expected else 1)  # an unknown table lists the others


@pytest.mark.parametrize("format", FORMATS)
def test_every_mode_writes_a_file(shell: Shell, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, f".mode {format}\n.output answer\nSELECT 1 AS a FROM <<0>>;\n.output", capsys)
    assert Path("answer").stat().st_size > 0
    assert not shell.failures


def test_statements_of_a_pipe(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    """Several on a line, one on several lines with an empty one, a semicolon in a string, one that fails, and one
    without its semicolon."""
    text = "1; 'a;b' ;\nSELECT o.id AS id\n\nFROM orders AS o -- ; \nLIMIT 1;\nSELECT FROM;\n/* ; */ 4"
    out, err = run(shell, text, capsys)
    assert out == "_1\n1\n_1\na;b\nid\n1\n_1\n4\n"
    assert err.startswith("FS100")
    assert "^" in err
    assert shell.failures == 1


def test_statements_of_its_own(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(
        shell, "show tables;\nDESCRIBE hr.people;\ndescribe SELECT 1 AS a FROM <<0>>;\n-- ?\nSUMMARIZE [1, 3];", capsys
    )
    assert "orders,files,json,836\n" in out
    assert "full name,string\nborn,struct\n" in out
    assert "column,type\na,int64\n" in out
    assert "_1,int64,2,0,0,2,1,3,2.0\n" in out
    _, err = run(shell, "DESCRIBE order;", capsys)
    assert "did you mean 'orders'?" in err


def test_strict_mode_and_the_pipeline(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shell, "1 + 'a';", capsys)[0] == "_1\n\n"
    assert "FS" in run(shell, ".strict on\n1 + 'a';", capsys)[1]
    _, err = run(shell, ".strict off\n.pipeline debug\nSELECT o.id FROM orders AS o LIMIT 1;", capsys)
    assert all(f"-- {stage} " in err for stage in ("tokens", "syntax tree", "plan", "result"))


def test_the_pipeline_in_capital_letters_and_over_what_is_no_query(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = run(shell, ".pipeline DEBUG\nSHOW TABLES;\n-- why\nDESCRIBE orders;", capsys)
    assert "orders" in out
    assert err == ""
    out, err = run(shell, "EXPLAIN 1 + 2;", capsys)
    assert "query" in out
    assert "explain (query_statement" in err


def test_the_shell_starts_with_the_pipeline(
    session: fs.Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 + 2;"))
    assert shells.run(session, pipeline="debug") == 0
    assert "-- tokens " in capsys.readouterr().err


def test_the_exit_code_of_a_pipe(
    session: fs.Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, code in (("1;", 0), ("1; nonsense(", 1), ("", 0), (".nothing\n1;", 1)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert shells.run(session, quiet=True) == code
    assert capsys.readouterr().out == "_1\n--\n1\n(1 row)\n" * 3


def test_a_file_that_reads_itself(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    Path("loop.sql").write_text(".read loop.sql\n")
    assert "is read by a file that it reads" in run(shell, ".read loop.sql", capsys)[1]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("SEL", "", ["SELECT"]),
        ("sel", "", ["select"]),
        ("SELECT * FROM ", "", ["hr.people", "orders"]),
        ("SELECT * FROM hr.", "", ["people"]),
        ("SELECT upp", "", ["UPPER(".lower()]),
        ("SELECT o.", " FROM orders AS o", ["id", "customer", "status", "items"]),
        ("SELECT o.customer.c", " FROM orders o", ["city"]),
        ("SELECT i.q", " FROM orders AS o, o.items AS i", ["qty"]),
        ("SELECT o.items[0].s", " FROM orders AS o", ["sku"]),
        ("SELECT o.id, o.status FROM orders AS o\nWHERE o.st", "", ["status"]),
        ("SELECT p.", " FROM hr.people AS p", ['"full name"', "born"]),
        ("SELECT 'sel", "", []),
        ("-- sel", "", []),
        ("DESCRIBE or", "", ["orders"]),
        (".mo", "", [".mode"]),
        (".mode b", "", ["box"]),
        (".describe or", "", ["orders"]),
        (".set ti", "", ["timer"]),
        (".set timer o", "", ["on", "off"]),
        (".help ver", "", ["version"]),
        (".quit ", "", []),
    ],
)
def test_completion(session: fs.Session, before: str, after: str, expected: list[str]) -> None:
    assert Completion(session).complete(before, after)[1] == expected


def test_completion_of_files(session: fs.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert Completion(session).complete(".load examples/data/ord")[1] == ["examples/data/orders.jsonl"]


def test_colours() -> None:
    kinds = {text: str(kind) for kind, text in PartiqlLexer().get_tokens("SELECT upper(o.x) AS u, 'it''s', 1.5 -- why")}
    assert kinds["SELECT"] == "Token.Keyword"
    assert kinds["upper"] == "Token.Name.Function"
    assert kinds["'it''s'"] == "Token.Literal.String.Single"
    assert kinds["1.5"] == "Token.Literal.Number"
    assert kinds["-- why"] == "Token.Comment.Single"


def test_keys(
    session: fs.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Enter runs what is whole, begins a line in what is not; Ctrl-C drops, Ctrl-D leaves."""
    from firesteel.cli.shell.terminal import converse

    monkeypatch.setenv("FIRESTEEL_HISTORY", "")
    made = Shell(session, Settings(format="csv", pager=False), interactive=True, quiet=True)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("1 +\r2;\rdropped\x03.print hello\rSELECT VALUE 7\rFROM <<0>>\r\r\x04")
        converse(made)
    assert capsys.readouterr().out == "_1\n3\nhello\n_1\n7\n"


def test_binary_answers_are_not_for_the_screen(session: fs.Session, capsys: pytest.CaptureFixture[str]) -> None:
    made = Shell(session, Settings(format="parquet"), interactive=True)
    made.feed("1;")
    assert "parquet is nothing to look at: .output FILE" in capsys.readouterr().out
