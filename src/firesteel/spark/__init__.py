"""Spark: plans as DataFrames. The only room that imports `pyspark`.

`encoding.py` says how a value sits in a column, `variant.py` and `transfer.py` bring values there and back; `expr.py`,
`scope.py` and `rows.py` are what nodes are compiled to; `compile.py` and the modules that it gathers are the handlers;
`engine.py` runs, and turns every error of Spark's into one of ours.
"""

from firesteel.spark.compile import HANDLERS, NESTED, UNSUPPORTED, UNSUPPORTED_NESTED
from firesteel.spark.encoding import Encoding, Form, encoding, frame_type, from_spark, to_spark
from firesteel.spark.engine import Outcome, SparkEngine
from firesteel.spark.start import start
from firesteel.spark.transfer import download, upload

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
    "start",
    "to_spark",
    "upload",
]
