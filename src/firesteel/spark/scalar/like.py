"""LIKE. Spark turns the pattern into a regular expression with `.*` for every `%`, and Java's matcher backtracks: over
a text of 1,000 letters, six `%` that do not match never end. So a pattern with many `%` is written with atomic groups,
`(?>.*?part)`, which try only the first place of each part. For LIKE that is enough.
"""

from __future__ import annotations

import re

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F

#: The escape character that we give to Spark: no pattern has it. Spark's default is the backslash.
NO_ESCAPE = "\x00"
#: Patterns with at most so many `%` are left to Spark.
_FEW = 3
#: The characters that mean something in a regular expression.
SPECIAL = r"([\\\[\](){}.*+?^$|])"
_ANY, _SINGLE = rf"(?<!{NO_ESCAPE})%", rf"(?<!{NO_ESCAPE})_"


def like(value: Column, pattern: Column, known: object = None) -> Column:
    """Does the text match? The pattern escapes with `NO_ESCAPE`; `known` is the pattern if it is a constant."""
    simple = F.like(value, pattern, F.lit(NO_ESCAPE))
    if isinstance(known, str):
        return simple if known.count("%") <= _FEW else F.rlike(value, F.lit(_as_regex(known)))
    count = F.char_length(pattern) - F.char_length(F.replace(pattern, F.lit("%"), F.lit("")))
    return F.when(count > _FEW, F.rlike(value, _column_as_regex(pattern))).otherwise(simple)


def quoted_regex(text: str) -> str:
    """A regular expression that matches exactly this text."""
    return re.sub(SPECIAL, r"\\\1", text)


def _as_regex(pattern: str) -> str:
    quoted = re.sub(_SINGLE, ".", quoted_regex(pattern))
    first, *middle, last = (part.replace(NO_ESCAPE, "") for part in re.split(_ANY, quoted))
    return rf"(?s)\A{first}{''.join(f'(?>.*?{part})' for part in middle if part)}.*{last}\z"


def _column_as_regex(pattern: Column) -> Column:
    quoted = F.regexp_replace(pattern, F.lit(SPECIAL), F.lit(r"\\$1"))
    quoted = F.regexp_replace(quoted, F.lit(_SINGLE), F.lit("."))
    parts = F.transform(F.split(quoted, F.lit(_ANY), -1), lambda part: F.replace(part, F.lit(NO_ESCAPE), F.lit("")))
    middle = F.slice(parts, F.lit(2), F.array_size(parts) - 2)
    groups = F.array_join(F.transform(middle, lambda part: F.concat(F.lit("(?>.*?"), part, F.lit(")"))), "")
    return F.concat(
        F.lit(r"(?s)\A"), F.get(parts, F.lit(0)), groups, F.lit(".*"), F.element_at(parts, F.lit(-1)), F.lit(r"\z")
    )
