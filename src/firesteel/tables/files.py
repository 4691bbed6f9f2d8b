"""Files as tables: which format, which type, which records."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.policy import Unpacking
from firesteel.tables.arrow.rows import arrow_rows, arrow_type, touched_columns
from firesteel.tables.folders import Partitions, files_below, matches, partitions, suffix_of, with_columns
from firesteel.tables.formats import FORMAT_TABLE, FORMATS, POSITION, format_named, format_of_file, options_of
from firesteel.tables.json_files import json_records, split_lines
from firesteel.tables.opening import UNPACKING, ensure_regular, open_unpacked, path_of, reading
from firesteel.tables.parts import Part, arrow_batches, arrow_schema, row_counts
from firesteel.tables.staging import present
from firesteel.tables.text.csv_files import DEFAULTS, CsvOptions, csv_rows, csv_types
from firesteel.tables.touched import WHOLE, PathTree
from firesteel.tables.typed.ddl import spelled
from firesteel.tables.typed.declared import Declared, declared, fit_records, row_type


@dataclass(frozen=True)
class File:
    """A file, a pattern of files, or a directory of files of one format, and more such. `options` are those of the
    format, if any are given. A format that is `named` by the user holds for files with any suffix. `schema` are the
    columns that the user gives."""

    path: Path
    format: str
    options: Any = None
    more: tuple[Path, ...] = ()
    named: bool = False
    unpacking: Unpacking = UNPACKING
    schema: Declared | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All paths that were registered."""
        return self.path, *self.more

    @property
    def csv(self) -> CsvOptions:
        """How delimited text is written."""
        found: CsvOptions = self.options or DEFAULTS[self.format]
        return replace(found, how=replace(found.how, unpacking=self.unpacking))


def file(
    given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    format_: str | None = None,
    options: Mapping[str, Any] | None = None,
    unpacking: Unpacking = UNPACKING,
    schema: t.Struct | None = None,
    check: bool = False,
) -> File:
    """A file, or several, of the format that is named, or that their suffixes or their content say; a directory's, or a
    pattern's, is that of the files that it stands for. `schema` are the columns of files that have none."""
    paths = tuple(map(path_of, [given] if isinstance(given, str | os.PathLike) else given))
    if not paths:
        raise PlanError("a table of no files")
    found = {path: _format_at(path, format_) for path in paths}
    first, other = paths[0], next((path for path in paths if found[path] != found[paths[0]]), None)
    if other is not None:
        raise PlanError(f"files of several formats: '{first}' is {found[first]}, '{other}' is {found[other]}")
    more, how = tuple(dict.fromkeys(paths))[1:], dict(options or {})
    columns = None
    if schema is not None and found[first] in DEFAULTS:
        how["types"] = _cell_types(schema, how)
    elif schema is not None:
        columns = declared(found[first], schema, check=check)
    return File(first, found[first], options_of(found[first], how), more, format_ is not None, unpacking, columns)


def _cell_types(schema: t.Struct, options: Mapping[str, Any]) -> Mapping[str, str]:
    """The schema as the option `types` of delimited text. A cell may always be NULL, and is tested when it is read."""
    if "types" in options:
        raise PlanError("a schema and the option 'types' say the same", help="give one of them")
    required = next((field.name for field in schema.fields if not field.type.nullable), None)
    if required is not None:
        raise UnsupportedError(f"column '{required}' of delimited text: NOT NULL", help="leave it out")
    return {field.name or "": spelled(field.type) for field in schema.fields}


def names_files(text: str) -> bool:
    """Does a text name files: is its suffix that of a format, or is there such a file, or are there such?"""
    try:
        path = path_of(text)
        return suffix_of(path) in FORMATS or _probe(path) is not None
    except (FiresteelError, OSError, ValueError):  # it is no path at all
        return False


def _format_at(path: Path, named: str | None) -> str:
    with reading(path):
        probe = _probe(path)
    if probe is None:
        raise PlanError(f"no file '{path}'")
    ensure_regular(probe)
    found = format_of_file(probe) if named is None else format_named(named)
    if found is None:
        known = ", ".join(FORMATS)
        raise UnsupportedError(
            f"cannot tell the format of '{path}'", help=f"name it: format=...; the suffixes that are known: {known}"
        )
    return found


def _probe(path: Path) -> Path | None:
    """The file, or one of those that the path stands for: its suffix says the format."""
    if not present(path):
        return next(iter(matches(path)), None)
    if path.is_dir() and suffix_of(path) not in FORMATS:
        return next((part for part in files_below(path) if suffix_of(part) in FORMATS), path)
    return path


def files_of(source: File) -> tuple[list[Path], Partitions]:
    """The files of a table, each once, and the columns that their folders are. Of several paths none has columns."""
    if source.more:
        every = [part for path in source.paths for part in files_of(replace(source, path=path, more=()))[0]]
        return _without_columns(list(dict.fromkeys(every)))
    path, format_ = source.path, source.format
    with reading(path):
        if not present(path):
            found = [part for match in matches(path) for part in files_of(replace(source, path=match))[0]]
            if not found:
                raise PlanError(f"no file '{path}'")
            return _without_columns(found)
        if not path.is_dir():
            ensure_regular(path)
            return _without_columns([path])
    every = list(files_below(path))
    if source.named:
        return every, partitions(path, every)
    found = [part for part in every if FORMATS.get(suffix_of(part)) == format_]
    other = next((part for part in every if FORMATS.get(suffix_of(part), format_) != format_), None)
    if found and other is not None:
        raise PlanError(
            f"'{path}' has files of several formats: {found[0].name}, {other.name}",
            help=f"name those that are meant by a pattern: '{path}/*{suffix_of(found[0])}'",
        )
    found = found or every
    return found, partitions(path, found)


def _without_columns(files: list[Path]) -> tuple[list[Path], Partitions]:
    return files, Partitions((), tuple(() for _ in files))


#: The formats whose files have a schema.
SCHEMAS = ("parquet", "orc", "arrow")
#: The formats that Spark alone reads.
SPARK_ONLY = ("avro", "xml")


def file_type(source: File) -> t.Type:
    """The type of a file's content as far as the file itself says it: Parquet and ORC have a schema. A column that not
    all files have, or that has another type in some, has any type."""
    if source.format in SCHEMAS:
        found = [arrow_type(schema) for schema in file_schemas(source)]
        return t.Bag(found[0] if len(found) == 1 else _merged(found))
    if source.format in DEFAULTS:
        files, folders = files_of(source)
        return t.Bag(_in_folders(csv_types(source.csv, files), folders))
    if source.format in SPARK_ONLY:
        return t.Bag(t.STRUCT)
    if source.schema is not None:
        return t.Bag(row_type(source.schema.columns, files_of(source)[1]))
    return t.Bag(t.STRING) if source.format == "text" else t.BAG


def _in_folders(row: t.Type, folders: Partitions) -> t.Type:
    """The columns of files, and behind them those that their folders are."""
    if not folders.columns or not isinstance(row, t.Struct) or row.open:
        return t.STRUCT if folders.columns else row
    hidden = {name.lower() for name, _ in folders.columns}
    own = [one for one in row.fields if (one.name or "").lower() not in hidden]
    return row.replace(fields=(*own, *folders.fields))


def _merged(found: list[t.Struct]) -> t.Struct:
    fields = [{one.name or "": t.absent(one.type, nullable=True) for one in struct.fields} for struct in found]
    merged = []
    for name in dict.fromkeys(name for one in fields for name in one):
        types = {one.get(name) for one in fields}
        only = next(iter(types)) if len(types) == 1 else None
        merged.append(t.Field(name, t.ANY if only is None else only))
    return t.Struct(tuple(merged), open=False)


def file_schemas(source: File) -> dict[Any, list[Path]]:
    """The schemas of files of Parquet or ORC, as Arrow has them, behind their own columns those that their folders are;
    and the files of each."""
    import pyarrow as pa

    files, folders = files_of(source)
    if not files:
        raise PlanError(f"no file in '{source.path}'")
    found: dict[Any, list[Path]] = {}
    for path in files:
        own = _own(arrow_schema(source.format, path), folders)
        found.setdefault(pa.schema([*own, *_folder_fields(folders)]), []).append(path)
    return found


def _own(schema: Any, folders: Partitions) -> list[Any]:
    """The columns of files that are not those of folders, too."""
    names = {name.lower() for name, _ in folders.columns}
    return [field for field in schema if field.name.lower() not in names]


def _folder_fields(folders: Partitions) -> list[Any]:
    import pyarrow as pa

    types = {t.INT64: pa.int64(), t.DATE: pa.date32(), t.STRING: pa.string()}
    return [pa.field(name, types[t.proper(type_)]) for name, type_ in folders.columns]


def read_arrow(source: File, some: Sequence[Path]) -> Any:
    """Files of one schema as an Arrow table: for what an engine cannot read itself."""
    import pyarrow as pa

    files, folders = files_of(source)
    found = []
    for path in some:
        table = pa.Table.from_batches(list(arrow_batches(source.format, Part(path))), arrow_schema(source.format, path))
        found.append(beside_folders(table, folders, files.index(path)))
    return pa.concat_tables(found)


def beside_folders(table: Any, folders: Partitions, nth: int) -> Any:
    """The Arrow table of a file with the columns that its folders are, in place of its own of these names."""
    import pyarrow as pa

    table = table.select([field.name for field in _own(table.schema, folders)])
    for field, (_, value) in zip(_folder_fields(folders), folders.pairs(nth), strict=True):
        table = table.append_column(field, pa.array([value] * table.num_rows, field.type))
    return table


def read_file(source: File, *, skip: bool = False, touched: PathTree = WHOLE) -> Iterator[values.Value]:
    """The records of a file, as values, with at least what is touched of them. With `skip`, lines that are not JSON are
    left out, and counted in a warning."""
    bad = 0
    for item in records(source, touched):
        if not isinstance(item, EvaluationError):
            yield item
        elif not skip:
            raise item
        else:
            bad += 1
    if bad:
        warn_skipped(source.path, bad)


def records(source: File, touched: PathTree = WHOLE) -> Iterator[values.Value | EvaluationError]:
    """The records of a file, as values, or the errors that they are; of each record, at least what is touched."""
    files, folders = files_of(source)
    if source.format in DEFAULTS:
        rows = csv_rows(source.csv, files, touched)
        yield from (with_columns(row, folders.pairs(nth), files[nth]) for nth, row in rows)
        return
    if source.format in SPARK_ONLY:
        raise UnsupportedError(
            f"'{source.path}': files of the format '{source.format}' are read by Spark only",
            help='connect with engine="spark"',
        )
    if source.format in SCHEMAS:
        yield from _arrow_records(source, files, folders, touched)
        return
    for nth, part in enumerate(files):
        yield from part_records(source, part, folders.pairs(nth), touched)


def part_records(
    source: File, path: Path, pairs: list[tuple[str, values.Value]], touched: PathTree = WHOLE
) -> Iterator[values.Value | EvaluationError]:
    """The records of one file of a table, with the columns that its folders are."""
    if source.format == "json":  # what is held to a schema is read whole
        found = json_records(path, source.unpacking, touched if source.schema is None else WHOLE)
    else:
        found = _READERS[source.format](path, source.unpacking)
    if source.schema is not None:
        found = fit_records(found, source.schema.columns, path)
    yield from (with_columns(item, pairs, path) for item in found) if pairs else found


def _ion_records(path: Path, unpacking: Unpacking) -> Iterator[values.Value]:
    with reading(path), open_unpacked(path, unpacking) as file:
        from firesteel.ion import iter_values  # late: it needs `amazon.ion`

        yield from iter_values(file, str(path))


def has_positions(source: Any) -> bool:
    """Are records of these files identified by their file and their row in it?"""
    return isinstance(source, File) and FORMAT_TABLE[source.format].record_id == POSITION


def positions(source: File) -> Iterator[values.Value]:
    """The identifier of each record: its file and its row in it."""
    for path in files_of(source)[0]:
        place = os.path.realpath(path)
        for row in range(sum(row_counts(path, canonical=False))):
            yield values.Struct({"file": place, "row": row})


def _text_records(path: Path, unpacking: Unpacking) -> Iterator[values.Value]:
    with reading(path), open_unpacked(path, unpacking) as file:
        for number, line in enumerate(split_lines(file)):
            yield line.decode("utf-8" if number else "utf-8-sig")


#: The readers of files whose records have no columns, besides that of JSON.
_READERS: dict[str, Callable[[Path, Unpacking], Iterator[values.Value | EvaluationError]]] = {
    "ion": _ion_records,
    "text": _text_records,
}


def _arrow_records(source: File, files: list[Path], folders: Partitions, touched: PathTree) -> Iterator[values.Value]:
    for nth, path in enumerate(files):
        pairs = folders.pairs(nth)
        for batch in arrow_batches(source.format, Part(path)):
            for row in arrow_rows(touched_columns(batch, touched)):
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
