"""Rows added to what a user registered: to an Arrow table, to a Parquet file or a folder of such; all or nothing."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.tables.arrow.arrays import Unfit, array_of
from firesteel.tables.files import File
from firesteel.tables.links import nameable
from firesteel.tables.opening import reading
from firesteel.tables.staging import staged

if TYPE_CHECKING:
    import pyarrow as pa


def with_rows(table: Any, rows: list[values.Value]) -> pa.Table:
    """An Arrow table with the rows behind its own; its columns keep their types."""
    import pyarrow as pa

    whole = table if isinstance(table, pa.Table) else pa.table(table)
    return pa.concat_tables([whole, _arrow(rows, whole.schema)])


def append_rows(file: File, rows: list[values.Value]) -> None:
    """Rows added to a Parquet file, which is written anew and swapped, or to a folder, as one more file."""
    path = file.path.resolve()
    with reading(path):
        _append(file, path, rows)


def _append(file: File, path: Path, rows: list[values.Value]) -> None:
    import pyarrow.parquet as pq

    if path.is_dir():
        known = [part for part in sorted(path.iterdir()) if not part.name.startswith((".", "_"))]
        if not known or not all(part.is_file() for part in known):
            raise UnsupportedError(f"adding rows to '{file.path}': a folder of folders, or an empty one")
        _put(_arrow(rows, pq.read_schema(nameable(known[0]))), path / f"part-{uuid.uuid4().hex}.parquet")
    elif path.is_file():
        _put(with_rows(pq.read_table(nameable(path), partitioning=None), rows), path)
    else:
        raise PlanError(f"no file '{file.path}' to add rows to")


def _arrow(rows: list[values.Value], schema: Any) -> pa.Table:
    import pyarrow as pa

    columns = []
    for field in schema:
        try:
            columns.append(array_of([row.get(field.name) for row in rows], field.type))
        except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError) as error:
            raise EvaluationError(f"a row does not fit the column '{field.name}' of the table: {error}") from error
    return pa.Table.from_arrays(columns, schema=schema)


def _put(table: pa.Table, path: Path) -> None:
    """Written beside the target, then moved over it."""
    import pyarrow.parquet as pq

    with staged(path) as new, new.open("wb") as out:
        pq.write_table(table, out)
