"""What the Spark at hand can do. The table is the doctor's, who has to know it before anything is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyspark

from firesteel.doctor import LATER_SPARK, numbers
from firesteel.errors import UnsupportedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def has(spark: SparkSession, feature: str) -> bool:
    """Can both halves do it: this process's PySpark, and the Spark that it talks to, which may be older?"""
    since = LATER_SPARK[feature].since
    return all(numbers(version) >= since for version in (pyspark.__version__, spark.version))


def require(spark: SparkSession, feature: str) -> None:
    """An error by name for what this Spark is too old for, and cannot do in another way."""
    if not has(spark, feature):
        wanted = ".".join(map(str, LATER_SPARK[feature].since))
        raise UnsupportedError(
            f"Spark {spark.version} is too old for this: {LATER_SPARK[feature].what}", help=f"it needs Spark {wanted}"
        )
