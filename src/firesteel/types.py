"""One type lattice for PartiQL and Substrait.

`nullable` and `missable` are separate flags: values of a type may be NULL, or MISSING, or both, or neither. A type
without either flag holds only proper values. `ANY` holds everything.

What PartiQL and Substrait both have is one class: Substrait's `fixedchar<n>` is `Char(n)`, `varchar<n>` is
`String(n)`, `fixedbinary<n>` is `Byte(n)`, `i32` is `Int32`, `list` is `Array`, `struct` is a closed `Struct`.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import Any as _Any

from firesteel import values
from firesteel.node import Node, children, fields, fold


class Type(Node, atom=True):
    """The type of an expression or a column."""

    _: KW_ONLY
    nullable: bool = False
    missable: bool = False

    def __str__(self) -> str:
        return text(self)

    @property
    def absent(self) -> bool:
        """May hold NULL or MISSING."""
        return self.nullable or self.missable


# Any value, NULL, MISSING.


class Any(Type, tag="any"):
    """Any value, NULL and MISSING included."""

    _: KW_ONLY
    nullable: bool = True
    missable: bool = True


class Null(Type, tag="null"):
    """Only NULL."""

    _: KW_ONLY
    nullable: bool = True


class Missing(Type, tag="missing"):
    """Only MISSING."""

    _: KW_ONLY
    missable: bool = True


class Unresolved(Type, tag="unresolved"):
    """A name that a document leaves open (`($type ?)`); `check` names it, nothing runs with it."""

    name: str


# Numbers.


class Number(Type):
    """The numeric types."""


class Integer(Number):
    """The exact integers; `bits` is None where there is no bound."""

    @property
    def bits(self) -> int | None:
        return _BITS[type(self)]


class Int8(Integer, tag="int8"):
    """Signed, one byte."""


class Int16(Integer, tag="int16"):
    """Signed, two bytes."""


class Int32(Integer, tag="int32"):
    """Signed, four bytes."""


class Int64(Integer, tag="int64"):
    """Signed, eight bytes."""


class Int(Integer, tag="int"):
    """Signed, of any size."""


_BITS: dict[type, int | None] = {Int8: 8, Int16: 16, Int32: 32, Int64: 64, Int: None}


class Decimal(Number, tag="decimal"):
    """Exact decimal; without a precision it is as wide as the value needs."""

    precision: int | None = None
    scale: int | None = None


class Float32(Number, tag="float32"):
    """IEEE 754, 32 bits."""


class Float64(Number, tag="float64"):
    """IEEE 754, 64 bits."""


class Bool(Type, tag="bool"):
    """True or false."""


# Text and octets.


class Text(Type):
    """Unicode text."""


class Char(Text, tag="char"):
    """Text of just `length` code points."""

    length: int = 1


class String(Text, tag="string"):
    """Text of any length, or of at most `extent` code points."""

    extent: int | None = None


class Symbol(Text, tag="symbol"):
    """Ion's symbols: text that, as the key of a path, matches in any case."""


class Octets(Type):
    """Bits and bytes."""


class Bit(Octets, tag="bit"):
    """Bit string of just `length` bits."""

    length: int = 1


class Binary(Octets, tag="binary"):
    """Bit string of any length, or of at most `extent` bits."""

    extent: int | None = None


class Byte(Octets, tag="byte"):
    """Octet string of just `length` octets."""

    length: int = 1


class Blob(Octets, tag="blob"):
    """Octet string of any length, or of at most `extent` octets."""

    extent: int | None = None


class Clob(Octets, tag="clob"):
    """Ion's character octets."""


# Time.


class Temporal(Type):
    """Dates, times, timestamps, intervals."""


class Date(Temporal, tag="date"):
    """A day, without a time."""


class Time(Temporal, tag="time"):
    """A time of day with `precision` digits of a second, with an offset if `zone`."""

    precision: int | None = None
    _: KW_ONLY
    zone: bool = False


class Timestamp(Temporal, tag="timestamp"):
    """A day and time with `precision` digits of a second, an instant if `zone`."""

    precision: int | None = None
    _: KW_ONLY
    zone: bool = False


class Interval(Temporal, tag="interval"):
    """A length of time: `year_month`, `day_time`, or both (`compound`)."""

    unit: str | None = None
    precision: int | None = None


# Collections and structures.


class Collection(Type):
    """The collection types."""

    element: Type


class Bag(Collection, tag="bag"):
    """Values without an order, duplicates kept."""

    element: Type = Any()


class Array(Collection, tag="array"):
    """Values in order."""

    element: Type = Any()


class Sexp(Collection, tag="sexp"):
    """Ion's s-expressions; they range like arrays."""

    element: Type = Any()


class Field(Node, atom=True):
    """A named column of a schema, or attribute of a struct; an attribute that may be absent has a missable type."""

    name: str | None
    type: Type


class Struct(Type, tag="struct"):
    """A tuple: `open` says that other attributes than the listed ones may be there."""

    fields: tuple[Field, ...] = ()
    _: KW_ONLY
    open: bool = True

    def field(self, name: str) -> Type | None:
        """The type of the first attribute of that exact name, if it is listed."""
        for field in self.fields:
            if field.name == name:
                return field.type
        return None


class Map(Type, tag="map"):
    """Substrait's map: keys of one type, values of one type."""

    key: Type
    value: Type


class Uuid(Type, tag="uuid"):
    """A universally unique identifier."""


class Graph(Type, tag="graph"):
    """PartiQL's graphs of nodes and edges."""


class Function(Type, tag="func"):
    """The type of a lambda."""

    parameters: tuple[Type, ...]
    returns: Type


class UserDefined(Type, tag="user"):
    """A type that an extension declares."""

    urn: str
    name: str
    parameters: tuple[Type | int | str, ...] = ()


class Union(Type, tag="union"):
    """One of several types, none of them a union, NULL or MISSING: those are flags. Built by `union`."""

    members: tuple[Type, ...]


ANY = Any()
NULL = Null()
MISSING = Missing()
BOOL = Bool()
INT8, INT16, INT32, INT64, INT = Int8(), Int16(), Int32(), Int64(), Int()
DECIMAL = Decimal()
FLOAT32, FLOAT64 = Float32(), Float64()
STRING, SYMBOL, CLOB, BLOB = String(), Symbol(), Clob(), Blob()
DATE, TIME, TIMESTAMP, INTERVAL = Date(), Time(), Timestamp(), Interval()
STRUCT = Struct()
BAG, ARRAY, SEXP = Bag(ANY), Array(ANY), Sexp(ANY)

Schema = tuple[Field, ...]


# ---------------------------------------------------------------------------------------------------------------------
# The lattice


def absent(type_: Type, *, nullable: bool | None = None, missable: bool | None = None) -> Type:
    """The type with its flags set as asked; those of `any`, `null` and `missing` are what they are."""
    if isinstance(type_, (Any, Null, Missing)):
        return type_
    if nullable is None:
        nullable = type_.nullable
    if missable is None:
        missable = type_.missable
    if nullable is type_.nullable and missable is type_.missable:
        return type_
    variants: dict[tuple[bool, bool], Type] | None = type_.__dict__.get("_variants")
    if variants is None:
        variants = {}
        object.__setattr__(type_, "_variants", variants)
    made = variants.get((nullable, missable))
    if made is None:
        made = variants[nullable, missable] = type_.replace(nullable=nullable, missable=missable)
    return made


def proper(type_: Type) -> Type:
    """The type of the values that are neither NULL nor MISSING."""
    return absent(type_, nullable=False, missable=False)


def padded(type_: Type) -> Type:
    """The type after an operator that pads with NULL."""
    return union((type_, NULL))


def members(type_: Type) -> tuple[Type, ...]:
    """What a type is a union of: itself, unless it is one."""
    return type_.members if isinstance(type_, Union) else (type_,)


def union(types: Iterable[Type]) -> Type:
    """The least type that holds what any of these holds, without giving up precision: a union where they differ."""
    flat: list[Type] = []
    whole: set[Type] = set()
    nullable = missable = False
    for type_ in types:
        if isinstance(type_, Any):
            return ANY
        nullable |= type_.nullable
        missable |= type_.missable
        if not isinstance(type_, (Null, Missing)):
            whole.add(proper(type_))
        for member in members(type_):
            plain = proper(member)
            if not isinstance(plain, (Null, Missing)) and plain not in flat:
                flat.append(plain)
    if not flat:
        if nullable:
            return Null(missable=True) if missable else NULL
        return MISSING
    if len(whole) == 1:  # a union of one type is that type, with what its class says of it
        return absent(whole.pop(), nullable=nullable, missable=missable)
    if len(flat) == 1:
        return absent(flat[0], nullable=nullable, missable=missable)
    return Union(tuple(sorted(flat, key=text)), nullable=nullable, missable=missable)


def merge(types: Iterable[Type]) -> Type:
    """A type that holds what any of these holds, as data wants it: structs become one struct in which an attribute
    that is not everywhere may be MISSING, collections one collection. Coarser than `union`, and never larger than
    what it comes from."""
    whole = union(dict.fromkeys(types))
    if type(whole) is not Union:  # a subclass is one type, whatever its members
        return whole
    kinds: dict[type, list[Type]] = {}
    for member in whole.members:
        kinds.setdefault(type(member) if isinstance(member, Struct | Collection) else Type, []).append(member)
    parts = [*kinds.pop(Type, []), *(_merge_kind(alike) for alike in kinds.values())]
    return absent(union(parts), nullable=whole.nullable, missable=whole.missable)


def _merge_kind(alike: list[Type]) -> Type:
    """Several structs, or several collections of one kind, as one."""
    first = alike[0]
    if len(alike) == 1:
        return first
    if isinstance(first, Collection):
        return type(first)(merge(c.element for c in alike if isinstance(c, Collection)))
    structs = [s for s in alike if isinstance(s, Struct)]
    if any(len({f.name for f in s.fields}) != len(s.fields) for s in structs):
        return STRUCT  # a repeated name has no single type
    names = dict.fromkeys(f.name for s in structs for f in s.fields)
    fields_ = tuple(Field(name, merge(_field(s, name) for s in structs)) for name in names)
    return Struct(fields_, open=any(s.open for s in structs))


def _field(struct: Struct, name: str | None) -> Type:
    """The type of an attribute, listed or not."""
    return struct.field(name or "") or (ANY if struct.open else MISSING)


def overlap(a: Type, b: Type) -> bool:
    """May a value be of both types? What `check` calls a contradiction is a type that cannot be."""
    if a is b:
        return True
    if isinstance(a, Any | Unresolved) or isinstance(b, Any | Unresolved):
        return True
    if (a.nullable and b.nullable) or (a.missable and b.missable):
        return True
    return any(_family(x) is _family(y) for x in members(a) for y in members(b))


def within(a: Type, b: Type) -> bool:
    """Is every value of `a` one of `b`?"""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if isinstance(y, Any) or x == y:
            continue
        if isinstance(x, Any) or (x.nullable and not y.nullable) or (x.missable and not y.missable):
            return False
        if isinstance(x, Null | Missing):
            continue
        if isinstance(x, Union):
            stack.extend((member, proper(y)) for member in x.members)
        elif isinstance(y, Union):
            if not any(_fits(proper(x), member) for member in y.members):
                return False
        elif not _fits(x, y):
            return False
        elif isinstance(x, Collection) and isinstance(y, Collection):
            stack.append((x.element, y.element))
        elif isinstance(x, Struct) and isinstance(y, Struct):
            stack.extend((_field(x, f.name), f.type) for f in y.fields)
    return True


def _fits(x: Type, y: Type) -> bool:
    """`within` for two types that are no unions, at the top level."""
    if isinstance(x, Integer) and isinstance(y, Integer):
        return y.bits is None or (x.bits is not None and x.bits <= y.bits)
    if isinstance(x, Float32) and isinstance(y, Float64):
        return True
    if isinstance(x, Decimal) and isinstance(y, Decimal):
        if y.precision is None:
            return True
        if x.precision is None:
            return False
        xs, ys = x.scale or 0, y.scale or 0
        return xs <= ys and x.precision - xs <= y.precision - ys
    if isinstance(x, Char | String) and isinstance(y, String):
        size = x.length if isinstance(x, Char) else x.extent
        return y.extent is None or (size is not None and size <= y.extent)
    if isinstance(x, Byte | Blob) and isinstance(y, Blob):
        size = x.length if isinstance(x, Byte) else x.extent
        return y.extent is None or (size is not None and size <= y.extent)
    if isinstance(x, Time | Timestamp) and type(x) is type(y):
        return x.zone == y.zone and (y.precision is None or (x.precision is not None and x.precision <= y.precision))
    if isinstance(x, Interval) and isinstance(y, Interval):
        return y.unit is None or (x.unit == y.unit and y.precision in (None, x.precision))
    if isinstance(x, Struct) and isinstance(y, Struct):
        return y.open or not x.open
    if isinstance(x, Collection) and isinstance(y, Collection):
        return type(x) is type(y)
    return proper(x) == proper(y)


_FAMILIES = (Number, Bool, Text, Octets, Date, Time, Timestamp, Interval, Bag, Collection, Struct, Map)


def _family(type_: Type) -> type:
    for family in _FAMILIES:
        if isinstance(type_, family):
            return family
    return type(type_)


def numeric(a: Type, b: Type) -> Type:
    """The type that two numbers meet in: the wider one, floats over decimals over integers. Without flags."""
    if isinstance(a, Float64) or isinstance(b, Float64):
        return FLOAT64
    if isinstance(a, Float32) and isinstance(b, Float32):
        return FLOAT32
    if isinstance(a, Float32) or isinstance(b, Float32):
        return FLOAT64
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return DECIMAL
    if isinstance(a, Integer) and isinstance(b, Integer):
        return proper(a if b.bits is not None and (a.bits is None or a.bits >= b.bits) else b)
    return union((proper(a), proper(b)))


# ---------------------------------------------------------------------------------------------------------------------
# Types of values, and types as text


def type_of(value: _Any) -> Type:
    """The most precise type of a value."""
    return values.fold(value, _leaf_type, _container_type)


def _leaf_type(value: _Any) -> Type:
    if isinstance(value, values.Timestamp):
        return Timestamp(value.digits, zone=value.offset is not None)
    if isinstance(value, values.Time):
        return Time(value.digits, zone=value.offset is not None)
    if isinstance(value, values.Interval):
        return Interval(value.unit)
    if type(value) is int:
        return INT64 if -(2**63) <= value < 2**63 else INT
    known = _LEAF_TYPES.get(type(value))
    if known is not None:
        return known
    for cls, type_ in _LEAVES:
        if isinstance(value, cls):
            return type_
    raise TypeError(f"not a value: {type(value).__name__}")


_LEAVES: tuple[tuple[type, Type], ...] = (
    (type(None), NULL),
    (values.Missing, MISSING),
    (bool, BOOL),
    (float, FLOAT64),
    (decimal.Decimal, DECIMAL),
    (values.Symbol, SYMBOL),
    (str, STRING),
    (values.Clob, CLOB),
    (bytes, BLOB),
    (datetime.date, DATE),
    (values.Graph, Graph()),
)
_LEAF_TYPES: dict[type, Type] = dict(_LEAVES)


def _container_type(value: _Any, inner: list[Type]) -> Type:
    if isinstance(value, values.Struct):
        names = [name for name, _ in value.pairs]
        fields_ = tuple(Field(name, type_) for name, type_ in zip(names, inner, strict=True))
        return Struct(fields_, open=False)
    element = merge(inner) if inner else ANY
    return {values.Bag: Bag, values.Sexp: Sexp}.get(type(value), Array)(element)


def text(type_: Type) -> str:
    """A type for people: `int64`, `string?` (may be NULL), `string~` (may be MISSING), `bag(struct(a int64, ...))`."""
    known: str | None = type_.__dict__.get("_shown")
    if known is None:
        known = type_.__dict__["_shown"] = fold(type_, _cut)
    return known


#: Longer texts are cut: a small type that shares its parts can stand for one that would fill the memory.
MAX_TEXT = 1_000


def _cut(node: Node, inner: list[str]) -> str:
    whole = _text(node, inner)
    return whole if len(whole) <= MAX_TEXT else whole[: MAX_TEXT - 1] + "…"


def _text(node: Node, inner: list[str]) -> str:
    if isinstance(node, Field):
        return f"{node.name} {inner[0]}" if node.name is not None else inner[0]
    if isinstance(node, Unresolved):
        return f"unresolved({node.name})"
    assert isinstance(node, Type)
    if isinstance(node, Union):
        body = f"union({', '.join(inner)})"
    elif isinstance(node, Struct):
        body = f"struct({', '.join([*inner, '...'] if node.open else inner)})"
    elif isinstance(node, UserDefined):
        body = f"{node.urn}/{node.name}"
    elif children(node):
        body = f"{node.tag}({', '.join(inner)})"
    else:
        own = [getattr(node, f.name) for f in fields(type(node)) if not f.named]
        args = [str(arg) for arg in own if arg is not None]
        body = node.tag + (f"({','.join(args)})" if args else "")
        if getattr(node, "zone", False):
            body += " with zone"
    if isinstance(node, Any | Null | Missing):
        return body
    return body + ("?" if node.nullable else "") + ("~" if node.missable else "")
