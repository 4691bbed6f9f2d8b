"""Dates, times and timestamps as SQL writes them: `2023-12-25 15:30:45.5+05:30`, with a space or a `T`."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

from firesteel.values import Time, Timestamp

_DATE = r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
_CLOCK = r"(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?"
_ZONE = r"(?P<zone>[zZ]|[+-]\d{2}:\d{2})?"
_ONLY_DATE = re.compile(_DATE, re.ASCII)
_ONLY_TIME = re.compile(_CLOCK + _ZONE, re.ASCII)
_TIMESTAMP = re.compile(f"{_DATE}(?:[T ]{_CLOCK} ?{_ZONE})?", re.ASCII)


def read_date(written: str) -> datetime.date | None:
    found = _ONLY_DATE.fullmatch(written)
    return _day(found) if found else None


def read_time(written: str) -> Time | None:
    found = _ONLY_TIME.fullmatch(written)
    clock = _clock(found) if found else None
    return Time(*clock) if clock else None


def read_timestamp(written: str) -> Timestamp | None:
    """A date alone is its midnight."""
    found = _TIMESTAMP.fullmatch(written)
    day = _day(found) if found else None
    clock = _clock(found) if found else None
    return Timestamp(day.year, day.month, day.day, *clock) if day and clock else None


def _day(found: re.Match[str]) -> datetime.date | None:
    try:
        return datetime.date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None


def _clock(found: re.Match[str]) -> tuple[int, int, Decimal, int | None] | None:
    hour, minute, second = int(found["hour"] or 0), int(found["minute"] or 0), Decimal(found["second"] or 0)
    zone = found["zone"]
    offset: int | None = None
    if zone in ("z", "Z"):
        offset = 0
    elif zone:
        if int(zone[4:6]) >= 60:
            return None
        size = int(zone[1:3]) * 60 + int(zone[4:6])
        offset = -size if zone[0] == "-" else size
    valid = hour < 24 and minute < 60 and second < 60 and (offset is None or abs(offset) < 24 * 60)
    return (hour, minute, second, offset) if valid else None


def as_text(value: datetime.date | Time | Timestamp) -> str:
    if isinstance(value, datetime.date):
        return value.isoformat()
    clock = f"{value.hour:02}:{value.minute:02}:{value.second:0{3 + value.digits if value.digits else 2}f}"
    if value.offset is not None:
        clock += f"{'-' if value.offset < 0 else '+'}{abs(value.offset) // 60:02}:{abs(value.offset) % 60:02}"
    if isinstance(value, Time):
        return clock
    return f"{value.year:04}-{value.month:02}-{value.day:02} {clock}"
