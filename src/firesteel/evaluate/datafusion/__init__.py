"""DataFusion's own functions: one module for each kind of values. `functions/datafusion` declares them."""

from __future__ import annotations

from firesteel.evaluate.datafusion import (
    aggregates,
    arrays,
    casts,
    maps,
    numbers,
    patterns,
    spark,
    spark_text,
    text,
)
from firesteel.evaluate.datafusion.fit import fitted
from firesteel.evaluate.datafusion.temporal import formats, parts, times
from firesteel.evaluate.substrait.integers import Factory
from firesteel.functions.datafusion import STEM

_MODULES = (arrays, maps, text, patterns, numbers, times, parts, formats, casts, spark, spark_text)

SCALARS: dict[str, Factory] = {
    f"{STEM}:{name}": fitted(factory) for module in _MODULES for name, factory in module.SCALARS.items()
}
AGGREGATES = {f"{STEM}:{name}": factory for name, factory in aggregates.AGGREGATES.items()}

__all__ = ["AGGREGATES", "SCALARS"]
