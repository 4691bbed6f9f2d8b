"""The types of Arrow, each with the type that its values have here, and how they are read.

`KINDS` has a row for every kind of them; whatever reads Arrow follows from it, and so does `docs/arrow.md`. What holds
other values (a list, a dictionary) reads those by their own rows.
"""

from __future__ import annotations

import datetime
import itertools
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError

Column = list[values.Value]

#: Types that nest deeper are refused: they are read on the stack.
MAX_NESTED = 64

#: How many digits of a second a unit of time has.
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
UNITS = {digits: unit for unit, digits in DIGITS.items()}


@dataclass(frozen=True)
class ArrowKind:
    """Arrow types that are read in one way. `tests` are the names of Arrow's own tests for them; `arrow` and `note` are
    for the reference."""

    arrow: str
    tests: tuple[str, ...]
    type: Callable[[Any], t.Type]
    read: Callable[[Any], Column]
    note: str = ""


def kind_of(type_: Any) -> ArrowKind:
    """The row of an Arrow type."""
    import pyarrow as pa

    if isinstance(type_, pa.BaseExtensionType):
        return EXTENSIONS.get(type_.extension_name, _STORAGE)
    for kind in KINDS:
        if any(getattr(pa.types, test)(type_) for test in kind.tests):
            return kind
    raise UnsupportedError(f"no type for Arrow's {type_}", help="cast the column; docs/arrow.md has what is read")


def value_type(type_: Any) -> t.Type:
    """The type of the values in a column of this Arrow type."""
    return kind_of(type_).type(type_)


def read(array: Any) -> Column:
    """The values of an Arrow array; null is NULL."""
    return kind_of(array.type).read(array)


def struct_type(fields: Iterable[Any]) -> t.Struct:
    return t.Struct(tuple(t.Field(field.name, _field_type(field)) for field in fields), open=False)


def _field_type(field: Any) -> t.Type:
    if _depth(field.type) > MAX_NESTED:
        raise UnsupportedError(f"column '{field.name}' nests more than {MAX_NESTED} levels deep")
    return t.absent(value_type(field.type), nullable=field.nullable)


def _depth(type_: Any) -> int:
    level, depth = [type_], 0
    while level and depth <= MAX_NESTED:
        level = [inner.field(i).type for inner in level for i in range(inner.num_fields)]
        depth += 1
    return depth


# ---------------------------------------------------------------------------------------------------------------------
# Scalars


def _same(array: Any) -> Column:
    return array.to_pylist()  # type: ignore[no-any-return]


def _cast(target: str) -> Callable[[Any], Column]:
    def cast(array: Any) -> Column:
        import pyarrow as pa

        return array.cast(getattr(pa, target)()).to_pylist()  # type: ignore[no-any-return]

    return cast


def _each(array: Any, make: Callable[[Any], values.Value]) -> Column:
    return [None if item is None else make(item) for item in array.to_pylist()]


def _ticks(array: Any, make: Callable[[int], values.Value]) -> Column:
    """The values of a column that is numbers inside: of seconds, or of parts of one."""
    import pyarrow as pa

    return _each(array.view(pa.int32() if array.type.bit_width == 32 else pa.int64()), make)


def _decimal_type(type_: Any) -> t.Type:
    scale = max(type_.scale, 0)
    return t.Decimal(max(type_.precision - min(type_.scale, 0), scale), scale)


def _decimals(array: Any) -> Column:
    if array.type.scale >= 0:
        return _same(array)
    return _each(array, lambda item: Decimal(f"{item:f}"))


_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = 86_400


def _timestamps(array: Any) -> Column:
    digits, offset = DIGITS[array.type.unit], None if array.type.tz is None else 0
    scale = 10**digits

    def make(ticks: int) -> values.Timestamp:
        seconds, fraction = divmod(ticks, scale)
        moment = _EPOCH + datetime.timedelta(seconds=seconds)
        second = Decimal(moment.second * scale + fraction).scaleb(-digits)
        return values.Timestamp(moment.year, moment.month, moment.day, moment.hour, moment.minute, second, offset)

    return _ticks(array, make)


def _times(array: Any) -> Column:
    digits = DIGITS[array.type.unit]
    scale = 10**digits

    def make(ticks: int) -> values.Time:
        if not 0 <= ticks < _DAY * scale:
            raise ValueError(f"{ticks} is no time of day")
        minutes, rest = divmod(ticks, 60 * scale)
        hour, minute = divmod(minutes, 60)
        return values.Time(hour, minute, Decimal(rest).scaleb(-digits))

    return _ticks(array, make)


def _durations(array: Any) -> Column:
    nanos = 10 ** (9 - DIGITS[array.type.unit])
    return _ticks(array, lambda ticks: values.Interval("day_time", nanos=ticks * nanos))


def _intervals(array: Any) -> Column:
    day = _DAY * 10**9
    return _each(array, lambda item: values.Interval("compound", item.months, item.days * day + item.nanoseconds))


# ---------------------------------------------------------------------------------------------------------------------
# What holds other values


def _element_type(type_: Any) -> t.Type:
    return t.Array(t.absent(value_type(type_.value_type), nullable=type_.value_field.nullable))


def _lists(array: Any) -> Column:
    starts, ends = _spans(array)
    first, last = min(starts, default=0), max(ends, default=0)
    items = read(array.values.slice(first, last - first))
    spans = zip(array.is_valid().to_pylist(), starts, ends, strict=True)
    return [items[start - first : end - first] if there else None for there, start, end in spans]


def _spans(array: Any) -> tuple[list[int], list[int]]:
    """Where the items of each list begin and end among all of them."""
    size = getattr(array.type, "list_size", None)
    if size is not None:
        starts = [(array.offset + i) * size for i in range(len(array))]
        return starts, [start + size for start in starts]
    places = array.offsets.to_pylist()
    if not hasattr(array, "sizes"):
        return places[:-1], places[1:]
    return places, [place + size for place, size in zip(places, array.sizes.to_pylist(), strict=True)]


def _structs(array: Any) -> Column:
    names = [field.name for field in array.type]
    columns = [read(array.field(i)) for i in range(len(names))]
    rows = zip(*columns, strict=True) if columns else itertools.repeat(())
    valid = array.is_valid().to_pylist()
    pairs = zip(valid, rows, strict=bool(columns))
    return [values.Struct(zip(names, row, strict=True)) if there else None for there, row in pairs]


def _map_type(type_: Any) -> t.Type:
    value = t.absent(value_type(type_.item_type), nullable=type_.item_field.nullable)
    return t.Map(value_type(type_.key_type), value)


def _maps(array: Any) -> Column:
    """As structs. A key that repeats in one map is there as often as it is."""
    places = array.offsets.to_pylist()
    start, size = places[0], places[-1] - places[0]
    pairs = list(zip(read(array.keys.slice(start, size)), read(array.items.slice(start, size)), strict=True))
    spans = zip(array.is_valid().to_pylist(), itertools.pairwise(places), strict=True)
    return [values.Struct(pairs[a - start : b - start]) if there else None for there, (a, b) in spans]


def _union_type(type_: Any) -> t.Type:
    return t.union(t.absent(value_type(field.type), nullable=field.nullable) for field in type_)


def _unions(array: Any) -> Column:
    array = _unsliced(array)
    members = dict(zip(array.type.type_codes, range(array.type.num_fields), strict=True))
    columns = [read(array.field(i)) for i in range(array.type.num_fields)]
    places = array.offsets.to_pylist() if array.type.mode == "dense" else range(len(array))
    codes = array.type_codes.to_pylist()
    return [columns[members[code]][place] for code, place in zip(codes, places, strict=True)]


def _unsliced(array: Any) -> Any:
    """The array without what is in front of it: the codes of a sliced union are those of the whole."""
    import pyarrow as pa

    return pa.concat_arrays([array]) if array.offset else array


def _dictionaries(array: Any) -> Column:
    known = read(array.dictionary)
    return _each(array.indices, lambda index: known[index])


def _runs(array: Any) -> Column:
    known = read(array.values)
    found: Column = []
    start, stop = array.offset, array.offset + len(array)
    for end, value in zip(array.run_ends.to_pylist(), known, strict=True):
        found.extend(itertools.repeat(value, min(end, stop) - start))
        start = max(start, min(end, stop))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The rows


def _is(type_: t.Type) -> Callable[[Any], t.Type]:
    return lambda _: type_


KINDS: tuple[ArrowKind, ...] = (
    ArrowKind("null", ("is_null",), _is(t.NULL), lambda array: [None] * len(array)),
    ArrowKind("bool", ("is_boolean",), _is(t.BOOL), _same),
    ArrowKind("int8", ("is_int8",), _is(t.INT8), _same),
    ArrowKind("int16", ("is_int16",), _is(t.INT16), _same),
    ArrowKind("int32", ("is_int32",), _is(t.INT32), _same),
    ArrowKind("int64", ("is_int64",), _is(t.INT64), _same),
    ArrowKind("uint8", ("is_uint8",), _is(t.INT16), _same, "the next wider signed type"),
    ArrowKind("uint16", ("is_uint16",), _is(t.INT32), _same, "the next wider signed type"),
    ArrowKind("uint32", ("is_uint32",), _is(t.INT64), _same, "the next wider signed type"),
    ArrowKind("uint64", ("is_uint64",), _is(t.Decimal(20, 0)), lambda array: _each(array, Decimal), "as Spark has it"),
    ArrowKind("halffloat", ("is_float16",), _is(t.FLOAT32), _cast("float32")),
    ArrowKind("float", ("is_float32",), _is(t.FLOAT32), _same),
    ArrowKind("double", ("is_float64",), _is(t.FLOAT64), _same),
    ArrowKind(
        "decimal32, decimal64, decimal128, decimal256",
        ("is_decimal",),
        _decimal_type,
        _decimals,
        "more than 38 digits, or a scale beyond 0 to the precision, are tagged on Spark",
    ),
    ArrowKind(
        "string, large_string, string_view", ("is_string", "is_large_string", "is_string_view"), _is(t.STRING), _same
    ),
    ArrowKind(
        "binary, large_binary, binary_view", ("is_binary", "is_large_binary", "is_binary_view"), _is(t.BLOB), _same
    ),
    ArrowKind("fixed_size_binary", ("is_fixed_size_binary",), lambda type_: t.Byte(type_.byte_width), _same),
    ArrowKind("date32, date64", ("is_date",), _is(t.DATE), _cast("date32"), "years 1 to 9999; others are an error"),
    ArrowKind(
        "time32, time64",
        ("is_time",),
        lambda type_: t.Time(DIGITS[type_.unit]),
        _times,
        "tagged on Spark",
    ),
    ArrowKind(
        "timestamp",
        ("is_timestamp",),
        lambda type_: t.Timestamp(DIGITS[type_.unit], zone=type_.tz is not None),
        _timestamps,
        "with a zone it is an instant, given in UTC; nanoseconds are tagged on Spark; years 1 to 9999",
    ),
    ArrowKind(
        "duration",
        ("is_duration",),
        lambda type_: t.Interval("day_time", DIGITS[type_.unit]),
        _durations,
        "tagged on Spark",
    ),
    ArrowKind(
        "month_day_nano_interval",
        ("is_interval",),
        _is(t.Interval("compound", 9)),
        _intervals,
        "a day has 24 hours; tagged on Spark",
    ),
    ArrowKind(
        "list, large_list, list_view, large_list_view, fixed_size_list",
        ("is_list", "is_large_list", "is_list_view", "is_large_list_view", "is_fixed_size_list"),
        _element_type,
        _lists,
    ),
    ArrowKind("struct", ("is_struct",), struct_type, _structs, "names may repeat"),
    ArrowKind("map", ("is_map",), _map_type, _maps, "a struct; keys that are not text are refused"),
    ArrowKind(
        "dictionary", ("is_dictionary",), lambda type_: value_type(type_.value_type), _dictionaries, "its values"
    ),
    ArrowKind(
        "run_end_encoded", ("is_run_end_encoded",), lambda type_: value_type(type_.value_type), _runs, "its values"
    ),
    ArrowKind("sparse_union, dense_union", ("is_union",), _union_type, _unions, "tagged on Spark where types differ"),
)

_STORAGE = ArrowKind(
    "any other extension",
    (),
    lambda type_: value_type(type_.storage_type),
    lambda array: read(array.storage),
    "what it is stored as",
)
EXTENSIONS: dict[str, ArrowKind] = {
    "arrow.uuid": ArrowKind(
        "extension arrow.uuid",
        (),
        _is(t.Uuid()),
        lambda array: _each(array.storage, lambda item: str(uuid.UUID(bytes=item))),
        "text of 36 characters",
    ),
    "arrow.bool8": ArrowKind("extension arrow.bool8", (), _is(t.BOOL), lambda array: _each(array.storage, bool)),
}
ALL_KINDS = (*KINDS, *EXTENSIONS.values(), _STORAGE)
