"""A query of four times the size takes about four times the work: planned, judged, printed and run.

Work is counted in calls of functions, which are the same on every machine.
"""

from __future__ import annotations

import cProfile
from collections.abc import Callable

import pytest

import firesteel as fs


def lets(n: int) -> str:
    chain = ", ".join(f"{f'x{i - 1}' if i else 't.a'} + 1 AS x{i}" for i in range(n))
    return f"SELECT VALUE x{n - 1} FROM t LET {chain}"


def independent_lets(n: int) -> str:
    return f"SELECT VALUE x0 + x{n - 1} FROM t LET {', '.join(f't.a + {i} AS x{i}' for i in range(n))}"


def joins(n: int) -> str:
    return "SELECT VALUE t0.a FROM t AS t0 " + " ".join(f"JOIN t AS t{i} ON t{i}.a = t{i - 1}.a" for i in range(1, n))


def commas(n: int) -> str:
    return "SELECT VALUE t0.a FROM t AS t0, " + ", ".join(f"[t{i - 1}] AS t{i}" for i in range(1, n))


def exists(n: int) -> str:
    query = "t0.a = 1"
    for i in range(n):
        query = f"EXISTS (SELECT 1 FROM t AS t{i} WHERE t{i}.a = t{i + 1}.a AND {query})"
    return f"SELECT VALUE t{n}.a FROM t AS t{n} WHERE {query}"


def nested(n: int) -> str:
    query = "t"
    for _ in range(n):
        query = f"(SELECT x.a FROM {query} AS x)"
    return f"SELECT VALUE y.a FROM {query} AS y"


def withs(n: int) -> str:
    chain = ", ".join(f"w{i} AS (SELECT x.a FROM {f'w{i - 1}' if i else 't'} AS x)" for i in range(n))
    return f"WITH {chain} SELECT VALUE y.a FROM w{n - 1} AS y"


QUERIES: dict[str, Callable[[int], str]] = {
    "lets": lets,
    "independent lets": independent_lets,
    "joins": joins,
    "commas": commas,
    "exists": exists,
    "nested": nested,
    "withs": withs,
    "in": lambda n: f"SELECT VALUE t.a FROM t WHERE t.a IN ({', '.join(map(str, range(n)))})",
    "or": lambda n: f"SELECT VALUE t.a FROM t WHERE {' OR '.join(f't.a = {i}' for i in range(n))}",
    "or of ands": lambda n: (
        f"SELECT VALUE t.a FROM t WHERE {' OR '.join(f't.a = {i} AND t.b > {i}' for i in range(n))}"
    ),
    "and": lambda n: f"SELECT VALUE t.a FROM t WHERE {' AND '.join(f't.a <> {i}' for i in range(n))}",
    "case": lambda n: f"SELECT VALUE CASE {' '.join(f'WHEN t.a = {i} THEN {i}' for i in range(n))} END FROM t",
    "cases": lambda n: f"SELECT VALUE {'CASE WHEN t.a = 1 THEN 1 ELSE ' * n}0{' END' * n} FROM t",
    "concat": lambda n: f"SELECT VALUE {' || '.join(['t.b'] * n)} FROM t",
    "columns": lambda n: f"SELECT {', '.join(f't.a + {i} AS c{i}' for i in range(n))} FROM t",
    "aggregates": lambda n: f"SELECT {', '.join(f'SUM(t.a + {i}) AS c{i}' for i in range(n))} FROM t",
    "keys": lambda n: f"SELECT k0 FROM t GROUP BY {', '.join(f't.a + {i} AS k{i}' for i in range(n))}",
    "unions": lambda n: " UNION ALL ".join(["SELECT t.a FROM t"] * n),
    "lists": lambda n: "[" * n + "]" * n,
    "structs": lambda n: "{'a': " * n + "1" + "}" * n,
    "steps": lambda n: f"SELECT VALUE t{'.a' * n} FROM t",
}


def work(query: str) -> int:
    """The calls of functions that it takes to plan, judge, print and run a query."""
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    profile = cProfile.Profile()
    with profile:
        plan = session.plan(query)
        plan.check()
        plan.explain()
        session.query(query).to_ion()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", QUERIES)
def test_work_grows_with_the_query(name: str) -> None:
    work(QUERIES[name](5))  # what is computed once is computed now
    small, large = (work(QUERIES[name](n)) for n in (30, 120))
    assert large < 5.5 * small, f"{large:,} calls for four times what takes {small:,}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"), [("in", 10_000), ("or", 2_000), *((name, 800) for name in ("lets", "joins", "exists"))]
)
def test_large_queries(name: str, n: int) -> None:
    assert work(QUERIES[name](n)) < 6.5 * work(QUERIES[name](n // 4))
