"""Passes of the phase bind: they replace names by tables, views by their queries, and parameters by values."""
