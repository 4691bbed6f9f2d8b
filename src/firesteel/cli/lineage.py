"""`firesteel explain --lineage`: where the columns of an answer come from."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

import firesteel as fs

Command = TypeVar("Command", bound=Callable[..., Any])

FORMS = ("text", "json", "openlineage")

_FLAG = click.option("--lineage", is_flag=True, help="Show instead where each column of the answer comes from.")
_FORM = click.option("--lineage-as", type=click.Choice(FORMS), help="The same, in this form.")


def lineage_options(command: Command) -> Command:
    """The options for a command that explains plans: `lineage` and `lineage_as`."""
    return _FLAG(_FORM(command))


def show_lineage(session: fs.Session, source: Any, mode: str, params: Any, form: str | None) -> None:
    """Print the lineage of every answer."""
    found = session.lineage(source, mode=mode, params=params)
    match form:
        case "json":
            click.echo(json.dumps([one.to_python() for one in found], indent=2, ensure_ascii=False))
        case "openlineage":
            click.echo(json.dumps([one.to_openlineage() for one in found], indent=2, ensure_ascii=False))
        case _:
            click.echo("\n\n".join(map(str, found)))
