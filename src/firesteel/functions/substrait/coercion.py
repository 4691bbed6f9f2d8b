"""Implicit casts: producers leave out casts from the type of an argument to the type that a function declares."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import types as t

_INTEGERS: tuple[type[t.Type], ...] = (t.Int8, t.Int16, t.Int32, t.Int64)
_INTEGER_NAMES = ("i8", "i16", "i32", "i64")
#: The number of decimal digits that hold every integer of the type.
DIGITS: dict[type[t.Type], int] = {t.Int8: 3, t.Int16: 5, t.Int32: 10, t.Int64: 19}
_TEXTS = ("string", "varchar", "fixedchar")
#: The length of a text type without a limit.
UNBOUNDED = 2**31 - 1
_DIGITS_OF_SECONDS = 6

#: The cost of a coercion, and the parameters of the target type (such as precision and scale), if it has any.
Coercion = tuple[int, tuple[int, ...]]


def coercion(type_: t.Type, name: str) -> Coercion | None:
    """The coercion of the type to the kind of type of that name; None if no producer can mean it."""
    if isinstance(type_, t.Text) and name in _TEXTS:
        return 1, () if name == "string" else (length(type_),)
    if isinstance(type_, t.Integer):
        return _integer(type_, name)
    if isinstance(type_, t.Decimal) and name == "fp64":
        return 7, ()
    if isinstance(type_, t.Float32) and name == "fp64":
        return 1, ()
    if isinstance(type_, t.Date) and name == "precision_timestamp":
        return 3, (_DIGITS_OF_SECONDS,)
    return None


def _integer(type_: t.Integer, name: str) -> Coercion | None:
    if name in _INTEGER_NAMES and type(type_) in _INTEGERS:
        steps = _INTEGER_NAMES.index(name) - _INTEGERS.index(type(type_))
        return (steps, ()) if steps > 0 else (20 - steps, ())  # narrowing costs more than any other coercion
    if name == "decimal" and type(type_) in DIGITS:
        return 5, (DIGITS[type(type_)], 0)
    return {"fp64": (8, ()), "fp32": (9, ())}.get(name)


#: Integers of up to this many bits are exact in the float type.
_EXACT_BITS = {t.Float32: 24, t.Float64: 53}


def loses(type_: t.Type, target: t.Type) -> bool:
    """May the cast change a number silently, as from `i64` to `fp64`? An integer cast that does not fit is an error,
    and does not count."""
    match t.proper(type_), t.proper(target):
        case (t.Decimal(), t.Float32() | t.Float64()) | (t.Float32() | t.Float64(), t.Integer() | t.Decimal()):
            return True
        case (t.Decimal(), t.Decimal() | t.Integer()) | (t.Integer(), t.Decimal()):
            precision, scale = _size(type_)
            digits, behind = _size(target)
            return scale > behind or precision - scale > digits - behind
        case t.Integer(bits=int(bits)), (t.Float32() | t.Float64()) as other:
            return bits > _EXACT_BITS[type(other)]
    return False


def bare(type_: t.Type) -> t.Type:
    """The type without nullability and without the names of fields, at any depth."""
    if isinstance(type_, t.Array):
        return t.Array(bare(type_.element))
    if isinstance(type_, t.Map):
        return t.Map(bare(type_.key), bare(type_.value))
    if isinstance(type_, t.Struct):
        return t.Struct(tuple(t.Field(None, bare(one.type)) for one in type_.fields), open=False)
    if isinstance(type_, t.UserDefined):
        return t.UserDefined("", type_.name)
    return t.proper(type_)


def length(type_: t.Text) -> int:
    """The maximum number of code points in a text of the type."""
    if isinstance(type_, t.Char):
        return type_.length
    return (type_.extent if isinstance(type_, t.String) else None) or UNBOUNDED


def common(types: Sequence[t.Type]) -> t.Type | None:
    """The type that values of all these types can be cast to; None if there is none. Its own nullability is not set."""
    found = [t.proper(one) for one in types if not isinstance(one, t.Null)]
    if not found:
        return t.NULL
    made = found[0]
    for one in found[1:]:
        both = _common(made, one)
        if both is None:
            return None
        made = both
    return made


def _common(a: t.Type, b: t.Type) -> t.Type | None:
    if a == b:
        return a
    match a, b:
        case t.Text(), t.Text():
            return t.STRING
        case (t.Decimal(), t.Decimal() | t.Integer()) | (t.Integer(), t.Decimal()):
            return _decimal(a, b)
        case t.Number(), t.Number():
            return t.numeric(a, b) if not _mixes(a, b) else t.FLOAT64
        case t.Octets(), t.Octets():
            return t.BLOB
        case (t.Date(), t.Timestamp(zone=False)) | (t.Timestamp(zone=False), t.Date()):
            return a if isinstance(a, t.Timestamp) else b
        case t.Timestamp(), t.Timestamp() if a.zone == b.zone:
            return t.Timestamp(max(a.precision or 0, b.precision or 0), zone=a.zone)
        case t.Time(), t.Time():
            return t.Time(max(a.precision or 0, b.precision or 0))
        case t.Interval(), t.Interval() if a.unit == b.unit:
            return t.Interval(a.unit, max(a.precision or 0, b.precision or 0))
    return _nested(a, b)


def _mixes(a: t.Type, b: t.Type) -> bool:
    return isinstance(a, t.Float32 | t.Float64) != isinstance(b, t.Float32 | t.Float64)


def _decimal(a: t.Type, b: t.Type) -> t.Type:
    """The narrowest decimal that holds both; if it had more than 38 digits, the scale is reduced."""
    sizes = [_size(a), _size(b)]
    before, behind = max(p - s for p, s in sizes), max(s for _, s in sizes)
    return t.Decimal(min(38, before + behind), min(behind, max(0, 38 - before)))


def _size(type_: t.Type) -> tuple[int, int]:
    return (type_.precision or 38, type_.scale or 0) if isinstance(type_, t.Decimal) else (DIGITS[type(type_)], 0)


def _nested(a: t.Type, b: t.Type) -> t.Type | None:
    """The common type of two containers of the same kind: their contents' common types, nullable if either is."""
    if isinstance(a, t.Array) and isinstance(b, t.Array):
        element = _flagged(a.element, b.element)
        return None if element is None else t.Array(element)
    if isinstance(a, t.Map) and isinstance(b, t.Map):
        key, value = _flagged(a.key, b.key), _flagged(a.value, b.value)
        return None if key is None or value is None else t.Map(key, value)
    if isinstance(a, t.Struct) and isinstance(b, t.Struct) and len(a.fields) == len(b.fields):
        fields = []
        for x, y in zip(a.fields, b.fields, strict=True):
            both = _flagged(x.type, y.type)
            if both is None:
                return None
            fields.append(t.Field(x.name, both))
        return t.Struct(tuple(fields), open=False)
    return None


def _flagged(a: t.Type, b: t.Type) -> t.Type | None:
    both = common((a, b))
    return None if both is None else t.absent(both, nullable=a.nullable or b.nullable)
