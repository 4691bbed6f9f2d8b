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


#: Texts that JSON escapes, or that floats without a number are written as; numbers of every kind and length.
TEXTS = r"""
{"g":"a\\b","v":1,"w":3}
{"g":"a\"b","v":-0.25,"w":3}
{"g":"Infinity","v":2,"w":7.5}
{"g":"NaN","v":1.5,"w":2}
{"g":"","v":2.0,"w":2}
{"g":"Zürich","v":123456789012345678.5,"w":1}
{"g":"null","v":1e3,"w":4}
{"g":null,"v":4,"w":0.0000000001}
{"g":5.0,"v":"x","w":1}
{"g":5,"v":null,"w":1}
{"g":true,"v":9223372036854775807,"w":1}
{"g":["a"],"w":1}
{"g":"a\\b","v":10,"w":-2.5}
"""
OVER_TEXTS = [
    "SELECT t.g AS g, SUM(t.v) AS s, SUM(t.v / t.w) AS q, SUM(t.v * t.w) AS p FROM t GROUP BY t.g",
    "SELECT SUM(t.v / t.w) AS q, AVG(t.v / t.w) AS m FROM t WHERE t.w >= 2 AND t.w <= 3",
    "SELECT t.g AS g, AVG(t.v) AS a, AVG(t.v * t.w) AS p FROM t WHERE t.w > 0.5 GROUP BY t.g",
    "SELECT SUM(-0.25 / 3) AS s, AVG(-0.25 / 3) AS m FROM t",
    "SELECT SUM(t.v * 2) AS s FROM t WHERE t.g = 'NaN' OR t.g = 'Infinity'",
    "SELECT t.v AS v FROM t WHERE t.g = 'Infinity' OR t.g = 'Zürich' OR t.g = 'null' OR t.g < 'a'",
    r"SELECT t.g < 'b' AS l, t.g = 'a\\b' AS e, t.g || '!' AS c, t.v >= 1.5 AS m FROM t",
    "SELECT DISTINCT t.g AS g FROM t",
    "SELECT VALUE t.g FROM t WHERE t.w > 0 ORDER BY t.g, t.w",
]


def test_texts_and_sums_of_json(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(TEXTS, encoding="utf-8")
    assert differences(both(spark, path), OVER_TEXTS) == []


def test_sums_that_have_no_room(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    many = '{"w":9000000000000000000}\n' * 12
    path.write_text('{"v":1234567890123456789012345.5}\n{"v":1}\n{"w":1.5e0}\n' + many, encoding="utf-8")
    _, session = both(spark, path)
    with pytest.raises(fs.UnsupportedError, match="more than 38 digits"):  # although there is a float
        session.query("SELECT SUM(t.w) AS s FROM t").value()
    for query in ("SELECT SUM(t.v) AS s FROM t", "SELECT AVG(t.v) AS s FROM t", "SELECT AVG(t.v * 1e30) AS s FROM t"):
        with pytest.raises(fs.UnsupportedError, match="more than 38 digits"):
            session.query(query).value()


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
