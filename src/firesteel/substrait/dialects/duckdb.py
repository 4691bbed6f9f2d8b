"""DuckDB's dialect."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.substrait.names import Names
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.substrait.dialects import shared
from firesteel.substrait.dialects.base import Dialect, Given, Rule, Shape

NAMES: dict[str, str] = {
    "prefix": "starts_with",
    "suffix": "ends_with",
    "len": "char_length",
    "strlen": "octet_length",
    "ucase": "upper",
    "lcase": "lower",
    "count_star": "count",
    "sum_no_overflow": "sum",
    "list_sort": "sort",
    "list_transform": "transform",
    "list_filter": "filter",
}


def _not_like(given: Given) -> p.Rex | None:
    if len(given.args) != 2:
        return None
    text, pattern = given.args
    if not isinstance(text, p.Rex) or not isinstance(pattern, p.Lit) or not isinstance(text.type, t.Text):
        return None
    if not isinstance(pattern.value, str) or "%" not in pattern.value:
        return None
    given.extensions.repair(RepairKind.NOT_LIKE, given.message.where)
    return build.call("not", build.call("like", text, pattern))


DUCKDB = Dialect(
    "duckdb",
    ("duckdb",),
    shapes={
        Shape.PROJECT_REPLACES: "DuckDB's projections have no columns but their expressions, and it writes no emit",
        Shape.OWN_TYPES: "DuckDB declares the types of its own engine",
        Shape.LOOSE_TYPES: "DuckDB declares types that it does not mean",
    },
    names=Names({**shared.NAMES, **NAMES}, shared.IMPLIED),
    rules={
        **shared.LIKE,
        **shared.COMMA,
        "not_equal": Rule(_not_like, "DuckDB writes `a NOT LIKE 'x%'` as `not_equal(a, 'x%')`"),
    },
)
