"""Fields of before, for consumers of an older Substrait: they do not know today's, and leave out what is in them.

Without its count a LIMIT would give no rows, and an aggregate without its keys one.
"""

from __future__ import annotations

from firesteel.errors import UnsupportedError
from firesteel.substrait.message import Message, message, of_kinds

_COUNTS = {"count_expr": "count", "offset_expr": "offset"}
_INTEGERS = ("i64", "i32", "i16", "i8")


def put_older_fields(plan: Message) -> None:
    """Numbers of rows as numbers, the keys of a grouping in the grouping too, rows of literals as such."""
    found = of_kinds(plan, "FetchRel", "AggregateRel", "VirtualTable")
    for one in found["FetchRel"]:
        _fetch(one)
    for one in found["AggregateRel"]:
        for grouping in one.groupings:
            keys = [one.grouping_expressions[i] for i in grouping.expression_references]
            grouping.given["grouping_expressions"] = keys
    for one in found["VirtualTable"]:
        _rows(one)


def _fetch(fetch: Message) -> None:
    for today, before in _COUNTS.items():
        if not fetch.has(today):
            continue
        literal = getattr(fetch, today).literal
        kind = literal.which("literal_type")
        if kind not in _INTEGERS:
            raise UnsupportedError("a LIMIT or an OFFSET that is computed, for a consumer of an older Substrait")
        fetch.given.pop(today)
        fetch.given[before] = getattr(literal, kind)
    if not fetch.has("count"):
        fetch.given["count"] = -1


def _rows(table: Message) -> None:
    rows = list(table.expressions)
    if not rows or any(field.which("rex_type") != "literal" for row in rows for field in row.fields):
        return
    table.given.pop("expressions")
    literals = [[field.literal for field in row.fields] for row in rows]
    table.given["values"] = [message("Expression.Literal.Struct", fields=row) for row in literals]
