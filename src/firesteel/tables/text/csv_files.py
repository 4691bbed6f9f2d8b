"""Registered files of delimited text: CSV and TSV, with a header or without, cells as text or with types.

Both engines read them by these rules. A line break inside quotes is part of the cell. If no line of a file has an odd
number of quotes there is none, and Spark can split the file. Columns are named by the header of each file, so that
files of one table may have their columns in another order, or lack some. Types are inferred from all files of a table.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.tables.arrow.rows import arrow_rows, touched_columns
from firesteel.tables.opening import open_unpacked, reading
from firesteel.tables.text.cells import TEXT, CellType, arrow_cells, columns_of, inferred
from firesteel.tables.text.delimited import Delimited, Malformed, ends_plainly, parse_rows
from firesteel.tables.touched import WHOLE, PathTree

#: The encodings of CSV files, by the names that Python and Spark both know.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "latin-1": "iso-8859-1",
    "latin1": "iso-8859-1",
    "iso-8859-1": "iso-8859-1",
}

#: What a user may say of delimited text.
OPTIONS = {
    "delimiter": "the sign between cells, `,` or for TSV `\\t`",
    "quote": 'the sign around cells, `"`; empty: no cell is quoted',
    "escape": "the sign before a quote inside of quotes; empty: the quote is doubled",
    "header": "true: the first row has the names of the columns; false: it is data, and the columns are `_1`, `_2`",
    "names": "the names of the columns, instead of those of the header",
    "encoding": "utf-8 or latin-1",
    "null": "the text, or the list of texts, that is NULL: the empty one",
    "types": "infer, text, or a list of columns with types: `id int, price decimal(8, 2)`",
}


@dataclass(frozen=True)
class CsvOptions:
    """How the cells of files are written, and which types they have. A column that `types` does not list is text."""

    how: Delimited = field(default_factory=Delimited)
    header: bool = True
    names: tuple[str, ...] = ()
    encoding: str = "utf-8"
    nulls: tuple[str, ...] = ("",)
    types: Literal["infer", "text"] | tuple[tuple[str, CellType], ...] = "infer"

    def types_of(self, name: str) -> CellType | None:
        """The type of a column, if it is not inferred."""
        if self.types == "infer":
            return None
        return TEXT if self.types == "text" else dict(self.types).get(name, TEXT)


#: The options that files have without any: by format.
DEFAULTS = {"csv": CsvOptions(), "tsv": CsvOptions(Delimited(delimiter="\t"))}


def csv_options(format_: str, given: Mapping[str, Any]) -> CsvOptions:
    """The options that a user gives for files of the format."""
    options = DEFAULTS[format_]
    signs = [name for name in ("delimiter", "quote", "escape") if name in given]
    how: dict[str, Any] = {name: _sign(name, given[name]) for name in signs}
    made: dict[str, Any] = {"how": replace(options.how, **how)}
    if "header" in given:
        made["header"] = truth("header", given["header"])
    if "names" in given:
        made["names"] = _texts(given["names"], split=True)
        if len(set(made["names"])) < len(made["names"]):
            raise UnsupportedError(f"names that repeat: {', '.join(made['names'])}")
    if "null" in given:
        made["nulls"] = _texts(given["null"])
    if "encoding" in given:
        made["encoding"] = ENCODINGS.get(str(given["encoding"]).lower())
        if made["encoding"] is None:
            raise UnsupportedError(
                f"the encoding '{given['encoding']}'", help="text may be 'utf-8' or 'latin-1'; convert others first"
            )
    if "types" in given:
        types = given["types"]
        if isinstance(types, Mapping):
            types = ", ".join('"{}" {}'.format(str(name).replace('"', '""'), type_) for name, type_ in types.items())
        made["types"] = types if types in ("infer", "text") else columns_of(str(types))
    return replace(options, **made)


def truth(name: str, value: Any) -> bool:
    """An option that is true or false, also as text, as the command line has it."""
    found = {"true": True, "false": False}.get(str(value).lower())
    if found is None:
        raise UnsupportedError(f"the option '{name}' is true or false, not {value!r}")
    return found


def _sign(name: str, value: Any) -> str:
    sign = "\t" if value == "\\t" else value
    if not isinstance(sign, str) or len(sign) > 1 or not sign.isascii() or (name == "delimiter" and not sign):
        raise UnsupportedError(f"the option '{name}' is one sign of ASCII, not {value!r}")
    return sign


def _texts(value: Any, *, split: bool = False) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",")) if split else (value,)
    return tuple(str(one) for one in value)


# ---------------------------------------------------------------------------------------------------------------------
# Rows


@dataclass(frozen=True)
class CsvFile:
    """The rows of one file as text, under the names of its columns."""

    path: Path
    names: tuple[str, ...]
    rows: list[list[str]]


def csv_types(options: CsvOptions, files: Sequence[Path]) -> t.Type:
    """The type of the rows, as far as it is known before they are read: the names of the columns, unless files differ
    in them, and the types if they are given."""
    try:
        headers = {csv_names(path, options) for path in files} - {()}
    except FiresteelError:
        if options.types != "infer":
            raise
        return t.STRUCT  # whoever reads the rows gets the error
    if len(headers) != 1:
        return t.STRUCT
    names = headers.pop()
    if len({name.lower() for name in names}) < len(names):
        return t.STRUCT
    if options.types == "infer":
        return t.Struct(tuple(t.Field(name, t.ANY) for name in names), open=False)
    found = [(name, options.types_of(name) or TEXT) for name in names]
    return t.Struct(tuple(t.Field(name, t.absent(type_.type, nullable=True)) for name, type_ in found), open=False)


def csv_rows(
    options: CsvOptions, files: Sequence[Path], touched: PathTree = WHOLE
) -> Iterator[tuple[int, values.Value]]:
    """The rows of all files, each with the number of its file and with the columns that are touched."""
    for nth, table in enumerate(csv_tables(options, files)):
        yield from ((nth, row) for row in arrow_rows(touched_columns(table, touched)))


def csv_tables(options: CsvOptions, files: Sequence[Path]) -> Iterator[Any]:
    """Each file as an Arrow table."""
    import pyarrow as pa

    read = [_read(path, options) for path in files]
    cells = [_columns(one, options) for one in read]
    types: dict[str, CellType] = {}
    for name in dict.fromkeys(name for one in read for name in one.names):
        types[name] = options.types_of(name) or inferred(
            cell for one, columns in zip(read, cells, strict=True) if name in one.names for cell in columns[name]
        )
    for one, columns in zip(read, cells, strict=True):
        arrays = [_typed(one, name, columns[name], types[name]) for name in one.names]
        yield pa.Table.from_arrays(arrays, names=list(one.names))


def _columns(file: CsvFile, options: CsvOptions) -> dict[str, list[str | None]]:
    return {
        name: [None if row[i] in options.nulls else row[i] for row in file.rows] for i, name in enumerate(file.names)
    }


def _typed(file: CsvFile, name: str, cells: list[str | None], type_: CellType) -> Any:
    for number, cell in enumerate(cells, 1):
        if cell is not None and not type_.fits(cell):
            raise unfit(file.path, name, cell, type_, number)
    return arrow_cells(cells, type_)


def unfit(path: Path, name: str, cell: str, type_: CellType, row: int) -> EvaluationError:
    """The error for a cell that is no value of the type that was asked for."""
    return EvaluationError(
        f"'{path}': row {row}: the column '{name}' has {cell!r}, which is no {type_.type}",
        help="name the texts that are NULL with the option 'null', or ask for another type",
    )


def _read(path: Path, options: CsvOptions) -> CsvFile:
    with reading(path), open_unpacked(path, options.how.unpacking) as file:
        text = file.read().decode(_codec(options))
    multiline = spans_lines(_LINE_END.split(text), options.how)
    number = 0
    try:
        rows = []
        for row in parse_rows(text, options.how, multiline=multiline):
            rows.append(row)
            number += 1
    except Malformed as error:
        raise EvaluationError(f"'{path}': row {number + 1}: {error}") from None
    names = _names(path, rows[0] if rows else [], options)
    found = rows[1:] if options.header else rows
    for number, row in enumerate(found, 1):
        if len(row) != len(names):
            said = f"row {number} has {len(row)} cells, and the table {len(names)} columns"
            raise EvaluationError(f"'{path}': {said}", help="is the delimiter right? Is a cell not quoted?")
    return CsvFile(path, names, found)


def _codec(options: CsvOptions) -> str:
    return "utf-8-sig" if options.encoding == "utf-8" else options.encoding


def spans_lines(lines: Sequence[str], how: Delimited) -> bool:
    """May a quoted cell go over several lines? Not if every line has an even number of quotes."""
    if not how.quote:
        return False
    return how.escape not in ("", how.quote) or any(line.count(how.quote) % 2 for line in lines)


_LINE_END = re.compile("\r\n|\r|\n")
#: The bytes of a file that are read first to find its header.
_START = 1 << 16


def csv_names(path: Path, options: CsvOptions) -> tuple[str, ...]:
    """The names of the columns of a file."""
    _, first = _start(path, options)
    return _names(path, first, options)


def csv_ends_plainly(path: Path, options: CsvOptions, *, canonical: bool = False) -> bool:
    """Does the first line of the file end as its first row does?"""
    return not options.how.quote or ends_plainly(_start(path, options, canonical=canonical)[0], options.how)


def _start(path: Path, options: CsvOptions, *, canonical: bool = False) -> tuple[str, list[str]]:
    """The beginning of a file, and its first row. Only as much of it is read as is needed."""
    size = _START
    while True:
        with reading(path), open_unpacked(path, options.how.unpacking, canonical=canonical) as file:
            data = file.read(size)
            text = codecs.getincrementaldecoder(_codec(options))().decode(data, final=len(data) < size)
        whole = len(data) < size
        try:
            found = list(islice(parse_rows(text, options.how, multiline=False), 2))
            if len(found) == 2 or whole:
                return text, found[0] if found else []
        except Malformed as error:
            if whole:
                raise EvaluationError(f"'{path}': {error}") from None
        size *= 16


def _names(path: Path, first: list[str], options: CsvOptions) -> tuple[str, ...]:
    """The names of the columns, by the options and the first row of the file."""
    if options.names and first and len(first) != len(options.names):
        raise PlanError(f"'{path}' has {len(first)} columns, and {len(options.names)} names are given")
    if options.names:
        return options.names
    if not options.header:
        return tuple(f"_{i + 1}" for i in range(len(first)))
    first = [name or f"_{i + 1}" for i, name in enumerate(first)]
    repeated = next((name for name in first if first.count(name) > 1), None)
    if repeated is not None:
        raise PlanError(f"'{path}' has two columns '{repeated}'", help="give the columns other names: names=[...]")
    return tuple(first)
