"""What a global name stands for: a value in memory, a file, an Arrow table, or a frame of an engine's own.

A `Table` knows its type before it is read. The reference engine reads it as one value; Spark reads its source natively.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.tables.append import append_rows, with_rows
from firesteel.tables.arrow.columns import to_arrow, to_pandas
from firesteel.tables.arrow.rows import (
    arrow_rows,
    arrow_table,
    arrow_type,
    column_values,
    ensure_text_keys,
    mixed_rows,
    touched_columns,
)
from firesteel.tables.files import (
    File,
    SkippedLines,
    counting_skipped,
    file,
    file_type,
    files_of,
    has_positions,
    names_files,
    part_records,
    positions,
    read_file,
    records,
    warn_skipped,
)
from firesteel.tables.folders import Partitions, matches, suffix_of
from firesteel.tables.formats import FORMAT_TABLE, FORMATS
from firesteel.tables.json_files import is_document
from firesteel.tables.opening import COMPRESSED, path_of
from firesteel.tables.parts import (
    PART_FORMATS,
    Part,
    Parts,
    parts_arrow,
    parts_rows,
    parts_type,
    row_counts,
    row_groups,
)
from firesteel.tables.promises import OrderedColumn, Promise, PromisedColumn, promise_of
from firesteel.tables.staging import host, owned, present, staged
from firesteel.tables.stored import Stored
from firesteel.tables.text.delimited import Delimited
from firesteel.tables.touched import WHOLE, PathTree


@dataclass(frozen=True)
class Memory:
    """A value of this process. If its type was `declared`, the columns have that type whatever is in them."""

    value: values.Value
    declared: bool = False


@dataclass(frozen=True)
class Arrow:
    """An Arrow table."""

    table: Any


@dataclass(frozen=True)
class Frame:
    """A table of an engine's own: a Spark DataFrame, or a table of its catalog under its name there. Only that engine
    can read it."""

    frame: Any
    name: str | None = None


Source = Memory | File | Parts | Stored | Arrow | Frame


@dataclass(frozen=True)
class Table:
    """A registered source. `record_id` is what BY binds: the name of an attribute, or an identifier per record.

    `malformed` says what to do with a line that is not JSON: raise an `error`, or `skip` it. `promise` is what its
    owner says of the order and the partitions of its rows.
    """

    source: Source
    type: t.Type
    record_id: str | tuple[values.Value, ...] | None = None
    malformed: str = "error"
    promise: Promise | None = None

    def read(self, touched: PathTree = WHOLE) -> values.Value:
        """The table as one value, with at least what is touched of its rows."""
        match self.source:
            case Memory(value):
                return value
            case File():
                return values.Bag(read_file(self.source, skip=self.malformed == "skip", touched=touched))
            case Parts():
                return values.Bag(parts_rows(self.source))
            case Arrow(table):
                return values.Bag(arrow_rows(touched_columns(table, touched)))
            case Frame() | Stored():
                raise UnsupportedError(
                    "a table of Spark's cannot be read without Spark",
                    help='connect with engine="spark", or register df.toArrow()',
                )

    def identifiers(self, items: list[values.Value]) -> Iterator[values.Value]:
        """The record identifier of every item of the table."""
        if self.record_id is None and isinstance(self.source, File) and has_positions(self.source):
            return positions(self.source)
        if self.record_id is None:
            return iter([values.MISSING] * len(items))
        if isinstance(self.record_id, str):
            name = self.record_id
            return iter([item.get(name) if isinstance(item, values.Struct) else values.MISSING for item in items])
        return iter(self.record_id)


def memory(data: Any, record_id: str | Iterable[Any] | None = None) -> Table:
    """A table of plain Python data or of a value."""
    value = values.from_python(data)
    identifiers: str | tuple[values.Value, ...] | None
    if record_id is None or isinstance(record_id, str):
        identifiers = record_id
    else:
        identifiers = tuple(values.from_python(item) for item in record_id)
        count = len(values.items(value) or [])
        if len(identifiers) != count:
            raise PlanError(f"{len(identifiers)} record identifiers for {count} records")
    return Table(Memory(value), t.type_of(value), identifiers)


__all__ = [
    "COMPRESSED",
    "FORMATS",
    "FORMAT_TABLE",
    "PART_FORMATS",
    "Arrow",
    "Delimited",
    "File",
    "Frame",
    "Memory",
    "OrderedColumn",
    "Part",
    "Partitions",
    "Parts",
    "Promise",
    "PromisedColumn",
    "SkippedLines",
    "Source",
    "Stored",
    "Table",
    "append_rows",
    "arrow_table",
    "arrow_type",
    "counting_skipped",
    "column_values",
    "ensure_text_keys",
    "file",
    "file_type",
    "files_of",
    "has_positions",
    "host",
    "is_document",
    "matches",
    "memory",
    "mixed_rows",
    "names_files",
    "owned",
    "part_records",
    "parts_arrow",
    "parts_rows",
    "parts_type",
    "path_of",
    "present",
    "promise_of",
    "records",
    "row_counts",
    "row_groups",
    "staged",
    "suffix_of",
    "to_arrow",
    "to_pandas",
    "warn_skipped",
    "with_rows",
]
