"""DataFusion's functions of patterns: regular expressions with flags, and LIKE in any case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.regex import CaseRule, Options, RegexMatch, compile_regex
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Value

_REFERENCE = re.compile(r"\\(\d)|\$\{(\w+)\}|\$(\w+)")


def _matches(pattern: str, text: str, flags: str = "", start: int = 1) -> Iterator[RegexMatch]:
    """The matches from a place on; the flags are i (any case), m (lines), s (dot matches all), g (all), x, U."""
    unknown = set(flags) - set("imsg")
    if unknown:
        raise EvaluationError(f"the flags '{''.join(sorted(unknown))}' of a regular expression")
    case = CaseRule.INSENSITIVE if "i" in flags else CaseRule.SENSITIVE
    if start < 1:
        raise EvaluationError(f"a regular expression from the place {start}: the first is 1")
    return compile_regex(pattern, Options(case, "m" in flags, "s" in flags)).matches(text[start - 1 :])


def _found(pattern: str, text: str, flags: str = "") -> bool:
    return next(_matches(pattern, text, flags), None) is not None


def _test(flags: str, negated: bool) -> Factory:
    return plain(lambda text, pattern: _found(pattern, text, flags) is not negated)


def _like(text: str | None, pattern: str | None, flags: str | None = "") -> bool | None:
    return None if text is None or pattern is None else _found(pattern, text, flags or "")


def _match(text: str, pattern: str, flags: str = "") -> list[Value] | None:
    found = next(_matches(pattern, text, flags), None)
    if found is None:
        return None
    parts = [found.group(i) for i in range(1, found.groups + 1)] if found.groups else [found.group(0)]
    return [one for one in parts if one is not None]


def _count(text: str, pattern: str, start: Value = 1, flags: str = "") -> int:
    return sum(1 for _ in _matches(pattern, text, flags, whole(start)))


def _instr(text: str, pattern: str, start: Value = 1, nth: Value = 1, flags: str = "", group: Value = 0) -> int:
    for i, found in enumerate(_matches(pattern, text, flags, whole(start)), 1):
        if i == nth:
            return int(found.spans[2 * whole(group)] + whole(start))
    return 0


def _replace(text: str, pattern: str, by: str, flags: str = "") -> str:
    pieces, at = [], 0
    for found in _matches(pattern, text, flags):
        pieces += [text[at : found.start], _REFERENCE.sub(_part(found), by)]
        at = found.end
        if "g" not in flags:
            break
    within(sum(map(len, pieces)))
    return "".join([*pieces, text[at:]])


def _part(found: RegexMatch) -> Callable[[re.Match[str]], str]:
    def part(reference: re.Match[str]) -> str:
        name = reference[1] or reference[2] or reference[3]
        if not name.isdigit() or int(name) > found.groups:
            return ""
        return found.group(int(name)) or ""

    return part


def like(text: str, pattern: str, escape: str = "\\", any_case: bool = False) -> bool:
    """LIKE: `%` is any text, `_` a character, and what is behind the escape character itself."""
    made, at = [], 0
    while at < len(pattern):
        symbol = pattern[at]
        if symbol == escape and at + 1 < len(pattern):
            at += 1
            made.append(re.escape(pattern[at]))
        else:
            made.append({"%": ".*", "_": "."}.get(symbol, re.escape(symbol)))
        at += 1
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    return re.fullmatch(re.sub(r"(?:\.\*)+", ".*", "".join(made)), text, flags) is not None


def _ilike(text: str | None, pattern: str | None, escape: str | None = "\\") -> bool | None:
    if text is None or pattern is None:
        return None
    return like(text, pattern, escape or "", any_case=True)


SCALARS: dict[str, Factory] = {
    "regex_match": _test("", False),
    "regex_imatch": _test("i", False),
    "regex_not_match": _test("", True),
    "regex_not_imatch": _test("i", True),
    "regexp_like": plain(_like),
    "regexp_match": plain(_match),
    "regexp_count": plain(_count),
    "regexp_instr": plain(_instr),
    "regexp_replace": plain(_replace),
    "ilike": plain(_ilike),
    "like_match": plain(lambda text, pattern: like(text, pattern)),
    "like_imatch": plain(lambda text, pattern: like(text, pattern, any_case=True)),
    "like_not_match": plain(lambda text, pattern: not like(text, pattern)),
    "like_not_imatch": plain(lambda text, pattern: not like(text, pattern, any_case=True)),
}
