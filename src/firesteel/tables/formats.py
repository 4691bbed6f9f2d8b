"""The formats of files: their names, their suffixes, how their files begin, and the options that they have.

What this table says of a format is shown in docs/formats.md.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesteel.errors import PlanError, UnsupportedError
from firesteel.tables.folders import suffix_of
from firesteel.tables.opening import open_file
from firesteel.tables.text.csv_files import OPTIONS as CSV
from firesteel.tables.text.csv_files import csv_options


@dataclass(frozen=True)
class Format:
    """A format of files. `starts` are the first bytes of its files, if they tell it. A suffix of `alone` says the
    format of a file that is registered itself, but not of one in a folder. `schema` says where types come from,
    `pruning` what is not read if a query does not use it, `pushdown` whether filters are judged before rows are made,
    `record_id` what BY binds."""

    suffixes: tuple[str, ...]
    schema: str
    engines: str = "both"
    alone: tuple[str, ...] = ()
    starts: tuple[bytes, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    compressed: bool = False
    pruning: str = "no"
    pushdown: str = "no"
    record_id: str = "an attribute"


_TYPED = "in the file"
_COLUMNS = "columns"
#: Records are identified by their file and their row in it, if no attribute is named.
POSITION = "an attribute, or file and row"
XML = {"row_tag": "the element that is a row; it has to be given"}
FORMAT_TABLE: Mapping[str, Format] = {
    "parquet": Format((".parquet",), _TYPED, starts=(b"PAR1",), pruning=_COLUMNS, pushdown="yes", record_id=POSITION),
    "orc": Format((".orc",), _TYPED, starts=(b"ORC",), pruning=_COLUMNS, pushdown="yes"),
    "csv": Format((".csv",), "names from the header, types inferred, given or text", options=CSV, compressed=True),
    "tsv": Format((".tsv",), "names from the header, types inferred, given or text", options=CSV, compressed=True),
    "json": Format(
        (".json", ".jsonl", ".ndjson"),
        "none; given, or the shape of lines is learned",
        compressed=True,
        pruning="paths",
    ),
    "ion": Format((".ion", ".10n"), "none, or given", starts=(b"\xe0\x01\x00\xea",), compressed=True),
    "arrow": Format((".arrow", ".arrows", ".feather", ".ipc"), _TYPED, starts=(b"ARROW1", b"\xff\xff\xff\xff")),
    "text": Format((), "each line is a text", alone=(".txt", ".log"), compressed=True),
    "avro": Format((".avro",), _TYPED, "Spark, with its data source for Avro", starts=(b"Obj\x01",)),
    "xml": Format((".xml",), "inferred by Spark", "Spark", options=XML),
}

#: The suffixes that say a file's format.
FORMATS = {suffix: name for name, row in FORMAT_TABLE.items() for suffix in row.suffixes}
_ALONE = {suffix: name for name, row in FORMAT_TABLE.items() for suffix in row.alone}


def format_named(name: str) -> str:
    """The format of that name, or an error that lists the formats."""
    lower = str(name).lower()
    lower = {"jsonl": "json", "ndjson": "json", "feather": "arrow", "ipc": "arrow", "txt": "text"}.get(lower, lower)
    if lower not in FORMAT_TABLE:
        close = difflib.get_close_matches(lower, FORMAT_TABLE, 1)
        known = f"known: {', '.join(FORMAT_TABLE)}"
        raise UnsupportedError(f"no format '{name}'", help=f"did you mean '{close[0]}'? {known}" if close else known)
    return lower


def format_of_file(path: Path) -> str | None:
    """The format of a file: what its suffix says, else its first bytes."""
    found = FORMATS.get(suffix_of(path)) or _ALONE.get(suffix_of(path))
    if found is not None or not path.is_file():
        return found
    with open_file(path) as file:
        start = file.read(16)
    return next((name for name, row in FORMAT_TABLE.items() if start.startswith(row.starts or (b"\0" * 17,))), None)


def options_of(format_: str, given: Mapping[str, Any]) -> Any:
    """The options of files of a format, or None if none is given; an error for one that the format does not have."""
    known = FORMAT_TABLE[format_].options
    for name in given:
        if name not in known:
            listed = f"its options: {', '.join(known)}" if known else f"files of the format '{format_}' have no options"
            close = difflib.get_close_matches(str(name), known, 1)
            raise PlanError(
                f"no option '{name}' of the format '{format_}'",
                help=f"did you mean '{close[0]}'? {listed}" if close else listed,
            )
    if format_ == "xml":
        if "row_tag" not in given:
            raise PlanError(
                "XML needs the option 'row_tag'", help="options={'row_tag': 'book'}: the element that is a row"
            )
        return ("row_tag", str(given["row_tag"]))
    return csv_options(format_, given) if given else None


__all__ = ["CSV", "FORMATS", "FORMAT_TABLE", "XML", "Format", "format_named", "format_of_file", "options_of"]
