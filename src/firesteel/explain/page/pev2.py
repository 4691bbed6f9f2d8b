"""The operators in the JSON of PostgreSQL's EXPLAIN (FORMAT JSON), which pev2 and other viewers take. Each node has the
name that PostgreSQL has for its kind; what it has no word for goes by ours."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from firesteel.explain.page.model import Operator, PlanPage, PlanView, path_text, tree_of

_NAMES = {
    "scan": "Seq Scan",
    "aggregate": "Aggregate",
    "sort": "Sort",
    "limit": "Limit",
    "window": "WindowAgg",
    "set": "SetOp",
    "select": "Result",
    "project": "Result",
    "filter": "Result",
}
_JOINS = {
    "hash": "Hash Join",
    "merge": "Merge Join",
    "broadcast": "Hash Join",
}
#: The types of joins by the words that stand in an operator's text.
_JOIN_TYPES = {"left": "Left", "right": "Right", "full": "Full", "left_semi": "Semi", "left_anti": "Anti"}
#: What PostgreSQL calls that which follows an operator's name.
_DETAILS = {"filter": "Filter", "join": "Join Filter", "sort": "Sort Key", "aggregate": "Group Key"}


def page_pev2(page: PlanPage) -> str:
    """The plan of every statement, as a list."""
    return json.dumps([_query(view) for view in page.views], indent=2, ensure_ascii=False)


def _query(view: PlanView) -> dict[str, Any]:
    below = tree_of(view.operators)
    made: dict[int, dict[str, Any]] = {}
    for one in reversed(view.operators):  # what is below stands behind
        node = _node(one)
        inputs = [made[kid.id] for kid in below.get(one.id, ())]
        if inputs:
            node["Plans"] = inputs
        made[one.id] = node
    _count_inputs(view, below, made)
    found: dict[str, Any] = {"Plan": made[0] if made else {}}
    total = made[0].get("Actual Total Time") if made else None
    return found if total is None else {**found, "Execution Time": total}


def _node(one: Operator) -> dict[str, Any]:
    words = one.text.removeprefix(one.tag).strip()
    node: dict[str, Any] = {
        "Node Type": _name(one, words),
        "Parent Relationship": "SubPlan" if one.label else "Outer",
        "Plan Rows": round(one.estimated_rows or 0),
        "Plan Width": 0,
        "Startup Cost": 0.0,
        "Total Cost": 0.0,
        "Operator": one.text,
        "Operator Path": path_text(one.path),
        "Output": [column.name for column in one.columns],
    }
    if one.label:
        node["Subplan Name"] = f"SubPlan {one.label.lstrip('#')}"
    if one.kind == "scan":
        node["Relation Name"] = node["Alias"] = words
    if one.kind == "join":
        first = re.match(r"\w*", words)
        node["Join Type"] = _JOIN_TYPES.get(first[0] if first else "", "Inner")
    if one.kind in _DETAILS and words:
        node[_DETAILS[one.kind]] = [words] if _DETAILS[one.kind].endswith("Key") else words
    if one.in_python:
        node["In Python"] = list(one.in_python)
    if one.measured is not None and one.measured.rows is not None:
        node["Actual Rows"], node["Actual Loops"] = one.measured.rows, 1
    return node


def _name(one: Operator, words: str) -> str:
    if one.kind == "join":
        found = (name for word, name in _JOINS.items() if re.search(rf"\b{word}\b", words.partition("(")[0]))
        return next(found, "Nested Loop" if words.startswith(("on", "cross")) or not words else "Hash Join")
    return _NAMES.get(one.kind, one.tag.replace("_", " ").title())


def _count_inputs(
    view: PlanView, below: Mapping[int | None, list[Operator]], made: Mapping[int, dict[str, Any]]
) -> None:
    """PostgreSQL's times include those of the inputs; ours do not."""
    if not any(one.measured is not None and one.measured.milliseconds is not None for one in view.operators):
        return
    totals: dict[int, float] = {}
    for one in reversed(view.operators):
        own = (one.measured.milliseconds or 0.0) if one.measured is not None else 0.0
        totals[one.id] = own + sum(totals[kid.id] for kid in below.get(one.id, ()))
        made[one.id]["Actual Startup Time"], made[one.id]["Actual Total Time"] = 0.0, round(totals[one.id], 3)
        made[one.id].setdefault("Actual Rows", 0)
        made[one.id]["Actual Loops"] = 1


__all__ = ["page_pev2"]
