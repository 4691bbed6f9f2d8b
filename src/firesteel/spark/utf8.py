"""Text that is not UTF-8: Spark's readers put a replacement character where a byte is wrong, and say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from firesteel.spark import columns as F
from firesteel.spark.places import place
from firesteel.tables.opening import not_utf8

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def ensure_utf8(spark: SparkSession, files: Sequence[Path]) -> None:
    """All lines of these files are UTF-8: Spark's reader of text gives their bytes as they are."""
    lines: DataFrame = spark.read.text([place(file) for file in files])
    wrong = lines.filter(~F.is_valid_utf8("value")).select(F.col("_metadata.file_path")).limit(1).collect()
    if wrong:
        named = next((file for file in files if unquote(wrong[0][0]).endswith(f"/{file.name}")), files[0])
        raise not_utf8(named)
