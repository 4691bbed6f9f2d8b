"""Scalars in Ion text: a token to its value.

`amazon.ion` is not used here: its reader takes `3x` for 0 and `1e` for 1e0, drops digits of a timestamp beyond
nanoseconds, and gives no positions.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import re
from decimal import Decimal
from typing import Any, NoReturn

from firesteel.errors import ParseError
from firesteel.ion.element import Kind
from firesteel.source import Source, Span
from firesteel.values import Timestamp

#: Python refuses to print a longer int (`sys.int_info.default_max_str_digits`); nothing that large is data.
MAX_DIGITS = 4300
#: No int has more bits, whatever notation it came in.
MAX_BITS = (10**MAX_DIGITS).bit_length()
#: Where Python's default decimal context ends; beyond, the first addition would overflow.
MAX_EXPONENT = 999_999

_DIGITS = r"[0-9](?:_?[0-9])*"
_WHOLE = r"-?(?:0|[1-9](?:_?[0-9])*)"
_FRACTION = rf"\.(?:{_DIGITS})?"
_EXPONENT = r"[+-]?[0-9]+"

_INT = re.compile(_WHOLE)
_RADIX = re.compile(r"-?0(?:[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|[bB][01](?:_?[01])*)")
_DECIMAL = re.compile(rf"{_WHOLE}(?:{_FRACTION})?[dD]{_EXPONENT}|{_WHOLE}{_FRACTION}")
_FLOAT = re.compile(rf"{_WHOLE}(?:{_FRACTION})?[eE]{_EXPONENT}")
_TIMESTAMP = re.compile(
    r"([0-9]{4})(?:T|-([0-9]{2})(?:T|-([0-9]{2})(?:T?|"
    r"T([0-9]{2}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]+)?))?(Z|[+-][0-9]{2}:[0-9]{2}))))"
)
_LIKE_A_TIMESTAMP = re.compile(r"[0-9]{4}[-T]")


def fail(source: Source, start: int, end: int, message: str, help: str | None = None) -> NoReturn:
    """The error of reading text."""
    raise ParseError(message, where=Span(source, start, end), help=help)


def shown(token: str) -> str:
    """A token for a message: quoted, and not longer than a message should be."""
    return "'" + (token if len(token) <= 40 else token[:37] + "...") + "'"


# ---------------------------------------------------------------------------------------------------------------------
# Numbers and timestamps


def number(source: Source, start: int, end: int) -> tuple[Kind, Any]:
    """The number or timestamp that the text from start to end spells."""
    token = source.text[start:end]
    plain = token.replace("_", "")
    if _INT.fullmatch(token):
        if len(plain) > MAX_DIGITS:
            fail(source, start, end, f"an int of {len(plain):,} digits", f"the most is {MAX_DIGITS:,}")
        return Kind.INT, int(plain)
    if _TIMESTAMP.fullmatch(token):
        return Kind.TIMESTAMP, timestamp(source, start, end)
    if _DECIMAL.fullmatch(token):
        return Kind.DECIMAL, _decimal(source, start, end, plain)
    if _FLOAT.fullmatch(token):
        return Kind.FLOAT, float(plain)
    if _RADIX.fullmatch(token):
        value = int(plain, 0)
        if value.bit_length() > MAX_BITS:
            fail(source, start, end, f"an int of {value.bit_length():,} bits", f"the most is {MAX_BITS:,}")
        return Kind.INT, value
    fail(source, start, end, f"{shown(token)} is no number or timestamp", _why_no_number(token))


def _decimal(source: Source, start: int, end: int, token: str) -> Decimal:
    mantissa, _, exponent = token.lower().partition("d")
    if len(mantissa) > MAX_DIGITS:
        fail(source, start, end, f"a decimal of {len(mantissa):,} digits", f"the most is {MAX_DIGITS:,}")
    power = exponent.lstrip("+-").lstrip("0") or "0"
    if len(power) <= 7:  # one of many digits is not worth an int
        value = Decimal(f"{mantissa}e{'-' if exponent[:1] == '-' else ''}{power}")
        if in_range(value):
            return value
    fail(source, start, end, "a decimal's exponent is out of range", f"the range is ±{MAX_EXPONENT:,}")


def in_range(value: Decimal) -> bool:
    """Can Python's default context compute with it?"""
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MAX_EXPONENT and value.adjusted() <= MAX_EXPONENT


def _why_no_number(token: str) -> str | None:
    digits = token.removeprefix("-")
    if "::" in token:
        return "an annotation must be a symbol"
    if _LIKE_A_TIMESTAMP.match(token):
        return "a timestamp is written 2020T, 2020-01T, 2020-01-31, 2020-01-31T12:30Z or 2020-01-31T12:30:59.5+01:00"
    if re.match(r"0[0-9_]", digits):
        return "a number has no leading zeros"
    if re.search(r"__|_$|_\.|\._", token):
        return "an underscore stands between two digits"
    if re.fullmatch(r".*[eEdD][+-]?", digits):
        return "an exponent has digits"
    return "a number is followed by whitespace or a bracket"


def timestamp(source: Source, start: int, end: int) -> Timestamp:
    """The timestamp that the text from start to end spells; its precision is the last field written."""
    found = _TIMESTAMP.fullmatch(source.text, start, end)
    assert found is not None
    year, month, day, hour, minute, second, zone = found.groups()
    precision = "second" if second else "minute" if minute else "day" if day else "month" if month else "year"
    try:
        datetime.date(int(year), int(month or 1), int(day or 1))
        datetime.time(int(hour or 0), int(minute or 0), int((second or "0")[:2]))
    except ValueError as error:
        fail(source, start, end, f"{shown(found[0])} is no timestamp: {error}")
    if second and len(second) > MAX_DIGITS:
        fail(source, start, end, f"a second of {len(second):,} digits", f"the most is {MAX_DIGITS:,}")
    return Timestamp(
        int(year),
        int(month or 1),
        int(day or 1),
        int(hour or 0),
        int(minute or 0),
        Decimal(second or 0),
        _offset(source, start, end, zone),
        precision,
    )


def _offset(source: Source, start: int, end: int, zone: str | None) -> int | None:
    if zone is None or zone == "-00:00":  # which is how Ion spells that the offset is not known
        return None
    if zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        fail(source, start, end, f"'{zone}' is no offset", "the range is -23:59 to +23:59")
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


# ---------------------------------------------------------------------------------------------------------------------
# Strings and lobs

_ESCAPE = re.compile(
    r"""\\(?:([0abtnfrv?'"/\\])|(\r\n|[\r\n])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))""",
)
_ESCAPED = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "v": "\v"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?")


def unescaped(source: Source, start: int, end: int, *, octets: bool = False) -> str:
    """The text between two quotes, without its backslashes. `octets`: in a clob, where there are no characters."""
    text, pieces, here = source.text, [], start
    while True:
        slash = text.find("\\", here, end)
        if slash < 0:
            pieces.append(text[here:end])
            break
        pieces.append(text[here:slash])
        found = _ESCAPE.match(text, slash, end)
        if found is None or (octets and (found[4] or found[5])):
            help = "in a clob only \\xHH" if octets else "\\xHH, \\uHHHH and \\UHHHHHHHH have just so many hex digits"
            after = min(slash + 2, end)
            fail(source, slash, after, f"{shown(text[slash:after])} begins no escape sequence", help)
        simple, _line, *numbers = found.groups()
        if simple is not None:
            pieces.append(_ESCAPED.get(simple, simple))
        code = int(next((digits for digits in numbers if digits), "-1"), 16)
        if code > 0x10FFFF:
            fail(source, slash, found.end(), f"no character has the number {shown(found[0])}")
        if code >= 0:
            pieces.append(chr(code))
        here = found.end()
    joined = "".join(pieces)
    if "\\" in text[start:end] and _SURROGATE.search(joined):
        joined = _paired(source, start, end, joined)
    return joined


def _paired(source: Source, start: int, end: int, text: str) -> str:
    """Two escaped surrogates are one character; one alone is none."""
    try:
        return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        fail(source, start, end, "half of a surrogate pair", "a character beyond U+FFFF may be written \\UHHHHHHHH")


def long_unescaped(source: Source, start: int, end: int, *, octets: bool = False) -> str:
    """The same between triple quotes, where a raw line end of any sort is `\\n` and an escaped `\\r` stays."""
    raw = source.text[start:end]
    if "\r" not in raw:
        return unescaped(source, start, end, octets=octets)
    # Each stretch between line ends on its own; a line end after a backslash is gone with it.
    pieces, here = [], start
    for found in _LINE_END.finditer(source.text, start, end):
        if _is_escaped(source.text, start, found.start()):
            continue
        pieces.append(unescaped(source, here, found.start(), octets=octets))
        here = found.end()
    pieces.append(unescaped(source, here, end, octets=octets))
    return "\n".join(pieces)


def _is_escaped(text: str, start: int, at: int) -> bool:
    slashes = 0
    while at - slashes > start and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def octets(source: Source, start: int, end: int, text: str) -> bytes:
    """A clob's content as bytes: `text` is what the source from start to end says."""
    if not source.text[start:end].isascii():
        fail(source, start, end, "a clob holds ASCII only", "other octets are written \\xHH")
    return text.encode("latin-1")


def base64_octets(source: Source, start: int, end: int) -> bytes:
    """A blob's content as bytes."""
    body = re.sub(r"[ \t\r\n\v\f]+", "", source.text[start:end])
    try:
        return base64.b64decode(body.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        fail(source, start, end, "a blob's content is not base64", "its padding counts; comments have no place in it")
