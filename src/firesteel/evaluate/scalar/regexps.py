"""Functions of regular expressions: Substrait's, under the names that SQL has for them, with options as flags."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.regex import compile_regex
from firesteel.evaluate.scalar.compare import text
from firesteel.lazy import LazyModule
from firesteel.values import Clob, Value

if TYPE_CHECKING:
    from firesteel.evaluate.substrait import patterns
else:
    patterns = LazyModule("firesteel.evaluate.substrait.patterns")

Text = str | Clob

#: What the letters of the last argument mean: the options of Substrait's functions.
FLAGS: dict[str, tuple[str, str]] = {
    "i": ("case_sensitivity", "CASE_INSENSITIVE"),
    "c": ("case_sensitivity", "CASE_SENSITIVE"),
    "m": ("multiline", "MULTILINE_ENABLED"),
    "s": ("dotall", "DOTALL_ENABLED"),
}


@lru_cache(maxsize=256)
def standard(name: str, flags: str = "") -> p.Fn:
    """Substrait's function of that name, with the options that the flags say."""
    for letter in flags:
        if letter not in FLAGS:
            raise EvaluationError(f"a regular expression has no flag '{letter}'", help="the flags are i, c, m and s")
    chosen = dict(FLAGS[letter] for letter in flags)
    choices = tuple(p.Choice(option, value) for option, value in chosen.items())
    return p.Fn(f"string:{name}", p.FnOption.NONE, (), t.STRING, choices=choices)


def _called(name: str, values: int) -> Callable[..., Value]:
    """Substrait's function of so many texts, and perhaps flags."""

    def apply(*args: Text) -> Value:
        given = [text(arg) for arg in args]
        fn = standard(name, "".join(given[values:]))
        return patterns.SCALARS[fn.name](fn, ())(*given[:values])

    return apply


def like(value: Text, pattern: Text, flags: Text = "") -> bool:
    options = patterns.options(standard("regexp_like", text(flags)).choice)
    return next(compile_regex(text(pattern), options).matches(text(value)), None) is not None


def substr(value: Text, pattern: Text, group: int = 0) -> str | None:
    """NULL if nothing matches; a group that took no part in the match is empty."""
    found = next(compile_regex(text(pattern), patterns.options(lambda _: None)).matches(text(value)), None)
    if found is None:
        return None
    if not 0 <= group <= found.groups:
        raise EvaluationError(f"'regexp_substr' with the group {group}: the pattern has {found.groups}")
    return found.group(group) or ""


REGEXPS: dict[str, Callable[..., Value]] = {
    "regexp_like": like,
    "regexp_substr": substr,
    "regexp_count": _called("regexp_count_substring", 2),
    "regexp_extract_all": _called("regexp_match_substring_all", 2),
    "regexp_replace": _called("regexp_replace", 3),
    "regexp_split": _called("regexp_string_split", 2),
}
