"""Typed values to Substrait literals. What Substrait has no literal for is one of our extension: a value as Ion."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Generator
from decimal import Context, Decimal
from typing import Any

from firesteel import types as t
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.ion import dumps
from firesteel.node import canonical, drive
from firesteel.substrait.extensions import Declared, Extensions
from firesteel.substrait.literals import OWN_VALUE, read_literal
from firesteel.substrait.message import Message, message, new
from firesteel.substrait.own_messages import ALGEBRA_URN
from firesteel.substrait.own_types import DeclareType
from firesteel.substrait.schema import schema
from firesteel.substrait.types import write_type
from firesteel.values import Interval, Value

_EPOCH = datetime.date(1970, 1, 1)
_NANOS = 10**9
#: A context wide enough that no digits are lost.
_EXACT = Context(prec=100)


def write_literal(type_: t.Type, value: Value, declare: DeclareType | None = None) -> Message:
    """A value of that type as a literal. What Substrait has no literal for is one of ours, if `declare` gives anchors
    of types; otherwise it is refused by name."""
    if declare is None:
        made: Message = drive(_write, type_, value, None)
        return made
    return _standard(type_, value, declare) or _own(type_, value, declare)


def _standard(type_: t.Type, value: Value, declare: DeclareType) -> Message | None:
    """The standard literal, if it is read as this type and this value."""
    known: dict[int, Declared] = {}

    def remember(urn: str, name: str) -> int:
        anchor = declare(urn, name)
        known[anchor] = Declared(urn, name)
        return anchor

    try:
        made: Message = drive(_write, type_, value, remember)
        found, read = read_literal(made, Extensions(types=known))
    except (FiresteelError, AttributeError, TypeError, ValueError, ArithmeticError):
        return None
    return made if found == type_ and canonical(read) == canonical(value) else None


def _own(type_: t.Type, value: Value, declare: DeclareType) -> Message:
    parameter = message("Type.Parameter", data_type=write_type(type_, declare))
    held = Message(schema().messages["google.protobuf.Any"])
    held.given.update(type_url="type.googleapis.com/firesteel.Ion", value=dumps(value, binary=True))
    anchor = declare(ALGEBRA_URN, OWN_VALUE)
    made = message("Expression.Literal.UserDefined", type_reference=anchor, type_parameters=[parameter], value=held)
    return message("Expression.Literal", user_defined=made, nullable=type_.nullable)


def _write(type_: t.Type, value: Value, declare: DeclareType | None) -> Message | Generator[Any, Any, Message]:
    literal = new("Expression.Literal")
    if value is None:
        return _put(literal, "null", write_type(t.absent(type_, nullable=True), declare))
    if type_.nullable:
        literal.given["nullable"] = True
    match t.proper(type_):
        case t.Array() | t.Struct() | t.Map():
            return _write_nested(literal, t.proper(type_), value, declare)
        case t.Decimal(precision=int(precision), scale=scale):
            unscaled = int(_EXACT.scaleb(value, scale or 0))
            octets = unscaled.to_bytes(16, "little", signed=True)
            return _put(literal, "decimal", value=octets, precision=precision, scale=scale or 0)
        case t.Date():
            return _put(literal, "date", (value - _EPOCH).days)
        case t.Time(precision=int(digits)):
            return _put(literal, "precision_time", precision=digits, value=_units(value.instant, digits))
        case t.Timestamp(precision=int(digits), zone=zone):
            kind = "precision_timestamp_tz" if zone else "precision_timestamp"
            return _put(literal, kind, precision=digits, value=_units(value.instant, digits))
        case t.Interval(unit="year_month"):
            return _put(literal, "interval_year_to_month", years=0, months=value.months)
        case t.Interval(unit="day_time", precision=digits):
            return _put(literal, "interval_day_to_second", **_days(value, 6 if digits is None else digits))
        case t.Interval(unit="compound", precision=int(digits)):
            days = message("Expression.Literal.IntervalDayToSecond", **_days(value, digits))
            months = message("Expression.Literal.IntervalYearToMonth", months=value.months)
            return _put(literal, "interval_compound", interval_year_to_month=months, interval_day_to_second=days)
        case t.String(extent=int(length)):
            return _put(literal, "var_char", value=str(value), length=length)
        case t.Uuid():
            return _put(literal, "uuid", uuid.UUID(value).bytes)
    kind, python = next(((kind, python) for plain, kind, python in _PLAIN if isinstance(type_, plain)), ("", object))
    if not kind:
        raise UnsupportedError(f"Substrait has no literal of type {type_}")
    if not isinstance(value, python) or (python is int and isinstance(value, bool)):
        raise TypeError(f"{value!r} is no {type_}")
    return _put(literal, kind, value)


_PLAIN: tuple[tuple[type[t.Type], str, type], ...] = (
    *((t.Bool, "boolean", bool), (t.Int8, "i8", int), (t.Int16, "i16", int), (t.Int32, "i32", int)),
    *((t.Int64, "i64", int), (t.Float32, "fp32", float), (t.Float64, "fp64", float)),
    *((t.String, "string", str), (t.Char, "fixed_char", str)),
    *((t.Blob, "binary", bytes), (t.Byte, "fixed_binary", bytes)),
)


def _units(instant: Decimal, digits: int) -> int:
    units = int(_EXACT.scaleb(instant, digits))
    if abs(units) >= 1 << 63:
        raise UnsupportedError(f"a moment with {digits} digits of a second is too far from 1970 for 64 bits")
    return units


def _days(value: Interval, digits: int) -> dict[str, int]:
    days, rest = divmod(value.nanos, 86_400 * _NANOS)
    seconds, nanos = divmod(rest, _NANOS)
    return {"days": days, "seconds": seconds, "precision": digits, "subseconds": nanos // 10 ** (9 - digits)}


def _write_nested(
    literal: Message, type_: t.Type, value: Value, declare: DeclareType | None
) -> Generator[Any, Any, Message]:
    match type_:
        case t.Struct():
            fields = []
            for field, (_, item) in zip(type_.fields, value.pairs, strict=True):
                fields.append((yield field.type, item, declare))
            return _put(literal, "struct", fields=fields)
        case t.Array():
            if not value:
                return _put(literal, "empty_list", write_type(type_, declare).list)
            found = []
            for item in value:
                found.append((yield type_.element, item, declare))
            return _put(literal, "list", values=found)
        case t.Map():
            if not value.pairs:
                return _put(literal, "empty_map", write_type(type_, declare).map)
            entries = []
            for key, item in value.pairs:
                entry = new("Expression.Literal.Map.KeyValue")
                entry.given.update(key=(yield type_.key, key, declare), value=(yield type_.value, item, declare))
                entries.append(entry)
            return _put(literal, "map", key_values=entries)
    raise AssertionError(type_)


def _put(literal: Message, kind: str, given: Any = None, /, **parts: Any) -> Message:
    """Set the one field of a literal that says what it is, to a value or to a message of these parts."""
    field = literal.kind.by_name[kind]
    if given is None:
        given = Message(schema().messages[field.of], literal, kind)
        given.given.update({name: part for name, part in parts.items() if part != 0 or given.kind.by_name[name].oneof})
    literal.put(field, given)
    return literal
