"""Registered files of delimited text as frames: Spark reads the cells as text, and casts them to their types.

Two small jobs come first. One looks at the lines: are they UTF-8, and may a quoted cell go over several of them? The
other finds the types of the columns, if they are not given: a bit for every type whose values all cells are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.failures import NO_PLACE
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources.arrow_tables import arrow_frame
from firesteel.spark.sources.drift import union_by_name
from firesteel.spark.sources.file_frames import Opened
from firesteel.spark.sources.file_readers import among, cast_partitions, in_folders, places_of
from firesteel.spark.sources.named_files import csv_reader_options
from firesteel.spark.sources.shapes.known_shapes import KnownShapes
from firesteel.spark.sources.utf8 import any_odd
from firesteel.tables import File, Partitions
from firesteel.tables.files import beside_folders
from firesteel.tables.text.cells import INFERRED, TEXT, CellType
from firesteel.tables.text.csv_files import CsvOptions, csv_ends_plainly, csv_names, csv_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class _Alike:
    """Files with the same columns, and the frame of their cells: text, or SQL NULL for NULL."""

    names: tuple[str, ...]
    cells: DataFrame


def csv_frame(
    spark: SparkSession, source: File, files: Sequence[Path], folders: Partitions, shapes: KnownShapes
) -> Opened:
    """The rows of the files, in columns of the types that are given or inferred. What the two jobs find is kept in the
    folder of `shapes`, if there is one."""
    options = source.csv
    by_names: dict[tuple[str, ...], list[Path]] = {}
    for path in files:
        by_names.setdefault(csv_names(path, options), []).append(path)
    by_names.pop((), None)  # files without a row
    if not by_names:
        return Opened(spark.range(0).select())
    multiline = bool(shapes.fact(files, f"lines {options}", lambda: _spans_lines(spark, files, options)))
    if multiline and not all(csv_ends_plainly(path, options) for path in files):
        return _read_here(spark, source, files, folders)
    alike = []
    for names, paths in by_names.items():
        frame = _load(spark, source, files, paths, folders, len(names), multiline)
        alike.append(_Alike(names, _cells(frame, names, options, folders)))
    if options.types == "infer":
        numbers = shapes.fact(files, f"types {options}", lambda: _numbers(_types(alike, options)))
        types = {name: INFERRED[nth] for name, nth in numbers.items()}
    else:
        types = _types(alike, options)
    return union_by_name([_typed(one, types, options, folders) for one in alike])


def _read_here(spark: SparkSession, source: File, files: Sequence[Path], folders: Partitions) -> Opened:
    """The rows, read by this process."""
    read = enumerate(csv_tables(source.csv, files))
    return union_by_name([arrow_frame(spark, beside_folders(table, folders, nth)) for nth, table in read])


def _spans_lines(spark: SparkSession, files: Sequence[Path], options: CsvOptions) -> bool:
    """Have the lines to be parsed together? The rule is that of `csv_files.spans_lines`."""
    quote, escape = options.how.quote, options.how.escape
    even = escape in ("", quote)
    odd = any_odd(spark, files, quote if even else "", utf8=options.encoding == "utf-8")
    return odd if even else bool(quote)


def _load(
    spark: SparkSession,
    source: File,
    files: Sequence[Path],
    paths: Sequence[Path],
    folders: Partitions,
    width: int,
    multiline: bool,
) -> DataFrame:
    """The cells of files that have the same columns, as text, and the partition columns behind."""
    options = source.csv
    schema = s.StructType([s.StructField(_name(i), s.StringType()) for i in range(width)])
    settings = csv_reader_options(replace(options.how, skip=int(options.header)), multiline=multiline)
    reader = spark.read.schema(schema).format("csv").options(**settings).option("encoding", options.encoding)
    if len(paths) == len(files):
        frame = in_folders(reader, source, files, folders).load(places_of(source))
    else:
        frame = among(reader, source, folders).load([read_uri(path) for path in paths])
    return cast_partitions(frame, folders)


def _name(i: int) -> str:
    """The column of a cell, under a name that no partition column has."""
    return f"the cell {i}"


def _cells(frame: DataFrame, names: Sequence[str], options: CsvOptions, folders: Partitions) -> DataFrame:
    """The cells with NULL where their text says so. A partition column replaces the column of its name."""
    hidden = {name.lower() for name, _ in folders.columns}
    picked = []
    for i, name in enumerate(names):
        if name.lower() not in hidden:
            cell = F.coalesce(F.quoted(_name(i)), F.lit(""))
            picked.append((F.when(~cell.isin(list(options.nulls)), cell) if options.nulls else cell).alias(_name(i)))
    return frame.select(*picked, *(F.quoted(name) for name, _ in folders.columns))


def _numbers(types: dict[str, CellType]) -> dict[str, int]:
    """The types as their positions among those that can be inferred."""
    return {name: INFERRED.index(type_) for name, type_ in types.items()}


def _types(alike: Sequence[_Alike], options: CsvOptions) -> dict[str, CellType]:
    """The types of all columns by their names."""
    if options.types != "infer":
        return {name: options.types_of(name) or TEXT for one in alike for name in one.names}
    masks: dict[str, int] = {}
    for one in alike:
        there = [(i, name) for i, name in enumerate(one.names) if _name(i) in one.cells.columns]
        if not there:
            continue
        found = one.cells.agg(*(F.bit_and(_mask(F.quoted(_name(i)))).alias(_name(i)) for i, _ in there)).collect()[0]
        for i, name in there:
            if found[_name(i)] is not None:
                masks[name] = masks.get(name, -1) & found[_name(i)]
    every = {name for one in alike for name in one.names}
    return {name: _first(masks.get(name)) for name in every}


def _first(mask: int | None) -> CellType:
    return TEXT if mask is None else next(type_ for i, type_ in enumerate(INFERRED) if mask >> i & 1)


def _mask(cell: Column) -> Column:
    """A bit for each type that the cell is a value of; SQL NULL for NULL."""
    bits = F.lit(0)
    for i, type_ in enumerate(INFERRED):
        bits = bits.bitwiseOR(F.when(_fits(cell, type_), F.lit(1 << i)).otherwise(F.lit(0)))
    return F.when(cell.isNotNull(), bits)


def _fits(cell: Column, type_: CellType) -> Column:
    """Is the text a value of the type? The rule is that of `CellType.fits`."""
    if type_ is TEXT:
        return F.lit(True)
    matched = cell.rlike(f"^(?:{type_.pattern})\\z")
    return matched & cell.try_cast(to_spark(type_.type)).isNotNull()


def _typed(alike: _Alike, types: dict[str, CellType], options: CsvOptions, folders: Partitions) -> Opened:
    columns, known = [], []
    for i, name in enumerate(alike.names):
        if _name(i) in alike.cells.columns:
            type_ = types[name]
            columns.append(_value(F.quoted(_name(i)), type_, name, options).alias(name))
            known.append(t.absent(type_.type, nullable=True))
    columns += [F.quoted(name) for name, _ in folders.columns]
    known += [type_ for _, type_ in folders.columns]
    return Opened(alike.cells.select(*columns), types=dict(enumerate(known)))


def _value(cell: Column, type_: CellType, name: str, options: CsvOptions) -> Column:
    """A cell as a value of its type. One that does not fit a type that was asked for is an error."""
    if type_ is TEXT:
        return cell
    spark = to_spark(type_.type)
    if options.types == "infer":
        return cell.try_cast(spark)
    said = F.concat(F.lit(f"{NO_PLACE}the column '{name}' has '"), cell, F.lit(f"', which is no {type_.type}, in "))
    error = F.raise_error(F.concat(said, F.input_file_name())).cast(spark)
    return F.when(cell.isNull() | _fits(cell, type_), cell.try_cast(spark)).otherwise(error)
