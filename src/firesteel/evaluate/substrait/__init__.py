"""Substrait's functions as the reference evaluator computes them: a factory for each, given the call's function (its
choices, its type) and the types of its arguments.

`integers.py`, `floats.py`, `decimals.py` compute numbers, `comparison.py` logic, order and lists, `text.py` and
`patterns.py` text, `moments.py` and `calendars.py` time, `casts.py` (with `moment_casts.py` and `text_casts.py`) casts,
`aggregates.py` aggregates. `call.py` is the entry point.
"""

from firesteel.evaluate.substrait.aggregates import AGGREGATES
from firesteel.evaluate.substrait.call import SCALARS, aggregate_of, closure

__all__ = ["AGGREGATES", "SCALARS", "aggregate_of", "closure"]
