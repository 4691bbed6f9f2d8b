"""Functions on text. Positions count code points, from one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.evaluate.scalar.text import LONGEST
from firesteel.evaluate.scalar.text import lower as lower_case
from firesteel.spark.core.expr import Depth, Expr, Variant
from firesteel.spark.core.literals import literal
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.variant_kinds import may_be
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.arguments import Native, call
from firesteel.spark.scalar.like import NO_ESCAPE, SPECIAL, quoted_regex
from firesteel.spark.scalar.like import like as native_like

_MAX = 2**31 - 1


def _within(position: Column) -> Column:
    """The position clipped to 32 bits, as Spark's functions want it; no text is longer."""
    near = F.greatest(F.least(position, F.lit(_MAX)), F.lit(-_MAX)).cast("int")
    return F.when(position.isNotNull(), near)  # `least` and `greatest` skip NULL


def _from(text: Column, start: Column) -> Column:
    return F.when(start.isNotNull(), F.substring(text, F.greatest(_within(start), F.lit(1)), F.lit(_MAX)))


def _from_to(text: Column, start: Column, length: Column) -> Column:
    """SUBSTRING: the characters from `start` up to `start + length`; `start` may be below 1. NULL if `length` < 0."""
    low, size = _within(start).cast("bigint"), _within(length).cast("bigint")
    begin = F.greatest(low, F.lit(1))
    kept = _within(F.greatest(low + size - begin, F.lit(0)))
    return F.when(start.isNotNull() & (length >= 0), F.substring(text, begin.cast("int"), kept))


def substring(text: Column, start: Column, length: Column | None = None) -> Column:
    return _from(text, start) if length is None else _from_to(text, start, length)


def octet_length(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    return _octets(scope, "octet_length", args, 1, where)


def bit_length(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    return _octets(scope, "bit_length", args, 8, where)


def _octets(scope: Scope, name: str, args: Sequence[Expr], size: int, where: Where) -> Expr:
    """The size of octets, or of text in UTF-8."""
    (arg,) = args
    if not isinstance(arg, Variant) or not may_be(arg, "octets") or not may_be(arg, "text"):
        family = "octets" if may_be(arg, "octets") else "text"
        native: Native = lambda v: F.octet_length(v).cast("bigint") * F.literal(size, "bigint")  # noqa: E731
        return call(scope, name, args, (family,), native, t.INT64, where)

    def either(pair: Column) -> Column:
        return F.octet_length(pair).cast("bigint") * F.literal(size, "bigint")

    return call(scope, name, args, ("octets or text",), either, t.INT64, where)


def spaces_or(function: Native) -> Native:
    """`trim`, `ltrim` or `rtrim`: removes spaces, or any of the given characters."""
    return lambda value, characters=None: function(value, F.lit(" ") if characters is None else characters)


def overlay(text: Column, part: Column, start: Column, length: Column | None = None) -> Column:
    """OVERLAY: `part` replaces `length` characters from `start` on; by default as many as it has itself."""
    size = F.char_length(part).cast("bigint") if length is None else length
    fits = (start >= 1) & (size >= 0)
    begin, end = _within(start), _within(_near(start) + _near(size))
    before = F.substring(text, F.lit(1), F.greatest(begin - 1, F.lit(0)))
    return F.when(fits, F.concat(before, part, F.substring(text, end, F.lit(_MAX))))


_NEGATIVE = "a number of characters is not negative"


def left(text: Column, count: Column) -> Column:
    return F.when(count >= 0, F.left(text, _within(count)))


def right(text: Column, count: Column) -> Column:
    return F.when(count >= 0, F.right(text, _within(count)))


def lengthened(name: str) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """`repeat`, `lpad` or `rpad`. A result that is too long is an error in both modes."""

    def build(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        too_long = scope.run.error(f"a text of more than {LONGEST:,} characters", where)

        def native(text: Column, count: Column, filler: Column | None = None) -> Column:
            size = _within(count)
            length = F.char_length(text).cast("bigint") * size if name == "repeat" else size
            filler = F.lit(" ") if filler is None else filler
            made = (
                F.repeat(text, size) if name == "repeat" else (F.lpad if name == "lpad" else F.rpad)(text, size, filler)
            )
            return F.when(length > LONGEST, too_long).when(count >= 0, made)

        families = ("text", "int", "text")[: len(args)]
        return call(
            scope, name, args, families, native, t.STRING, where, partial=_NEGATIVE, throws=True, cost=Depth.MEDIUM
        )

    return build


def split(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """SPLIT: Spark's own splits at a regular expression, so the separator is quoted."""
    known = args[1].constant

    def native(text: Column, separator: Column) -> Column:
        if isinstance(known, str):
            return F.split(text, F.lit(quoted_regex(known)), -1) if known else F.when(text.isNotNull(), F.array(text))
        mark = F.regexp_replace(separator, F.lit(SPECIAL), F.lit(r"\\$1"))
        return F.when(text.isNotNull() & (separator == ""), F.array(text)).otherwise(F.split(text, mark, -1))

    return call(scope, "split", args, ("text", "text"), native, t.Array(t.STRING), where, cost=Depth.SMALL)


def _near(position: Column) -> Column:
    return _within(position).cast("bigint")


def replace(text: Column, old: Column, new: Column) -> Column:
    """REPLACE all `old` by `new`. If `old` is empty, `new` goes before and after every character."""
    places = F.sequence(F.lit(1), F.greatest(F.char_length(text), F.lit(1)))
    characters = F.call_function("array_join", F.transform(places, lambda i: F.substring(text, i, F.lit(1))), new)
    between = F.when(text == "", new).otherwise(F.concat(new, characters, new))
    return F.when((old == "") & text.isNotNull(), between).otherwise(F.replace(text, old, new))


# ---------------------------------------------------------------------------------------------------------------------
# LIKE


def like(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """LIKE. A wrong escape is an error in both modes; a pattern that is no constant is checked at run time."""
    if len(args) == 2:
        known = args[1].constant
        return call(scope, "like", args, ("text", "text"), lambda v, p: native_like(v, p, known), t.BOOL, where)
    pattern, escape = args[1].constant, args[2].constant
    if not isinstance(pattern, str) or not isinstance(escape, str):
        return _like_escaped(scope, args, where)
    complaint = _complaint(pattern, escape)
    if complaint:
        error = scope.run.error(complaint, where)
        return call(
            scope, "like", args[:1], ("text",), lambda v: F.when(v.isNotNull(), error), t.BOOL, where, throws=True
        )
    plain = _plain(pattern, escape)
    return call(scope, "like", args[:1], ("text",), lambda v: native_like(v, F.lit(plain), plain), t.BOOL, where)


def ilike(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """ILIKE: LIKE of texts in lower case."""

    def lower(arg: Expr) -> Expr:
        if isinstance(arg.constant, str):
            return literal(lower_case(arg.constant))
        return call(scope, "ilike", [arg], ("text",), F.lower, t.STRING, where)

    return like(scope, [lower(arg) for arg in args], where)


def _plain(pattern: str, escape: str) -> str:
    """The pattern with `NO_ESCAPE` in place of its own escape character."""
    plain = ""
    symbols = iter(pattern)
    for symbol in symbols:
        escaped = next(symbols) if symbol == escape else ""
        plain += NO_ESCAPE + escaped if escaped in ("%", "_") and escaped else escaped or symbol
    return plain


def _like_escaped(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    error = scope.run.error

    def native(value: Column, pattern: Column, escape: Column) -> Column:
        mark = F.concat(F.lit("\\Q"), escape, F.lit("\\E"))
        right = F.concat(
            F.lit("(?s)^(?:(?!"), mark, F.lit(")."), F.lit("|"), mark, F.lit("(?:[%_]|"), mark, F.lit("))*\\z")
        )
        tokens = F.regexp_extract_all(pattern, F.concat(F.lit("(?s)"), mark, F.lit(".|.")), F.lit(0))
        plain = F.array_join(F.transform(tokens, _token), "")
        wrong = error("the pattern escapes neither '%' nor '_' nor its escape", where)
        short = error("ESCAPE takes one character", where)
        there = value.isNotNull() & pattern.isNotNull() & escape.isNotNull()
        matched = F.when(F.char_length(escape) != 1, short).when(~F.rlike(pattern, right), wrong)
        return F.when(there, matched.otherwise(native_like(value, plain)))

    return call(scope, "like", args, ("text",) * 3, native, t.BOOL, where, throws=True, cost=Depth.DEEP)


def _token(token: Column) -> Column:
    """Translate an escaped character to `NO_ESCAPE`; other characters stay."""
    last = F.substring(token, F.lit(-1), F.lit(1))
    escaped = F.when(last.isin("%", "_"), F.concat(F.lit(NO_ESCAPE), last)).otherwise(last)
    return F.when(F.char_length(token) == 2, escaped).otherwise(token)


def _complaint(pattern: str, escape: str) -> str:
    if len(escape) != 1:
        return f"ESCAPE takes one character, not {len(escape)}"
    symbols = iter(pattern)
    for symbol in symbols:
        if symbol == escape and next(symbols, "") not in ("%", "_", escape):
            return f"'{pattern}' escapes neither '%' nor '_' nor '{escape}'"
    return ""
