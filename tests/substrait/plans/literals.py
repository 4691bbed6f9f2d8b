"""Literals of every kind, and NULL of each; the kinds that were removed; what is in values of values."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from firesteel.values import Interval, Time, Timestamp
from tests.substrait.plans.build import eq, i32, lit, null
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.kinds import type_
from tests.substrait.plans.relations import only, virtual

CASES = Cases("literal")
ONE = virtual("x i64", (1,))
DAY = 86_400

#: A type, the value as it is written, and the value that it is.
LITERALS: list[tuple[str, Any, Any]] = [
    ("boolean", True, True),
    ("i8", -128, -128),
    ("i16", 32_767, 32_767),
    ("i32", -(2**31), -(2**31)),
    ("i64", 2**63 - 1, 2**63 - 1),
    ("fp32", 1.5, 1.5),
    ("fp64", -0.25, -0.25),
    ("string", "ä😀", "ä😀"),
    ("binary", b"\x00\xff", b"\x00\xff"),
    ("date", "2024-02-29", datetime.date(2024, 2, 29)),
    ("interval_year", 14, Interval("year_month", months=14)),
    ("interval_day<6>", (1, 2, 3), Interval("day_time", nanos=(DAY + 2) * 10**9 + 3_000)),
    ("interval_compound<6>", (13, (1, 2, 3)), Interval("compound", 13, (DAY + 2) * 10**9 + 3_000)),
    ("fixedchar<3>", "abc", "abc"),
    ("varchar<9>", "abc", "abc"),
    ("fixedbinary<2>", b"\x01\x02", b"\x01\x02"),
    ("decimal<38,10>", "12345678901234567890.0123456789", Decimal("12345678901234567890.0123456789")),
    ("precision_time<6>", 3_600_000_001, Time(1, 0, Decimal("0.000001"))),
    ("precision_timestamp<6>", 1_000_001, Timestamp(1970, 1, 1, 0, 0, Decimal("1.000001"))),
    ("precision_timestamp_tz<3>", 1_500, Timestamp(1970, 1, 1, 0, 0, Decimal("1.500"), 0)),
    ("struct<i64,string?>", (1, None), (1, None)),
    ("map<string,i64>", {"a": 1, "b": 2}, {"a": 1, "b": 2}),
    ("list<string?>", ["x", None], ["x", None]),
    ("list<i64> ", [], []),
    ("map<string,i64> ", {}, {}),
    ("uuid", "12345678-1234-5678-1234-567812345678", "12345678-1234-5678-1234-567812345678"),
    ("u8", 255, 255),
    ("u64", 2**64 - 1, 2**64 - 1),
]
for kind, given, expected in LITERALS:
    CASES.gives(f"{kind}", only(ONE, 1, lit(kind.strip(), given), null(kind.strip())), (expected, None))

# Other precisions.
for digits in (0, 3, 9):
    moment = 1_234_567_890 * 10**digits
    CASES.gives(
        f"precision_timestamp<{digits}>",
        only(ONE, 1, lit(f"precision_timestamp<{digits}>", moment)),
        (Timestamp(2009, 2, 13, 23, 31, Decimal(30)),),
    )
CASES.gives(
    "precision_timestamp before 1970",
    only(ONE, 1, lit("precision_timestamp<6>", -1)),
    (Timestamp(1969, 12, 31, 23, 59, Decimal("59.999999")),),
)
CASES.gives(
    "interval_day<0>, negative",
    only(ONE, 1, lit("interval_day<0>", (-1, 0, 0))),
    (Interval("day_time", nanos=-DAY * 10**9),),
)
CASES.gives(
    "double: NaN is itself", only(ONE, 1, lit("fp64", "NaN"), lit("fp64", "-Infinity")), (float("nan"), float("-inf"))
)
CASES.gives("decimal<3,3>", only(ONE, 1, lit("decimal<3,3>", "-0.125")), (Decimal("-0.125"),))

# What was removed.
OLD: list[tuple[str, dict[str, Any], Any]] = [
    ("timestamp", {"timestamp": "1000001"}, Timestamp(1970, 1, 1, 0, 0, Decimal("1.000001"))),
    ("timestamp_tz", {"timestampTz": "1500000"}, Timestamp(1970, 1, 1, 0, 0, Decimal("1.5"), 0)),
    ("time", {"time": "3600000001"}, Time(1, 0, Decimal("0.000001"))),
    (
        "interval with microseconds",
        {"intervalDayToSecond": {"days": 1, "seconds": 2, "microseconds": 3}},
        Interval("day_time", nanos=(DAY + 2) * 10**9 + 3_000),
    ),
]
for name, made, expected in OLD:
    CASES.gives(f"removed: {name}", only(ONE, 1, {"literal": made}), (expected,))
CASES.gives(
    "removed: NULLs of their types",
    only(ONE, 1, null("timestamp"), null("timestamp_tz"), null("time")),
    (None, None, None),
)

# As columns, in values of values, and equal to themselves.
CASES.gives(
    "columns of all sorts",
    virtual(
        "a decimal<5,2>?, b date?, c precision_timestamp<6>?, d binary?, e fp32?, f uuid?",
        ("1.25", "1999-12-31", 0, b"x", 0.5, "00000000-0000-0000-0000-000000000001"),
        (None, None, None, None, None, None),
    ),
    (
        Decimal("1.25"),
        datetime.date(1999, 12, 31),
        Timestamp(1970, 1, 1, 0, 0, Decimal(0)),
        b"x",
        0.5,
        "00000000-0000-0000-0000-000000000001",
    ),
    (None, None, None, None, None, None),
)
CASES.gives(
    "a list of moments with nine digits",
    only(ONE, 1, lit("list<precision_timestamp<9>>", [1, 10**9])),
    ([Timestamp(1970, 1, 1, 0, 0, Decimal("0.000000001")), Timestamp(1970, 1, 1, 0, 0, Decimal(1))],),
)
CASES.gives(
    "a list of structs of maps",
    only(ONE, 1, lit("list<struct<map<string,i64>,date?>>", [({"k": 1}, "2024-02-29"), ({}, None)])),
    ([({"k": 1}, datetime.date(2024, 2, 29)), ({}, None)],),
)
for kind, given, _ in LITERALS:
    if not kind.startswith(("struct", "map", "list", "interval_compound", "u8", "u64")):
        CASES.gives(f"{kind} is equal to itself", only(ONE, 1, eq(lit(kind, given), lit(kind, given))), (True,))

# A NULL without a type, a nullable literal, a type alias.
CASES.gives("NULL without a type", only(ONE, 1, {"literal": {"null": {}}}), (None,))
CASES.gives("a nullable literal", only(ONE, 1, lit("i64?", 5)), (5,))
ALIASES = [
    {"typeAliasAnchor": 3, "type": type_("decimal<9,2>?")},
    {"typeAliasAnchor": 4, "type": {"alias": {"typeAliasReference": 3}}},
]
CASES.gives("NULL of an alias", only(ONE, 1, {"literal": {"null": type_("alias<3>?")}}), (None,), typeAliases=ALIASES)
CASES.gives(
    "a cast to an alias of an alias",
    only(
        ONE,
        1,
        {"cast": {"input": i32(7), "type": type_("alias<4>"), "failureBehavior": "FAILURE_BEHAVIOR_THROW_EXCEPTION"}},
    ),
    (Decimal("7.00"),),
    typeAliases=ALIASES,
)
CASES.gives(
    "a column of an alias",
    {
        "read": {
            "common": {"direct": {}},
            "baseSchema": {
                "names": ["a"],
                "struct": {"types": [type_("alias<3>")], "nullability": "NULLABILITY_REQUIRED"},
            },
            "virtualTable": {
                "expressions": [{"fields": [lit("decimal<9,2>", "1.50")]}, {"fields": [null("decimal<9,2>")]}]
            },
        }
    },
    (Decimal("1.50"),),
    (None,),
    typeAliases=ALIASES,
)

FOUND = [CASES]
