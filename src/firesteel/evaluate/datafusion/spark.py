"""The functions of Spark SQL that DataFusion has under Spark's names."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import urllib.parse
import zlib
from collections.abc import Callable
from fractions import Fraction

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import bits
from firesteel.values import Struct, Value


def _size(type_: t.Type) -> int:
    return bits(t.proper(type_))[0] if isinstance(t.proper(type_), t.Integer) else 64


def _unsigned_shift(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], int]:
    size = _size(fn.returns)

    def apply(value: Value, by: Value) -> int:
        made: int = (whole(value) & (1 << size) - 1) >> (whole(by) % size)
        return made - (1 << size) if made >> size - 1 else made

    return apply


def _bit_get(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], int]:
    size = _size(types[0])

    def apply(value: Value, place: Value) -> int:
        if not 0 <= place < size:
            raise EvaluationError(f"bit_get: {place} is no place of {size} bits")
        return whole(value) >> whole(place) & 1

    return apply


def _bit_count(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value], int]:
    return lambda value: int(value).bit_count() if value >= 0 else (int(value) & (1 << 64) - 1).bit_count()


def _luhn(text: str) -> bool:
    if not text or not text.isascii() or not text.isdigit():
        return False
    total = 0
    for i, symbol in enumerate(reversed(text)):
        number = int(symbol) * (1 + i % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _octets(value: Value) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _hex(value: Value) -> str:
    if isinstance(value, str | bytes):
        return _octets(value).hex().upper()
    return format(whole(value) & (1 << 64) - 1, "X")


def _unhex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text if len(text) % 2 == 0 else "0" + text) if not text.count(" ") else None
    except ValueError:
        return None


def _unbase64(text: Value) -> bytes:
    try:
        data = _octets(text)
        return base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except binascii.Error as error:
        raise EvaluationError(f"unbase64: {error}") from None


def _is_utf8(value: Value) -> bool:
    try:
        _octets(value).decode()
    except UnicodeDecodeError:
        return False
    return True


def _url_decode(text: str) -> str:
    try:
        for part in text.split("%")[1:]:
            int(part[:2] if len(part) >= 2 else "-", 16)
        return urllib.parse.unquote_plus(text, errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise EvaluationError(f"url_decode: '{text}' is no text of a URL") from None


def _try_url_decode(text: str) -> str | None:
    try:
        return _url_decode(text)
    except EvaluationError:
        return None


def _json_tuple(text: str | None, *names: str | None) -> Struct | None:
    try:
        found = json.loads(text) if text is not None else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return None
    pairs = []
    for i, name in enumerate(names):
        value = found.get(name) if name is not None else None
        if value is not None and not isinstance(value, str):
            value = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        pairs.append((f"c{i}", value))
    return Struct(pairs)


def _space(count: Value) -> str:
    within(max(0, whole(count)))
    return " " * max(0, whole(count))


def _sha2(value: Value, size: Value) -> str | None:
    name = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}.get(whole(size))
    return None if name is None else hashlib.new(name, _octets(value), usedforsecurity=False).hexdigest()


#: The bits of a bitmap of Spark's.
_BITMAP = 8 * 4096


def _bit_position(value: Value) -> int:
    number = whole(value)
    return (number - 1) % _BITMAP if number > 0 else -number % _BITMAP


def _bucket_number(value: Value) -> int:
    number = whole(value)
    return (number - 1) // _BITMAP + 1 if number > 0 else -(-number // _BITMAP)


def _positive_remainder(a: Value, b: Value) -> Value:
    """The remainder, moved into the range from zero to the divisor; NULL for a divisor that is zero."""
    if not b:
        return None
    if isinstance(a, float):
        rest = math.fmod(a, b) if math.isfinite(a) else math.nan
        return math.fmod(rest + b, b) if rest < 0 else rest
    rest = a - b * math.trunc(Fraction(a) / Fraction(b))
    return rest + b - b * math.trunc(Fraction(rest + b) / Fraction(b)) if rest < 0 else rest


def _to_even(value: Value) -> float:
    number = float(value)
    return float(round(number)) if math.isfinite(number) else number


SCALARS: dict[str, Factory] = {
    "bin": plain(lambda value: format(whole(value) & (1 << 64) - 1, "b")),
    "bitmap_bit_position": plain(_bit_position),
    "bitmap_bucket_number": plain(_bucket_number),
    "pmod": plain(_positive_remainder),
    "rint": plain(_to_even),
    "sha2": plain(_sha2),
    "shiftrightunsigned": _unsigned_shift,
    "bit_get": _bit_get,
    "bit_count": _bit_count,
    "bitmap_count": plain(lambda value: sum(one.bit_count() for one in value)),
    "bitwise_not": plain(lambda value: ~whole(value)),
    "luhn_check": plain(_luhn),
    "hex": plain(_hex),
    "unhex": plain(_unhex),
    "base64": plain(lambda value: base64.b64encode(_octets(value)).decode()),
    "unbase64": plain(_unbase64),
    "is_valid_utf8": plain(_is_utf8),
    "space": plain(_space),
    "crc32": plain(lambda value: zlib.crc32(_octets(value))),
    "sha1": plain(lambda value: hashlib.sha1(_octets(value), usedforsecurity=False).hexdigest()),
    "url_encode": plain(lambda text: urllib.parse.quote_plus(text, safe="*-._")),
    "url_decode": plain(_url_decode),
    "try_url_decode": plain(_try_url_decode),
    "json_tuple": plain(_json_tuple),
}
