"""Functions by the names of other databases, on Spark: what they give in process, all of them in two queries."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from tests.partiql.familiar_calls import AGGREGATES, CALLS, ROW, ROWS


@pytest.mark.spark
def test_on_spark(spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", [ROW])
        session.register("rows", ROWS)
        made = ", ".join(f"{call} AS {_name(i)}" for i, (call, _) in enumerate(CALLS.values()))
        (found,) = session.query(f"SELECT {made} FROM t").to_python()
        wrong = {name: found.get(_name(i)) for i, name in enumerate(CALLS) if found.get(_name(i)) != CALLS[name][1]}
        assert not wrong
        made = ", ".join(f"{call} AS {_name(i)}" for i, (call, _) in enumerate(AGGREGATES.values()))
        rows = session.query(f"SELECT t.g, {made} FROM rows AS t GROUP BY t.g ORDER BY t.g").to_python()
        for i, (name, (_, wanted)) in enumerate(AGGREGATES.items()):
            assert tuple(row[_name(i)] for row in rows) == wanted, name
        angles = "SELECT VALUE [SIN(x), COS(x), ATAN2(x, 2), DEGREES(x), CBRT(x), TAN(x), ASIN(x - 1)] FROM <<1, 2>> x"
        assert session.query(angles).to_python() == fs.connect(engine="reference").query(angles).to_python()


def _name(i: int) -> str:
    return f"c{i}"
