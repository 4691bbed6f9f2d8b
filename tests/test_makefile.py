"""The Makefile's promises that are cheap to keep an eye on, and the line about the outside suites."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ("demo", "test", "test-all", "check", "bench", "conformance", "docs", "clean", "help")

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile in a project of its own, where nothing is installed."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The tests may themselves run under make, whose settings are not meant for this one.
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(["make", *arguments], cwd=project, env=env, capture_output=True, text=True, check=False)


def script(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@needs_make
def test_help_is_the_default_and_lists_the_targets(project: Path) -> None:
    done = make(project)
    assert done.returncode == 0
    listed = [line.split()[0] for line in done.stdout.splitlines()]
    assert set(TARGETS) <= set(listed)


@needs_make
def test_an_old_python_gets_one_sentence(project: Path) -> None:
    old = script(project / "old", 'test "$1" = --version && echo "Python 3.8.1" || exit 1\n')
    done = make(project, "check", f"PYTHON={old}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"Firesteel needs Python 3.11 or newer, and {old} is Python 3.8.1: ")
    assert not (project / ".venv").exists()


@needs_make
@pytest.mark.parametrize(
    "said",
    [
        "ERROR: No matching distribution found for hatchling",
        "  error: invalid command 'bdist_wheel'",
        "\u00d7 building did not run\n  error: subprocess-exited-with-error\nhint: see above",
    ],
)
def test_a_failed_install_gets_one_sentence_and_is_not_taken_for_done(project: Path, said: str) -> None:
    """A Python whose venv holds a pip that always fails: its last line with an error is the reason."""
    (project / "said").write_text(f"Collecting hatchling\n{said}\n", encoding="utf-8")
    fake = script(
        project / "fake",
        """
if [ "$2" = venv ]; then
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
elif [ "$3" = install ]; then
    cat said
    exit 1
fi
""",
    )
    (reason,) = (line.strip() for line in said.splitlines() if "error: " in line.lower())
    for _ in range(2):
        done = make(project, "check", f"PYTHON={fake}")
        assert done.returncode == 2
        sentence = done.stderr.splitlines()[0]
        assert sentence == f"pip could not install the packages: {reason} (the rest is in build/install.log)."
        assert not (project / ".venv" / ".complete").exists()


@needs_make
def test_a_part_over_its_budget_says_so_and_passes(project: Path) -> None:
    commands = project / ".venv" / "bin"
    commands.mkdir(parents=True)
    pretended = {"python": "", "ruff": "", "mypy": "sleep 1.1\n", "lint-imports": "echo contracts\n"}
    for name, text in pretended.items():
        script(commands / name, text)
    (project / ".venv" / ".complete").touch()
    done = make(project, "check", "CHECK_MINUTES=0")
    assert (done.returncode, done.stdout) == (0, "contracts\n")
    assert done.stderr == "check: took 1 minutes, its budget is 0\n"


# --- tools/suites.py -------------------------------------------------------------------------------


def suites(report: Path, *records: dict[str, object], require: bool = False) -> tuple[int, str]:
    if records:
        report.write_text("".join(json.dumps(record) + "\n" for record in records))
    env = {**os.environ, "FIRESTEEL_REQUIRE_CONFORMANCE": "1" if require else ""}
    command = [sys.executable, str(ROOT / "tools" / "suites.py"), str(report)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.rstrip("\n")


RAN = {"suite": "partiql-plan examples", "cases": 20, "ran": True, "why": ""}
SHARE = {"suite": "partiql-plan examples", "cases": 3, "ran": True, "why": ""}
SKIPPED = {"suite": "tpch", "cases": 0, "ran": False, "why": "no folder"}


@pytest.mark.parametrize("require", [False, True])
def test_suites_that_ran_are_counted(tmp_path: Path, require: bool) -> None:
    done = suites(tmp_path / "report", RAN, SHARE, require=require)
    assert done == (0, "outside suites: partiql-plan examples 23 cases")


@pytest.mark.parametrize("require", [False, True])
def test_a_suite_that_did_not_run_says_why_and_fails_if_required(tmp_path: Path, require: bool) -> None:
    done = suites(tmp_path / "report", RAN, SKIPPED, require=require)
    assert done == (int(require), "outside suites: partiql-plan examples 20 cases, tpch did not run (no folder)")


@pytest.mark.parametrize("require", [False, True])
def test_no_report_is_no_suite_and_fails_if_required(tmp_path: Path, require: bool) -> None:
    done = suites(tmp_path / "report", require=require)
    assert done == (int(require), "outside suites: none found (set FIRESTEEL_CONFORMANCE)")
