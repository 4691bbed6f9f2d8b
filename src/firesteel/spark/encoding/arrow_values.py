"""Values to Spark and back, through Arrow.

An uploaded column has the type that its table declares, unless a value would come back changed (a timestamp with an
offset, an integer of 100 digits): then the column is a VARIANT, and `upload` returns that type.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.evaluate.scalar.arithmetic import trim_zeros
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variant_bytes
from firesteel.spark.encoding.column_types import Form, TrimmedDecimal, WholeOrDecimal, form, seconds, settle, to_spark
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.values import MISSING, Bag, Clob, Sexp, Struct, Symbol, Timestamp, Value

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


#: A MISSING inside a variant.
MISSING_JSON = json.dumps({variant_bytes.TAG: [Kind.MISSING]})


class NotPlain(Exception):
    """A plain column of the type cannot hold the value without loss."""


# ---------------------------------------------------------------------------------------------------------------------
# Up


def upload(
    spark: SparkSession, columns: Sequence[tuple[str, t.Type, Sequence[Value]]]
) -> tuple[DataFrame, tuple[t.Type, ...]]:
    """A DataFrame of named columns of values, and the types that its columns have."""
    arrays, fields, types = [], [], []
    for name, type_, items in columns:
        fitted, array = fitting(settle(type_), items)
        arrays.append(array)
        types.append(fitted)
        fields.append(s.StructField(name, to_spark(fitted)))
    schema = pa.schema([pa.field(field.name, arrow_type(field.dataType)) for field in fields])
    table = pa.Table.from_arrays(arrays, schema=schema)
    return spark.createDataFrame(table, schema=s.StructType(fields)), tuple(types)


def fitting(type_: t.Type, items: Sequence[Value]) -> tuple[t.Type, pa.Array]:
    """The type and the values as an Arrow column of it; ANY and a column of variants if a value does not fit."""
    try:
        return type_, put(items, type_)
    except (NotPlain, pa.ArrowInvalid, OverflowError):
        return t.ANY, put(items, t.ANY)


def put(items: Sequence[Value], type_: t.Type) -> pa.Array:
    """Values as an Arrow column, encoded by the type; an error if one of them does not fit."""
    put_item = putter(type_)
    return pa.array([put_item(item) for item in items], arrow_type(to_spark(type_)))


_ARROW: tuple[tuple[type[s.DataType], Any], ...] = (
    (s.BooleanType, pa.bool_()),
    (s.ByteType, pa.int8()),
    (s.ShortType, pa.int16()),
    (s.IntegerType, pa.int32()),
    (s.LongType, pa.int64()),
    (s.FloatType, pa.float32()),
    (s.DoubleType, pa.float64()),
    (s.StringType, pa.string()),
    (s.BinaryType, pa.binary()),
    (s.DateType, pa.date32()),
    (s.TimestampType, pa.timestamp("us", tz="UTC")),
    (s.TimestampNTZType, pa.timestamp("us")),
)


def arrow_type(spark: s.DataType) -> Any:
    """Arrow's type for a column; a variant is a struct of its two parts, marked so that Spark knows it."""
    if isinstance(spark, s.VariantType):
        marked = pa.field("metadata", pa.binary(), nullable=False, metadata={b"variant": b"true"})
        return pa.struct([pa.field("value", pa.binary(), nullable=False), marked])
    if isinstance(spark, s.DecimalType):
        return pa.decimal128(spark.precision, spark.scale)
    if isinstance(spark, s.ArrayType):
        return pa.list_(arrow_type(spark.elementType))
    if isinstance(spark, s.StructType):
        return pa.struct([pa.field(field.name, arrow_type(field.dataType)) for field in spark.fields])
    if isinstance(spark, s.MapType):
        return pa.map_(arrow_type(spark.keyType), arrow_type(spark.valueType))
    return next(found for cls, found in _ARROW if isinstance(spark, cls))


def putter(type_: t.Type) -> Callable[[Value], Any]:
    """A function that turns a value into what Arrow takes. Types nest at most `column_types.MAX_NESTED` deep."""
    kind = form(type_)
    if kind is Form.VARIANT:
        return _put_variant
    put = _plain_putter(type_)
    empty = None if kind is Form.PLAIN else MISSING
    allowed = type_.absent

    def item(value: Value) -> Any:
        if value is None or value is MISSING:
            if value is not empty or not allowed:
                raise NotPlain
            return None
        return put(value)

    return item


def _put_variant(value: Value) -> Any:
    encoded = variant_bytes.encode(value)
    return None if encoded is None else {"value": encoded[0], "metadata": encoded[1]}


def _plain_putter(type_: t.Type) -> Callable[[Value], Any]:
    match type_:
        case t.Collection():
            put = putter(type_.element)
            cls: Any = {t.Bag: Bag, t.Sexp: Sexp}.get(type(type_), list)
            return lambda value: [put(item) for item in _exactly(value, cls)]
        case t.Struct():
            return _struct_putter(type_)
        case t.Map():
            put = putter(type_.value)
            return lambda value: [(name, put(item)) for name, item in _exactly(value, Struct)]
        case t.Timestamp():
            return lambda value: _put_timestamp(value, type_)
        case t.Decimal():
            return lambda value: _put_decimal(value, type_)
        case t.Int():
            return lambda value: Decimal(_exactly(value, int))
        case t.UserDefined():
            number: Any = Decimal if isinstance(to_spark(type_), s.DecimalType) else int
            return lambda value: number(_exactly(value, int))
    cls = _CLASSES[type(type_)]
    return lambda value: _exactly(value, cls)


_CLASSES: dict[type[t.Type], type] = {
    t.Bool: bool,
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), int),
    t.Float32: float,
    t.Float64: float,
    t.Char: str,
    t.String: str,
    t.Symbol: Symbol,
    t.Byte: bytes,
    t.Blob: bytes,
    t.Clob: Clob,
    t.Date: datetime.date,
    t.Uuid: str,
}


def _exactly(value: Value, cls: type) -> Any:
    if type(value) is not cls:
        raise NotPlain
    return value


def _put_timestamp(value: Value, type_: t.Timestamp) -> Any:
    if not isinstance(value, Timestamp) or not seconds(value, type_):
        raise NotPlain
    return int(value.instant.scaleb(6))


def _put_decimal(value: Value, type_: t.Decimal) -> Any:
    if not isinstance(value, Decimal):
        raise NotPlain
    return value


def _struct_putter(type_: t.Struct) -> Callable[[Value], Any]:
    puts = {field.name or "": putter(field.type) for field in type_.fields}

    def item(value: Value) -> Any:
        _exactly(value, Struct)
        by_name = dict(value.pairs)
        if len(by_name) < len(value.pairs) or not by_name.keys() <= puts.keys():
            raise NotPlain
        return {name: put(by_name.get(name, MISSING)) for name, put in puts.items()}

    return item


# ---------------------------------------------------------------------------------------------------------------------
# Down


def download(frame: DataFrame, types: Sequence[t.Type]) -> Iterable[tuple[Value, ...]]:
    """The rows of a frame whose columns are encoded by these types."""
    if not types:
        return [()] * frame.count()  # Arrow's tables of no columns have no rows
    names = [f"d{i}" for i in range(len(types))]
    sealed = [seal(F.col(name), type_).alias(name) for name, type_ in zip(names, types, strict=True)]
    table = frame.toDF(*names).select(*sealed).toArrow()
    columns = [taken(column, type_, sealed=True) for column, type_ in zip(table.columns, types, strict=True)]
    return list(zip(*columns, strict=True))


def taken(column: Any, type_: t.Type, *, sealed: bool) -> list[Value]:
    """The values of an Arrow column that is encoded by the type."""
    take = _taker(type_, sealed)
    return [take(item) for item in _python(column)]


def seal(column: Column, type_: t.Type) -> Column:
    """The column with MISSING as a tagged variant, not as SQL NULL: PySpark cannot fetch a NULL variant via Arrow."""
    if form(type_) is Form.VARIANT:
        return F.coalesce(column, F.parse_json(F.lit(MISSING_JSON)))
    if not _holds_variants(to_spark(type_)):
        return column
    if isinstance(type_, t.Collection):
        element = type_.element
        return F.transform(column, lambda item: seal(item, element))
    if isinstance(type_, t.Map):
        value = type_.value
        return F.transform_values(column, lambda _, item: seal(item, value))
    assert isinstance(type_, t.Struct)
    fields = [(field.name or "", field.type) for field in type_.fields]
    sealed = F.struct(*(seal(column[name], inner).alias(name) for name, inner in fields))
    return F.filter(F.array(sealed), lambda _: column.isNotNull()) if _boxed(type_) else sealed


def _boxed(type_: t.Type) -> bool:
    """Does `seal` put the struct in an array of one or none? If it may be absent: its variants would be SQL NULL."""
    return isinstance(type_, t.Struct) and type_.absent and _holds_variants(to_spark(type_))


def _holds_variants(spark: s.DataType) -> bool:
    if isinstance(spark, s.ArrayType):
        return _holds_variants(spark.elementType)
    if isinstance(spark, s.MapType):
        return _holds_variants(spark.valueType)
    if isinstance(spark, s.StructType):
        return any(_holds_variants(field.dataType) for field in spark.fields)
    return isinstance(spark, s.VariantType)


def _python(column: Any) -> list[Any]:
    """The items, with timestamps as microseconds: Python's `datetime` ends with the year 9999 and needs time zones."""
    numbers = _numbers(column.type)
    return (column if numbers == column.type else column.cast(numbers)).to_pylist()


def _numbers(type_: Any) -> Any:
    """The Arrow type with int64 for its timestamps."""
    if pa.types.is_timestamp(type_):
        return pa.int64()
    if pa.types.is_list(type_):
        inner = _numbers(type_.value_type)
        return type_ if inner == type_.value_type else pa.list_(type_.value_field.with_type(inner))
    if pa.types.is_map(type_):
        item = type_.item_field
        return pa.map_(type_.key_field, item.with_type(_numbers(item.type)))
    if pa.types.is_struct(type_):
        found = [(field, _numbers(field.type)) for field in type_]
        if all(inner == field.type for field, inner in found):
            return type_
        return pa.struct([field.with_type(inner).with_nullable(True) for field, inner in found])
    return type_


def _taker(type_: t.Type, sealed: bool) -> Callable[[Any], Value]:
    """A function that turns what Arrow gives into a value."""
    kind = form(type_)
    empty: Value = None if kind is Form.PLAIN else MISSING
    take = _take_variant if kind is Form.VARIANT else _plain_taker(type_, sealed)
    if sealed and kind is not Form.VARIANT and _boxed(type_):
        return lambda box: take(box[0]) if box else empty
    return lambda item: empty if item is None else take(item)


def _take_variant(item: Any) -> Value:
    return variant_bytes.decode(item["value"], item["metadata"])


def _same(item: Any) -> Value:
    return item


def _plain_taker(type_: t.Type, sealed: bool) -> Callable[[Any], Value]:
    match type_:
        case t.Collection():
            take = _taker(type_.element, sealed)
            build: Any = {t.Bag: Bag, t.Sexp: Sexp}.get(type(type_), list)
            return lambda item: build([take(inner) for inner in item])
        case t.Struct():
            takes = [(field.name or "", _taker(field.type, sealed)) for field in type_.fields]
            return lambda item: _struct((name, take(item[name])) for name, take in takes)
        case t.Map():
            take = _taker(type_.value, sealed)
            return lambda item: Struct([(name, take(inner)) for name, inner in item])
        case t.Timestamp():
            offset, digits = (0 if type_.zone else None), type_.precision
            return lambda item: variant_bytes.timestamp(item, offset, digits)
    return _TAKERS.get(type(type_), _same)


def _struct(pairs: Iterable[tuple[str, Value]]) -> Struct:
    return Struct([(name, item) for name, item in pairs if item is not MISSING])


_TAKERS: dict[type[t.Type], Callable[[Any], Value]] = {
    t.Symbol: Symbol,
    t.Clob: Clob,
    t.Int: int,
    t.UserDefined: int,
    TrimmedDecimal: trim_zeros,
    WholeOrDecimal: lambda number: int(number) if number == int(number) else trim_zeros(number),
}
