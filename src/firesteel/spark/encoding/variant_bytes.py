"""Values as Spark's VARIANT, byte for byte.

VARIANT holds NULL, booleans, integers of 64 bits, decimals of 38 digits, floats, text, octets, dates, timestamps with
microseconds, arrays, and objects whose keys do not repeat. Every other value is an object with the one reserved key
`TAG`, whose value is an array: the kind of the value, then what it is made of. So a bag is `{TAG: ["bag", [...]]}`.
We write and read the bytes, not JSON: so floats, dates and octets stay exact, and deep values need no recursion.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

from firesteel import values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Sexp, Struct, Symbol, Time, Timestamp, Value

#: The reserved key. A struct of the data that has this key itself is tagged as `pairs`.
TAG = "\x01"

#: Spark walks a variant on the JVM's stack; a deeper value would take the JVM down with it.
MAX_DEPTH = 500

_EPOCH_DAY = datetime.date(1970, 1, 1)
_LOW, _HIGH = -(2**63), 2**63
_DIGITS = 38


class Tagged:
    """A value that VARIANT has no type for: its tag and its parts."""

    __slots__ = ("kind", "parts")

    def __init__(self, kind: Kind, *parts: Any) -> None:
        self.kind = kind
        self.parts = parts


def tagged(value: Value) -> Tagged | None:
    """How a scalar is tagged, or None if VARIANT holds it as it is."""
    if value is MISSING:
        return Tagged(Kind.MISSING)
    if isinstance(value, Symbol):
        return Tagged(Kind.SYMBOL, str(value))
    if isinstance(value, Clob):
        return Tagged(Kind.CLOB, bytes(value))
    if type(value) is int and not _LOW <= value < _HIGH:
        return Tagged(Kind.WIDE_INT, _digits(value))
    if isinstance(value, Decimal) and not _narrow(value):
        return Tagged(Kind.WIDE_DECIMAL, str(value))
    if isinstance(value, Time):
        return Tagged(Kind.TIME, _clock(value), _nanos(value.instant))
    if isinstance(value, Timestamp) and not _native(value):
        parts = [value.year, value.month, value.day, value.precision, _clock(value)]
        return Tagged(Kind.TAGGED_TIMESTAMP, parts, _nanos(value.instant))
    if isinstance(value, Interval):
        return Tagged(Kind.INTERVAL, [value.unit, value.months], Decimal(value.nanos), [value.digits, value.fraction])
    return None


def untagged(kind: str, parts: list[Any]) -> Value:
    """The value that a tag and its parts stand for."""
    match kind, parts:
        case Kind.MISSING, _:
            return MISSING
        case Kind.SYMBOL, [text]:
            return Symbol(text)
        case Kind.CLOB, [octets]:
            return Clob(octets)
        case Kind.WIDE_INT, [text]:
            return int(Decimal(text))
        case Kind.WIDE_DECIMAL, [text]:
            return Decimal(text)
        case Kind.TIME, [clock, _]:
            return Time(*_unclock(clock))
        case Kind.TAGGED_TIMESTAMP, [[year, month, day, precision, clock], _]:
            return Timestamp(year, month, day, *_unclock(clock), precision)
        case Kind.INTERVAL, [[unit, months], nanos, [digits, fraction]]:
            return Interval(unit, int(months), int(nanos), digits, fraction)
        case Kind.BAG, [items]:
            return Bag(items)
        case Kind.SEXP, [items]:
            return Sexp(items)
        case Kind.PAIRS, [items]:
            return Struct([(name, item) for name, item in items])
        case Kind.GRAPH, [parts_]:
            return Graph(parts_)
    raise EvaluationError(f"not a value of ours: a variant tagged '{kind}'")


def _digits(value: int) -> str:
    """The digits of an integer: `str(value)` would refuse more than 4300 of them."""
    return str(Decimal(value))


def _narrow(value: Decimal) -> bool:
    sign_digits = value.as_tuple()
    exponent = sign_digits.exponent
    if not isinstance(exponent, int):
        return False
    scale, size = max(0, -exponent), len(sign_digits.digits) + max(0, exponent)
    return scale <= _DIGITS and max(size, scale) <= _DIGITS


def _clock(value: Time | Timestamp) -> list[Any]:
    return [value.hour, value.minute, f"{value.second:f}", value.offset]


def _unclock(parts: list[Any]) -> tuple[int, int, Decimal, int | None]:
    hour, minute, second, offset = parts
    return hour, minute, Decimal(second), offset


def _nanos(seconds: Decimal) -> Decimal:
    return Decimal(math.floor(seconds.scaleb(9)))


def _native(value: Timestamp) -> bool:
    """Can VARIANT's own timestamp hold it: to the second or microsecond, in UTC or without a zone?"""
    second = value.second
    micro = second.scaleb(6)
    whole = value.precision == "second" and micro == int(micro) and value.offset in (None, 0)
    return whole and value.digits == values.Timestamp(1, second=second.normalize() if second else Decimal(0)).digits


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def encode(value: Value) -> tuple[bytes, bytes] | None:
    """The two parts of a variant, value and metadata; None for MISSING, which is SQL NULL."""
    if value is MISSING:
        return None
    keys: dict[str, int] = {}
    return _write(value, keys), _metadata(list(keys))


def _write(value: Value, keys: dict[str, int]) -> bytes:
    def leaf(item: Value) -> Sized:
        return _write_leaf(item, keys), 1

    written, _ = values.fold(value, leaf, lambda box, inner: _write_box(box, inner, keys))
    return written


Sized = tuple[bytes, int]


def _write_leaf(value: Value, keys: dict[str, int]) -> bytes:
    tag = tagged(value)
    if tag is not None:
        return _write_tag(tag.kind, [_write_part(part) for part in tag.parts], keys)
    if isinstance(value, Graph):
        return _write_tag(Kind.GRAPH, [_write(value.parts, keys)], keys)
    return _scalar(value)


def _write_part(part: Any) -> bytes:
    return _array([_write_part(item) for item in part]) if isinstance(part, list) else _scalar(part)


def _write_box(value: Value, inner: list[Sized], keys: dict[str, int]) -> Sized:
    depth = 1 + max((size for _, size in inner), default=0)
    if depth > MAX_DEPTH:
        raise UnsupportedError(f"a value nests more than {MAX_DEPTH} levels deep; Spark's variants go no deeper")
    items = [data for data, _ in inner]
    if isinstance(value, Struct):
        names = [name for name, _ in value.pairs]
        kept = [(name, data) for (name, item), data in zip(value.pairs, items, strict=True) if item is not MISSING]
        if len(set(names)) < len(names) or TAG in names:
            return _write_tag(Kind.PAIRS, [_array([_array([_scalar(name), data]) for name, data in kept])], keys), depth
        return _object(kept, keys), depth
    if isinstance(value, list) and not isinstance(value, Sexp):
        return _array(items), depth
    return _write_tag(Kind.BAG if isinstance(value, Bag) else Kind.SEXP, [_array(items)], keys), depth


def _write_tag(kind: str, parts: list[bytes], keys: dict[str, int]) -> bytes:
    return _object([(TAG, _array([_scalar(kind), *parts]))], keys)


def _primitive(kind: int, data: bytes = b"") -> bytes:
    return bytes([kind << 2]) + data


def _scalar(value: Any) -> bytes:
    match value:
        case None:
            return _primitive(0)
        case bool():
            return _primitive(1 if value else 2)
        case int():
            for kind, size in ((3, 1), (4, 2), (5, 4), (6, 8)):
                if -(1 << (size * 8 - 1)) <= value < 1 << (size * 8 - 1):
                    return _primitive(kind, value.to_bytes(size, "little", signed=True))
            raise AssertionError("an int of more than 64 bits is tagged")
        case float():
            return _primitive(7, struct.pack("<d", value))
        case Decimal():
            return _decimal(value)
        case str():
            data = value.encode()
            return bytes([len(data) << 2 | 1]) + data if len(data) < 64 else _primitive(16, _sized(data))
        case bytes():
            return _primitive(15, _sized(value))
        case datetime.date():
            return _primitive(11, (value - _EPOCH_DAY).days.to_bytes(4, "little", signed=True))
        case Timestamp():
            micros = int(value.instant.scaleb(6))
            return _primitive(13 if value.offset is None else 12, micros.to_bytes(8, "little", signed=True))
    raise TypeError(f"not a value: {type(value).__name__}")


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def _decimal(value: Decimal) -> bytes:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    unscaled = int("".join(map(str, digits))) * 10 ** max(0, exponent)
    size = max(len(str(unscaled)), -exponent)
    kind, width = (8, 4) if size <= 9 else (9, 8) if size <= 18 else (10, 16)
    signed = -unscaled if sign else unscaled
    return _primitive(kind, bytes([max(0, -exponent)]) + signed.to_bytes(width, "little", signed=True))


def _width(number: int) -> int:
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 3 if number < 1 << 24 else 4


def _offsets(items: list[bytes]) -> tuple[int, list[int]]:
    places = [0]
    for item in items:
        places.append(places[-1] + len(item))
    return _width(places[-1]), places


def _array(items: list[bytes]) -> bytes:
    width, places = _offsets(items)
    large = len(items) > 255
    head = bytes([(int(large) << 2 | width - 1) << 2 | 3]) + len(items).to_bytes(4 if large else 1, "little")
    return head + b"".join(place.to_bytes(width, "little") for place in places) + b"".join(items)


def _object(pairs: list[tuple[str, bytes]], keys: dict[str, int]) -> bytes:
    """An object. Spark takes its fields to be sorted as Java sorts names, by UTF-16. The specification says by UTF-8,
    which differs where a name is beyond the basic plane."""
    pairs = sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be"))
    ids = [keys.setdefault(name, len(keys)) for name, _ in pairs]
    width, places = _offsets([data for _, data in pairs])
    id_width, large = _width(max(ids, default=0)), len(pairs) > 255
    head = bytes([(int(large) << 4 | id_width - 1 << 2 | width - 1) << 2 | 2])
    parts = [head, len(pairs).to_bytes(4 if large else 1, "little")]
    parts += [number.to_bytes(id_width, "little") for number in ids]
    parts += [place.to_bytes(width, "little") for place in places]
    return b"".join(parts) + b"".join(data for _, data in pairs)


def _metadata(keys: list[str]) -> bytes:
    items = [key.encode() for key in keys]
    width, places = _offsets(items)
    width = max(width, _width(len(items)))
    head = bytes([1 | width - 1 << 6]) + len(items).to_bytes(width, "little")
    return head + b"".join(place.to_bytes(width, "little") for place in places) + b"".join(items)


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def decode(value: bytes, metadata: bytes) -> Value:
    """The value of a variant."""
    keys = _read_keys(metadata)
    results: list[Value] = []
    stack: list[tuple[int, Callable[[list[Value]], Value] | None, int]] = [(0, None, 0)]
    while stack:
        place, build, size = stack.pop()
        if build is not None:
            inner = results[len(results) - size :] if size else []
            del results[len(results) - size :]
            results.append(build(inner))
        elif value[place] & 3 < 2:
            results.append(_read_scalar(value, place))
        else:
            build, places = _open_box(value, place, keys)
            stack.append((0, build, len(places)))
            stack.extend((inner_place, None, 0) for inner_place in reversed(places))
    return results[0]


def _number(data: bytes, place: int, width: int) -> int:
    return int.from_bytes(data[place : place + width], "little")


def _read_keys(metadata: bytes) -> list[str]:
    width = (metadata[0] >> 6 & 3) + 1
    count = _number(metadata, 1, width)
    places = [_number(metadata, 1 + width * (1 + i), width) for i in range(count + 1)]
    start = 1 + width * (count + 2)
    return [metadata[start + a : start + b].decode() for a, b in pairwise(places)]


def _open_box(data: bytes, place: int, keys: list[str]) -> tuple[Callable[[list[Value]], Value], list[int]]:
    head, is_object = data[place] >> 2, data[place] & 3 == 2
    width = (head & 3) + 1
    id_width = (head >> 2 & 3) + 1 if is_object else 0
    count_width = 4 if head >> (4 if is_object else 2) & 1 else 1
    count = _number(data, place + 1, count_width)
    ids = place + 1 + count_width
    offsets = ids + id_width * count
    start = offsets + width * (count + 1)
    places = [start + _number(data, offsets + width * i, width) for i in range(count)]
    if not is_object:
        return list, places
    names = [keys[_number(data, ids + id_width * i, id_width)] for i in range(count)]
    if names == [TAG]:
        return lambda inner: untagged(inner[0][0], inner[0][1:]), places
    return lambda inner: Struct(zip(names, inner, strict=True)), places


def _read_scalar(data: bytes, place: int) -> Value:
    head, body = data[place] >> 2, place + 1
    if data[place] & 3 == 1:
        return data[body : body + head].decode()
    match head:
        case 0:
            return None
        case 1 | 2:
            return head == 1
        case 3 | 4 | 5 | 6:
            return int.from_bytes(data[body : body + (1 << head - 3)], "little", signed=True)
        case 7:
            return struct.unpack_from("<d", data, body)[0]
        case 8 | 9 | 10:
            unscaled = int.from_bytes(data[body + 1 : body + 1 + (4 << head - 8)], "little", signed=True)
            return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -data[body]))
        case 11:
            return _EPOCH_DAY + datetime.timedelta(int.from_bytes(data[body : body + 4], "little", signed=True))
        case 12 | 13:
            micros = int.from_bytes(data[body : body + 8], "little", signed=True)
            return timestamp(micros, None if head == 13 else 0)
        case 14:
            return struct.unpack_from("<f", data, body)[0]
        case 15 | 16:
            octets = data[body + 4 : body + 4 + _number(data, body, 4)]
            return octets if head == 15 else octets.decode()
    raise UnsupportedError(f"a variant holds a value of kind {head}, which is not one of ours")


def timestamp(micros: int, offset: int | None, digits: int | None = None) -> Timestamp:
    """A timestamp of microseconds since the epoch, with as many digits as asked, or as it needs."""
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=micros)
    except OverflowError:
        raise EvaluationError("a timestamp is out of range: its year is not of four digits") from None
    second = Decimal(moment.second)
    if moment.microsecond:
        second = (second + Decimal(moment.microsecond).scaleb(-6)).normalize()
    if digits is not None:
        second = second.quantize(Decimal(1).scaleb(-digits))
    return Timestamp(moment.year, moment.month, moment.day, moment.hour, moment.minute, second, offset)
