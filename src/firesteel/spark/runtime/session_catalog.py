"""The catalog of a Spark session: temporary views, and the tables and views of its databases and catalogs, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firesteel.spark.encoding.column_types import frame_type
from firesteel.tables import Frame, Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def find_table(spark: SparkSession, path: Sequence[str]) -> Table | None:
    """The table or view of that name, of one, two or three parts; None if the session has none.

    `spark.table` alone would read a file for a name such as `parquet.'/etc/x'`; the catalog is asked first, and knows
    tables only.
    """
    from pyspark.errors import AnalysisException

    name = ".".join("`" + part.replace("`", "``") + "`" for part in path)
    try:
        there = spark.catalog.tableExists(name)
    except AnalysisException:  # a part of the name is no database, or no catalog
        there = False
    if not there:
        return None
    frame = spark.table(name)
    return Table(Frame(frame, ".".join(path)), frame_type(frame))


def table_names(spark: SparkSession) -> list[str]:
    """The names of temporary views, and of the tables and views of the current database. `catalog.listTables` would
    give the same, but needs generated code."""
    return [row["tableName"] for row in spark.sql("SHOW TABLES").collect()]


__all__ = ["find_table", "table_names"]
