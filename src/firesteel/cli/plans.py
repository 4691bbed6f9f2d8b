"""What commands that take or print a plan share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.inputs import TEXTS
from firesteel.cli.options import Command, shared
from firesteel.substrait import DIALECTS

#: The notations of a plan. Substrait's is protobuf's bytes.
NOTATIONS = ("tree", "ion", "algebra", "substrait", "substrait-json", "spark-sql")

with_dialect = click.option(
    "--dialect",
    type=click.Choice(DIALECTS),
    default="auto",
    show_default=True,
    help="Whose plan a Substrait plan is read as.",
)
#: The options that say how a plan is read.
with_reading = shared(
    with_dialect,
    click.option(
        "--header",
        "headers",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The header of a namespace that a PartiQL Plan imports.",
    ),
)
with_plan_mode = click.option(
    "--mode", type=click.Choice(["permissive", "strict"]), help="The mode of an expression of the algebra."
)


def with_notation(default: str) -> Callable[[Command], Command]:
    """The options that say how a plan is printed."""
    return shared(
        click.option(
            "--as",
            "notation",
            type=click.Choice(NOTATIONS),
            default=default,
            show_default=True,
            help="The notation of the plan.",
        ),
        click.option("--target", metavar="NAME", help="Who reads the Substrait plan: datafusion, spec:0.57."),
    )


def read(plan: Path, **how: Any) -> fs.Plan:
    """The plan of a file, as `fs.read_plan` reads it; an error that says what the file is, if it is a query or data."""
    if plan.suffix.lower() in TEXTS:
        raise click.UsageError(f"'{plan}' is a file of PartiQL, not a plan: firesteel -f {plan}")
    if plan.suffix.lower() in _DATA:
        raise click.UsageError(f"'{plan}' is data, not a plan: firesteel \"SELECT * FROM {plan.stem} AS t\" {plan}")
    if plan.is_dir():
        raise click.UsageError(f"'{plan}' is a folder, not a plan: its tables are registered with -d {plan}")
    return fs.read_plan(plan, **how)


#: Suffixes that no plan has.
_DATA = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".orc", ".arrow", ".avro", ".gz", ".zst", ".bz2")


def numbered_params(given: tuple[str, ...]) -> dict[int, Any]:
    """The values of a plan's parameters by their numbers. A value without a number gets the number after the last."""
    found: dict[int, Any] = {}
    number = -1
    for text in given:
        head, equals, tail = text.partition("=")
        named = bool(equals) and head.isdecimal()
        number = int(head) if named else number + 1
        found[number] = fs.ion(tail if named else text)
    return found


def print_plan(plan: fs.Plan, notation: str, target: str | None, session: fs.Session) -> None:
    """Print a plan in a notation. The session's tables, if it has some, say the types of columns."""
    if target is not None and not notation.startswith("substrait"):
        raise click.UsageError("--target goes with --as substrait")
    match notation:
        case "substrait":
            sys.stdout.buffer.write(plan.to_substrait(target))
        case "substrait-json":
            click.echo(plan.to_substrait_json(target))
        case "ion":
            click.echo(plan.to_ion())
        case "spark-sql":
            click.echo(plan.to_spark_sql(session=session if session.tables() else None))
        case "algebra":
            click.echo(plan.to_algebra())
        case _:
            click.echo(plan.explain())


__all__ = [
    "NOTATIONS",
    "numbered_params",
    "print_plan",
    "read",
    "with_dialect",
    "with_notation",
    "with_plan_mode",
    "with_reading",
]
