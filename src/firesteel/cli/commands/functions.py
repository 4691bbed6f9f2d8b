"""`firesteel functions`: search the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import click

import firesteel as fs
from firesteel import functions
from firesteel.cli.options import errors
from firesteel.functions.examples import EXAMPLES, query_of
from firesteel.partiql.lower.calls.familiar_names import meanings

#: So many functions are described one by one; more are listed.
FEW = 12


@click.command("functions")
@click.argument("word", required=False)
@errors
def command(word: str | None) -> int:
    """List the functions of PartiQL, or those whose name or description has WORD in it: signatures, an example with its
    result, and where they run. In a signature ~ says that the result may be MISSING although the arguments fit.

    \b
    firesteel functions
    firesteel functions regexp
    firesteel functions substring
    """
    found = list(matching(word))
    if not any((word or "").lower() in row.partiql for row in found):
        elsewhere = meanings((word or "").lower())
        for call, meaning in elsewhere:
            click.echo(f"{call}, as other databases call it\n  {meaning}")
        if elsewhere:
            return 0
    if not found:
        meant = functions.suggest_partiql((word or "").lower())
        click.echo(f"no function '{word}'{f': did you mean {meant!r}?' if meant else ''}", err=True)
        return 1
    if len(found) <= FEW:
        click.echo("\n\n".join(map(describe, found)))
        return 0
    width = max(len(_names(row)) for row in found)
    for row in found:
        click.echo(f"{_names(row):<{width}}  {row.doc}")
    return 0


def matching(word: str | None) -> Iterator[functions.Function]:
    """The functions that PartiQL has a name for and that a word finds; the one of that name, if there is one."""
    named = [row for row in functions.all_functions() if row.partiql]
    if word is None:
        return iter(named)
    low = word.lower()
    exact = [row for row in named if low in (row.name, *row.partiql)]
    return iter(
        exact or [row for row in named if any(low in text.lower() for text in (row.name, *row.partiql, row.doc))]
    )


def describe(row: functions.Function) -> str:
    """A function in some lines."""
    lines = [_names(row), f"  {row.doc}"]
    lines += [f"  {row.partiql[0]}{signature}" for signature in row.signatures]
    example = EXAMPLES.get(row.name)
    if example is not None:
        lines.append(f"  example: {example}{_result(row, example)}")
    lines.append(f"  runs: {runs(row)}")
    return "\n".join(lines)


def _names(row: functions.Function) -> str:
    return ", ".join(row.partiql)


def _result(row: functions.Function, example: str) -> str:
    if not row.pure:
        return ""
    with fs.connect(engine="reference") as session:
        scalar = row.kind is functions.Kind.SCALAR
        return f"  gives {session.query(query_of(example, scalar=scalar)).to_ion()}"


def runs(row: functions.Function) -> str:
    """Where a function runs: on Spark natively, in its Python workers, or in process alone."""
    try:
        from firesteel.spark.scalar.functions import AGGREGATES, LOWERED, SPARK, UNSUPPORTED
    except ModuleNotFoundError:
        return "in process; Spark is not installed"
    if row.name in SPARK or row.name in LOWERED or row.name in AGGREGATES:
        return "in process, and natively on Spark"
    return f"in process, and in Spark's Python workers: {UNSUPPORTED[row.name]}"
