"""`firesteel shell`, and `firesteel` alone on a terminal."""

from __future__ import annotations

from typing import Any

import click

from firesteel.cli.options import (
    errors,
    quiet,
    with_engine,
    with_limits,
    with_mode,
    with_output,
    with_pipeline,
    with_tables,
)
from firesteel.cli.render.progress import has_spark_bar, progress_line
from firesteel.cli.sessions import open_session, take


@click.command("shell")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@with_tables
@with_engine
@with_output
@with_mode
@with_pipeline
@with_limits
@quiet
@errors
def command(files: tuple[str, ...], mode: str, pipeline: str, quiet: bool, **options: Any) -> int:
    """Open the shell, with each FILE as a table of its name. It reads statements from a pipe, too.

    \b
    firesteel shell orders.jsonl
    firesteel shell -d data < report.partiql
    firesteel shell orders.jsonl --pipeline DEBUG
    """
    shown = take(options, "format_", "limit", "output")
    hushed = quiet or has_spark_bar(options["conf"])
    with open_session(options, files) as session, progress_line(session, quiet=hushed) as line:
        from firesteel.cli import shell

        how = {"format": shown["format_"], "max_rows": shown["limit"], "mode": mode, "pipeline": pipeline}
        return shell.run(session, **how, quiet=quiet, line=line)
