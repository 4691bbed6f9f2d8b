"""Substrait literals to typed values; one table row for each kind of literal."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Generator
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel.errors import ParseError, PlanError, UnsupportedError
from firesteel.functions.substrait.coercion import common
from firesteel.ion import loads
from firesteel.node import drive
from firesteel.repair import RepairKind
from firesteel.substrait.extensions import STANDARD, Extensions
from firesteel.substrait.literal_fit import require_fit
from firesteel.substrait.message import Message
from firesteel.substrait.own_messages import ALGEBRA_URN
from firesteel.substrait.types import FIELD, UNSIGNED, read_type, variation
from firesteel.values import Interval, Struct, Time, Timestamp, Value

Typed = tuple[t.Type, Value]

_EPOCH = datetime.date(1970, 1, 1)
_NANOS = 10**9
#: `i8` and `i16` are stored in a 32-bit field; a value out of range is the producer's mistake.
_INTEGERS = {"i8": t.INT8, "i16": t.INT16, "i32": t.INT32, "i64": t.INT64}
_UNSIGNED = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}


def read_literal(message: Message, extensions: Extensions) -> Typed:
    """The type and the value of a literal."""
    found: Typed = drive(_read, message, extensions)
    return found


def _read(message: Message, extensions: Extensions) -> Typed | Generator[Any, Any, Typed]:
    kind = message.which("literal_type")
    if kind is None:
        raise PlanError("a literal that says nothing", where=message.where)
    if kind == "null":
        return _null(message, extensions)
    given = message.given[kind]
    if kind in _NESTED:
        return _NESTED[kind](message, given, extensions)
    if kind not in SCALARS:
        raise UnsupportedError(f"a literal of the kind '{kind}'", where=message.where)
    if message.has("type_variation_reference"):
        meant = variation(kind, message, extensions)
        if meant is not None:
            return t.absent(meant, nullable=message.nullable), _unsigned(kind, given, meant)
    type_, value = SCALARS[kind](given, message)
    return t.absent(type_, nullable=message.nullable), value


def _null(message: Message, extensions: Extensions) -> Typed:
    if message.null.which("kind") is None:
        extensions.repair(RepairKind.UNTYPED_NULL, message.where)
        return t.NULL, None
    type_ = read_type(message.null, extensions)
    if not type_.nullable:
        raise PlanError(f"a NULL of the type {type_}, which has none", where=message.where)
    return type_, None


def _unsigned(kind: str, given: int, type_: t.Type) -> Value:
    """The number from zero that has these bits."""
    number = given % (1 << UNSIGNED[kind][0])
    return Decimal(number) if isinstance(type_, t.Decimal) else number


# Scalars -------------------------------------------------------------------------------------------------------------


def _integer(kind: str) -> Callable[[Any, Message], Typed]:
    type_ = _INTEGERS[kind]
    bound = 1 << (type_.bits or 0) - 1

    def read(given: int, message: Message) -> Typed:
        if not -bound <= given < bound:
            raise PlanError(f"{given} is no {kind}", where=message.where)
        return type_, given

    return read


def _decimal(given: Message, message: Message) -> Typed:
    if len(given.value) != 16:
        raise PlanError(f"a decimal has 16 bytes, not {len(given.value)}", where=message.where)
    precision, scale = given.precision, given.scale
    if not (1 <= precision <= 38 and 0 <= scale <= precision):
        raise PlanError(f"no decimal has the precision {precision} and the scale {scale}", where=message.where)
    unscaled = int.from_bytes(given.value, "little", signed=True)
    if abs(unscaled) >= 10**precision:
        raise PlanError(f"a decimal of more than its {precision} digits", where=message.where)
    return t.Decimal(precision, scale), _scaled(unscaled, scale)


def _scaled(number: int, scale: int) -> Decimal:
    """The number with so many digits behind the point, exactly."""
    sign, digits = int(number < 0), tuple(map(int, str(abs(number))))
    return Decimal((sign, digits, -scale))


def _date(given: int, message: Message) -> Typed:
    try:
        return t.DATE, _EPOCH + datetime.timedelta(days=given)
    except OverflowError:
        raise UnsupportedError(f"the date {given:,} days from 1970", where=message.where) from None


def _timestamp(given: int, precision: int, zone: bool, message: Message) -> Typed:
    if not 0 <= precision <= 12:
        raise PlanError(f"a precision of {precision} digits: it is 0 to 12", where=message.where)
    seconds, fraction = divmod(given, 10**precision)
    days, second = divmod(seconds, 86_400)
    try:
        day = _EPOCH + datetime.timedelta(days=days)
    except OverflowError:
        raise UnsupportedError("a timestamp beyond the years 1 to 9999", where=message.where) from None
    clock = _clock(second, fraction, precision)
    value = Timestamp(day.year, day.month, day.day, *clock, 0 if zone else None)
    return t.Timestamp(precision, zone=zone), value


def _time(given: int, precision: int, message: Message) -> Typed:
    if not 0 <= precision <= 12:
        raise PlanError(f"a precision of {precision} digits: it is 0 to 12", where=message.where)
    second, fraction = divmod(given, 10**precision)
    if not 0 <= second < 86_400:
        raise PlanError("a time of day beyond the day", where=message.where)
    return t.Time(precision), Time(*_clock(second, fraction, precision))


def _clock(second: int, fraction: int, precision: int) -> tuple[int, int, Decimal]:
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return hour, minute, _scaled(second * 10**precision + fraction, precision)


def _year_month(given: Message, message: Message) -> Typed:
    return t.Interval("year_month"), Interval("year_month", months=given.years * 12 + given.months)


def _day_second(given: Message, message: Message) -> Typed:
    precision, subseconds = given.precision, given.subseconds
    if given.has("microseconds"):
        precision, subseconds = 6, given.microseconds
    if not 0 <= precision <= 9:
        raise UnsupportedError(f"an interval with {precision} digits of a second", where=message.where)
    nanos = (given.days * 86_400 + given.seconds) * _NANOS + subseconds * 10 ** (9 - precision)
    return t.Interval("day_time", precision), Interval("day_time", nanos=nanos)


def _compound(given: Message, message: Message) -> Typed:
    months = given.interval_year_to_month.years * 12 + given.interval_year_to_month.months
    type_, days = _day_second(given.interval_day_to_second, message)
    assert isinstance(type_, t.Interval)
    return t.Interval("compound", type_.precision), Interval("compound", months, days.nanos)


def _varchar(given: Message, message: Message) -> Typed:
    type_ = t.String(max(1, given.length))
    return type_, require_fit(given.value, type_, message)


def _uuid(given: bytes, message: Message) -> Typed:
    if len(given) != 16:
        raise PlanError(f"a UUID has 16 bytes, not {len(given)}", where=message.where)
    return t.Uuid(), str(uuid.UUID(bytes=given))


SCALARS: dict[str, Callable[[Any, Message], Typed]] = {
    "boolean": lambda given, _: (t.BOOL, given),
    **{kind: _integer(kind) for kind in _INTEGERS},
    "fp32": lambda given, _: (t.FLOAT32, given),
    "fp64": lambda given, _: (t.FLOAT64, given),
    "string": lambda given, _: (t.STRING, given),
    "binary": lambda given, _: (t.BLOB, given),
    "fixed_char": lambda given, _: (t.Char(max(1, len(given))), given),
    "var_char": _varchar,
    "fixed_binary": lambda given, _: (t.Byte(max(1, len(given))), given),
    "decimal": _decimal,
    "date": _date,
    "time": lambda given, message: _time(given, 6, message),
    "timestamp": lambda given, message: _timestamp(given, 6, False, message),
    "timestamp_tz": lambda given, message: _timestamp(given, 6, True, message),
    "precision_time": lambda given, message: _time(given.value, given.precision, message),
    "precision_timestamp": lambda given, message: _timestamp(given.value, given.precision, False, message),
    "precision_timestamp_tz": lambda given, message: _timestamp(given.value, given.precision, True, message),
    "interval_year_to_month": _year_month,
    "interval_day_to_second": _day_second,
    "interval_compound": _compound,
    "uuid": _uuid,
}


# What holds others ---------------------------------------------------------------------------------------------------


def _struct(message: Message, given: Message, extensions: Extensions) -> Generator[Any, Any, Typed]:
    fields, pairs = [], []
    for i, one in enumerate(given.fields, 1):
        type_, value = yield one, extensions
        fields.append(t.Field(FIELD(i), type_))
        pairs.append((FIELD(i), value))
    return t.Struct(tuple(fields), open=False, nullable=message.nullable), Struct(pairs)


def _list(message: Message, given: Message, extensions: Extensions) -> Generator[Any, Any, Typed]:
    if not given.values:
        raise PlanError("a list without elements is an 'empty_list', which says their type", where=message.where)
    types, found = [], []
    for one in given.values:
        type_, value = yield one, extensions
        types.append(type_)
        found.append(value)
    return t.Array(_one_type(types, message), nullable=message.nullable), found


def _one_type(types: list[t.Type], message: Message) -> t.Type:
    """The type of values that are of one type, each NULL or not."""
    found = common(types)
    if found is None:
        shown = " beside ".join(dict.fromkeys(str(t.proper(one)) for one in types))
        raise PlanError(f"{shown}: all elements are of one type", where=message.where)
    return t.absent(found, nullable=any(one.nullable for one in types))


def _map(message: Message, given: Message, extensions: Extensions) -> Generator[Any, Any, Typed]:
    keys, types, pairs = [], [], []
    for one in given.key_values:
        key_type, key = yield one.key, extensions
        type_, value = yield one.value, extensions
        if not isinstance(key, str):
            raise UnsupportedError("a map whose keys are not text", where=one.where)
        keys.append(key_type)
        types.append(type_)
        pairs.append((key, value))
    if not pairs:
        raise PlanError("a map without entries is an 'empty_map', which says their types", where=message.where)
    types_ = _one_type(keys, message), _one_type(types, message)
    return t.Map(*types_, nullable=message.nullable), Struct(dict(pairs))


def _empty_list(message: Message, given: Message, extensions: Extensions) -> Typed:
    return t.Array(read_type(given.type, extensions), nullable=message.nullable), []


def _empty_map(message: Message, given: Message, extensions: Extensions) -> Typed:
    types = read_type(given.key, extensions), read_type(given.value, extensions)
    return t.Map(*types, nullable=message.nullable), Struct()


def _user_defined(message: Message, given: Message, extensions: Extensions) -> Typed | Generator[Any, Any, Typed]:
    declared = extensions.type(given.type_reference, message.where)
    return (_own if declared.urn == ALGEBRA_URN else _unsigned_literal)(message, given, extensions)


def _unsigned_literal(message: Message, given: Message, extensions: Extensions) -> Generator[Any, Any, Typed]:
    """Unsigned integers, whose extension writes them as text in a struct; of other types nothing is known."""
    declared = extensions.type(given.type_reference, message.where)
    bits = _UNSIGNED.get(declared.name)
    if bits is None or given.which("val") != "struct" or len(given.struct.fields) != 1:
        raise UnsupportedError(f"a literal of the type '{declared.name}'", where=message.where)
    _, text = yield given.struct.fields[0], extensions
    if not isinstance(text, str) or not text.isdecimal() or int(text) >= 1 << bits:
        raise PlanError(f"'{text}' is no {declared.name}", where=message.where)
    urn = declared.urn or f"{STANDARD}unsigned_integers"
    return t.UserDefined(urn, declared.name, nullable=message.nullable), int(text)


#: The name of the type of our own literals: a value of the type that is its parameter, written as Ion.
OWN_VALUE = "value"


def _own(message: Message, given: Message, extensions: Extensions) -> Typed:
    """A value of one of our types, or one that Substrait has no literal for."""
    if not given.type_parameters or given.which("val") != "value":
        raise PlanError("a value of ours without its type or its Ion", where=message.where)
    type_ = read_type(given.type_parameters[0].data_type, extensions)
    try:
        return type_, loads(bytes(given.given["value"].value))
    except ParseError as error:
        raise PlanError(f"a value that is no Ion: {error.message}", where=message.where) from None


_NESTED: dict[str, Callable[[Message, Any, Extensions], Any]] = {
    "struct": _struct,
    "list": _list,
    "map": _map,
    "empty_list": _empty_list,
    "empty_map": _empty_map,
    "user_defined": _user_defined,
}
