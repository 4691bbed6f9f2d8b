"""Strict mode: what is wrong is an error wherever its value is needed, also below a test that might have hidden it."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel.errors import FiresteelError

from .both import answer, sessions

pytestmark = pytest.mark.spark

#: What is wrong of a value without a type (`u`), of a text (`s`), of a number (`n`), each of which may be NULL.
WRONG = {
    "compare": ("t.u < 1", "t.u < t.n", "t.s < t.n", "t.u BETWEEN t.n AND 7"),
    "logic": ("NOT t.u", "t.u OR false", "t.u IS TRUE", "NOT t.s"),
    "arithmetic": ("t.u + 1", "-t.s", "t.u / t.n"),
    "text": ("UPPER(t.u)", "t.u || 'x'", "t.n LIKE 'a'"),
    "containers": ("1 IN t.u", "t.n IN t.s", "CARDINALITY(t.u)", "TUPLEUNION(t.u, {'a': 1})", "1 < ALL (t.u)"),
    "paths": ("t.u.a", "t.u[0]", "t.s.a", "t.u[t.s]"),
    "casts": ("CAST(t.u AS INT)", "CAST(t.s AS INT)"),
    "moments": ("EXTRACT(YEAR FROM t.u)", "DATE_ADD(DAY, 1, t.u)"),
}
#: Queries that need the value.
NEEDED = (
    "SELECT VALUE ({}) IS MISSING FROM t AS t",
    "SELECT VALUE ({}) IS NULL FROM t AS t",
    "SELECT VALUE COALESCE({}, 1) FROM t AS t",
    "SELECT VALUE t.i FROM t AS t WHERE ({}) IS NOT MISSING",
    "SELECT VALUE t.i FROM t AS t WHERE COALESCE({}, NULL) IS NULL",
)


def differing(pair: tuple[fs.Session, fs.Session], queries: list[str]) -> list[str]:
    """The queries that are an error on one engine only."""
    found = []
    for query in queries:
        failed = [answer(session, query, "strict") is FiresteelError for session in pair]
        if failed[0] != failed[1]:
            found.append(f"{query}: {'only the reference' if failed[0] else 'only Spark'} fails")
    return found


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "every"])
@pytest.mark.parametrize("sort", WRONG)
def test_what_is_needed_and_wrong_is_an_error(spark: Any, sort: str, every: bool) -> None:
    """Each expression with one or two of the five queries, another one each time; with the slow tests with all."""
    rows = '{i: 1, u: null, s: null, n: null}, {i: 2, u: [{a: true}], s: "x", n: 3}'
    if sort in ("containers", "paths"):
        rows = rows.replace("[{a: true}]", "2020-01-01")
    pair = sessions(spark, {"t": f"$bag::[{rows}]"})
    queries = [query.format(wrong) for wrong in WRONG[sort] for query in NEEDED]
    assert differing(pair, queries if every else queries[::3]) == []
