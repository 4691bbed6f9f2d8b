"""`firesteel convert`: a plan in another form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

import firesteel as fs
from firesteel.plan import Mode
from firesteel.plan.findings import repair_lines
from firesteel.session.document import FORMS, form_of
from firesteel.substrait import DIALECTS

_form = click.Choice(list(FORMS))


@contextmanager
def _session(tables: tuple[str, ...]) -> Iterator[fs.Session | None]:
    """A session of these tables; without any, none: then a plan is read by what it says itself."""
    if not tables:
        yield None
        return
    with fs.connect(engine="reference") as session:
        for table in tables:
            name, equals, path = table.partition("=")
            if not (name and equals and path):
                raise click.UsageError(f"{table!r} is not NAME=FILE")
            session.register(name, path)
        yield session


@click.command("convert")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "read_as", type=_form, help="The form of IN. Default: by its suffix and content.")
@click.option("--to", type=_form, help="The form of OUT. Default: by its suffix.")
@click.option("--target", metavar="NAME", help="Who reads the Substrait plan: datafusion, spec:0.57.")
@click.option("--lossy", is_flag=True, help="Drop what the form has no words for, and list it.")
@click.option("--table", "tables", multiple=True, metavar="NAME=FILE", help="A table, for the types of its columns.")
@click.option("--mode", type=click.Choice(["permissive", "strict"]), help="The mode of a PartiQL text.")
@click.option("--dialect", type=click.Choice(DIALECTS), default="auto", help="Whose plan a Substrait plan is read as.")
def command(
    source: Path,
    out: Path,
    read_as: str | None,
    to: str | None,
    target: str | None,
    lossy: bool,
    tables: tuple[str, ...],
    mode: str | None,
    dialect: str,
) -> None:
    """Write the plan IN as OUT, in another form or in today's. OUT may be `-`, with --to.

    The forms are PartiQL text (.partiql, .sql), expressions of the algebra (.algebra), PartiQL Plan documents (.ion,
    .10n) and Substrait plans (.proto, .json). What a form has no words for is an error that names it; with --lossy it
    is dropped and listed on stderr. A Substrait plan of an old version becomes one of today's.

    \b
    firesteel convert query.partiql plan.ion --table t=t.parquet
    firesteel convert plan.ion plan.proto --target datafusion
    firesteel convert old.proto new.proto
    firesteel convert plan.proto - --to partiql
    """
    form = to or form_of(out).name
    plan = fs.read_plan(source, dialect=dialect, form=read_as)
    if mode is not None:
        plan = replace(plan, mode=Mode(mode))
    with _session(tables) as session:
        made = fs.convert(plan, form, target=target, lossy=lossy, catalog=session)
    for line in repair_lines(made.repairs):
        click.echo(line, err=True)
    for what in made.dropped:
        click.echo(f"dropped: {what}", err=True)
    if str(out) == "-":
        sys.stdout.buffer.write(made.data)
        return
    try:
        out.write_bytes(made.data)
    except OSError as error:
        raise fs.PlanError(f"cannot write '{out}': {error.strerror or error}") from error
