"""The functions of the catalogue on Spark: each is in exactly one table.

`SPARK`: simple functions, one Spark function or expression on plain columns; `LOWERED` and `AGGREGATES`: functions that
take more; `UNSUPPORTED`: functions without a native form, and why. Substrait's functions have a folder and tables of
their own (`substrait/`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.relations.deviations import DEVIATIONS
from firesteel.evaluate.scalar.arithmetic import ANGLES
from firesteel.spark.core.conversions import as_single_kind, split_variant
from firesteel.spark.core.expr import Depth, Expr, NumberParts, as_decimal, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar import casts, compare, conform, logic, regexps, structs, substrait, text, users
from firesteel.spark.scalar.arguments import Native, call
from firesteel.spark.scalar.arithmetic import arithmetic, mixed, negate, rounding
from firesteel.spark.scalar.collections import arrays, collections, listed
from firesteel.spark.scalar.collections.aggregates import AGGREGATES as TOTALS
from firesteel.spark.scalar.temporal import dates, format_patterns, intervals, overlaps


@dataclass(frozen=True)
class Simple:
    """A function of plain columns; its signature is in the catalogue. If the signature is marked with `~`, it may
    return SQL NULL for arguments that it has no result for, and `wrong` is the message."""

    native: Native
    wrong: str = ""
    cost: int = 2


#: Simple functions: one Spark function, or an expression, on plain columns.
SPARK: dict[str, Simple] = {
    "concat": Simple(F.concat),
    "char_length": Simple(lambda v: F.char_length(v).cast("bigint")),
    "upper": Simple(F.upper),
    "lower": Simple(F.lower),
    "position": Simple(lambda part, whole: F.position(part, whole).cast("bigint")),
    "reverse": Simple(F.reverse),
    "trim": Simple(text.spaces_or(F.trim)),
    "ltrim": Simple(text.spaces_or(F.ltrim)),
    "rtrim": Simple(text.spaces_or(F.rtrim)),
    "substring": Simple(text.substring, wrong="a substring cannot have a negative length"),
    "overlay": Simple(
        text.overlay, wrong="an overlay starts at 1 or later, and its length is not negative", cost=Depth.MEDIUM
    ),
    "text_replace": Simple(text.replace, cost=Depth.MEDIUM),
    "starts_with": Simple(F.startswith),
    "ends_with": Simple(F.endswith),
    "contains": Simple(F.contains),
    "left": Simple(text.left, wrong="a number of characters is not negative"),
    "right": Simple(text.right, wrong="a number of characters is not negative"),
    "to_index": Simple(lambda v: v, wrong="no array is that long"),
}

#: Compiles a call of one function: (scope, arguments, place) to a Spark expression.
LoweredFunction = Callable[[Scope, Sequence[Any], Where], Expr]


def _not_equal(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    same = compare.equal(scope, args[0], args[1], where)
    return derive(same.type, ~same.plain, same)


def _by_name(function: Callable[[Scope, str, Sequence[Expr], Where], Expr], *names: str) -> dict[str, LoweredFunction]:
    """Several functions that share one implementation, which gets the name."""

    def lowered(name: str) -> LoweredFunction:
        return lambda scope, args, where: function(scope, name, args, where)

    return {name: lowered(name) for name in names}


def _ordered(scope: Scope, name: str, args: Sequence[Expr], where: Where) -> Expr:
    return compare.compare(scope, name, args[0], args[1], where)


_OPERATORS = ("plus", "minus", "times", "divide", "modulo")
_COMPARISONS = ("eq", "ne", "lt", "lte", "gt", "gte")


LOWERED: dict[str, LoweredFunction] = {
    **_by_name(arithmetic.binary, *_OPERATORS),
    **_by_name(negate.unary, "neg", "pos", "abs"),
    **_by_name(_ordered, "lt", "lte", "gt", "gte"),
    **_by_name(logic.kleene, "and", "or"),
    "eq": lambda scope, args, where: compare.equal(scope, args[0], args[1], where),
    "ne": _not_equal,
    "between": compare.between,
    "in_collection": structs.in_collection,
    "not": logic.negate,
    "is_null": logic.is_null,
    "is_missing": logic.is_missing,
    "coalesce": logic.coalesce,
    "nullif": logic.nullif,
    "is_type": conform.is_type,
    "cast": casts.cast,
    "like": text.like,
    "ilike": text.ilike,
    **{name: text.lengthened(name) for name in ("repeat", "lpad", "rpad")},
    "split": text.split,
    **regexps.REGEXPS,
    "struct_concat": structs.struct_concat,
    "cardinality": structs.cardinality,
    "exists": structs.exists,
    "to_bag": structs.to_bag,
    "ceiling": rounding.ceiling_or_floor("ceiling"),
    "floor": rounding.ceiling_or_floor("floor"),
    "sqrt": rounding.sqrt,
    "round": rounding.to_places("round"),
    "trunc": rounding.to_places("trunc"),
    "sign": rounding.sign,
    "greatest": logic.extreme("greatest"),
    "least": logic.extreme("least"),
    "is_true": logic.is_truth(True),
    "is_false": logic.is_truth(False),
    "can_cast": casts.can_cast,
    "can_lossless_cast": casts.can_lossless_cast,
    "octet_length": text.octet_length,
    "bit_length": text.bit_length,
    **{f"{name}_any": collections.quantified(name, False) for name in _COMPARISONS},
    **{f"{name}_all": collections.quantified(name, True) for name in _COMPARISONS},
    **{row.name: collections.aggregate(row.aggregate) for row in functions.all_functions() if row.aggregate},
    "filter_distinct": collections.filter_distinct,
    "as_bag": collections.as_bag,
    **arrays.ARRAYS,
    "date_add": dates.date_add,
    "date_diff": dates.date_diff,
    "date_trunc": dates.date_trunc,
    "extract": dates.extract,
    "extract_second": dates.extract_second,
    "fit_interval": intervals.fit,
    "overlaps": overlaps.overlaps,
    "to_string": format_patterns.to_string,
    "to_timestamp": format_patterns.to_timestamp,
    "from_unixtime": dates.from_unixtime,
    "unix_timestamp": dates.unix_timestamp,
    "make_date": dates.make_date,
    "make_time": dates.make_time,
    **{name: dates.current(name) for name in ("current_date", "current_time", "current_timestamp")},
}

#: Aggregate functions.
AGGREGATES = {**TOTALS, **listed.LISTED}

#: Functions that have no native form. The reference evaluator has them all.
_JAVA = "Java's result may differ from the reference evaluator's in the last digit"
UNSUPPORTED: dict[str, str] = {
    "expression:ranks": "comparison functions are Python functions",
    **dict.fromkeys(("exp", "ln", "power", "log10", "log2", *ANGLES), _JAVA),
    **dict.fromkeys(DEVIATIONS, "the exact sums that it needs are Python's"),
    **dict.fromkeys(
        (
            *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"),
            *("lag", "lead", "first_value", "last_value", "nth_value"),
        ),
        "window functions are computed by `windows.py`, not for one row",
    ),
}


def _as_decimals(name: str, args: Sequence[Expr | t.Type]) -> list[Expr | t.Type]:
    """Turn integers into decimals where that makes no difference: in comparisons, and beside a decimal or float."""
    beside = (isinstance(arg, Expr) and isinstance(arg.type, t.Decimal | t.Float32 | t.Float64) for arg in args)
    alike = name in (*_COMPARISONS, "between") or (name in _OPERATORS and any(beside))
    return [as_decimal(arg) if alike and isinstance(arg, Expr) else arg for arg in args]


def _simple(scope: Scope, row: functions.Function, said: Simple, args: Sequence[Expr], where: Where) -> Expr:
    form = row.signature(len(args))
    families = [form.param(i) for i in range(len(args))]
    type_ = t.proper(form.result([arg.type for arg in args]))
    wrong = said.wrong if form.partial else ""
    return call(scope, row.name, args, families, said.native, type_, where, partial=wrong, cost=said.cost)


def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
    """Compile a call of a scalar function."""
    name = fn.name
    row = functions.called(name, functions.Kind.SCALAR, len(args), where)
    ready = substrait.SCALARS.get(name) or substrait.registered(name)
    if ready is not None:
        return ready(scope, fn, args, where)
    if any(isinstance(arg, Expr) and isinstance(arg, NumberParts) for arg in args):
        args = _as_decimals(name, args)
        if mixed.applies(name, args):
            return mixed.binary(scope, name, [arg for arg in args if isinstance(arg, Expr)], where)
    args = [split_variant(as_single_kind(arg)) if isinstance(arg, Expr) else arg for arg in args]
    if name in SPARK:
        return _simple(scope, row, SPARK[name], [arg for arg in args if isinstance(arg, Expr)], where)
    user = users.lowered(name)
    if user is not None:
        return user(scope, row, [arg for arg in args if isinstance(arg, Expr)], where)
    if name in LOWERED:
        return LOWERED[name](scope, args, where)
    raise UnsupportedError(
        f"function '{row.title}' on Spark: {UNSUPPORTED.get(name, 'it is a function of Python')}", where=where
    )


__all__ = ["AGGREGATES", "LOWERED", "SPARK", "UNSUPPORTED", "apply"]
