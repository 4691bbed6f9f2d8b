"""`firesteel check`: check a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.findings_output import FORMATS
from firesteel.cli.options import errors, plan_file, with_policy, with_properties, with_tables
from firesteel.cli.plans import read, with_plan_mode, with_reading
from firesteel.cli.sessions import asks_for_session, open_session, take
from firesteel.plan.findings import Findings


@click.command("check")
@plan_file
@with_tables
@with_properties
@with_policy
@click.option("--engine", type=click.Choice(["spark", "reference"]), help="As this engine would run it. Wants tables.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How the findings are printed.",
)
@with_reading
@with_plan_mode
@errors
def command(plan: Path, engine: Any, format_: str, **options: Any) -> int:
    """Check PLAN and list all findings with their places: what is invalid, what is unsupported, which rules of the
    specification a plan breaks that runs nevertheless, what was repaired. docs/findings.md has the codes.

    With --table the plan is checked over these tables, else by the schemas that it declares. Inputs that have to be
    ordered, and are not known to be, are a problem. The exit code is 0 if the plan would run.

    \b
    firesteel check plan.proto
    firesteel check plan.json --table lineitem=lineitem.parquet --format json
    firesteel check plan.json --table lineitem=lineitem.parquet --engine spark
    firesteel check plan.json --format sarif > findings.sarif
    """
    how = take(options, "dialect", "headers", "mode")
    try:
        document = read(plan, **how)
        if engine or asks_for_session(options):
            with open_session({"engine": engine or "reference", **options}) as session:
                found = session.check(document)
        else:
            found = document.check()
    except fs.FiresteelError as error:
        if format_ == "text":
            raise
        found = Findings([error])
    FORMATS[format_](plan, found)
    return found.exit_code
