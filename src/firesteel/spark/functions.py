"""The functions of the catalogue on Spark: each row is in just one of three tables.

`SPARK`: one Spark function on plain columns; `LOWERED`: put together from several, and `AGGREGATES` likewise;
`UNSUPPORTED`: not done, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import functions as F

from firesteel import functions
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark import arithmetic, casts, compare, conform, logic, structs, text
from firesteel.spark.aggregates import AGGREGATES
from firesteel.spark.arguments import Native, call, propagated
from firesteel.spark.expr import Expr, made, opened
from firesteel.spark.scope import Scope, Where

#: Simple functions: the families of their parameters, the function, the type of the result.
SPARK: dict[str, tuple[tuple[str, ...], Native, t.Type]] = {
    "concat": (("text", "text"), F.concat, t.STRING),
    "char_length": (("text",), lambda v: F.char_length(v).cast("bigint"), t.INT64),
    "upper": (("text",), F.upper, t.STRING),
    "lower": (("text",), F.lower, t.STRING),
    "trim": (("text",), F.trim, t.STRING),
    "position": (("text", "text"), lambda part, whole: F.position(part, whole).cast("bigint"), t.INT64),
}

Lowered = Callable[[Scope, Sequence[Any], Where], Expr]


def _between(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """Both bounds are compared, so that one of the wrong type is wrong whatever the other says."""

    def apply(value: Expr, low: Expr, high: Expr) -> Expr:
        sides = [
            compare.compare(scope, "lte", low, value, where),
            compare.compare(scope, "lte", value, high, where),
        ]
        return scope.let(sides, both)

    def both(above: Expr, below: Expr) -> Expr:
        value = above.plain & below.plain
        there = above.plain.isNotNull() & below.plain.isNotNull()
        return propagated(t.BOOL, F.when(there, value), (above, below), cost=2)

    return scope.let(args, apply)


def _not_equal(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    same = compare.equal(scope, args[0], args[1], where)
    return made(same.type, ~same.plain, same)


def _by_name(function: Callable[[Scope, str, Sequence[Expr], Where], Expr], *names: str) -> dict[str, Lowered]:
    """Functions that one function computes, told by their name."""

    def lowered(name: str) -> Lowered:
        return lambda scope, args, where: function(scope, name, args, where)

    return {name: lowered(name) for name in names}


def _ordered(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    return compare.compare(scope, name, args[0], args[1], where)


LOWERED: dict[str, Lowered] = {
    **_by_name(arithmetic.binary, "plus", "minus", "times", "divide", "modulo"),
    **_by_name(arithmetic.unary, "neg", "pos", "abs"),
    **_by_name(_ordered, "lt", "lte", "gt", "gte"),
    **_by_name(logic.kleene, "and", "or"),
    "eq": lambda scope, args, where: compare.equal(scope, args[0], args[1], where),
    "ne": _not_equal,
    "between": _between,
    "in_collection": structs.in_collection,
    "not": logic.negate,
    "is_null": logic.is_null,
    "is_missing": logic.is_missing,
    "coalesce": logic.coalesce,
    "nullif": logic.nullif,
    "is_type": conform.is_type,
    "cast": casts.cast,
    "substring": text.substring,
    "like": text.like,
    "struct_concat": structs.struct_concat,
    "cardinality": structs.cardinality,
    "exists": structs.exists,
    "to_bag": structs.to_bag,
}

#: Functions that have no native form yet. The reference evaluator has them all.
_LATER: dict[str, tuple[str, ...]] = {
    "it has no native form yet": (
        *("ceiling", "floor", "sqrt", "exp", "ln", "power", "is_true", "is_false", "can_cast", "can_lossless_cast"),
        *("to_index", "octet_length", "bit_length", "ltrim", "rtrim", "overlay", "text_replace"),
    ),
    "comparisons with ANY and ALL have no native form yet": tuple(
        f"{comparison}_{quantifier}"
        for comparison in ("eq", "ne", "lt", "lte", "gt", "gte")
        for quantifier in ("any", "all")
    ),
    "dates and times have no native form yet": (
        *("date_add", "date_diff", "extract", "extract_second", "overlaps", "to_string", "to_timestamp"),
        *("from_unixtime", "unix_timestamp", "make_date", "make_time"),
        *("current_date", "current_time", "current_timestamp"),
    ),
    "aggregates over a row's own collections have no native form yet": (
        *("coll_count", "coll_sum", "coll_avg", "coll_min", "coll_max", "coll_every", "coll_any"),
        *("filter_distinct", "as_bag"),
    ),
    "window functions have no native form yet": (
        *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"),
        *("lag", "lead", "first_value", "last_value", "nth_value"),
    ),
}
UNSUPPORTED: dict[str, str] = {name: reason for reason, names in _LATER.items() for name in names}

#: Arithmetic also takes dates, times and intervals, which it does not natively yet.
_ARITHMETIC = frozenset(("plus", "minus", "times", "divide", "neg", "pos", "abs"))


def apply(scope: Scope, name: str, args: Sequence[Expr | t.Type], where: Where) -> Expr:
    """A call of the function of that name."""
    row = functions.find(name)
    if row is None:
        meant = functions.suggest(name)
        raise PlanError(f"no function '{name}'", where=where, help=f"did you mean '{meant}'?" if meant else None)
    if row.kind is not functions.Kind.SCALAR:
        raise PlanError(f"'{name}' is an aggregate function: it has no meaning for one row", where=where)
    if not any(signature.takes(len(args)) for signature in row.signatures):
        raise PlanError(f"'{name}' does not take {len(args)} arguments", where=where)
    args = [opened(arg) if isinstance(arg, Expr) else arg for arg in args]
    if name in _ARITHMETIC and any(_temporal(arg.type) for arg in args if isinstance(arg, Expr)):
        raise UnsupportedError(f"function '{name}' of dates, times or intervals on Spark: not native yet", where=where)
    if name == "trim" and len(args) > 1:
        raise UnsupportedError("function 'trim' of given characters on Spark: not native yet", where=where)
    if name in SPARK:
        families, native, type_ = SPARK[name]
        return call(scope, name, [arg for arg in args if isinstance(arg, Expr)], families, native, type_, where)
    if name in LOWERED:
        return LOWERED[name](scope, args, where)
    raise UnsupportedError(f"function '{name}' on Spark: {UNSUPPORTED.get(name, 'it has no row')}", where=where)


def _temporal(type_: t.Type) -> bool:
    return any(isinstance(member, t.Temporal) for member in t.members(type_))


__all__ = ["AGGREGATES", "LOWERED", "SPARK", "UNSUPPORTED", "apply"]
