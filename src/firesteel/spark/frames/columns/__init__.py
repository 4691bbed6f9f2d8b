"""Columns of Spark Connect as expressions: `expressions` is the way in, `functions` Spark's functions by name."""
