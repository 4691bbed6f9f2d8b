"""Frames of Spark Connect without a server: their plans can be read, and nothing can be run."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

from pyspark.sql.connect import functions
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import Read
from pyspark.sql.connect.window import Window

import firesteel as fs

SESSION = MagicMock(name="a session without a server")


def table(name: str) -> Any:
    return DataFrame(Read(name), SESSION)


def plan(job: Any, schemas: dict[str, str]) -> fs.Plan:
    """The plan of a job."""
    return fs.from_spark(job(table, functions, Window), schemas)
