"""`firesteel query`, and `firesteel` with anything that is no command."""

from __future__ import annotations

from typing import Any

import click

import firesteel as fs
from firesteel.cli import inputs
from firesteel.cli.answers import is_file, one_answer, say_engine, show, warn
from firesteel.cli.options import running, with_planning
from firesteel.cli.registry import COMMANDS
from firesteel.cli.render.progress import has_spark_bar, progress_line
from firesteel.cli.sessions import open_session, take
from firesteel.cli.timeout import time_limit


@click.command("query")
@click.argument("words", nargs=-1, metavar="[QUERY] [FILE]...")
@click.option("-c", "--command", "command_", metavar="QUERY", help="The query; every argument is a file then.")
@click.option("-f", "--file", metavar="FILE", help="Read the query from a file; - is standard input.")
@running
@with_planning
def command(
    words: tuple[str, ...],
    command_: str | None,
    file: str | None,
    timeout: float | None,
    mode: str,
    params: tuple[str, ...],
    pipeline: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Run PartiQL statements, which semicolons part, and print the answer of each.

    A FILE is a table of its name without suffixes. A query that uses the name `stdin` reads standard input as a table:
    JSON lines, CSV or what its first bytes say. Without a query, standard input is the query.

    \b
    firesteel "SELECT o.id FROM orders AS o" orders.jsonl
    firesteel "SELECT VALUE x FROM t AS x WHERE x.id = ?" -t t=2024.parquet --param 3
    firesteel -f report.partiql -d data -o report.parquet
    cat orders.jsonl | firesteel "SELECT COUNT(*) FROM stdin AS s"
    """
    ctx = click.get_current_context()
    if len(words) > 1 and words[0] in COMMANDS and ctx.parent is not None:
        raise click.UsageError(f"a command goes first: firesteel {words[0]} ...", ctx)
    query = inputs.find_query(words, command_, file, named=ctx.info_name == "query" and not _is_implied(ctx))
    shown = take(options, "format_", "limit", "output")
    given = [fs.ion(param) for param in params] or None
    stdin = "stdin" if not query.from_stdin and inputs.names_stdin(query.text) else None
    hushed = quiet or has_spark_bar(options["conf"])
    with (
        open_session(options, query.files, stdin) as session,
        time_limit(timeout),
        progress_line(session, quiet=hushed) as line,
    ):
        if pipeline == "debug":
            from firesteel.cli.stages import script

            answers = script(query.text, session, mode, given, query.name)
        else:
            answers = line.each(lambda: session.script(query.text, mode=mode, params=given, name=query.name))
        for answer in one_answer(answers) if is_file(shown["output"]) else answers:
            warn(answer.warnings, quiet=quiet)
            say_engine(answer, session, quiet=quiet)
            show(answer, **shown, line=line, quiet=quiet)


def _is_implied(ctx: click.Context) -> bool:
    """Was the command not written, because what was written is a query?"""
    return bool(ctx.find_root().meta.get("firesteel.implied"))
