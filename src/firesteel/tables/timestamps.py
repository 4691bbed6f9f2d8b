"""Timestamps that Arrow and Spark read differently from the same file; they are read as Spark reads them.

Parquet's INT96 is what Spark wrote for years, and still does unless it is told otherwise. Arrow takes it for
nanoseconds without a zone; it is an instant in microseconds. ORC's timestamps are nanoseconds to Arrow and microseconds
to Spark, which notes beside a column of its own what it has written there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from firesteel.errors import EvaluationError

#: What Arrow's reader of Parquet is told. Nanoseconds would overflow after the year 2262.
UNIT = "us"

_NOTE = b"spark.sql.catalyst.type"


def parquet_schema(schema: Any, stored: Any) -> Any:
    """The schema of a Parquet file with instants for what is stored as INT96. Columns that the file does not have
    (those of its folder's name) stand behind its own, and stay."""
    import pyarrow as pa

    kinds = [stored.column(i).physical_type for i in range(len(stored))]
    if "INT96" not in kinds:
        return schema
    leaves = iter(kinds)
    return pa.schema([_instants(field, leaves) for field in schema], schema.metadata)


def _instants(field: Any, leaves: Iterator[str]) -> Any:
    """What a Parquet file stores are the leaves of its schema, from left to right."""
    import pyarrow as pa

    type_ = field.type
    if pa.types.is_struct(type_):
        found = pa.struct([_instants(inner, leaves) for inner in type_])
    elif pa.types.is_map(type_):
        found = pa.map_(_instants(type_.key_field, leaves).type, _instants(type_.item_field, leaves))
    elif type_.num_fields == 1:
        found = pa.list_(_instants(type_.value_field, leaves))
    else:
        found = pa.timestamp(UNIT, "UTC") if next(leaves, "") == "INT96" else type_
    return field.with_type(found)


def orc_schema(schema: Any) -> Any:
    """The schema of an ORC file with microseconds for its timestamps, and with what Spark has noted."""
    import pyarrow as pa

    fields = []
    for field in schema:
        note = (field.metadata or {}).get(_NOTE)
        if note == b"timestamp_ntz" and pa.types.is_int64(field.type):
            field = field.with_type(pa.timestamp(UNIT))
        elif pa.types.is_timestamp(field.type):
            field = field.with_type(pa.timestamp(UNIT, "UTC" if note == b"timestamp" else field.type.tz))
        fields.append(field)
    return pa.schema(fields, schema.metadata)


def conform_table(table: Any, schema: Any, where: object) -> Any:
    """A table or a batch with that schema; an error where a value does not fit."""
    import pyarrow as pa

    if table.schema.equals(schema):
        return table
    try:
        return table.cast(schema)
    except pa.ArrowInvalid as error:
        raise EvaluationError(f"'{where}': {error}") from error
