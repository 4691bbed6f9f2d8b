"""What the catalogue's scalar functions compute: a row of a table for each.

`call.py` has already handled NULL, MISSING and wrong argument types for functions that propagate; other functions get
their arguments unchecked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import types as t
from firesteel.evaluate.kinds import NUMBERS
from firesteel.evaluate.relations.deviations import DEVIATIONS
from firesteel.evaluate.scalar import (
    arithmetic,
    collections,
    compare,
    convert,
    dates,
    intervals,
    logic,
    patterns,
    regexps,
    text,
)
from firesteel.evaluate.scalar.conform import is_type
from firesteel.evaluate.scalar.dates import CLOCK
from firesteel.evaluate.scalar.logic import LAZY
from firesteel.functions import all_functions
from firesteel.values import MISSING, Bag, Value, absent

__all__ = ["CLOCK", "LAZY", "SCALARS", "TYPED"]


def _numbers_or(numbers: Callable[[Any, Any], Value], others: Callable[[Any, Any], Value]) -> Callable[..., Value]:
    """An operator that is one function of numbers, and another one of intervals and what they move."""

    def apply(a: Value, b: Value) -> Value:
        return numbers(a, b) if type(a) in NUMBERS and type(b) in NUMBERS else others(a, b)

    return apply


def _number_or(number: Callable[[Any], Value], interval: Callable[[Any], Value]) -> Callable[..., Value]:
    return lambda value: number(value) if type(value) in NUMBERS else interval(value)


#: The functions of values.
SCALARS: dict[str, Callable[..., Value]] = {
    "plus": _numbers_or(arithmetic.plus, intervals.plus),
    "minus": _numbers_or(arithmetic.minus, intervals.minus),
    "times": _numbers_or(arithmetic.times, intervals.times),
    "divide": _numbers_or(arithmetic.divide, intervals.divide),
    "modulo": arithmetic.modulo,
    "neg": _number_or(arithmetic.neg, intervals.neg),
    "pos": lambda value: value,
    "abs": _number_or(arithmetic.absolute, intervals.absolute),
    "ceiling": arithmetic.ceiling,
    "floor": arithmetic.floor,
    "sqrt": arithmetic.sqrt,
    "exp": arithmetic.exp,
    "ln": arithmetic.ln,
    "power": arithmetic.power,
    "log10": arithmetic.log10,
    "log2": arithmetic.log2,
    **arithmetic.ANGLES,
    "sign": arithmetic.sign,
    "round": arithmetic.round_,
    "trunc": arithmetic.trunc,
    "greatest": compare.extreme(compare.gt),
    "least": compare.extreme(compare.lt),
    **compare.COMPARISONS,
    "between": compare.between,
    "in_collection": compare.in_collection,
    "not": logic.negate,
    "is_true": logic.is_truth(True),
    "is_false": logic.is_truth(False),
    "is_null": absent,
    "is_missing": lambda value: value is MISSING,
    "nullif": compare.nullif,
    "to_index": collections.to_index,
    "concat": text.concat,
    "char_length": text.char_length,
    "octet_length": text.octet_length,
    "bit_length": text.bit_length,
    "upper": text.upper,
    "lower": text.lower,
    "reverse": lambda value: compare.text(value)[::-1],
    "trim": text.trim,
    "ltrim": text.ltrim,
    "rtrim": text.rtrim,
    "substring": text.substring,
    "overlay": text.overlay,
    "text_replace": text.replace,
    "position": text.position,
    "like": text.like,
    "ilike": text.ilike,
    "starts_with": lambda value, part: compare.text(value).startswith(compare.text(part)),
    "ends_with": lambda value, part: compare.text(value).endswith(compare.text(part)),
    "contains": lambda value, part: compare.text(part) in compare.text(value),
    "left": text.left,
    "right": text.right,
    "lpad": text.lpad,
    "rpad": text.rpad,
    "repeat": text.repeat,
    "split": text.split,
    **regexps.REGEXPS,
    "date_trunc": dates.date_trunc,
    "date_add": dates.date_add,
    "date_diff": dates.date_diff,
    "extract": dates.extract,
    "extract_second": dates.extract_second,
    "fit_interval": intervals.fit,
    "overlaps": intervals.overlaps,
    "to_string": patterns.to_string,
    "to_timestamp": patterns.to_timestamp,
    "from_unixtime": dates.from_unixtime,
    "unix_timestamp": dates.unix_timestamp,
    "make_date": dates.make_date,
    "make_time": dates.make_time,
    "struct_concat": collections.struct_concat,
    "cardinality": len,
    "exists": collections.exists,
    "filter_distinct": collections.filter_distinct,
    "to_bag": Bag,
    "array_contains": lambda collection, value: compare.in_collection(value, collection),
    **DEVIATIONS,
    "array_position": collections.position,
    "array_concat": collections.concat,
    "array_flatten": collections.flatten,
    "array_sort": collections.sort,
    "array_slice": collections.slice_,
    "map_keys": lambda struct: [name for name, _ in collections.entries(struct)],
    "map_values": lambda struct: [value for _, value in collections.entries(struct)],
    "map_entries": collections.map_entries,
    **{row.name: collections.aggregate_collection(row.aggregate) for row in all_functions() if row.aggregate},
}

#: The functions of a value and a type: given the type, the function of the value.
TYPED: dict[str, Callable[[t.Type], Callable[[Any], Value]]] = {
    "cast": convert.cast,
    "can_cast": convert.can_cast,
    "can_lossless_cast": convert.can_lossless_cast,
    "is_type": is_type,
}
