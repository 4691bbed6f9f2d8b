"""Arrow's types as DataFusion writes them in texts: `Timestamp(Nanosecond, None)`, `List(Int64)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from firesteel import types as t

_UNITS = {"s": 0, "second": 0, "ms": 3, "millisecond": 3, "us": 6, "µs": 6, "microsecond": 6, "ns": 9, "nanosecond": 9}
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\w+\-:/.µ]+|[(),<>;])')
_MOST_DIGITS = 38


@dataclass(frozen=True)
class ArrowType:
    """A type of ours for one of Arrow's. `exact`: is that the only type of Arrow's which is read so?"""

    type: t.Type
    exact: bool = True


_PLAIN: dict[str, ArrowType] = {
    "null": ArrowType(t.NULL),
    "boolean": ArrowType(t.BOOL),
    "int8": ArrowType(t.INT8),
    "int16": ArrowType(t.INT16),
    "int32": ArrowType(t.INT32),
    "int64": ArrowType(t.INT64),
    "uint8": ArrowType(t.INT16, False),
    "uint16": ArrowType(t.INT32, False),
    "uint32": ArrowType(t.INT64, False),
    "uint64": ArrowType(t.Decimal(20, 0), False),
    "float32": ArrowType(t.FLOAT32),
    "float64": ArrowType(t.FLOAT64),
    "utf8": ArrowType(t.STRING),
    "largeutf8": ArrowType(t.STRING, False),
    "utf8view": ArrowType(t.STRING, False),
    "binary": ArrowType(t.BLOB),
    "largebinary": ArrowType(t.BLOB, False),
    "binaryview": ArrowType(t.BLOB, False),
    "date32": ArrowType(t.DATE),
    "date64": ArrowType(t.DATE, False),
}


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [*_TOKEN.findall(text), ""]
        self.at = 0

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token: str) -> bool:
        if self.tokens[self.at].lower() != token:
            return False
        self.at += 1
        return True

    def inside(self) -> list[str]:
        """What is between the parentheses, as tokens without commas."""
        found: list[str] = []
        if self.accept("("):
            while not self.accept(")"):
                token = self.take()
                if not token:
                    raise ValueError("a parenthesis is not closed")
                found += [] if token == "," else [token]
        return found

    def read(self) -> ArrowType | None:
        name = self.take().lower()
        if name in _PLAIN:
            return _PLAIN[name]
        if name in _NESTED:
            return _NESTED[name](self)
        return _SIZED[name](self.inside()) if name in _SIZED else None

    def parted(self, count: int, lengths: bool = False) -> list[ArrowType] | None:
        """So many types in parentheses, with words that only say how they are stored."""
        if not self.accept("("):
            return None
        found: list[ArrowType] = []
        while not self.accept(")"):
            if self.accept(",") or self.accept("nullable") or self.accept("non-null") or self.accept("field"):
                continue
            if self.tokens[self.at].isdigit() and lengths:  # the length of each list, which may be followed by an x
                self.take()
                self.accept("x")
                continue
            made = self.read()
            if made is None or not self.tokens[self.at]:
                return None
            found.append(made)
        return found if len(found) == count else None


def _decimal(parts: list[str]) -> ArrowType | None:
    precision, scale = (int(one) for one in parts)
    if not 0 <= scale <= precision <= _MOST_DIGITS:
        return None
    return ArrowType(t.Decimal(precision, scale))


def _timestamp(parts: list[str]) -> ArrowType | None:
    digits = _UNITS[parts[0].lower()]
    zoned = len(parts) > 1 and parts[1].lower() != "none"
    return ArrowType(t.Timestamp(digits, zone=zoned), not zoned)


_INTERVALS: dict[str, t.Type] = {
    "monthdaynano": t.Interval("compound", 9),
    "yearmonth": t.Interval("year_month"),
    "daytime": t.Interval("day_time", 3),
}
_SIZED: dict[str, Callable[[list[str]], ArrowType | None]] = {
    "decimal32": _decimal,
    "decimal64": _decimal,
    "decimal128": _decimal,
    "decimal256": _decimal,
    "timestamp": _timestamp,
    "time32": lambda parts: ArrowType(t.Time(_UNITS[parts[0].lower()])),
    "time64": lambda parts: ArrowType(t.Time(_UNITS[parts[0].lower()])),
    "duration": lambda parts: ArrowType(t.Interval("day_time", _UNITS[parts[0].lower()])),
    "interval": lambda parts: ArrowType(_INTERVALS[parts[0].lower()], parts[0].lower() == "monthdaynano"),
    "fixedsizebinary": lambda parts: ArrowType(t.Byte(int(parts[0]))),
}


def _list(reader: _Reader) -> ArrowType | None:
    found = reader.parted(1, lengths=True)
    return ArrowType(t.Array(t.absent(found[0].type, nullable=True)), False) if found else None


def _dictionary(reader: _Reader) -> ArrowType | None:
    found = reader.parted(2)
    return ArrowType(found[1].type, False) if found else None


def _run_ends(reader: _Reader) -> ArrowType | None:
    """The words `run_ends` and `values` name the two types, each in quotes or with a colon."""
    tokens = reader.inside()
    names = [one for one in tokens if one.lower() in _PLAIN]
    return ArrowType(_PLAIN[names[-1].lower()].type, False) if len(names) >= 2 else None


_NESTED: dict[str, Callable[[_Reader], ArrowType | None]] = {
    "list": _list,
    "largelist": _list,
    "listview": _list,
    "largelistview": _list,
    "fixedsizelist": _list,
    "dictionary": _dictionary,
    "runendencoded": _run_ends,
}


def read_arrow_type(text: str) -> ArrowType | None:
    """The type that a text names; None if it names none, or one that has no counterpart here."""
    reader = _Reader(text)
    try:
        made = reader.read()
    except (KeyError, ValueError, IndexError):
        return None
    return made if made is not None and not reader.tokens[reader.at] else None


_NAMES: dict[t.Type, str] = {one.type: name for name, one in {
    "Null": _PLAIN["null"],
    "Boolean": _PLAIN["boolean"],
    "Int8": _PLAIN["int8"],
    "Int16": _PLAIN["int16"],
    "Int32": _PLAIN["int32"],
    "Int64": _PLAIN["int64"],
    "Float32": _PLAIN["float32"],
    "Float64": _PLAIN["float64"],
    "Utf8": _PLAIN["utf8"],
    "Binary": _PLAIN["binary"],
    "Date32": _PLAIN["date32"],
}.items()}  # fmt: skip
_SHORT = {0: "s", 3: "ms", 6: "µs", 9: "ns"}


def arrow_type_text(type_: t.Type) -> str | None:
    """The text of Arrow's type for one of ours; None where it is not known."""
    plain = t.proper(type_)
    if plain in _NAMES:
        return _NAMES[plain]
    match plain:
        case t.Decimal(precision=int(precision), scale=int(scale)):
            return f"Decimal128({precision}, {scale})"
        case t.Timestamp(precision=int(digits), zone=False) if digits in _SHORT:
            return f"Timestamp({_SHORT[digits]})"
        case t.Time(precision=int(digits)) if digits in _SHORT:
            return f"Time{32 if digits < 6 else 64}({_SHORT[digits]})"
        case t.Interval(unit="compound"):
            return "Interval(MonthDayNano)"
        case t.Interval(unit="day_time", precision=int(digits)) if digits in _SHORT:
            return f"Duration({_SHORT[digits]})"
        case t.Byte(length=length):
            return f"FixedSizeBinary({length})"
        case t.Array(element=element):
            inner = arrow_type_text(element) if element.nullable else None
            return None if inner is None else f"List({inner})"
    return None
