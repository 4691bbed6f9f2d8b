"""Columns of every type: sorted, grouped, joined, combined, looked for, in a subquery, in a window."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from firesteel.values import Interval, Time, Timestamp
from tests.substrait.plans.build import eq, exists, f, lit, one_of, outer, over
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.relations import aggregate, combined, filtered, join, measure, only, ordered, virtual

CASES = Cases("column")
N = None

#: A type, two values as they are written, the smaller first, and the values that they are.
TYPES: list[tuple[str, Any, Any, Any, Any]] = [
    ("boolean", False, True, False, True),
    ("i8", -128, 127, -128, 127),
    ("i16", -5, 300, -5, 300),
    ("i32", -5, 2**31 - 1, -5, 2**31 - 1),
    ("i64", -(2**63), 2**63 - 1, -(2**63), 2**63 - 1),
    ("fp32", -1.5, 0.25, -1.5, 0.25),
    ("fp64", -1e300, 0.1, -1e300, 0.1),
    ("string", "B", "a", "B", "a"),
    ("varchar<5>", "", "ab", "", "ab"),
    ("fixedchar<2>", "ab", "b ", "ab", "b "),
    ("binary", b"\x01", b"\xff\x00", b"\x01", b"\xff\x00"),
    ("fixedbinary<2>", b"\x00\x01", b"\x00\x02", b"\x00\x01", b"\x00\x02"),
    ("date", "1969-12-31", "2024-02-29", datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)),
    ("decimal<9,2>", "-0.01", "12.50", Decimal("-0.01"), Decimal("12.50")),
    (
        "decimal<38,10>",
        "1234567890123456789012345678.0000000001",
        "1234567890123456789012345678.0000000002",
        Decimal("1234567890123456789012345678.0000000001"),
        Decimal("1234567890123456789012345678.0000000002"),
    ),
    ("precision_time<6>", 1, 3_600_000_000, Time(0, 0, Decimal("0.000001")), Time(1, 0, Decimal(0))),
    (
        "precision_timestamp<6>",
        -1,
        1,
        Timestamp(1969, 12, 31, 23, 59, Decimal("59.999999")),
        Timestamp(1970, 1, 1, 0, 0, Decimal("0.000001")),
    ),
    (
        "precision_timestamp_tz<6>",
        0,
        1,
        Timestamp(1970, 1, 1, 0, 0, Decimal("0"), 0),
        Timestamp(1970, 1, 1, 0, 0, Decimal("0.000001"), 0),
    ),
    (
        "precision_timestamp<9>",
        1,
        2,
        Timestamp(1970, 1, 1, 0, 0, Decimal("0.000000001")),
        Timestamp(1970, 1, 1, 0, 0, Decimal("0.000000002")),
    ),
    ("interval_year", -1, 14, Interval("year_month", months=-1), Interval("year_month", months=14)),
    (
        "interval_day<6>",
        (0, 1, 0),
        (1, 0, 0),
        Interval("day_time", nanos=10**9),
        Interval("day_time", nanos=86_400 * 10**9),
    ),
    (
        "uuid",
        "00000000-0000-0000-0000-000000000001",
        "f0000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001",
        "f0000000-0000-0000-0000-000000000000",
    ),
    ("u8", 1, 255, 1, 255),
    ("u64", 2**63, 2**64 - 1, 2**63, 2**64 - 1),
]
#: Types of values that have no order.
NESTED: list[tuple[str, Any, Any, Any, Any]] = [
    ("struct<i64,string?>", (1, N), (1, "x"), (1, N), (1, "x")),
    ("list<i64?>", [1, N], [1, 2], [1, N], [1, 2]),
    ("list<struct<i64>>", [(1,)], [], [(1,)], []),
]
COUNT = measure("aggregate_generic:count")
UP, DOWN = (f(0), "ASC_NULLS_LAST"), (f(0), "DESC_NULLS_FIRST")

for kind, small, large, first, second in [*TYPES, *NESTED]:
    rows = virtual(f"a {kind}?", (small,), (large,), (small,), (N,))
    CASES.gives(f"{kind}: grouped", aggregate(rows, [f(0)], COUNT), (first, 2), (second, 1), (N, 1))
    CASES.gives(f"{kind}: combined", combined("MINUS_PRIMARY", rows, virtual(f"a {kind}?", (large,))), (first,), (N,))
    CASES.gives(
        f"{kind}: in a window",
        only(rows, 1, f(0), over("aggregate_generic:count", partition=[f(0)])),
        *((first, 2), (first, 2), (second, 1), (N, 1)),
    )
for kind, small, large, first, second in TYPES:
    rows = virtual(f"a {kind}?", (small,), (large,), (small,), (N,))
    CASES.gives(f"{kind}: sorted", ordered(rows, UP), (first,), (first,), (second,), (N,), ordered=True)
    CASES.gives(f"{kind}: sorted down", ordered(rows, DOWN), (N,), (second,), (first,), (first,), ordered=True)
    CASES.gives(
        f"{kind}: joined", aggregate(join("INNER", rows, rows, eq(f(0), f(1))), [f(0)], COUNT), (first, 4), (second, 1)
    )
    CASES.gives(f"{kind}: looked for", filtered(rows, one_of(f(0), lit(kind, large), lit(kind, large))), (second,))
    CASES.gives(
        f"{kind}: in a subquery",
        filtered(rows, exists(filtered(virtual(f"b {kind}", (small,)), eq(f(0), outer(1, 0))))),
        *((first,), (first,)),
    )

FOUND = [CASES]
