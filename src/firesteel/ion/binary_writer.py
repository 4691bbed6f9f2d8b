"""Elements to Ion binary.

A container's length comes before its content, so the document is written from its end to its beginning: when a
container's header is due, what it holds is there already and its size is known. No recursion, every byte once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from decimal import Decimal

from firesteel.errors import UnsupportedError
from firesteel.ion.binary_reader import VERSION_MARKER
from firesteel.ion.binary_time import to_utc
from firesteel.ion.element import CONTAINERS, Element, Kind, list_, string
from firesteel.ion.element import struct as struct_
from firesteel.ion.symbols import SYMBOL_TABLE, SYSTEM
from firesteel.values import Timestamp

_CODES = {
    Kind.NULL: 0, Kind.BOOL: 1, Kind.INT: 2, Kind.FLOAT: 4, Kind.DECIMAL: 5, Kind.TIMESTAMP: 6, Kind.SYMBOL: 7,
    Kind.STRING: 8, Kind.CLOB: 9, Kind.BLOB: 10, Kind.LIST: 11, Kind.SEXP: 12, Kind.STRUCT: 13,
}  # fmt: skip
_NEGATIVE, _ANNOTATED = 3, 14


def write_binary(elements: Iterable[Element]) -> bytes:
    """The elements as one Ion binary document."""
    writer = _Writer()
    writer.add(list(elements))
    if writer.added:
        # The table is a value like any other and is read first, so it is written last, in symbols of Ion's own.
        symbols = struct_([("symbols", list_(string(text) for text in writer.added))])
        writer.add([symbols.annotate(SYMBOL_TABLE)])
    return VERSION_MARKER + b"".join(reversed(writer.chunks))


class _Writer:
    def __init__(self) -> None:
        self.numbers = {text: number for number, text in enumerate(SYSTEM) if text is not None}
        self.added: list[str] = []
        self.chunks: list[bytes] = []  # last things first
        self.size = 0

    def put(self, chunk: bytes) -> None:
        self.chunks.append(chunk)
        self.size += len(chunk)

    def symbol(self, text: str) -> int:
        number = self.numbers.get(text)
        if number is None:
            number = self.numbers[text] = len(SYSTEM) + len(self.added)
            self.added.append(text)
        return number

    def add(self, elements: list[Element]) -> None:
        # An element with its field's name; with the size before its content was written, where that is done.
        stack: list[tuple[Element, str | None, int | None]] = [(element, None, None) for element in elements]
        while stack:
            element, field, before = stack.pop()
            if element.kind in CONTAINERS and before is None:
                stack.append((element, field, self.size))
                if element.kind is Kind.STRUCT:
                    stack.extend((item, name, None) for name, item in element.value)
                else:
                    stack.extend((item, None, None) for item in element.value)
                continue
            if before is None:
                before = self.size
                self.put(self._scalar(element))
            else:
                self.put(_header(_CODES[element.kind], self.size - before))
            if element.annotations:
                names = b"".join(_var_uint(self.symbol(name)) for name in element.annotations)
                self.put(_var_uint(len(names)) + names)
                self.put(_header(_ANNOTATED, self.size - before))
            if field is not None:
                self.put(_var_uint(self.symbol(field)))

    def _scalar(self, element: Element) -> bytes:
        kind, value = element.kind, element.value
        if kind is Kind.NULL:
            return bytes([_CODES[value] << 4 | 15])
        code = _CODES[kind]
        if kind is Kind.BOOL:
            return b"\x11" if value else b"\x10"
        if kind is Kind.INT:
            return _sized(_NEGATIVE if value < 0 else code, _magnitude(abs(value)))
        if kind is Kind.FLOAT:
            return _sized(code, struct.pack(">d", value))
        if kind is Kind.DECIMAL:
            return _sized(code, _decimal(value))
        if kind is Kind.TIMESTAMP:
            return _sized(code, _timestamp(value))
        if kind is Kind.SYMBOL:
            return _sized(code, _magnitude(self.symbol(value)))
        if kind is Kind.STRING:
            return _sized(code, _utf8(value))
        return _sized(code, value)


def _header(code: int, size: int) -> bytes:
    """The first byte of a value, and its size where that byte has no room for it."""
    # A struct of size 1 would say that its fields are sorted; there is none, as a field takes two bytes.
    return bytes([code << 4 | size]) if size < 14 else bytes([code << 4 | 14]) + _var_uint(size)


def _sized(code: int, content: bytes) -> bytes:
    return _header(code, len(content)) + content


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError("Ion has no text with half of a surrogate pair in it") from error


def _magnitude(value: int) -> bytes:
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def _groups(value: int, negative: bool | None = None) -> bytes:
    """Groups of seven bits, the last one marked; with a sign, the first one has six."""
    groups = [value & 0x7F]
    value >>= 7
    while value:
        groups.append(value & 0x7F)
        value >>= 7
    if negative is not None:
        if groups[-1] & 0x40:
            groups.append(0)
        groups[-1] |= 0x40 if negative else 0
    groups[0] |= 0x80
    return bytes(reversed(groups))


def _var_uint(value: int) -> bytes:
    return _groups(value)


def _var_int(value: int) -> bytes:
    return _groups(abs(value), value < 0)


def _decimal(value: Decimal) -> bytes:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise UnsupportedError(f"Ion has no decimal {value}")
    coefficient = int(Decimal((0, digits, 0)))  # which, unlike int of a text, has no bound
    if not coefficient:
        content = b"\x80" if sign else b""
    else:
        content = coefficient.to_bytes(coefficient.bit_length() // 8 + 1, "big")  # always room for the sign's bit
        if sign:
            content = bytes([content[0] | 0x80]) + content[1:]
    return b"" if not exponent and not content else _var_int(exponent) + content


def _timestamp(value: Timestamp) -> bytes:
    fields = to_utc(value)
    offset = _groups(0, True) if fields.offset is None else _var_int(fields.offset)
    fraction = b"" if fields.fraction is None else _decimal(fields.fraction)
    return offset + b"".join(map(_var_uint, fields.numbers)) + fraction
