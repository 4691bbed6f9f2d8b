"""Plans that the `datafusion` package writes, on both engines, against its own rows: what it means by its quirks."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel.repair import Effect

datafusion = pytest.importorskip("datafusion")

TABLE = pa.table(
    {
        "a": pa.array([1, 1, 2, 2, None, 1], pa.int64()),
        "b": pa.array(["x", "y", "x", None, "y", "x"], pa.string()),
        "v": pa.array([1, 2, 3, 4, 5, 6], pa.int64()),
        "d": pa.array(
            [Decimal(text) for text in ("1.25", "2.50", "0.01", "7.75", "3.00", "4.10")], pa.decimal128(9, 2)
        ),
        "e": pa.array([Decimal("0.00001")] * 5 + [Decimal("0.00002")], pa.decimal128(12, 5)),
        "u": pa.array([0, 1, 2**63, 2**64 - 1, None, 7], pa.uint64()),
    }
)

GROUPING = [
    "SELECT a, b, sum(v) AS s, count(*) AS n FROM t GROUP BY ROLLUP(a, b)",
    "SELECT a, b, sum(v) AS s FROM t GROUP BY CUBE(a, b)",
    "SELECT a, b, sum(v) AS s FROM t GROUP BY GROUPING SETS((a), (b), (a, b), ())",
    "SELECT b, a FROM t GROUP BY GROUPING SETS((b), (a))",
    "SELECT a, sum(v) AS s FROM t GROUP BY GROUPING SETS((a), (a))",
    "SELECT a, b, count(*) AS n FROM t GROUP BY a, ROLLUP(b)",
    "SELECT a + 1 AS k, b, max(v) AS m FROM t GROUP BY ROLLUP(a + 1, b)",
    "SELECT a, b, sum(v) AS s FROM t GROUP BY CUBE(a, b) HAVING sum(v) > 4",
    "SELECT count(*) AS n FROM (SELECT a, b FROM t GROUP BY CUBE(a, b))",
    "SELECT a, b, v, sum(v) AS s FROM t GROUP BY CUBE(a, b, v)",
    "SELECT a, b, grouping(a) AS ga, grouping(b) AS gb, grouping(a, b) AS g, sum(v) AS s FROM t GROUP BY CUBE(a, b)",
    "SELECT a, grouping(a, b) AS g, count(*) AS n FROM t GROUP BY GROUPING SETS((a), (a, b), (b), ())",
    "SELECT DISTINCT a FROM t GROUP BY ROLLUP(a, b)",
    "SELECT x.a, x.s FROM (SELECT a, b, sum(v) AS s FROM t GROUP BY ROLLUP(a, b)) AS x JOIN t ON x.a = t.a",
]
OTHERS = [
    "SELECT avg(d) AS m, avg(e) AS n FROM t WHERE a IS NOT NULL AND v < 6",
    "SELECT a, avg(d) AS m FROM t WHERE a = 2 GROUP BY a",
    "SELECT v, avg(d) OVER (PARTITION BY b) AS m FROM t WHERE v IN (1, 2, 3, 5)",
    "SELECT avg(DISTINCT d) AS m, avg(e) FILTER (WHERE v > 4) AS n FROM t WHERE v IN (1, 2, 5, 6)",
    "SELECT count(*) AS n FROM t, t AS u",
    "SELECT v FROM t WHERE u < 18446744073709551615",
    "SELECT v FROM t WHERE u = 9223372036854775808",
    "SELECT u FROM t",
    "SELECT v / 2 AS h, v / 4.0 AS f FROM t",
]


@pytest.fixture(scope="module")
def theirs() -> Any:
    context = datafusion.SessionContext()
    context.register_record_batches("t", [TABLE.to_batches()])
    return context


def _rows(found: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple((name, str(value)) for name, value in row.items()) for row in found)


def _differing(theirs: Any, session: fs.Session, queries: list[str]) -> list[str]:
    """What is different from DataFusion's own rows."""
    session.register("t", TABLE.set_column(5, "u", TABLE["u"].cast(pa.decimal128(20, 0))), replace=True)
    wrong = []
    for query in queries:
        plan = datafusion.substrait.Serde.serialize_bytes(query, theirs)
        expected, given = theirs.sql(query).to_pylist(), session.run(plan).to_python()
        if _rows(given) != _rows(expected):
            wrong.append(f"{query}\n  {given}\n  {expected}")
    return wrong


@pytest.mark.parametrize("query", [*GROUPING, *OTHERS])
def test_the_rows_are_datafusions(theirs: Any, query: str) -> None:
    assert not _differing(theirs, fs.connect(engine="reference"), [query])


@pytest.mark.spark
def test_the_rows_are_datafusions_on_spark(theirs: Any, spark: Any) -> None:
    assert not _differing(theirs, fs.connect(spark=spark, in_process=False), [*GROUPING[:4], *GROUPING[10:12], *OTHERS])


def _said(theirs: Any, query: str) -> list[tuple[str, Effect]]:
    plan = fs.read_plan(datafusion.substrait.Serde.serialize_bytes(query, theirs))
    found = plan.check()
    assert not found
    return [(repair.name, repair.effect) for repair in found.repairs]


def test_what_is_meant_is_told(theirs: Any) -> None:
    assert ("grouping_mask", Effect.NONE) in _said(theirs, GROUPING[0])
    assert ("own_function", Effect.NONE) in _said(theirs, OTHERS[0])
    assert ("unsigned", Effect.NONE) in _said(theirs, OTHERS[2])
