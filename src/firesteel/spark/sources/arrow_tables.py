"""Arrow tables, and files that Spark reads differently from Arrow, as columns that are encoded by our types.

Spark reads most columns of a Parquet file as we do. It refuses times, nanoseconds, half floats and UUIDs, and reads
durations as numbers. Such columns are read as the numbers or octets that they are stored as, and converted by Spark
expressions. `docs/arrow.md` has a line for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.arrow_values import arrow_type, fitting
from firesteel.spark.encoding.column_types import MAX_DIGITS, Form, bare, form, settle, to_spark
from firesteel.spark.sources.file_frames import Opened
from firesteel.spark.time import moments
from firesteel.tables import arrow_type as table_type
from firesteel.tables import column_values, ensure_text_keys
from firesteel.tables.arrow import kinds as arrow_kinds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# ---------------------------------------------------------------------------------------------------------------------
# Tables in memory


def arrow_frame(spark: SparkSession, table: pa.Table) -> Opened:
    """An Arrow table as a DataFrame, with the types of its columns."""
    if not table.num_columns:
        return Opened(spark.range(table.num_rows).select())
    arrays, types = [], []
    for field, column in zip(table_type(table.schema).fields, table.columns, strict=True):
        ensure_text_keys(field)
        type_, array = _upload_column(field, column)
        arrays.append(_without_offsets(array))
        types.append(type_)
    names = [f"c{i}" for i in range(len(types))]
    schema = s.StructType([s.StructField(name, to_spark(type_)) for name, type_ in zip(names, types, strict=True)])
    encoded = pa.Table.from_arrays(arrays, schema=pa.schema([(f.name, arrow_type(f.dataType)) for f in schema.fields]))
    if not encoded.num_rows:  # PySpark cannot take a list, a map or a struct from a column without any chunk
        encoded = encoded.schema.empty_table()
    frame = spark.createDataFrame(encoded, schema=schema).toDF(*table.column_names)
    return Opened(frame, types=dict(enumerate(types)))


def _upload_column(field: t.Field, column: pa.ChunkedArray) -> tuple[t.Type, Any]:
    """A column as Spark takes it: cast as a whole where that changes no value, else value by value."""
    type_ = settle(field.type)
    if form(type_) is not Form.VARIANT and not _has(column.type, _cast_may_change):
        target = arrow_type(to_spark(type_))
        try:
            cast = column.cast(target)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            pass
        else:
            if _in_range(cast):
                return type_, cast
    return fitting(type_, column_values(field.name or "", column))


def _without_offsets(column: pa.Array | pa.ChunkedArray) -> Any:
    """A nested column whose parts begin at the start of their buffers: PySpark cannot rebuild a list or a map that is a
    slice of another, as in `table.slice(1)`."""
    if not pa.types.is_nested(column.type) or not len(column):
        return column
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([pa.concat_arrays([chunk]) for chunk in chunks])


def _in_range(column: pa.ChunkedArray) -> bool:
    """Are all of its dates and timestamps in the years 1 to 9999? Those inside of lists are checked later."""
    limits = next((limits for test, limits in _YEARS if test(column.type)), None)
    if limits is None:
        return True
    ends = pc.min_max(column.cast(pa.int64() if column.type.bit_width == 64 else pa.int32())).as_py()
    return ends["min"] is None or (limits[0] <= ends["min"] and ends["max"] <= limits[1])


_FIRST, _LAST = moments.FIRST, moments.LAST
_YEARS: tuple[tuple[Any, tuple[int, int]], ...] = (
    (pa.types.is_date32, (_FIRST // moments.DAY, _LAST // moments.DAY)),
    (pa.types.is_timestamp, (_FIRST * 10**6, _LAST * 10**6 + 10**6 - 1)),
)


def _is_extension(type_: Any) -> bool:
    return isinstance(type_, pa.BaseExtensionType)


def _cast_may_change(type_: Any) -> bool:
    """May a cast by Arrow change values? It casts list views as if they were lists, and extensions by their storage."""
    return _is_extension(type_) or pa.types.is_list_view(type_) or pa.types.is_large_list_view(type_)


def _has(type_: Any, test: Callable[[Any], bool]) -> bool:
    """Does the test hold for the type, or for one inside of it?"""
    if test(type_):
        return True
    inner = _inside(type_)
    return any(_has(part, test) for part in inner)


def _inside(type_: Any) -> list[Any]:
    if _is_extension(type_):
        return [type_.storage_type]
    if pa.types.is_dictionary(type_):
        return [type_.value_type]
    return [type_.field(i).type for i in range(type_.num_fields)]


# ---------------------------------------------------------------------------------------------------------------------
# Files


def encoded_frame(
    spark: SparkSession,
    schema: pa.Schema,
    load: Callable[[s.StructType | None], DataFrame],
    read: Callable[[], pa.Table],
) -> Opened:
    """The frame of a file of that schema, as Spark loads it. If Spark reads a column differently from us, it loads all
    columns as they are stored. If Spark has no type for a column, this process reads the file."""
    types = {field.name: t.absent(arrow_kinds.value_type(field.type), nullable=True) for field in schema}
    odd = {field.name for field in schema if _has(field.type, _is_stored)}
    if any(_has(field.type, _beyond_spark) for field in schema):
        return arrow_frame(spark, read())
    if odd:
        stored = s.StructType([s.StructField(field.name, _stored_type(field.type)) for field in schema])
        columns = [_encode(F.col(f"c{i}"), field.type).alias(field.name) for i, field in enumerate(schema)]
        loaded = load(stored)
        behind = loaded.columns[len(schema) :]  # the position of the record
        frame = loaded.toDF(*(f"c{i}" for i in range(len(schema))), *behind).select(*columns, *map(F.quoted, behind))
    else:
        frame = _cast_timestamps(load(None), types)
    fields = enumerate(frame.schema.fields)
    return Opened(
        frame, types={i: types[f.name] for i, f in fields if f.name in odd or _is_plain(types.get(f.name), f.dataType)}
    )


def _cast_timestamps(frame: DataFrame, types: Mapping[str, t.Type]) -> DataFrame:
    """The frame with timestamps cast to have a zone or none, as their types say: Spark reads all of ORC as instants."""
    columns, changed = [], False
    for field in frame.schema.fields:
        type_, column = types.get(field.name), F.quoted(field.name)
        if isinstance(type_, t.Timestamp) and isinstance(field.dataType, s.TimestampType | s.TimestampNTZType):
            spark = to_spark(type_)
            changed |= spark != field.dataType
            column = column.cast(spark).alias(field.name)
        columns.append(column)
    return frame.select(*columns) if changed else frame


def _is_plain(type_: t.Type | None, spark: s.DataType) -> bool:
    """Is a column that Spark loaded already encoded by the type?"""
    return type_ is not None and form(type_) is Form.PLAIN and to_spark(type_) == bare(spark)


def _beyond_spark(type_: Any) -> bool:
    """Has Spark no type for it, nor a type that it could be read as?"""
    if pa.types.is_union(type_):
        return True
    return pa.types.is_decimal(type_) and type_.precision > MAX_DIGITS


def _is_stored(type_: Any) -> bool:
    """Is it a type that Spark does not read as we do?"""
    return _beyond_spark(type_) or _row(type_) is not None


def _row(type_: Any) -> Stored | None:
    if _is_extension(type_):
        return _EXTENSIONS.get(type_.extension_name)
    return next((row for test, row in _STORED if test(type_)), None)


def _stored_type(type_: Any) -> s.DataType:
    """The Spark type that a column is read as."""
    row = _row(type_)
    if row is not None:
        return row[0]
    if pa.types.is_map(type_):
        return s.MapType(_stored_type(type_.key_type), _stored_type(type_.item_type))
    if pa.types.is_struct(type_):
        return s.StructType([s.StructField(field.name, _stored_type(field.type)) for field in type_])
    inner = _inside(type_)
    if not inner:
        return to_spark(arrow_kinds.value_type(type_))
    element = _stored_type(inner[0])
    return element if _is_wrapped(type_) else s.ArrayType(element)


def _is_wrapped(type_: Any) -> bool:
    return _is_extension(type_) or pa.types.is_dictionary(type_)


def _encode(column: Column, type_: Any) -> Column:
    """The column, encoded by its type; SQL NULL is NULL."""
    if not _has(type_, _is_stored):
        return column
    row = _row(type_)
    if row is not None:
        converted = row[1](column, type_)
        return F.coalesce(converted, variants.null()) if row[2] else converted
    if pa.types.is_map(type_):
        return F.transform_values(column, lambda _, item: _encode(item, type_.item_type))
    if pa.types.is_struct(type_):
        fields = [_encode(column[field.name], field.type).alias(field.name) for field in type_]
        return F.when(column.isNotNull(), F.struct(*fields))
    inner = _inside(type_)[0]
    return _encode(column, inner) if _is_wrapped(type_) else F.transform(column, lambda item: _encode(item, inner))


def _parts(ticks: Column, type_: Any) -> tuple[Column, Column, Column]:
    """Seconds, nanoseconds, and how many digits there are behind the point."""
    digits = arrow_kinds.DIGITS[type_.unit]
    nanos = F.pmod(ticks, moments.long(10**digits)) * moments.long(10 ** (9 - digits))
    before = moments.quotient(ticks + moments.long(1), 10**digits) - moments.long(1)
    # Not `floored`, which would overflow 64 bits for the very first moments.
    seconds = F.when(ticks < 0, before).otherwise(moments.quotient(ticks, 10**digits))
    return seconds, nanos, F.lit(digits)


def _time(ticks: Column, type_: Any) -> Column:
    seconds, nanos, digits = _parts(ticks, type_)
    moment = moments.of_moment(moments.TIME, seconds, nanos, F.lit(None), F.lit(4), digits)
    return F.when(ticks.isNotNull(), moments.to_variant(moments.Moment(moment, frozenset({moments.TIME}))))


def _timestamp(ticks: Column, type_: Any) -> Column:
    seconds, nanos, digits = _parts(ticks, type_)
    offset = F.lit(None if type_.tz is None else 0)
    moment = moments.of_moment(moments.TIMESTAMP, seconds, nanos, offset, F.lit(4), digits)
    return F.when(ticks.isNotNull(), moments.to_variant(moments.Moment(moment, frozenset({moments.TIMESTAMP}))))


def _duration(ticks: Column, type_: Any) -> Column:
    nanos = ticks.cast(moments.WHOLE) * F.lit(Decimal(10 ** (9 - arrow_kinds.DIGITS[type_.unit])))
    unit = F.lit(moments.UNITS.index("day_time"))
    interval = moments.of_interval(unit, F.lit(0), nanos, F.lit(9), F.lit(9))
    return F.when(ticks.isNotNull(), moments.interval_variant(moments.Interval(interval)))


def _half(octets: Column, _: Any) -> Column:
    """A half float from its octets, low byte first: sign, five bits of exponent, ten of the fraction."""
    figures = F.hex(octets)
    bits = F.conv(F.concat(F.substring(figures, 3, 2), F.substring(figures, 1, 2)), 16, 10).cast("int")
    exponent, fraction = F.shiftright(bits, 10) % 32, (bits % 1024).cast("double")
    normal = (fraction + 1024) * F.pow(F.lit(2.0), exponent - 25)
    special = F.when(fraction == 0, F.lit(float("inf"))).otherwise(F.lit(float("nan")))
    size = F.when(exponent == 31, special).when(exponent == 0, fraction * F.lit(2.0**-24)).otherwise(normal)
    return F.when(bits >= 1 << 15, -size).otherwise(size).cast("float")


def _uuid(octets: Column, _: Any) -> Column:
    return F.regexp_replace(F.lower(F.hex(octets)), "^(.{8})(.{4})(.{4})(.{4})(.{12})$", "$1-$2-$3-$4-$5")


#: The Spark type that a column is read as, its conversion, and whether that gives a variant.
Stored = tuple[s.DataType, Callable[[Column, Any], Column], bool]
_STORED: tuple[tuple[Callable[[Any], bool], Stored], ...] = (
    (pa.types.is_null, (s.IntegerType(), lambda _, __: variants.null(), True)),
    (pa.types.is_time, (s.LongType(), _time, True)),
    (lambda type_: pa.types.is_timestamp(type_) and type_.unit == "ns", (s.LongType(), _timestamp, True)),
    (pa.types.is_duration, (s.LongType(), _duration, True)),
    (pa.types.is_float16, (s.BinaryType(), _half, False)),
)
_EXTENSIONS: dict[str, Stored] = {
    "arrow.uuid": (s.BinaryType(), _uuid, False),
    "arrow.bool8": (s.ByteType(), lambda column, _: column != 0, False),
}
