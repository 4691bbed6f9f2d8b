"""TO_STRING and TO_TIMESTAMP: timestamps written and read by a pattern, as in `yyyy-MM-dd'T'HH:mm:ssXXX`.

A run of a letter stands for a field, `/-,:.` and spaces for themselves, and so does what is quoted. A pattern that
means nothing is an error in both modes, and so is text that is not what its pattern says.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, NoReturn

from firesteel.errors import EvaluationError, FiresteelError
from firesteel.evaluate.scalar.calendar import midnight
from firesteel.evaluate.scalar.compare import text
from firesteel.evaluate.scalar.text import Text
from firesteel.ion import loads
from firesteel.values import Timestamp

_TOKEN = re.compile(r"'(?:[^']|'')*'|([yMdahHmsSnXx])\1*|[ /\-,:.]")
_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
#: No place on earth is further from UTC, in minutes; and what stands for an offset that is.
_FARTHEST_OFFSET = 18 * 60
_NOWHERE = 10_000


class PatternSymbol(NamedTuple):
    """A field of a pattern: what it is of a timestamp, how it is written, what it looks like and how that is read."""

    field: str
    write: Callable[[Timestamp], str]
    looks: str
    read: Callable[[str], int | Decimal]


def _number(field: str, get: Callable[[Timestamp], int], width: int = 1) -> PatternSymbol:
    """A number, padded to a width or not."""
    return PatternSymbol(
        field, lambda stamp: f"{get(stamp):0{width}}", rf"\d{{{width}}}" if width > 1 else r"\d{1,19}", int
    )


def _name(names: Sequence[str]) -> PatternSymbol:
    lower = [name.lower() for name in names]
    read: Callable[[str], int] = lambda found: lower.index(found.lower()) + 1  # noqa: E731
    return PatternSymbol("month", lambda stamp: names[stamp.month - 1], "|".join(names), read)


def _fraction(digits: int) -> PatternSymbol:
    def write(stamp: Timestamp) -> str:
        return f"{int(stamp.second % 1 * 10**digits):0{digits}}"

    return PatternSymbol("fraction", write, rf"\d{{{digits}}}", lambda found: Decimal(int(found)).scaleb(-digits))


def _offset(zero: str, colon: str = "", optional: bool = False) -> PatternSymbol:
    """`+0730`, or with a colon; minutes that are optional are there if they are not 00. A `zero` stands for +00."""

    def write(stamp: Timestamp) -> str:
        size = abs(stamp.offset or 0)
        minutes = "" if optional and not size % 60 else f"{colon}{size % 60:02}"
        sign = "-" if (stamp.offset or 0) < 0 else "+"
        return f"{sign}{size // 60:02}{minutes}" if size or not zero else zero

    def read(found: str) -> int:
        if found.upper() == zero:
            return 0
        hours, minutes = int(found[1:3]), int(found[3 + len(colon) :] or 0)
        size = hours * 60 + minutes if minutes < 60 else math.inf
        return int(-size if found[0] == "-" else size) if size <= _FARTHEST_OFFSET else _NOWHERE

    looks = rf"[+-]\d\d(?:{colon}\d\d){'?' if optional else ''}"
    return PatternSymbol("offset", write, f"{zero}|{looks}" if zero else looks, read)


SYMBOLS: dict[str, PatternSymbol] = {
    "y": _number("year", lambda stamp: stamp.year),
    # Two digits are a year of 1970 to 2069.
    "yy": _number("year", lambda stamp: stamp.year % 100, 2)._replace(
        read=lambda found: int(found) + (1900 if int(found) >= 70 else 2000)
    ),
    "yyy": _number("year", lambda stamp: stamp.year, 4)._replace(looks=r"\d{3,4}"),
    "yyyy": _number("year", lambda stamp: stamp.year, 4),
    "M": _number("month", lambda stamp: stamp.month),
    "MM": _number("month", lambda stamp: stamp.month, 2),
    "MMM": _name([name[:3] for name in _NAMES]),
    "MMMM": _name(_NAMES),
    "MMMMM": _name([name[0] for name in _NAMES]),
    "d": _number("day", lambda stamp: stamp.day),
    "dd": _number("day", lambda stamp: stamp.day, 2),
    "H": _number("hour", lambda stamp: stamp.hour),
    "HH": _number("hour", lambda stamp: stamp.hour, 2),
    "h": _number("half-day hour", lambda stamp: (stamp.hour - 1) % 12 + 1),
    "hh": _number("half-day hour", lambda stamp: (stamp.hour - 1) % 12 + 1, 2),
    "a": PatternSymbol(
        "half", lambda stamp: "PM" if stamp.hour >= 12 else "AM", "[AP]M", lambda s: 12 * (s.upper() == "PM")
    ),
    "m": _number("minute", lambda stamp: stamp.minute),
    "mm": _number("minute", lambda stamp: stamp.minute, 2),
    "s": _number("second", lambda stamp: int(stamp.second)),
    "ss": _number("second", lambda stamp: int(stamp.second), 2),
    "n": _number("fraction", lambda stamp: int(stamp.second % 1 * 10**9))._replace(
        read=lambda found: Decimal(int(found)).scaleb(-9)
    ),
    **{"S" * digits: _fraction(digits) for digits in range(1, 10)},
    **{
        letter * size: symbol
        for letter, zero in (("X", "Z"), ("x", ""))
        for sizes, symbol in (
            ((1,), _offset(zero, optional=True)),
            ((2, 4), _offset(zero)),
            ((3, 5), _offset(zero, ":")),
        )
        for size in sizes
    },
}


def _refuse(pattern: str, why: str) -> NoReturn:
    raise EvaluationError(f"'{pattern}' is no pattern of a timestamp: {why}")


@lru_cache(maxsize=256)
def parts_of(pattern: str) -> tuple[PatternSymbol | str, ...]:
    """The fields, and the text between them."""
    parts: list[PatternSymbol | str] = []
    place = 0
    while place < len(pattern):
        found = _TOKEN.match(pattern, place)
        token = found[0] if found else pattern[place]
        if token[0] == "'" and found:
            parts.append(token[1:-1].replace("''", "'") or "'")
        elif token in SYMBOLS:
            parts.append(SYMBOLS[token])
        elif found and not found[1]:
            parts.append(token)
        else:
            _refuse(pattern, f"it has no field '{token}'")
        place += len(token)
    return tuple(parts)


def to_string(moment: Timestamp | datetime.date, pattern: Text) -> str:
    stamp = midnight(moment) if isinstance(moment, datetime.date) else moment
    return "".join(part if isinstance(part, str) else part.write(stamp) for part in parts_of(text(pattern)))


# ---------------------------------------------------------------------------------------------------------------------
# Reading


#: The fields in the order in which each needs those before it; one that has an hour has minutes, in Ion.
_ORDER = ("year", "month", "day", "hour", "minute", "second", "fraction")
_KNOWN_TO = {"hour": "minute", "fraction": "second"}


class PatternReader(NamedTuple):
    """What text of a pattern looks like, its fields in their order, and how exactly they tell a timestamp."""

    looks: re.Pattern[str]
    symbols: tuple[PatternSymbol, ...]
    known_to: str


@lru_cache(maxsize=256)
def reader_of(pattern: str) -> PatternReader:
    """How to read by the pattern, which has to have what makes a timestamp, each of it once."""
    parts = parts_of(pattern)
    symbols = tuple(part for part in parts if not isinstance(part, str))
    fields = [symbol.field for symbol in symbols]
    if ("half" in fields) != ("half-day hour" in fields):
        _refuse(pattern, "hours from 1 to 12 and AM or PM need each other")
    if SYMBOLS["MMMMM"] in symbols:
        _refuse(pattern, "the first letter of a month does not say which it is")
    fields = ["hour" if field == "half-day hour" else field for field in fields]
    if len(set(fields)) < len(fields):
        _refuse(pattern, "a field stands in it twice")
    present = tuple(field for field in _ORDER if field in fields)
    needed = max(len(present), _ORDER.index("hour") + 1 if "offset" in fields else 1)
    if present != _ORDER[:needed]:
        _refuse(pattern, f"it needs {', '.join(_ORDER[:needed])}")
    looks = "".join(re.escape(part) if isinstance(part, str) else f"({part.looks})" for part in parts)
    return PatternReader(re.compile(looks, re.ASCII | re.IGNORECASE), symbols, _KNOWN_TO.get(present[-1], present[-1]))


def to_timestamp(written: Text, pattern: Text | None = None) -> Timestamp:
    if pattern is None:
        return _from_ion(text(written))
    reader = reader_of(text(pattern))
    found = reader.looks.fullmatch(text(written))
    stamp = None
    if found is not None:
        fields = {s.field: s.read(part) for s, part in zip(reader.symbols, found.groups(), strict=True)}
        stamp = _stamp(fields, reader.known_to)
    if stamp is None:
        raise EvaluationError(f"'{text(written)}' is not a timestamp as '{text(pattern)}' says")
    return stamp


def _stamp(fields: dict[str, int | Decimal], known_to: str) -> Timestamp | None:
    """The timestamp of these fields, if there is one."""
    half_day = int(fields.get("half-day hour", 12))
    year, month, day, hour, minute = (int(fields.get(field, i < 3)) for i, field in enumerate(_ORDER[:5]))
    hour += half_day % 12 + int(fields.get("half", 0))
    second = fields.get("second", 0) + Decimal(fields.get("fraction", 0))
    offset = int(fields["offset"]) if "offset" in fields else None
    valid = 1 <= half_day <= 12 and hour < 24 and minute < 60 and fields.get("fraction", 0) < 1 and second < 60
    try:
        date = datetime.date(year, month, day)
    except (ValueError, OverflowError):
        return None
    if not valid or offset == _NOWHERE:
        return None
    return Timestamp(date.year, date.month, date.day, hour, minute, second, offset, known_to)


def _from_ion(written: str) -> Timestamp:
    try:
        value = loads(written) if written[:1].isdigit() else None
    except FiresteelError:
        value = None
    if not isinstance(value, Timestamp):
        raise EvaluationError(f"'{written}' is no timestamp")
    return value
