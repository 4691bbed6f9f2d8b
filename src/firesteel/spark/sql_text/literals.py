"""Identifiers, literals and types as Spark SQL text that means the same under every setting of Spark's parser.

A string stands in quotes only if nothing in it could be an escape, the end of the string, or a variable (`${...}`); any
other string is written as the hexadecimal digits of its UTF-8. An identifier stands in backquotes, which are doubled
in it; generated names need none.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

from firesteel.errors import FiresteelError

#: Names that we generate: no keywords, no capitals.
GENERATED = re.compile(r"[a-z]{1,2}[0-9]+")
#: What stands in quotes as it is: no control characters, quotes, backslashes, and no `$` before a brace.
_SAFE = re.compile(r"(?:[^\x00-\x1f\x7f'\"\\$]|\$(?!\{))*")


class NoTextError(FiresteelError):
    """Something has no form as SQL text."""


def identifier(name: str) -> str:
    """A name, quoted."""
    if GENERATED.fullmatch(name):
        return name
    if not name or "${" in name:
        raise NoTextError(f"the name {name!r} cannot be written in Spark's SQL")
    return "`" + _encodable(name).replace("`", "``") + "`"


def string(value: str) -> str:
    """A string literal."""
    if _SAFE.fullmatch(value):
        return f"'{_encodable(value)}'"
    return f"decode(X'{_encodable(value).encode().hex().upper()}', 'UTF-8')"


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoTextError("half of a surrogate pair cannot be written in a text") from None
    return text


def literal(value: Any) -> str:
    """A value as a literal of the type that `lit` gives it."""
    if isinstance(value, Enum):
        value = value.value
    write = _LITERALS.get(type(value))
    if write is None:
        raise NoTextError(f"a literal of class {type(value).__name__} has no form in Spark's SQL")
    return write(value)


def _whole(value: int) -> str:
    if -(2**31) <= value < 2**31:
        return str(value)
    if -(2**63) <= value < 2**63:
        return f"{value}L"
    raise NoTextError(f"{value} is too large for a literal")


def _double(value: float) -> str:
    if math.isfinite(value):
        return f"{value!r}D"
    return f"CAST('{'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'}' AS DOUBLE)"


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise NoTextError(f"the decimal {value} has no form in Spark's SQL")
    return f"{value:f}BD"


_LITERALS: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "NULL",
    bool: lambda value: "TRUE" if value else "FALSE",
    int: _whole,
    float: _double,
    Decimal: _decimal,
    str: string,
    bytes: lambda value: f"X'{value.hex().upper()}'",
    bytearray: lambda value: f"X'{value.hex().upper()}'",
    datetime.date: lambda value: f"DATE '{value.isoformat()}'",
}


_DECIMAL_TYPE = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_DIGITS = re.compile(r"-?(\d+)(?:\.(\d+))?")


def literal_of_type(value: Any, type_: str) -> str | None:
    """The literal of a value in a type that literals of its class do not have by themselves; None if SQL has none."""
    match value:
        case str() if type_ == "STRING":
            return string(value)
        case bool():
            return None
        case int() if type_ == "BIGINT":
            return f"{value}L" if -(2**63) <= value < 2**63 else None
        case int() | str():
            return _decimal_of_type(str(value), type_)
    return None


def _decimal_of_type(text: str, type_: str) -> str | None:
    """A decimal literal. Its digits tell its type: `0.05BD` is a DECIMAL(2,2)."""
    asked, digits = _DECIMAL_TYPE.fullmatch(type_), _DIGITS.fullmatch(text)
    if asked is None or digits is None or not text.isascii():
        return None
    scale = len(digits[2] or "")
    precision = max(len((digits[1] + (digits[2] or "")).lstrip("0")) or 1, scale)
    return f"{text}BD" if (precision, scale) == (int(asked[1]), int(asked[2])) else None


def type_name(type_: Any) -> str:
    """A type, given by its name in our own code or as PySpark's object."""
    if isinstance(type_, str):
        return type_.upper()
    fields = getattr(type_, "fields", None)
    if fields is not None:
        return f"STRUCT<{', '.join(f'{identifier(one.name)}: {type_name(one.dataType)}' for one in fields)}>"
    if hasattr(type_, "elementType"):
        return f"ARRAY<{type_name(type_.elementType)}>"
    if hasattr(type_, "keyType"):
        return f"MAP<{type_name(type_.keyType)}, {type_name(type_.valueType)}>"
    name: str = type_.simpleString()
    return name.upper()
