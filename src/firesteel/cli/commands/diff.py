"""`firesteel diff A B`. The exit code is 0 if the plans are the same, 1 if they differ, 2 if one cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.inputs import STDIN, TEXTS, read_text
from firesteel.cli.options import with_mode, with_tables
from firesteel.cli.render.plan_drawings import with_html, write_html
from firesteel.cli.sessions import open_session

SAME, DIFFERENT, TROUBLE = 0, 1, 2


@click.command("diff")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@with_tables
@with_mode
@click.option("--side-by-side", "-y", is_flag=True, help="Show both plans, side by side.")
@click.option("--width", type=click.IntRange(43), default=160, show_default=True, help="Columns of --side-by-side.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the differences are printed.",
)
@with_html
def command(
    left: str, right: str, mode: str, side_by_side: bool, width: int, format_: str, html: str | None, **options: Any
) -> int:
    """Are two plans the same? If not, say where they differ.

    A and B are plans in any format, files of PartiQL (.partiql, .sql), or PartiQL texts of several words. What is only
    written differently is the same: the order of conditions, aliases, projections one by one or in one.

    \b
    firesteel diff old.proto new.proto
    firesteel diff plan.ion "SELECT t.a FROM t WHERE t.b > 1" --table t=t.parquet --side-by-side
    firesteel diff old.proto new.proto --html differences.html
    """
    try:
        with open_session({"engine": "reference", **options}) as session:
            found = fs.diff(_read(left, session, mode), _read(right, session, mode))
    except fs.FiresteelError as error:
        click.echo(str(error), err=True)
        return TROUBLE
    if html is not None:
        write_html(found.page((_title(left), _title(right))), html)
        if html == STDIN:
            return SAME if found.same else DIFFERENT
    if format_ == "json":
        click.echo(json.dumps(found.to_python(), indent=2, ensure_ascii=False))
    else:
        click.echo(str(found))
        if side_by_side:
            click.echo(f"\n{found.side_by_side(width)}")
    return SAME if found.same else DIFFERENT


def _title(source: str) -> str:
    return " ".join(source.split())


def _read(source: str, session: fs.Session, mode: str) -> fs.Plan:
    """The plan of an argument."""
    path = Path(source)
    if len(source.split()) > 1 and not os.path.exists(source):
        return session.plan(source, mode=mode)
    if path.suffix.lower() in TEXTS:
        return session.plan(read_text(path), mode=mode)
    return fs.read_plan(path)
