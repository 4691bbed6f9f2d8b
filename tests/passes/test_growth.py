"""How planning grows with a query: by the number of calls, which does not depend on the machine."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

import firesteel as fs


def joins(n: int) -> str:
    more = " ".join(f"JOIN t AS t{i} ON t{i - 1}.a = t{i}.a" for i in range(1, n))
    return f"SELECT t0.a AS a FROM t AS t0 {more}"


def exists(n: int) -> str:
    text = f"SELECT 1 FROM t AS t{n} WHERE t{n}.a = t{n - 1}.a"
    for i in range(n - 1, 0, -1):
        text = f"SELECT 1 FROM t AS t{i} WHERE t{i}.a = t{i - 1}.a AND EXISTS ({text})"
    return f"SELECT VALUE t0.a FROM t AS t0 WHERE EXISTS ({text})"


def ors(n: int) -> str:
    return "SELECT VALUE t.a FROM t WHERE " + " OR ".join(f"t.a = {i}" for i in range(n))


def ins(n: int) -> str:
    return f"SELECT VALUE t.a FROM t WHERE t.a IN ({', '.join(map(str, range(n)))})"


def calls(text: str) -> int:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1}, {"a": 2}])
    profile = cProfile.Profile()
    profile.runcall(session.explain, text)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [joins, exists, ors, ins])
def test_four_times_the_query_is_not_sixteen_times_the_work(shape: Callable[[int], str]) -> None:
    calls(shape(3))  # what is read once is not counted
    small, large = calls(shape(40)), calls(shape(160))
    assert large / small < 8, f"{small:,} calls, then {large:,}"
