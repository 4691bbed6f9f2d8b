"""Write a plan as PartiQL text and plan that again: the same plan, or at least the same answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.node import transform


def _nameless(node: p.Plan) -> p.Plan:
    """The plan without the names of columns: a text has to make up some."""
    return transform(node, lambda rel: rel.replace(names=()), p.NamingRel)


def _answer(session: fs.Session, plan: fs.Plan) -> Any:
    try:
        return values.key(session.run(plan).value())
    except FiresteelError as error:
        return type(error)


def judged(session: fs.Session, text: str, mode: str, counts: Counter[str]) -> str:
    """What is wrong with the round trip of a query's plan, or nothing; counted by how it came back."""
    try:
        plan = session.plan(text, mode=mode)
    except FiresteelError:
        return ""  # no query
    written = plan.to_partiql()
    try:
        again = session.plan(written, mode=mode)
    except FiresteelError as error:
        return f"{text}\nis written as\n{written}\nwhich fails: {error}"
    if _nameless(again.node) == _nameless(plan.node):
        counts["equal"] += 1
        return ""
    counts["other plan"] += 1
    same = _answer(session, plan) == _answer(session, again)
    return "" if same else f"{text}\nis written as\n{written}\nwhich gives another answer"
