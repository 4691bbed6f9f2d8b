"""Prints answers, and notes beside them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

import firesteel as fs
from firesteel.cli.failure import colours
from firesteel.cli.inputs import STDIN
from firesteel.cli.render import FORMATS, render
from firesteel.cli.render.progress import WRITING, ProgressLine


def show(
    result: fs.Result,
    format_: str | None,
    limit: int,
    output: Path | None,
    *,
    line: ProgressLine,
    quiet: bool = False,
) -> None:
    """Print an answer or write it to a file; cancel it if that is interrupted. The line says how far it is."""
    try:
        with line.shown(WRITING):
            if output is None or not is_file(output):
                _print(result, format_ or "table", limit, line)
            elif format_ is None:
                result.write(output)
            else:
                _write(result, format_, output)
    except KeyboardInterrupt:
        result.cancel()
        raise
    if is_file(output):
        note(f"wrote {output}", quiet=quiet)


def _print(result: fs.Result, format_: str, limit: int, line: ProgressLine) -> None:
    """Print an answer to standard output. A terminal has a width and may have colours; bytes are not for it."""
    terminal = sys.stdout.isatty()
    if terminal and FORMATS[format_].binary:
        raise click.UsageError(f"--format {format_} is not for a terminal: write it to a file with -o")
    width = shutil.get_terminal_size().columns if terminal else None
    stream = line.before(sys.stdout)
    render(result, format_, stream, max_rows=limit, width=width, colour=colours(sys.stdout))


def _write(result: fs.Result, format_: str, output: Path) -> None:
    """Write an answer in a format of the command line: all of it or nothing."""
    from firesteel.tables.opening import writing

    part = output.with_name(f".{output.name}.part")
    with writing(output):
        try:
            with open(part, "w", encoding="utf-8", newline="") as stream:
                render(result, format_, stream, max_rows=None)
            os.replace(part, output)
        finally:
            part.unlink(missing_ok=True)


def is_file(output: Path | None) -> bool:
    """Is the answer written to a file, and not to standard output?"""
    return output is not None and str(output) != STDIN


def one_answer(answers: Iterable[fs.Result]) -> list[fs.Result]:
    """The answers, if there is not more than one for a file."""
    found = list(answers)
    if len(found) != 1:
        raise click.UsageError(f"--output is for one answer, and there are {len(found)}")
    return found


def note(text: str, *, quiet: bool) -> None:
    """Say something beside the answer, on stderr."""
    if not quiet:
        click.echo(text, err=True)


def warn(warnings: Sequence[fs.QueryWarning], *, quiet: bool = False) -> None:
    """Print what is probably a mistake in a query."""
    for warning in warnings:
        note(str(warning), quiet=quiet)


def say_engine(result: fs.Result, session: fs.Session, *, quiet: bool) -> None:
    """Say which engine answered, if the session chose one by the size of the input."""
    bound = session.small_input
    if bound is not None and result.engine in _ENGINES and result.reads_tables:
        note(_ENGINES[result.engine].format(bound=size_text(bound)), quiet=quiet)


_ENGINES = {
    "reference": "engine: in process, for at most {bound} of input (--engine spark for Spark)",
    "spark": "engine: Spark, for more than {bound} of input or what only Spark reads",
}


def size_text(size: int) -> str:
    """A number of bytes, as people write it."""
    for unit, count in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if size >= count:
            return f"{size / count:.4g} {unit}"
    return f"{size} bytes"
