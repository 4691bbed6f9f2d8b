"""The conformance suite's notation: what an annotation makes of the value under it.

| written                                                           | value                                          |
|-------------------------------------------------------------------|------------------------------------------------|
| `$missing::null`, `$bag::[]`, `$graph::{nodes, edges}`, `$ion::x` | `MISSING`, `Bag`, `Graph`, x itself            |
| `$date::{year, month, day}`                                       | `datetime.date`                                |
| `$time::{hour, minute, second, offset}`                           | `Time`                                         |
| `$timestamp::{year, month, day, hour, minute, second, offset}`    | `Timestamp` without a zone, or of a year that  |
|                                                                   | Ion's own timestamps, which are also read, lack|
| `$interval_ym::{sign, years, months}`                             | `Interval` of unit `year_month`                |
| `$interval_dt::{sign, days, hours, minutes, seconds, nanos}`      | `Interval` of unit `day_time`                  |
| `$interval_compound::{months, nanos}`                             | `Interval` of unit `compound`: our extension   |

Older forms are read too: `$date::2021-08-22`, `$time::"04:05:06"`, and `timezone_hour` with `timezone_minute`.
An offset is in minutes, null where there is no zone. All functions here go from plain values to values, so that one
reader may come from elements and another from `amazon.ion`'s objects. A ParseError of theirs does not know where.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

from firesteel.errors import ParseError
from firesteel.ion import element as e
from firesteel.ion.element import Element
from firesteel.values import MISSING, Bag, Graph, Interval, Struct, Time, Timestamp, Value

_DAY_PRECISION = "day"


def annotated(name: str, value: Value) -> Value:
    """What the annotation makes of the value; a name that is not of the notation leaves it as it is."""
    make = READERS.get(name)
    if make is None:
        return value
    return None if value is None and name != "$missing" else make(value)


def _missing(value: Value) -> Value:
    if value is not None:
        raise ParseError("$missing stands before null only")
    return MISSING


def _bag(value: Value) -> Bag:
    if type(value) is not list:
        raise ParseError("$bag stands before a list")
    return Bag(value)


def _graph(value: Value) -> Graph:
    if not isinstance(value, Struct):
        raise ParseError("$graph stands before a struct of nodes and edges")
    return Graph(value)


# ---------------------------------------------------------------------------------------------------------------------
# Structs of fields


def _fields(name: str, value: Value, known: str) -> dict[str, Value]:
    """A struct's fields by name, each known and there once at most; a null counts as not there."""
    names = known.split()
    if not isinstance(value, Struct):
        raise ParseError(f"{name} stands before a struct", help=f"its fields: {', '.join(names)}")
    fields: dict[str, Value] = {}
    for key, item in value.pairs:
        if key not in names:
            raise ParseError(f"{name} has no field '{key}'", help=f"its fields: {', '.join(names)}")
        if key in fields:
            raise ParseError(f"{name} has two fields '{key}'")
        fields[key] = item
    return {key: item for key, item in fields.items() if item is not None}


def _int(name: str, fields: dict[str, Value], key: str, default: int | None = None) -> int:
    value = fields.get(key, default)
    if type(value) is not int:
        raise ParseError(f"{name} needs an int as its field '{key}'")
    return value


def _second(name: str, fields: dict[str, Value]) -> Decimal:
    value = fields.get("second")
    if type(value) is int:
        value = Decimal(value)
    if not isinstance(value, Decimal):
        raise ParseError(f"{name} needs a decimal as its field 'second'")
    exponent = value.as_tuple().exponent
    if not 0 <= value < 60 or value.is_signed() or not isinstance(exponent, int):
        raise ParseError(f"{name}: second must be in 0..59")
    return value if exponent <= 0 else Decimal(int(value))


def _offset(name: str, fields: dict[str, Value]) -> int | None:
    offset = None
    if "offset" in fields:
        offset = _int(name, fields, "offset")
    elif "timezone_hour" in fields or "timezone_minute" in fields:
        hours = _int(name, fields, "timezone_hour", 0)
        minutes = _int(name, fields, "timezone_minute", 0)
        offset = hours * 60 + (-abs(minutes) if hours < 0 else minutes)
    if offset is not None and abs(offset) >= 24 * 60:
        raise ParseError(f"{name}: offset must be in -1439..1439 minutes")
    return offset


def _date(value: Value) -> datetime.date:
    if isinstance(value, Timestamp):
        if value.precision != _DAY_PRECISION:
            raise ParseError("$date stands before a timestamp of day precision", help="such as 2021-08-22")
        return value.date
    fields = _fields("$date", value, "year month day")
    try:
        return datetime.date(*(_int("$date", fields, key) for key in ("year", "month", "day")))
    except (ValueError, OverflowError) as error:
        raise ParseError(f"$date: {error}") from error


_TIME_TEXT = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)(Z|[+-][0-9]{2}:[0-9]{2})?")


def _time(value: Value) -> Time:
    if isinstance(value, str):
        found = _TIME_TEXT.fullmatch(value)
        if found is None:
            raise ParseError(f"$time: '{value}' is no time", help="such as 04:05:06.789 or 04:05:06+01:00")
        hour, minute, second, zone = found.groups()
        offset = None
        if zone:
            sign = -1 if zone[0] == "-" else 1
            offset = 0 if zone == "Z" else sign * (int(zone[1:3]) * 60 + int(zone[4:6]))
        fields = {"hour": int(hour), "minute": int(minute), "second": Decimal(second)}
        fields |= {} if offset is None else {"offset": offset}
    else:
        fields = _fields("$time", value, "hour minute second offset timezone_hour timezone_minute")
    hour_minute = _hour_minute("$time", fields)
    return Time(*hour_minute, _second("$time", fields), _offset("$time", fields))


def _hour_minute(name: str, fields: dict[str, Value]) -> tuple[int, int]:
    hour, minute = _int(name, fields, "hour"), _int(name, fields, "minute")
    try:
        datetime.time(hour, minute)
    except (ValueError, OverflowError) as error:
        raise ParseError(f"{name}: {error}") from error
    return hour, minute


def _timestamp(value: Value) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    fields = _fields("$timestamp", value, "year month day hour minute second offset timezone_hour timezone_minute")
    year, month, day = (_int("$timestamp", fields, key) for key in ("year", "month", "day"))
    try:
        # The suite expects the years -1 and 10000 of date_add; the calendar repeats every 400 years.
        if not -9999 <= year <= 99999:
            raise ValueError("year must be in -9999..99999")
        datetime.date(year % 400 + 400, month, day)
    except (ValueError, OverflowError) as error:
        raise ParseError(f"$timestamp: {error}") from error
    hour_minute = _hour_minute("$timestamp", fields)
    return Timestamp(year, month, day, *hour_minute, _second("$timestamp", fields), _offset("$timestamp", fields))


#: The fields of an interval, largest first, each with how many of the next one it is worth.
_YEAR_MONTH = {"years": 12, "months": 1}
_DAY_TIME = {"days": 24, "hours": 60, "minutes": 60, "seconds": 1_000_000_000, "nanos": 1}


def _signed(name: str, value: Value, worth: dict[str, int]) -> int:
    fields = _fields(name, value, f"sign {' '.join(worth)}")
    sign = fields.get("sign", "+")
    if sign not in ("+", "-"):
        raise ParseError(f"{name}: sign must be '+' or '-'")
    total = 0
    for key, factor in worth.items():
        total = (total + _int(name, fields, key, 0)) * factor
    return -total if sign == "-" else total


def _compound(value: Value) -> Interval:
    fields = _fields("$interval_compound", value, "months nanos")
    months, nanos = (_int("$interval_compound", fields, key, 0) for key in ("months", "nanos"))
    return Interval("compound", months, nanos)


READERS: dict[str, Callable[[Value], Value]] = {
    "$ion": lambda value: value,
    "$missing": _missing,
    "$bag": _bag,
    "$graph": _graph,
    "$date": _date,
    "$time": _time,
    "$timestamp": _timestamp,
    "$interval_ym": lambda value: Interval("year_month", months=_signed("$interval_ym", value, _YEAR_MONTH)),
    "$interval_dt": lambda value: Interval("day_time", nanos=_signed("$interval_dt", value, _DAY_TIME)),
    "$interval_compound": _compound,
}


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def date_element(value: datetime.date) -> Element:
    fields = {"year": value.year, "month": value.month, "day": value.day}
    return e.struct([(key, e.int_(number)) for key, number in fields.items()]).annotate("$date")


def _zoned(pairs: list[tuple[str, Element]], second: Decimal, offset: int | None) -> Element:
    zone = e.null() if offset is None else e.int_(offset)
    return e.struct([*pairs, ("second", e.decimal(second)), ("offset", zone)])


def time_element(value: Time) -> Element:
    pairs = [("hour", e.int_(value.hour)), ("minute", e.int_(value.minute))]
    return _zoned(pairs, value.second, value.offset).annotate("$time")


def timestamp_element(value: Timestamp) -> Element:
    """An Ion timestamp, unless it has no zone: in Ion that would say that its zone is not known."""
    if (value.offset is not None or value.precision != "second") and 1 <= value.year <= 9999:
        return e.timestamp(value)
    keys = ("year", "month", "day", "hour", "minute")
    pairs = [(key, e.int_(getattr(value, key))) for key in keys]
    return _zoned(pairs, value.second, value.offset).annotate("$timestamp")


def interval_element(value: Interval) -> Element:
    if value.unit == "compound":
        pairs = [("months", e.int_(value.months)), ("nanos", e.int_(value.nanos))]
        return e.struct(pairs).annotate("$interval_compound")
    if value.unit == "year_month":
        name, worth, rest = "$interval_ym", _YEAR_MONTH, value.months
    else:
        name, worth, rest = "$interval_dt", _DAY_TIME, value.nanos
    sign, rest = ("-", -rest) if rest < 0 else ("+", rest)
    keys = list(worth)
    numbers: dict[str, int] = {}
    for larger, key in zip(reversed(keys[:-1]), reversed(keys[1:]), strict=True):
        rest, numbers[key] = divmod(rest, worth[larger])
    numbers[keys[0]] = rest
    fields = [("sign", e.string(sign)), *((key, e.int_(numbers[key])) for key in keys)]
    return e.struct(fields).annotate(name)
