"""Files that a plan names, as DataFrames. Spark reads them; of a slice of a file, only the rows of its row groups."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as s

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.hadoop_paths import hidden, read_uri
from firesteel.spark.sources.arrow_tables import arrow_frame, encoded_frame
from firesteel.spark.sources.file_frames import Opened
from firesteel.spark.sources.utf8 import ensure_utf8, ensure_whole
from firesteel.tables import Delimited, Part, Parts, parts_arrow, parts_rows, row_counts, row_groups
from firesteel.tables.parts import parts_schema
from firesteel.tables.text.csv_files import CsvOptions, csv_ends_plainly

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The text that Spark reads as NULL: one that no file has. So Spark gives NULL only for empty fields; `_text` makes
#: them empty texts again, and turns the text that the plan names into NULL.
_NOTHING = "\u0001firesteel\u0001"


def parts_frame(spark: SparkSession, source: Parts) -> Opened:
    """The rows of all files, one after the other."""
    if source.format == "arrow" or any(hidden(part.path) for part in source.parts):
        return arrow_frame(spark, _arrow(source))
    if source.format == "csv":
        return Opened(_text(spark, source))
    schema = parts_schema(source)
    return encoded_frame(spark, schema, lambda read: _files(spark, source, read), lambda: parts_arrow(source))


def _files(spark: SparkSession, source: Parts, schema: s.StructType | None) -> DataFrame:
    """Files that Spark reads, with the given schema or their own."""
    frames = []
    for chosen in _rounds(source):
        whole = [path for path, groups in chosen.items() if groups is None]
        if whole:
            frames.append(_load(spark, source.format, whole, schema))
        for path, groups in chosen.items():
            if groups is not None:
                frames.append(_rows_of(_load(spark, source.format, [path], schema), path, groups))
    if not frames:
        return _load(spark, source.format, [source.parts[0].path], schema).filter(F.lit(False))
    return _union(frames)


def _arrow(source: Parts) -> Any:
    if source.format != "csv":
        return parts_arrow(source)
    import pyarrow as pa

    rows = [dict(row.pairs) for row in parts_rows(source)]
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in source.names]))


def _load(spark: SparkSession, format_: str, paths: list[Path], schema: s.StructType | None) -> DataFrame:
    reader = spark.read if schema is None else spark.read.schema(schema)
    return reader.format(format_).load([read_uri(path) for path in paths])


def _union(frames: list[DataFrame]) -> DataFrame:
    return reduce(lambda left, right: left.unionByName(right), frames)


# ---------------------------------------------------------------------------------------------------------------------
# Slices of Parquet files


def _rounds(source: Parts) -> list[dict[Path, list[int] | None]]:
    """The files that are read at once, each with its row groups, or None for all of them. Spark reads a file once,
    however often it is named: a row group that the plan names twice is read again in another round."""
    wanted: dict[Path, Counter[int]] = {}
    sizes: dict[Path, int] = {}
    for part in source.parts:
        groups = row_groups(part) if part.sliced else _groups(source.format, part, source.parts)
        wanted.setdefault(part.path, Counter()).update(groups)
        sizes.setdefault(part.path, len(_groups(source.format, part, source.parts)))
    most = max((count for groups in wanted.values() for count in groups.values()), default=0)
    rounds: list[dict[Path, list[int] | None]] = []
    for n in range(1, most + 1):
        chosen: dict[Path, list[int] | None] = {}
        for path, counts in wanted.items():
            here = sorted(group for group, count in counts.items() if count >= n)
            if here:
                chosen[path] = None if len(here) == sizes[path] else here
        rounds.append(chosen)
    return rounds


def _groups(format_: str, part: Part, parts: tuple[Part, ...]) -> range:
    """All row groups of a file; a file of which the plan names no slice counts as one group."""
    sliced = format_ == "parquet" and any(other.path == part.path and other.sliced for other in parts)
    return range(len(row_counts(part.path)) if sliced else 1)


def _rows_of(frame: DataFrame, path: Path, groups: list[int]) -> DataFrame:
    """The rows of these row groups, by their numbers in the file."""
    ranges: list[tuple[int, int]] = []
    start = 0
    for i, count in enumerate(row_counts(path)):
        if i in groups and ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], start + count)
        elif i in groups:
            ranges.append((start, start + count))
        start += count
    index = frame.metadataColumn("_metadata")["row_index"]  # a column of the data may have that name
    tests: list[Column] = [(index >= F.lit(first)) & (index < F.lit(last)) for first, last in ranges]
    return frame.filter(reduce(lambda left, right: left | right, tests))


# ---------------------------------------------------------------------------------------------------------------------
# Text


def _text(spark: SparkSession, source: Parts) -> DataFrame:
    """Delimited text, its fields named by position. To skip more than one line, this process reads the text, and if
    Spark would take a line break in quotes for that of all rows."""
    how = source.text
    assert how is not None
    plain = all(csv_ends_plainly(part.path, CsvOptions(how), canonical=True) for part in source.parts)
    if how.skip > 1 or not plain:
        return arrow_frame(spark, _arrow(source)).frame
    schema = s.StructType([s.StructField(f"c{i}", s.StringType()) for i in range(len(source.names))])
    reader = spark.read.schema(schema).format("csv").options(**csv_reader_options(how, multiline=bool(how.quote)))
    repeated = Counter(part.path for part in source.parts)
    ensure_whole(list(repeated))
    ensure_utf8(spark, list(repeated))
    frames = [
        reader.load([read_uri(path) for path, count in repeated.items() if count >= n])
        for n in range(1, max(repeated.values()) + 1)
    ]
    fields = []
    for i, name in enumerate(source.names):
        column = F.coalesce(F.col(f"c{i}"), F.lit(""))
        if how.null is not None:
            column = F.when(column != F.lit(how.null), column)
        fields.append(column.alias(name))
    return _union(frames).select(*fields)


def csv_reader_options(how: Delimited, *, multiline: bool) -> dict[str, str]:
    """The options of Spark's reader for text that is written like that. Its first line is skipped if `skip` is 1."""
    escape = how.escape or how.quote
    return {
        "sep": how.delimiter,
        "quote": how.quote,
        "escape": escape,
        "charToEscapeQuoteEscaping": escape,
        "header": "true" if how.skip else "false",
        "multiLine": "true" if multiline else "false",
        "mode": "FAILFAST",
        "unescapedQuoteHandling": "RAISE_ERROR",
        "columnPruning": "false",  # a row with too few or too many fields is an error whatever is asked for
        "nullValue": _NOTHING,
        "emptyValue": "",
        "maxCharsPerColumn": "-1",
    }
