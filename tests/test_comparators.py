"""Sorts by a comparison function of the user's: in Python, on Spark by ranks, and on Spark by a column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.substrait import unregister
from firesteel.plan import build
from tests.physical_cases import TABLES, plan, table

URN = "extension:tests:orders"
ASC, DESC = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST
#: The values of `o.v` from the last letter to the first: eno, enon, evif, iewz, owt.
UPWARDS = [None, "one", "none", "five", "zwei", "two"]


def backwards(a: str, b: str) -> int:
    return (a[::-1] > b[::-1]) - (a[::-1] < b[::-1])


@pytest.fixture
def names() -> Iterator[dict[str, str]]:
    """The function twice: as Python alone, and with a column that sorts as it compares."""
    from pyspark.sql import functions as F

    takes = ["string", "string"]
    made = {
        "ranks": fs.register_function(URN, "ranked", backwards, returns="i32", takes=takes),
        "column": fs.register_function(URN, "keyed", backwards, returns="i32", takes=takes, sort_key=F.reverse),
    }
    yield made
    for name in ("ranked", "keyed"):
        unregister(URN, name)


def _spec(name: str, order: p.SortOrder) -> p.SortSpec:
    fn = p.Fn(name, p.FnOption.NONE, (p.ValueParam(t.STRING), p.ValueParam(t.STRING)), t.INT32)
    return p.SortSpec(build.column(table("o"), 1), order, comparator=fn)


def _values(session: fs.Session, rel: p.Rel) -> list[Any]:
    for name, rows in TABLES.items():
        more = [{"k": 9, "v": None}] if name == "o" else []
        session.register(name, pa.Table.from_pylist([*rows, *more]), replace=True)
    return [row["c1"] for row in session.run(plan(rel)).to_python()]


def _check(session: fs.Session, name: str) -> None:
    three = p.Lit(t.INT64, 3)
    assert _values(session, p.Sort((_spec(name, ASC),), table("o"))) == UPWARDS
    assert _values(session, p.Sort((_spec(name, DESC),), table("o"))) == UPWARDS[::-1]
    assert _values(session, p.TopN((_spec(name, ASC),), three, table("o"))) == UPWARDS[:3]
    assert _values(session, p.TopN((_spec(name, DESC),), three, table("o"), skip=p.Lit(t.INT64, 1))) == UPWARDS[4:1:-1]


@pytest.mark.parametrize("way", ["ranks", "column"])
def test_in_process(way: str, names: dict[str, str]) -> None:
    _check(fs.connect(engine="reference"), names[way])


@pytest.mark.spark
@pytest.mark.parametrize("way", ["ranks", "column"])
def test_on_spark(way: str, names: dict[str, str], spark: Any) -> None:
    session = fs.connect(spark=spark, verify_passes=True)
    _check(session, names[way])


@pytest.mark.spark
def test_only_ranks_need_python(names: dict[str, str], spark: Any) -> None:
    session = fs.connect(spark=spark, fallback="refuse")
    _check(session, names["column"])
    with pytest.raises(fs.UnsupportedError, match="ranks"):
        _check(session, names["ranks"])


def test_what_does_not_compare_is_refused(names: dict[str, str]) -> None:
    session = fs.connect(engine="reference")
    with pytest.raises(fs.PlanError, match="no comparison function 'extension:tests:orders:unknown'"):
        _values(session, p.Sort((_spec(f"{URN}:unknown", ASC),), table("o")))
