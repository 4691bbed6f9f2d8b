"""Regular expressions, as Java's, written from the reference evaluator's syntax tree. A search from a position on does
not see the text before it."""

from __future__ import annotations

import re

from pyspark.sql import Column

from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.regex import compile_regex
from firesteel.evaluate.substrait.patterns import options
from firesteel.spark.core.expr import Depth
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.substrait.base import Build, Call, Scalar, scalar
from firesteel.spark.scalar.substrait.text import index

_MAX = 2**31 - 1


def _pattern(call: Call) -> Column:
    """The pattern in Java's syntax. A pattern for which Java may take too long, or that is no literal and cannot be
    judged, is left to the Python workers, which match in linear time."""
    value = call.constant(1)
    if not isinstance(value, str):
        raise call.unsupported("a pattern that is no literal could take any time")
    try:
        written = compile_regex(value, options(call.fn.choice)).java
    except EvaluationError as error:
        raise call.unsupported(error.message) from None
    if written is None:
        raise call.unsupported(f"the pattern '{value[:60]}' could take any time")
    return F.lit(written)


def matches(call: Call) -> Column:
    """Does the pattern match a part of the text?"""
    return F.rlike(call.args[0].plain, _pattern(call))


def _text_from(call: Call, at: int) -> Column:
    """The text from the position in argument `at` on."""
    x = call.args[0].plain
    if call.constant(at, 1) == 1:
        return x
    return F.substring(x, index(call, at), F.lit(_MAX))


def _match(call: Call) -> Column:
    """The n-th match, or a group of it; NULL if there are fewer matches."""
    group = index(call, 4) if len(call.args) > 4 else F.lit(0)
    every = F.regexp_extract_all(_text_from(call, 2), _pattern(call), group)
    place = call.constant(3, 1)
    at = F.lit(place - 1) if type(place) is int else index(call, 3) - 1
    return F.get(every, at)


def _match_all(call: Call) -> Column:
    return F.regexp_extract_all(_text_from(call, 2), _pattern(call), index(call, 3) if len(call.args) > 3 else F.lit(0))


def _count(call: Call) -> Column:
    return F.regexp_count(_text_from(call, 2), _pattern(call)).cast("bigint")


def _position(call: Call) -> Column:
    """The position of the n-th match: the length of all earlier matches and the texts between, plus one; 0 if none."""
    text, pattern = _text_from(call, 2), _pattern(call)
    before = (index(call, 2) - 1).cast("bigint") if call.constant(2, 1) != 1 else F.literal(0, "bigint")
    if call.constant(3, 1) == 1:
        position = F.regexp_instr(text, pattern).cast("bigint")
        return F.when(position > 0, position + before).otherwise(position)
    place = index(call, 3)
    every = F.regexp_extract_all(text, pattern, F.lit(0))
    between = F.slice(F.split(text, pattern, -1), F.lit(1), place)
    skipped = F.array_join(F.concat(between, F.slice(every, F.lit(1), place - 1)), "")
    there = (place >= 1) & (F.array_size(every) >= place)
    return F.when(there, F.char_length(skipped).cast("bigint") + 1 + before).otherwise(
        F.when(F.array_size(every) < place, F.literal(0, "bigint"))
    )


def _replacement(call: Call) -> Column:
    """The replacement with Java's references: `$1` for the specification's `\\1`."""
    value = call.constant(2)
    if isinstance(value, str):
        return F.lit(re.sub(r"\\(\d)|\\(.)|(\$)", _reference, value))
    column = F.regexp_replace(call.args[2].plain, F.lit(r"\$"), F.lit(r"\\\$"))
    return F.regexp_replace(column, F.lit(r"\\(\d)"), F.lit(r"\$$1"))


def _reference(found: re.Match[str]) -> str:
    if found[1]:
        return f"${found[1]}"
    return r"\$" if found[3] else "\\" + found[2]


def _replace(call: Call) -> Column:
    """Replace all matches (0, the default) or the first (1); another number has no native form."""
    occurrence = call.constant(4, 0)
    text = _text_from(call, 3)
    if type(occurrence) is int and occurrence not in (0, 1):
        raise call.unsupported("replacing another match than all or the first")
    if type(occurrence) is int:
        replaced = (_replace_first if occurrence else _replace_all)(call, text)
    else:
        place = call.args[4].plain
        other = call.scope.run.error(
            "regexp_replace of another match than all or the first is not native on Spark",
            call.where,
            cls=UnsupportedError,
        )
        call.throws = True
        replaced = F.when(place == 0, _replace_all(call, text)).when(place == 1, _replace_first(call, text))
        replaced = replaced.otherwise(F.when(place.isNotNull(), other))
    if call.constant(3, 1) == 1:
        return replaced
    return F.concat(F.substring(call.args[0].plain, F.lit(1), index(call, 3) - 1), replaced)


def _replace_all(call: Call, text: Column) -> Column:
    return F.regexp_replace(text, _pattern(call), _replacement(call))


def _replace_first(call: Call, text: Column) -> Column:
    """The pattern is extended by the rest of the text, so that it matches only once."""
    pattern = F.concat(F.lit("(?:"), _pattern(call), F.lit(r")(?<fsrest>(?s:.*))\z"))
    return F.regexp_replace(text, pattern, F.concat(_replacement(call), F.lit("${fsrest}")))


def _split(call: Call) -> Column:
    return F.split(call.args[0].plain, _pattern(call), -1)


BUILDERS: dict[str, Build] = {
    "regexp_match_substring": _match,
    "regexp_match_substring_all": _match_all,
    "regexp_count_substring": _count,
    "regexp_strpos": _position,
    "regexp_replace": _replace,
    "regexp_string_split": _split,
}
_TWICE = ("regexp_strpos", "regexp_replace")

PATTERNS: dict[str, Scalar] = {
    name: scalar(build, twice=name in _TWICE, cost=Depth.LARGE if name == "regexp_strpos" else Depth.SMALL)
    for name, build in BUILDERS.items()
}
