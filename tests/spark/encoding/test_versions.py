"""Older versions of Spark: what they lack is known in one place, and done in another way."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import firesteel as fs
from firesteel import doctor
from firesteel.spark.encoding import versions

ROOT = Path(__file__).parents[3]


def test_both_halves_of_spark_count(monkeypatch: pytest.MonkeyPatch) -> None:
    for client, server, expected in (("4.0.1", "4.3.0", False), ("4.3.0", "4.0.0", False), ("4.1.0", "4.2.0", True)):
        monkeypatch.setattr(versions.pyspark, "__version__", client)
        session: Any = SimpleNamespace(version=server)
        assert versions.has_feature(session, "arrow_udf") is expected


def test_the_doctor_says_what_is_lacking() -> None:
    assert doctor.lacking("4.3.0") == []
    assert len(doctor.lacking("4.0.0")) == len(doctor.LATER_SPARK)
    assert all(line.startswith("4.0.0 has no ") for line in doctor.lacking("4.0.0"))


def test_the_oldest_version_is_the_one_that_is_tested() -> None:
    needed = re.search(r'"pyspark\[connect\]>=([\d.]+)', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tested = re.search(r"^OLDEST_SPARK := (\S+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert needed is not None
    assert tested is not None
    assert tested[1].startswith(f"{needed[1]}.")


@pytest.mark.spark
def test_without_what_came_later(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways around are the same on every version."""
    monkeypatch.setattr(versions, "has_feature", lambda spark, feature: False)
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", [{"x": i, "y": str(i), "l": [i]} for i in range(5)] + [{"x": "no"}, {"y": None}])
    for text in (
        "SELECT t.y AS y, EXP(t.x) AS e, t.l AS l FROM t AS t",
        "SELECT VALUE EXP(LN(t.x)) FROM t AS t WHERE EXP(t.x) > 3",
        "SELECT t.y AS y FROM t AS t WHERE t.x IN (SELECT VALUE u.x FROM t AS u WHERE u.y > '2')",
    ):
        result = session.query(text)
        reference = fs.connect(engine="reference")
        reference.register("t", [{"x": i, "y": str(i), "l": [i]} for i in range(5)] + [{"x": "no"}, {"y": None}])
        assert fs.values.equal(result.value(), reference.query(text).value()), text
        assert ("EXP" in text) == bool(result.plan_report().fallbacks)
