"""`${...}` in names and paths: Hadoop replaces it in whatever goes through its configuration.

`${env.HOME}` becomes a variable of the environment, `${user.home}` a property of the JVM, `${spark.app.id}` a setting.
Parquet's schemas, and the paths that Spark writes to, go through it on writing and on reading, and there is no way to
escape a `${`. A plan that names a column like that could read secrets, so it is refused; a folder with such a name is
written elsewhere and moved (`hadoop_paths.target`). JSON, CSV and ORC write the names of columns unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyspark.sql import types as s

from firesteel.errors import UnsupportedError

#: What Hadoop looks for (`Configuration.findSubVariable`).
_VARIABLE = re.compile(r"\$\{[^}$ ]+\}")
#: The formats whose schema goes through Hadoop's configuration when they are written, and when they are read.
_WRITTEN = frozenset({"parquet"})
_READ = frozenset({"parquet", "orc"})


def is_replaced(text: str) -> bool:
    """Would Hadoop replace a part of it?"""
    return _VARIABLE.search(text) is not None


def ensure_written(schema: s.StructType, format_: str) -> None:
    """Refuse columns that Hadoop would write under another name."""
    if format_ in _WRITTEN:
        for field in schema.fields:
            _ensure(field, f"written as {format_} by Spark", "name it otherwise")


def ensure_read(field: s.StructField, format_: str) -> None:
    """Refuse a column that Hadoop would look for under another name: Spark would read NULL."""
    if format_ in _READ:
        _ensure(field, f"read from {format_} by Spark", 'leave it out, or read it with engine="reference"')


def _ensure(field: s.StructField, how: str, remedy: str) -> None:
    for name in (field.name, *_names(field.dataType)):
        if is_replaced(name):
            raise UnsupportedError(
                f"the name '{name}' cannot be {how}: it would replace what is in `${{...}}`", help=remedy
            )


def _names(type_: s.DataType) -> Iterator[str]:
    """The names of the fields in a type. Types are never nested deep (`column_types.MAX_NESTED`)."""
    match type_:
        case s.StructType():
            for field in type_.fields:
                yield field.name
                yield from _names(field.dataType)
        case s.ArrayType():
            yield from _names(type_.elementType)
        case s.MapType():
            yield from _names(type_.keyType)
            yield from _names(type_.valueType)
