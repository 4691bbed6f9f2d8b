"""Windows over keys of every kind, and frames that Spark has no word for. More of them are golden cases."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from tests.spark.both import differences, sessions

pytestmark = pytest.mark.spark

TABLES = {
    # Keys of unknown type, NULL and MISSING among them.
    "d": """$bag::[{i: 1, k: "a", v: 1}, {i: 2, k: "a", v: 2.5}, {i: 3, k: 1, v: "x"}, {i: 4, k: 1.0, v: [1]},
              {i: 5, k: null, v: null}, {i: 6, v: true}, {i: 7, k: $bag::[1, 2], v: 3}, {i: 8, k: $bag::[2, 1]}]""",
    # Numbers, with peers.
    "n": "$bag::[{i: 1, s: 10, n: 2}, {i: 2, s: 20, n: 1}, {i: 3, s: 20, n: 3}, {i: 4, s: 35, n: 0}, {i: 5, n: 1}]",
    # A list: its order breaks ties.
    "l": "[{i: 3, k: 1}, {i: 1, k: 1}, {i: 2, k: 0}]",
}


@pytest.fixture(scope="module")
def pair(spark: Any) -> tuple[fs.Session, fs.Session]:
    return sessions(spark, TABLES)


#: Calls by what they range over; each list is one query.
CALLS = {
    "d": [
        "COUNT(*) OVER (PARTITION BY k)",
        "MIN(v) OVER (PARTITION BY k)",
        "ROW_NUMBER() OVER (ORDER BY v, i)",
        "RANK() OVER (ORDER BY k DESC)",
        "LAG(v) OVER (ORDER BY i)",
        "LEAD(v, 2, 'none') OVER (ORDER BY i)",
        "FIRST_VALUE(v) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
        "NTH_VALUE(v, 2) OVER (ORDER BY i)",
        "COUNT(DISTINCT k) OVER (ORDER BY i ROWS UNBOUNDED PRECEDING)",
        "SUM(i) OVER (ORDER BY k GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
        "MAX(i) OVER (ORDER BY k GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    ],
    "n": [
        "SUM(i) OVER (ORDER BY s RANGE BETWEEN 10 PRECEDING AND CURRENT ROW)",
        "SUM(i) OVER (ORDER BY s DESC RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING)",
        "SUM(DISTINCT s) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        "COUNT(*) OVER (ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING)",
        "MAX(s) OVER (ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING)",
        "LAG(i, n) OVER (ORDER BY i)",
        "NTH_VALUE(i, n + 1) OVER (ORDER BY i)",
        "NTILE(n + 1) OVER (ORDER BY i)",
        "CUME_DIST() OVER (ORDER BY s)",
        "PERCENT_RANK() OVER (ORDER BY s)",
        "EVERY(s > 10) OVER (ORDER BY i)",
    ],
    "l": ["ROW_NUMBER() OVER (ORDER BY k)", "LAG(i) OVER (ORDER BY k)", "DENSE_RANK() OVER (ORDER BY k)"],
}


@pytest.mark.parametrize("table", CALLS)
def test_calls(table: str, pair: tuple[fs.Session, fs.Session]) -> None:
    listed = ", ".join(f"{call} AS c{i}" for i, call in enumerate(CALLS[table]))
    assert not differences(pair, [f"SELECT i, {listed} FROM {table}"])


def test_strict_and_wrong_counts(pair: tuple[fs.Session, fs.Session]) -> None:
    queries = [
        "SELECT LAG(i, -1) OVER (ORDER BY i) AS c FROM n",
        "SELECT NTILE(0) OVER (ORDER BY i) AS c FROM n",
        "SELECT SUM(i) OVER (ORDER BY i ROWS 'a' PRECEDING) AS c FROM n WHERE i > 100",
        "SELECT SUM(v) OVER (ORDER BY i) AS c FROM d",
    ]
    assert not differences(pair, queries, "strict")


def test_what_has_no_native_form_is_refused_by_name(pair: tuple[fs.Session, fs.Session]) -> None:
    for frame in ("ROWS n PRECEDING", "RANGE 1.5 PRECEDING"):
        with pytest.raises(fs.UnsupportedError, match=r"native|whole number"):
            pair[1].query(f"SELECT SUM(i) OVER (ORDER BY s {frame}) AS c FROM n").value()
