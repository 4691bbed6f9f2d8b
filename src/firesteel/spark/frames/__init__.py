"""PySpark frames as plans: what a DataFrame of Spark Connect holds, read into the algebra with Spark's meaning.

`read_frame` is the way in. `relations`, `joins`, `groups`, `sets`, `nulls` and `generators` read messages of relations,
and `columns/` those of columns. What a function or a relation means in Spark and has no words in the algebra is refused
by its name.
"""

from firesteel.spark.frames.read import read_frame

__all__ = ["read_frame"]
