"""What a profile on Spark tells: rows, Python and why, and the operators of Spark's plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel.spark.runtime.inspect.measure import words_of

pytestmark = pytest.mark.spark


def test_a_profile(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "z"], "c": [0.5, 1.5, 2.5, 3.5]}), path)
    session = fs.connect(spark=spark)
    session.register("t", path)
    found = session.query("SELECT t.b, COUNT(*) AS n FROM t WHERE t.a > 1 GROUP BY t.b").profile()
    assert (found.engine, found.rows, found.in_python) == ("spark", 3, ())
    assert found.operators[(0,)].rows == 3
    details = {one.words: one.details for one in found.engine_plan}
    assert "a:bigint" in details["read"]["columns read"]
    assert "c:" not in details["read"]["columns read"]
    assert "GreaterThan(a,1)" in details["read"]["pushed filters"]
    assert {"shuffle", "aggregate by hashing"} <= set(details)
    assert "what spark ran" in str(found)


def test_names_that_people_know() -> None:
    assert words_of("Scan parquet ") == "read"
    assert words_of("BroadcastHashJoin Inner BuildRight") == "join with a broadcast table"
    assert words_of("SomethingNew") == "SomethingNew"
