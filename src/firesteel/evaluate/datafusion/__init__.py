"""DataFusion's own functions: one module for each kind of values. `functions/datafusion` declares them."""

from __future__ import annotations

from firesteel.evaluate.datafusion import aggregates, arrays, maps, numbers, patterns, spark, text, times
from firesteel.evaluate.datafusion.fit import fitted
from firesteel.evaluate.substrait.integers import Factory
from firesteel.functions.datafusion import STEM

_MODULES = (arrays, maps, text, patterns, numbers, times, spark)

SCALARS: dict[str, Factory] = {
    f"{STEM}:{name}": fitted(factory) for module in _MODULES for name, factory in module.SCALARS.items()
}
AGGREGATES = {f"{STEM}:{name}": factory for name, factory in aggregates.AGGREGATES.items()}

__all__ = ["AGGREGATES", "SCALARS"]
