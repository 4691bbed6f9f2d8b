"""Spark's functions as the compiler uses them: `from firesteel.spark import columns as F`.

Every call of a function is four round trips to the JVM, and half of all calls are names and literals, the same in every
query: `col` and `lit` are kept. All else is PySpark's own.
"""

from __future__ import annotations

import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pyspark.sql import Column, is_remote
from pyspark.sql import functions as _spark
from pyspark.sql.functions import *  # noqa: F403
from pyspark.sql.types import DataType

#: The literals that are kept: those for which equal means the same, once their class is told apart too.
_KEPT = (str, int, bool, datetime.date, type(None))


@lru_cache(maxsize=8192)
def _col(name: str, remote: bool) -> Column:
    return _spark.col(name)


@lru_cache(maxsize=2048)
def _lit(value: Any, class_: str, remote: bool) -> Column:
    return _spark.lit(value)


@lru_cache(maxsize=2048)
def _literal(value: Any, class_: str, type_: str, remote: bool) -> Column:
    return lit(value).cast(type_)


@lru_cache(maxsize=512)
def _error(message: str, remote: bool) -> Column:
    return _spark.raise_error(_spark.lit(message))


def col(name: str) -> Column:  # type: ignore[no-redef]
    """The column of that name."""
    return _col(name, is_remote())


def lit(value: Any) -> Column:  # type: ignore[no-redef]
    """A literal."""
    if isinstance(value, StrEnum):
        value = value.value
    if type(value) in _KEPT:
        return _lit(value, type(value).__name__, is_remote())
    return _spark.lit(value)


def literal(value: Any, type_: DataType | str) -> Column:
    """A literal, cast to the type."""
    if isinstance(value, StrEnum):
        value = value.value
    if type(value) in _KEPT and isinstance(type_, str):
        return _literal(value, type(value).__name__, type_, is_remote())
    return lit(value).cast(type_)


def error(message: str) -> Column:
    """What raises an error when it is computed."""
    return _error(message, is_remote())


def coalesce(*columns: Column) -> Column:  # type: ignore[no-redef]
    """The first that is not SQL NULL. Of two it is told without a list, which is made in the JVM item by item."""
    return _spark.nvl(*columns) if len(columns) == 2 else _spark.coalesce(*columns)


def once(column: Column) -> Column:
    """The column, in an expression that Catalyst does not move: it would write what is bound in a select into every
    filter over it, as often as that mentions the name, but for what is not deterministic."""
    return _spark.when(_always(is_remote()), column)


@lru_cache(maxsize=2)
def _always(remote: bool) -> Column:
    return _spark.spark_partition_id() >= 0


def forget() -> None:
    """Forget the columns: they belong to a JVM."""
    _col.cache_clear()
    _lit.cache_clear()
    _literal.cache_clear()
    _error.cache_clear()
    _always.cache_clear()
