"""Runs the examples of a page: its Python blocks, and the `firesteel` commands of its shell blocks, from top to bottom.

A block without a language, or of `text`, that follows at once is what the block before it prints. Commands run in
this process. Only `firesteel` and `cat` are run; commands that install or start something (`NOT_RUN`) are not. A
command may end with `# exit code 1`.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firesteel.cli.entry import _run

#: Commands of shell blocks that install or start something, or need the project itself.
NOT_RUN = ("pip", "python", "python3", "make", "source", "export", "spark-submit", "git", "cd", "open")
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
_CODE = re.compile(r"#\s*exit code (\d+)\s*$")


class Failed(AssertionError):
    """A command of a page has another exit code than the page says."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where the text is in the page, without and with its fences."""

    language: str
    text: str
    start: int
    end: int
    opens: int
    closes: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(found[1], found[2], *found.span(2), *found.span()) for found in _FENCE.finditer(page)]


def run_page(page: str, folder: Path, **given: object) -> Iterator[tuple[Block, str]]:
    """Run the examples of a page in that folder, the working directory: each block of expected output with what the
    example before it printed. Python blocks have the names that are given."""
    names: dict[str, object] = {"__name__": "page", **given}
    printed, end = "", None
    for block in blocks(page):
        if block.language in ("", "text"):
            if end is not None and not page[end : block.opens].strip():
                yield block, printed
            end = None
        elif block.language in ("python", "sh"):
            printed = _python(block.text, names) if block.language == "python" else _shell(block.text, folder)
            end = block.closes
        else:
            end = None


def _python(text: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "<page>", "exec"), names)
    return out.getvalue()


def _shell(text: str, folder: Path) -> str:
    """What the commands of a shell block print."""
    lines = text.replace("\\\n", " ").splitlines()
    return "".join(_command(line, folder) for line in lines if line.strip() and not line.startswith("#"))


def _command(line: str, folder: Path) -> str:
    """Run a line: `[cat FILE |] firesteel ARGUMENTS [< FILE] [> FILE]`, what it prints to either stream."""
    code = int(found[1]) if (found := _CODE.search(line)) else 0
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    words = list(lexer)
    if words[0] in NOT_RUN:
        return ""
    given = b""
    if words[0] == "cat":
        assert words[2] == "|", line
        given, words = (folder / words[1]).read_bytes(), words[3:]
    target = None
    if words[-2:-1] == [">"]:
        target, words = folder / words[-1], words[:-2]
    if words[-2:-1] == ["<"]:
        given, words = (folder / words[-1]).read_bytes(), words[:-2]
    assert words[0] == "firesteel", f"the page has a command that is not run: {line}"
    ended, out, err = _in_process(words[1:], given)
    if ended != code:
        raise Failed(f"exit code {ended} of {line}\n{err}")
    if target is not None:
        target.write_bytes(out)
        out = b""
    return out.decode() + "".join(f"{line}\n" for line in err.splitlines() if not line.startswith("engine: "))


def _in_process(arguments: list[str], given: bytes) -> tuple[int, bytes, str]:
    """Run `firesteel` with these arguments and that standard input: its exit code and what it wrote."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), "utf-8")
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", write_through=True)
    try:
        code = _run(arguments)
        return code, out.getvalue(), err.getvalue().decode()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
