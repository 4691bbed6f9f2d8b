"""Passes of the phase bind: names become tables, views their queries, parameters values."""
