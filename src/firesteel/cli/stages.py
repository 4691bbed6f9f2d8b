"""`--pipeline debug` prints every stage of a query or a plan to stderr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

import firesteel as fs
from firesteel import partiql
from firesteel.cli.statements import split_in_place


def stages(text: str, session: fs.Session, mode: str, params: list[Any]) -> None:
    """Print the tokens of a statement, the syntax tree, the plan, and the plan after every pass that changes it."""
    (statement,) = partiql.parse_script(text)
    _head("tokens")
    click.echo(" ".join(str(token.text) for token in partiql.tokenize(text)), err=True)
    _head("syntax tree")
    if isinstance(statement, partiql.Explain):  # its answer is the plan
        click.echo(f"explain {statement.statement!r}", err=True)
    else:
        click.echo(repr(statement), err=True)
        click.echo(session.explain(text, mode=mode, params=params, pipeline="debug"), err=True)
    _head("result")


def script(text: str, session: fs.Session, mode: str, params: list[Any] | None, name: str) -> Iterator[fs.Result]:
    """Run the statements of a text as `Session.script` does, and print the stages of each before it runs."""
    partiql.parse_script(text, name)  # nothing runs if there is a mistake in any of them
    for one in split_in_place(text):
        stages(one, session, mode, params or [])
        yield from session.script(one, mode=mode, params=params, name=name)


def plan_stages(plan: fs.Plan, session: fs.Session, params: Any) -> None:
    """Print a plan, and what it is after every pass that changes it."""
    click.echo(session.explain(plan, params=params, pipeline="debug"), err=True)
    _head("result")


def _head(name: str) -> None:
    click.echo(f"-- {name} " + "-" * (76 - len(name)), err=True)
