"""The reference of Substrait's functions, from their declarations and our tables: docs/substrait-functions.md.

What a function means is described by the specification. The page lists forms, options and how each engine computes it.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.spark.relations.windows import WINDOWS
from firesteel.spark.scalar.substrait import SCALARS
from firesteel.spark.scalar.substrait.aggregates import AGGREGATES
from firesteel.substrait import calls

TARGET = Path(__file__).parent.parent / "docs" / "substrait-functions.md"
HEAD = """# Substrait's functions

*Written by `make docs` from the specification's extension files (package `substrait-extensions`) and our tables.*

A function is named by its extension and its name: `arithmetic:add` is `add` of
`extension:io.substrait:functions_arithmetic`. The reference evaluator has all functions except those marked as missing.
On Spark *native* means an expression of Catalyst, *in Python* the reference evaluator in Spark's Python workers. The
first value of an option is the default; a value that is not listed is refused with an error.
"""

#: Functions that are lowered to a query when a plan is read.
_LISTS = {f"list:{name}": "native: a query over the list" for name in ("transform", "filter", "any_match", "all_match")}


def document() -> str:
    """The reference as Markdown."""
    parts = [HEAD, summary()]
    for stem, declared in groupby(standard.all_declarations(), lambda one: one.name.partition(":")[0]):
        parts.append(f"\n## {stem}\n")
        parts.append("| name | kind | forms | options | on Spark |")
        parts.append("|---|---|---|---|---|")
        parts += [_row(one) for one in declared]
    return "\n".join(parts) + "\n"


def summary() -> str:
    """How many functions there are, and how many each engine computes."""
    said = [on_spark(one) for one in standard.all_declarations()]
    native = sum(one.startswith("native") for one in said)
    python = said.count("in Python")
    missing = len(said) - native - python
    return f"Of {len(said)} functions {native} are native on Spark, {python} run in Python, {missing} are missing."


def _row(declared: standard.Declaration) -> str:
    forms = "<br>".join(dict.fromkeys(f"`{form}`".replace("|", "\\|") for form in declared.implementations))
    return f"| `{declared.name}` | {declared.kind.value} | {forms} | {_options(declared)} | {on_spark(declared)} |"


def _options(declared: standard.Declaration) -> str:
    said: dict[str, None] = {}
    for form in declared.implementations:
        for option, values in form.options:
            first = standard.usual(declared.name, option, values)
            others = [one for one in standard.honoured(declared.name, option, values) if one != first]
            said[f"`{option}`: {', '.join([first, *others])}"] = None
    return "<br>".join(said)


def on_spark(declared: standard.Declaration) -> str:
    """How Spark computes the function, or why it does not."""
    name = declared.name
    if name in standard.UNSUPPORTED:
        return f"missing: {standard.UNSUPPORTED[name]}"
    if name in _LISTS:
        return _LISTS[name]
    if name in SCALARS or name in AGGREGATES or name in calls.AGGREGATES or name in calls.PARTIQL:
        return "native"
    if declared.kind is Kind.WINDOW and (name in WINDOWS or name.partition(":")[2] in WINDOWS):
        return "native"
    return "in Python" if declared.kind is Kind.SCALAR else "missing: an aggregate has no way to Python"
