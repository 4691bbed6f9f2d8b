"""EXCLUDE on structs of known attributes, on values of unknown type, and inside a row."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from tests.spark.both import differences, sessions

pytestmark = pytest.mark.spark

TABLES = {
    "known": "[{a: 1, B: {c: [{d: 1, e: 2}, {d: 3, e: 4}], f: 5}}, {a: 2, B: {c: [], f: null}}]",
    "mixed": """$bag::[{a: 1, b: {c: [{d: 1, e: 2}, 7, {D: 3}]}}, {a: [1, 2, 3], b: $bag::[{c: 1, d: 2}]}, {b: null}, 5,
                       {a: {b: {d: 1}, c: {d: 2, e: null}}, b: {c: $bag::[{d: 1}, [{d: 2}]]}}]""",
}

PATHS = {
    "known": ["t.b.c[*].d, t.a", "t.b.c[1].d", "t.b.c[0], t.b.f", "t.b.*", "t.*", 't."b"', "t.B.c[*].*, t.a[0], t.z.z"],
    "mixed": ["t.b.c[*].d", "t.a[1], t.b.c[0].e", "t.*.d, t.b[*].c", "t.a.*.d", "t.b.c[*][*].d", "t[0], t.b[0]"],
}


@pytest.fixture(scope="module")
def pair(spark: Any) -> tuple[fs.Session, fs.Session]:
    return sessions(spark, TABLES)


@pytest.mark.parametrize("table", PATHS)
def test_at_the_top(table: str, pair: tuple[fs.Session, fs.Session]) -> None:
    queries = [f"SELECT VALUE t EXCLUDE {path} FROM {table} AS t" for path in PATHS[table]]
    assert not differences(pair, queries)


@pytest.mark.parametrize("table", PATHS)
def test_inside_a_row(table: str, pair: tuple[fs.Session, fs.Session]) -> None:
    """All of them in one query: each over a collection of the one row."""
    listed = ", ".join(
        f"'p{i}': (SELECT VALUE t EXCLUDE {path} FROM [r] AS t)" for i, path in enumerate(PATHS[table][:4])
    )
    assert not differences(pair, [f"SELECT VALUE {{{listed}}} FROM {table} AS r"])
