"""`--pipeline debug` prints every stage of a query to stderr."""

from __future__ import annotations

from typing import Any

import click

import firesteel as fs
from firesteel import partiql


def stages(text: str, session: fs.Session, mode: str, params: list[Any]) -> None:
    """Print the tokens, the syntax tree, the plan, and the plan after every pass that changes it."""
    _head("tokens")
    click.echo(" ".join(str(token.text) for token in partiql.tokenize(text)), err=True)
    _head("syntax tree")
    click.echo(repr(partiql.parse(text)), err=True)
    click.echo(session.explain(text, mode=mode, params=params, pipeline="debug"), err=True)
    _head("result")


def _head(name: str) -> None:
    click.echo(f"-- {name} " + "-" * (76 - len(name)), err=True)
