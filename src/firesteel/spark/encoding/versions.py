"""Which features the Spark in use has. The table is in `doctor`, which must know it before PySpark is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyspark

from firesteel.doctor import LATER_SPARK, numbers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def has_feature(spark: SparkSession, feature: str) -> bool:
    """Do both this process's PySpark and the Spark that it talks to, which may be older, have the feature?"""
    since = LATER_SPARK[feature].since
    return all(numbers(version) >= since for version in (pyspark.__version__, spark.version))
