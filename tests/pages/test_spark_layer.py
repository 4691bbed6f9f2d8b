"""Spark's physical plan on the page, joined with our operators."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs


@pytest.mark.spark
def test_sparks_plan_is_a_layer(spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", pa.table({"a": [1, 2, 3], "b": [1, 1, 2]}))
        page = session.page("SELECT t.b, COUNT(*) AS n FROM t WHERE t.a > 1 GROUP BY t.b ORDER BY n LIMIT 2")
    (view,) = page.views
    layer = view.layers[-1]
    assert (view.engine, layer.name) == ("spark", "spark")
    assert "Physical Plan" in layer.text
    marked = {view.operators[number].kind for segment in layer.segments for number in segment.operators}
    assert "aggregate" in marked
    assert next(one.estimated_rows for one in view.operators if one.kind == "scan") == 3
    assert not any(one.in_python for one in view.operators)
