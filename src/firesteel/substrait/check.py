"""`check` of a Substrait plan: what is invalid, what is unsupported and why, what was repaired."""

from __future__ import annotations

from firesteel.plan.findings import Findings, check_plan
from firesteel.plan.lookup import FileLookup
from firesteel.substrait.dialects.choose import AUTO, DIALECTS, dialect_of
from firesteel.substrait.lower import judge
from firesteel.substrait.message import Message


def check(message: Message, catalog: FileLookup | None = None, dialect: str = AUTO) -> Findings:
    """All findings of a Substrait plan, over the tables of a catalog, or by the schemas that the plan declares. Tables
    of a catalog may promise an order, so it is not judged here whether inputs are ordered."""
    judged = judge(message, catalog, dialect)
    used = dialect_of(message, dialect)
    name = used.name if used.name in DIALECTS else None
    if judged.problems or judged.plan is None:
        return Findings(judged.problems, judged.repairs, name)
    return Findings(check_plan(judged.plan, orders=catalog is None), judged.repairs, name)
