"""The schema that a user asks for: a text as Spark writes it, Spark's StructType, a schema of Arrow's, or "infer"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firesteel import tables
from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.tables.typed.ddl import read_ddl


@dataclass(frozen=True)
class Asked:
    """The columns that are asked for. Without columns they are to be found in the rows. A schema of Arrow's is kept:
    it tells types apart that are one here, such as `string` and `large_string`."""

    columns: t.Struct | None = None
    arrow: Any = None


def schema_of(given: Any) -> Asked | None:
    """What is asked for; None if nothing is."""
    if given is None or isinstance(given, Asked):
        return given
    module = type(given).__module__.partition(".")[0]
    if isinstance(given, str):
        return Asked() if given.strip().lower() == "infer" else Asked(read_ddl(given))
    if module == "pyspark" and hasattr(given, "fields"):
        from firesteel.spark import from_spark

        found = from_spark(given)
        assert isinstance(found, t.Struct)
        return Asked(_distinct(found))
    if module == "pyarrow" and hasattr(given, "names"):
        return Asked(_distinct(tables.arrow_type(given)), given)
    raise AnalysisError(
        f"a {type(given).__name__} is no schema",
        help="a schema is a text such as 'id int, v double', a StructType of Spark's, a schema of Arrow's, or 'infer'",
    )


def _distinct(columns: t.Struct) -> t.Struct:
    names = [field.name for field in columns.fields]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise AnalysisError(f"the schema names '{twice}' twice")
    return columns
