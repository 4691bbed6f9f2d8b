"""Text with delimiters, as Substrait's read options describe it: lines of fields, each of them text.

For well-formed text, Spark's CSV reader gives the same. A quoted field ends with the quote;
inside of it a quote that is escaped, or doubled where the quote is its own escape, stands for itself, and so does the
escape character that is escaped; any other character behind the escape leaves both as they are. Lines in quotes are
parted by line feeds, whatever the file has; all of its lines end alike. Blank lines are no rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firesteel import values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.policy import Unpacking
from firesteel.tables.opening import UNPACKING, open_unpacked, reading


@dataclass(frozen=True)
class Delimited:
    """How fields are written. Without a quote nothing is quoted; without an escape a quote in quotes is doubled."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    skip: int = 0
    null: str | None = None
    unpacking: Unpacking = UNPACKING

    def __post_init__(self) -> None:
        for name in ("quote", "escape"):
            if len(getattr(self, name)) > 1:
                raise UnsupportedError(f"text whose {name} is more than one character: {getattr(self, name)!r}")
        if self.quote and self.quote in self.delimiter:
            raise UnsupportedError("text whose delimiter has the quote in it")
        if not self.delimiter:
            raise UnsupportedError("text without a delimiter")
        if any(char in "\r\n" for char in self.delimiter + self.quote + self.escape):
            raise UnsupportedError("text whose delimiter, quote or escape ends a line")


def delimited_rows(path: Path, how: Delimited, names: tuple[str, ...]) -> Iterator[values.Value]:
    """The rows of a file as structs of these names."""
    number = 0
    try:
        for fields in parse_rows(_text(path, how), how, multiline=bool(how.quote)):
            number += 1
            if len(fields) != len(names):
                raise EvaluationError(f"it has {len(fields)} fields, and the table {len(names)} columns")
            row = [None if how.null is not None and field == how.null else field for field in fields]
            yield values.Struct(zip(names, row, strict=True))
    except Malformed as error:
        raise EvaluationError(f"{path}: row {number + 1}: {error}") from None
    except EvaluationError as error:
        error.message = f"{path}: row {number}: {error.message}"
        raise


class Malformed(Exception):
    """The text does not follow the options."""


def _text(path: Path, how: Delimited) -> str:
    """The file's text behind the lines that are skipped."""
    with reading(path), open_unpacked(path, how.unpacking, canonical=True) as file:
        text = file.read().decode("utf-8-sig")
    at = 0
    for _ in range(how.skip):
        at = _line_end(text, at)[1]
    return text[at:]


def _line_end(text: str, at: int) -> tuple[int, int]:
    """Where the line ends, and where the next one starts."""
    ends = [found for found in (text.find("\n", at), text.find("\r", at)) if found >= 0]
    if not ends:
        return len(text), len(text)
    end = min(ends)
    return end, end + (2 if text.startswith("\r\n", end) else 1)


_BLANK = "".join(map(chr, range(33)))


def parse_rows(text: str, how: Delimited, *, multiline: bool) -> Iterator[list[str]]:
    """The rows of a text, each a list of its fields. A quoted field may go over several lines if `multiline`; then all
    lines of the text have to end alike."""
    at, end = 0, len(text)
    ending = record_end(text, how)
    while at < end:
        stop, behind = _line_end(text, at)
        if stop == at or (not multiline and not text[at:stop].strip(_BLANK)):
            at = behind
            continue
        row: list[str] = []
        while True:
            field, at = _field(text, at, how, ending)
            row.append(field)
            if not text.startswith(how.delimiter, at):
                break
            at += len(how.delimiter)
        stop, at = _line_end(text, at)
        if multiline and at > stop and text[stop:at] != ending:
            raise Malformed("its lines end in different ways")
        yield row


def record_end(text: str, how: Delimited) -> str:
    """How the first row ends: with a line feed, a carriage return, or both."""
    at = 0
    while True:
        _, at = _field(text, at, how, "")
        if not text.startswith(how.delimiter, at):
            return text[slice(*_line_end(text, at))]
        at += len(how.delimiter)


def ends_plainly(text: str, how: Delimited) -> bool:
    """Does the first line end as the first row does? Spark takes the first line break for that of all rows, though it
    may be one in quotes."""
    return text[slice(*_line_end(text, 0))] == record_end(text, how)


def _field(text: str, at: int, how: Delimited, line_end: str) -> tuple[str, int]:
    """A field, and where it ends: at a delimiter, or at the end of the line."""
    if how.quote and text.startswith(how.quote, at):
        field, at = _quoted(text, at + 1, how)
        return field.replace(line_end, "\n") if line_end else field, at
    stop, _ = _line_end(text, at)
    end = text.find(how.delimiter, at, stop)
    return (text[at:stop], stop) if end < 0 else (text[at:end], end)


def _quoted(text: str, at: int, how: Delimited) -> tuple[str, int]:
    """What is in quotes, and where it ends."""
    escape = how.escape or how.quote
    out: list[str] = []
    end = len(text)
    while at < end:
        char = text[at]
        following = text[at + 1 : at + 2]
        if char == escape and following and following in (how.quote, escape):
            out.append(following)
            at += 2
        elif char == how.quote:
            at += 1
            if at < end and text[at] not in "\r\n" and not text.startswith(how.delimiter, at):
                raise Malformed("a field goes on behind its closing quote")
            return "".join(out), at
        else:
            out.append(char)
            at += 1
    raise Malformed("a quote is not closed")
