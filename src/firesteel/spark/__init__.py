"""Spark: plans as DataFrames. The only room that imports `pyspark`.

Its folders, lowest first; each imports only those before it:

    sql_text/    columns, frames and windows that print themselves as one SQL text
    encoding/    how a value sits in a column, and how it gets there and back
    core/        what nodes are compiled to: typed columns, scopes, rows, handlers, the Python fallback
    numbers/     exact decimals, floats beside decimals
    time/        moments and intervals as numbers
    keys/        comparison keys: what to sort, group and join by
    sources/     tables and files as frames
    scalar/      functions, operators, casts and paths
    relations/   relations, and `compile`, which puts a plan together
    runtime/     the engine: starting Spark, sessions, running, writing
"""

from firesteel.spark.encoding.arrow_values import download, upload
from firesteel.spark.encoding.column_types import Encoding, Form, encoding, frame_type, from_spark, to_spark
from firesteel.spark.relations.compile import HANDLERS, NESTED, UNSUPPORTED, UNSUPPORTED_NESTED
from firesteel.spark.runtime.engine import SparkEngine
from firesteel.spark.runtime.outcome import Outcome
from firesteel.spark.runtime.spark_sql import spark_sql
from firesteel.spark.runtime.start import start

__all__ = [
    "HANDLERS",
    "NESTED",
    "UNSUPPORTED",
    "UNSUPPORTED_NESTED",
    "Encoding",
    "Form",
    "Outcome",
    "SparkEngine",
    "download",
    "encoding",
    "frame_type",
    "from_spark",
    "spark_sql",
    "start",
    "to_spark",
    "upload",
]
