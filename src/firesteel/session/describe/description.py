"""What is known of a table: its columns, its files, what its owner promises of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel import tables
from firesteel import types as t
from firesteel.explain.rows import draw
from firesteel.passes import View
from firesteel.tables import Promise, PromisedColumn, Table
from firesteel.values import Struct

#: The type of a line in a list of columns.
_NAMED = t.Struct((t.Field("column", t.STRING), t.Field("type", t.STRING)), open=False)


@dataclass(frozen=True, repr=False)
class Description:
    """A table or a view. `columns` is None if it has no schema, `size` (in bytes) if it is in no files. `shape` says
    whether the shape of a file without a schema is learned."""

    name: str
    kind: str
    format: str | None = None
    columns: tuple[tuple[str, str], ...] | None = None
    files: tuple[Path, ...] = ()
    size: int | None = None
    record_id: str | None = None
    ordered_by: tuple[str, ...] = ()
    partitioned_by: tuple[str, ...] | str = ()
    shape: str | None = None

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self.kind}{f' of the format {self.format}' if self.format else ''}"]
        if self.files:
            shown = ", ".join(str(file) for file in self.files[:3])
            more = f" and {len(self.files) - 3} more" if len(self.files) > 3 else ""
            lines.append(f"files: {shown}{more} ({self.size:,} bytes)")
        if self.shape:
            lines.append(f"shape: {self.shape}")
        if self.record_id:
            lines.append(f"record identifier: {self.record_id}")
        if self.ordered_by:
            lines.append(f"ordered by: {', '.join(self.ordered_by)}")
        if self.partitioned_by:
            parts = self.partitioned_by
            lines.append(f"partitioned by: {parts if isinstance(parts, str) else ', '.join(parts)}")
        if self.columns is None:
            lines.append("no schema")
        else:
            lines.append(draw((Struct({"column": name, "type": type_}) for name, type_ in self.columns), _NAMED, 1000))
        return "\n".join(lines)


def describe(name: str, entry: Table | View, shape: str | None) -> Description:
    """A table or a view of that name."""
    if isinstance(entry, View):
        return Description(name, "a view", columns=_columns(entry.query.type))
    source = entry.source
    record_id = "a list" if isinstance(entry.record_id, tuple) else entry.record_id
    files = _files(source)
    order, parts = _promised(entry.promise)
    return Description(
        name,
        _KINDS[type(source)],
        source.format if isinstance(source, tables.File) else None,
        _columns(entry.type),
        files,
        sum(file.stat().st_size for file in files) if files else None,
        record_id,
        order,
        parts,
        shape,
    )


_KINDS: dict[type, str] = {
    tables.Memory: "data in memory",
    tables.Arrow: "an Arrow table",
    tables.File: "files",
    tables.Parts: "files",
    tables.Frame: "a Spark DataFrame",
    tables.Stored: "a table that a plan created",
}


def _columns(type_: t.Type) -> tuple[tuple[str, str], ...] | None:
    """The columns of the rows, with their types; None if the type does not say them."""
    element = type_.element if isinstance(type_, t.Collection) else type_
    if not isinstance(element, t.Struct) or element.open:
        return None
    return tuple((field.name or "", str(field.type)) for field in element.fields)


def _files(source: tables.Source) -> tuple[Path, ...]:
    if isinstance(source, tables.File):
        return tuple(tables.files_of(source)[0])
    return tuple(part.path for part in source.parts) if isinstance(source, tables.Parts) else ()


def _promised(promise: Promise | None) -> tuple[tuple[str, ...], tuple[str, ...] | str]:
    if promise is None:
        return (), ()
    parts: Sequence[str] = [".".join(path) for path in promise.partitioned]
    return tuple(map(_order, promise.order)), "singleton" if promise.singleton else tuple(parts)


def _order(column: PromisedColumn) -> str:
    direction = " clustered" if column.clustered else " desc" if column.descending else ""
    return ".".join(column.path) + direction


__all__ = ["Description", "describe"]
