"""The conformance suite's notation, as values."""

from __future__ import annotations

import datetime
import importlib
from decimal import Decimal

import pytest

from firesteel.errors import ParseError
from firesteel.node import canonical
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Sexp, Struct, Symbol, Time, Timestamp, Value

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

D = Decimal

# Written just so, and read back.
BOTH_WAYS: list[tuple[str, Value]] = [
    ("null", None),
    ("$missing::null", MISSING),
    ("true", True),
    ("1", 1),
    ("1.0e0", 1.0),
    ("1.50", D("1.50")),
    ('"a"', "a"),
    ("a", Symbol("a")),
    ("{{aGk=}}", b"hi"),
    ('{{"hi"}}', Clob(b"hi")),
    ("[1, [a]]", [1, [Symbol("a")]]),
    ("$bag::[1, $missing::null]", Bag([1, MISSING])),
    ("(a + 1)", Sexp([Symbol("a"), Symbol("+"), 1])),
    ("{a: 1, b: {}, a: []}", Struct([("a", 1), ("b", Struct()), ("a", [])])),
    ("$date::{year: 2021, month: 8, day: 22}", datetime.date(2021, 8, 22)),
    ("$time::{hour: 1, minute: 2, second: 3.40, offset: null}", Time(1, 2, D("3.40"))),
    ("$time::{hour: 1, minute: 2, second: 3., offset: -480}", Time(1, 2, D(3), -480)),
    ("2020T", Timestamp(2020, precision="year")),
    ("2020-05-06T07:08:09.10+01:30", Timestamp(2020, 5, 6, 7, 8, D("9.10"), 90)),
    ("2020-05-06T07:08-00:00", Timestamp(2020, 5, 6, 7, 8, precision="minute")),
    ("$timestamp::{year: 2020, month: 5, day: 6, hour: 7, minute: 8, second: 9.0, offset: null}",
     Timestamp(2020, 5, 6, 7, 8, D("9.0"))),
    ("$timestamp::{year: 10000, month: 1, day: 1, hour: 0, minute: 0, second: 0.0, offset: null}",
     Timestamp(10000, second=D("0.0"))),
    ("$timestamp::{year: -1, month: 12, day: 31, hour: 0, minute: 0, second: 0.0, offset: 60}",
     Timestamp(-1, 12, 31, second=D("0.0"), offset=60)),
    ('$interval_ym::{sign: "+", years: 1, months: 2}', Interval("year_month", months=14)),
    ('$interval_ym::{sign: "-", years: 0, months: 1}', Interval("year_month", months=-1)),
    ('$interval_dt::{sign: "-", days: 1, hours: 2, minutes: 3, seconds: 4, nanos: 5}',
     Interval("day_time", nanos=-93_784_000_000_005)),
    ("$interval_compound::{months: -1, nanos: 2}", Interval("compound", -1, 2)),
    ("$graph::{nodes: [{id: n1, labels: [\"a\"]}], edges: [{id: e1, ends: (n1 -> n1)}]}",
     Graph(Struct({
         "nodes": [Struct({"id": Symbol("n1"), "labels": ["a"]})],
         "edges": [Struct({"id": Symbol("e1"), "ends": Sexp([Symbol("n1"), Symbol("->"), Symbol("n1")])})],
     }))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), BOTH_WAYS, ids=[text[:40] for text, _ in BOTH_WAYS])
def test_both_ways(text: str, value: Value) -> None:
    assert canonical(ion.loads(text)) == canonical(value)
    assert ion.dumps(value) == text
    assert canonical(ion.loads(ion.dumps(value, binary=True))) == canonical(value)


# Other ways to write it.
READ: list[tuple[str, Value]] = [
    ("null.int", None),
    ("$bag::null.list", None),
    ("$date::null", None),
    ("$missing::null.int", MISSING),
    ("$ion::$bag::[$ion::1]", Bag([1])),
    ("meters::[unit::1, {a: x::y::b}]", [1, Struct({"a": Symbol("b")})]),
    ("meters::$bag::[1]", Bag([1])),
    ("$bag::meters::[1]", Bag([1])),
    ("$date::2021-08-22", datetime.date(2021, 8, 22)),
    ('$time::"04:05:06"', Time(4, 5, D(6))),
    ('$time::"04:05:06.70+05:30"', Time(4, 5, D("6.70"), 330)),
    ('$time::"04:05:06Z"', Time(4, 5, D(6), 0)),
    ("$time::{hour: 1, minute: 2, second: 3, timezone_hour: null.int, timezone_minute: null.int}", Time(1, 2, D(3))),
    ("$time::{hour: 1, minute: 2, second: 3, timezone_hour: -5, timezone_minute: 30}", Time(1, 2, D(3), -330)),
    ("$time::{hour: 1, minute: 2, second: 3}", Time(1, 2, D(3))),
    ("$timestamp::{year: 2020, month: 5, day: 6, hour: 7, minute: 8, second: 9.0, offset: 0}",
     Timestamp(2020, 5, 6, 7, 8, D("9.0"), 0)),
    ("$timestamp::2020-05-06", Timestamp(2020, 5, 6, precision="day")),
    ("2020-05-06T07:08:09-00:00", Timestamp(2020, 5, 6, 7, 8, D(9))),
    ("$interval_ym::{years: 10}", Interval("year_month", months=120)),
    ("$interval_dt::{sign: '-', hours: 6}", Interval("day_time", nanos=-6 * 3600 * 10**9)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), READ, ids=[text[:40] for text, _ in READ])
def test_read(text: str, value: Value) -> None:
    assert canonical(ion.loads(text)) == canonical(value)
    [again] = ion.iter_values(text)
    assert canonical(again) == canonical(value)


BAD: list[tuple[str, str]] = [
    ("$missing::1", "$missing stands before null only"),
    ("$bag::{}", "$bag stands before a list"),
    ("$bag::(1)", "$bag stands before a list"),
    ("$graph::[]", "$graph stands before a struct"),
    ("$date::1", "$date stands before a struct"),
    ("$date::{year: 2021, month: 13, day: 1}", "$date: month must be in 1..12"),
    ("$date::{month: 13}", "$date needs an int as its field 'year'"),
    ("$date::{year: 2021, month: 1, day: 1.0}", "$date needs an int as its field 'day'"),
    ("$date::{year: 2021, month: 1, day: true}", "$date needs an int as its field 'day'"),
    ("$date::{year: 2021, month: 1, day: 1, hour: 2}", "$date has no field 'hour'"),
    ("$date::{year: 2021, year: 2021, month: 1, day: 1}", "$date has two fields 'year'"),
    ("$date::{year: 99999999999999999999, month: 1, day: 1}", "$date: "),
    ("$date::2021-08-22T00:00Z", "$date stands before a timestamp of day precision"),
    ("$time::{hour: 24, minute: 0, second: 0.0}", "$time: hour must be in 0..23"),
    ("$time::{hour: 1, minute: 0, second: 60.0}", "$time: second must be in 0..59"),
    ("$time::{hour: 1, minute: 0, second: 6e0}", "$time needs a decimal as its field 'second'"),
    ("$time::{hour: 1, minute: 0, second: 6, offset: 1440}", "$time: offset must be in -1439..1439"),
    ('$time::"4 o\'clock"', "$time: '4 o'clock' is no time"),
    ("$timestamp::{year: 2021, month: 2, day: 30, hour: 0, minute: 0, second: 0}", "$timestamp: day is out of range"),
    ("$timestamp::{year: 123456, month: 2, day: 3, hour: 0, minute: 0, second: 0}", "$timestamp: year must be in"),
    ("$interval_ym::{sign: \"x\"}", "$interval_ym: sign must be '+' or '-'"),
    ("$interval_dt::{years: 1}", "$interval_dt has no field 'years'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD, ids=[text[:40] for text, _ in BAD])
def test_bad(text: str, message: str) -> None:
    for read in (ion.loads, lambda data: list(ion.iter_values(data))):
        with pytest.raises(ParseError) as caught:
            read(f"[1,\n  {text}]")
        assert caught.value.message.startswith(message)
        assert str(caught.value.where) == "<ion>:2:3"


def test_what_is_no_value() -> None:
    for thing in (object(), {"a": 1}, (1,), {1}):
        with pytest.raises(TypeError, match="not a value"):
            ion.dumps([thing])
