"""`--pipeline debug`: every stage that a query goes through, on stderr."""

from __future__ import annotations

from collections.abc import Sequence

import click

import firesteel as fs
from firesteel import partiql
from firesteel.explain import explain
from firesteel.passes import PIPELINE


def stages(text: str, session: fs.Session, mode: str, params: Sequence[str]) -> None:
    """Tokens, syntax tree, resolved plan, and the plan after every pass that changes it."""
    _head("tokens")
    click.echo(" ".join(str(token.text) for token in partiql.tokenize(text)), err=True)
    _head("syntax tree")
    click.echo(repr(partiql.parse(text)), err=True)
    _head("plan")
    plan = session.plan(text, mode=mode, params=[fs.ion(param) for param in params]).node
    click.echo(explain(plan), err=True)
    for step in PIPELINE:
        after = step(plan)
        _head(step.__name__)
        click.echo("(nothing to do)" if after is plan else explain(after), err=True)
        plan = after
    _head("result")


def _head(name: str) -> None:
    click.echo(f"-- {name} " + "-" * (76 - len(name)), err=True)
