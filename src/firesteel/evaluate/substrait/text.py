"""Text, without regular expressions. Positions count code points from 1."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.text import like, replaced_length, within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import name
from firesteel.values import Value

_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_ASCII_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _plain(operation: Callable[..., Any]) -> Factory:
    return lambda fn, types: operation


def _folding(fn: p.Fn) -> Callable[[str], str]:
    """How text is seen where case does not matter."""
    match fn.choice("case_sensitivity"):
        case "CASE_INSENSITIVE":
            return lambda text: text.lower()
        case "CASE_INSENSITIVE_ASCII":
            return lambda text: text.translate(_ASCII_LOWER)
    return lambda text: text


def _folded(operation: Callable[..., Any]) -> Factory:
    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Value]:
        fold = _folding(fn)
        return lambda a, b: operation(fold(a), fold(b))

    return factory


def _cased(unicode: Callable[[str], str], ascii_: Callable[[str], str]) -> Factory:
    """By the character set of the call: Unicode's letters, or those of ASCII alone."""
    return lambda fn, types: ascii_ if fn.choice("char_set") == "ASCII_ONLY" else unicode


def _upper(text: str) -> str:
    return text.translate(_ASCII_UPPER)


def _lower(text: str) -> str:
    return text.translate(_ASCII_LOWER)


def _swapped(text: str, upper: Callable[[str], str], lower: Callable[[str], str]) -> str:
    return "".join(lower(c) if c.isupper() else upper(c) for c in text)


_WORD = re.compile(r"\S+")
_ARTICLES = frozenset(["a", "an", "the"])


def _titled(upper: Callable[[str], str], articles: bool, lower: Callable[[str], str] | None) -> Callable[[str], str]:
    def word(found: re.Match[str]) -> str:
        one = found[0]
        if not articles and one.lower() in _ARTICLES:
            return one
        return upper(one[:1]) + (lower(one[1:]) if lower else one[1:])

    return lambda text: _WORD.sub(word, text)


def _like(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[str, str], bool]:
    fold = _folding(fn)
    return lambda text, pattern: like(fold(text), fold(pattern))


def _substring(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., str]:
    negative = fn.choice("negative_start") or "WRAP_FROM_END"

    def apply(text: str, start: int, length: int | None = None) -> str:
        if start < 0:
            if negative == "ERROR":
                raise EvaluationError(f"{name(fn)} from the position {start}")
            if negative == "WRAP_FROM_END":
                start += len(text) + 1
        if length is not None and length < 0:
            raise EvaluationError(f"{name(fn)} of the length {length}")
        end = len(text) if length is None else start - 1 + length
        return text[max(0, start - 1) : max(0, end)]

    return apply


def _position(text: str, part: str) -> int:
    return text.find(part) + 1


def _count(text: str, part: str) -> int:
    return text.count(part) if part else 0


def _replace(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[str, str, str], str]:
    flags = {"CASE_INSENSITIVE": re.IGNORECASE, "CASE_INSENSITIVE_ASCII": re.IGNORECASE | re.ASCII}
    flag = flags.get(fn.choice("case_sensitivity") or "")

    def apply(text: str, part: str, by: str) -> str:
        if not part:
            return text
        within(replaced_length(text, part, by) if flag is None else len(text) * max(1, len(by)))
        return text.replace(part, by) if flag is None else re.sub(re.escape(part), lambda _: by, text, flags=flag)

    return apply


def _concat(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., str | None]:
    """NULL if one is, as in SQL, unless the call says that they are left out."""
    ignores = fn.choice("null_handling") == "IGNORE_NULLS"

    def apply(*args: str | None) -> str | None:
        present = [one for one in args if one is not None]
        within(sum(map(len, present)))
        return "".join(present) if ignores or len(present) == len(args) else None

    return apply


def _concat_ws(separator: str | None, *args: str | None) -> str | None:
    if separator is None:
        return None
    present = [one for one in args if one is not None]
    within(sum(map(len, present)) + len(separator) * len(present))
    return separator.join(present)


def _repeat(text: str, count: int) -> str:
    within(len(text) * count)
    return text * count


def _filler(count: int, characters: str) -> str:
    within(count)
    return (characters * (count // len(characters) + 1))[:count] if characters and count > 0 else ""


def _lpad(text: str, length: int, characters: str) -> str:
    return _filler(length - len(text), characters) + text[: max(0, length)]


def _rpad(text: str, length: int, characters: str) -> str:
    return text[: max(0, length)] + _filler(length - len(text), characters)


def _center(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[str, int, str], str]:
    left_has_more = fn.choice("padding") == "LEFT"

    def apply(text: str, length: int, character: str) -> str:
        if len(character) != 1:
            raise EvaluationError(f"{name(fn)} fills with one character, not {len(character)}")
        missing = max(0, length - len(text))
        left = (missing + left_has_more) // 2
        return _filler(left, character) + text + _filler(missing - left, character)

    return apply


def _replace_slice(text: str, start: int, length: int, by: str) -> str | None:
    if not 1 <= start <= len(text) or length < 0:
        return None
    return text[: start - 1] + by + text[start - 1 + length :]


def _split(text: str | None, separator: str | None) -> list[str] | None:
    """What is not split, because nothing is said to split at, is one piece."""
    if text is None:
        return None
    return text.split(separator) if separator else [text]


def _left(text: str, count: int) -> str:
    return text[: max(0, count)] if count >= 0 else ""


def _right(text: str, count: int) -> str:
    return text[-count:] if count > 0 else ""


SCALARS: dict[str, Factory] = {
    "string:concat": _concat,
    "string:concat_ws": _plain(_concat_ws),
    "string:like": _like,
    "string:substring": _substring,
    "string:starts_with": _folded(str.startswith),
    "string:ends_with": _folded(str.endswith),
    "string:contains": _folded(str.__contains__),
    "string:strpos": _folded(_position),
    "string:count_substring": _folded(_count),
    "string:replace": _replace,
    "string:repeat": _plain(_repeat),
    "string:reverse": _plain(lambda text: text[::-1]),
    "string:replace_slice": _plain(_replace_slice),
    "string:lower": _cased(str.lower, _lower),
    "string:upper": _cased(str.upper, _upper),
    "string:swapcase": _cased(
        lambda text: _swapped(text, str.upper, str.lower), lambda text: _swapped(text, _upper, _lower)
    ),
    "string:capitalize": _cased(lambda text: text[:1].upper() + text[1:], lambda text: _upper(text[:1]) + text[1:]),
    "string:title": _cased(_titled(str.upper, False, None), _titled(_upper, False, None)),
    "string:initcap": _cased(_titled(str.upper, True, str.lower), _titled(_upper, True, _lower)),
    "string:char_length": _plain(len),
    "string:bit_length": _plain(lambda text: len(text.encode()) * 8),
    "string:octet_length": _plain(lambda text: len(text.encode())),
    "string:ltrim": _plain(lambda text, characters: text.lstrip(characters) if characters else text),
    "string:rtrim": _plain(lambda text, characters: text.rstrip(characters) if characters else text),
    "string:trim": _plain(lambda text, characters: text.strip(characters) if characters else text),
    "string:lpad": _plain(_lpad),
    "string:rpad": _plain(_rpad),
    "string:center": _center,
    "string:left": _plain(_left),
    "string:right": _plain(_right),
    "string:string_split": _plain(_split),
}
