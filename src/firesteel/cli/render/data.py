"""Answers for programs: JSON, CSV, Ion, PartiQL, Parquet. Rows are written one after the other
where the format allows."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import firesteel as fs
from firesteel import types as t
from firesteel import values
from firesteel.cli.render.partiql_text import partiql_text
from firesteel.errors import UnsupportedError
from firesteel.explain.rows import scalar_text
from firesteel.ion import dumps
from firesteel.tables.json_files import json_text
from firesteel.tables.typed.arrow_types import arrow_schema, certain_columns
from firesteel.values import Value


def _joined(open_: str, rows: Iterable[str], close: str) -> Iterator[str]:
    """Rows between brackets, each on its line."""
    yield open_
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n{row}"
    yield f"\n{close}\n"


def json_document(result: fs.Result, limit: int | None) -> Iterator[str]:
    """An array of the rows, or the only value."""
    if isinstance(result.type, t.Collection):
        return _joined("[", map(json_text, result.rows(limit)), "]")
    value = result.value()
    if isinstance(value, list | values.Bag):
        return _joined("[", map(json_text, value), "]")
    return iter([json_text(value) + "\n"])


def json_lines(result: fs.Result, limit: int | None) -> Iterator[str]:
    """A row on each line."""
    return (json_text(row) + "\n" for row in result.rows(limit))


def ion(result: fs.Result, limit: int | None) -> Iterator[str]:
    """One value of Ion."""
    yield str(dumps(result.value())) + "\n"


def ion_binary(result: fs.Result, limit: int | None) -> Iterator[bytes]:
    """One value of Ion."""
    yield bytes(dumps(result.value(), binary=True))


def partiql(result: fs.Result, limit: int | None) -> Iterator[str]:
    """An expression whose value is the answer."""
    value = result.value()
    if isinstance(value, values.Bag) or type(value) is list:
        open_, close = ("<<", ">>") if isinstance(value, values.Bag) else ("[", "]")
        return _joined(open_, (f"  {partiql_text(row)}" for row in value), close)
    return iter([partiql_text(value) + "\n"])


def parquet(result: fs.Result, limit: int | None) -> Iterator[bytes]:
    """A Parquet file: a batch of rows after the other if the plan says the types of all columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    asked = certain_columns(result.type)
    schema, batches = (
        (result.to_arrow().schema, iter(result.to_arrow().to_batches()))
        if asked is None
        else (arrow_schema(asked), result.batches())
    )
    out = io.BytesIO()
    try:
        with pq.ParquetWriter(out, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                yield out.getvalue()
                out.seek(0)
                out.truncate()
        yield out.getvalue()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnsupportedError(
            f"Parquet cannot hold this: {error}", help="values of several types go to Ion"
        ) from error


# ---------------------------------------------------------------------------------------------------------------------
# Delimited text


def csv(result: fs.Result, limit: int | None) -> Iterator[str]:
    """Cells with commas between them."""
    return _delimited(result, limit, ",")


def tsv(result: fs.Result, limit: int | None) -> Iterator[str]:
    """Cells with tabs between them."""
    return _delimited(result, limit, "\t")


def _delimited(result: fs.Result, limit: int | None, delimiter: str) -> Iterator[str]:
    """A header and the rows. NULL and MISSING are empty cells; the empty string is `""`."""
    names = result.columns
    if not names:
        return
    yield delimiter.join(_quoted(name, delimiter) for name in names) + "\n"
    for row in result.rows(limit):
        found = dict(row.pairs) if isinstance(row, values.Struct) else {"_1": row}
        yield delimiter.join(_cell(found.get(name), delimiter) for name in names) + "\n"


def _cell(value: Value, delimiter: str) -> str:
    if values.absent(value):
        return ""
    if values.items(value) is not None or isinstance(value, bytes | values.Graph):
        return _quoted(json_text(value), delimiter)
    return _quoted(scalar_text(value), delimiter)


def _quoted(text: str, delimiter: str) -> str:
    if text and text.strip() == text and not any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        return str(text)
    return '"' + text.replace('"', '""') + '"'
