"""A job as a PySpark user writes it: tables of the session in, PartiQL with functions of Python, a typed DataFrame out.

`python -m tests.spark.job FOLDER` runs it on Spark Connect and prints what it found.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import firesteel as fs

SCHEMA = "country string, day date, band string, total decimal(12,2), n int"
QUERY = """
    SELECT p.address.country AS country, o.day AS day, band(o.amount) AS band,
           SUM(CAST(o.amount AS DECIMAL(12, 2))) AS total, COUNT(*) AS n
    FROM people AS p JOIN job_db.orders AS o ON p.id = o.person
    WHERE doubled(o.person) < 8 AND o.amount IS NOT NULL
    GROUP BY p.address.country, o.day, band(o.amount)
"""
WANTED = [
    ("de", date(2024, 1, 1), "large", Decimal("120.50"), 1),
    ("de", date(2024, 1, 1), "small", Decimal("5.25"), 2),
    ("fr", date(2024, 1, 2), "small", Decimal("7.00"), 1),
]


def job(spark: Any, folder: Path) -> dict[str, Any]:
    """Run it; what is in the answer and in the files that were written."""
    from pyspark.sql import functions as F

    people = [(1, "Ada", ("de",)), (2, "Grace", ("fr",)), (9, "Alan", ("uk",))]
    frame = spark.createDataFrame(people, "id int, name string, address struct<country: string>")
    frame.createOrReplaceTempView("people")
    orders: list[tuple[int, date, float | None]] = [
        (1, date(2024, 1, 1), 2.25),
        (1, date(2024, 1, 1), 3.0),
        (1, date(2024, 1, 1), 120.5),
    ]
    orders += [(2, date(2024, 1, 2), 7.0), (2, date(2024, 1, 2), None), (9, date(2024, 1, 3), 1.0)]
    spark.sql(f"CREATE DATABASE IF NOT EXISTS job_db LOCATION '{folder}/job_db'")
    made = spark.createDataFrame(orders, "person int, day date, amount double")
    made.write.mode("overwrite").partitionBy("day").saveAsTable("job_db.orders")
    try:
        with fs.connect(spark=spark, in_process=False) as session:
            session.register_function("band", lambda x: "large" if x > 100 else "small", "(double) -> string")
            session.register_function("doubled", F.udf(lambda x: 2 * x, "int"), "(int) -> int")
            answer = session.query(QUERY)
            typed = answer.to_spark(schema=SCHEMA)
            typed.write.partitionBy("country", "day").parquet(str(folder / "by spark"))
            answer.write(folder / "ours.parquet", partition_by=["country", "day"], schema=SCHEMA)
            return {
                "type": typed.schema.simpleString(),
                "by spark": _read(spark, folder / "by spark"),
                "ours": _read(spark, folder / "ours.parquet"),
                "folders": sorted(path.name for path in (folder / "ours.parquet").glob("country=*")),
            }
    finally:
        spark.sql("DROP TABLE job_db.orders")
        spark.sql("DROP DATABASE job_db CASCADE")
        spark.catalog.dropTempView("people")


def _read(spark: Any, path: Path) -> list[list[str]]:
    """The rows of the files, as plain Spark reads them."""
    found = spark.read.schema(SCHEMA).parquet(str(path)).select("country", "day", "band", "total", "n")
    return sorted([str(cell) for cell in row] for row in found.collect())


def main() -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    found = job(spark, Path(sys.argv[1]))
    print("FOUND" + json.dumps(found | {"class": type(spark).__module__}))
    spark.stop()


if __name__ == "__main__":
    main()
