"""JSON: files as values, and values as text.

Both engines read JSON by these rules: of a key that repeats in one object the last value
counts; an integer beyond 64 bits, and a number with a point, is a decimal if 38 digits are enough for it, else a float,
as one with an exponent is. JSON has no notion of scale: of a decimal's zeros at the end none is kept but the first one
behind the point, so `4.50` is 4.5 and `100.00` is 100.0.

A file has a value on every line. One that is not named `.jsonl` or `.ndjson` may as well be a document: one array,
whose elements are the records, or values that go over several lines. It is a document if its first line is the
beginning of a value and no more, or if its only line is an array.
"""

from __future__ import annotations

import codecs
import datetime
import json
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from firesteel import values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.ion import dumps
from firesteel.policy import Unpacking
from firesteel.tables.arrow.rows import plain
from firesteel.tables.folders import suffix_of
from firesteel.tables.opening import UNPACKING, open_unpacked, reading
from firesteel.tables.shapes.pick_json import NumberText, Pick, number, picking
from firesteel.tables.touched import WHOLE, PathTree

_DIGITS = 38
_BLANK = " \t\r\n"


def _integer(text: str) -> int | Decimal | float:
    found = int(text) if len(text) <= 20 else 1 << 64
    return found if -(1 << 63) <= found < 1 << 63 else number(text)


def refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> values.Struct:
    return values.Struct(dict(pairs))


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=number, parse_int=_integer, parse_constant=refuse_constant
)
#: The same without a call of Python for every object and every number.
_plain = json.JSONDecoder(parse_float=NumberText, parse_constant=refuse_constant)


def json_records(
    path: Path, unpacking: Unpacking = UNPACKING, touched: PathTree = WHOLE
) -> Iterator[values.Value | EvaluationError]:
    """The records of a file, or the error that one is; of each record, at least what is touched."""
    yield from (_document if is_document(path, unpacking) else _lines)(path, unpacking, picking([touched]))


def _lines(path: Path, unpacking: Unpacking, pick: Pick) -> Iterator[values.Value | EvaluationError]:
    decode = _plain.raw_decode
    with reading(path), open_unpacked(path, unpacking) as file:
        for nth, line in enumerate(split_lines(file), 1):
            try:
                text = line.decode("utf-8-sig" if nth == 1 else "utf-8").strip(_BLANK)
                if text:
                    item, end = decode(text)
                    yield pick(item) if end == len(text) else _with_care(line, path, nth)
            except (ValueError, RecursionError):
                yield _with_care(line, path, nth)


def _with_care(line: bytes, path: Path, nth: int) -> values.Value | EvaluationError:
    """A line that is nested deeply, has an integer of thousands of digits, or is not JSON."""
    try:
        return _decoder.decode(line.decode("utf-8-sig" if nth == 1 else "utf-8").strip(_BLANK))
    except (ValueError, RecursionError) as error:
        return EvaluationError(f"{path}:{nth}: not JSON: {_why(error)}")


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep (Ion may be)"
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def split_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines end as Spark's do: with a line feed, a carriage return, or both."""
    for line in file:
        if b"\r" not in line:
            yield line.rstrip(b"\n")
            continue
        yield from line.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\r")


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def is_document(path: Path, unpacking: Unpacking = UNPACKING) -> bool:
    """Has the file other than a value on every line?"""
    if suffix_of(path) in (".jsonl", ".ndjson"):
        return False
    with reading(path), open_unpacked(path, unpacking) as file:
        lines = (line for line in split_lines(file) if line.removeprefix(codecs.BOM_UTF8).strip())
        try:
            first = next(lines, b"").decode("utf-8-sig").strip(_BLANK)
        except UnicodeDecodeError:
            return False
        alone = next(lines, None) is None
        if alone or not first.startswith(("{", "[")):
            return alone and first.startswith("[")
        try:
            _decoder.decode(first)
        except json.JSONDecodeError as error:
            return error.pos >= len(first)  # valid so far, but incomplete
        except (ValueError, RecursionError):
            pass
        return False


def _document(path: Path, unpacking: Unpacking, pick: Pick) -> Iterator[values.Value | EvaluationError]:
    with reading(path), open_unpacked(path, unpacking) as file:
        text = file.read().decode("utf-8-sig")
    try:
        yield from _picked(text, pick)
    except (ValueError, RecursionError):
        yield from _all_with_care(text, path)


def _picked(text: str, pick: Pick) -> list[values.Value]:
    found: list[Any] = []
    at = _behind_blanks(text, 0)
    while at < len(text):
        value, at = _plain.raw_decode(text, at)
        found.append(value)
        at = _behind_blanks(text, at)
    return [pick(one) for one in _records(found)]


def _records(found: list[Any]) -> list[Any]:
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def _all_with_care(text: str, path: Path) -> Iterator[values.Value | EvaluationError]:
    found: list[values.Value] = []
    at = _behind_blanks(text, 0)
    while at < len(text):
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, error.pos if isinstance(error, json.JSONDecodeError) else at) + 1
            said = error.msg if isinstance(error, json.JSONDecodeError) else _why(error)
            yield from found
            yield EvaluationError(f"{path}:{line}: not JSON: {said}")
            return
        found.append(value)
        at = _behind_blanks(text, at)
    yield from _records(found)


def _behind_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def compact_json(value: values.Value) -> str:
    """A value as JSON without blanks, the keys of objects by their names: as Spark writes a variant."""
    return values.fold(value, _leaf, _compact)


def _compact(item: values.Value, inner: list[str]) -> str:
    if not isinstance(item, values.Struct):
        return f"[{','.join(inner)}]"
    return f"{{{','.join(f'{_quoted(name)}:{text}' for name, text in sorted(_attributes(item, inner)))}}}"


def json_text(value: values.Value) -> str:
    """A value as JSON, on one line. Numbers are numbers, with all their digits; NaN and the infinities, which JSON has
    not, are text, as Spark and protobuf write them. MISSING is left out of objects, and null in arrays."""
    return values.fold(value, _leaf, _container)


def _leaf(item: values.Value) -> str:
    match item:
        case None | values.Missing():
            return "null"
        case bool():
            return "true" if item else "false"
        case int():
            return str(item)
        case float():
            return repr(item) if math.isfinite(item) else _infinite(item)
        case Decimal():
            return _decimal(item)
        case str():
            return _quoted(item)
        case bytes():
            raise UnsupportedError("JSON has no octets", help="write Ion or Parquet")
        case datetime.date():
            return _quoted(item.isoformat())
    found = plain(item)
    return _quoted(found.isoformat() if hasattr(found, "isoformat") else str(found))


def _infinite(item: float | Decimal) -> str:
    return '"NaN"' if math.isnan(item) else '"Infinity"' if item > 0 else '"-Infinity"'


def _decimal(item: Decimal) -> str:
    if not item.is_finite():
        return _infinite(item)
    exponent = item.as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{item:f}" if exponent <= _DIGITS else str(item)


def _quoted(text: str) -> str:
    """Half of a surrogate pair is no character that a file could have: it is escaped."""
    escape = any("\ud800" <= char <= "\udfff" for char in text)
    return json.dumps(str(text), ensure_ascii=escape)


def _container(item: values.Value, inner: list[str]) -> str:
    if not isinstance(item, values.Struct):
        return f"[{', '.join(inner)}]"
    return f"{{{', '.join(f'{_quoted(name)}: {text}' for name, text in _attributes(item, inner))}}}"


def _attributes(item: values.Struct, inner: list[str]) -> list[tuple[str, str]]:
    there = [(name, text) for (name, value), text in zip(item.pairs, inner, strict=True) if value is not values.MISSING]
    if len({name for name, _ in there}) < len(there):
        raise UnsupportedError(f"a struct whose keys repeat is no object of JSON: {dumps(item)}", help="write Ion")
    return there
