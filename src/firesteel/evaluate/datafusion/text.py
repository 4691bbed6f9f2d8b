"""DataFusion's functions of text and octets."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Value


def _chr(code: Value) -> str:
    number = whole(code)
    if not 0 <= number < 0x110000 or 0xD800 <= number < 0xE000:
        raise EvaluationError(f"chr: {number} is no code point")
    return chr(number)


def _concat(*parts: Value) -> Value:
    there = [one for one in parts if one is not None]
    if there and isinstance(there[0], list):
        return [item for one in there for item in one]
    if there and isinstance(there[0], bytes):
        return b"".join(there)
    return "".join(there) if there else ""


def _concat_factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    if isinstance(t.proper(fn.returns), t.Text | t.Octets):
        empty: Value = "" if isinstance(t.proper(fn.returns), t.Text) else b""
        return lambda *parts: _concat(*parts) or empty
    return lambda *parts: None if all(one is None for one in parts) else _concat(*parts)


def _concat_ws(separator: Value, *parts: Value) -> Value:
    there = [one for one in parts if one is not None]
    return None if separator is None else separator.join(there)


def _repeat(text: str, count: Value) -> str:
    within(len(text) * max(0, whole(count)))
    return text * max(0, whole(count))


def _initcap(text: str) -> str:
    made, inside = [], False
    for symbol in text:
        made.append(symbol.lower() if inside else symbol.upper())
        inside = symbol.isalnum()
    return "".join(made)


def _left(text: str, count: Value) -> str:
    number = whole(count)
    return text[:number] if number >= 0 else text[: max(0, len(text) + number)]


def _right(text: str, count: Value) -> str:
    number = whole(count)
    if number == 0:
        return ""
    return text[max(0, len(text) - number) :] if number > 0 else text[min(len(text), -number) :]


def _substr(text: Value, start: Value, count: Value = None) -> Value:
    first = whole(start)
    if count is None:
        return text[max(0, first - 1) :]
    if count < 0:
        raise EvaluationError(f"substr of a negative length: {count}")
    return text[max(0, first - 1) : max(0, first - 1 + whole(count))]


def _levenshtein(a: str, b: str) -> int:
    within(len(a) * len(b))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _filled(text: str, size: Value, filler: str) -> str:
    number = max(0, whole(size))
    within(number)
    missing = number - len(text)
    return (filler * (missing // len(filler) + 1))[:missing] if missing > 0 and filler else ""


def _lpad(text: str, size: Value, filler: str = " ") -> str:
    return (_filled(text, size, filler) + text)[: max(0, whole(size))] if len(text) < size else text[: max(0, size)]


def _rpad(text: str, size: Value, filler: str = " ") -> str:
    return (text + _filled(text, size, filler))[: max(0, whole(size))]


def _overlay(text: str, other: str, start: Value, count: Value = None) -> str:
    first = whole(start)
    size = len(other) if count is None else whole(count)
    return text[: max(0, first - 1)] + other + text[max(0, first - 1 + size) :]


def _split_part(text: str, separator: str, place: Value) -> str:
    at = whole(place)
    if at == 0:
        raise EvaluationError("split_part: the first part is 1")
    parts = text.split(separator) if separator else [text]
    at = at - 1 if at > 0 else at
    return parts[at] if -len(parts) <= at < len(parts) else ""


def _substr_index(text: str, separator: str, count: Value) -> str:
    number = whole(count)
    if not separator or not number:
        return ""
    parts = text.split(separator)
    return separator.join(parts[:number] if number > 0 else parts[number:])


def _translate(text: str, old: str, new: str) -> str:
    table: dict[str, str] = {}
    for i, symbol in enumerate(old):
        table.setdefault(symbol, new[i] if i < len(new) else "")
    return "".join(table.get(symbol, symbol) for symbol in text)


def _octets(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _encode(value: str | bytes, form: str) -> str:
    match form.lower():
        case "hex":
            return _octets(value).hex()
        case "base64":
            return base64.b64encode(_octets(value)).decode().rstrip("=")
        case "base64pad":
            return base64.b64encode(_octets(value)).decode()
    raise EvaluationError(f"encode: no encoding '{form}'")


def _decode(value: str | bytes, form: str) -> bytes:
    data = _octets(value)
    try:
        if form.lower() == "hex":
            return bytes.fromhex(data.decode())
        if form.lower() in ("base64", "base64pad"):
            return base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except ValueError as error:
        raise EvaluationError(f"decode: {error}") from None
    raise EvaluationError(f"decode: no encoding '{form}'")


def _digest(name: str, octets: bool) -> Callable[[str | bytes], str | bytes]:
    def apply(value: str | bytes) -> str | bytes:
        made = hashlib.new(name, _octets(value), usedforsecurity=False)
        return made.digest() if octets else made.hexdigest()

    return apply


def _digest_factory(name: str) -> Factory:
    return lambda fn, types: _digest(name, isinstance(t.proper(fn.returns), t.Octets))


def _named_digest(value: str | bytes, name: str) -> str | bytes:
    known = {"md5": "md5", "sha224": "sha224", "sha256": "sha256", "sha384": "sha384", "sha512": "sha512"}
    known |= {"blake2b": "blake2b", "blake2s": "blake2s"}
    if name.lower() not in known:
        raise EvaluationError(f"digest: no algorithm '{name}'")
    return _digest(known[name.lower()], True)(value)


def _strip(cut: Callable[[str, str], str]) -> Factory:
    return plain(lambda text, symbols=" ": cut(text, symbols))


SCALARS: dict[str, Factory] = {
    "ascii": plain(lambda text: ord(text[0]) if text else 0),
    "chr": plain(_chr),
    "bit_length": plain(lambda text: 8 * len(_octets(text))),
    "btrim": _strip(lambda text, symbols: text.strip(symbols)),
    "ltrim": _strip(lambda text, symbols: text.lstrip(symbols)),
    "rtrim": _strip(lambda text, symbols: text.rstrip(symbols)),
    "character_length": plain(len),
    "octet_length": plain(lambda text: len(_octets(text))),
    "concat": _concat_factory,
    "concat_ws": plain(_concat_ws),
    "str_concat": plain(lambda a, b: a + b),
    "substring": plain(_substr),
    "contains": plain(lambda text, other: other in text),
    "ends_with": plain(lambda text, other: text.endswith(other)),
    "starts_with": plain(lambda text, other: text.startswith(other)),
    "find_in_set": plain(lambda text, parts: parts.split(",").index(text) + 1 if text in parts.split(",") else 0),
    "initcap": plain(_initcap),
    "left": plain(_left),
    "right": plain(_right),
    "levenshtein": plain(_levenshtein),
    "lpad": plain(_lpad),
    "rpad": plain(_rpad),
    "overlay": plain(_overlay),
    "repeat": plain(_repeat),
    "replace": plain(lambda text, old, new: text.replace(old, new)),
    "reverse": plain(lambda text: text[::-1]),
    "split_part": plain(_split_part),
    "strpos": plain(lambda text, part: text.find(part) + 1),
    "substr": plain(_substr),
    "substr_index": plain(_substr_index),
    "to_hex": plain(lambda number: format(whole(number) % 2**64, "x")),
    "translate": plain(_translate),
    "encode": plain(_encode),
    "decode": plain(_decode),
    "digest": plain(_named_digest),
    **{name: _digest_factory(name) for name in ("md5", "sha224", "sha256", "sha384", "sha512")},
    "quote": plain(lambda text: "'" + text.replace("'", "\\'") + "'"),
}
