"""DataFusion's dialect. Its plans declare no extension: functions go by their names, and many are its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.datafusion import AGGREGATES, SCALARS
from firesteel.functions.substrait.names import Names
from firesteel.substrait.dialects import shared
from firesteel.substrait.dialects.base import Dialect, Difference, Result, Shape
from firesteel.substrait.dialects.datafusion_calls import RULES, cast

NAMES: dict[str, str] = {
    "negative": "negate",
    "bitwise_shift_left": "shift_left",
    "bitwise_shift_right": "shift_right",
    "signum": "sign",
    "btrim": "trim",
    "character_length": "char_length",
    "approx_distinct": "approx_count_distinct",
    "array_length": "cardinality",
    "array_transform": "transform",
    "array_filter": "filter",
    "array_any_match": "any_match",
}

SHAPES: dict[Shape, str] = {
    Shape.PROJECT_REPLACES: "DataFusion's projections have no columns but their expressions; old ones have no emit",
    Shape.EVERY_PAIR: "DataFusion writes cross joins as joins without an expression",
    Shape.GROUPING_MASK: "DataFusion repeats the keys for every set, and counts the columns of its own aggregate above",
    Shape.OWN_TYPES: "DataFusion declares the types of its own engine",
    Shape.MEAN_DIGITS: "DataFusion declares no types of aggregates, and its mean of decimals has four digits more",
    Shape.UNSIGNED: "Substrait has no unsigned integers, and DataFusion declares no variations",
    Shape.DICTIONARY: "Substrait has no dictionaries",
    Shape.NAN_LAST: "DataFusion orders floats with NaN after all numbers",
    Shape.CASE_BASE: "DataFusion writes CASE with a base expression so; `switch_expression` takes literals only",
}

#: Types that Substrait does not have, as DataFusion names them.
TYPES: dict[str, t.Type] = {"null": t.NULL, "fp16": t.FLOAT32}


def _is_count(arg: object) -> bool:
    """Is it a literal that is a number from zero on?"""
    return isinstance(arg, p.Lit) and isinstance(arg.value, int) and arg.value >= 0


def _unless_counted(args: Sequence[Any]) -> bool:
    return not all(_is_count(one) for one in args[1:])


def _unless_placed(args: Sequence[Any]) -> bool:
    return _unless_counted(args) or args[1].value == 0


def _unless_plain_texts(args: Sequence[Any]) -> bool:
    return not all(isinstance(one, p.Rex) and isinstance(one.type, t.Text) and not one.type.nullable for one in args)


def _is_nested(args: Sequence[Any]) -> bool:
    type_ = args[0].type if args and isinstance(args[0], p.Rex) else t.NULL
    return not isinstance(type_, t.Array) or isinstance(type_.element, t.Array | t.Map)


def _is_float(args: Sequence[Any]) -> bool:
    return bool(args) and isinstance(args[0], p.Rex) and isinstance(args[0].type, t.Float32 | t.Float64)


def _is_compared(args: Sequence[Any]) -> bool:
    types = [one.type for one in args if isinstance(one, p.Rex)]
    return any(isinstance(one, t.Float32 | t.Float64 | t.Array | t.Struct) for one in types)


def _is_decimal(args: Sequence[Any]) -> bool:
    return any(isinstance(one, p.Rex) and isinstance(one.type, t.Decimal) for one in args)


def _is_integer(args: Sequence[Any]) -> bool:
    return len(args) == 1 and isinstance(args[0], p.Rex) and isinstance(args[0].type, t.Integer)


def _is_negative(args: Sequence[Any]) -> bool:
    return len(args) > 1 and not _is_count(args[1])


def _is_own_part(args: Sequence[Any]) -> bool:
    return (
        bool(args)
        and isinstance(args[0], p.Lit)
        and str(args[0].value).lower().startswith(("nano", "ns", "isodow", "epoch"))
    )


_SUBSTRING = Difference("a place before the first character counts, as in PostgreSQL", _unless_placed)
_NULLS = "NULL is left out"
_NAN = "NaN is greater than all numbers"

#: Functions that mean something else than the standard's of the name, and for which arguments.
DIFFERENT: dict[str, Difference] = {
    "left": Difference("a negative count leaves so many characters out at the end", _unless_counted),
    "right": Difference("a negative count leaves so many characters out at the start", _unless_counted),
    "substr": _SUBSTRING,
    "substring": _SUBSTRING,
    "initcap": Difference("a word is of letters and digits, and any other character ends it"),
    "concat": Difference(_NULLS, _unless_plain_texts),
    "concat_ws": Difference(f"{_NULLS}, and a separator that is NULL gives NULL"),
    "greatest": Difference(f"{_NULLS}; {_NAN}"),
    "least": Difference(f"{_NULLS}; {_NAN}"),
    "min": Difference(_NAN, _is_float),
    "max": Difference(_NAN, _is_float),
    **dict.fromkeys(("lt", "lte", "gt", "gte"), Difference(f"{_NAN}; in a list NULL comes first", _is_compared)),
    "divide": Difference("digits behind those of the result are left out", _is_decimal),
    "avg": Difference("digits behind those of the result are left out", _is_decimal),
    "negative": Difference("the least integer is its own negative", _is_integer),
    "negate": Difference("the least integer is its own negative", _is_integer),
    "abs": Difference("the least integer stays itself", _is_integer),
    "corr": Difference("NULL where one side does not vary, even if the other is NaN", _is_float),
    "nth_value": Difference("a negative place counts from the end", _is_negative),
    "logb": Difference("the base comes last"),
    "cardinality": Difference("the elements of inner lists count too", _is_nested),
    "array_length": Difference("it has a dimension", _is_nested),
    "regexp_replace": Difference("it replaces the first match, and its flags are a text"),
    "regexp_match": Difference("it gives the groups of the first match"),
    "round": Difference("the number of digits may be left out", lambda args: len(args) == 1),
    "date_part": Difference("nanoseconds are those of the seconds too; the epoch has fractions", _is_own_part),
}

#: The types of calls that the plan does not declare.
UNDECLARED: dict[str, Result] = {
    name: lambda args: t.Bool(nullable=True)
    for name in ("ilike", *(f"regex_{name}" for name in ("match", "imatch", "not_match", "not_imatch")))
}

DATAFUSION = Dialect(
    "datafusion",
    ("datafusion",),
    since=(0, 30),
    shapes=SHAPES,
    names=Names({**shared.NAMES, **NAMES}, shared.IMPLIED),
    types=TYPES,
    rules={**shared.LIKE, **shared.COMMA, **RULES},
    scalars=SCALARS,
    aggregates=AGGREGATES,
    different=DIFFERENT,
    undeclared=UNDECLARED,
    cast=cast,
)

#: Plans of before 2023 declare no types of calls, so that functions of its own have none.
DATAFUSION_OLD = Dialect(
    "datafusion",
    ("datafusion",),
    until=(0, 30),
    shapes=SHAPES,
    names=DATAFUSION.names,
    types=TYPES,
    rules=DATAFUSION.rules,
)
