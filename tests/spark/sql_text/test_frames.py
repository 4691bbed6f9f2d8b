"""Frames as text: an operator goes into a free clause, or around the SELECT."""

from __future__ import annotations

import re
from typing import Any

import pytest

from firesteel.spark.encoding import columns as F
from firesteel.spark.sql_text.frames import TextFrame
from firesteel.spark.sql_text.literals import NoTextError
from firesteel.spark.sql_text.recording import recording


def one_line(frame: Any) -> str:
    return re.sub(r"\s+", " ", frame.sql).replace("( ", "(").replace(" )", ")")


CASES = {
    "a filter, then a select": (
        lambda t: t.filter(F.col("c1") > 1).select(F.col("c1").alias("n")),
        "SELECT c1 AS `n` FROM t WHERE c1 > 1",
    ),
    "a select, then a filter": (
        lambda t: t.select(F.col("c1").alias("c2")).filter(F.col("c2") > 1),
        "SELECT * FROM (SELECT c1 AS c2 FROM t) WHERE c2 > 1",
    ),
    "a condition with OR beside another": (
        lambda t: t.filter((F.col("c1") > 1) | F.col("c2")).filter(F.col("c3")),
        "SELECT * FROM t WHERE (c1 > 1 OR c2) AND c3",
    ),
    "an alias that looks like a name of ours hides nothing from ORDER BY": (
        lambda t: t.orderBy(F.col("c1").asc_nulls_last()).select(F.col("c2").alias("C1")),
        "SELECT c2 AS `C1` FROM (SELECT * FROM t ORDER BY c1 ASC NULLS LAST)",
    ),
    "a limit in a union": (
        lambda t: t.limit(1).union(t).limit(2).offset(1),
        "SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM t LIMIT 1) UNION ALL SELECT * FROM t) LIMIT 2)"
        " OFFSET 1",
    ),
    "groups; a number as a key is no place": (
        lambda t: t.filter(F.col("c1")).groupBy(F.lit(1).alias("c2"), F.col("c3")).agg(F.count(F.lit(1)).alias("c4")),
        "SELECT 1 AS c2, c3, count(1) AS c4 FROM t WHERE c1 GROUP BY (1 + 0), c3",
    ),
    "all rows as one group": (
        lambda t: t.select("*").groupBy().agg(F.sum(F.col("c1")).alias("c2")),
        "SELECT sum(c1) AS c2 FROM (SELECT * FROM t)",
    ),
    "joins on the right side": (
        lambda t: t.join(t.join(t, F.col("c1") == F.col("c2"), "left"), F.lit(True), "left_semi").crossJoin(t.limit(1)),
        "SELECT * FROM t LEFT SEMI JOIN (t LEFT JOIN t ON c1 = c2) ON TRUE CROSS JOIN (SELECT * FROM t LIMIT 1)",
    ),
    "a subquery": (
        lambda t: t.filter(F.col("c1").isin(t.select(F.col("c2")))).withColumn("c5", t.scalar()),
        "SELECT *, (SELECT * FROM t) AS c5 FROM t WHERE c1 IN (SELECT c2 FROM t)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_clauses(name: str) -> None:
    build, expected = CASES[name]
    with recording():
        assert one_line(build(TextFrame("t"))) == expected


def test_what_has_no_text() -> None:
    with recording(), pytest.raises(NoTextError, match="mapInArrow"):
        TextFrame("t").mapInArrow(None, None)
