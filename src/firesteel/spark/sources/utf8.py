"""Text that Spark reads otherwise than it was written, and says nothing: where bytes are not UTF-8 it puts replacement
characters, and of a bz2 file that is cut short, or is none, it takes what it can."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from firesteel.errors import PlanError
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.hadoop_paths import place
from firesteel.tables.opening import DAMAGED, not_utf8, open_file, reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def ensure_whole(files: Sequence[Path]) -> None:
    """Files of bz2 begin and end as they should: the end is a mark of 48 bits, at any bit of a byte, and 32 more."""
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
    """All lines of these files are UTF-8: Spark's reader of text gives their bytes as they are."""
    lines: DataFrame = spark.read.text([place(file) for file in files])
    wrong = lines.filter(~F.is_valid_utf8("value")).select(F.col("_metadata.file_path")).limit(1).collect()
    if wrong:
        named = next((file for file in files if unquote(wrong[0][0]).endswith(f"/{file.name}")), files[0])
        raise not_utf8(named)
