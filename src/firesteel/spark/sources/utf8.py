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
from firesteel.tables.opening import DAMAGED, not_utf8, open_file, reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def ensure_whole(files: Sequence[Path]) -> None:
    """Refuse damaged bz2 files. The end must be a mark of 48 bits, starting at any bit of a byte, and 32 bits more."""
    for path in files:
        if path.suffix.lower() == ".bz2":
            with reading(path), open_file(path) as file:
                head = file.read(3)
                file.seek(max(0, path.stat().st_size - 11))
                tail = int.from_bytes(file.read(), "big") >> 32
                ends = any((tail >> shift) & ((1 << 48) - 1) == _END for shift in range(8))
            if head != b"BZh" or not ends:
                raise PlanError(f"'{path}' cannot be decompressed", help=DAMAGED)


_END = 0x177245385090


def ensure_utf8(spark: SparkSession, files: Sequence[Path]) -> None:
    """Refuse files that are not UTF-8. Spark's reader of text gives the bytes of a line unchanged."""
    lines: DataFrame = spark.read.text([read_uri(file) for file in files])
    wrong = lines.filter(~F.is_valid_utf8("value")).select(F.col("_metadata.file_path")).limit(1).collect()
    if wrong:
        named = next((file for file in files if unquote(wrong[0][0]).endswith(f"/{file.name}")), files[0])
        raise not_utf8(named)
