"""What the Spark at hand can do. The table is the doctor's, who has to know it before anything is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyspark

from firesteel.doctor import LATER_SPARK, numbers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def has(spark: SparkSession, feature: str) -> bool:
    """Can both halves do it: this process's PySpark, and the Spark that it talks to, which may be older?"""
    since = LATER_SPARK[feature].since
    return all(numbers(version) >= since for version in (pyspark.__version__, spark.version))
