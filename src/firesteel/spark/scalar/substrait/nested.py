"""Functions of lists and maps, and Substrait's expressions that are no functions (list element, map value ...)."""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import UNKNOWN, Expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.keys.comparison import is_own_key
from firesteel.spark.scalar.substrait.base import Call, Scalar, is_float, scalar, simple
from firesteel.spark.scalar.substrait.logic import nan_first


def _sort(call: Call) -> Column:
    (x,) = call.columns
    type_ = call.args[0].type
    assert isinstance(type_, t.Array)
    if not is_own_key(type_.element):
        raise call.unsupported("values that Spark does not order")
    direction = call.choice("direction", "ASC_NULLS_FIRST")
    if not is_float(type_.element):
        return _sorted(x, direction)
    return F.transform(_sorted(F.transform(x, nan_first), direction), lambda one: one["n"])


def _sorted(x: Column, direction: str) -> Column:
    match direction:
        case "ASC_NULLS_FIRST":
            return F.sort_array(x, asc=True)
        case "DESC_NULLS_LAST":
            return F.sort_array(x, asc=False)
        case "ASC_NULLS_LAST":
            return F.array_sort(x)
    return F.reverse(F.array_sort(x))


def _any(call: Call) -> Column:
    """Three-valued OR: NULL if none is true and one is NULL."""
    return F.exists(call.columns[0], lambda one: one)


def _all(call: Call) -> Column:
    return F.forall(call.columns[0], lambda one: one)


def _index_in(call: Call) -> Column:
    """The index of a value in a list, from zero; NULL if it is not in the list."""
    needle, list_ = call.columns
    type_ = call.args[0].type
    if not is_own_key(type_):
        raise call.unsupported("values that Spark does not compare")
    place = F.array_position(list_, needle)
    position = F.when(place > 0, place - 1)
    if isinstance(type_, t.Float32 | t.Float64) and call.choice("nan_equality", "NAN_IS_NAN") == "NAN_IS_NOT_NAN":
        return F.when(~F.isnan(needle), position)
    return position


def _element(call: Call) -> Column:
    """The element at an index from zero; a negative index counts from the end."""
    list_, at = call.columns
    value = call.constant(1)
    if type(value) is int:
        return F.get(list_, F.lit(value)) if value >= 0 else F.try_element_at(list_, F.lit(value))
    place = at.cast("int")
    return F.when(at >= 0, F.get(list_, place)).otherwise(F.try_element_at(list_, F.when(at < 0, place)))


def _map_value(call: Call) -> Column:
    return F.try_element_at(*call.columns)


def _map_entry(call: Call) -> Column:
    map_, key, value = call.columns
    there = F.array_contains(F.map_keys(map_), key)
    return F.when(there, F.create_map(key, value).cast(call.spark)).otherwise(F.create_map().cast(call.spark))


def _map(call: Call) -> Column:
    """A map. If a key repeats, the last value counts; Spark's own `create_map` refuses repeated keys."""
    pairs = [(_present_key(call, arg), value.plain) for arg, value in zip(call.args[::2], call.args[1::2], strict=True)]
    known = [arg.constant for arg in call.args[::2]]
    if UNKNOWN not in known:
        last = dict(zip(known, pairs, strict=True))
        return F.create_map(*(part for pair in last.values() for part in pair)).cast(call.spark)
    listed = F.array(*(F.struct(key.alias("k"), value.alias("v")) for key, value in pairs))
    backwards = F.array(*(key for key, _ in reversed(pairs)))
    is_last = lambda pair, i: F.array_position(backwards, pair["k"]) == len(pairs) - i  # noqa: E731
    return F.map_from_entries(F.filter(listed, is_last)).cast(call.spark)


def _present_key(call: Call, key: Expr) -> Column:
    return F.coalesce(key.plain, call.error("NULL for a key")) if key.type.nullable else key.plain


def _at_most(call: Call) -> Column:
    count, most = call.columns
    limit = call.constant(1)
    is_size = call.choice("unit", "RECORDS") == "BYTES"
    what = f"a record of more than {limit} bytes" if is_size else f"more than {limit} records"
    return F.when(count <= most, F.lit(True)).otherwise(call.error(what))


LISTS: dict[str, Scalar] = {
    "cardinality": simple(lambda x: F.array_size(x).cast("bigint")),
    "sort": scalar(_sort),
    "any_match": scalar(_any),
    "all_match": scalar(_all),
}

SETS: dict[str, Scalar] = {"index_in": scalar(_index_in, twice=True)}

EXPRESSIONS: dict[str, Scalar] = {
    "list_element": scalar(_element, twice=True),
    "map_value": scalar(_map_value),
    "map_entry": scalar(_map_entry, twice=True),
    "map": scalar(_map, twice=True),
    "at_most": scalar(_at_most),
    "any_true": scalar(_any),
    "all_true": scalar(_all),
}
