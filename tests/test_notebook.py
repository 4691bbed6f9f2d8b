"""What a notebook shows, and the magic `%%partiql`, with an object in the place of IPython."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import firesteel as fs


class Notebook:
    """What the magic needs of IPython."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magic: Callable[..., Any] = print

    def register_magic_function(self, function: Callable[..., Any], kind: str, name: str) -> None:
        assert (kind, name) == ("line_cell", "partiql")
        self.magic = function


@pytest.fixture
def notebook() -> Notebook:
    made = Notebook()
    fs.load_ipython_extension(made)
    return made


def test_the_magic(notebook: Notebook) -> None:
    with pytest.raises(fs.AnalysisError, match="no session in this notebook"):
        notebook.magic("1 + 1")
    notebook.user_ns["s"] = session = fs.connect(engine="reference")
    assert notebook.magic("1 + 1").to_python() == 2
    assert notebook.magic("", "1 + 'a'").to_python() is fs.MISSING
    with pytest.raises(fs.FiresteelError):
        notebook.magic("--strict", "1 + 'a'")
    session.register("t", [{"a": 1}])
    shown = notebook.magic("s -o rows", "SELECT t.a FROM t;\nSELECT t.a + 1 AS b FROM t;")
    assert notebook.user_ns["rows"] is shown
    assert list(shown) == [{"b": 2}]


@pytest.mark.parametrize(
    ("line", "message"), [("x", "'x' is no session"), ("s -o", "'-o' is nothing"), ("s 'a", "no closing quotation")]
)
def test_bad_lines(notebook: Notebook, line: str, message: str) -> None:
    notebook.user_ns["s"] = fs.connect(engine="reference")
    with pytest.raises(fs.FiresteelError, match=message):
        notebook.magic(line, "1")


def test_several_sessions(notebook: Notebook) -> None:
    notebook.user_ns.update(a=fs.connect(engine="reference"), b=fs.connect(engine="reference"))
    with pytest.raises(fs.AnalysisError, match="several sessions: a, b"):
        notebook.magic("1")


def test_plans_and_sessions() -> None:
    session = fs.connect(engine="reference")
    session.register("<t>", [{"a": 1}])
    assert repr(session) == "<Session with 1 table>"
    assert "&lt;t&gt;" in session._repr_html_()
    plan = session.plan("SELECT x.a FROM \"<t>\" AS x WHERE x.a > 0 AND '<b>' <> ''")
    assert repr(plan).startswith("<Plan: query → bag(struct(a int64))")
    html = plan._repr_html_()
    assert "<b>" not in html
    assert html.count("<details") == 3
    assert "http" not in session._repr_html_() + html
    assert repr(session.paths("<t>")) == "a: int64"


def test_importing_firesteel_is_cheap() -> None:
    code = (
        "import sys, firesteel; heavy = ('prompt_toolkit', 'pyarrow', 'pyspark', 'IPython')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
