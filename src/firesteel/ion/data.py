"""Data files: a stream of Ion to values, fast.

The records are read by `amazon.ion`'s C extension in its bare value model. Our own reader takes over, from the record
in question on, when that extension

- fails, be it that the data are nested deeper than it can (about 1,000) or that they are no Ion: then the error is
  ours and says where;
- may have lost something: it gives the attributes of a struct grouped by name, so that the order is gone where a name
  repeats, and it misreads a second of more than nine digits as one of nine.

Otherwise it differs from `loads` in this: a decimal of more than 34 digits loses the zeros at its end; a symbol that
text writes as a number (`$4`) is looked up among Ion's own symbols; and some malformed numbers pass (`3x` is 0).
"""

from __future__ import annotations

import codecs
import datetime
import io
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from amazon.ion.core import IonType, TimestampPrecision
from amazon.ion.core import Timestamp as IonTimestamp
from amazon.ion.simple_types import (
    IonPyBool,
    IonPyBytes,
    IonPyDecimal,
    IonPyDict,
    IonPyFloat,
    IonPyInt,
    IonPyList,
    IonPyNull,
    IonPySymbol,
    IonPyText,
    IonPyTimestamp,
)
from amazon.ion.simpleion import IonPyValueModel, c_ext, load
from amazon.ion.symbols import SymbolToken

from firesteel.ion.document import is_binary, iter_elements
from firesteel.ion.notation import READERS, annotated
from firesteel.ion.values import to_value
from firesteel.values import Clob, Sexp, Struct, Symbol, Timestamp, Value

#: The longest text that the extension may buffer; a longer one is read by us.
_LONGEST_TEXT = 1 << 24


def iter_values(data: str | bytes | Path | BinaryIO, name: str | None = None) -> Iterator[Value]:
    """The values of a stream of Ion, text or binary, given as such, as the path of a file, or as an open file."""
    if name is None:
        name = str(data) if isinstance(data, Path) else "<ion>"
    done = 0
    with _opened(data) as opened:
        stream = _Stream(opened)
        fast = _Fast(stream).values()
        while True:
            try:
                value = next(fast)
            except StopIteration:
                if stream.ended_well():
                    return
                break
            except Exception:
                stream.ended_well()
                # Our reader either reads it, or gives a better error.
                break
            yield value
            done += 1
        opened.seek(0)
        elements = iter_elements(data if isinstance(data, str) else opened.read(), name)
        yield from map(to_value, islice(elements, done, None))


def _opened(data: str | bytes | Path | BinaryIO) -> BinaryIO:
    if isinstance(data, Path):
        return data.open("rb")
    if not isinstance(data, str | bytes):
        return data
    # Half of a surrogate pair makes bad UTF-8, which the extension refuses and our reader explains.
    return io.BytesIO(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


class _Stream:
    """A file as the extension may read it. It ends the process where reading raises anything, and where a symbol of a
    text is not UTF-8: there the file ends for it, and what it was is kept."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._error: Exception | None = None
        self._decode: Callable[[bytes], str] | None = None

    def read(self, size: int = -1) -> bytes:
        try:
            start = self._file.tell() == 0
            data = self._file.read(size)
            if start:
                head = data[:4] if len(data) >= 4 else data + self._peeked(4 - len(data))
                self._decode = None if is_binary(head) else codecs.getincrementaldecoder("utf-8")().decode
            if self._decode is not None:
                self._decode(data)
        except Exception as error:
            self._error = error
            return b""
        return data

    def _peeked(self, size: int) -> bytes:
        here = self._file.tell()
        found = self._file.read(size)
        self._file.seek(here)
        return found

    def all(self) -> bytes:
        """All that is in the file; reading goes on where it was."""
        here = self._file.tell()
        self._file.seek(0)
        found = self._file.read()
        self._file.seek(here)
        return found

    def ended_well(self) -> bool:
        """Was it read to its end? What is wrong with the text, and not with the file, is our reader's to say."""
        if self._error is not None and not isinstance(self._error, UnicodeDecodeError):
            raise self._error
        return self._error is None


class _LostError(Exception):
    """The extension may have lost something."""


class _Fast:
    """What the extension reads, as values. Recursive, but no deeper than the extension itself goes."""

    def __init__(self, stream: _Stream) -> None:
        self.stream = stream
        self.nanos: bool | None = None  # are nine digits of a second just that?
        self.makers: dict[type, Callable[[Any], Value]] = {
            list: self._list,
            IonPyList: self._annotated_list,
            IonPyDict: self._struct,
            SymbolToken: lambda item: _symbol(item.text),
            IonPySymbol: lambda item: _annotated(item, _symbol(item.text)),
            IonPyText: lambda item: _annotated(item, (_TEXTS[item.ion_type])(str(item))),
            IonPyNull: lambda item: _annotated(item, None),
            IonPyBool: lambda item: _annotated(item, bool(item)),
            IonPyInt: lambda item: _annotated(item, int(item)),
            IonPyFloat: lambda item: _annotated(item, float(item)),
            IonPyDecimal: lambda item: _annotated(item, Decimal(item)),
            IonPyBytes: lambda item: _annotated(item, _LOBS[item.ion_type](item)),
            IonTimestamp: self._timestamp,
            IonPyTimestamp: lambda item: _annotated(item, self._timestamp(item)),
        }

    def values(self) -> Iterator[Value]:
        if not c_ext:
            raise _LostError  # there is only a reader in Python, which is slower than ours and hangs on some bad texts
        records = load(
            self.stream,
            single_value=False,
            parse_eagerly=False,
            text_buffer_size_limit=_LONGEST_TEXT,
            value_model=IonPyValueModel.MAY_BE_BARE,
        )
        for record in records:
            yield record if type(record) in _PLAIN else self.makers[type(record)](record)

    def _list(self, items: list[Any]) -> list[Value]:
        makers = self.makers
        return [item if type(item) in _PLAIN else makers[type(item)](item) for item in items]

    def _annotated_list(self, item: Any) -> Value:
        inner = self._list(item)
        return _annotated(item, Sexp(inner) if item.ion_type is IonType.SEXP else inner)

    def _struct(self, item: Any) -> Value:
        makers = self.makers
        pairs = item.items()
        keys = {key for key, _ in pairs}
        if len(keys) < len(pairs) or None in keys:
            raise _LostError
        struct = Struct()
        struct.pairs = [(key, value if type(value) in _PLAIN else makers[type(value)](value)) for key, value in pairs]
        return _annotated(item, struct) if item.ion_annotations else struct

    def _timestamp(self, item: Any) -> Timestamp:
        second = _SECONDS[item.second]
        if item.fractional_precision:  # up to 6, however many digits there are
            fraction = item.fractional_seconds
            if fraction.as_tuple().exponent <= -9 and not self._nine_digits():
                raise _LostError
            second += fraction
        zone = item.tzinfo
        offset = None if zone is None else 0 if zone is _UTC else int(zone.utcoffset(None).total_seconds()) // 60
        precision = "second" if item.precision is _SECOND else _PRECISIONS[item.precision]
        return Timestamp(item.year, item.month, item.day, item.hour, item.minute, second, offset, precision)

    def _nine_digits(self) -> bool:
        """Is there surely no second of more than nine digits? Only text can be checked quickly."""
        if self.nanos is None:
            data = self.stream.all()
            self.nanos = not is_binary(data) and _TEN_DIGITS.search(data) is None
        return self.nanos


_PLAIN = frozenset((type(None), bool, int, float, Decimal, str, bytes))
_TEXTS: dict[Any, Callable[[str], str]] = {IonType.STRING: str, IonType.SYMBOL: Symbol}
_LOBS: dict[Any, Callable[[bytes], bytes]] = {IonType.BLOB: bytes, IonType.CLOB: Clob}
_SECONDS = tuple(map(Decimal, range(60)))
_PRECISIONS = {
    TimestampPrecision.YEAR: "year",
    TimestampPrecision.MONTH: "month",
    TimestampPrecision.DAY: "day",
    TimestampPrecision.MINUTE: "minute",
    TimestampPrecision.SECOND: "second",
}
_SECOND = TimestampPrecision.SECOND
_UTC = datetime.UTC
_TEN_DIGITS = re.compile(rb":[0-9]{2}\.[0-9]{10}")


def _symbol(text: str | None) -> Symbol:
    return Symbol("$0" if text is None else text)


def _annotated(item: Any, value: Value) -> Value:
    for annotation in reversed(item.ion_annotations):
        if annotation.text in READERS:
            value = annotated(annotation.text, value)
    return value
