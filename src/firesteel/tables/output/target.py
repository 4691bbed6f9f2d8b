"""Where an answer is written to: a file or a folder of files, by which fields of the rows its path is made, and what is
done with what is there already."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.tables.folders import NULL
from firesteel.tables.formats import FORMATS
from firesteel.tables.opening import COMPRESSED, path_of

MODES = ("error", "append", "overwrite", "ignore")
#: How files of each format may be compressed: the name that a user gives, and the one of the library that writes them.
CODECS: dict[str, dict[str, str]] = {
    "parquet": {name: name for name in ("none", "snappy", "gzip", "zstd", "lz4", "brotli")},
    "orc": {"none": "uncompressed", **{name: name for name in ("snappy", "zlib", "zstd", "lz4")}},
    "arrow": {"none": "", "lz4": "lz4", "zstd": "zstd"},
    **{format_: {"none": "", "gzip": ".gz", "bzip2": ".bz2"} for format_ in ("csv", "json", "ion")},
}
#: The suffixes of files that can be written.
SUFFIXES = {suffix: name for suffix, name in FORMATS.items() if name in CODECS}
_FIELD = re.compile(r"\{([^{}]*)\}")
#: What a name of a file cannot have, or what would mean something else there: as Spark escapes it.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{}\[\]^]|^[._]")


@dataclass(frozen=True)
class Output:
    """A write: the path, whose `{name}` are fields of the rows if `fields` has them; columns that become folders
    `name=value`; the column that tells when a new file begins (the rotation indicator); the columns that are written
    (all, unless there is a mask); and the rows that a file may have."""

    path: Path
    format: str
    mode: str = "overwrite"
    partition_by: tuple[str, ...] = ()
    compression: str | None = None
    rotate_by: str | None = None
    fields: tuple[str, ...] = ()
    mask: tuple[str, ...] | None = None
    rows_per_file: int | None = None

    @property
    def streamed(self) -> bool:
        """Do the rows go to their files one after the other? Spark's own writers cannot do that."""
        return bool(self.fields or self.rotate_by is not None)

    @property
    def many(self) -> bool:
        """Are there several files, in a folder?"""
        return self.streamed or bool(self.partition_by) or self.rows_per_file is not None

    @property
    def folder(self) -> Path:
        """What is replaced as a whole: the target, or the folder before the first field in its path."""
        if not self.fields:
            return self.path
        parts = self.path.parts
        first = next(i for i, part in enumerate(parts) if _used(part, self.fields))
        if first == 0:
            raise PlanError(
                f"the path '{self.path}' begins with a field", help="write to a folder: 'out/{country}.parquet'"
            )
        return Path(*parts[:first])

    @property
    def suffix(self) -> str:
        """The suffix of a file that the path does not name."""
        packed = CODECS[self.format][self.compression or "none"] if self.packed else ""
        known = self.path.suffix.lower()
        return (known if SUFFIXES.get(known) == self.format else _SUFFIX[self.format]) + packed

    @property
    def packed(self) -> bool:
        """Is the file compressed as a whole?"""
        return self.format in ("csv", "json", "ion") and self.compression not in (None, "none")

    def below(self, row: values.Value, number: int = 0) -> str:
        """The path of the file for a row, from the folder on; `number` is how many files there were before."""
        if self.partition_by:
            named = [f"{escaped(name)}={shown(_field(row, name), name)}" for name in self.partition_by]
            return os.path.join(*named, f"part-00000{self.suffix}")
        if not self.fields:
            return f"part-{number:05}{self.suffix}"
        text = str(self.path.relative_to(self.folder))
        return _FIELD.sub(lambda m: self._shown(row, m[1]) if m[1] in self.fields else m[0], text)

    def _shown(self, row: values.Value, name: str) -> str:
        """A field in the path. NULL is escaped, too: readers skip files whose names begin with a low line."""
        found = shown(_field(row, name), name)
        return escaped(found) if found == NULL else found


_SUFFIX = {"parquet": ".parquet", "orc": ".orc", "csv": ".csv", "json": ".jsonl", "ion": ".ion", "arrow": ".arrow"}


def output_of(
    given: str | os.PathLike[str],
    format_: str | None,
    known: Sequence[str],
    *,
    mode: str = "overwrite",
    partition_by: str | Sequence[str] = (),
    compression: str | None = None,
    rotate_by: str | None = None,
    columns: Sequence[str] | None = None,
    rows_per_file: int | None = None,
) -> Output:
    """A write as a user asks for it, checked. `known` are the columns of the answer, as far as its plan knows them:
    `{name}` in the path is a field if it is one of them."""
    path = path_of(given)
    if mode not in MODES:
        raise UnsupportedError(f"no mode '{mode}' of writing", help=f"the modes are {', '.join(MODES)}")
    if rows_per_file is not None and (type(rows_per_file) is not int or rows_per_file < 1):
        raise UnsupportedError(f"rows_per_file={rows_per_file!r}", help="a file has a whole number of rows, 1 or more")
    parts = (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)
    fields = tuple(dict.fromkeys(name for name in _FIELD.findall(str(path)) if name in known))
    if fields and parts:
        raise UnsupportedError(
            "a path with fields, and partition_by: write the folders into the path, or only the names"
        )
    mask = None if columns is None else tuple(columns)
    asked = [*parts, *(mask or ()), *([] if rotate_by is None else [rotate_by])]
    unknown = next((name for name in asked if known and name not in known), None)
    if unknown is not None:
        raise PlanError(f"the answer has no column '{unknown}'", help=f"its columns are {', '.join(known)}")
    found = output_format(path, format_)
    if compression is None and path.suffix.lower() in COMPRESSED:
        compression = next(name for name, suffix in CODECS["json"].items() if suffix == path.suffix.lower())
    if compression is not None and compression not in CODECS[found]:
        raise UnsupportedError(
            f"{found} compressed by '{compression}'", help=f"it may be one of {', '.join(CODECS[found])}"
        )
    made = Output(path, found, mode, parts, compression, rotate_by, fields, mask, rows_per_file)
    packed = CODECS[found][compression or "none"] if made.packed else ""
    if packed and (fields or not made.many) and path.suffix.lower() != packed:
        raise PlanError(f"'{path}' would be compressed, and its name does not say so", help=f"name it '{path}{packed}'")
    assert made.folder is not None  # a path that begins with a field is refused before anything is computed
    return made


def output_format(path: Path, format_: str | None) -> str:
    """The format to write: the one asked for, else what the suffix says."""
    suffix = path.suffix.lower()
    if suffix in COMPRESSED:
        suffix = Path(path.stem).suffix.lower()
    found = format_ or SUFFIXES.get(suffix)
    if found not in CODECS:
        known = ", ".join(SUFFIXES)
        raise UnsupportedError(f"cannot tell the format to write '{path}' in", help=f"known suffixes: {known}")
    return found


def _used(part: str, fields: Sequence[str]) -> bool:
    return any(name in fields for name in _FIELD.findall(part))


def _field(row: values.Value, name: str) -> values.Value:
    return row.get(name) if isinstance(row, values.Struct) else values.MISSING


def shown(value: values.Value, name: str) -> str:
    """A value as a part of a path, as Spark writes it: what a name cannot have is escaped (`%2F` for a slash)."""
    match value:
        case None | values.Missing():
            return NULL
        case bool():
            return "true" if value else "false"
        case int() | Decimal() | float() | str():
            text = str(value)
        case datetime.date():
            text = value.isoformat()
        case _:
            raise EvaluationError(
                f"column '{name}': a path cannot have a {t.type_of(value)} in it", help="cast it to text in the query"
            )
    return escaped(text) or NULL


def escaped(text: str) -> str:
    """The text without signs that mean something in a path."""
    return _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", text)


def matches_below(output: Output, path: str) -> bool:
    """May a file of this path, from the folder on, come from a write of this output?"""
    if not output.fields:
        return True
    text = str(output.path.relative_to(output.folder))
    stem, suffix = os.path.splitext(text)
    pattern = "".join(
        "[^/]*" if i % 2 and part in output.fields else re.escape(f"{{{part}}}" if i % 2 else part)
        for i, part in enumerate(_FIELD.split(stem))
    )
    return re.fullmatch(rf"{pattern}(-[0-9]+)?{re.escape(suffix)}", path) is not None


def columns_written(columns: t.Struct, output: Output) -> t.Struct:
    """The columns of the files: without those that are folders, and those that the mask leaves out."""
    names = [field.name for field in columns.fields] if output.mask is None else list(output.mask)
    by_name: dict[Any, t.Field] = {field.name: field for field in columns.fields}
    kept = [by_name[name] for name in names if name in by_name and name not in output.partition_by]
    if not kept:
        raise PlanError("no column is left to write")
    return columns.replace(fields=tuple(kept))
