"""TPC-H on Spark: DuckDB's answers, and plans that do no more than those that `spark.sql` makes of the same text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import firesteel as fs
from tests.conftest import ROOT
from tools import tpch
from tools.spark_plans import facts

pytestmark = [pytest.mark.spark, pytest.mark.conformance, pytest.mark.usefixtures("codegen")]

BUILD = ROOT / "build" / "bench"


@pytest.fixture
def texts(outside: Callable[[str], Path]) -> dict[str, str]:
    found = tpch.queries(outside("tpch") / "queries")
    assert len(found) == 22
    return found


@pytest.fixture
def over(spark: Any) -> Iterator[Callable[[float], tuple[fs.Session, Any]]]:
    """A session, and one of DuckDB's, over the tables of a scale factor."""
    made: list[fs.Session] = []

    def build(scale: float) -> tuple[fs.Session, Any]:
        files = tpch.data(BUILD, scale)
        session = fs.connect(spark=spark, fallback="refuse")
        made.append(session)
        tpch.register(session, spark, files)
        duck = duckdb.connect()
        for name, path in files.items():
            duck.read_parquet(str(path)).create_view(name)
        return session, duck

    yield build
    for name in tpch.TABLES:
        spark.catalog.dropTempView(name)
    for session in made:
        session.close()


def plain(value: Any) -> Any:
    """Numbers as floats, everything else as it is written."""
    if isinstance(value, int | float | Decimal):
        return float(value)
    return None if value is None else str(value)


def alike(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return len(ours) == len(theirs) and all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(map(plain, ours), map(plain, theirs), strict=True)
    )


def compare(session: fs.Session, duck: Any, texts: dict[str, str]) -> list[str]:
    """What differs: rows in order, as all of the queries that give more than one are ordered."""
    wrong = []
    for name, text in texts.items():
        ours = [list(row.values()) for row in session.query(text).to_python()]
        theirs = duck.execute(text).fetchall()
        if len(ours) != len(theirs):
            wrong.append(f"{name}: {len(ours)} rows, DuckDB has {len(theirs)}")
        wrong += [f"{name}: {a}, DuckDB has {b}" for a, b in zip(ours, theirs, strict=False) if not alike(a, b)][:1]
    return wrong


def test_answers(over: Callable[[float], tuple[fs.Session, Any]], texts: dict[str, str]) -> None:
    assert compare(*over(0.01), texts) == []


@pytest.mark.slow
def test_answers_over_more_data(over: Callable[[float], tuple[fs.Session, Any]], texts: dict[str, str]) -> None:
    assert compare(*over(0.1), texts) == []


def test_plans(over: Callable[[float], tuple[fs.Session, Any]], texts: dict[str, str], spark: Any) -> None:
    """No more exchanges, no column read that is not read there, every filter pushed that is pushed there, no Python."""
    session, _ = over(0.1)
    wrong = []
    for name, text in texts.items():
        ours, theirs = facts(session.query(text).to_spark()), facts(spark.sql(tpch.sql(text)))
        if ours.exchanges > theirs.exchanges:
            wrong.append(f"{name}: {ours.exchanges} exchanges instead of {theirs.exchanges}")
        for what, more in (
            ("reads", ours.columns - theirs.columns),
            ("does not push", set(theirs.filters) - set(ours.filters)),
            ("calls", ours.python),
        ):
            if more:
                wrong.append(f"{name} {what} {sorted(more)}")
        assert theirs.exchanges, name
        assert theirs.columns, name
    assert wrong == []
