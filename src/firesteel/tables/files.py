"""Files as tables: which format, which type, which records; and values written to files, all or nothing."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.ion import dumps, iter_values
from firesteel.tables.arrow import arrow_rows, arrow_type, plain, to_arrow


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


def file(path: str | Path) -> File:
    """A file whose suffix says its format; a directory's format is that of the files in it."""
    path = Path(path)
    if not path.exists():
        raise PlanError(f"no file '{path}'")
    probe = path
    if path.is_dir() and path.suffix not in FORMATS:
        inside = (p for p in sorted(path.iterdir()) if p.suffix in FORMATS)
        probe = next(inside, path)
    format_ = FORMATS.get(probe.suffix.lower())
    if format_ is None:
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format of '{path}'", help=f"the suffixes that are known: {known}")
    return File(path, format_)


def file_type(source: File) -> t.Type:
    """The type of a file's content as far as the file itself says it: Parquet and ORC have a schema."""
    if source.format in ("parquet", "orc"):
        return t.Bag(arrow_type(_dataset(source).schema))
    if source.format == "csv":
        return t.Bag(t.STRUCT)
    return t.BAG


def _dataset(source: File) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        return ds.dataset(source.path, format=source.format)
    except (pa.ArrowInvalid, OSError) as error:
        raise PlanError(f"'{source.path}' is not {source.format}: {error}") from error


def read_file(path: Path, format_: str) -> Iterator[values.Value]:
    """The records of a file, as values."""
    if format_ in ("parquet", "orc", "csv"):
        for batch in _dataset(File(path, format_)).to_batches():
            yield from arrow_rows(batch)
        return
    parts = sorted(p for p in path.iterdir() if p.suffix in FORMATS) if path.is_dir() else [path]
    for part in parts:
        yield from iter_values(part) if format_ == "ion" else _json_lines(part)


def _number(text: str) -> Decimal | float:
    """A JSON number with a point is a decimal, as PartiQL's are; one with an exponent is a float."""
    return float(text) if "e" in text.lower() else Decimal(text)


def _json_lines(path: Path) -> Iterator[values.Value]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield values.from_python(json.loads(line, object_pairs_hook=values.Struct, parse_float=_number))
            except (ValueError, RecursionError) as error:
                raise EvaluationError(f"{path}:{number}: not JSON: {error}") from error


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def format_of(path: Path, format_: str | None) -> str:
    """The format to write: the one asked for, else what the suffix says."""
    found = format_ or FORMATS.get(path.suffix.lower())
    if found not in set(FORMATS.values()):
        known = ", ".join(FORMATS)
        raise UnsupportedError(f"cannot tell the format to write '{path}' in", help=f"known suffixes: {known}")
    return found


def write_file(value: values.Value, path: Path, format_: str | None = None) -> None:
    """Write a value to a file. It is written beside the target and moved over it when it is whole."""
    format_ = format_of(path, format_)
    if path.is_dir():
        raise UnsupportedError(f"'{path}' is a directory", help="name a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, staged = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        _WRITERS[format_](value, staged)
        os.replace(staged, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(staged)


def _records(value: values.Value) -> list[values.Value]:
    items = values.items(value) if isinstance(value, list | values.Bag) else None
    return [value] if items is None else items


def _write_parquet(value: values.Value, path: str) -> None:
    import pyarrow.parquet as pq

    pq.write_table(to_arrow(value), path)


def _write_orc(value: values.Value, path: str) -> None:
    import pyarrow.orc as orc

    orc.write_table(to_arrow(value), path)


def _write_csv(value: values.Value, path: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as csv

    try:
        csv.write_csv(to_arrow(value), path)
    except pa.ArrowInvalid as error:
        raise UnsupportedError(f"CSV cannot hold this: {error}", help="write Parquet, JSON or Ion") from error


def _write_json(value: values.Value, path: str) -> None:
    with open(path, "w", encoding="utf-8") as out:
        for record in _records(value):
            out.write(json.dumps(plain(record), default=_json_scalar, ensure_ascii=False) + "\n")


def _json_scalar(item: Any) -> Any:
    if isinstance(item, bytes):
        raise UnsupportedError("JSON has no octets", help="write Ion or Parquet")
    return item.isoformat() if hasattr(item, "isoformat") else str(item)


def _write_ion(value: values.Value, path: str) -> None:
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(dumps(record) + "\n" for record in _records(value))


_WRITERS = {
    "parquet": _write_parquet,
    "orc": _write_orc,
    "csv": _write_csv,
    "json": _write_json,
    "ion": _write_ion,
}
