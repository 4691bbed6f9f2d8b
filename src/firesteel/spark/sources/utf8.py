"""Checks for damaged files that Spark reads without an error: it replaces bytes that are not UTF-8, and reads what it
can of a bz2 file that is cut short, or is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from firesteel.errors import PlanError
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.tables.opening import DAMAGED, compression_of, not_utf8, open_file, reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def ensure_whole(files: Sequence[Path]) -> None:
    """Refuse damaged bz2 files. The end must be a mark of 48 bits, starting at any bit of a byte, and 32 bits more."""
    for path in files:
        if compression_of(path) == ".bz2":
            with reading(path), open_file(path) as file:
                file.seek(max(0, path.stat().st_size - 11))
                tail = int.from_bytes(file.read(), "big") >> 32
                ends = any((tail >> shift) & ((1 << 48) - 1) == _END for shift in range(8))
            if not ends:
                raise PlanError(f"'{path}' cannot be decompressed", help=DAMAGED)


_END = 0x177245385090


def ensure_utf8(spark: SparkSession, files: Sequence[Path]) -> None:
    """Refuse files that are not UTF-8. Spark's reader of text gives the bytes of a line unchanged."""
    any_odd(spark, files, "")


def any_odd(spark: SparkSession, files: Sequence[Path], quote: str, *, utf8: bool = True) -> bool:
    """Has a line an odd number of quotes? Files that are not UTF-8 are refused on the way, if they have to be."""
    lines: DataFrame = spark.read.text([read_uri(file) for file in files])
    line, place = F.col("value"), F.col("_metadata.file_path")
    wrong = F.max(F.when(~F.is_valid_utf8(line), place)) if utf8 else F.lit(None)
    quotes = F.octet_length(line) - F.octet_length(F.replace(line, F.lit(quote), F.lit(""))) if quote else F.lit(0)
    named, odd = lines.agg(wrong, F.coalesce(F.max(quotes % 2 == 1), F.lit(False))).collect()[0]
    if named is not None:
        raise not_utf8(next((file for file in files if unquote(named).endswith(f"/{file.name}")), files[0]))
    return bool(odd)
