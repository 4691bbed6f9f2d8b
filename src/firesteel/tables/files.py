"""Files as tables: which format, which type, which records; and values written to files, all or nothing."""

from __future__ import annotations

import bz2
import contextlib
import glob
import gzip
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.ion import dumps, iter_values
from firesteel.tables.arrow import arrow_rows, arrow_type, plain
from firesteel.tables.arrow_out import to_arrow
from firesteel.tables.timestamps import UNIT, conformed, orc_schema, parquet_schema


@dataclass(frozen=True)
class File:
    """A file, or a directory of files of one format."""

    path: Path
    format: str


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


#: What may follow such a suffix: the file is compressed, and is opened by this.
COMPRESSED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}


def suffix_of(path: Path) -> str:
    """The suffix that says the format: of `a.json.gz` it is `.json`."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def file(path: str | Path) -> File:
    """A file whose suffix says its format; a directory's, or a pattern's, is that of the files that it stands for."""
    path = Path(path)
    probe: Path | None = path
    if not path.exists():
        probe = next(iter(matches(path)), None)
    elif path.is_dir() and suffix_of(path) not in FORMATS:
        probe = next(iter(sorted(filter(_is_data, path.rglob("*")))), path)
    if probe is None:
        raise PlanError(f"no file '{path}'")
    format_ = FORMATS.get(suffix_of(probe))
    if format_ is None:
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format of '{path}'", help=f"the suffixes that are known: {known}")
    return File(path, format_)


def matches(path: Path) -> list[Path]:
    """The files that a path with `*`, `?` or `[...]` in it stands for."""
    return sorted(Path(found) for found in glob.glob(str(path), recursive=True))


def parts(path: Path) -> list[Path]:
    """The files that a path stands for: itself, those in it, those that match it."""
    if path.is_dir():
        return sorted(filter(_is_data, path.rglob("*")))
    if path.exists():
        return [path]
    found = [part for match in matches(path) for part in parts(match)]
    if not found:
        raise PlanError(f"no file '{path}'")
    return found


def _is_data(path: Path) -> bool:
    return suffix_of(path) in FORMATS and not path.name.startswith((".", "_")) and path.is_file()


def file_type(source: File) -> t.Type:
    """The type of a file's content as far as the file itself says it: Parquet and ORC have a schema."""
    if source.format in ("parquet", "orc"):
        return t.Bag(arrow_type(file_schema(source)))
    if source.format == "csv":
        return t.Bag(t.STRUCT)
    return t.BAG


def file_schema(source: File) -> Any:
    """The schema of a file of Parquet or ORC, as Arrow has it."""
    return _schema(_dataset(source), source.format)


def _schema(dataset: Any, format_: str) -> Any:
    import pyarrow.parquet as pq

    if format_ == "parquet" and dataset.files:
        with pq.ParquetFile(dataset.files[0]) as first:
            return parquet_schema(dataset.schema, first.schema)
    return orc_schema(dataset.schema) if format_ == "orc" else dataset.schema


def read_arrow(source: File) -> Any:
    """A file as an Arrow table: for what an engine cannot read itself."""
    dataset = _dataset(source)
    return conformed(dataset.to_table(), _schema(dataset, source.format), source.path)


def _dataset(source: File) -> Any:
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.dataset as ds

    format_: Any = source.format
    if format_ == "parquet":
        format_ = ds.ParquetFileFormat(coerce_int96_timestamp_unit=UNIT)
    if format_ == "csv":
        # As Spark has it: an empty cell is NULL, in quotes or not, and no word is.
        options = csv.ConvertOptions(null_values=[""], strings_can_be_null=True)
        format_ = ds.CsvFileFormat(convert_options=options)
    path: Any = source.path if source.path.exists() else [str(part) for part in parts(source.path)]
    partitioning = "hive" if source.path.is_dir() else None
    try:
        return ds.dataset(path, format=format_, partitioning=partitioning)
    except (pa.ArrowInvalid, OSError) as error:
        raise PlanError(f"'{source.path}' is not {source.format}: {error}") from error


def read_file(path: Path, format_: str, *, skip: bool = False) -> Iterator[values.Value]:
    """The records of a file, as values. With `skip`, lines that are not JSON are left out, and counted in a warning."""
    if format_ in ("parquet", "orc", "csv"):
        dataset = _dataset(File(path, format_))
        schema = _schema(dataset, format_)
        for batch in dataset.to_batches():
            yield from arrow_rows(conformed(batch, schema, path))
        return
    bad = 0
    for part in parts(path):
        if format_ == "ion":
            yield from iter_values(part)
            continue
        for item in json_lines(part):
            if not isinstance(item, EvaluationError):
                yield item
            elif not skip:
                raise item
            else:
                bad += 1
    if bad:
        warn_skipped(path, bad)


def warn_skipped(path: Path, count: int) -> None:
    """Say how many lines were left out."""
    warnings.warn(f"{path}: {count} line{'' if count == 1 else 's'} left out: not JSON", SkippedLines, stacklevel=2)


class SkippedLines(UserWarning):
    """Lines of a file were not JSON, and were left out, as was asked for."""


# ---------------------------------------------------------------------------------------------------------------------
# JSON. How its text is a value is said here, and Spark's reader agrees: of a key that repeats in one object the last
# value counts; an integer beyond 64 bits, and a number with a point, is a decimal if 38 digits are enough for it, else
# a float, as one with an exponent is.

_DIGITS = 38
_BLANK = " \t\r\n"


def _number(text: str) -> Decimal | float:
    if "e" not in text.lower():
        found = Decimal(text)
        _, digits, exponent = found.as_tuple()
        assert isinstance(exponent, int)
        if max(len(digits), -exponent) <= _DIGITS:
            return found
    return float(text)


def _integer(text: str) -> int | Decimal | float:
    found = int(text) if len(text) <= 20 else 1 << 64
    return found if -(1 << 63) <= found < 1 << 63 else _number(text)


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> values.Struct:
    return values.Struct(dict(pairs))


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_integer, parse_constant=_constant
).decode


def json_lines(path: Path) -> Iterator[values.Value | EvaluationError]:
    """The values of the lines, or the error that one is."""
    with COMPRESSED.get(path.suffix.lower(), open)(path, "rb") as lines:
        for number, line in enumerate(_split(lines), 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip(_BLANK)
                if text:
                    yield values.from_python(_decode(text))
            except (ValueError, RecursionError) as error:
                yield EvaluationError(f"{path}:{number}: not JSON: {error}")


def _split(file: Any) -> Iterator[bytes]:
    """Lines end as Spark's do: with a line feed, a carriage return, or both."""
    for line in file:
        yield from line.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\r")


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def format_of(path: Path, format_: str | None) -> str:
    """The format to write: the one asked for, else what the suffix says."""
    found = format_ or FORMATS.get(path.suffix.lower())
    if found not in set(FORMATS.values()):
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format to write '{path}' in", help=f"known suffixes: {known}")
    return found


def write_file(value: values.Value, path: Path, format_: str | None = None, type_: t.Type = t.ANY) -> None:
    """Write a value to a file, with the columns of its type. It is written beside the target and moved over it when it
    is whole."""
    format_ = format_of(path, format_)
    if path.is_dir():
        raise UnsupportedError(f"'{path}' is a directory", help="name a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, staged = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        _WRITERS[format_](value, staged, type_)
        os.replace(staged, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(staged)


def _records(value: values.Value) -> list[values.Value]:
    items = values.items(value) if isinstance(value, list | values.Bag) else None
    return [value] if items is None else items


def _write_parquet(value: values.Value, path: str, type_: t.Type) -> None:
    import pyarrow.parquet as pq

    _write_table(pq.write_table, "Parquet", value, path, type_)


def _write_orc(value: values.Value, path: str, type_: t.Type) -> None:
    import pyarrow.orc as orc

    _write_table(orc.write_table, "ORC", value, path, type_)


def _write_csv(value: values.Value, path: str, type_: t.Type) -> None:
    import pyarrow.csv as csv

    _write_table(csv.write_csv, "CSV", value, path, type_)


def _write_table(write: Callable[[Any, str], None], name: str, value: values.Value, path: str, type_: t.Type) -> None:
    import pyarrow as pa

    try:
        write(to_arrow(value, type_), path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnsupportedError(
            f"{name} cannot hold this: {error}", help="values of several types go to JSON or Ion"
        ) from error


def _write_json(value: values.Value, path: str, _: t.Type) -> None:
    with open(path, "w", encoding="utf-8") as out:
        for record in _records(value):
            try:
                text = json.dumps(plain(record), default=_json_scalar, ensure_ascii=False)
            except RecursionError:
                raise UnsupportedError("a value is nested too deep for JSON", help="write Ion") from None
            out.write(text + "\n")


def _json_scalar(item: Any) -> Any:
    if isinstance(item, bytes):
        raise UnsupportedError("JSON has no octets", help="write Ion or Parquet")
    return item.isoformat() if hasattr(item, "isoformat") else str(item)


def _write_ion(value: values.Value, path: str, _: t.Type) -> None:
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(dumps(record) + "\n" for record in _records(value))


_WRITERS = {
    "parquet": _write_parquet,
    "orc": _write_orc,
    "csv": _write_csv,
    "json": _write_json,
    "ion": _write_ion,
}
