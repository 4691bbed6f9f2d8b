"""CAST and IS."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pytest

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.kinds import show
from firesteel.evaluate.scalar.conform import conforms
from firesteel.values import MISSING, Bag, Clob, Interval, Sexp, Struct, Symbol, Time, Timestamp
from tests.evaluate.helpers import ERROR, PERMISSIVE, call, check, run

D = Decimal
NOON = Time(12, 0, D(0))
MOMENT = Timestamp(2023, 5, 15, 10, 30, D("5.125"), 120)
MAY_15 = datetime.date(2023, 5, 15)

CASTS: list[tuple[Any, ...]] = [
    # value, type, permissive, strict (the same if it is left out)
    (None, t.INT64, None),
    (MISSING, t.INT64, MISSING),
    (5, t.ANY, 5),
    # integers
    (True, t.INT64, 1),
    (9223372036854775807, t.INT64, 9223372036854775807),
    (D("9223372036854775807.0"), t.INT64, 9223372036854775807),
    (-9223372036854775808.0, t.INT64, -9223372036854775808),
    (D("1.5"), t.INT, 2),
    (D("2.5"), t.INT, 2),
    (D("-1.5"), t.INT, -2),
    (0.5, t.INT, 0),
    (1.9, t.INT, 2),
    (-1.1, t.INT, -1),
    ("01", t.INT, 1),
    ("+1", t.INT, 1),
    ("-00", t.INT, 0),
    ("0b10", t.INT, 2),
    ("-0B010", t.INT, -2),
    ("0xA", t.INT, 10),
    ("+0X0a", t.INT, 10),
    ("0" * 5000 + "7", t.INT, 7),
    (Symbol("7"), t.INT, 7),
    (Clob(b"7"), t.INT, 7),
    *((text, t.INT, MISSING, ERROR) for text in ("00xA", "00b10", "2e10", "", "-", " 1", "1 ", "0x", "١", "1_0")),
    *((value, t.INT, MISSING, ERROR) for value in ([1], Struct({"a": 1}), Bag([1]), b"", math.nan, math.inf, MAY_15)),
    (2e100, t.INT, ERROR),
    (D("2e100"), t.INT, ERROR),
    (D("1e999999"), t.INT, ERROR),
    ("-92233720368547758070", t.INT, ERROR),
    ("9" * 10_000, t.INT, ERROR),
    ("0x" + "f" * 10_000, t.INT, ERROR),
    (127, t.INT8, 127),
    (128, t.INT8, ERROR),
    (-32768, t.INT16, -32768),
    (2**31, t.INT32, ERROR),
    # other numbers
    (1, t.DECIMAL, D(1)),
    (0.1, t.DECIMAL, D("0.1")),
    (True, t.DECIMAL, D(1)),
    ("1.50", t.DECIMAL, D("1.50")),
    ("-2.5e-3", t.DECIMAL, D("-0.0025")),
    ("1d2", t.DECIMAL, D(100)),
    ("abc", t.DECIMAL, MISSING, ERROR),
    ("nan", t.DECIMAL, MISSING, ERROR),
    (math.inf, t.DECIMAL, MISSING, ERROR),
    ("1e9999999999999999999", t.DECIMAL, ERROR),
    (D("1." + "9" * 50), t.DECIMAL, D(2)),
    (D("123.456"), t.Decimal(5, 2), D("123.46")),
    (D("0.125"), t.Decimal(5, 2), D("0.12")),
    (5, t.Decimal(5, 2), D("5.00")),
    (1234, t.Decimal(5, 2), ERROR),
    (D("12.5"), t.Decimal(2), D(12)),
    (1, t.FLOAT64, 1.0),
    (D("0.1"), t.FLOAT64, 0.1),
    (10**400, t.FLOAT64, math.inf),
    ("1.5e3", t.FLOAT64, 1500.0),
    ("-inf", t.FLOAT64, -math.inf),
    ("nan", t.FLOAT64, math.nan),
    ("infinite", t.FLOAT64, MISSING, ERROR),
    (0.1, t.FLOAT32, 0.10000000149011612),
    (1e300, t.FLOAT32, math.inf),
    (0, t.BOOL, False),
    (D("0.1"), t.BOOL, True),
    ("TRUE", t.BOOL, True),
    ("false", t.BOOL, False),
    ("yes", t.BOOL, MISSING, ERROR),
    ([], t.BOOL, MISSING, ERROR),
    # text and octets
    ("a", t.STRING, "a"),
    (Symbol("a"), t.STRING, "a"),
    (Clob(b"a"), t.STRING, "a"),
    (Clob(b"\xff"), t.STRING, MISSING, ERROR),
    (12, t.STRING, "12"),
    (D("1.50"), t.STRING, "1.50"),
    (1.5, t.STRING, "1.5"),
    (math.inf, t.STRING, "inf"),
    (-math.inf, t.STRING, "-inf"),
    (math.nan, t.STRING, "nan"),
    (True, t.STRING, "true"),
    (MAY_15, t.STRING, "2023-05-15"),
    (Time(9, 5, D("3.50"), -90), t.STRING, "09:05:03.50-01:30"),
    (MOMENT, t.STRING, "2023-05-15 10:30:05.125+02:00"),
    ("abcdef", t.String(3), "abc"),
    ("ab", t.Char(4), "ab  "),
    ("abcdef", t.Char(4), "abcd"),
    ([1], t.STRING, MISSING, ERROR),
    (10**10_000, t.STRING, MISSING, ERROR),
    ("a", t.SYMBOL, Symbol("a")),
    (5, t.SYMBOL, Symbol("5")),
    ("é", t.CLOB, Clob("é".encode())),
    (Clob(b"x"), t.BLOB, b"x"),
    ("x", t.BLOB, MISSING, ERROR),
    (b"xyz", t.Byte(3), b"xyz"),
    (b"xy", t.Byte(3), MISSING, ERROR),
    # time
    ("2023-05-15", t.DATE, MAY_15),
    (MOMENT, t.DATE, MAY_15),
    (MAY_15, t.DATE, MAY_15),
    *((text, t.DATE, MISSING, ERROR) for text in ("2023-02-30", "2023-5-15", "15.05.2023", "2023-05-15T10:30Z")),
    (5, t.DATE, MISSING, ERROR),
    ("12:00:00", t.TIME, NOON),
    ("12:00", t.TIME, NOON),
    ("12:00:00+02:00", t.Time(zone=True), Time(12, 0, D(0), 120)),
    ("12:00:00", t.Time(zone=True), Time(12, 0, D(0), 0)),
    ("12:00:00+02:00", t.TIME, NOON),
    ("12:00:00.987654321987", t.TIME, Time(12, 0, D("0.987654321"))),
    ("12:00:00.987", t.Time(2), Time(12, 0, D("0.98"))),
    (MOMENT, t.TIME, Time(10, 30, D("5.125"))),
    *((text, t.TIME, MISSING, ERROR) for text in ("24:00:00", "12:60", "12:00:60", "12", "12:00:00+25:00")),
    (MAY_15, t.TIME, MISSING, ERROR),
    ("2023-05-15 10:30:05.125+02:00", t.Timestamp(zone=True), MOMENT),
    ("2023-05-15T10:30:05.125+02:00", t.Timestamp(zone=True), MOMENT),
    ("2023-05-15T08:30:05.125Z", t.Timestamp(zone=True), MOMENT),
    ("2023-05-15", t.TIMESTAMP, Timestamp(2023, 5, 15)),
    (MAY_15, t.TIMESTAMP, Timestamp(2023, 5, 15)),
    (MOMENT, t.TIMESTAMP, Timestamp(2023, 5, 15, 10, 30, D("5.125"))),
    (MOMENT, t.Timestamp(1), Timestamp(2023, 5, 15, 10, 30, D("5.1"))),
    ("2023-05-15 25:00", t.TIMESTAMP, MISSING, ERROR),
    (NOON, t.TIMESTAMP, MISSING, ERROR),
    (Interval("year_month", 13), t.Interval("year_month", 3), Interval("year_month", 13)),
    (Interval("year_month", 13), t.Interval("day_time"), MISSING, ERROR),
    # containers
    ([1, MISSING], t.BAG, Bag([1, MISSING])),
    (Bag([1]), t.ARRAY, [1]),
    (Sexp([1]), t.ARRAY, [1]),
    ([1, 2], t.SEXP, Sexp([1, 2])),
    (Bag([1]), t.BAG, Bag([1])),
    (Struct({"a": 1}), t.STRUCT, Struct({"a": 1})),
    (Struct({"a": 1}), t.BAG, MISSING, ERROR),
    ([1], t.STRUCT, MISSING, ERROR),
    (5, t.ARRAY, MISSING, ERROR),
    (5, t.union((t.INT64, t.STRING)), 5),
    (1.5, t.union((t.INT64, t.STRING)), MISSING, ERROR),
]


@pytest.mark.parametrize("case", CASTS, ids=lambda case: f"{show(case[0], 20)}-{case[1]}")
def test_cast(case: tuple[Any, ...]) -> None:
    value, type_, permissive = case[:3]
    check(call("cast", value, type_), permissive, case[3] if len(case) > 3 else permissive)


@pytest.mark.parametrize("type_", [t.Map(t.STRING, t.ANY), t.Uuid(), t.Bit(3), t.UserDefined("urn", "point")])
def test_a_type_that_nothing_is_cast_to(type_: t.Type) -> None:
    with pytest.raises(UnsupportedError, match="cannot cast to"):
        run(call("cast", 1, type_), PERMISSIVE)


AB = t.Struct((t.Field("a", t.INT64), t.Field("b", t.String(missable=True))), open=False)

TYPES = [
    # value, types it conforms to, types it does not
    (None, [t.NULL, t.ANY, t.Int64(nullable=True), t.padded(t.BAG)], [t.INT64, t.MISSING, t.Int64(missable=True)]),
    (MISSING, [t.MISSING, t.NULL, t.ANY, t.Int64(missable=True)], [t.INT64, t.Int64(nullable=True)]),
    (5, [t.INT8, t.INT64, t.INT, t.union((t.STRING, t.INT8))], [t.DECIMAL, t.FLOAT64, t.BOOL, t.STRING]),
    (300, [t.INT16, t.INT], [t.INT8]),
    (2**70, [t.INT], [t.INT64]),
    (True, [t.BOOL], [t.INT]),
    (D("1.0000"), [t.DECIMAL, t.Decimal(5, 4)], [t.Decimal(5, 3), t.INT]),
    (D("0.001"), [t.Decimal(3, 3)], [t.Decimal(3, 2)]),
    (D("123.456"), [t.Decimal(6, 3)], [t.Decimal(2, 2), t.Decimal(5, 3), t.Decimal(6, 2)]),
    (D("0.00"), [t.Decimal(4, 3)], []),
    (D("1e3"), [t.Decimal(4)], [t.Decimal(3)]),
    (1.5, [t.FLOAT64, t.FLOAT32], [t.DECIMAL]),
    (0.1, [t.FLOAT64], [t.FLOAT32]),
    (1e300, [t.FLOAT64], [t.FLOAT32]),
    (math.nan, [t.FLOAT32], []),
    ("abc", [t.STRING, t.String(3), t.Char(3)], [t.String(2), t.Char(4), t.SYMBOL, t.CLOB]),
    (Symbol("abc"), [t.STRING, t.SYMBOL], [t.CLOB]),
    (b"abc", [t.BLOB, t.Blob(3), t.Byte(3)], [t.Byte(2), t.CLOB, t.STRING]),
    (Clob(b"abc"), [t.CLOB], [t.BLOB, t.STRING]),
    (MAY_15, [t.DATE], [t.TIMESTAMP]),
    (NOON, [t.TIME, t.Time(0)], [t.Time(zone=True), t.TIMESTAMP]),
    (MOMENT, [t.TIMESTAMP, t.Timestamp(3, zone=True)], [t.Timestamp(2), t.DATE]),
    (Interval("year_month", 1), [t.INTERVAL, t.Interval("year_month")], [t.Interval("day_time")]),
    ([1, "a"], [t.ARRAY, t.Array(t.union((t.INT64, t.STRING)))], [t.Array(t.INT64), t.BAG, t.SEXP]),
    (Sexp([1]), [t.SEXP], [t.ARRAY]),
    (Bag([1, None]), [t.BAG, t.Bag(t.Int64(nullable=True))], [t.Bag(t.INT64), t.ARRAY]),
    (
        Struct({"a": 1}),
        [t.STRUCT, AB, t.Map(t.STRING, t.INT64)],
        [t.Struct(open=False), t.BAG, t.Map(t.STRING, t.BOOL)],
    ),
    (Struct({"a": 1, "b": "x"}), [AB], []),
    (Struct({"a": "x"}), [t.STRUCT], [AB]),
    (Struct({"a": 1, "c": 2}), [AB.replace(open=True)], [AB]),
    (Struct({"b": "x"}), [], [AB]),
]


@pytest.mark.parametrize(
    ("value", "of", "not_of"), TYPES, ids=lambda part: None if isinstance(part, list) else repr(part)
)
def test_is(value: object, of: list[t.Type], not_of: list[t.Type]) -> None:
    for type_, expected in [*((type_, True) for type_ in of), *((type_, False) for type_ in not_of)]:
        check(call("is_type", value, type_), expected, expected)


@pytest.mark.parametrize("value", [case[0] for case in TYPES], ids=repr)
def test_a_value_conforms_to_its_own_type(value: object) -> None:
    assert conforms(value, t.type_of(value))


def test_a_deep_type_of_a_deep_value() -> None:
    value: object = 1
    type_: t.Type = t.union((t.INT64, t.STRING))
    for _ in range(20_000):
        value, type_ = [value], t.Array(type_)
    assert conforms(value, type_)
    assert not conforms([value], type_)
