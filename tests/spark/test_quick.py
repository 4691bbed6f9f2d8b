"""Short ways to answers that are the long ways': numbers of JSON, means, integers among decimals, plans seen before."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from tests.spark.both import differences

pytestmark = pytest.mark.spark

LINES = """\
{"id":1,"city":"Bern","a":2,"b":10.5,"list":[{"x":1,"y":0.1},{"x":2.50,"y":3}]}
{"id":2,"city":["Bern"],"a":2000.0000000000000001,"b":1e2,"list":{"x":4,"y":5}}
{"id":3,"city":null,"a":"2","b":1.23456789012345678901,"list":[null,7,{"X":3}]}
{"id":4,"A":3,"b":9223372036854775807,"list":null}
{"id":5,"city":"5","a":true,"b":-0.000001,"list":"text"}
"""
OVER_LINES = [
    "SELECT t.id AS id, t.a * t.b AS p, t.a + t.b AS s, t.a - 1 AS d, t.a > 2000 AS g FROM t",
    "SELECT t.id AS id, t.city = 'Bern' AS b, t.city = '5' AS f, t.list[0] AS i, t.list[1].x AS x FROM t",
    "SELECT i.x AS x, i.y AS y, i.x * i.y AS p FROM t, t.list AS i WHERE i.x >= 1",
    "SELECT SUM(i.x) AS s, AVG(i.y) AS m FROM t, t.list AS i",
]
OVER_COLUMNS = [
    "SELECT AVG(t.d) AS d, AVG(t.i) AS i, AVG(t.w) AS w, SUM(t.d) / SUM(t.w) AS q FROM t",
    "SELECT t.i AS i, SUM(CASE WHEN t.c THEN t.d ELSE 0 END) AS s, SUM(CASE WHEN t.c THEN t.d ELSE 3 END) / 2 AS h, "
    "100.00 * SUM(CASE WHEN t.c THEN t.d ELSE 0 END) / SUM(t.d) AS q FROM t GROUP BY t.i",
    "SELECT VALUE [(CASE WHEN t.c THEN t.d ELSE 5 END) / 2, (CASE WHEN t.c THEN t.d ELSE 5 END) IS INT] FROM t",
]


def both(spark: Any, path: Path) -> tuple[fs.Session, fs.Session]:
    pair = (fs.connect(engine="reference"), fs.connect(spark=spark, fallback="refuse"))
    for session in pair:
        session.register("t", path)
    return pair


def test_numbers_of_json(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(LINES, encoding="utf-8")
    assert differences(both(spark, path), OVER_LINES) == []


def test_typed_decimals(spark: Any, tmp_path: Path) -> None:
    types = {"d": pa.decimal128(15, 2), "w": pa.decimal128(30, 20), "i": pa.int32(), "c": pa.bool_()}
    rows = [(Decimal("1.25"), Decimal("0.1").scaleb(-18), 1, True), (Decimal("-7.33"), Decimal(3), 1, False)]
    rows += [(Decimal("9.10"), Decimal("2.5"), 2, False), (None, None, 3, True)]  # type: ignore[list-item]
    table = pa.Table.from_pylist([dict(zip(types, row, strict=True)) for row in rows], pa.schema(types))
    pq.write_table(table, tmp_path / "t.parquet")
    assert differences(both(spark, tmp_path / "t.parquet"), OVER_COLUMNS) == []


def test_a_plan_seen_before_sees_new_files(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    session = fs.connect(spark=spark)
    path.write_text('{"a":1}\n', encoding="utf-8")
    session.register("t", path)
    query = "SELECT VALUE t.a + 1 FROM t"
    assert session.query(query).to_python() == session.query(query).to_python() == [2]
    path.write_text('{"a":1}\n{"a":2}\n', encoding="utf-8")
    assert sorted(session.query(query).to_python()) == [2, 3]
