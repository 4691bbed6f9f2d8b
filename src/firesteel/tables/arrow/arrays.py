"""Values as Arrow arrays: each as it is, or an error; nothing is rounded or cut."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.tables.arrow.kinds import DIGITS, value_type
from firesteel.values import MISSING, Bag, Interval, Struct, Time, Timestamp, Value

if TYPE_CHECKING:
    import pyarrow as pa

Column = list[Value]

_DAY = 86_400 * 10**9
_EXACT = Context(prec=5_000)


class Unfit(Exception):
    """A value that an Arrow type does not hold as it is."""


def instance(item: Value, cls: Any) -> Any:
    """The value, which has to be of the class."""
    if not isinstance(item, cls):
        raise Unfit(f"a {type(item).__name__}")
    return item


def family(type_: t.Type) -> tuple[Any, ...]:
    """What types have in common whose values may sit in one column."""
    match type_:
        case t.Time() | t.Timestamp():
            return type(type_), type_.zone
        case t.Interval():
            return t.Interval, type_.unit
    wide = (t.Integer, t.Decimal, t.Float32 | t.Float64, t.Text | t.Uuid, t.Octets, t.Collection, t.Struct | t.Map)
    return (next((cls for cls in wide if isinstance(type_, cls)), type(type_)),)


def array_of(items: Sequence[Value], type_: Any) -> pa.Array:
    """Values as an Arrow array of this type: each as it is, or an error."""
    import pyarrow as pa

    items = [None if item is MISSING else item for item in items]
    if isinstance(type_, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type_, array_of(items, type_.storage_type))
    for tests, build in _NESTED:
        if any(getattr(pa.types, test)(type_) for test in tests):
            return build(items, type_)
    put = next((put for tests, put in _PUT if any(getattr(pa.types, test)(type_) for test in tests)), None)
    if put is None:
        raise Unfit
    return pa.array([None if item is None else put(item, type_) for item in items], type_)


def _list_array(items: Column, type_: Any) -> pa.Array:
    import pyarrow as pa

    sizes = [None if item is None else len(instance(item, list | Bag)) for item in items]
    inner = [part for item in items if item is not None for part in item]
    ends = [0, *itertools.accumulate(size or 0 for size in sizes)]
    starts = [None if size is None else start for size, start in zip(sizes, ends, strict=False)]
    built = array_of(inner, type_.value_type)
    found = pa.ListArray.from_arrays(pa.array([*starts, ends[-1]], pa.int32()), built)
    return found if found.type.equals(type_) else found.cast(type_)


def _struct_array(items: Column, type_: Any) -> pa.Array:
    import pyarrow as pa

    names = [field.name for field in type_]
    for item in items:
        if item is not None and any(name not in names for name, _ in instance(item, Struct)):
            raise Unfit
    inner = [array_of([None if i is None else i.get(field.name) for i in items], field.type) for field in type_]
    mask = pa.array([item is None for item in items], pa.bool_())
    if not inner:
        return pa.array([None if item is None else {} for item in items], type_)
    return pa.StructArray.from_arrays(inner, fields=list(type_), mask=mask)


def _map_array(items: Column, type_: Any) -> pa.Array:
    import pyarrow as pa

    sizes = [None if item is None else len(instance(item, Struct)) for item in items]
    pairs = [pair for item in items if item is not None for pair in item]
    ends = [0, *itertools.accumulate(size or 0 for size in sizes)]
    starts = [None if size is None else start for size, start in zip(sizes, ends, strict=False)]
    keys = array_of([name for name, _ in pairs], type_.key_type)
    built = array_of([item for _, item in pairs], type_.item_type)
    return pa.MapArray.from_arrays(pa.array([*starts, ends[-1]], pa.int32()), keys, built, type_)


def _union_array(items: Column, type_: Any) -> pa.Array:
    import pyarrow as pa

    if type_.mode != "dense":
        raise UnsupportedError(f"values cannot be put into a column of Arrow's {type_}")
    members = [family(value_type(field.type)) for field in type_]
    inner: list[Column] = [[] for _ in members]
    codes, places = [], []
    for item in items:
        place = 0
        if item is not None:
            mine = family(t.type_of(item))
            place = members.index(mine) if mine in members else -1
        if place < 0:
            raise Unfit
        codes.append(type_.type_codes[place])
        places.append(len(inner[place]))
        inner[place].append(item)
    arrays = [array_of(column, field.type) for column, field in zip(inner, type_, strict=True)]
    names = [field.name for field in type_]
    return pa.UnionArray.from_dense(pa.array(codes, pa.int8()), pa.array(places, pa.int32()), arrays, names)


def _nulls(items: Column, type_: Any) -> pa.Array:
    import pyarrow as pa

    return pa.array(items, type_)


def _encoded(items: Column, type_: Any) -> pa.Array:
    return array_of(items, type_.value_type).cast(type_)


_NESTED: tuple[tuple[tuple[str, ...], Callable[[Column, Any], Any]], ...] = (
    (("is_list", "is_large_list", "is_list_view", "is_large_list_view", "is_fixed_size_list"), _list_array),
    (("is_struct",), _struct_array),
    (("is_map",), _map_array),
    (("is_union",), _union_array),
    (("is_dictionary", "is_run_end_encoded"), _encoded),
    (("is_null",), _nulls),
)


def _put_exactly(*classes: type) -> Callable[[Value, Any], Any]:
    def put(item: Value, _: Any) -> Any:
        if type(item) not in classes:
            raise Unfit
        return item

    return put


def _put_float(item: Value, type_: Any) -> Any:
    instance(item, float | int)
    found = float(item)
    code = {16: "e", 32: "f", 64: "d"}[type_.bit_width]
    if isinstance(item, bool) or (found != item and not math.isnan(found)):
        raise Unfit
    if math.isfinite(found) and struct.unpack(code, struct.pack(code, found))[0] != found:
        raise Unfit
    return found


def _put_decimal(item: Value, _: Any) -> Any:
    if isinstance(item, bool):
        raise Unfit
    return Decimal(instance(item, int | Decimal))


def _put_time(item: Value, type_: Any) -> int:
    if instance(item, Time).offset is not None:
        raise Unfit
    return _ticks(item.instant, type_.unit)


def _put_timestamp(item: Value, type_: Any) -> int:
    if (instance(item, Timestamp).offset is None) is not (type_.tz is None):
        raise Unfit
    return _ticks(item.instant, type_.unit)


def _put_duration(item: Value, type_: Any) -> int:
    if instance(item, Interval).unit != "day_time":
        raise Unfit
    return _whole(_EXACT.scaleb(Decimal(item.nanos), DIGITS[type_.unit] - 9))


def _ticks(instant: Decimal, unit: str) -> int:
    return _whole(_EXACT.scaleb(instant, DIGITS[unit]))


def _whole(number: Decimal) -> int:
    if number != int(number):
        raise Unfit
    return int(number)


def _put_interval(item: Value, _: Any) -> Any:
    days = abs(instance(item, Interval).nanos) // _DAY
    sign = -1 if item.nanos < 0 else 1
    return (item.months, sign * days, item.nanos - sign * days * _DAY)


_PUT: tuple[tuple[tuple[str, ...], Callable[[Value, Any], Any]], ...] = (
    (("is_boolean",), _put_exactly(bool)),
    (("is_integer",), _put_exactly(int)),
    (("is_floating",), _put_float),
    (("is_decimal",), _put_decimal),
    (("is_string", "is_large_string", "is_string_view"), lambda item, _: str(instance(item, str))),
    (
        ("is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary"),
        lambda item, _: bytes(instance(item, bytes)),
    ),
    (("is_date",), _put_exactly(date)),
    (("is_time",), _put_time),
    (("is_timestamp",), _put_timestamp),
    (("is_duration",), _put_duration),
    (("is_interval",), _put_interval),
)
