"""Aggregate functions of Substrait: `functions` has the table, `statistics` spreads and medians, `call` one call."""

from firesteel.spark.scalar.substrait.aggregates.functions import AGGREGATES, compile_aggregate

__all__ = ["AGGREGATES", "compile_aggregate"]
