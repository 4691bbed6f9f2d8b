"""Cases of the functions on time, as `test_functions.py` runs them: name, arguments, permissive, strict."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

from firesteel.values import MISSING, Bag, Interval, Time, Timestamp
from tests.evaluate.helpers import ERROR

D = Decimal


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def months(count: int, digits: int = 2) -> Interval:
    return Interval("year_month", months=count, digits=digits)


def seconds(count: Any, digits: int = 2, fraction: int = 6) -> Interval:
    return Interval("day_time", nanos=int(D(count) * 10**9), digits=digits, fraction=fraction)


DAY = 86_400
NEW_YEAR, JAN_31 = day("2025-01-01"), day("2025-01-31")
NOON = Time(12, 0, D(0))
STAMP = Timestamp(2025, 1, 31, 1, 1, D("1.1"))
ZONED = Timestamp(2025, 1, 1, 1, 0, D(0), 330)

INTERVALS: list[tuple[Any, ...]] = [
    ("plus", months(11), months(2), months(13)),
    ("plus", seconds("1.1"), seconds(DAY), seconds(DAY + D("1.1"))),
    ("plus", seconds(99 * DAY), seconds(DAY), seconds(100 * DAY)),  # a sum may have more digits
    ("plus", months(1), seconds(1), MISSING, ERROR),
    ("plus", months(1), None, None),
    ("plus", months(1), 1, MISSING, ERROR),
    ("plus", NEW_YEAR, months(13), day("2026-02-01")),
    ("plus", months(1), JAN_31, day("2025-02-28")),
    ("plus", day("2024-01-31"), months(1), day("2024-02-29")),
    ("plus", NEW_YEAR, seconds(DAY * 2 - 1), day("2025-01-02")),  # whole days
    ("plus", day("9999-12-31"), seconds(DAY), ERROR),
    ("plus", NOON, seconds(DAY + 60), Time(12, 1, D(0))),
    ("plus", seconds("43200.5"), Time(23, 0, D("0.7"), 60), Time(11, 0, D("1.2"), 60)),
    ("plus", NOON, months(1), MISSING, ERROR),
    ("plus", NOON, months(0), MISSING, ERROR),
    ("plus", STAMP, months(1), Timestamp(2025, 2, 28, 1, 1, D("1.1"))),
    ("plus", seconds("0.9"), STAMP, Timestamp(2025, 1, 31, 1, 1, D(2))),
    ("plus", ZONED, seconds(DAY), Timestamp(2025, 1, 2, 1, 0, D(0), 330)),
    ("plus", Timestamp(9999, 12, 31), seconds(DAY), Timestamp(10000, 1, 1)),
    ("plus", NEW_YEAR, NEW_YEAR, MISSING, ERROR),
    ("minus", months(12), months(13), months(-1)),
    ("minus", NEW_YEAR, seconds(DAY), day("2024-12-31")),
    ("minus", NEW_YEAR, seconds(DAY - 1), NEW_YEAR),
    ("minus", Time(1, 1, D("1.1")), seconds("91514.2"), Time(23, 35, D("46.9"))),
    ("minus", STAMP, months(11), Timestamp(2024, 2, 29, 1, 1, D("1.1"))),
    ("minus", NEW_YEAR, day("2024-12-30"), seconds(2 * DAY)),
    ("minus", NOON, Time(12, 0, D(0), 120), seconds(7_200)),
    ("minus", NOON, Time(13, 0, D("0.5")), seconds("-3600.5")),
    ("minus", day("2025-01-31"), STAMP, seconds("-3661.1")),
    ("minus", STAMP, day("2025-01-30"), seconds(DAY + D("3661.1"))),
    ("minus", Timestamp(2025, offset=300), Timestamp(2025, offset=-180), seconds(-8 * 3_600)),
    ("minus", NEW_YEAR, NOON, MISSING, ERROR),
    ("minus", months(1), NEW_YEAR, MISSING, ERROR),
    ("times", months(36), D("2.1"), months(75)),
    ("times", 3, seconds("10.5"), seconds("31.5")),
    ("times", seconds(10), 0.3, seconds(3)),
    ("times", seconds(1), D("0.0000019"), seconds("0.000001")),
    ("times", seconds(1, fraction=9), D("0.0000019"), seconds("0.0000019")),
    ("times", months(36), 50, ERROR),
    ("times", months(36, 3), 50, months(1_800)),
    ("times", seconds(DAY), 100, ERROR),
    ("times", seconds(DAY), -99, seconds(-99 * DAY)),
    ("times", seconds(1), math.inf, ERROR),
    ("times", seconds(1), D("1e9000"), ERROR),
    ("times", seconds(1), D("1e-9000"), seconds(0)),
    ("times", months(1), MISSING, MISSING),
    ("times", months(1), months(1), MISSING, ERROR),
    ("divide", months(17), 3, months(5)),
    ("divide", months(-17), 3, months(-5)),
    ("divide", seconds(2 * DAY), 3, seconds(16 * 3_600)),
    ("divide", seconds(14_400), 0.225, seconds("63999.999999")),
    ("divide", months(36), 0.225, months(160)),
    ("divide", months(36), 0, ERROR),
    ("divide", months(36), D("0.03"), ERROR),
    ("divide", 1, months(1), MISSING, ERROR),
    ("neg", months(5), months(-5)),
    ("pos", months(5), months(5)),
    ("abs", seconds("-1.5"), seconds("1.5")),
    ("abs", months(1), months(1)),
    ("eq", months(12), months(12, 9), True),
    ("lte", seconds(60), seconds(60), True),
]

JAN_1, JAN_15, JAN_16, JAN_20 = (day(f"2023-01-{number:02}") for number in (1, 15, 16, 20))

OVERLAPS: list[tuple[Any, ...]] = [
    ("fit_interval", Interval("year_month", 25), "year", "year", 2, 0, Interval("year_month", 24, digits=2)),
    ("fit_interval", Interval("year_month", -25), "year", "month", 2, 0, Interval("year_month", -25, digits=2)),
    ("fit_interval", Interval("year_month", 1200), "year", "year", 2, 0, ERROR),
    ("fit_interval", Interval("year_month", 1), "day", "second", 2, 0, MISSING, ERROR),
    ("overlaps", [JAN_1, JAN_16], [JAN_15, JAN_20], True),
    ("overlaps", [JAN_16, JAN_1], [JAN_20, JAN_15], True),
    ("overlaps", [JAN_1, JAN_15], [JAN_15, JAN_20], False),
    ("overlaps", [JAN_1, JAN_15], [JAN_16, JAN_20], False),
    ("overlaps", [JAN_15, JAN_15], [JAN_15, JAN_15], True),
    ("overlaps", [JAN_1, seconds(15 * DAY)], Bag([JAN_15, JAN_20]), True),
    ("overlaps", [JAN_20, seconds(-15 * DAY)], [JAN_15, JAN_16], True),
    ("overlaps", [Time(1, 0, D(0)), seconds(60)], [Time(1, 0, D(59)), seconds(60)], True),
    ("overlaps", [None, JAN_15], [JAN_1, JAN_20], True),
    ("overlaps", [MISSING, JAN_15], [JAN_1, JAN_20], True),
    ("overlaps", [None, JAN_1], [JAN_15, JAN_20], None),
    ("overlaps", [JAN_1, None], [JAN_1, JAN_20], None),
    ("overlaps", [None, None], [JAN_1, JAN_20], None),
    ("overlaps", [None, seconds(1)], [JAN_1, JAN_20], None),
    ("overlaps", [JAN_1, JAN_15, JAN_20], [JAN_1, JAN_20], MISSING, ERROR),
    ("overlaps", [1, None], [JAN_1, JAN_20], MISSING, ERROR),
    ("overlaps", [JAN_1, 1], [JAN_1, JAN_20], MISSING, ERROR),
    ("overlaps", [JAN_1, JAN_20], [NOON, NOON], MISSING, ERROR),
    ("overlaps", [JAN_1, JAN_20], 5, MISSING, ERROR),
    ("overlaps", [JAN_1, JAN_20], None, None),
]

YEAR, MONTH = (Timestamp(2017, 1, 1, precision=precision) for precision in ("year", "month"))

FIELDS: list[tuple[Any, ...]] = [
    ("date_trunc", "month", JAN_31, NEW_YEAR),
    ("date_trunc", "QUARTER", day("2024-05-17"), day("2024-04-01")),
    ("date_trunc", "week", day("2024-05-17"), day("2024-05-13")),
    ("date_trunc", "week", day("1969-12-31"), day("1969-12-29")),
    ("date_trunc", "hour", JAN_31, JAN_31),
    ("date_trunc", "year", Timestamp(2024, 5, 17, 1, 2, D("3.5"), 60), Timestamp(2024, 1, 1, offset=60)),
    ("date_trunc", "minute", Timestamp(2024, 5, 17, 1, 2, D("3.5")), Timestamp(2024, 5, 17, 1, 2)),
    ("date_trunc", "second", Time(1, 2, D("3.5")), Time(1, 2, D(3))),
    ("date_trunc", "day", NOON, MISSING, ERROR),
    ("date_trunc", "day", None, None),
    ("date_trunc", "day", 5, MISSING, ERROR),
    ("date_trunc", "fortnight", JAN_31, ERROR),
    ("date_add", "year", 1, Timestamp(2016, 2, 29), Timestamp(2017, 2, 28)),
    ("date_add", "month", -1, YEAR, Timestamp(2016, 12)),
    ("date_add", "day", 35, MONTH, Timestamp(2017, 2, 5)),
    ("date_add", "hour", -1, YEAR, Timestamp(2016, 12, 31, 23)),
    ("date_add", "second", 1, Timestamp(9999, 12, 31, 23, 59, D(59), 0), Timestamp(10000, offset=0)),
    ("date_add", "year", -10_000, Timestamp(9999, 12, 31), Timestamp(-1, 12, 31)),
    ("date_add", "year", 10**6, Timestamp(2017), ERROR),
    ("date_add", "day", 1, JAN_31, day("2025-02-01")),
    ("date_add", "minute", 1, JAN_31, Timestamp(2025, 1, 31, 0, 1)),
    ("date_add", "hour", 13, NOON, Time(1, 0, D(0))),
    ("date_add", "day", 1, NOON, MISSING, ERROR),
    ("date_add", "month", 1, NOON, MISSING, ERROR),
    ("date_add", "week", 1, JAN_31, ERROR),
    ("date_add", "year", D(1), YEAR, MISSING, ERROR),
    ("date_add", "year", None, YEAR, None),
    ("date_diff", "year", Timestamp(2017, 6, 1), Timestamp(2018, 5, 31, 23), 0),
    ("date_diff", "year", Timestamp(2018, 5, 31, 23), Timestamp(2017, 6, 1), 0),
    ("date_diff", "month", JAN_31, day("2025-02-28"), 0),
    ("date_diff", "month", day("2025-03-31"), JAN_31, -2),
    ("date_diff", "month", Timestamp(2025, 1, 1, offset=60), Timestamp(2025, 1, 31, 23, offset=0), 1),
    ("date_diff", "day", Timestamp(2010, 1, 1, 23), Timestamp(2010, 1, 2, 1), 0),
    ("date_diff", "hour", day("2025-01-15"), Timestamp(2025, 1, 14, 12, 30, D(45)), -11),
    ("date_diff", "minute", Time(10, 30, D(0), 2), Time(10, 30, D(0), 0), 2),
    ("date_diff", "second", Timestamp(2017), Timestamp(2017, second=D("1.999")), 1),
    ("date_diff", "day", NOON, NOON, MISSING, ERROR),
    ("date_diff", "hour", NOON, JAN_31, MISSING, ERROR),
    ("date_diff", "hour", None, MISSING, MISSING),
    ("date_diff", "era", JAN_31, JAN_31, ERROR),
    ("extract", "year", NEW_YEAR, 2025),
    ("extract", "hour", NEW_YEAR, 0),
    ("extract", "day", NOON, MISSING, ERROR),
    ("extract", "minute", STAMP, 1),
    ("extract", "timezone_hour", Time(1, 0, D(0), -390), -6),
    ("extract", "timezone_minute", Time(1, 0, D(0), -390), -30),
    ("extract", "timezone_minute", ZONED, 30),
    ("extract", "timezone_hour", STAMP, MISSING, ERROR),
    ("extract", "timezone_hour", NEW_YEAR, MISSING, ERROR),
    ("extract", "month", months(40), 4),
    ("extract", "year", months(-40), -3),
    ("extract", "hour", months(40), MISSING, ERROR),
    ("extract", "day", seconds(-3 * DAY - 3_600), -3),
    ("extract", "hour", seconds(-3 * DAY - 3_600), -1),
    ("extract", "minute", seconds(125), 2),
    ("extract", "second", NOON, MISSING, ERROR),  # that is extract_second
    ("extract", "year", None, None),
    ("extract", "year", 2025, MISSING, ERROR),
    ("extract_second", STAMP, D("1.1")),
    ("extract_second", Time(1, 2, D("45.678")), D("45.678")),
    ("extract_second", NEW_YEAR, D(0)),
    ("extract_second", seconds("-66.789"), D("-6.789")),
    ("extract_second", months(1), MISSING, ERROR),
    ("from_unixtime", -1, Timestamp(1969, 12, 31, 23, 59, D(59))),
    ("from_unixtime", D("0.001"), Timestamp(1970, second=D("0.001"))),
    ("from_unixtime", 1577836800.5, Timestamp(2020, second=D("0.5"))),
    ("from_unixtime", 10**13, ERROR),
    ("from_unixtime", math.nan, ERROR),
    ("unix_timestamp", Timestamp(2020, offset=0), 1577836800),
    ("unix_timestamp", Timestamp(1969, second=D("0.0")), D(-31536000)),
    ("unix_timestamp", NEW_YEAR, MISSING, ERROR),
    ("make_date", 2020, 2, 29, day("2020-02-29")),
    ("make_date", 2021, 2, 29, MISSING, ERROR),
    ("make_date", 2021, None, 29, None),
    ("make_time", 23, 59, D("59.5"), Time(23, 59, D("59.5"))),
    ("make_time", 23, 59, 59, -330, Time(23, 59, D(59), -330)),
    ("make_time", 24, 0, 0, MISSING, ERROR),
    ("make_time", 1, 0, math.nan, MISSING, ERROR),
]

MOON = Timestamp(1969, 7, 20, 20, 18, D("5.006"), 480)

PATTERNS: list[tuple[Any, ...]] = [
    ("to_string", MOON, "MMMM d, y h:m a", "July 20, 1969 8:18 PM"),
    ("to_string", MOON, "MMM M MM MMMMM yy yyy yyyy", "Jul 7 07 J 69 1969 1969"),
    ("to_string", MOON, "y-MM-dd'T'H:mm:ssX", "1969-07-20T20:18:05+08"),
    ("to_string", MOON, "HH:hh:s.SSS n XX XXX x", "20:08:5.006 6000000 +0800 +08:00 +08"),
    ("to_string", Timestamp(1, 1, 1, offset=-90), "y yyyy X XXXXX xxxx", "1 0001 -0130 -01:30 -0130"),
    ("to_string", Timestamp(1986), "h a X x xxx SS", "12 AM Z +00 +00:00 00"),
    ("to_string", MOON, "''h'o''clock'", "'8o'clock"),
    ("to_string", NEW_YEAR, "dd/MM/yyyy", "01/01/2025"),
    ("to_string", MOON, "", ""),
    ("to_string", MOON, "Q", ERROR),
    ("to_string", MOON, "nn", ERROR),
    ("to_string", MOON, "y'T", ERROR),
    ("to_string", MOON, "y!", ERROR),
    ("to_string", MOON, "S" * 10, ERROR),
    ("to_string", NOON, "H", MISSING, ERROR),
    ("to_string", MOON, 1, MISSING, ERROR),
    ("to_string", None, "y", None),
    ("to_timestamp", "2016", "y", Timestamp(2016)),
    ("to_timestamp", "69 70", "yy M", ERROR),
    ("to_timestamp", "69", "yy", Timestamp(2069)),
    ("to_timestamp", "70", "yy", Timestamp(1970)),
    ("to_timestamp", "fEB 2016", "MMM yyyy", Timestamp(2016, 2)),
    (
        "to_timestamp",
        "20170131T235959.123+0130",
        "yyyyMMdd'T'HHmmss.SSSXX",
        Timestamp(2017, 1, 31, 23, 59, D("59.123"), 90),
    ),
    ("to_timestamp", "2 1 1 12 AM", "y M d h a", Timestamp(2, 1, 1, 0)),
    ("to_timestamp", "2 1 1 12 pm Z", "y M d h a X", Timestamp(2, 1, 1, 12, offset=0)),
    ("to_timestamp", "2 1 1 1 1 1 7", "y M d H m s n", Timestamp(2, 1, 1, 1, 1, D("1.000000007"))),
    ("to_timestamp", "2 1 1 1 -01", "y M d H x", Timestamp(2, 1, 1, 1, offset=-60)),
    ("to_timestamp", "2 1 1 1 Z", "y M d H x", ERROR),
    ("to_timestamp", "2 1 1 1 +18:01", "y M d H xxx", ERROR),
    ("to_timestamp", "2 1 1 1 +01:60", "y M d H xxx", ERROR),
    ("to_timestamp", "2 2 30", "y M d", ERROR),
    ("to_timestamp", "0", "y", ERROR),
    ("to_timestamp", "2 1 1 24", "y M d H", ERROR),
    ("to_timestamp", "2 1 1 13 AM", "y M d h a", ERROR),
    ("to_timestamp", "2 1 1 1 1 1 1000000000", "y M d H m s n", ERROR),
    ("to_timestamp", "2 J", "y MMMMM", ERROR),
    ("to_timestamp", "2 1 2", "y M y", ERROR),
    ("to_timestamp", "2 1", "y d", ERROR),
    ("to_timestamp", "2 1 1 1", "y M d h", ERROR),
    ("to_timestamp", "2 1 Z", "y M X", ERROR),
    ("to_timestamp", "1", "M", ERROR),
    ("to_timestamp", "", "", ERROR),
    ("to_timestamp", "2007T", Timestamp(2007)),
    ("to_timestamp", "2007-02-23T12:14:33.079-08:00", Timestamp(2007, 2, 23, 12, 14, D("33.079"), -480)),
    ("to_timestamp", "2007", ERROR),
    ("to_timestamp", "{}", ERROR),
    ("to_timestamp", 1, MISSING, ERROR),
    ("to_timestamp", "1", None, None),
]

MOMENTS = [*INTERVALS, *OVERLAPS, *FIELDS, *PATTERNS]
