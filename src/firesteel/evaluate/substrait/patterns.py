"""Regular expressions: Unicode's (ICU), as far as Python's are the same. What Python cannot read is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import name

_NAMED = re.compile(r"\(\?<(?=[A-Za-z])")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"z": r"\Z", "Z": r"(?=\n?\Z)", "h": r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"}
_BEYOND = re.compile(r"\\[pPNXRG]|\[\[:|&&\[")


def _flags(fn: p.Fn) -> int:
    flags = {
        "CASE_INSENSITIVE": re.IGNORECASE,
        "CASE_INSENSITIVE_ASCII": re.IGNORECASE | re.ASCII,
        "MULTILINE_ENABLED": re.MULTILINE,
        "DOTALL_ENABLED": re.DOTALL,
    }
    chosen = [fn.choice(option) for option in ("case_sensitivity", "multiline", "dotall")]
    return sum(int(flags.get(one or "", 0)) for one in chosen)


@lru_cache(512)
def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """The pattern, with what Python writes differently."""
    if _BEYOND.search(pattern):
        raise UnsupportedError(f"the regular expression '{pattern}': it names classes that are not known here")
    written = _NAMED.sub("(?P<", pattern)
    written = _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0]), written)
    try:
        return re.compile(written, flags)
    except re.error as error:
        raise EvaluationError(f"'{pattern}' is no regular expression: {error}") from None


def _matches(fn: p.Fn, pattern: str, text: str, position: int) -> Iterator[re.Match[str]]:
    if position < 1:
        raise EvaluationError(f"{name(fn)} from the position {position}: the first is 1")
    return compiled(pattern, _flags(fn)).finditer(text, position - 1)


def _nth(fn: p.Fn, pattern: str, text: str, position: int, occurrence: int) -> re.Match[str] | None:
    if occurrence < 1:
        raise EvaluationError(f"{name(fn)} with the occurrence {occurrence}: the first is 1")
    found = _matches(fn, pattern, text, position)
    return next((one for i, one in enumerate(found, 1) if i == occurrence), None)


def _group(fn: p.Fn, found: re.Match[str], group: int) -> str | None:
    if not 0 <= group <= (found.re.groups or 0):
        raise EvaluationError(f"{name(fn)} with the group {group}: the pattern has {found.re.groups}")
    text: str | None = found[group]
    return text


def _match_substring(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., str | None]:
    def apply(text: str, pattern: str, position: int = 1, occurrence: int = 1, group: int = 0) -> str | None:
        found = _nth(fn, pattern, text, position, occurrence)
        return None if found is None else _group(fn, found, group)

    return apply


def _match_all(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., list[str]]:
    def apply(text: str, pattern: str, position: int = 1, group: int = 0) -> list[str]:
        return [_group(fn, found, group) or "" for found in _matches(fn, pattern, text, position)]

    return apply


def _position(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., int]:
    def apply(text: str, pattern: str, position: int = 1, occurrence: int = 1) -> int:
        found = _nth(fn, pattern, text, position, occurrence)
        return 0 if found is None else found.start() + 1

    return apply


def _count(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., int]:
    def apply(text: str, pattern: str, position: int = 1) -> int:
        return sum(1 for _ in _matches(fn, pattern, text, position))

    return apply


_REFERENCE = re.compile(r"\\(\d|.)", re.DOTALL)


def _replacement(fn: p.Fn, template: str) -> Callable[[re.Match[str]], str]:
    """What takes the place of a match: `\\1` is its first group, another character behind a backslash itself."""

    def make(found: re.Match[str]) -> str:
        def part(reference: re.Match[str]) -> str:
            return (_group(fn, found, int(reference[1])) or "") if reference[1].isdigit() else reference[1]

        return _REFERENCE.sub(part, template)

    return make


def _replace(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., str]:
    """Of all occurrences, or of the n-th."""

    def apply(text: str, pattern: str, by: str, position: int = 1, occurrence: int = 0) -> str:
        if occurrence < 0:
            raise EvaluationError(f"{name(fn)} with the occurrence {occurrence}")
        made = _replacement(fn, by)
        pieces, at = [], 0
        for i, found in enumerate(_matches(fn, pattern, text, position), 1):
            if occurrence in (0, i):
                pieces += [text[at : found.start()], made(found)]
                at = found.end()
        return "".join([*pieces, text[at:]])

    return apply


def _split(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[str, str], list[str]]:
    """At every match that is not empty; at an empty one only between characters."""

    def apply(text: str, pattern: str) -> list[str]:
        pieces, at = [], 0
        for found in _matches(fn, pattern, text, 1):
            if found.end() > found.start() or at < found.start() < len(text):
                pieces.append(text[at : found.start()])
                at = found.end()
        return [*pieces, text[at:]]

    return apply


SCALARS: dict[str, Factory] = {
    "string:regexp_match_substring": _match_substring,
    "string:regexp_match_substring_all": _match_all,
    "string:regexp_strpos": _position,
    "string:regexp_count_substring": _count,
    "string:regexp_replace": _replace,
    "string:regexp_string_split": _split,
}
