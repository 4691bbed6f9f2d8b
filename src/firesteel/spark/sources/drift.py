"""Files of one table that differ in their columns: each value stays what it is.

A column that has the same type in all files is a plain column. One that some files lack, or that has another type in
some, is a VARIANT of what each file has; where a file does not have it, it is MISSING.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Expr, reference
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources.arrow_tables import arrow_frame, encoded_frame
from firesteel.spark.sources.file_frames import Opened
from firesteel.spark.sources.file_readers import among, cast_partitions, in_folders, places_of
from firesteel.spark.sources.frame_columns import frame_column
from firesteel.tables import File, files_of
from firesteel.tables.files import file_schemas, read_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


#: The column with the position of a record, under a name that no column has.
POSITION = f"position{uuid.uuid4().hex}"
#: Names that are the same in a URI.
_PLAIN = re.compile(r"[A-Za-z0-9_./=-]+")


def typed_files(spark: SparkSession, source: File, *, positions: bool = False) -> Opened:
    """The frame of files that have a schema, or of a folder, whose subfolders may be partition columns. With
    `positions` the last column has the file and the row of each record."""
    files, folders = files_of(source)
    schemas = file_schemas(source)

    def load(some: Sequence[Path], schema: s.StructType | None) -> DataFrame:
        reader = spark.read.format(source.format)
        if len(some) == len(files):
            reader, places = in_folders(reader, source, files, folders), places_of(source)
        else:
            reader, places = among(reader, source, folders), [read_uri(path) for path in some]
        frame = (reader if schema is None else reader.schema(schema)).load(places)
        picked = [F.quoted(name) for name in frame.columns]
        if positions:
            frame = frame.select(*picked, _position(frame, files).alias(POSITION))
        return frame if schema is not None else cast_partitions(frame, folders)

    def one(schema: Any, some: Sequence[Path]) -> Opened:
        if source.format == "arrow":  # Spark has no reader of it
            return arrow_frame(spark, read_arrow(source, some))
        return encoded_frame(spark, schema, lambda read: load(some, read), lambda: read_arrow(source, some))

    return union_by_name([one(schema, some) for schema, some in schemas.items()])


def _position(frame: DataFrame, files: Sequence[Path]) -> Column:
    """The file and the row of a record."""
    odd = next((file for file in files if _PLAIN.fullmatch(os.path.realpath(file)) is None), None)
    if odd is not None:
        raise UnsupportedError(f"record identifiers of '{odd}' on Spark: its path has signs that a URI escapes")
    metadata = frame.metadataColumn("_metadata")
    place = F.regexp_replace(metadata["file_path"], "^file:/+", "/")
    return F.struct(place.alias("file"), metadata["row_index"].alias("row"))


def spark_files(spark: SparkSession, source: File) -> Opened:
    """The frame of files of a format that only Spark reads, with the types that it finds in them."""
    files, folders = files_of(source)
    reader = spark.read.format(source.format)
    if source.format == "xml":
        reader = reader.option("rowTag", source.options[1]).option("mode", "FAILFAST")
    try:
        frame = in_folders(reader, source, files, folders).load(places_of(source))
    except Exception as error:
        if "DATA_SOURCE_NOT_ENABLED" not in str(error) and "DATA_SOURCE_NOT_FOUND" not in str(error):
            raise
        raise UnsupportedError(
            f"this Spark has no data source for files of the format '{source.format}'",
            help=f"start it with the package org.apache.spark:spark-{source.format}_2.13:{spark.version}",
        ) from error
    return Opened(cast_partitions(frame, folders))


def union_by_name(frames: Sequence[Opened]) -> Opened:
    """The rows of all frames under the names of their columns."""
    if len(frames) == 1:
        return frames[0]
    exprs = [_columns(one) for one in frames]
    whole: dict[str, t.Type] = {}
    for name in dict.fromkeys(name for one in exprs for name in one):
        types = {t.absent(one[name].type, nullable=True) if name in one else None for one in exprs}
        only = next(iter(types)) if len(types) == 1 else None
        whole[name] = t.ANY if only is None else only
    parts = []
    for opened, one in zip(frames, exprs, strict=True):
        columns = [fit(one[name], type_) if name in one else variants.missing() for name, type_ in whole.items()]
        names = [f"c{i}" for i in range(len(opened.frame.columns))]
        picked = [column.alias(name) for column, name in zip(columns, whole, strict=True)]
        parts.append(opened.frame.toDF(*names).select(*picked))
    return Opened(reduce(lambda left, right: left.union(right), parts), types=dict(enumerate(whole.values())))


def _columns(opened: Opened) -> dict[str, Expr]:
    """The columns of a frame by their names; in the frame they are called c0, c1 ..."""
    fields = opened.frame.schema.fields
    if len({field.name.lower() for field in fields}) < len(fields):
        raise UnsupportedError(
            "files of one table that differ in their columns, and in which two columns differ only in case",
            help="register them one by one",
        )
    found: dict[str, Expr] = {}
    for i, field in enumerate(fields):
        known = opened.types.get(i)
        found[field.name] = frame_column(field, f"c{i}", None) if known is None else reference(known, f"c{i}")
    return found


__all__ = ["POSITION", "spark_files", "typed_files", "union_by_name"]
