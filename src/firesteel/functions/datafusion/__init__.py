"""DataFusion's own functions: those that the standard does not have, or that mean something else there.

They are rows of the catalogue like all others, named `datafusion:array_has`. Which of them a plan means, the dialect
decides (`substrait/dialects/datafusion.py`).
"""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.aggregates import AGGREGATES as _AGGREGATES
from firesteel.functions.datafusion.arrays import ARRAYS
from firesteel.functions.datafusion.numbers import NUMBERS
from firesteel.functions.datafusion.rows import STEM, Aggregate
from firesteel.functions.datafusion.spark import SPARK
from firesteel.functions.datafusion.text import TEXTS
from firesteel.functions.datafusion.times import TIMES

#: The scalar functions, by the names that plans call them by.
SCALARS: dict[str, Function] = {row.name.partition(":")[2]: row for row in (*ARRAYS, *TEXTS, *NUMBERS, *TIMES, *SPARK)}
#: The aggregates.
AGGREGATES: dict[str, Aggregate] = {one.row.name.partition(":")[2]: one for one in _AGGREGATES}
#: The rows, by their own names.
ROWS: dict[str, Function] = {row.name: row for row in (*SCALARS.values(), *(one.row for one in AGGREGATES.values()))}

__all__ = ["AGGREGATES", "Aggregate", "ROWS", "SCALARS", "STEM"]
