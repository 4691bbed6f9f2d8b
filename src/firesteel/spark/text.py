"""Functions on text. Positions count code points, from one."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.arguments import call
from firesteel.spark.expr import Expr
from firesteel.spark.scope import Scope, Where

_MAX = 2**31 - 1


def _within(position: Column) -> Column:
    """As an index of Spark's, which are of 32 bits; no text is longer."""
    return F.greatest(F.least(position, F.lit(_MAX)), F.lit(-_MAX)).cast("int")


def _from(text: Column, start: Column) -> Column:
    return F.substring(text, _within(F.greatest(start, F.lit(1))), F.lit(_MAX))


def _from_to(text: Column, start: Column, length: Column) -> Column:
    """SQL's: what lies in positions `start` up to `start + length`, wherever they are; SQL NULL if negative."""
    low, size = _within(start).cast("bigint"), _within(length).cast("bigint")
    begin = F.greatest(low, F.lit(1))
    kept = _within(F.greatest(low + size - begin, F.lit(0)))
    return F.when(length >= 0, F.substring(text, begin.cast("int"), kept))


def substring(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    if len(args) == 2:
        return call(scope, "substring", args, ("text", "int"), _from, t.STRING, where)
    families = ("text", "int", "int")
    return scope.let(
        args,
        lambda *given: call(
            scope,
            "substring",
            given,
            families,
            _from_to,
            t.STRING,
            where,
            partial="a substring cannot have a negative length",
        ),
    )


#: What no pattern escapes with, for patterns that escape nothing; Spark's own default would be a backslash.
_NO_ESCAPE = "\x00"


def like(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """A wrong escape is an error in both modes, so the pattern has to be known where there is one."""
    if len(args) == 2:
        return call(scope, "like", args, ("text", "text"), _like, t.BOOL, where)
    pattern, escape = args[1].constant, args[2].constant
    if not isinstance(pattern, str) or not isinstance(escape, str):
        raise UnsupportedError("LIKE with ESCAPE on Spark: pattern and escape have to be literals", where=where)
    complaint = _complaint(pattern, escape)
    if complaint:
        error = scope.run.error(complaint, where)
        return call(
            scope, "like", args[:1], ("text",), lambda v: F.when(v.isNotNull(), error), t.BOOL, where, throws=True
        )
    known = F.lit(pattern)
    return call(scope, "like", args[:1], ("text",), lambda v: F.like(v, known, F.lit(escape)), t.BOOL, where)


def _like(value: Column, pattern: Column) -> Column:
    return F.like(value, pattern, F.lit(_NO_ESCAPE))


def _complaint(pattern: str, escape: str) -> str:
    if len(escape) != 1:
        return f"ESCAPE takes one character, not {len(escape)}"
    symbols = iter(pattern)
    for symbol in symbols:
        if symbol == escape and next(symbols, "") not in ("%", "_", escape):
            return f"'{pattern}' escapes neither '%' nor '_' nor '{escape}'"
    return ""
