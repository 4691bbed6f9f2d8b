"""How much there is to read: what `engine="auto"` judges a plan by."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from firesteel import values
from firesteel.tables import COMPRESSED, Arrow, File, Frame, Memory, Parts, Stored, Table, files_of
from firesteel.tables.files import SPARK_ONLY

#: The bound of `engine="auto"`, in bytes: the reference evaluator reads that much JSON in about the time in which Spark
#: starts.
SMALL_INPUT = 32 * 2**20

#: A value in memory counts as so many bytes.
_VALUE = 64
#: What a byte of a packed file counts: these formats are compressed, or as good as.
_UNPACKED = 4
_PACKED = ("parquet", "orc")


def input_bytes(tables: Sequence[Table]) -> int | None:
    """The size of some tables, where a compressed file counts four times; None if only Spark can read one of them."""
    sizes = [_size(table) for table in tables]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _size(table: Table) -> int | None:
    match table.source:
        case Memory(value=value):
            return _VALUE * len(values.items(value) or (0,))
        case Arrow(table=arrow):
            return int(arrow.nbytes)
        case Frame() | Stored():
            return None
        case File(format=format_) if format_ in SPARK_ONLY:
            return None
        case File(format=format_) as source:
            return sum(_file_size(path, format_) for path in files_of(source)[0])
        case Parts(format=format_, parts=parts):
            return sum(_file_size(part.path, format_) for part in parts)


def _file_size(path: Path, format_: str) -> int:
    """The size of a file. One that is gone counts nothing: whoever reads it says so."""
    with suppress(OSError):
        packed = format_ in _PACKED or path.suffix.lower() in COMPRESSED
        return path.stat().st_size * (_UNPACKED if packed else 1)
    return 0


#: Of more Parquet files the rows are not counted: each has to be opened.
_COUNTED = 200


def row_count(table: Table) -> int | None:
    """How many rows a table has, if that is known without reading them."""
    match table.source:
        case Memory(value=value):
            found = values.items(value)
            return None if found is None else len(found)
        case Arrow(table=arrow):
            return int(arrow.num_rows)
        case File(format="parquet") as source:
            return _parquet_rows(files_of(source)[0])
        case Parts(format="parquet", parts=parts):
            return _parquet_rows([part.path for part in parts])
        case _:
            return None


def _parquet_rows(paths: Sequence[Path]) -> int | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if len(paths) > _COUNTED:
        return None
    with suppress(OSError, pa.ArrowException):
        return sum(int(pq.read_metadata(path).num_rows) for path in paths)
    return None


__all__ = ["SMALL_INPUT", "input_bytes", "row_count"]
