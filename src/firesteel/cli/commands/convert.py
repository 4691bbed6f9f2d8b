"""`firesteel convert`: a plan in another form."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.options import errors, with_tables
from firesteel.cli.plans import with_reading
from firesteel.cli.sessions import asks_for_session, open_session
from firesteel.plan.findings import repair_lines
from firesteel.session.document import FORMS, form_of

_form = click.Choice(list(FORMS))
_readable = click.Choice([form.name for form in FORMS.values() if form.is_readable])


@click.command("convert")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "read_as", type=_readable, help="The form of IN. Default: by its suffix and content.")
@click.option("--to", type=_form, help="The form of OUT. Default: by its suffix.")
@click.option("--target", metavar="NAME", help="Who reads the Substrait plan: datafusion, spec:0.57.")
@click.option("--lossy", is_flag=True, help="Drop what the form has no words for, and list it.")
@click.option("--mode", type=click.Choice(["permissive", "strict"]), help="The mode of a text or an expression.")
@with_reading
@with_tables
@errors
def command(
    source: Path,
    out: Path,
    read_as: str | None,
    to: str | None,
    target: str | None,
    lossy: bool,
    mode: str | None,
    dialect: str,
    headers: tuple[Path, ...],
    **options: Any,
) -> None:
    """Write the plan IN as OUT, in another form or in today's. OUT may be `-`, with --to.

    The forms are PartiQL text (.partiql, .sql), expressions of the algebra (.algebra), PartiQL Plan documents (.ion,
    .10n), Substrait plans (.proto, .json) and, for OUT only, Spark's SQL (.sparksql). What a form has no words for is
    an error that names it; with --lossy it is dropped and listed on stderr. A Substrait plan of an old version becomes
    one of today's. Tables give the types of columns that a plan does not say.

    \b
    firesteel convert query.partiql plan.ion --table t=t.parquet
    firesteel convert plan.ion plan.proto --target datafusion
    firesteel convert old.proto new.proto
    firesteel convert plan.proto - --to partiql
    """
    form = to or form_of(out).name
    plan = fs.read_plan(source, dialect=dialect, form=read_as, headers=headers, mode=mode)
    # Without tables a plan is read by what it says itself.
    with open_session({"engine": "reference", **options}) if asks_for_session(options) else nullcontext() as session:
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
