"""`firesteel check`: check a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.options import errors, plan_file, with_policy, with_properties, with_tables
from firesteel.cli.plans import read, with_dialect
from firesteel.cli.sessions import open_session
from firesteel.plan.findings import Findings, repair_lines
from firesteel.repair import Effect


@click.command("check")
@plan_file
@with_tables
@with_properties
@with_policy
@click.option("--engine", type=click.Choice(["spark", "reference"]), help="As this engine would run it. Wants tables.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the findings are printed.",
)
@with_dialect
@errors
def command(plan: Path, engine: Any, format_: str, dialect: str, **options: Any) -> int:
    """Check PLAN and list all problems with their places: what is invalid, what is unsupported, what was repaired.

    With --table the plan is checked over these tables, else by the schemas that it declares. Inputs that have to be
    ordered, and are not known to be, are a problem. The exit code is 0 if the plan would run.

    \b
    firesteel check plan.proto
    firesteel check plan.json --table lineitem=lineitem.parquet --format json
    firesteel check plan.json --table lineitem=lineitem.parquet --engine spark
    """
    try:
        document = read(plan, dialect)
        if engine or any(value for name, value in options.items() if name != "malformed"):
            with open_session({"engine": engine or "reference", **options}) as session:
                found = session.check(document)
        else:
            found = document.check()
    except fs.FiresteelError as error:
        if format_ == "text":
            raise
        found = Findings([error])
    if format_ == "json":
        click.echo(json.dumps({"plan": str(plan), **found.to_python()}, indent=2, ensure_ascii=False))
    else:
        _say(plan, found)
    return found.exit_code


def _say(plan: Path, found: Findings) -> None:
    for problem in found:
        click.echo(str(problem), err=True)
    for line in repair_lines(found.repairs):
        click.echo(line)
    if found.dialect is not None:
        click.echo(f"read as a plan of the dialect '{found.dialect}'")
    repaired = f", {_count(len(found.repairs), 'repair')}" if found.repairs else ""
    for effect, said in ((Effect.LOSS, "with a loss"), (Effect.DOUBT, "in doubt")):
        number = sum(one.effect is effect for one in found.repairs)
        repaired += f", {number} {said}" if number else ""
    if found:
        click.echo(f"{plan}: {_count(len(found), 'problem')}{repaired}", err=True)
    else:
        click.echo(f"{plan}: fine{repaired}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
