"""How Spark's readers are told what to read: a file, a pattern of files, or a folder with partition columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import types as s

from firesteel.passes.analysis.paths import PathTree
from firesteel.spark.core.expr import Expr
from firesteel.spark.core.scope import Run
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources.file_frames import Opened, cached_frame
from firesteel.spark.sources.shapes import typed_lines
from firesteel.tables import COMPRESSED, FORMATS, File, Partitions, files_of, matches, present, suffix_of
from firesteel.tables.links import linked_folder
from firesteel.tables.opening import compression_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

#: The one column of text, under a name that no partition column has.
_LINE = s.StructType([s.StructField("the line", s.StringType())])


def text_lines(spark: SparkSession, source: File, files: Sequence[Path], folders: Partitions) -> DataFrame:
    """The lines of JSON files, or of a folder of such, and its partition columns."""

    def load() -> DataFrame:
        reader = in_folders(spark.read.format("text").schema(_LINE), source, files, folders)
        return cast_partitions(reader.load(places_of(source)), folders)

    return cached_frame(spark, source, "text", lambda: Opened(load())).frame


def typed_frame(
    run: Run, source: File, files: Sequence[Path], folders: Partitions, tree: PathTree
) -> tuple[DataFrame, Expr] | None:
    """JSON lines in plain columns, if their shape is known and allows it."""
    if run.shapes is None:
        return None
    claim_of, is_enough = partial(typed_lines.claim, tree=tree), partial(typed_lines.is_known, tree=tree)
    learned = run.shapes.shape_of(run.spark, files, claim_of, is_enough)
    if learned is None:
        return None
    type_ = typed_lines.row_type(learned.shape, tree, [name for name, _ in folders.columns])
    if type_ is None:
        return None
    run.relied_on.append(learned)

    def load(schema: s.StructType) -> DataFrame:
        return json_frame(run.spark, source, files, folders, schema)

    return typed_lines.read(run, type_, load, folders.fields)


def json_frame(
    spark: SparkSession, source: File, files: Sequence[Path], folders: Partitions, schema: s.StructType
) -> DataFrame:
    """JSON lines as Spark's own source reads them, with this schema, and the partition columns behind."""

    def load() -> Opened:
        reader = spark.read.format("json").options(**typed_lines.OPTIONS).schema(schema)
        frame = in_folders(reader, source, files, folders).load(places_of(source))
        return Opened(cast_partitions(frame, folders))

    return cached_frame(spark, source, ("json", schema.json()), load).frame


def named_by_compression(source: File, files: Sequence[Path], folders: Partitions) -> tuple[File, Sequence[Path]]:
    """The table and its files, or links to them in a folder: Spark tells by the suffix how a file is compressed, and we
    by the content."""
    packed = [compression_of(file) for file in files]
    if all(_suffix(file) == found for file, found in zip(files, packed, strict=True)):
        return source, files
    names = []
    for nth, (file, found) in enumerate(zip(files, packed, strict=True)):
        inside = file.parent.relative_to(source.path) if folders.columns else Path()
        names.append((file, str(inside / f"{nth}-{file.name.removesuffix(_suffix(file))}{found}")))
    folder = linked_folder(tuple(names))
    return replace(source, path=folder, more=(), named=True), [folder / name for _, name in names]


def _suffix(file: Path) -> str:
    return file.suffix if file.suffix.lower() in COMPRESSED else ""


def in_folders(reader: DataFrameReader, source: File, files: Sequence[Path], folders: Partitions) -> DataFrameReader:
    """The reader, restricted to the files that we found: those of the format, at any depth."""
    if source.more or not source.path.is_dir():
        return reader
    if not folders.columns:
        reader = reader.option("recursiveFileLookup", "true")
    if files and not source.named and FORMATS.get(suffix_of(files[0])) == source.format:
        reader = reader.option("pathGlobFilter", _names(source.format))
    return reader


def among(reader: DataFrameReader, source: File, folders: Partitions) -> DataFrameReader:
    """The reader for some of the files of a table: it is told where the folders begin that are columns."""
    return reader.option("basePath", read_uri(source.path)) if folders.columns else reader


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


def places_of(source: File) -> list[str]:
    """The URIs that Spark reads for a table. A path is a pattern only if no file has that name."""
    if source.more:
        return [read_uri(Path(os.path.realpath(file))) for file in files_of(source)[0]]
    found = [source.path] if present(source.path) else matches(source.path) or [source.path]
    return [read_uri(Path(os.path.realpath(path))) for path in found]
