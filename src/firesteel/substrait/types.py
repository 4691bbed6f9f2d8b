"""Substrait types to our types and back; one table row for each kind."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cache
from typing import Any

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.functions.substrait import shapes
from firesteel.node import drive
from firesteel.repair import RepairKind
from firesteel.rules import AnchorRule, PlanRule, TypeRule
from firesteel.substrait.dialects.base import Shape
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message, new
from firesteel.substrait.own_messages import ALGEBRA_URN
from firesteel.substrait.own_types import DeclareType, read_own_type, write_own_type
from firesteel.substrait.schema import schema

#: Names of the fields of a struct that has none: Substrait gives names at the edges of a plan only.
FIELD = "_{}".format

#: Kinds without parameters.
SIMPLE: dict[str, t.Type] = {"bool" if name == "boolean" else name: type_ for name, type_ in shapes.SIMPLE.items()}

#: Kinds with parameters that are numbers.
SIZED: dict[str, Callable[[Message], t.Type]] = {
    "fixed_char": lambda m: t.Char(_size(m)),
    "varchar": lambda m: t.String(_size(m)),
    "fixed_binary": lambda m: t.Byte(_size(m)),
    "decimal": lambda m: _decimal(m),
    "precision_time": lambda m: t.Time(_digits(m)),
    "precision_timestamp": lambda m: t.Timestamp(_digits(m)),
    "precision_timestamp_tz": lambda m: t.Timestamp(_digits(m), zone=True),
    "interval_day": lambda m: t.Interval("day_time", _digits(m) if m.has("precision") else 6),
    "interval_compound": lambda m: t.Interval("compound", _digits(m)),
}


#: A decimal has no more digits, and a second no more decimals.
MOST_DIGITS, MOST_DECIMALS = 38, 12


def _size(message: Message) -> int:
    if message.length < 1:
        raise TypeRule.TYPE_PARAMETER.broken(f"a length of {message.length}", where=message.where)
    return int(message.length)


def _digits(message: Message) -> int:
    if not 0 <= message.precision <= MOST_DECIMALS:
        raise TypeRule.TYPE_PARAMETER.broken(
            f"a precision of {message.precision} digits: it is 0 to 12", where=message.where
        )
    return int(message.precision)


def _decimal(message: Message) -> t.Type:
    precision, scale = message.precision, message.scale
    if not (1 <= precision <= MOST_DIGITS and 0 <= scale <= precision):
        raise TypeRule.TYPE_PARAMETER.broken(
            f"no decimal has the precision {precision} and the scale {scale}", where=message.where
        )
    return _decimal_of(precision, scale)


@cache
def _decimal_of(precision: int, scale: int) -> t.Type:
    """Cached, so that equal decimal types are the same object and compare fast."""
    return t.Decimal(precision, scale)


def read_type(message: Message, extensions: Extensions) -> t.Type:
    """A type. Fields of structs are named by their position."""
    made: t.Type = drive(_read, message, extensions)
    return made


def _read(message: Message, extensions: Extensions) -> t.Type | Generator[Any, Any, t.Type]:
    kind = message.which("kind")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a type that says nothing", where=message.where)
    if kind == "alias":
        return _alias(message.alias, extensions)
    if kind == "user_defined_type_reference":
        return _user(message.user_defined_type_reference, True, message, extensions)
    inner: Message = message.given[kind]
    nullable = _nullable(inner)
    if inner.has("type_variation_reference"):
        meant = variation(kind, inner, extensions)
        if meant is not None:
            return t.absent(meant, nullable=nullable)
        if kind == "map" and _is_dictionary(inner, extensions):
            return _dictionary(inner, nullable, extensions)
    if kind in SIMPLE:
        return t.absent(SIMPLE[kind], nullable=nullable)
    if kind in SIZED:
        return t.absent(SIZED[kind](inner), nullable=nullable)
    if kind in _NESTED:
        return _NESTED[kind](inner, nullable, extensions)
    raise UnsupportedError(f"the type '{kind}'", where=message.where)


#: Unsigned integers in the types that hold them all, by the kind of the same bits; Arrow's columns are read so too.
UNSIGNED: dict[str, tuple[int, t.Type]] = {
    "i8": (8, t.INT16),
    "i16": (16, t.INT32),
    "i32": (32, t.INT64),
    "i64": (64, t.Decimal(20, 0)),
}
#: The variation by which DataFusion, which declares none, means unsigned integers, and maps that are dictionaries.
_OTHER_VALUES = 1


def variation(kind: str, message: Message, extensions: Extensions) -> t.Type | None:
    """The type that a variation stands for, or None if it only stores the same values in another form. Undeclared
    variations are understood for DataFusion only."""
    number = message.type_variation_reference
    declared = extensions.variations.get(number)
    ours = declared is None and extensions.dialect.writes(Shape.UNSIGNED)
    if ours and number == _OTHER_VALUES and kind in UNSIGNED:
        bits, type_ = UNSIGNED[kind]
        extensions.repair(RepairKind.UNSIGNED, message.where, bits=bits, type=kind, read_as=type_)
        return type_
    if not (ours and number == _OTHER_VALUES and kind == "map"):
        name = f"'{declared.name}'" if declared else str(number)
        repair = RepairKind.VARIATION if declared or ours else RepairKind.UNKNOWN_VARIATION
        extensions.repair(repair, message.where, variation=name, type=kind)
    return None


def _is_dictionary(message: Message, extensions: Extensions) -> bool:
    number = message.type_variation_reference
    undeclared = number == _OTHER_VALUES and number not in extensions.variations
    return undeclared and extensions.dialect.writes(Shape.DICTIONARY)


def _dictionary(message: Message, nullable: bool, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    """DataFusion's dictionary, written as a map from index to value: its type is that of the values."""
    value = yield message.value, extensions
    extensions.repair(RepairKind.DICTIONARY, message.where, type=t.proper(value))
    return t.absent(value, nullable=nullable)


#: The number of `NULLABILITY_REQUIRED`.
_REQUIRED = 2


def _nullable(message: Message) -> bool:
    return "nullability" in message.kind.by_name and message.nullability != _REQUIRED


def _struct(message: Message, nullable: bool, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    fields = []
    for i, one in enumerate(message.types, 1):
        fields.append(t.Field(FIELD(i), (yield one, extensions)))
    return t.Struct(tuple(fields), open=False, nullable=nullable)


def _list(message: Message, nullable: bool, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    return t.Array((yield message.type, extensions), nullable=nullable)


def _map(message: Message, nullable: bool, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    return t.Map((yield message.key, extensions), (yield message.value, extensions), nullable=nullable)


def _func(message: Message, nullable: bool, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    parameters = []
    for one in message.parameter_types:
        parameters.append((yield one, extensions))
    return t.Function(tuple(parameters), (yield message.return_type, extensions), nullable=nullable)


def _user_defined(message: Message, nullable: bool, extensions: Extensions) -> t.Type | Generator[Any, Any, t.Type]:
    declared = extensions.type(message.type_reference, message.where)
    if declared.urn == ALGEBRA_URN:
        return read_own_type(message, declared.name, nullable, extensions)
    if message.type_parameters:
        raise UnsupportedError("a user-defined type with parameters", where=message.where)
    return _user(message.type_reference, nullable, message, extensions)


_NESTED: dict[str, Callable[[Message, bool, Extensions], Any]] = {
    "struct": _struct,
    "list": _list,
    "map": _map,
    "func": _func,
    "user_defined": _user_defined,
}


def _user(anchor: int, nullable: bool, message: Message, extensions: Extensions) -> t.Type:
    declared = extensions.type(anchor, message.where)
    known = extensions.dialect.types.get(declared.name) if declared.urn is None else None
    if known is not None:
        extensions.repair(RepairKind.TYPE_NAME, message.where, name=declared.name, type=known)
        return t.absent(known, nullable=nullable)
    return t.UserDefined(declared.urn or "", declared.name, nullable=nullable)


def _alias(message: Message, extensions: Extensions) -> Generator[Any, Any, t.Type]:
    """A type by its anchor: an alias may stand for nothing that leads back to it."""
    seen = {message.type_alias_reference}
    target = extensions.aliases.get(message.type_alias_reference)
    while target is not None and target.which("kind") == "alias":
        if target.alias.type_alias_reference in seen:
            raise AnchorRule.CYCLE.broken("an alias of itself", where=message.where)
        seen.add(target.alias.type_alias_reference)
        target = extensions.aliases.get(target.alias.type_alias_reference)
    if target is None:
        raise AnchorRule.TYPE_ANCHOR.broken(
            f"no type is declared with the alias {message.type_alias_reference}", where=message.where
        )
    found = yield target, extensions
    return t.absent(found, nullable=_nullable(message) or found.nullable)


# ---------------------------------------------------------------------------------------------------------------------
# Writing


_NAMES: dict[t.Type, str] = {type_: kind for kind, type_ in reversed(SIMPLE.items())}


def write_type(type_: t.Type, declare: DeclareType | None = None) -> Message:
    """A type as a message. What Substrait has no type for is a type of our extension, which `declare` gives the anchor
    of; without it, such a type is refused by name, and the names of fields are left out."""
    made: Message = drive(_write, type_, declare)
    return made


def _write(type_: t.Type, declare: DeclareType | None) -> Message | Generator[Any, Any, Message]:
    found = None if type_.missable else _write_standard(type_, declare)
    if found is not None:
        return found
    if declare is not None:
        return write_own_type(type_, declare)
    if type_.missable:
        raise UnsupportedError(f"Substrait has no type for {type_}: it knows NULL, and no MISSING")
    raise UnsupportedError(f"Substrait has no type for {type_}")


def _write_standard(type_: t.Type, declare: DeclareType | None) -> Message | Generator[Any, Any, Message] | None:
    """A type that Substrait has; None for another one."""
    plain = t.proper(type_)
    if declare is not None and not _is_sized(plain):
        return None
    match plain:
        case t.Char(length=length):
            return _made("fixed_char", type_, length=length)
        case t.String(extent=int(length)):
            return _made("varchar", type_, length=length)
        case t.Byte(length=length):
            return _made("fixed_binary", type_, length=length)
        case t.Decimal(precision=int(precision), scale=scale):
            return _made("decimal", type_, precision=precision, scale=scale or 0)
        case t.Time(precision=int(digits), zone=False):
            return _made("precision_time", type_, precision=digits)
        case t.Timestamp(precision=int(digits), zone=zone):
            return _made("precision_timestamp_tz" if zone else "precision_timestamp", type_, precision=digits)
        case t.Interval(unit="day_time" | "compound" as unit, precision=int(digits)):
            return _made("interval_day" if unit == "day_time" else "interval_compound", type_, precision=digits)
        case t.Struct(open=False) if declare is None or has_no_names(plain):
            return _write_nested(type_, declare)
        case t.Array() | t.Map():
            return _write_nested(type_, declare)
        case t.Function() if declare is not None:
            return _write_nested(type_, declare)
        case t.UserDefined(urn=urn, name=name, parameters=()) if declare and urn and name and ":" not in name:
            return _made("user_defined", type_, type_reference=declare(urn, name))
    return _made(_NAMES[plain], type_) if plain in _NAMES else None


def _is_sized(type_: t.Type) -> bool:
    """Are the numbers of a type within the limits of Substrait's types?"""
    match type_:
        case t.Char(length=length) | t.String(extent=int(length)) | t.Byte(length=length):
            return length >= 1
        case t.Decimal(precision=int(precision), scale=scale):
            return 1 <= precision <= MOST_DIGITS and scale is not None and 0 <= scale <= precision
        case t.Time(precision=int(digits)) | t.Timestamp(precision=int(digits)) | t.Interval(precision=int(digits)):
            return 0 <= digits <= MOST_DECIMALS
    return True


def has_no_names(type_: t.Struct) -> bool:
    """Are its fields named by their positions, as those of structs without names are?"""
    return all(field.name == FIELD(i) for i, field in enumerate(type_.fields, 1))


def _write_nested(type_: t.Type, declare: DeclareType | None) -> Generator[Any, Any, Message]:
    match type_:
        case t.Struct():
            types = []
            for one in type_.fields:
                types.append((yield one.type, declare))
            return _made("struct", type_, types=types)
        case t.Array():
            return _made("list", type_, type=(yield type_.element, declare))
        case t.Map():
            return _made("map", type_, key=(yield type_.key, declare), value=(yield type_.value, declare))
        case t.Function():
            types = []
            for parameter in type_.parameters:
                types.append((yield parameter, declare))
            return _made("func", type_, parameter_types=types, return_type=(yield type_.returns, declare))
    raise AssertionError(type_)


def _made(kind: str, type_: t.Type, **parts: Any) -> Message:
    message = new("Type")
    field = message.kind.by_name[kind]
    inner = Message(schema().messages[field.of], message, kind)
    labels = schema().enums["substrait.Type.Nullability"].numbers
    parts["nullability"] = labels["NULLABILITY_NULLABLE" if type_.nullable else "NULLABILITY_REQUIRED"]
    for name, value in parts.items():
        if value != 0 or inner.kind.by_name[name].oneof:
            inner.given[name] = value
    message.put(field, inner)
    return message
