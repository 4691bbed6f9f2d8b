"""Files that a plan names, read as one table: Parquet, ORC, Arrow, text with delimiters; whole, or slices of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.tables.arrow.rows import arrow_rows, arrow_type
from firesteel.tables.opening import open_file, reading
from firesteel.tables.text.delimited import Delimited, delimited_rows
from firesteel.tables.timestamps import UNIT, conform_table, orc_schema, parquet_schema


@dataclass(frozen=True)
class Part:
    """A file, or the bytes of it from `start` on, `length` of them or up to its end."""

    path: Path
    start: int = 0
    length: int | None = None

    @property
    def sliced(self) -> bool:
        """Does it leave something out?"""
        return self.start > 0 or (self.length is not None and self.length < self.path.stat().st_size)

    def holds(self, offset: int) -> bool:
        """Is that byte in it?"""
        return self.start <= offset and (self.length is None or offset < self.start + self.length)


@dataclass(frozen=True)
class Parts:
    """Files of one format that are one table. `text` says how text is written; its columns have the names given."""

    format: str
    parts: tuple[Part, ...]
    text: Delimited | None = None
    names: tuple[str, ...] = ()


def parts_type(source: Parts) -> t.Type:
    """The type of the rows: what the files say, and all have to say the same."""
    for part in source.parts:
        if part.sliced and source.format != "parquet":
            raise UnsupportedError(f"a slice of a file of the format '{source.format}': {part.path.name}")
    if source.format == "csv":
        text = t.absent(t.STRING, nullable=source.text is not None and source.text.null is not None)
        return t.Bag(t.Struct(tuple(t.Field(name, text) for name in source.names), open=False))
    first, *others = dict.fromkeys(part.path for part in source.parts)
    found = _schema(source.format, first)
    fields = dict(_typed(found))
    for path in others:
        mine = dict(_typed(_schema(source.format, path)))
        for name in [*fields, *mine]:
            if fields.get(name) != mine.get(name):
                was, now = (str(one.get(name, "absent")) for one in (fields, mine))
                raise UnsupportedError(
                    f"the files of one read differ: '{name}' is {was} in {first.name}, and {now} in {path.name}",
                    help="read them one by one, and put them together with a set relation",
                )
    return t.Bag(found)


def _typed(struct: t.Struct) -> Iterator[tuple[str, t.Type]]:
    return ((field.name or "", t.proper(field.type)) for field in struct.fields)


def parts_schema(source: Parts) -> Any:
    """The schema of the first file, as Arrow has it: the others have the same types."""
    return _arrow_schema(source.format, source.parts[0].path)


def _arrow_schema(format_: str, path: Path) -> Any:
    return arrow_schema(format_, path, canonical=True)


def arrow_schema(format_: str, path: Path, *, canonical: bool = False) -> Any:
    """The schema of one file, as Arrow has it."""
    with _opened(format_, path, canonical=canonical) as found:
        return _conforming(format_, found)


def _conforming(format_: str, found: Any) -> Any:
    """The schema of a file that is open."""
    if format_ == "parquet":
        return parquet_schema(found.schema_arrow, found.schema)
    return orc_schema(found.schema) if format_ == "orc" else found.schema


def _schema(format_: str, path: Path) -> t.Struct:
    struct = arrow_type(_arrow_schema(format_, path))
    # Statistics aside, a file does not promise that nothing is null; and other files of the read may differ in that.
    return struct.replace(fields=tuple(f.replace(type=t.absent(f.type, nullable=True)) for f in struct.fields))


def parts_rows(source: Parts) -> Iterator[values.Value]:
    """The rows of all of them."""
    if source.format == "csv":
        assert source.text is not None
        for part in source.parts:
            yield from delimited_rows(part.path, source.text, source.names)
        return
    for part in source.parts:
        for batch in _batches(source.format, part):
            yield from arrow_rows(batch)


def parts_arrow(source: Parts) -> Any:
    """The rows of all of them as one Arrow table: for what an engine cannot read itself."""
    import pyarrow as pa

    tables = [pa.Table.from_batches(list(_batches(source.format, part))) for part in source.parts]
    return pa.concat_tables([table.select(tables[0].column_names) for table in tables])


def _batches(format_: str, part: Part) -> Iterator[Any]:
    return arrow_batches(format_, part, canonical=True)


def arrow_batches(format_: str, part: Part, *, canonical: bool = False) -> Iterator[Any]:
    """The batches of one file, or of a slice of it. A `canonical` path was judged by a policy."""
    with _opened(format_, part.path, canonical=canonical) as found, reading(part.path):
        if format_ == "parquet":
            groups = row_groups(part) if part.sliced else range(found.num_row_groups)
            batches = found.iter_batches(row_groups=list(groups))
        elif format_ == "orc":
            batches = found.read().to_batches()
        else:
            batches = found.to_batches()
        for batch in batches:
            yield conform_table(batch, _conforming(format_, found), part.path)


# ---------------------------------------------------------------------------------------------------------------------
# Parquet


def row_groups(part: Part) -> list[int]:
    """The row groups of a slice: those whose midpoint is in it, so that each is in one of the slices of a file."""
    with _opened("parquet", part.path) as found:
        metadata = found.metadata
    return [i for i in range(metadata.num_row_groups) if part.holds(_midpoint(metadata.row_group(i)))]


def _midpoint(group: Any) -> int:
    if not group.num_columns:
        return 0
    first = group.column(0)
    start = first.data_page_offset
    if first.has_dictionary_page and first.dictionary_page_offset:
        start = min(start, first.dictionary_page_offset)
    size = sum(group.column(i).total_compressed_size for i in range(group.num_columns))
    return int(start + size // 2)


def row_counts(path: Path, *, canonical: bool = True) -> list[int]:
    """How many rows each row group of a Parquet file has."""
    with _opened("parquet", path, canonical=canonical) as found:
        metadata = found.metadata
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


# ---------------------------------------------------------------------------------------------------------------------
# Opening


@contextmanager
def _opened(format_: str, path: Path, *, canonical: bool = True) -> Iterator[Any]:
    """A file, opened as what it should be. One that a policy has judged is not opened by its name once more."""
    with open_file(path, canonical=canonical) as file:
        with reading(path):
            try:
                found = _OPEN[format_](file)
            except (ValueError, OSError) as error:
                raise PlanError(f"'{path}' is not {format_}: {' '.join(str(error).split())}") from error
        yield found


def _parquet(file: BinaryIO) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(file, coerce_int96_timestamp_unit=UNIT)


def _orc(file: BinaryIO) -> Any:
    import pyarrow.orc as orc

    return orc.ORCFile(file)


def _arrow(file: BinaryIO) -> Any:
    """An Arrow file, or a stream that was written to one."""
    import pyarrow as pa

    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file).read_all()


_OPEN: dict[str, Callable[[BinaryIO], Any]] = {"parquet": _parquet, "orc": _orc, "arrow": _arrow}

#: The formats that a plan may name, and those whose files are read.
PART_FORMATS = (*_OPEN, "csv")
