"""Regular expressions: Unicode's (ICU), as far as `evaluate.regex` reads them. What it does not is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.regex import CaseRule, Options, RegexMatch, compile_regex
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import name

_CASES = {"CASE_INSENSITIVE": CaseRule.INSENSITIVE, "CASE_INSENSITIVE_ASCII": CaseRule.INSENSITIVE_ASCII}


def options(choice: Callable[[str], str | None]) -> Options:
    """What the options of a call say, asked for by their names."""
    return Options(
        _CASES.get(choice("case_sensitivity") or "", CaseRule.SENSITIVE),
        choice("multiline") == "MULTILINE_ENABLED",
        choice("dotall") == "DOTALL_ENABLED",
    )


def _matches(fn: p.Fn, pattern: str, text: str, position: int) -> Iterator[RegexMatch]:
    """The matches in the text from a position on: what is before it is not looked at."""
    if position < 1:
        raise EvaluationError(f"{name(fn)} from the position {position}: the first is 1")
    return compile_regex(pattern, options(fn.choice)).matches(text[position - 1 :])


def _nth(fn: p.Fn, pattern: str, text: str, position: int, occurrence: int) -> RegexMatch | None:
    if occurrence < 1:
        raise EvaluationError(f"{name(fn)} with the occurrence {occurrence}: the first is 1")
    found = _matches(fn, pattern, text, position)
    return next((one for i, one in enumerate(found, 1) if i == occurrence), None)


def _group(fn: p.Fn, found: RegexMatch, group: int) -> str | None:
    if not 0 <= group <= found.groups:
        raise EvaluationError(f"{name(fn)} with the group {group}: the pattern has {found.groups}")
    return found.group(group)


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
        return 0 if found is None else found.start + position

    return apply


def _count(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., int]:
    def apply(text: str, pattern: str, position: int = 1) -> int:
        return sum(1 for _ in _matches(fn, pattern, text, position))

    return apply


_REFERENCE = re.compile(r"\\(\d|.)", re.DOTALL)


def _replacement(fn: p.Fn, template: str) -> Callable[[RegexMatch], str]:
    """What takes the place of a match: `\\1` is its first group, another character behind a backslash itself."""

    def make(found: RegexMatch) -> str:
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
        matches = _matches(fn, pattern, text, position)
        pieces, at, rest = [text[: position - 1]], 0, text[position - 1 :]
        for i, found in enumerate(matches, 1):
            if occurrence in (0, i):
                pieces += [rest[at : found.start], made(found)]
                at = found.end
        within(sum(map(len, pieces)))
        return "".join([*pieces, rest[at:]])

    return apply


def _split(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[[str, str], list[str]]:
    """At every match that is not empty; at an empty one only between characters."""

    def apply(text: str, pattern: str) -> list[str]:
        pieces, at = [], 0
        for found in _matches(fn, pattern, text, 1):
            if found.end > found.start or at < found.start < len(text):
                pieces.append(text[at : found.start])
                at = found.end
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
