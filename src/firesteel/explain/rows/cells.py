"""A value as people write it, on one line.

| value                                  | text                                                 |
|----------------------------------------|------------------------------------------------------|
| NULL, MISSING                          | `null`, nothing (inside of others: `missing`)        |
| 0.1e0, 1e100, 12.50                    | `0.1`, `1e100`, `12.50`                              |
| a date, a time, a timestamp            | `2024-02-29`, `12:30:00`, `2024-02-29 12:30:00.5Z`   |
| an interval                            | `1 year 2 months`, `3 days 04:05:06`                 |
| octets                                 | `x'00ff'`                                            |
| a string                               | its characters; in quotes if it would read as        |
|                                        | another value: `""`, `"null"`, `"12"`                |
| a struct, an array, a bag              | `{name: "Ada", tags: ["x"]}`, `[1, 2]`, `<<1, 2>>`   |

No text has control characters: they are escaped, so that data cannot move the cursor of a terminal.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from firesteel import values
from firesteel.values import Value

NULL, MISSING, MORE = "null", "missing", "…"

#: Decimals with more zeros than this at either end are written with an exponent.
_ZEROS = 30
_NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
#: What a string without quotes would be taken for, even if it is known to be a string.
_OTHER = re.compile(r"|null|missing|\s.*|.*\s|[\"{\[].*|<<.*", re.IGNORECASE | re.DOTALL)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}


def cell(value: Value, width: int | None = None, *, is_text: bool = False) -> str:
    """A value in a column, in at most so many places of a terminal. A column that is known to have text only `is_text`:
    numbers need no quotes there."""
    if value is values.MISSING:
        return ""
    if isinstance(value, str) and not _needs_quotes(value, is_text):
        return shortened(str(value), width)
    return one_line(value, width)


def one_line(value: Value, width: int | None = None) -> str:
    """A value on one line, strings in quotes. Of a large value only the part that is shown is written."""
    parts: list[str] = []
    size = 0
    for piece in _pieces(value):
        parts.append(piece)
        size += len(piece)
        if width is not None and size > 2 * width:
            break
    return shortened("".join(parts), width)


def _needs_quotes(text: str, is_text: bool) -> bool:
    if _OTHER.fullmatch(text) is not None or not text.isprintable():
        return True
    return not is_text and (text in ("true", "false") or _NUMBER.fullmatch(text) is not None)


def _pieces(value: Value) -> Iterator[str]:
    """The text of a value in pieces, from an explicit stack: values may be nested to any depth."""
    stack: list[tuple[bool, Value]] = [(False, value)]
    while stack:
        written, item = stack.pop()
        if written:
            yield item
            continue
        item = item.parts if isinstance(item, values.Graph) else item
        below = values.items(item)
        if below is None:
            yield quoted(item) if isinstance(item, str) else scalar_text(item)
            continue
        open_, close = _BRACKETS.get(type(item), ("[", "]"))
        names = [f"{_name(name)}: " for name, _ in item.pairs] if isinstance(item, values.Struct) else [""] * len(below)
        yield open_
        stack.append((True, close))
        for i in range(len(below) - 1, -1, -1):
            stack.append((False, below[i]))
            stack.append((True, (", " if i else "") + names[i]))


_BRACKETS = {values.Struct: ("{", "}"), values.Bag: ("<<", ">>"), values.Sexp: ("(", ")")}


def _name(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """A text in double quotes, escaped."""
    return f'"{"".join(_ESCAPES.get(char) or printable(char) for char in text)}"'


def printable(text: str) -> str:
    """A text without characters that a terminal would obey, or not show: they are escaped."""
    if text.isprintable():
        return str(text)
    return "".join(char if char.isprintable() else _ESCAPES.get(char) or _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# ---------------------------------------------------------------------------------------------------------------------
# Places of a terminal


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def display_width(text: str) -> int:
    """How many places of a terminal a text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def shortened(text: str, width: int | None) -> str:
    """The text in at most so many places; what is cut off is an ellipsis."""
    if width is None or display_width(text) <= width:
        return text
    left = max(width, 1) - 1
    end = 0
    for char in text:
        left -= _char_width(char)
        if left < 0:
            break
        end += 1
    return text[:end] + MORE


# ---------------------------------------------------------------------------------------------------------------------
# Scalars


def scalar_text(value: Value) -> str:
    """A value without parts as text. A string is itself."""
    for cls, write in _SCALARS:
        if isinstance(value, cls):
            return write(value)
    return str(value)


def _float(value: float) -> str:
    found = repr(float(value))
    return found.replace("e+", "e").removesuffix(".0") if "e" in found else found


def _decimal(value: Decimal) -> str:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or not -_ZEROS <= exponent <= _ZEROS:
        return str(value).replace("E+", "e").replace("E", "e").lower()
    return f"{value:f}"


def _seconds(second: Decimal) -> str:
    whole = int(second)
    fraction = f"{second:f}".partition(".")[2]
    return f"{whole:02}.{fraction}" if fraction else f"{whole:02}"


def _zone(offset: int | None) -> str:
    if offset is None:
        return ""
    sign, minutes = ("-", -offset) if offset < 0 else ("+", offset)
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}" if offset else "Z"


def _time(value: values.Time) -> str:
    return f"{value.hour:02}:{value.minute:02}:{_seconds(value.second)}{_zone(value.offset)}"


#: How many parts of a timestamp are written, by its precision.
_PARTS = {"year": 1, "month": 2, "day": 3}


def _timestamp(value: values.Timestamp) -> str:
    sign, year = ("-", -value.year) if value.year < 0 else ("", value.year)
    days = [f"{sign}{year:04}", f"{value.month:02}", f"{value.day:02}"]
    if value.precision in _PARTS:
        return "-".join(days[: _PARTS[value.precision]])
    seconds = "" if value.precision == "minute" else f":{_seconds(value.second)}"
    return f"{'-'.join(days)} {value.hour:02}:{value.minute:02}{seconds}{_zone(value.offset)}"


def _interval(value: values.Interval) -> str:
    years, months = divmod(abs(value.months), 12)
    seconds, nanos = divmod(abs(value.nanos), 1_000_000_000)
    days, seconds = divmod(seconds, 86_400)
    sign, minus = "-" if value.months < 0 else "", "-" if value.nanos < 0 else ""
    parts = [_count(sign, years, "year"), _count(sign, months, "month"), _count(minus, days, "day")]
    if seconds or nanos:
        fraction = f".{nanos:09}".rstrip("0") if nanos else ""
        parts.append(f"{minus}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}")
    shown = " ".join(filter(None, parts))
    return shown or ("0 months" if value.unit == "year_month" else "00:00:00")


def _count(sign: str, number: int, unit: str) -> str:
    return f"{sign}{number} {unit}{'' if number == 1 else 's'}" if number else ""


#: The first class that fits says how a value is written: a bool is an int, too.
_SCALARS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (str, str),
    (type(None), lambda _: NULL),
    (values.Missing, lambda _: MISSING),
    (bool, lambda value: "true" if value else "false"),
    (float, _float),
    (Decimal, _decimal),
    (datetime.date, datetime.date.isoformat),
    (values.Time, _time),
    (values.Timestamp, _timestamp),
    (values.Interval, _interval),
    (bytes, lambda value: f"x'{value.hex()}'"),
)
