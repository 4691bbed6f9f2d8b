"""The reference of repairs, from the enum that names them: docs/repairs.md.

make docs
"""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.repair import RepairKind

TARGET = Path(__file__).parent.parent / "docs" / "repairs.md"
HEAD = """# Repairs

*Written by `make docs` from `RepairKind` in `src/firesteel/repair.py`.*

Where a Substrait plan deviates from the specification, this is how it is read. `r.repairs` and `plan.check().repairs`
list the repairs of a plan, each with `code`, `name`, `fields`, `message`, `why` and `effect`; `firesteel check PLAN
--format json` prints them. Codes and names are stable. Words in *italics* are the repair's fields. The effects are:

- *harmless*: the plan can only mean this.
- *loss*: something that the plan says is not done.
- *doubt*: the plan can be read in another way too.

| code | name | what was read | why | effect |
|---|---|---|---|---|
"""


def document() -> str:
    """The reference as Markdown."""
    return HEAD + "".join(map(_row, RepairKind))


def _row(kind: RepairKind) -> str:
    text = re.sub(r"\{(\w+)\}", r"*\1*", kind.text)
    return f"| {kind.code} | `{kind.name.lower()}` | {text} | {kind.why} | {kind.effect.value} |\n"
