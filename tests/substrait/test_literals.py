"""Literals, both ways."""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal
from typing import Any

import pytest

from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.substrait import Message, decode, encode, from_json
from firesteel.substrait.dialects.others import SPEC
from firesteel.substrait.extensions import Extensions, read_extensions
from firesteel.substrait.literals import read_literal
from firesteel.substrait.write.literals import write_literal
from firesteel.values import Interval, Struct, Time, Timestamp

NEITHER = Struct([("_1", None), ("_2", "x")])

CASES: list[tuple[t.Type, Any]] = [
    (t.BOOL, False),
    *((t.INT8, -128), (t.INT16, 32_767), (t.INT32, 0), (t.INT64, -(2**63))),
    *((t.FLOAT64, -0.0), (t.FLOAT64, math.inf), (t.FLOAT32, 1.5)),
    *((t.STRING, ""), (t.STRING, "ä😀"), (t.Char(3), "abc"), (t.String(9), "abc"), (t.BLOB, b""), (t.Byte(2), b"\0\1")),
    *(
        (t.Decimal(38, 0), Decimal(10) ** 37),
        (t.Decimal(5, 2), Decimal("-123.45")),
        (t.Decimal(3, 3), Decimal("0.000")),
    ),
    *((t.DATE, datetime.date(1, 1, 1)), (t.DATE, datetime.date(9999, 12, 31))),
    (t.Time(9), Time(23, 59, Decimal("59.123456789"))),
    (t.Timestamp(0), Timestamp(1969, 12, 31, 23, 59, Decimal(59))),
    (t.Timestamp(12, zone=True), Timestamp(1970, 2, 28, 1, 2, Decimal("3.000000000001"), 0)),
    (t.Interval("year_month"), Interval("year_month", months=-13)),
    (t.Interval("day_time", 6), Interval("day_time", nanos=-1_000)),
    (t.Interval("day_time", 0), Interval("day_time", nanos=86_400 * 3 * 10**9)),
    (t.Uuid(), "12345678-1234-5678-1234-567812345678"),
    (t.Array(t.INT64), []),
    (t.Array(t.absent(t.INT64, nullable=True)), [1, None]),
    (t.Map(t.STRING, t.INT64), Struct([("a", 1), ("b", 2)])),
    (t.Map(t.STRING, t.INT64), Struct()),
    (t.Struct((t.Field("_1", t.absent(t.INT8, nullable=True)), t.Field("_2", t.STRING)), open=False), NEITHER),
]


@pytest.mark.parametrize(("type_", "value"), CASES, ids=str)
@pytest.mark.parametrize("nullable", [False, True])
def test_there_and_back(type_: t.Type, value: Any, nullable: bool) -> None:
    type_ = t.absent(type_, nullable=nullable)
    literal = write_literal(type_, value)
    read_type, read = read_literal(decode(encode(literal), "Expression.Literal"), Extensions())
    assert values.equal(read, value)
    assert repr(read) == repr(value) or not isinstance(value, float)
    if not isinstance(type_, t.Array):  # whose elements, as read, are each of a type of their own
        assert read_type == type_
    assert read_literal(write_literal(type_, None), Extensions()) == (t.absent(type_, nullable=True), None)


def literal(form: dict[str, Any]) -> Message:
    return from_json(json.dumps(form), "Expression.Literal")


@pytest.mark.parametrize(
    ("form", "type_", "value"),
    [
        ({"timestamp": "1"}, t.Timestamp(6), Timestamp(1970, 1, 1, 0, 0, Decimal("0.000001"))),
        ({"timestampTz": "-1"}, t.Timestamp(6, zone=True), Timestamp(1969, 12, 31, 23, 59, Decimal("59.999999"), 0)),
        ({"time": "3600000000"}, t.Time(6), Time(1, 0, Decimal(0))),
        (
            {"intervalDayToSecond": {"days": 1, "seconds": 2, "microseconds": 3}},
            t.Interval("day_time", 6),
            Interval("day_time", nanos=86_402_000_003_000),
        ),
        (
            {
                "intervalCompound": {
                    "intervalYearToMonth": {"years": 1},
                    "intervalDayToSecond": {"days": 1, "precision": 3},
                }
            },
            t.Interval("compound", 3),
            Interval("compound", 12, 86_400 * 10**9),
        ),
    ],
)
def test_other_forms(form: dict[str, Any], type_: t.Type, value: Any) -> None:
    found, read = read_literal(literal(form), Extensions())
    assert found == type_
    assert values.equal(read, value)


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({}, "a literal that says nothing"),
        ({"i8": 128}, "128 is no i8"),
        ({"decimal": {"value": "AQI=", "precision": 3}}, "a decimal has 16 bytes, not 2"),
        ({"decimal": {"value": "AQIAAAAAAAAAAAAAAAAAAA==", "precision": 2}}, "a decimal of more than its 2 digits"),
        ({"uuid": "AQI="}, "a UUID has 16 bytes, not 2"),
        ({"list": {}}, "a list without elements"),
        ({"time": "86400000000"}, "a time of day beyond the day"),
        ({"precisionTime": {"precision": 13}}, "a precision of 13 digits"),
    ],
)
def test_wrong(form: dict[str, Any], wrong: str) -> None:
    with pytest.raises(PlanError, match=wrong):
        read_literal(literal(form), Extensions())


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ({"date": 2**31 - 1}, "days from 1970"),
        ({"precisionTimestamp": {"value": str(2**63 - 1)}}, "beyond the years"),
        ({"intervalDayToSecond": {"precision": 12}}, "12 digits of a second"),
        ({"map": {"keyValues": [{"key": {"i32": 1}, "value": {"i32": 2}}]}}, "a map whose keys are not text"),
    ],
)
def test_unsupported(form: dict[str, Any], what: str) -> None:
    with pytest.raises(UnsupportedError, match=what):
        read_literal(literal(form), Extensions())


def test_unsigned() -> None:
    known = read_extensions(
        from_json(
            json.dumps(
                {
                    "extensionUrns": [{"extensionUrnAnchor": 1, "urn": "extension:io.substrait:unsigned_integers"}],
                    "extensions": [{"extensionType": {"extensionUrnReference": 1, "typeAnchor": 8, "name": "u8"}}],
                }
            )
        ),
        SPEC,
    )

    def unsigned(text: str) -> Message:
        return literal({"userDefined": {"typeReference": 8, "struct": {"fields": [{"string": text}]}}})

    assert read_literal(unsigned("255"), known) == (
        t.UserDefined("extension:io.substrait:unsigned_integers", "u8"),
        255,
    )
    with pytest.raises(PlanError, match="'256' is no u8"):
        read_literal(unsigned("256"), known)


def test_too_far() -> None:
    with pytest.raises(UnsupportedError, match="too far from 1970"):
        write_literal(t.Timestamp(12), Timestamp(2020))


def test_deep() -> None:
    type_: t.Type = t.INT64
    value: Any = 1
    for _ in range(2_000):
        type_, value = t.Array(type_), [value]
    found, read = read_literal(write_literal(type_, value), Extensions())
    assert found == type_
    assert values.equal(read, value)
