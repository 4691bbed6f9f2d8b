"""`firesteel explain` and `firesteel diff` draw plans: every option, and what is said where one is not right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.cli.entry import _run
from tests.cli.mistakes import ORDERS, write_files

QUERY = "SELECT o.id FROM orders AS o WHERE o.id > 1"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("option", "beginning"),
    [("--svg", "<svg"), ("--dot", "digraph"), ("--mermaid", "flowchart"), ("--json", "{"), ("--pev2", "[")],
)
def test_drawings_are_printed(here: Path, option: str, beginning: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["explain", QUERY, ORDERS, option]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(beginning)
    assert said.err == ""


def test_a_page_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["explain", QUERY, ORDERS, "--html", "plan.html"]) == 0
    assert capsys.readouterr() == ("", "wrote plan.html\n")
    assert "<!DOCTYPE html>" in (here / "plan.html").read_text(encoding="utf-8")
    assert _run(["explain", QUERY, ORDERS, "--html", "-"]) == 0
    assert capsys.readouterr().out == (here / "plan.html").read_text(encoding="utf-8")


def test_a_page_as_an_engine_runs_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["explain", QUERY, ORDERS, "--engine", "reference", "--json"]) == 0
    (view,) = json.loads(capsys.readouterr().out)["views"]
    assert view["engine"] == "reference"
    assert view["layers"][-1]["note"] == "this plan runs in this process, not on Spark (--engine spark)"


def test_two_plans_on_a_page(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["diff", QUERY, QUERY.replace("1", "2"), "-t", f"orders={ORDERS}"]
    assert _run([*argv, "--html", "differences.html"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("the plans differ in 1 place")
    assert said.err == "wrote differences.html\n"
    assert _run([*argv, "--html", "-"]) == 1
    assert capsys.readouterr().out == (here / "differences.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--dot", "--svg"], "--svg and --dot exclude each other"),
        (["--dot", "--html", "x.html"], "--dot and --html exclude each other"),
        (["--dot", "--as", "ion"], "--dot goes without --as, --pipeline and --lineage"),
        (["--html", "x.html", "--lineage"], "--html goes without --as, --pipeline and --lineage"),
        (["--html", "nowhere/x.html"], "--html 'nowhere/x.html': No such file or directory"),
    ],
)
def test_bad_usage_is_one_line(here: Path, argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["explain", "SELECT 1", *argv]) == 2
    assert capsys.readouterr() == ("", f"firesteel explain: {said} (firesteel explain --help)\n")
