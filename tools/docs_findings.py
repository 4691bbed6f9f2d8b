"""The reference of the rules that `check` judges, from the table of rules: docs/findings.md.

make docs
"""

from __future__ import annotations

from pathlib import Path

from firesteel.rules import RULES, Rule

TARGET = Path(__file__).parent.parent / "docs" / "findings.md"
HEAD = """# Findings

*Written by `make docs` from the rows in `src/firesteel/rules/`.*

`plan.check()` and `firesteel check PLAN` judge a Substrait plan by these rules, and report everything that they find.
Codes are stable. The severities are:

- *error*: the plan does not run. It is one of `plan.check()`, and the first of them is what running the plan raises.
- *warning*: the plan runs, but other consumers may refuse it, or read it differently. It is in `plan.check().remarks`.
- *note*: the plan could do without it; also in `remarks`.

A finding has a `code`, a `message`, a `help` that says what to do, and a place: `where.path` has the fields of the
messages, and `where.trail` says it in words: `root (a, b) > join left > right > filter > condition > gt > argument 1 >
field 7`. Parts of a list count from 1 there; a field keeps its ordinal, which counts from 0. `--format json` and
`--format sarif` (SARIF 2.1.0) print findings for programs.

Codes of other findings: `FS300`, it is no plan, or contradicts itself in a way that no rule below names; `FS600`, the
plan is valid and Firesteel cannot run it; `FS500`, the policy of the session does not allow it; `FS8..`, a deviation
that was [repaired](repairs.md).

| code | severity | what has to hold | where the specification has it | what to do |
|---|---|---|---|---|
"""


def document() -> str:
    """The reference as Markdown."""
    return HEAD + "".join(map(_row, RULES))


def _row(rule: Rule) -> str:
    return f"| {rule.code} | {rule.severity.value} | {rule.title} | {rule.basis} | {rule.fix} |\n"
