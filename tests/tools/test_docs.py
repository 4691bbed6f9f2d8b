"""The generated pages are what the code says, and the site of all pages can be built."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

import firesteel as fs
from firesteel.cli.registry import COMMANDS, load
from firesteel.repair import RepairKind
from tools import docs, docs_api, docs_cli, docs_errors, docs_offline, docs_relations

ROOT = Path(__file__).parents[2]
PAGES: tuple[ModuleType, ...] = (docs, *docs.PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.TARGET.name)
def test_a_generated_page_is_up_to_date(page: ModuleType) -> None:
    assert page.TARGET.read_text(encoding="utf-8") == page.document(), "run `make docs`"


def test_every_kind_of_repair_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in RepairKind]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"FS8\d\d", code) for code in codes)


def test_the_page_of_relations_names_tests_that_are_there() -> None:
    for relation in docs_relations.RELATIONS:
        assert (ROOT / relation.tests).exists(), relation.name


def test_the_page_of_commands_has_every_option() -> None:
    text = docs_cli.document()
    for name in COMMANDS:
        command = load(name)
        assert command is not None
        section = text.split(f"\n### firesteel {name}\n")[1].split("\n### ")[0]
        for option in (one for one in command.params if isinstance(one, click.Option)):
            assert re.search(rf"^\| `[^`]*{option.opts[0]}\b", section, re.M), (name, option)


def test_the_page_of_python_has_every_public_name_and_method() -> None:
    text = docs_api.document()
    assert all(f"### fs.{name}\n" in text for name in fs.__all__)
    assert {"#### Session.query", "#### Result.to_arrow", "#### Plan.to_substrait", "#### Result.columns"} <= set(
        text.splitlines()
    )


def test_a_long_signature_has_a_line_for_each_parameter() -> None:
    lines = re.search(r"```py\n(fs\.connect\(.*?)\n```", docs_api.document(), re.S)
    assert lines is not None
    assert lines[1].splitlines()[:3] == [
        "fs.connect(",
        "    *,",
        "    engine: Literal['spark', 'reference', 'auto'] = 'spark',",
    ]


def test_the_page_of_codes_has_each_code_once() -> None:
    codes = re.findall(r"^\| `(FS\d+)` \|", docs_errors.document(), re.M)
    assert len(codes) == len(set(codes))
    assert {"FS100", "FS321", "FS705", "FS801", "FS600"} <= set(codes)


# --- the site ------------------------------------------------------------------------------------------------------


def test_what_a_site_loads_from_the_network_is_found(tmp_path: Path) -> None:
    page = """
<link rel="canonical" href="https://example.com/"><link rel="stylesheet" href="//fonts.example.com/a.css">
<a href="https://example.com/">a link</a> <img src="images/here.png"> <script src="https://cdn.example.com/x.js"></script>
<p style="background: url('http://example.com/b.png')"></p><style>@import 'https://example.com/c.css';</style>
"""
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "a.css").write_text(
        "a {background: url(data:image/png;base64,xyz)} b {background: url(https://example.com/d)}"
    )
    assert [line.split(": ", 1)[1] for line in docs_offline.loads(tmp_path)] == [
        "https://example.com/d",
        "//fonts.example.com/a.css",
        "https://cdn.example.com/x.js",
        "http://example.com/b.png",
        "https://example.com/c.css",
    ]


def mkdocs() -> str:
    """The mkdocs of `make docs-site`; a test that needs it is skipped where it was never installed."""
    found = ROOT / "build" / "docs-env" / "bin" / "mkdocs"
    if not found.exists():
        pytest.skip("mkdocs is not here: `make docs-site` installs it")
    return str(found)


@pytest.mark.slow
def test_the_site_has_no_broken_link_and_needs_no_network(tmp_path: Path) -> None:
    command = [mkdocs(), "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {path.name for path in (tmp_path / "site").glob("*.html")}
    assert {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} | {"index.html", "contributing.html"} <= pages
    assert list(docs_offline.loads(tmp_path / "site")) == []


@pytest.mark.slow
def test_a_broken_link_fails_the_site(tmp_path: Path) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(project)], check=True)
    install = project / "docs" / "install.md"
    install.write_text(install.read_text(encoding="utf-8") + "\n[away](tutorial.md#nowhere)\n", encoding="utf-8")
    done = subprocess.run([mkdocs(), "build"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "nowhere" in done.stdout + done.stderr


def test_the_tool_says_what_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<script src="https://cdn.example.com/x.js"></script>')
    command = [sys.executable, "-m", "tools.docs_offline", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "a.html: https://cdn.example.com/x.js\n")
