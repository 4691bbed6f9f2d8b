"""Write docs/error-codes.md: every code of an error, a warning, a finding and a repair.

make docs
"""

from __future__ import annotations

from pathlib import Path

from firesteel import errors
from firesteel.repair import RepairKind
from firesteel.rules import RULES
from firesteel.warning import WarningKind

TARGET = Path(__file__).parent.parent / "docs" / "error-codes.md"
HEAD = """# Codes of errors, warnings and repairs

*Written by `make docs` from the classes and tables that have the codes.*

Every message begins with a code: `FS200: no variable 'x'`. Below it are the place, the text of that place with a mark,
and what to do. Codes are stable. In Python an error is an object with `code`, `message`, `where` and `help`; on the
command line `--error-format json` prints it as an object. The first digit says what it is:

| codes | what |
|---|---|
| `FS100`, `FS200`, ... `FS600` | [errors](#errors), one code for each class |
| `{first}` to `{last}` | [rules of Substrait's specification](#rules) that a plan breaks |
| `FS7..` | [warnings](#warnings) about queries that run and are probably wrong |
| `FS8..` | [repairs](#repairs) of plans |

## Errors

| code | class | exit code | what is wrong |
|---|---|---|---|
"""
#: The classes, in the order of their codes.
CLASSES = (
    errors.ParseError,
    errors.AnalysisError,
    errors.PlanError,
    errors.EvaluationError,
    errors.PolicyError,
    errors.UnsupportedError,
)


def document() -> str:
    """The reference as Markdown."""
    codes = sorted(rule.code for rule in RULES)
    parts = [HEAD.format(first=codes[0], last=codes[-1]) + "".join(map(_class, CLASSES))]
    parts.append(
        "\n## Rules\n\n[Findings](findings.md) has the basis of each rule in the specification, and what to do.\n\n"
        "| code | severity | what has to hold |\n|---|---|---|\n"
    )
    parts += [f"| `{rule.code}` | {rule.severity.value} | {rule.title} |\n" for rule in RULES]
    parts.append(
        "\n## Warnings\n\nThe [guide](guide.md#modes-and-types) has an example.\n\n| code | warns of |\n|---|---|\n"
    )
    parts += [f"| `{kind.code}` | {_cell(kind.about)} |\n" for kind in WarningKind]
    parts.append("\n## Repairs\n\n[Repairs](repairs.md) says why each is made.\n\n| code | name |\n|---|---|\n")
    parts += [f"| `{kind.code}` | `{kind.name.lower()}` |\n" for kind in RepairKind]
    return "".join(parts)


def _class(kind: type[errors.FiresteelError]) -> str:
    return f"| `{kind.code}` | `{kind.__name__}` | {kind.exit_code} | {_cell(kind.__doc__ or '')} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
