"""The shell at a terminal, driven as a person would: the screens are golden files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import firesteel as fs
from tests.cli.golden_files import verify
from tests.cli.pseudo_terminal import Terminal

ROOT = Path(__file__).parents[2]
PROMPT = "firesteel>"
#: More rows than the terminal has lines.
LONG = "SELECT VALUE x FROM [" + ",".join(map(str, range(99))) + "] AS x;"
#: Minutes of work in little memory: for each of 7,776 rows a subquery over as many.
ENDLESS = (
    f"SELECT VALUE (SELECT COUNT(*) FROM {', '.join(f'orders AS i{n}' for n in range(5))} WHERE i0.id + o0.id > 0) "
    f"FROM {', '.join(f'orders AS o{n}' for n in range(5))};"
)
TAB, ENTER, CTRL_A, CTRL_C, CTRL_D, CTRL_K = "\t", "\r", "\x01", "\x03", "\x04", "\x0b"
UP, RIGHT = "\x1b[A", "\x1b[C"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    argv = [
        sys.executable,
        "-m",
        "firesteel",
        "shell",
        "--engine",
        "reference",
        str(ROOT / "examples/data/orders.jsonl"),
    ]
    env = {"FIRESTEEL_HISTORY": str(tmp_path / "history"), "NO_COLOR": "1", "PAGER": "tee paged"}
    made = Terminal(argv, cwd=tmp_path, env=env)
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.wait()


def test_a_person_works_with_it(terminal: Terminal, tmp_path: Path, bless: bool) -> None:
    screens = []

    def step(title: str, keys: str, wanted: str = PROMPT) -> None:
        terminal.type(keys)
        screens.append(f"== {title}\n{terminal.wait(wanted)}")

    terminal.wait(PROMPT)
    step(
        "types, and completes a table",
        "SELECT o.id, o.status FROM ord" + TAB,
        f"{PROMPT} SELECT o.id, o.status FROM orders",
    )
    step("goes on in another line", " AS o" + ENTER, "       ..>")
    terminal.type("WHERE o.st" + TAB)
    terminal.wait("       ..> WHERE o.status")
    step("completes a path, and ends with a semicolon", " = 'open';" + ENTER)
    step("makes an error", "SELECT uper(o.status) FROM orders AS o LIMIT 1;" + ENTER)
    terminal.type(UP)
    terminal.wait(f"{PROMPT} SELECT uper(o.status) FROM orders AS o LIMIT 1;")
    terminal.type(CTRL_A + RIGHT * 8 + CTRL_K)
    terminal.wait(f"{PROMPT} SELECT u")
    step("fixes it", "pper(o.status) AS s FROM orders AS o LIMIT 1;" + ENTER)
    terminal.type(ENDLESS + ENTER)
    terminal.wait("\nin process, ", where="screen")
    terminal.type(CTRL_C)
    terminal.wait("interrupted", where="screen")
    assert "in process" not in terminal.wait(PROMPT)
    terminal.type(".print still here" + ENTER)
    terminal.wait("still here", where="screen")
    terminal.wait(PROMPT)
    terminal.type("SELECT dropped" + CTRL_C)
    terminal.wait(PROMPT)
    terminal.type(LONG + ENTER)
    terminal.wait(PROMPT)
    assert "(99 rows)" in terminal.screen.text
    assert (tmp_path / "paged").exists()
    terminal.type(".clear" + ENTER)
    terminal.wait(PROMPT)
    step("an empty line ends a statement", "SELECT VALUE o.customer FROM orders AS o" + ENTER + ENTER)
    step("saves", ".save customers.jsonl" + ENTER)
    terminal.type(CTRL_D)
    assert terminal.close() == 0
    assert len((tmp_path / "customers.jsonl").read_text().splitlines()) == 6
    assert "+SELECT VALUE o.customer FROM orders AS o" in (tmp_path / "history").read_text()
    seen = "\n".join(screens).replace(f"firesteel {fs.__version__};", "firesteel 0.1.0;")
    verify("shell_screens", seen, bless)
