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


def test_a_long_or_of_one_operand_is_an_in() -> None:
    """The same rows, whether it is gathered or not; with what is absent, of another kind, or compared otherwise."""
    rows = [{"a": 1, "b": "x"}, {"a": 19, "b": None}, {"b": "c"}, {"a": None, "b": "q"}, {"a": 99, "b": "z"}]
    equal = [f"t.a = {i}" for i in range(20)]
    texts = [f"'{chr(97 + i)}' = t.b" for i in range(20)]
    gathered, written = fs.connect(engine="reference"), fs.connect(engine="reference", skip_passes=["balance_chains"])
    for session in (gathered, written):
        session.register("t", rows)
    for terms, ins_ in ((equal, 1), (texts, 1), ([*equal, *texts], 2), ([*equal[:10], "t.a > 98", *equal[10:]], 1)):
        for text in (f"SELECT VALUE {' OR '.join(terms)} FROM t", f"SELECT VALUE t FROM t WHERE {' OR '.join(terms)}"):
            assert gathered.explain(text).count(" IN [") == ins_
            assert fs.values.equal(gathered.query(text).value(), written.query(text).value())
    assert " IN [" not in gathered.explain(f"SELECT VALUE {' OR '.join(equal[:3])} FROM t")
