"""`check` of a Substrait plan: what is invalid, what is unsupported and why, what was repaired, and which rules of the
specification a plan breaks that runs nevertheless.

The lowering judges what it needs (`lower/recover.py`). `message_rules` has rules that a message breaks by itself,
`typed_rules` those that need the types of what is below it, `declaration_rules` those about anchors.
"""

from __future__ import annotations

from firesteel.errors import FiresteelError, PlanError
from firesteel.plan.findings import Findings, check_plan
from firesteel.plan.lookup import FileLookup
from firesteel.rules import Remark
from firesteel.substrait.check.declaration_rules import judge_declarations
from firesteel.substrait.check.message_rules import judge_message
from firesteel.substrait.check.typed_rules import judge_types
from firesteel.substrait.dialects.choose import AUTO, DIALECTS, dialect_of
from firesteel.substrait.extensions import read_extensions
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower import Judged, judge
from firesteel.substrait.message import Message, walk
from firesteel.substrait.types import read_type


def check(message: Message, catalog: FileLookup | None = None, dialect: str = AUTO) -> Findings:
    """All findings of a Substrait plan, over the tables of a catalog, or by the schemas that the plan declares. Tables
    of a catalog may promise an order, so it is not judged here whether inputs are ordered."""
    judged = judge(message, catalog, dialect)
    used = dialect_of(message, dialect)
    name = used.name if used.name in DIALECTS else None
    if judged.problems or judged.plan is None:
        _judge_values(message, judged, dialect)
        problems = judged.recovering.problems
    else:
        problems = list(check_plan(judged.plan, orders=catalog is None))
    return Findings(problems, judged.repairs, name, tuple(_remarks(message, judged)))


#: A plan with more of them than this is not worth reading to its end.
MAX_REMARKS = 1_000


def _remarks(message: Message, judged: Judged) -> list[Remark]:
    found = list(judge_declarations(message))
    for one in walk(message):
        found += judge_message(one)
        found += judge_types(one, judged.recovering.made)
        if len(found) >= MAX_REMARKS:
            break
    return found[:MAX_REMARKS]


#: Literals and types that hold others, or stand for one.
_HOLDERS = ("struct", "list", "map", "func", "user_defined", "alias")


def _judge_values(message: Message, judged: Judged, dialect: str) -> None:
    """Judge each literal and each type by itself: a message that could not be lowered may hide several wrong ones."""
    extensions = read_extensions(message, dialect_of(message, dialect))
    for one in walk(message):
        oneof = {"Type": "kind", "Literal": "literal_type"}.get(one.kind.short)
        kind = one.which(oneof) if oneof else None
        if kind is None or kind in _HOLDERS:
            continue
        try:
            (read_type if oneof == "kind" else read_literal)(one, extensions)
        except PlanError as error:
            judged.recovering.note(error.located(one.where))
        except FiresteelError:  # it is reported where it is used
            continue


__all__ = ["check"]
