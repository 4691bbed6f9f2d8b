"""Files as tables: which format, which type, which records; and values written to files, all or nothing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.ion import dumps, from_value, iter_values, write
from firesteel.tables.arrow.columns import to_arrow
from firesteel.tables.arrow.rows import arrow_rows, arrow_type
from firesteel.tables.folders import Partitions, files_below, matches, partitions, suffix_of, with_columns
from firesteel.tables.json_files import json_records, json_text
from firesteel.tables.links import nameable
from firesteel.tables.opening import ensure_regular, not_utf8, open_file, open_unpacked, path_of, reading, writing
from firesteel.tables.staging import present, staged
from firesteel.tables.timestamps import UNIT, conform_table, orc_schema, parquet_schema


@dataclass(frozen=True)
class File:
    """A file, or a directory of files of one format. Text of CSV files may have another encoding than UTF-8."""

    path: Path
    format: str
    encoding: str = "utf-8"


#: The suffixes that say a file's format.
FORMATS = {
    ".parquet": "parquet",
    ".orc": "orc",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".ion": "ion",
    ".10n": "ion",
}
#: The encodings of CSV files, by the names that Python, Arrow and Spark all know.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "latin-1": "iso-8859-1",
    "latin1": "iso-8859-1",
    "iso-8859-1": "iso-8859-1",
}


def file(path: str | os.PathLike[str], encoding: str | None = None) -> File:
    """A file whose suffix says its format; a directory's, or a pattern's, is that of the files that it stands for."""
    path = path_of(path)
    with reading(path):
        probe = _probe(path)
    if probe is None:
        raise PlanError(f"no file '{path}'")
    ensure_regular(probe)
    format_ = FORMATS.get(suffix_of(probe))
    if format_ is None:
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format of '{path}'", help=f"the suffixes that are known: {known}")
    if encoding is None:
        return File(path, format_)
    if format_ != "csv" or encoding.lower() not in ENCODINGS:
        raise UnsupportedError(
            f"the encoding '{encoding}' for '{path}'",
            help="CSV files may be 'utf-8' or 'latin-1'; convert others first",
        )
    return File(path, format_, ENCODINGS[encoding.lower()])


def _probe(path: Path) -> Path | None:
    """The file, or one of those that the path stands for: its suffix says the format."""
    if not present(path):
        return next(iter(matches(path)), None)
    if path.is_dir() and suffix_of(path) not in FORMATS:
        return next((part for part in files_below(path) if suffix_of(part) in FORMATS), path)
    return path


def files_of(source: File) -> tuple[list[Path], Partitions]:
    """The files of a table, and the columns that their folders are."""
    path, format_ = source.path, source.format
    with reading(path):
        if not present(path):
            found = [part for match in matches(path) for part in files_of(File(match, format_))[0]]
            if not found:
                raise PlanError(f"no file '{path}'")
            return found, Partitions((), tuple(() for _ in found))
        if not path.is_dir():
            ensure_regular(path)
            return [path], Partitions((), ((),))
    every = list(files_below(path))
    found = [part for part in every if FORMATS.get(suffix_of(part)) == format_]
    other = next((part for part in every if FORMATS.get(suffix_of(part), format_) != format_), None)
    if found and other is not None:
        raise PlanError(
            f"'{path}' has files of several formats: {found[0].name}, {other.name}",
            help=f"name those that are meant by a pattern: '{path}/*{suffix_of(found[0])}'",
        )
    found = found or every
    return found, partitions(path, found)


def file_type(source: File) -> t.Type:
    """The type of a file's content as far as the file itself says it: Parquet and ORC have a schema."""
    if source.format in ("parquet", "orc"):
        return t.Bag(arrow_type(file_schema(source)))
    return t.Bag(t.STRUCT) if source.format == "csv" else t.BAG


def file_schema(source: File) -> Any:
    """The schema of files of Parquet or ORC, as Arrow has it; behind their own columns those that their folders are."""
    import pyarrow as pa

    files, folders = files_of(source)
    if not files:
        raise PlanError(f"no file in '{source.path}'")
    own = _own(_schema(_dataset(source, files), source.format, files), folders)
    return pa.schema([*own, *_folder_fields(folders)])


def _schema(dataset: Any, format_: str, files: list[Path]) -> Any:
    import pyarrow.parquet as pq

    if format_ == "parquet":
        with reading(files[0]), pq.ParquetFile(nameable(files[0])) as first:
            return parquet_schema(dataset.schema, first.schema)
    return orc_schema(dataset.schema) if format_ == "orc" else dataset.schema


def _own(schema: Any, folders: Partitions) -> list[Any]:
    """The columns of files that are not those of folders, too."""
    names = {name.lower() for name, _ in folders.columns}
    return [field for field in schema if field.name.lower() not in names]


def _folder_fields(folders: Partitions) -> list[Any]:
    import pyarrow as pa

    types = {t.INT64: pa.int64(), t.DATE: pa.date32(), t.STRING: pa.string()}
    return [pa.field(name, types[t.proper(type_)]) for name, type_ in folders.columns]


def read_arrow(source: File) -> Any:
    """A file as an Arrow table: for what an engine cannot read itself."""
    import pyarrow as pa

    files, folders = files_of(source)
    whole = _dataset(source, files)
    schema = _schema(whole, source.format, files)
    names = [field.name for field in _own(schema, folders)]
    found = []
    for nth, fragment in _fragments(whole, files):
        with reading(files[nth]):
            table = conform_table(fragment.to_table(schema=whole.schema), schema, files[nth]).select(names)
        for field, (_, value) in zip(_folder_fields(folders), folders.pairs(nth), strict=True):
            table = table.append_column(field, pa.array([value] * table.num_rows, field.type))
        found.append(table)
    return pa.concat_tables(found)


def _fragments(whole: Any, files: list[Path]) -> Iterator[tuple[int, Any]]:
    """The files of a dataset, each with its number among those that were named."""
    nth = {str(nameable(path).absolute()): i for i, path in enumerate(files)}
    return ((nth[fragment.path], fragment) for fragment in whole.get_fragments())


def _dataset(source: File, files: list[Path]) -> Any:
    import pyarrow.csv as csv
    import pyarrow.dataset as ds
    import pyarrow.fs as fs

    format_: Any = source.format
    if format_ == "parquet":
        format_ = ds.ParquetFileFormat(coerce_int96_timestamp_unit=UNIT)
    if format_ == "csv":
        # As in Spark: an empty cell is NULL, quoted or not; no word (such as `null`) is.
        options = csv.ConvertOptions(null_values=[""], strings_can_be_null=True, check_utf8=True)
        format_ = ds.CsvFileFormat(convert_options=options, read_options=csv.ReadOptions(encoding=source.encoding))
    for path in files:
        open_file(path).close()  # Arrow would block on a pipe
    with reading(source.path):
        try:
            places = [str(nameable(path).absolute()) for path in files]
            found = ds.dataset(places, format=format_, filesystem=fs.LocalFileSystem(), partitioning=None)
        except ValueError as error:
            raise PlanError(f"'{source.path}' is not {source.format}: {' '.join(str(error).split())}") from error
    if source.format == "csv" and any(str(field.type) == "binary" for field in found.schema):
        raise not_utf8(source.path)  # Arrow reads invalid UTF-8 as binary
    return found


def read_file(source: File, *, skip: bool = False) -> Iterator[values.Value]:
    """The records of a file, as values. With `skip`, lines that are not JSON are left out, and counted in a warning."""
    bad = 0
    for item in records(source):
        if not isinstance(item, EvaluationError):
            yield item
        elif not skip:
            raise item
        else:
            bad += 1
    if bad:
        warn_skipped(source.path, bad)


def records(source: File) -> Iterator[values.Value | EvaluationError]:
    """The records of a file, as values, or the errors that they are."""
    files, folders = files_of(source)
    if source.format in ("parquet", "orc", "csv"):
        yield from _arrow_records(source, files, folders)
        return
    for nth, part in enumerate(files):
        yield from part_records(part, source.format, folders.pairs(nth))


def part_records(
    path: Path, format_: str, pairs: list[tuple[str, values.Value]]
) -> Iterator[values.Value | EvaluationError]:
    """The records of one file of a table, with the columns that its folders are."""
    found = json_records(path) if format_ == "json" else _ion_records(path)
    yield from (with_columns(item, pairs, path) for item in found) if pairs else found


def _ion_records(path: Path) -> Iterator[values.Value]:
    with reading(path), open_unpacked(path) as file:
        yield from iter_values(file, str(path))


def _arrow_records(source: File, files: list[Path], folders: Partitions) -> Iterator[values.Value]:
    if not files or (source.format == "csv" and not any(part.stat().st_size for part in files)):
        return
    whole = _dataset(source, files)
    schema = _schema(whole, source.format, files)
    for nth, fragment in _fragments(whole, files):
        path, pairs = files[nth], folders.pairs(nth)
        with reading(path):
            for batch in fragment.to_batches(schema=whole.schema):
                for row in arrow_rows(conform_table(batch, schema, path)):
                    yield with_columns(row, pairs, path) if pairs else row


# ---------------------------------------------------------------------------------------------------------------------
# Lines that are left out

_left_out: ContextVar[dict[Path, int] | None] = ContextVar("_left_out", default=None)


@contextmanager
def counting_skipped() -> Iterator[dict[Path, int]]:
    """How many lines of which files are left out while in here."""
    found: dict[Path, int] = {}
    token = _left_out.set(found)
    try:
        yield found
    finally:
        _left_out.reset(token)


def warn_skipped(path: Path, count: int) -> None:
    """Say how many lines were left out."""
    found = _left_out.get()
    if found is not None:
        found[path] = count
    warnings.warn(f"{path}: {count} line{'' if count == 1 else 's'} left out: not JSON", SkippedLines, stacklevel=2)


class SkippedLines(UserWarning):
    """Lines of a file were not JSON, and were left out, as was asked for."""


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def format_of(path: Path, format_: str | None) -> str:
    """The format to write: the one asked for, else what the suffix says."""
    found = format_ or FORMATS.get(path.suffix.lower())
    if found not in set(FORMATS.values()):
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format to write '{path}' in", help=f"known suffixes: {known}")
    return found


def write_file(
    value: values.Value, given: str | os.PathLike[str], format_: str | None = None, type_: t.Type = t.ANY
) -> None:
    """Write a value to a file, with the columns of its type. It is written beside the target and moved over it when it
    is whole."""
    path = path_of(given)
    format_ = format_of(path, format_)
    with writing(path):
        if path.is_dir():
            raise UnsupportedError(f"'{path}' is a directory", help="name a file")
        if path.exists():
            ensure_regular(path)
    with staged(path) as new:
        if format_ == "ion" and path.suffix.lower() == ".10n":
            _write_binary_ion(value, new)
        else:
            _WRITERS[format_](value, new, type_)


def _records(value: values.Value) -> list[values.Value]:
    items = values.items(value) if isinstance(value, list | values.Bag) else None
    return [value] if items is None else items


def _write_parquet(value: values.Value, path: Path, type_: t.Type) -> None:
    import pyarrow.parquet as pq

    _write_table(pq.write_table, "Parquet", value, path, type_)


def _write_orc(value: values.Value, path: Path, type_: t.Type) -> None:
    import pyarrow.orc as orc

    _write_table(orc.write_table, "ORC", value, path, type_)


def _write_csv(value: values.Value, path: Path, type_: t.Type) -> None:
    import pyarrow.csv as csv

    _write_table(csv.write_csv, "CSV", value, path, type_)


def _write_table(write: Callable[[Any, Any], None], name: str, value: values.Value, path: Path, type_: t.Type) -> None:
    import pyarrow as pa

    try:
        table = to_arrow(value, type_)
        with path.open("wb") as out:
            write(table, out)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnsupportedError(
            f"{name} cannot hold this: {error}", help="values of several types go to JSON or Ion"
        ) from error


def _write_json(value: values.Value, path: Path, _: t.Type) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json_text(record) + "\n" for record in _records(value))


def _write_ion(value: values.Value, path: Path, _: t.Type) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(dumps(record) + "\n" for record in _records(value))


def _write_binary_ion(value: values.Value, path: Path) -> None:
    path.write_bytes(write([from_value(record) for record in _records(value)], binary=True))


_WRITERS = {
    "parquet": _write_parquet,
    "orc": _write_orc,
    "csv": _write_csv,
    "json": _write_json,
    "ion": _write_ion,
}
