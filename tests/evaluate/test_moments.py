"""Time: what the tables of cases do not say of it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firesteel import plan as p
from firesteel import types as t
from firesteel.evaluate.scalar import calendar, dates, intervals, patterns
from firesteel.values import Interval, Time, Timestamp
from tests.evaluate.helpers import BOTH, call, lit, run

D = Decimal

DATES = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))
STAMPS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))
NANOS = st.integers(-(10**18), 10**18)


def stamp(python: datetime.datetime, offset: int | None = None) -> Timestamp:
    day = (python.year, python.month, python.day, python.hour, python.minute)
    return Timestamp(*day, python.second + D(python.microsecond).scaleb(-6), offset)


@given(STAMPS, st.integers(-(10**15), 10**15))
def test_moving_by_seconds_is_what_python_does(moment: datetime.datetime, micros: int) -> None:
    moved = calendar.later(stamp(moment), nanos=micros * 1000)
    assert moved == stamp(moment + datetime.timedelta(microseconds=micros))


@given(STAMPS, NANOS, st.sampled_from([None, 0, 90, -480]))
def test_what_lies_between_brings_one_back(moment: datetime.datetime, nanos: int, offset: int | None) -> None:
    start = stamp(moment, offset)
    end = intervals.plus(start, Interval("day_time", nanos=nanos))
    assert intervals.minus(end, start) == Interval("day_time", nanos=nanos)
    assert intervals.minus(end, Interval("day_time", nanos=nanos)) == start


@given(DATES, st.integers(-1_200, 1_200))
def test_months_are_counted_as_they_are_added(date: datetime.date, months: int) -> None:
    moved = calendar.later(date, months)
    assert isinstance(moved, datetime.date)
    assert (moved.year * 12 + moved.month) - (date.year * 12 + date.month) == months
    assert moved.day == date.day or (moved + datetime.timedelta(1)).day == 1
    if moved.day == date.day:
        assert dates.date_diff("month", date, moved) == months


@given(DATES, DATES, st.sampled_from(["year", "month", "day", "hour"]))
def test_differences_have_two_sides(a: datetime.date, b: datetime.date, field: str) -> None:
    if a.day < 29 and b.day < 29:
        assert dates.date_diff(field, a, b) == -dates.date_diff(field, b, a)


@given(STAMPS, st.sampled_from([0, 90, -480]))
def test_what_is_written_by_a_pattern_is_read_by_it(moment: datetime.datetime, offset: int) -> None:
    for pattern in ("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "MMM d, y h:m:s.n a xx", "yyyyMMddHHmmssSSSSSSXX"):
        made = patterns.to_timestamp(patterns.to_string(stamp(moment, offset), pattern), pattern)
        assert (made, made.offset) == (stamp(moment, offset), offset)


@pytest.mark.parametrize(
    ("made", "precision"),
    [
        (dates.date_add("month", 12, Timestamp(2017, precision="year")), "month"),
        (dates.date_add("hour", 24, Timestamp(2017, precision="day")), "minute"),
        (dates.date_add("year", 1, Timestamp(2017, precision="minute")), "minute"),
        (intervals.plus(Timestamp(2017, precision="year"), Interval("year_month", 12)), "year"),
        (intervals.plus(Timestamp(2017, precision="year"), Interval("day_time", nanos=86_400 * 10**9)), "day"),
        (patterns.to_timestamp("2 1 1 1", "y M d H"), "minute"),
        (patterns.to_timestamp("2", "y"), "year"),
        (dates.from_unixtime(0), "second"),
    ],
)
def test_timestamps_are_known_as_exactly_as_they_have_to_be(made: Any, precision: str) -> None:
    assert made.precision == precision


@pytest.mark.parametrize("mode", BOTH)
def test_the_clock_stands_still_during_a_run(mode: p.Mode) -> None:
    row = p.Collection(t.ARRAY, tuple(call(name) for name in ("current_timestamp", "current_date", "current_time")))
    (one, date, time), (two, *_) = run(p.Collection(t.ARRAY, (row, row.replace(items=row.items[:1]))), mode)
    assert one is two or one == two
    assert (one.date, one.offset) == (date, 0)
    assert time == Time(one.hour, one.minute, one.second, 0)
    assert abs(one.instant - D(datetime.datetime.now(datetime.UTC).timestamp())) < 60


def test_a_scaled_interval_keeps_its_bounds() -> None:
    scaled = run(call("times", call("divide", lit(Interval("day_time", nanos=1, digits=3, fraction=9)), 3), 2))
    assert (scaled.digits, scaled.fraction) == (3, 9)
