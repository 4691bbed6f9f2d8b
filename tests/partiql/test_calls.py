"""Literals of time, and calls that lowering writes in its own way."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from firesteel import plan as p
from firesteel.errors import AnalysisError, EvaluationError
from firesteel.evaluate import evaluate
from firesteel.partiql import parse
from firesteel.partiql.lower import lower
from firesteel.values import Bag, Interval, Time, Timestamp, equal

D = Decimal


class Nothing:
    """A catalog without globals."""

    def find_outside(self, path: Any) -> None: ...

    def find_file(self, path: str) -> None: ...

    def find(self, path: Any) -> None:
        return None


def value(text: str, mode: p.Mode = p.Mode.STRICT) -> Any:
    return evaluate(lower(parse(text), Nothing(), mode=mode))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DATE '2024-02-29'", datetime.date(2024, 2, 29)),
        ("TIME '12:30:45.5'", Time(12, 30, D("45.5"))),
        ("TIME (0) '23:59:59.5'", Time(0, 0, D(0))),
        ("TIME (0) WITH TIME ZONE '12:30:45'", Time(12, 30, D(45), 0)),
        ("TIME '23:59:59.9999999999'", Time(23, 59, D("59.999999999"))),
        ("TIMESTAMP (1) '2024-12-31 23:59:59.96'", Timestamp(2025)),
        ("TIMESTAMP WITH TIME ZONE '2025-01-01 00:00:00-08:00'", Timestamp(2025, offset=-480)),
        ("INTERVAL '1-11' YEAR TO MONTH", Interval("year_month", 23)),
        ("INTERVAL -'1 2:03:04.5678901' DAY TO SECOND(3)", Interval("day_time", nanos=-93_784_567_000_000)),
        ("-INTERVAL '100' DAY(3)", Interval("day_time", nanos=-8_640_000 * 10**9)),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_literals(text: str, expected: Any) -> None:
    made = value(text)
    assert type(made) is type(expected)
    assert equal(made, expected)


@pytest.mark.parametrize(
    "text",
    [
        "DATE '2023-02-29'",
        "TIME '12:30'",
        "TIME (10) '12:30:00'",
        "TIME WITHOUT TIME ZONE '12:00:00+00:00'",
        "TIMESTAMP WITH TIME ZONE '2025-01-01 12:00:00'",
        "TIMESTAMP WITHOUT TIME ZONE '2025-01-01 12:00:00+00:00'",
        "INTERVAL '100' DAY",
        "INTERVAL '1000' DAY(3)",
        "INTERVAL '1-12' YEAR TO MONTH",
        "INTERVAL '1 24' DAY TO HOUR",
        "INTERVAL '1:60' MINUTE TO SECOND",
        "INTERVAL '1' DAY(10)",
        "INTERVAL '1.5' MINUTE",
        "9223372036854775808",
        "-9223372036854775809",
        "date_diff(timezone_hour, `2017T`, `2018T`)",
        "upper(DISTINCT 'a')",
        "coll_sum(*)",
        "coll_sum()",
    ],
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(AnalysisError):
        value(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EXTRACT(SECOND FROM TIME '01:02:03.5')", D("3.5")),
        ("EXTRACT(HOUR FROM TIME '01:02:03.5')", 1),
        ("COLL_SUM(DISTINCT [1, 1, 2])", 3),
        ("COLL_COUNT(ALL [1, 1, 2])", 3),
        ("COLL_COUNT(SELECT x AS y FROM [1, 2] AS x)", 2),
        ("COLL_TO_SCALAR(SELECT x AS y FROM [1] AS x)", 1),
        ("COLL_SOME([false, true])", True),
        ("FILTER_DISTINCT(SELECT VALUE x FROM [1, 1] AS x)", Bag([1])),
        ("TRIM(LEADING 'a' FROM 'aba')", "ba"),
        ("2 > ALL (SELECT VALUE x FROM [0, 1] AS x)", True),
        ("UNIX_TIMESTAMP() > 1700000000", True),
        ("CURRENT_DATE = CAST(UTCNOW() AS DATE)", True),
        ("CAN_CAST('a' AS INT)", False),
        ("CAN_LOSSLESS_CAST(1.5 AS INT)", False),
        ("CAN_LOSSLESS_CAST('12' AS INT)", True),
        ("CAN_LOSSLESS_CAST([1, 2] AS BAG)", False),
        ("CAN_LOSSLESS_CAST(NULL AS INT)", True),
    ],
)
def test_calls(text: str, expected: Any) -> None:
    assert equal(value(text), expected)


def test_an_interval_keeps_to_its_digits() -> None:
    assert value("INTERVAL '3' YEAR(3) * 50") == Interval("year_month", 1_800)
    with pytest.raises(EvaluationError, match="150 years take more than 2 digits"):
        value("INTERVAL '3' YEAR * 50", p.Mode.PERMISSIVE)
