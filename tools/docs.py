"""Write the reference pages that are generated from the code: functions.md, substrait-functions.md, dialects.md,
arrow.md, command-line.md, error-codes.md, findings.md, formats.md, passes.md, python-api.md, relations.md, repairs.md.

make docs
"""

from __future__ import annotations

import sys
from pathlib import Path

from firesteel import functions
from firesteel.partiql.lower.calls.familiar_names import DEFINITIONS, HINTS
from firesteel.spark.scalar.functions import AGGREGATES, LOWERED, SPARK, UNSUPPORTED
from tools import (
    docs_api,
    docs_arrow,
    docs_cli,
    docs_dialects,
    docs_errors,
    docs_findings,
    docs_formats,
    docs_passes,
    docs_relations,
    docs_repairs,
    docs_substrait,
)

TARGET = Path(__file__).parent.parent / "docs" / "functions.md"
HEAD = """# Functions

*Written by `make docs` from the catalogue (`src/firesteel/functions/`) and the Spark tables.*

The first column has the names that plans use, the second those of PartiQL. In a signature `~` says that the result may
be MISSING although the arguments fit, and `!` that the call may be an error in both modes. A function that *propagates*
gives MISSING for a MISSING argument, else NULL for a NULL argument. The reference evaluator has all functions.
"""


FAMILIAR = """
## Names of other databases

A call by one of these names is replaced by what it means. A function of that name that you register comes first.
`DATEADD`, `DATEDIFF` and `DATE_PART` take their field as a word or as a text: `DATEDIFF('day', a, b)`.
`FILTER (WHERE c)` of an aggregate is `CASE WHEN c THEN x END` inside of it; `ARRAY_AGG`, which keeps NULLs, takes none.
"""


def document() -> str:
    """The reference as Markdown."""
    parts = [HEAD]
    for kind in functions.Kind:
        rows = [row for row in functions.all_functions() if row.kind is kind]
        parts.append(f"\n## {kind.value.capitalize()} functions\n")
        parts.append("| name | in PartiQL | signatures | what it gives | propagates | on Spark |")
        parts.append("|---|---|---|---|---|---|")
        parts += [_row(row) for row in rows]
    parts += [FAMILIAR, "| call | means |", "|---|---|"]
    parts += [f"| `{call}` | `{meaning}` |" for call, meaning in DEFINITIONS.items()]
    parts += [
        "\nThese have no definition, because databases differ in what they mean, or because there is another way:\n",
        "| name | instead |",
        "|---|---|",
    ]
    parts += [f"| `{name}` | {said.replace('|', chr(92) + '|')} |" for name, said in HINTS.items()]
    return "\n".join(parts) + "\n"


def _row(row: functions.Function) -> str:
    names = ", ".join(f"`{name}`".replace("|", "\\|") for name in row.partiql)
    forms = "<br>".join(f"`{form}`" for form in row.signatures)
    doc = row.doc.replace("|", "\\|")
    return f"| `{row.name}` | {names} | {forms} | {doc} | {'yes' if row.propagates else ''} | {_spark(row.name)} |"


def _spark(name: str) -> str:
    if name in SPARK or name in LOWERED or name in AGGREGATES:
        return "native"
    return f"no: {UNSUPPORTED[name]}"


PAGES = (
    docs_substrait,
    docs_dialects,
    docs_arrow,
    docs_cli,
    docs_errors,
    docs_findings,
    docs_formats,
    docs_relations,
    docs_repairs,
    docs_passes,
    docs_api,
)


def main() -> int:
    for target, text in ((TARGET, document()), *((page.TARGET, page.document()) for page in PAGES)):
        target.write_text(text, encoding="utf-8")
        print(f"wrote {target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
