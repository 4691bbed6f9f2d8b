"""Constants and types of Spark Connect's messages."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.spark.encoding.column_types import from_spark
from firesteel.spark.frames.base import refuse

_EPOCH = datetime.datetime(1970, 1, 1)


def type_of(message: Any) -> t.Type:
    """The type that a message describes."""
    return from_spark(proto_schema_to_pyspark_data_type(message))


def _moment(micros: int, *, zone: bool) -> values.Timestamp:
    at = _EPOCH + datetime.timedelta(microseconds=micros)
    second = Decimal(at.second) + Decimal(at.microsecond).scaleb(-6)
    return values.Timestamp(at.year, at.month, at.day, at.hour, at.minute, second, 0 if zone else None)


def _decimal(message: Any) -> tuple[t.Type, Any]:
    value = Decimal(message.value)
    scale = max(0, -int(value.as_tuple().exponent))
    precision = message.precision or max(len(value.as_tuple().digits), scale)
    return t.Decimal(precision, message.scale if message.HasField("scale") else scale), value


_PLAIN: dict[str, t.Type] = {
    "boolean": t.BOOL,
    "byte": t.INT8,
    "short": t.INT16,
    "integer": t.INT32,
    "long": t.INT64,
    "float": t.FLOAT32,
    "double": t.FLOAT64,
    "string": t.STRING,
    "binary": t.BLOB,
}
_MADE: dict[str, Callable[[Any], tuple[t.Type, Any]]] = {
    "null": lambda message: (t.absent(type_of(message), nullable=True), None),
    "decimal": _decimal,
    "date": lambda days: (t.DATE, datetime.date(1970, 1, 1) + datetime.timedelta(days=days)),
    "timestamp": lambda micros: (t.Timestamp(6, zone=True), _moment(micros, zone=True)),
    "timestamp_ntz": lambda micros: (t.Timestamp(6), _moment(micros, zone=False)),
}


def literal(message: Any) -> p.Lit:
    """A constant. Arrays may be of constants."""
    kind = message.WhichOneof("literal_type")
    if kind in _PLAIN:
        return p.Lit(_PLAIN[kind], getattr(message, kind))
    if kind in _MADE:
        return p.Lit(*_MADE[kind](getattr(message, kind)))
    if kind == "array":
        items = [literal(one) for one in message.array.elements]
        element = type_of(message.array.element_type) if message.array.HasField("element_type") else items[0].type
        held = t.absent(element, nullable=any(one.value is None for one in items))
        return p.Lit(t.Array(held), [one.value for one in items])
    if kind == "specialized_array":
        of = message.specialized_array.WhichOneof("value_type")
        return p.Lit(t.Array(_SPECIAL[of]), list(getattr(message.specialized_array, of).values))
    raise refuse(f"a literal of the kind '{kind}'")


_SPECIAL: dict[str, t.Type] = {
    "bools": t.BOOL,
    "ints": t.INT32,
    "longs": t.INT64,
    "floats": t.FLOAT32,
    "doubles": t.FLOAT64,
    "strings": t.STRING,
}
