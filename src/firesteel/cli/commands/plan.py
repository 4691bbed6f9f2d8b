"""`firesteel plan`: plan a query, and print the plan."""

from __future__ import annotations

from typing import Any

import click

import firesteel as fs
from firesteel.cli import inputs
from firesteel.cli.answers import warn
from firesteel.cli.options import errors, quiet, with_planning, with_tables
from firesteel.cli.plans import print_plan, with_notation
from firesteel.cli.sessions import open_session


@click.command("plan")
@click.argument("words", nargs=-1, metavar="[QUERY] [FILE]...")
@click.option("-f", "--file", metavar="FILE", help="Read the query from a file; - is standard input.")
@with_tables
@with_planning
@with_notation("ion")
@click.option(
    "--typing",
    type=click.Choice(["dynamic", "static"]),
    default="dynamic",
    show_default=True,
    help="static: what is known to fail is an error now.",
)
@quiet
@errors
def command(
    words: tuple[str, ...],
    file: str | None,
    mode: str,
    params: tuple[str, ...],
    pipeline: str,
    notation: str,
    target: str | None,
    typing: Any,
    quiet: bool,
    **options: Any,
) -> None:
    """Plan a PartiQL query, and print the plan.

    \b
    firesteel plan "SELECT t.a FROM t" t.parquet
    firesteel plan "SELECT t.a FROM t" t.parquet --as spark-sql
    firesteel plan "SELECT t.a FROM t" --table t=t.parquet --as substrait --target datafusion > plan.pb
    """
    query = inputs.find_query(words, None, file, named=True)
    with open_session({"engine": "reference", **options}, query.files) as session:
        given = [fs.ion(param) for param in params]
        made = session.plan(query.text, mode=mode, typing=typing, params=given)
        if pipeline == "debug":
            from firesteel.cli.stages import stages

            stages(query.text, session, mode, given)
        warn(made.warnings, quiet=quiet)
        print_plan(made, notation, target, session)
