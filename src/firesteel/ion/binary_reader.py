"""Ion binary to elements.

A value is a byte that says its type and, in its lower half, its length; containers nest by length. One loop with its
own stack reads them, and every length is checked against the enclosing container first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn

from firesteel.errors import ParseError, UnsupportedError
from firesteel.ion.binary_time import Fields, from_utc
from firesteel.ion.element import Element, Kind
from firesteel.ion.scalars import MAX_BITS, MAX_DIGITS, MAX_EXPONENT, in_range
from firesteel.ion.symbols import SymbolTable, is_symbol_table

#: How every binary document begins, and what may come again between two values.
VERSION_MARKER = b"\xe0\x01\x00\xea"
#: How many containers may be open at once.
MAX_DEPTH = 1_000_000

#: By the upper half of the first byte; 3 is a negative int, 14 an annotated value, 15 is not in use.
_KINDS = (
    Kind.NULL, Kind.BOOL, Kind.INT, Kind.INT, Kind.FLOAT, Kind.DECIMAL, Kind.TIMESTAMP, Kind.SYMBOL,
    Kind.STRING, Kind.CLOB, Kind.BLOB, Kind.LIST, Kind.SEXP, Kind.STRUCT,
)  # fmt: skip
_BOOL, _NEGATIVE, _LIST, _STRUCT, _ANNOTATED = 1, 3, 11, 13, 14
_VARIABLE, _NULL = 14, 15  # lengths with a meaning of their own


def iter_binary(data: bytes, name: str = "<ion>", max_depth: int | None = None) -> Iterator[Element]:
    """Every value of an Ion binary document, as soon as it is read; whatever is wrong with it is a `ParseError`."""
    return _Reader(data, name, MAX_DEPTH if max_depth is None else max_depth).elements()


class _Reader:
    def __init__(self, data: bytes, name: str, max_depth: int) -> None:
        self.data = data
        self.name = name
        self.max_depth = max_depth
        self.symbols = SymbolTable()

    def fail(self, at: int, message: str, help: str | None = None) -> NoReturn:
        raise ParseError(f"{self.name}, byte {at}: {message}", help=help)

    def elements(self) -> Iterator[Element]:
        data = self.data
        if not data.startswith(VERSION_MARKER):
            self._version(0)
        # The innermost open container (None: the top level), its items, its end; then the next item's field and
        # annotations, and the end that the annotations' wrapper has promised.
        container: Kind | None = None
        items: list[Any] = []
        end = len(data)
        field: str | None = None
        names: tuple[str, ...] = ()
        promised = -1
        element_kind: Kind
        value: Any
        outer: list[tuple[Kind | None, list[Any], int, str | None, tuple[str, ...]]] = []
        at = 0
        while True:
            if at >= end:
                if container is None:
                    return
                element_kind, value = container, tuple(items)
                container, items, end, field, names = outer.pop()
            else:
                if container is Kind.STRUCT and field is None:
                    number, at = self.var_uint(at, end)
                    field = self.symbol(number, at)
                    if at >= end:
                        self.fail(at, f"expected the value of field '{field}', found the end of the struct")
                begin = at
                code, length = data[at] >> 4, data[at] & 15
                if code == _ANNOTATED:
                    if container is None and length == 0 and not names:
                        self._version(at)
                        at += len(VERSION_MARKER)
                        continue
                    if names:
                        self.fail(at, "expected a value, found annotations of annotations")
                    names, at, promised = self._annotations(at, end)
                    continue
                if code == 15:
                    self.fail(at, f"expected a value, found the unused type byte {data[at]:#04x}")
                at += 1
                if code == 0 and length != _NULL:  # padding
                    size, at = self._size(length, at, end)
                    if names:
                        self.fail(begin, "expected a value after annotations, found padding")
                    at += size
                    field = None
                    continue
                if length == _NULL:
                    element_kind, value, stop = Kind.NULL, _KINDS[code], at
                elif code == _BOOL:
                    if length > 1:
                        self.fail(begin, f"expected true or false, found the byte {data[begin]:#04x}")
                    element_kind, value, stop = Kind.BOOL, length == 1, at
                else:
                    if code == _STRUCT and length == 1:  # sorted by field
                        length = _VARIABLE
                    size, at = self._size(length, at, end)
                    stop = at + size
                    element_kind = _KINDS[code]
                    value = None
                if promised >= 0 and stop != promised:
                    self.fail(begin, f"annotations end at byte {promised}, the value they hold at byte {stop}")
                promised = -1
                if code >= _LIST and value is None:
                    if len(outer) >= self.max_depth:
                        self.fail(begin, f"nested more than {self.max_depth:,} deep")
                    outer.append((container, items, end, field, names))
                    container, items, end, field, names = element_kind, [], stop, None, ()
                    continue
                if value is None:
                    value = self._scalar(code, at, stop)
                at = stop

            element = Element(element_kind, value, names)
            names = ()
            if container is Kind.STRUCT:
                items.append((field, element))
                field = None
            elif container is not None:
                items.append(element)
            elif is_symbol_table(element):
                self.symbols.define(element)
            else:
                yield element

    def _version(self, at: int) -> None:
        """Check the four bytes of a version marker, and forget the symbols of what came before."""
        found = self.data[at : at + 4]
        if found != VERSION_MARKER:
            if len(found) == 4 and found[0] == 0xE0 and found[3] == 0xEA:
                raise UnsupportedError(f"{self.name}, byte {at}: Ion {found[1]}.{found[2]}: only Ion 1.0 is read")
            self.fail(at, f"expected the version marker e0 01 00 ea, found {found.hex(' ') or 'the end'}")
        self.symbols = SymbolTable()

    def _annotations(self, at: int, end: int) -> tuple[tuple[str, ...], int, int]:
        """The names, where the value begins, and where it must end."""
        begin = at
        length = self.data[at] & 15
        if length == _NULL:
            self.fail(at, "expected a value, found annotations of nothing")
        size, at = self._size(length, at + 1, end)
        promised = at + size
        size, at = self.var_uint(at, promised)
        stop = at + size
        if size == 0 or stop >= promised:
            self.fail(begin, "expected annotations and a value in their wrapper", f"it ends at byte {promised}")
        names = []
        while at < stop:
            number, at = self.var_uint(at, stop)
            names.append(self.symbol(number, at))
        return tuple(names), at, promised

    # Numbers, lengths and symbols

    def _size(self, length: int, at: int, end: int) -> tuple[int, int]:
        """How long a value is, by its first byte's lower half or the number after it; and where it begins."""
        if length == _VARIABLE:
            length, at = self.var_uint(at, end)
        if length > end - at:
            self.fail(at, f"expected {length:,} more byte{'s' * (length != 1)}, found {max(0, end - at):,}")
        return length, at

    def var_uint(self, at: int, end: int) -> tuple[int, int]:
        """A number in groups of seven bits, and its end."""
        value = 0
        for i in range(at, min(end, at + 9)):
            byte = self.data[i]
            value = value << 7 | byte & 0x7F
            if byte & 0x80:
                return value, i + 1
        self.fail(at, "a number of more than 9 bytes" if at + 9 <= end else "expected more of a number, found the end")

    def var_int(self, at: int, end: int) -> tuple[int, bool, int]:
        """The same with a sign: magnitude, whether negative (there is a -0), and end."""
        value, stop = self.var_uint(at, end)
        # The sign is the second bit of the first byte, so the top one of the seven that it gave.
        sign = 1 << (7 * (stop - at) - 1)
        return value & ~sign, bool(value & sign), stop

    def symbol(self, number: int, at: int) -> str:
        try:
            return self.symbols.text(number)
        except IndexError:
            self.fail(at, f"no symbol ${number}", f"the symbol table ends at ${len(self.symbols) - 1}")

    # Scalars

    def _scalar(self, code: int, at: int, end: int) -> Any:
        data = self.data
        if code <= _NEGATIVE or code == 7:
            value = self._magnitude(at, end)
            if code == 7:
                return self.symbol(value, at)
            if code == _NEGATIVE:
                if value == 0:
                    self.fail(at, "expected a negative int, found 0")
                return -value
            return value
        if code == 8:
            try:
                return data[at:end].decode("utf-8")
            except UnicodeDecodeError as error:
                self.fail(at + error.start, f"expected UTF-8 in a string, found {data[at + error.start]:#04x}")
        if code >= 9:
            return data[at:end]
        if code == 5:
            return self._decimal(at, end)
        if code == 6:
            return self._timestamp(at, end)
        if end - at not in (0, 4, 8):
            self.fail(at, f"expected a float of 0, 4 or 8 bytes, found {end - at}")
        return struct.unpack(">f" if end - at == 4 else ">d", data[at:end])[0] if end > at else 0.0

    def _magnitude(self, at: int, end: int) -> int:
        if (end - at) * 8 > MAX_BITS + 7:
            self.fail(at, f"an int of {end - at:,} bytes", f"the most is {MAX_BITS // 8:,}")
        return int.from_bytes(self.data[at:end], "big")

    def _decimal(self, at: int, end: int, what: str = "decimal") -> Decimal:
        if at == end:
            return Decimal(0)
        magnitude, negative, at = self.var_int(at, end)
        if magnitude > MAX_EXPONENT:
            self.fail(at, f"a {what}'s exponent is out of range", f"the range is ±{MAX_EXPONENT:,}")
        coefficient = self._magnitude(at, end)
        sign = 1 << (8 * (end - at) - 1) if end > at else 0
        minus, coefficient = (1, coefficient & ~sign) if coefficient & sign else (0, coefficient)
        if coefficient.bit_length() >= MAX_BITS:
            self.fail(at, f"a {what} of more than {MAX_DIGITS:,} digits")
        value = Decimal((minus, tuple(map(int, str(coefficient))), -magnitude if negative else magnitude))
        if not in_range(value):
            self.fail(at, f"a {what}'s exponent is out of range", f"the range is ±{MAX_EXPONENT:,}")
        return value

    def _timestamp(self, at: int, end: int) -> Any:
        begin = at
        magnitude, negative, at = self.var_int(at, end)
        offset = None if negative and magnitude == 0 else -magnitude if negative else magnitude
        fields: list[int] = []
        while at < end and len(fields) < 6:
            number, at = self.var_uint(at, end)
            fields.append(number)
        fraction = self._decimal(at, end, "fraction of a second") if at < end else None
        if len(fields) in (0, 4):
            self.fail(begin, "expected a year" if not fields else "expected a minute after an hour")
        try:
            return from_utc(Fields(fields, fraction, offset))
        except ValueError as error:
            self.fail(begin, f"no timestamp: {error}")
