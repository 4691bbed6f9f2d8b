"""Functions of regular expressions: what Substrait's functions are on Spark, over arguments of any type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.regex import compile_regex
from firesteel.evaluate.scalar.regexps import standard
from firesteel.evaluate.substrait.patterns import options
from firesteel.spark.core.expr import Depth, Expr, column_expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.arguments import call
from firesteel.spark.scalar.substrait.base import Build, Call
from firesteel.spark.scalar.substrait.patterns import BUILDERS, matches

_TEXT = t.String(nullable=True)


def _regexp(name: str, build: Build, returns: t.Type, texts: int = 2) -> Callable[[Scope, Sequence[Expr], Where], Expr]:
    """A function of so many texts, and perhaps flags, which must be a literal to be native."""

    def lowered(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
        flags = args[texts].constant if len(args) > texts else ""
        if not isinstance(flags, str):
            raise UnsupportedError(f"'{name}' with flags that only the run knows is not native on Spark", where=where)
        try:
            fn = standard(name, flags)
        except EvaluationError as error:
            raise UnsupportedError(error.message, where=where) from None
        given = args[:texts]

        def native(*columns: Column) -> Column:
            exprs = [column_expr(_TEXT, one, constant=arg.constant) for one, arg in zip(columns, given, strict=True)]
            return build(Call(scope, fn, tuple(exprs), (), where))

        return call(scope, name, given, ("text",) * texts, native, returns, where, throws=True, cost=Depth.MEDIUM)

    return lowered


def _substr(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """The first match, or a group of it; NULL if there is none."""
    pattern, group = args[1].constant, args[2].constant if len(args) > 2 else 0
    fn = standard("regexp_substr")
    if not isinstance(pattern, str) or type(group) is not int:
        raise UnsupportedError("'regexp_substr' of what only the run knows could take any time", where=where)
    try:
        groups = compile_regex(pattern, options(fn.choice)).groups
    except EvaluationError as error:
        raise UnsupportedError(error.message, where=where) from None
    if not 0 <= group <= groups:
        raise UnsupportedError(f"'regexp_substr' with the group {group} of {groups}", where=where)

    def native(text: Column) -> Column:
        one = column_expr(t.INT64, F.lit(1), constant=1)
        place = column_expr(t.INT64, F.lit(group), constant=group)
        exprs = (column_expr(_TEXT, text), column_expr(_TEXT, F.lit(pattern), constant=pattern), one, one, place)
        return BUILDERS["regexp_match_substring"](Call(scope, fn, exprs, (), where))

    return call(scope, "regexp_substr", args[:1], ("text",), native, _TEXT, where, throws=True, cost=Depth.MEDIUM)


_TEXTS = t.Array(t.STRING)

REGEXPS: dict[str, Callable[[Scope, Sequence[Expr], Where], Expr]] = {
    "regexp_like": _regexp("regexp_like", matches, t.BOOL),
    "regexp_substr": _substr,
    "regexp_count": _regexp("regexp_count", BUILDERS["regexp_count_substring"], t.INT64),
    "regexp_extract_all": _regexp("regexp_extract_all", BUILDERS["regexp_match_substring_all"], _TEXTS),
    "regexp_replace": _regexp("regexp_replace", BUILDERS["regexp_replace"], t.STRING, texts=3),
    "regexp_split": _regexp("regexp_split", BUILDERS["regexp_string_split"], _TEXTS),
}
