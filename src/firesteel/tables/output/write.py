"""Rows brought to their files. All files of a write are there when it ends, or what was there before is.

A write of one file replaces that file. A write of several replaces the folder that they are in; to add to a folder is
to make a new one with the old files, as links, and the new ones, and to swap the two.
"""

from __future__ import annotations

import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.tables.arrow.columns import to_arrow
from firesteel.tables.arrow.rows import arrow_rows, arrow_type
from firesteel.tables.files import File, file_schemas, files_of, read_arrow
from firesteel.tables.folders import files_below
from firesteel.tables.opening import ensure_regular, writing
from firesteel.tables.output.target import Output, columns_written, matches_below
from firesteel.tables.output.writers import Writer, open_writer
from firesteel.tables.staging import present, staged
from firesteel.tables.text.csv_files import csv_names
from firesteel.tables.typed.fit import fit_rows
from firesteel.values import Struct, Value

#: How many files are written at a time, and how many rows are kept for each until they are written.
OPEN_FILES, PORTION = 64, 1_000


def wanted(output: Output) -> bool:
    """Is anything to be written? An error, if there is something at the target, and the mode does not allow that."""
    if output.mode in ("error", "ignore") and present(output.folder):
        if output.mode == "error":
            raise PlanError(
                f"'{output.folder}' is there already", help="mode='append', 'overwrite' or 'ignore' says what to do"
            )
        return False
    return True


@contextmanager
def staged_folder(output: Output, *, private: bool = True) -> Iterator[Path]:
    """An empty folder to write to: its content is at the target when the block ends, beside what was there before, if
    rows are added."""
    target = output.folder
    with writing(target):
        if output.mode == "append" and present(target) and not target.is_dir():
            raise UnsupportedError(f"adding a folder of files to '{target}', which is a file", help="name a folder")
        if output.mode == "overwrite":
            _ensure_own(output)
    with staged(target, private=private) as new:
        if output.mode != "append" or not target.is_dir():
            yield new
            return
        added = new.with_name("added")
        yield added
        _link_tree(target, new)
        _merge(added, new)


def _ensure_own(output: Output) -> None:
    """Refuse to replace a folder with files that no write to this path has made."""
    folder = output.folder
    if not output.fields or not present(folder) or not folder.is_dir():
        return
    other = next((p for p in files_below(folder) if not matches_below(output, str(p.relative_to(folder)))), None)
    if other is not None:
        raise PlanError(
            f"'{folder}' is replaced as a whole, and '{other.relative_to(folder)}' in it is no file of '{output.path}'",
            help="write to a folder of its own, or add to this one with mode='append'",
        )


def _link_tree(source: Path, target: Path) -> None:
    """The files of a folder in another one: as links, or copied where the file system has none."""

    def copy(old: str, new: str) -> str:
        try:
            os.link(old, new)
        except OSError:
            shutil.copy2(old, new)
        return new

    shutil.copytree(source, target, copy_function=copy)


def _merge(added: Path, folder: Path) -> None:
    """Move new files into a folder. A name that is taken gets a number."""
    for path in sorted(added.rglob("*")):
        if path.is_file():
            place = folder / path.relative_to(added)
            place.parent.mkdir(parents=True, exist_ok=True)
            if not path.name.startswith((".", "_")) or not place.exists():
                path.rename(_free(place, lambda name: name.exists()))


def _free(path: Path, taken: Callable[[Path], bool]) -> Path:
    number, found = 0, path
    while taken(found):
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Rows


def write_rows(rows: Iterable[Value], known: t.Type, output: Output, columns: t.Struct | None) -> None:
    """Write rows one after the other. Without columns they are JSON or Ion, each as it is. `known` is the type of a row
    by its plan."""
    if not wanted(output):
        return
    path = output.folder
    if output.many or (output.mode == "append" and path.is_dir()):
        with staged_folder(output) as new, writing(output.path):
            _write_many(_typed(rows, known, columns), new, output, columns)
        return
    _ensure_file(path)
    with staged(path) as new:
        if output.mode == "append" and path.exists():
            _append(rows, known, new, output, columns)
        else:
            _write_one(_typed(rows, known, columns), new, output, columns)


def _ensure_file(path: Path) -> None:
    with writing(path):
        if path.is_dir():
            raise UnsupportedError(f"'{path}' is a directory", help="name a file")
        if path.exists():
            ensure_regular(path)


def write_parquet(value: Value, type_: t.Type, output: Output) -> None:
    """Write an answer as Parquet with the columns that its plan says, or else those that its values need. Values of
    several types in one column are refused: Parquet has no unions."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    _ensure_file(output.path)
    with staged(output.path) as new:
        try:
            table = to_arrow(value, type_)
            with new.open("wb") as out:
                pq.write_table(table, out)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UnsupportedError(
                f"Parquet cannot hold this: {error}",
                help='values of several types go to JSON or Ion, or with schema="infer" to columns of JSON text',
            ) from error


def _typed(rows: Iterable[Value], known: t.Type, columns: t.Struct | None) -> Iterator[Value]:
    if columns is None:
        return iter(rows)
    names = [field.name or "" for field in columns.fields]
    return (Struct(list(zip(names, row, strict=True))) for row in fit_rows(rows, known, columns))


def _written(rows: Iterable[Value], output: Output) -> Iterator[Value]:
    """The rows with the columns that are written."""
    if output.mask is None and not output.partition_by:
        return iter(rows)
    return (_masked(row, output) for row in rows)


def _masked(row: Value, output: Output) -> Value:
    if not isinstance(row, Struct):
        return row
    if output.mask is not None:
        by_name = dict(row.pairs)
        pairs = [(name, by_name[name]) for name in output.mask if name in by_name]
    else:
        pairs = list(row.pairs)
    return Struct([pair for pair in pairs if pair[0] not in output.partition_by])


def _write_one(
    rows: Iterable[Value], path: Path, output: Output, columns: t.Struct | None, *, header: bool = True
) -> None:
    writer = open_writer(path, output, _of_files(columns, output), header=header)
    try:
        left = _written(rows, output)
        while portion := list(islice(left, PORTION)):
            writer.write(portion)
    finally:
        writer.close()


def _of_files(columns: t.Struct | None, output: Output) -> t.Struct | None:
    return None if columns is None else columns_written(columns, output)


def _write_many(rows: Iterable[Value], folder: Path, output: Output, columns: t.Struct | None) -> None:
    """Rows to the files that their fields name. With a rotation indicator there is one file at a time: a new one begins
    where the indicator is not 0, and the fields of that row name it."""
    folder.mkdir(parents=True)
    with ExitStack() as held:
        files = _Files(folder, output, _of_files(columns, output))
        held.callback(files.close)
        by_row = output.rotate_by is None and bool(output.fields or output.partition_by)
        current: str | None = None
        for row in rows:
            if by_row:
                current = output.below(row)
            elif current is None or not files.goes_on(current) or _rotates(row, output.rotate_by):
                files.close()
                current = output.below(row, files.made)
            files.put(current, _masked(row, output))
        if current is None and not output.fields and not output.partition_by:
            files.put(output.below(values.MISSING))  # a folder without a file would be no table


def _rotates(row: Value, name: str | None) -> bool:
    found = row.get(name) if isinstance(row, Struct) and name is not None else values.MISSING
    if values.absent(found):
        return False
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise EvaluationError(f"column '{name}': a rotation indicator is an integer, not {found!r}")
    return found != 0


class _Files:
    """The files of a folder that are being written, by their paths. The one that was used longest ago is closed when
    there are too many; if it is needed again, another file with a number goes on for it."""

    def __init__(self, folder: Path, output: Output, columns: t.Struct | None) -> None:
        self._folder, self._output, self._columns = folder, output, columns
        self._open: OrderedDict[str, tuple[Writer, list[Value]]] = OrderedDict()
        self._rows: dict[str, int] = {}
        self._made: set[Path] = set()

    @property
    def made(self) -> int:
        """How many files there are."""
        return len(self._made)

    def goes_on(self, path: str) -> bool:
        """Is there room for another row in the file?"""
        return self._output.rows_per_file is None or self._rows.get(path, 0) < self._output.rows_per_file

    def put(self, path: str, *rows: Value) -> None:
        if not self.goes_on(path):
            self._close(path)
        if path not in self._open:
            if len(self._open) >= OPEN_FILES:
                self._close(next(iter(self._open)))
            place = _free(self._folder / path, self._made.__contains__)
            self._made.add(place)
            place.parent.mkdir(parents=True, exist_ok=True)
            self._open[path] = (open_writer(place, self._output, self._columns), [])
        self._open.move_to_end(path)
        writer, waiting = self._open[path]
        waiting.extend(rows)
        self._rows[path] = self._rows.get(path, 0) + len(rows)
        if len(waiting) >= PORTION:
            writer.write(waiting)
            waiting.clear()

    def _close(self, path: str) -> None:
        writer, waiting = self._open.pop(path)
        del self._rows[path]
        try:
            writer.write(waiting)
        finally:
            writer.close()

    def close(self) -> None:
        for path in list(self._open):
            self._close(path)


# ---------------------------------------------------------------------------------------------------------------------
# Rows added to what is there


def existing_columns(output: Output) -> t.Struct | None:
    """The columns of the table that rows are added to: what is added has to fit them. None if there is none, or if its
    files have no schema."""
    target = output.folder
    if output.mode != "append" or output.format not in ("parquet", "orc", "arrow") or not present(target):
        return None
    source = File(target, output.format)
    return _loosened(next(iter(file_schemas(source)))) if files_of(source)[0] else None


def _append(rows: Iterable[Value], known: t.Type, new: Path, output: Output, columns: t.Struct | None) -> None:
    """The file with rows behind its own. Lines are added to text; a table is written anew, and its columns decide."""
    path = output.path
    if columns is None:
        shutil.copyfile(path, new)
        _write_one(rows, new, output, None)
        return
    source = File(path, output.format)
    if output.format == "csv":
        names = list(csv_names(path, source.csv))
        if names != [field.name for field in columns.fields]:
            raise PlanError(f"'{path}' has other columns than the answer: {', '.join(names)}")
        shutil.copyfile(path, new)
        _write_one(_typed(rows, known, columns), new, output, columns, header=False)
        return
    old = read_arrow(source, [path])
    kept = _loosened(old.schema)
    before = (row for batch in old.to_batches() for row in arrow_rows(batch))
    both = (row for part in (_typed(before, t.ANY, kept), _typed(rows, known, kept)) for row in part)
    _write_one(both, new, output, kept)


def _loosened(schema: Any) -> t.Struct:
    """The columns of a schema of Arrow's, all of them nullable."""
    type_ = arrow_type(schema)
    return type_.replace(fields=tuple(t.Field(f.name, t.absent(f.type, nullable=True)) for f in type_.fields))
