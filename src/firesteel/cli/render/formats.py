"""The formats of answers, declared in one table, and `render`, which writes an answer in one of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import firesteel as fs
from firesteel import types as t
from firesteel.cli.render import data
from firesteel.errors import UnsupportedError
from firesteel.explain.rows import LAYOUTS, grid_of, printable


@dataclass(frozen=True)
class Format:
    """A format. One for people is `partial`: it shows the first rows only. A `binary` one is bytes, not text."""

    help: str
    write: Callable[..., Iterable[Any]]
    partial: bool = False
    binary: bool = False


def _drawn(layout: str) -> Callable[[fs.Result, int | None, int | None], Iterable[str]]:
    """Rows drawn for people. Only as many rows are asked for as are shown, and one more."""

    def lines(result: fs.Result, limit: int | None, width: int | None = None) -> Iterable[str]:
        rows = list(result.rows(None if limit is None else limit + 1))
        if len(rows) == 1 and isinstance(rows[0], str) and "\n" in rows[0] and not _is_collection(result):
            return (printable(line) + "\n" for line in rows[0].splitlines())
        grid = grid_of(rows, result.row_type, limit)
        return (line + "\n" for line in LAYOUTS[layout](grid, width))

    return lines


def _is_collection(result: fs.Result) -> bool:
    return isinstance(result.type, t.Collection)


def _people(layout: str, help_: str) -> Format:
    return Format(help_, _drawn(layout), partial=True)


#: By name, in the order in which they are listed.
FORMATS: dict[str, Format] = {
    "table": _people("table", "a plain table: a | b"),
    "box": _people("box", "a table in a frame, with the types of its columns"),
    "vertical": _people("vertical", "a line for each value"),
    "markdown": _people("markdown", "a table of Markdown"),
    "json": Format("one JSON document: an array of the rows", data.json_document),
    "jsonl": Format("JSON lines: a row on each line", data.json_lines),
    "csv": Format("comma-separated values with a header; nested values are JSON", data.csv),
    "tsv": Format("the same with tabs", data.tsv),
    "ion": Format("Ion text, as the PartiQL conformance suite writes values", data.ion),
    "ion-binary": Format("Ion binary", data.ion_binary, binary=True),
    "partiql": Format("a PartiQL expression", data.partiql),
    "parquet": Format("a Parquet file", data.parquet, binary=True),
}


def render(
    result: fs.Result,
    format: str,
    stream: Any,
    *,
    max_rows: int | None = 100,
    width: int | None = None,
    colour: bool = False,
) -> None:
    """Write an answer to a text stream in a format of `FORMATS`; a binary one to the bytes behind it (`stream.buffer`),
    or to a binary stream.

    A format for people shows at most `max_rows` rows (None: all), in lines of at most `width` places; others have all
    rows. With `colour` the frame of a box is dim.
    """
    found = FORMATS.get(format)
    if found is None:
        raise UnsupportedError(f"no format '{format}'", help=f"the formats are {', '.join(FORMATS)}")
    write = found.write
    if found.binary:
        out = getattr(stream, "buffer", stream)
        if isinstance(out, io.TextIOBase):
            raise UnsupportedError(f"the format '{format}' is not text", help="write it to a file")
        stream.flush()
        for piece in write(result, None):
            out.write(piece)
        out.flush()
        return
    lines = write(result, max_rows, width) if found.partial else write(result, None)
    for line in lines:
        stream.write(_dim(line) if colour and found.partial else line)


_FRAME = frozenset("┌┬┐├┼┤└┴┘─")


def _dim(line: str) -> str:
    """A line of a frame, or of how many rows there are, is dim."""
    return f"\x1b[2m{line[:-1]}\x1b[0m\n" if line[:1] in _FRAME or line.startswith("(") else line
