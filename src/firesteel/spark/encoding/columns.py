"""Spark's functions as the compiler uses them: `from firesteel.spark.encoding import columns as F`.

Every call of a PySpark function is four round trips to the JVM, and half of all calls are names and literals, the same
in every query. So `col`, `lit`, `literal` and `error` cache their columns. Everything else is PySpark's own.
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

#: Literals of these classes are cached, by class and value: `1` and `True` are equal, but not the same literal.
_CACHED = (str, int, bool, datetime.date, type(None))


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


def quoted(name: str) -> Column:
    """The column of that name, in backquotes: the name may hold dots."""
    return col("`" + name.replace("`", "``") + "`")


def lit(value: Any) -> Column:  # type: ignore[no-redef]
    """A literal."""
    if isinstance(value, StrEnum):
        value = value.value
    if type(value) in _CACHED:
        return _lit(value, type(value).__name__, is_remote())
    return _spark.lit(value)


def literal(value: Any, type_: DataType | str) -> Column:
    """A literal, cast to the type."""
    if isinstance(value, StrEnum):
        value = value.value
    if type(value) in _CACHED and isinstance(type_, str):
        return _literal(value, type(value).__name__, type_, is_remote())
    return lit(value).cast(type_)


def error(message: str) -> Column:
    """A column that raises an error when it is computed."""
    return _error(message, is_remote())


def coalesce(*columns: Column) -> Column:  # type: ignore[no-redef]
    """The first that is not SQL NULL. For two, `nvl` saves making a list in the JVM, item by item."""
    return _spark.nvl(*columns) if len(columns) == 2 else _spark.coalesce(*columns)


def once(column: Column) -> Column:
    """The column, computed once, in its own select. Catalyst would inline it into a filter above, once for every
    mention there; it does not do that to expressions that are not deterministic, such as `spark_partition_id()`."""
    return _spark.when(_always(is_remote()), column)


@lru_cache(maxsize=2)
def _always(remote: bool) -> Column:
    return _spark.spark_partition_id() >= 0


def forget() -> None:
    """Clear the cache: its columns belong to one JVM."""
    _col.cache_clear()
    _lit.cache_clear()
    _literal.cache_clear()
    _error.cache_clear()
    _always.cache_clear()
