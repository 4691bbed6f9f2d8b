"""Types and literals of a Substrait plan, each on one line."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.ion import dumps
from firesteel.node import drive
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.literals import read_literal
from firesteel.substrait.message import Message
from firesteel.substrait.types import SIMPLE, read_type

#: Longer texts are cut: the tree is for reading.
WIDTH = 160

Text = Generator[Any, str, str]
_REMOVED = ("timestamp", "timestamp_tz", "time")
_NAMES = {type_: kind for kind, type_ in SIMPLE.items() if kind not in _REMOVED}
_NAMES |= {t.BOOL: "boolean", t.ANY: "any", t.NULL: "null"}


def cut(text: str, width: int = WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def mark(what: str) -> str:
    """Something that cannot be said."""
    return f"⟨{what}⟩"


# ---------------------------------------------------------------------------------------------------------------------
# Types and literals


def type_text(type_: t.Type) -> str:
    """A type as Substrait writes it: `i64?`, `decimal<15,2>`, `list<string?>`."""
    return cut(str(drive(_type, type_)))


def _type(type_: t.Type) -> str | Text:
    plain = t.proper(type_) if not isinstance(type_, t.Any | t.Null) else type_
    end = "?" if type_.nullable and not isinstance(type_, t.Any | t.Null) else ""
    if plain in _NAMES:
        return _NAMES[plain] + end
    match plain:
        case t.Char(length=length):
            return f"fixedchar<{length}>{end}"
        case t.String(extent=int(length)):
            return f"varchar<{length}>{end}"
        case t.Byte(length=length):
            return f"fixedbinary<{length}>{end}"
        case t.Decimal(precision=int(precision), scale=scale):
            return f"decimal<{precision},{scale or 0}>{end}"
        case t.Time(precision=int(digits)):
            return f"precision_time<{digits}>{end}"
        case t.Timestamp(precision=int(digits), zone=zone):
            return f"precision_timestamp{'_tz' if zone else ''}<{digits}>{end}"
        case t.Interval(unit=str(unit), precision=digits):
            return f"interval_{unit.split('_')[0]}<{digits}>{end}"
        case t.UserDefined(name=name):
            return f"u!{name}{end}"
        case t.Struct() | t.Array() | t.Map() | t.Function():
            return _nested_type(plain, end)
        case t.Unresolved():
            return mark("not known")
    return str(type_)


def _nested_type(type_: t.Type, end: str) -> Text:
    match type_:
        case t.Struct(fields=fields):
            inner = []
            for one in fields:
                inner.append((yield (one.type,)))
            return f"struct<{', '.join(inner)}>{end}"
        case t.Array(element=element):
            return f"list<{(yield (element,))}>{end}"
        case t.Map(key=key, value=value):
            return f"map<{(yield (key,))}, {(yield (value,))}>{end}"
        case t.Function(parameters=params, returns=returns):
            given = []
            for parameter in params:
                given.append((yield (parameter,)))
            return f"func<({', '.join(given)}) -> {(yield (returns,))}>{end}"
    raise AssertionError(type_)


def declared_type(message: Message, extensions: Extensions) -> str:
    """The type that a message says."""
    try:
        return type_text(read_type(message, extensions))
    except FiresteelError:
        return mark(f"type {message.which('kind') or 'of nothing'}")


def literal(message: Message, extensions: Extensions) -> str:
    """A literal with its type, unless its own look tells: `5::i32`, `'a'`, `null::date?`."""
    try:
        type_, value = read_literal(message, extensions)
    except FiresteelError:
        return mark(f"literal {message.which('literal_type') or 'of nothing'}")
    if value is None:
        return f"null::{type_text(type_)}"
    text = "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(dumps(value))
    plain = t.proper(type_) in (t.BOOL, t.STRING)
    return cut(text) if plain else f"{cut(text)}::{type_text(t.absent(type_, nullable=False))}"
