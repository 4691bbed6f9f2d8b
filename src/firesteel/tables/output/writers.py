"""Files of each format, written row by row: a writer takes rows in portions, so that no file has to be in memory."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.ion import dumps, from_value, write
from firesteel.tables.arrow.arrays import Unfit, array_of
from firesteel.tables.json_files import json_text
from firesteel.tables.output.target import CODECS, Output
from firesteel.tables.typed.arrow_types import arrow_schema


class Writer(Protocol):
    """A file that is being written."""

    def write(self, rows: Sequence[values.Value]) -> None: ...
    def close(self) -> None: ...


def open_writer(path: Path, output: Output, columns: t.Struct | None, *, header: bool = True) -> Writer:
    """A writer of rows that are structs of these columns. JSON and Ion need no columns."""
    if output.format in ("json", "ion"):
        return _Records(path, output)
    assert columns is not None
    return _Table(path, output, arrow_schema(columns), header)


def _packed(path: Path, output: Output, held: ExitStack) -> BinaryIO:
    """The file, open; what is written to it is compressed if that is asked for."""
    out: Any = held.enter_context(path.open("ab"))
    if output.packed:
        packing: Any = gzip if output.compression == "gzip" else bz2
        out = held.enter_context(packing.open(out, "wb"))
    found: BinaryIO = out
    return found


class _Records:
    """One value after the other: JSON lines, or Ion. A second stream of Ion may follow the first in a file."""

    def __init__(self, path: Path, output: Output) -> None:
        self._held = ExitStack()
        self._out = _packed(path, output, self._held)
        binary = output.format == "ion" and ".10n" in (suffix.lower() for suffix in output.path.suffixes[-2:])
        self._encode: Callable[[Sequence[values.Value]], bytes] = (
            _binary_ion if binary else _ion_lines if output.format == "ion" else _json_lines
        )

    def write(self, rows: Sequence[values.Value]) -> None:
        self._out.write(self._encode(rows))

    def close(self) -> None:
        self._held.close()


def _json_lines(rows: Sequence[values.Value]) -> bytes:
    return "".join(json_text(row) + "\n" for row in rows).encode()


def _ion_lines(rows: Sequence[values.Value]) -> bytes:
    return "".join(str(dumps(row)) + "\n" for row in rows).encode()


def _binary_ion(rows: Sequence[values.Value]) -> bytes:
    return bytes(write([from_value(row) for row in rows], binary=True)) if rows else b""


class _Table:
    """A table of Arrow's, in one of the formats that Arrow writes."""

    def __init__(self, path: Path, output: Output, schema: Any, header: bool) -> None:
        self._schema = schema
        self._held = ExitStack()
        self._out = self._held.enter_context(_OPEN[output.format](path, output, schema, header, self._held))

    def write(self, rows: Sequence[values.Value]) -> None:
        import pyarrow as pa

        arrays = []
        for field in self._schema:
            try:
                arrays.append(array_of([_get(row, field.name) for row in rows], field.type))
            except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError) as error:
                raise EvaluationError(f"column '{field.name}': a value does not fit {field.type}: {error}") from error
        if arrays:
            self._out.write(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        self._held.close()


def _get(row: values.Value, name: str) -> values.Value:
    if isinstance(row, values.Struct):
        return row.get(name)
    return row if name == "_1" else None


def _parquet(path: Path, output: Output, schema: Any, _: bool, held: ExitStack) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetWriter(_open(path, held), schema, compression=_codec(output) or "snappy")


def _orc(path: Path, output: Output, _: Any, __: bool, held: ExitStack) -> Any:
    import pyarrow.orc as orc

    file = held.enter_context(_RaisingLate(_open(path, held)))
    return orc.ORCWriter(file, compression=_codec(output) or "uncompressed")


class _RaisingLate(io.RawIOBase):
    """A file that raises what goes wrong when it is closed. Arrow's writer of ORC ends the process if writing raises
    an exception (a full disk)."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._error: OSError | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._at += size
        if self._error is None:
            try:
                self._file.write(data)
            except OSError as error:
                self._error = error
        return size

    def close(self) -> None:
        super().close()
        error, self._error = self._error, None
        if error is not None:
            raise error


def _csv(path: Path, output: Output, schema: Any, header: bool, held: ExitStack) -> Any:
    import pyarrow.csv as csv

    options = csv.WriteOptions(include_header=header)
    return csv.CSVWriter(_packed(path, output, held), schema, write_options=options)


def _arrow(path: Path, output: Output, schema: Any, _: bool, held: ExitStack) -> Any:
    import pyarrow as pa

    return pa.ipc.new_file(
        _open(path, held), schema, options=pa.ipc.IpcWriteOptions(compression=_codec(output) or None)
    )


def _open(path: Path, held: ExitStack) -> BinaryIO:
    return held.enter_context(path.open("wb"))


def _codec(output: Output) -> str | None:
    return None if output.compression is None else CODECS[output.format][output.compression]


_OPEN: dict[str, Callable[[Path, Output, Any, bool, ExitStack], Any]] = {
    "parquet": _parquet,
    "orc": _orc,
    "csv": _csv,
    "arrow": _arrow,
}
