"""The rows of functions on dates, times, timestamps and intervals. Their `+` and `-` are rows of `scalar.py`."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn
from firesteel.functions.properties import Fails

#: Two points in time that can be compared: both on the calendar, or both times of day.
_POINTS = (
    "(text, timestamp, timestamp) -> int",
    "(text, date, date) -> int",
    "(text, date, timestamp) -> int",
    "(text, timestamp, date) -> int",
    "(text, time, time) -> int~",
)

MOMENTS: tuple[Function, ...] = (
    fn(
        "date_add",
        (
            "(text, int, timestamp) -> timestamp",
            "(text, int, date) -> date_or_timestamp",
            "(text, int, time) -> time~",
        ),
        "Later by so many years, months, days, hours, minutes or seconds; the first argument says which.",
        partiql=("date_add",),
    ),
    fn("date_diff", _POINTS, "The whole years, months ... from the second to the third.", partiql=("date_diff",)),
    fn(
        "date_trunc",
        (
            "(text, timestamp) -> timestamp",
            "(text, date) -> date",
            "(text, time) -> time~",
        ),
        "The start of the year, quarter, month, week, day, hour, minute or second; the first argument says which.",
        partiql=("date_trunc",),
    ),
    fn(
        "extract",
        "(text, temporal) -> int~",
        "A field of the value; seconds are `extract_second`.",
        fails=Fails.FORGIVEN,
    ),
    fn("extract_second", "(temporal) -> decimal~", "The seconds, with their fraction.", fails=Fails.FORGIVEN),
    fn(
        "fit_interval",
        "(interval, text, text, int, int) -> interval~",
        "Cut to its last field, within so many digits of its first one, and of a fraction of a second.",
    ),
    fn("overlaps", "(collection, collection) -> bool~", "Do the two periods have a moment in common?", absent="null"),
    fn(
        "to_string",
        ("(timestamp, text) -> string", "(date, text) -> string"),
        "As the pattern says: `yyyy-MM-dd`.",
        partiql=("to_string",),
    ),
    fn(
        "to_timestamp",
        ("(text) -> timestamp", "(text, text) -> timestamp"),
        "Read as Ion's notation, or as the pattern says.",
        partiql=("to_timestamp",),
    ),
    fn("from_unixtime", "(number) -> local_timestamp", "So many seconds after 1970.", partiql=("from_unixtime",)),
    fn("unix_timestamp", "(timestamp) -> exact", "The seconds since 1970 until then.", partiql=("unix_timestamp",)),
    fn("make_date", "(int, int, int) -> date~", "Of a year, a month and a day.", partiql=("make_date",)),
    fn(
        "make_time",
        ("(int, int, number) -> local_time~", "(int, int, number, int) -> zoned_time~"),
        "Of an hour, a minute, seconds and perhaps the minutes of an offset.",
        partiql=("make_time",),
    ),
    fn("current_date", "() -> date", "Today, in UTC.", partiql=("current_date",), pure=False),
    fn("current_time", "() -> zoned_time", "The time of day, in UTC.", partiql=("current_time",), pure=False),
    fn(
        "current_timestamp",
        "() -> zoned_timestamp",
        "Now, in UTC: the same all through a run.",
        partiql=("current_timestamp", "utcnow"),
        pure=False,
    ),
)
