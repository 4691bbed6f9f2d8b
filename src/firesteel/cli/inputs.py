"""Where a query comes from (an argument, a file, standard input), and standard input as a table."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from firesteel.errors import ParseError, PlanError
from firesteel.tables.formats import FORMAT_TABLE
from firesteel.tables.opening import open_unpacked

#: The path that stands for standard input, or standard output.
STDIN = "-"
#: The suffixes of PartiQL texts, and of files that only plans have.
TEXTS = (".partiql", ".sql", ".pql")


class Query(NamedTuple):
    """A text of PartiQL, its name in errors, and the files that are its tables."""

    text: str
    name: str
    files: tuple[str, ...]
    #: Standard input was the text, and is no table.
    from_stdin: bool = False


def find_query(words: Sequence[str], command: str | None, file: str | None, *, named: bool) -> Query:
    """The query of a command line. Without `-c` and `-f` the first word is its text, or standard input has it. Unless
    the command was `named`, the first word may be a script, so that `#!/usr/bin/env firesteel` works."""
    if command is not None and file is not None:
        raise click.UsageError("-c and -f exclude each other")
    if command is not None:
        return Query(command, "<query>", tuple(words))
    if file is not None:
        return _from_stdin(words) if file == STDIN else Query(read_text(Path(file)), file, tuple(words))
    if not words:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("no query: give it as an argument, with -f FILE, or on standard input")
        return _from_stdin(())
    first, *rest = words
    if first == STDIN:
        return _from_stdin(rest)
    if is_file(first):
        if named or not _is_script(Path(first)):
            raise _not_a_query(first)
        return Query(read_text(Path(first)), first, tuple(rest))
    return Query(first, "<query>", tuple(rest))


def _from_stdin(files: Sequence[str]) -> Query:
    text = sys.stdin.read()
    if not text.strip():
        raise click.UsageError("no query: standard input is empty")
    return Query(_without_shebang(text), "<stdin>", tuple(files), from_stdin=True)


def is_file(word: str) -> bool:
    """Is there such a file? A long text is none."""
    return len(word) < 4_096 and "\n" not in word and os.path.isfile(word)


def _is_script(path: Path) -> bool:
    """Is it a text of PartiQL? Its suffix says so, or its first line."""
    if path.suffix.lower() in TEXTS:
        return True
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def _not_a_query(given: str) -> click.UsageError:
    """The error for a file where a query is expected."""
    path = Path(given)
    if path.suffix.lower() in TEXTS:
        return click.UsageError(f"'{given}' is a file of PartiQL, not a query: firesteel -f {given}")
    if path.suffix.lower() in (".proto", ".pb", ".substrait", ".binpb"):
        return click.UsageError(f"'{given}' is a plan, not a query: firesteel run {given}")
    return click.UsageError(f"'{given}' is a file, not a query: firesteel \"SELECT * FROM {path.stem} AS t\" {given}")


def read_text(path: Path) -> str:
    """The text of a file of PartiQL."""
    try:
        return _without_shebang(path.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise ParseError(f"'{path}' is not UTF-8 text: the byte {error.start}", help="is it a query?") from None
    except OSError as error:
        raise PlanError(f"cannot read '{path}': {error.strerror or error}") from None


def _without_shebang(text: str) -> str:
    """The text, whose first line `#!...` is a comment, so that places stay what they are."""
    return "--" + text[2:] if text.startswith("#!") else text


# ---------------------------------------------------------------------------------------------------------------------
# Standard input as a table


def names_stdin(text: str) -> bool:
    """Does a query use the name `stdin`?"""
    from firesteel.partiql import tokenize

    try:
        return any(token.kind == "name" and token.text.lower() == "stdin" for token in tokenize(text))
    except ParseError:  # the parser says what is wrong
        return False


@contextmanager
def spooled() -> Iterator[tuple[Path, str]]:
    """Standard input in a file, and its format. Both engines read files, and may read them twice."""
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("standard input is a terminal: pipe the data of the table into it")
    with tempfile.TemporaryDirectory(prefix="firesteel-") as folder:
        path = Path(folder) / "stdin"
        with open(path, "wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield path, _format_of(path)


def _format_of(path: Path) -> str:
    """The format of data without a name, by how it begins."""
    with open_unpacked(path) as file:
        start = file.read(4_096)
    for name, row in FORMAT_TABLE.items():
        if row.starts and start.startswith(row.starts):
            return name
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    line = text.partition("\n")[0]
    if text[:1] in ("{", "["):
        inside = text[1:].lstrip()[:1]
        return "json" if inside in '"{[]}-0123456789tfn' else "ion"
    if "::" in line:
        return "ion"
    if "\t" in line:
        return "tsv"
    return "csv" if "," in line or line[:1].isalpha() else "json"
