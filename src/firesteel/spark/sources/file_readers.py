"""How Spark's readers are told what to read: a file, a pattern of files, or a folder with partition columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import types as s

from firesteel.passes.analysis.paths import PathTree
from firesteel.spark.core.expr import Expr
from firesteel.spark.core.scope import Run
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources import typed_lines
from firesteel.spark.sources.file_frames import Opened, cached_frame
from firesteel.tables import COMPRESSED, FORMATS, File, Partitions, matches, present, suffix_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

#: The one column of text, under a name that no partition column has.
_LINE = s.StructType([s.StructField("the line", s.StringType())])


def text_lines(spark: SparkSession, source: File, files: Sequence[Path], folders: Partitions) -> DataFrame:
    """The lines of JSON files, or of a folder of such, and its partition columns."""

    def load() -> DataFrame:
        reader = in_folders(spark.read.format("text").schema(_LINE), source, files, folders)
        return cast_partitions(reader.load(places_of(source.path)), folders)

    return cached_frame(spark, source.path, "text", lambda: Opened(load())).frame


def typed_frame(
    run: Run, source: File, files: Sequence[Path], folders: Partitions, tree: PathTree
) -> tuple[DataFrame, Expr] | None:
    """JSON lines in plain columns, if their shape is known and allows it."""
    learned = None if run.shapes is None else run.shapes.shape_of(run.spark, files)
    if learned is None:
        return None
    type_ = typed_lines.row_type(learned.shape, tree, [name for name, _ in folders.columns])
    if type_ is None:
        return None
    run.relied_on.append(learned)

    def load(schema: s.StructType) -> DataFrame:
        def open_() -> Opened:
            reader = run.spark.read.format("json").options(**typed_lines.OPTIONS).schema(schema)
            frame = in_folders(reader, source, files, folders).load(places_of(source.path))
            return Opened(cast_partitions(frame, folders))

        return cached_frame(run.spark, source.path, ("json", schema.json()), open_).frame

    return typed_lines.read(run, type_, load, folders.fields)


def in_folders(reader: DataFrameReader, source: File, files: Sequence[Path], folders: Partitions) -> DataFrameReader:
    """The reader, restricted to the files that we found: those of the format, at any depth."""
    if not source.path.is_dir():
        return reader
    if not folders.columns:
        reader = reader.option("recursiveFileLookup", "true")
    if files and FORMATS.get(suffix_of(files[0])) == source.format:
        reader = reader.option("pathGlobFilter", _names(source.format))
    return reader


def _names(format_: str) -> str:
    """A glob pattern for the names of files of a format, in upper or lower case."""
    suffixes = [suffix + more for suffix, known in FORMATS.items() if known == format_ for more in ("", *COMPRESSED)]
    letters = ("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in suffix) for suffix in suffixes)
    return f"*{{{','.join(letters)}}}"


def cast_partitions(frame: DataFrame, folders: Partitions) -> DataFrame:
    """The frame with partition columns cast to their types: Spark reads them as text."""
    types = {name: to_spark(type_) for name, type_ in folders.columns}
    if not types:
        return frame
    picked = [
        F.quoted(name).cast(types[name]).alias(name) if name in types else F.quoted(name) for name in frame.columns
    ]
    return frame.select(*picked)


def places_of(path: Path) -> str | list[str]:
    """The URIs that Spark reads for a path. A path of ours is a pattern only if no file has that name."""
    if not present(path):
        return [read_uri(Path(os.path.realpath(part))) for part in matches(path)] or read_uri(path)
    return read_uri(Path(os.path.realpath(path)))
