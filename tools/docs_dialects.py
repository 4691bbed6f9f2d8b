"""The reference of dialects, from their tables: docs/dialects.md.

make docs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from firesteel.spark.scalar.substrait import SCALARS
from firesteel.spark.scalar.substrait.aggregates import AGGREGATES
from firesteel.substrait.dialects.base import Dialect
from firesteel.substrait.dialects.choose import PRODUCERS
from firesteel.substrait.dialects.others import SPEC, UNKNOWN, UNNAMED

TARGET = Path(__file__).parent.parent / "docs" / "dialects.md"
HEAD = """# Dialects

*Written by `make docs` from the tables in `src/firesteel/substrait/dialects/`.*

Producers of Substrait plans have names, shapes and functions of their own. A plan is read as its producer means it: the
dialect is that of the producer that the plan names, or of the one whose plans have its shape. `fs.read_plan(plan,
dialect="datafusion")`, `s.run(plan, dialect=...)`, `s.check(plan, dialect=...)` and `--dialect` on the command line ask
for another one; `spec` reads a plan by the letter of the specification. What a dialect decided in a plan is listed by
`check` among its [repairs](repairs.md), those that lose something apart from those that are harmless.
"""


def document() -> str:
    """The reference as Markdown."""
    parts = [HEAD]
    for dialect in (*PRODUCERS, UNNAMED, UNKNOWN, SPEC):
        parts += _section(dialect)
    return "\n".join(parts) + "\n"


def _section(dialect: Dialect) -> Iterator[str]:
    yield f"\n## {dialect.name}{_range(dialect)}\n"
    if dialect.producers:
        named = " or ".join(f"`{name}`" for name in dialect.producers)
        yield f"The producer's name contains {named}.\n"
    if dialect is SPEC:
        yield "Nothing but what the specification says.\n"
    shapes = {shape.value: reason for shape, reason in dialect.shapes.items()}
    yield from _table(("what it means", "reason"), shapes)
    yield from _table(("name", "standard function"), {_code(a): _code(b) for a, b in dialect.names.aliases.items()})
    yield from _table(("type", "read as"), {f"`{name}`": f"`{type_}`" for name, type_ in dialect.types.items()})
    rules = {f"`{name}`": rule.reason for name, rule in dialect.rules.items()}
    yield from _table(("call", "why it is read as another expression"), rules)
    different = {f"`{name}`": one.reason for name, one in dialect.different.items()}
    yield from _table(("function", "how it differs from the standard one of its name"), different)
    own = {f"`{name}`": (row.doc, _spark(row.name, SCALARS)) for name, row in dialect.scalars.items()}
    yield from _functions("scalar function", own)
    totals = {f"`{name}`": (one.row.doc, _spark(one.row.name, AGGREGATES)) for name, one in dialect.aggregates.items()}
    yield from _functions("aggregate", totals)


def _range(dialect: Dialect) -> str:
    since = "" if dialect.since == (0, 0) else f" from Substrait {dialect.since[0]}.{dialect.since[1]} on"
    return since + (f" before Substrait {dialect.until[0]}.{dialect.until[1]}" if dialect.until else "")


def _spark(name: str, native: Mapping[str, object]) -> str:
    if name in native:
        return "native"
    return "refused" if native is AGGREGATES else "in Python"


def _code(name: str) -> str:
    """A name as code; a bar would end the column of the table."""
    return f"`{name}`".replace("|", "\\|")


def _table(head: tuple[str, str], rows: Mapping[str, str]) -> Iterator[str]:
    if rows:
        yield f"| {head[0]} | {head[1]} |\n|---|---|"
        yield from (f"| {key} | {value} |" for key, value in rows.items())
        yield ""


def _functions(what: str, rows: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    if rows:
        yield f"| {what} of its own | what it gives | on Spark |\n|---|---|---|"
        yield from (f"| {name} | {doc} | {spark} |" for name, (doc, spark) in rows.items())
        yield ""
