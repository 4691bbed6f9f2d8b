"""How much is said to Spark of long lists: counted in calls to the JVM, which do not depend on the machine."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from typing import Any

import pytest

import firesteel as fs

pytestmark = pytest.mark.spark


def ins(n: int) -> str:
    return f"SELECT VALUE t.a FROM t AS t WHERE t.a IN ({', '.join(map(str, range(n)))}) ORDER BY t.a"


def ors(n: int) -> str:
    return f"SELECT VALUE t.a FROM t AS t WHERE {' OR '.join(f't.a = {i}' for i in range(n))} ORDER BY t.a"


@pytest.mark.parametrize("shape", [ins, ors])
def test_a_long_list_of_constants_is_one_native_in(spark: Any, shape: Callable[[int], str]) -> None:
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", [{"a": i * 100} for i in range(6)])
    assert session.query(shape(450)).to_python() == [0, 100, 200, 300, 400]
    counts = []
    for n in (100, 400):
        profile = cProfile.Profile()
        profile.runcall(session.explain, shape(n))
        stats: Any = pstats.Stats(profile)
        counts.append(sum(row[0] for (_, _, name), row in stats.stats.items() if name == "send_command"))
    # What Spark's own `isin` of plain values takes: five calls for each, of two functions of that name.
    assert counts[1] - counts[0] <= 300 * 10, counts
