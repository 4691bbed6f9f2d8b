"""How much is said to Spark of long lists and wide tables: counted in calls to the JVM, on any machine the same."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from tools.spark_plans import facts

pytestmark = pytest.mark.spark


def ins(n: int) -> str:
    return f"SELECT VALUE t.a FROM t AS t WHERE t.a IN ({', '.join(map(str, range(n)))}) ORDER BY t.a"


def ors(n: int) -> str:
    return f"SELECT VALUE t.a FROM t AS t WHERE {' OR '.join(f't.a = {i}' for i in range(n))} ORDER BY t.a"


def _calls(session: fs.Session, query: str) -> int:
    """The calls to the JVM while the query is compiled."""
    profile = cProfile.Profile()
    profile.runcall(session.explain, query)
    stats: Any = pstats.Stats(profile)
    return sum(row[0] for (_, _, name), row in stats.stats.items() if name == "send_command")


@pytest.mark.parametrize("shape", [ins, ors])
@pytest.mark.parametrize("typed", [True, False])
def test_a_long_list_of_constants_is_one_literal(spark: Any, shape: Callable[[int], str], typed: bool) -> None:
    session = fs.connect(spark=spark, in_process=False)
    rows = [{"a": i * 100} for i in range(6)]
    session.register("t", rows if typed else [*rows, {"a": "x"}])
    assert session.query(shape(450)).to_python() == [0, 100, 200, 300, 400]
    counts = [_calls(session, shape(n)) for n in (100, 400)]
    # However long the list is, it is one literal. Some of what is asked before is kept, so there may be a few fewer.
    assert counts[1] - counts[0] <= 50, counts


def test_a_short_list_of_constants_is_for_the_scan(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array(range(0, 600, 100), pa.int32())}), tmp_path / "t.parquet")
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", str(tmp_path / "t.parquet"))
    for shape in (ins, ors):
        pushed = facts(session.query(shape(50)).to_spark()).filters
        assert any(test.startswith("In(") for test in pushed), pushed


def test_every_column_of_a_wide_table_is_said_once(spark: Any) -> None:
    session = fs.connect(spark=spark, in_process=False)
    counts = []
    for width in (50, 200):
        names = [f"c{i}" for i in range(width)]
        session.register("t", [dict.fromkeys(names, 1)], replace=True)
        listed = ", ".join(f"t.{name} + 1 AS {name}" for name in names)
        counts.append(_calls(session, f"SELECT {listed} FROM t AS t"))
    assert counts[1] < 5 * counts[0], counts  # four times the columns
