"""The partitions of a DataFrame, as tests look at them, and a table for plans over partitions."""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import tables
from firesteel import types as t
from firesteel.plan import build as b
from firesteel.spark import frame_type
from firesteel.tables import Table
from tests.spark.helpers import STRICT, plan_of

Row = tuple[Any, ...]


def partitions_of(frame: Any) -> dict[int, list[Row]]:
    """The rows of each partition that has any, in the order in which they are there."""
    from pyspark.sql import functions as F

    found: dict[int, list[Row]] = {}
    place = [F.spark_partition_id().alias("_part"), F.monotonically_increasing_id().alias("_place")]
    for row in sorted(frame.select(*place, "*").collect(), key=lambda row: row[1]):
        found.setdefault(row[0], []).append(tuple(row[2:]))
    return found


def frame_table(frame: Any) -> Table:
    """A DataFrame as a table."""
    return Table(tables.Frame(frame), frame_type(frame))


def columns(table: Table, ordinal: int = 0) -> p.Project:
    """A scan of a table, with a column for each of its attributes."""
    scan = p.Scan(p.Global(table.type, ordinal))
    assert isinstance(table.type, t.Collection)
    assert isinstance(table.type.element, t.Struct)
    names = [field.name or "" for field in table.type.element.fields]
    return p.Project(tuple(b.path(b.column(scan, 0), name) for name in names), scan, names=tuple(names))


def dataframe(engine: Any, rel: p.Rel, over: tuple[Table, ...]) -> Any:
    """What a relation is as a DataFrame."""
    return engine.run(plan_of(rel, STRICT, over), over).dataframe


def first_column(answer: Any) -> list[Any]:
    """The first attribute of each row of an answer."""
    return [row.pairs[0][1] for row in answer]
