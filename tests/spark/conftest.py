"""One engine over the one Spark session of the run (`tests/conftest.py`)."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.spark import SparkEngine


@pytest.fixture(scope="session")
def engine(spark: Any) -> SparkEngine:
    return SparkEngine(spark)
