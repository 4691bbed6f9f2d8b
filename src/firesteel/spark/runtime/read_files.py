"""The files that a run reads, by what has to be done about them afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import EvaluationError
from firesteel.spark.sources.file_readers import named_by_compression, text_lines
from firesteel.spark.sources.json_lines import malformed
from firesteel.tables import File, Parts, Table, files_of, is_document, records, warn_skipped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def lenient_files(tables: Sequence[Table]) -> list[File]:
    """The JSON files whose malformed lines are skipped."""
    files = (table.source for table in tables if table.malformed == "skip")
    return [source for source in files if isinstance(source, File) and source.format == "json"]


def judged_files(tables: Sequence[Table]) -> list[Path]:
    """The files that a policy allowed to be read."""
    sources = (table.source.parts for table in tables if isinstance(table.source, Parts))
    return list(dict.fromkeys(part.path for parts in sources for part in parts))


def count_malformed(spark: SparkSession, source: File) -> int:
    """The number of malformed lines of a JSON file, with a warning. Counting them is a Spark job of its own."""
    files, folders = files_of(source)
    if any(is_document(file, source.unpacking) for file in files):
        count = sum(isinstance(item, EvaluationError) for item in records(source))
    else:
        readable = named_by_compression(source, files, folders)
        count = malformed(text_lines(spark, *readable, folders)).count()
    if count:
        warn_skipped(source.path, count)
    return count
