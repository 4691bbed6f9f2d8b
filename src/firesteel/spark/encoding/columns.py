"""Spark's functions as the compiler uses them: `from firesteel.spark.encoding import columns as F`.

Every call of a PySpark function is four round trips to the JVM, and half of all calls are names and literals, the same
in every query. So `col`, `lit`, `literal` and `error` cache their columns. Everything else is PySpark's own.
"""

from __future__ import annotations

import datetime
from enum import StrEnum
from functools import lru_cache, wraps
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, is_remote
from pyspark.sql import functions as _spark
from pyspark.sql.functions import *  # noqa: F403
from pyspark.sql.types import DataType

from firesteel.spark.sql_text import columns as _text_columns
from firesteel.spark.sql_text import functions as _text_functions
from firesteel.spark.sql_text.columns import TextColumn
from firesteel.spark.sql_text.literals import identifier
from firesteel.spark.sql_text.recording import is_on
from firesteel.spark.sql_text.windows import Window as Window

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: Text stands where columns stand: for the type checker it is anything.
_text: Any = _text_functions
_texts: Any = _text_columns


def _either(name: str, function: Any) -> Any:
    """PySpark's function, or its form as text while expressions are recorded."""

    @wraps(function)
    def either(*args: Any, **named: Any) -> Any:
        return _text.text_of(name, args, named) if is_on() else function(*args, **named)

    return either


_both = {name: _either(name, getattr(_spark, name)) for name in _spark.__all__ if isfunction(getattr(_spark, name))}
globals().update(_both)

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
    return _text.col(name) if is_on() else _col(name, is_remote())


def quoted(name: str) -> Column:
    """The column of that name, in backquotes: the name may hold dots."""
    if is_on():
        return _texts.TextColumn(identifier(name))
    return col("`" + name.replace("`", "``") + "`")


def lit(value: Any) -> Column:  # type: ignore[no-redef]
    """A literal."""
    if isinstance(value, StrEnum):
        value = value.value
    if is_on():
        return _texts.column(value)
    if type(value) in _CACHED:
        return _lit(value, type(value).__name__, is_remote())
    return _spark.lit(value)


def literal(value: Any, type_: DataType | str) -> Column:
    """A literal, cast to the type."""
    if isinstance(value, StrEnum):
        value = value.value
    if is_on():
        return _texts.column(value).cast(type_)
    if type(value) in _CACHED and isinstance(type_, str):
        return _literal(value, type(value).__name__, type_, is_remote())
    return lit(value).cast(type_)


def error(message: str) -> Column:
    """A column that raises an error when it is computed."""
    return _texts.call("raise_error", message) if is_on() else _error(message, is_remote())


def coalesce(*columns: Column) -> Column:  # type: ignore[no-redef]
    """The first that is not SQL NULL. For two, `nvl` saves making a list in the JVM, item by item."""
    return _both["nvl" if len(columns) == 2 else "coalesce"](*columns)


def once(value: Column) -> Column:
    """The column, computed once, in its own select. Catalyst would inline it into a filter above, once for every
    mention there; it does not do that to expressions that are not deterministic, such as `spark_partition_id()`."""
    if is_on():
        return _text.text_of("when", (_texts.call("spark_partition_id") >= 0, value), {})
    return _spark.when(_always(is_remote()), value)


@lru_cache(maxsize=2)
def _always(remote: bool) -> Column:
    return _spark.spark_partition_id() >= 0


def is_column(value: object) -> TypeIs[Column]:
    """Is it a column, of PySpark's or as text?"""
    return isinstance(value, Column | TextColumn)


def forget() -> None:
    """Clear the cache: its columns belong to one JVM."""
    _col.cache_clear()
    _lit.cache_clear()
    _literal.cache_clear()
    _error.cache_clear()
    _always.cache_clear()
