"""Arrow tables as types and values, and values as Arrow tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.ion import dumps
from firesteel.node import walk

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_rows(table: pa.Table | pa.RecordBatch) -> Iterator[values.Value]:
    """The rows as structs; what is null in Arrow is NULL."""
    for field in arrow_type(table.schema).fields:
        ensure_text_keys(field)
    for row in table.to_pylist(maps_as_pydicts="lossy"):
        yield values.from_python(row)


def ensure_text_keys(column: t.Field) -> None:
    """A column holds no maps whose keys are not text: a value of such a map is none that we have."""
    if any(not isinstance(type_.key, t.Text) for type_ in walk(column.type, t.Map)):
        raise UnsupportedError(f"column '{column.name}' is a {column.type}: a map whose keys are not text")


def arrow_type(schema: Iterable[Any]) -> t.Struct:
    """A schema's type: a closed struct of its fields."""
    fields = tuple(t.Field(f.name, t.absent(_arrow_type(f.type), nullable=f.nullable)) for f in schema)
    return t.Struct(fields, open=False)


def _arrow_type(type_: Any) -> t.Type:
    import pyarrow.types as at

    for test, result in _ARROW:
        if getattr(at, test)(type_):
            return result
    if at.is_decimal(type_):
        return t.Decimal(type_.precision, type_.scale)
    if at.is_timestamp(type_):
        return t.Timestamp(_DIGITS[type_.unit], zone=type_.tz is not None)
    if at.is_time(type_):
        return t.Time(_DIGITS[type_.unit])
    if at.is_fixed_size_binary(type_):
        return t.Byte(type_.byte_width)
    if at.is_list(type_) or at.is_large_list(type_) or at.is_fixed_size_list(type_):
        return t.Array(t.absent(_arrow_type(type_.value_type), nullable=type_.value_field.nullable))
    if at.is_struct(type_):
        return arrow_type(type_)
    if at.is_map(type_):
        value = t.absent(_arrow_type(type_.item_type), nullable=type_.item_field.nullable)
        return t.Map(_arrow_type(type_.key_type), value)
    if at.is_dictionary(type_):
        return _arrow_type(type_.value_type)
    raise UnsupportedError(f"no type for Arrow's {type_}")


_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_ARROW: tuple[tuple[str, t.Type], ...] = (
    ("is_null", t.NULL),
    ("is_boolean", t.BOOL),
    ("is_int8", t.INT8),
    ("is_int16", t.INT16),
    ("is_int32", t.INT32),
    ("is_int64", t.INT64),
    ("is_uint8", t.INT16),
    ("is_uint16", t.INT32),
    ("is_uint32", t.INT64),
    ("is_uint64", t.Decimal(20, 0)),
    ("is_float32", t.FLOAT32),
    ("is_float64", t.FLOAT64),
    ("is_string", t.STRING),
    ("is_large_string", t.STRING),
    ("is_string_view", t.STRING),
    ("is_binary", t.BLOB),
    ("is_large_binary", t.BLOB),
    ("is_date", t.DATE),
    ("is_duration", t.Interval("day_time")),
)


def to_arrow(value: values.Value) -> pa.Table:
    """A collection as a table: a struct's attributes are columns, any other value is the column `_1`.

    Arrow has one kind of absence: MISSING becomes null.
    """
    import pyarrow as pa

    items = values.items(value) if isinstance(value, list | values.Bag) else None
    rows = [plain(row) for row in ([value] if items is None else items)]
    structs = [row if isinstance(row, dict) else {"_1": row} for row in rows]
    names = list(dict.fromkeys(name for row in structs for name in row))
    columns = {}
    for name in names:
        column = [row.get(name) for row in structs]
        try:
            columns[name] = pa.array(column)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise UnsupportedError(
                f"Arrow has no type for the column '{name}': {error}", help="its values are of several types; try Ion"
            ) from error
    return pa.table(columns)


def plain(value: values.Value) -> Any:
    """A value as what Arrow and JSON writers take: Python's own scalars, lists and dicts, None for MISSING."""

    def leaf(item: values.Value) -> Any:
        if item is values.MISSING:
            return None
        if isinstance(item, values.Timestamp):
            return _datetime(item)
        if isinstance(item, values.Time):
            return datetime.time(item.hour, item.minute, *_split(item.second))
        if isinstance(item, values.Interval):
            if item.months:
                raise UnsupportedError("Arrow has no type for an interval of months", help="write Ion instead")
            return datetime.timedelta(microseconds=item.nanos / 1000)
        return str(item) if isinstance(item, values.Symbol) else item

    def container(item: values.Value, inner: list[Any]) -> Any:
        if not isinstance(item, values.Struct):
            return inner
        pairs = {name: new for (name, old), new in zip(item.pairs, inner, strict=True) if old is not values.MISSING}
        if len(pairs) < sum(old is not values.MISSING for _, old in item.pairs):
            raise UnsupportedError(f"a struct whose keys repeat has no columns: {dumps(item)}", help="write Ion")
        return pairs

    return values.fold(value, leaf, container)


def _split(second: Any) -> tuple[int, int]:
    whole = int(second)
    return whole, int((second - whole) * 1_000_000)


def _datetime(item: values.Timestamp) -> datetime.datetime:
    zone = None if item.offset is None else datetime.timezone(datetime.timedelta(minutes=item.offset))
    return datetime.datetime(item.year, item.month, item.day, item.hour, item.minute, *_split(item.second), zone)
