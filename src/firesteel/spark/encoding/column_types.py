"""How a value sits in a column: one function of its static type.

| the type                                   | the column                 | SQL NULL is                     |
|--------------------------------------------|----------------------------|---------------------------------|
| known, may be NULL, never MISSING          | of Spark's own type        | NULL                            |
| known, may be MISSING, never NULL          | of Spark's own type        | MISSING                         |
| may be both, or is not known               | VARIANT (see `variants`) | MISSING; variant null is NULL   |

The same holds inside: a closed struct is a struct of columns like these, a collection an array of them; bags and
arrays are both arrays, and the static type says which.
"""

from __future__ import annotations

import enum
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyspark.sql import types as s

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import Node, drive, fold, transform
from firesteel.tables.shapes.value_shapes import SHORT
from firesteel.values import Timestamp

#: The unsigned integers of Substrait's extension, and how many bits they have.
UNSIGNED: dict[str, int] = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}
_UNSIGNED: dict[str, s.DataType] = {
    "u8": s.ShortType(),
    "u16": s.IntegerType(),
    "u32": s.LongType(),
    "u64": s.DecimalType(20, 0),
}

#: A type nested deeper than this is a VARIANT: Spark walks schemas recursively, in Python and in the JVM.
MAX_NESTED = 12
MAX_DIGITS = 38
MICROS = 6

#: How many digits a column of integers may need, by their bits.
_INTEGERS = {8: 3, 16: 5, 32: 10, 64: 20}


class Form(enum.Enum):
    """What SQL NULL means in a column."""

    PLAIN = "null"
    PLAIN_MISSING = "missing"
    VARIANT = "missing, beside a variant null"


@dataclass(frozen=True)
class Encoding:
    """A form, and Spark's type."""

    form: Form
    spark: s.DataType


class TrimmedDecimal(t.Decimal):
    """Decimals of different scales: means, and the numbers of a JSON file. The column has a fixed scale; a value read
    from it loses its trailing zeros, all but the first one behind the point."""

    def __str__(self) -> str:
        return str(t.Decimal(self.precision, self.scale, nullable=self.nullable, missable=self.missable))


class ShortInt(t.Int64):
    """Integers of at most `SHORT` digits in a column of 64 bits: Spark's decimals have room for their products."""

    @property
    def bits(self) -> int:
        return 64

    def __str__(self) -> str:
        return str(t.absent(t.INT64, nullable=self.nullable, missable=self.missable))


class WholeOrDecimal(t.Union):
    """Integers and decimals in one column of decimals, for data where `12` occurs but `12.0` does not: a whole number
    in the column is an integer. The members are `Int64` and the `TrimmedDecimal` that the column is encoded as."""

    @property
    def decimal(self) -> t.Decimal:
        return next(member for member in self.members if isinstance(member, t.Decimal))


class JsonWords(t.Union):
    """Booleans, integers of 64 bits, strings, and decimals that do not end in zero, in a VARIANT. Values are equal if
    and only if their JSON texts are, so Spark can group by the text; `parse_json` gives the value back."""


JSON_WORDS = JsonWords((t.BOOL, t.INT64, t.STRING), nullable=True, missable=True)
JSON_PLAIN = JsonWords((t.BOOL, t.INT64, t.DECIMAL, t.STRING), nullable=True, missable=True)
_WORDS = (t.Bool, t.Int8, t.Int16, t.Int32, t.Int64, t.Char, t.String)


def words_type(types: Iterable[t.Type]) -> t.Type | None:
    """The type for rows of all these, if they are booleans, integers and strings; None for others."""
    found = list(types)
    words = (type_ for type_ in found if not isinstance(type_, JsonWords))
    plain = all(isinstance(one, _WORDS) and form(one) is not Form.VARIANT for one in words)
    every = {member for type_ in found if isinstance(type_, JsonWords) for member in type_.members}
    return None if not plain else JSON_PLAIN if t.DECIMAL in every else JSON_WORDS


def whole_or_decimal(precision: int, scale: int) -> WholeOrDecimal:
    return WholeOrDecimal((t.INT64, TrimmedDecimal(precision, scale)))


_VARIANT = Encoding(Form.VARIANT, s.VariantType())

_SCALARS: dict[type[t.Type], s.DataType] = {
    t.Bool: s.BooleanType(),
    t.Int8: s.ByteType(),
    t.Int16: s.ShortType(),
    t.Int32: s.IntegerType(),
    t.Int64: s.LongType(),
    t.Int: s.DecimalType(MAX_DIGITS, 0),
    t.Float32: s.FloatType(),
    t.Float64: s.DoubleType(),
    t.Char: s.StringType(),
    t.String: s.StringType(),
    t.Symbol: s.StringType(),
    t.Byte: s.BinaryType(),
    t.Blob: s.BinaryType(),
    t.Clob: s.BinaryType(),
    t.Date: s.DateType(),
    t.Uuid: s.StringType(),
}


@lru_cache(maxsize=4096)
def encoding(type_: t.Type) -> Encoding:
    """How a value of this type sits in a column."""
    found, _ = fold(type_, _encode)
    return found


def nests(type_: t.Type) -> bool:
    """Is the type nested no deeper than `MAX_NESTED`?"""
    return fold(type_, lambda node, inner: isinstance(node, t.Type) + max(inner, default=0)) <= MAX_NESTED


def form(type_: t.Type) -> Form:
    return encoding(type_).form


def to_spark(type_: t.Type) -> s.DataType:
    """Spark's type for values of this type."""
    return encoding(type_).spark


def cast_type(type_: t.Type) -> s.DataType | str:
    """Spark's type for `cast`: its name (`bigint`) unless it is nested. That saves four of five round trips."""
    spark = to_spark(type_)
    return spark if isinstance(spark, s.StructType | s.ArrayType | s.MapType) else spark.simpleString()


def _encode(node: Node, inner: list[Any]) -> tuple[Encoding, int]:
    if isinstance(node, t.Field):
        return inner[0]
    assert isinstance(node, t.Type)
    depth = 1 + max((size for _, size in inner), default=0)
    spark = _plain(node, [found for found, _ in inner]) if depth <= MAX_NESTED else None
    if spark is None or (node.nullable and node.missable):
        return _VARIANT, 1
    return Encoding(Form.PLAIN_MISSING if node.missable else Form.PLAIN, spark), depth


def _plain(type_: t.Type, inner: list[Encoding]) -> s.DataType | None:
    """Spark's own type, or None where there is none."""
    match type_:
        case t.Decimal(precision=int() as precision) if 0 < precision <= MAX_DIGITS:
            scale = type_.scale or 0
            return s.DecimalType(precision, scale) if 0 <= scale <= precision else None
        case t.Timestamp(precision=int() as precision) if precision <= MICROS:
            return s.TimestampType() if type_.zone else s.TimestampNTZType()
        case t.Collection():
            return s.ArrayType(inner[0].spark)
        case t.Struct(open=False) if plain_names(type_):
            pairs = zip(type_.fields, inner, strict=True)
            return s.StructType([s.StructField(field.name or "", found.spark) for field, found in pairs])
        case t.Map(key=t.String() | t.Char()) if not type_.key.absent:
            return s.MapType(inner[0].spark, inner[1].spark)
        case t.UserDefined(name=name) if unsigned(type_):
            return _UNSIGNED[name]
        case WholeOrDecimal():
            return _plain(type_.decimal, [])
    return next((_SCALARS[cls] for cls in type(type_).__mro__ if cls in _SCALARS), None)


def unsigned(type_: t.Type) -> bool:
    """Is it one of Substrait's unsigned integers? Each sits in the next wider Spark type, `u64` in a decimal."""
    return isinstance(type_, t.UserDefined) and type_.name in UNSIGNED and type_.urn.endswith("unsigned_integers")


def plain_names(struct: t.Struct) -> bool:
    """Can Spark tell the fields apart? It ignores the case of names."""
    names = [(field.name or "").lower() for field in struct.fields]
    return len(set(names)) == len(names) > 0 and all(names)


# ---------------------------------------------------------------------------------------------------------------------
# Spark's types


def frame_type(frame: Any) -> t.Type:
    """The type of a DataFrame's rows: a bag of closed structs."""
    return t.Bag(from_spark(frame.schema))


def from_spark(spark: s.DataType) -> t.Type:
    """The type of a column that we did not encode: SQL NULL is NULL in it, never MISSING."""
    return drive(_from_spark, spark)


_FROM: tuple[tuple[type[s.DataType], t.Type], ...] = (
    (s.BooleanType, t.BOOL),
    (s.ByteType, t.INT8),
    (s.ShortType, t.INT16),
    (s.IntegerType, t.INT32),
    (s.LongType, t.INT64),
    (s.FloatType, t.FLOAT32),
    (s.DoubleType, t.FLOAT64),
    (s.StringType, t.STRING),
    (s.CharType, t.STRING),
    (s.VarcharType, t.STRING),
    (s.BinaryType, t.BLOB),
    (s.DateType, t.DATE),
    (s.TimestampType, t.Timestamp(MICROS, zone=True)),
    (s.TimestampNTZType, t.Timestamp(MICROS)),
    (s.VariantType, t.ANY),
    (s.NullType, t.NULL),
)


def _from_spark(spark: s.DataType) -> t.Type | Generator[Any, Any, t.Type]:
    if isinstance(spark, s.StructType | s.ArrayType | s.MapType):
        return _from_nested(spark)
    if isinstance(spark, s.DecimalType):
        return t.Decimal(spark.precision, spark.scale)
    for cls, type_ in _FROM:
        if isinstance(spark, cls):
            return type_
    raise UnsupportedError(
        f"no type for Spark's {spark.simpleString()}", help="cast the column to text, a number or a timestamp"
    )


def _from_nested(spark: s.StructType | s.ArrayType | s.MapType) -> Generator[Any, Any, t.Type]:
    if isinstance(spark, s.ArrayType):
        element = yield (spark.elementType,)
        return t.Array(t.absent(element, nullable=spark.containsNull))
    if isinstance(spark, s.MapType):
        key = yield (spark.keyType,)
        value = yield (spark.valueType,)
        return t.Map(key, t.absent(value, nullable=spark.valueContainsNull))
    fields = []
    for field in spark.fields:
        inner = yield (field.dataType,)
        fields.append(t.Field(field.name, t.absent(inner, nullable=field.nullable)))
    return t.Struct(tuple(fields), open=False)


def bare(spark: s.DataType) -> s.DataType:
    """The type as `to_spark` writes it: every part is nullable, CHAR and VARCHAR are STRING."""
    match spark:
        case s.ArrayType():
            return s.ArrayType(bare(spark.elementType))
        case s.MapType():
            return s.MapType(bare(spark.keyType), bare(spark.valueType))
        case s.StructType():
            return s.StructType([s.StructField(f.name, bare(f.dataType)) for f in spark.fields])
        case s.StringType() | s.CharType() | s.VarcharType():
            return s.StringType()
    return spark


# ---------------------------------------------------------------------------------------------------------------------
# Fewer unions: one wider type instead, where it holds the same values


def settle(type_: t.Type) -> t.Type:
    """The type with unions replaced by one wider type that holds the same values: `int32 | int64` is `int64`."""
    return transform(type_, _settle)


def digits_of(type_: t.Type) -> tuple[int, int]:
    """The precision and scale of an integer or decimal type."""
    if isinstance(type_, t.Decimal):
        return type_.precision or MAX_DIGITS, type_.scale or 0
    if isinstance(type_, ShortInt):
        return SHORT, 0
    return _INTEGERS.get(type_.bits or 0, MAX_DIGITS) if isinstance(type_, t.Integer) else MAX_DIGITS, 0


def common_type(types: Iterable[t.Type]) -> t.Type:
    """One type for the values of several, if possible one with a plain column."""
    return settle(t.merge(types))


def _settle(node: Node) -> Node:
    if not isinstance(node, t.Union):
        return node
    for cls, widest in _WIDER:
        members = [member for member in node.members if isinstance(member, cls)]
        if len(members) == len(node.members):
            found = widest(members)
            return t.absent(found, nullable=node.nullable, missable=node.missable) if found else node
    return node


def _widest_integer(members: list[Any]) -> t.Type:
    return t.INT if any(member.bits is None for member in members) else t.INT64


def _widest_decimal(members: list[Any]) -> t.Type | None:
    if any(member.precision is None for member in members):
        return t.DECIMAL
    scale = max(member.scale or 0 for member in members)
    whole = max(member.precision - (member.scale or 0) for member in members)
    return t.Decimal(whole + scale, scale) if whole + scale <= MAX_DIGITS else t.DECIMAL


def _widest_timestamp(members: list[Any]) -> t.Type | None:
    if len({member.zone for member in members}) > 1 or any(member.precision is None for member in members):
        return None
    return t.Timestamp(max(member.precision for member in members), zone=members[0].zone)


_WIDER: tuple[tuple[Any, Any], ...] = (
    (t.Integer, _widest_integer),
    (t.Decimal, _widest_decimal),
    (t.Float32 | t.Float64, lambda _: t.FLOAT64),
    (t.Char | t.String, lambda _: t.STRING),
    (t.Byte | t.Blob, lambda _: t.BLOB),
    (t.Timestamp, _widest_timestamp),
)


def seconds(value: Timestamp, type_: t.Timestamp) -> bool:
    """Does a plain column of the type give the timestamp back unchanged?"""
    zoned = value.offset == 0 if type_.zone else value.offset is None
    return zoned and value.precision == "second" and value.digits == type_.precision
