"""Messages as protobuf's bytes, both ways.

Read by the schema of all versions, field by field with a stack of our own: an unknown field is an error with its path,
nesting has our own limit instead of the interpreter's, and a length beyond the end of the bytes is an error at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NoReturn

from firesteel.errors import PlanError, UnsupportedError
from firesteel.source import Place
from firesteel.substrait.message import DEFAULTS, Message
from firesteel.substrait.schema import MessageField, schema

#: A plan is no larger than this many bytes,
MAX_BYTES = 256 * 1024 * 1024
#: and its messages nest no deeper than this: each relation takes two levels, each call in an expression four.
MAX_DEPTH = 20_000

_VARINT, _FIXED64, _BYTES, _START, _END, _FIXED32 = range(6)
_WIRE = {"double": _FIXED64, "float": _FIXED32, "string": _BYTES, "bytes": _BYTES, "message": _BYTES}


def decode(data: bytes, name: str = "Plan", holder: Message | None = None) -> Message:
    """The message of that name in the bytes, which are the `value` of its holder if it has one."""
    if len(data) > MAX_BYTES:
        raise UnsupportedError(f"a plan of {len(data):,} bytes; plans go to {MAX_BYTES:,}")
    return _Decoder(data).message(name, holder)


class _Decoder:
    """One reading: the bytes, and how far it has come."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.here: Message
        self.messages = schema().messages

    def message(self, name: str, holder: Message | None) -> Message:
        kind = self.messages[name if name in self.messages else f"substrait.{name}"]
        root = self.here = Message(kind, holder, "value" if holder is not None else "")
        stack = [(root, len(self.data))]
        while stack:
            self.here, end = stack[-1]
            inner = self._fields(end)
            if inner is None:
                stack.pop()
                continue
            if len(stack) >= MAX_DEPTH:
                raise UnsupportedError(f"the plan nests more than {MAX_DEPTH:,} messages deep", where=self.here.where)
            stack.append(inner)
        return root

    def _fields(self, end: int) -> tuple[Message, int] | None:
        """Read fields up to one that is a message: that is to be read next, up to its end. None: it was all."""
        fields = self.here.kind.by_number
        while self.at != end:
            tag = self._varint(end)
            field, wire = fields.get(tag >> 3), tag & 7
            if field is None:
                self._unknown(tag >> 3, wire)
            if field.kind == "message":
                if wire != _BYTES:
                    self._unexpected(field)
                inner_end = self._length(end)
                return self._inner(field), inner_end
            self._scalar(field, wire, end)
        return None

    def _inner(self, field: MessageField) -> Message:
        """The message that a field holds: one that comes twice is merged, as protobuf has it."""
        here, name = self.here, field.name
        if field.repeated:
            row: list[Message] = here.given.setdefault(name, [])
            row.append(Message(self.messages[field.of], here, f"{name}[{len(row)}]"))
            return row[-1]
        if name not in here.given:
            here.put(field, Message(self.messages[field.of], here, name))
        found: Message = here.given[name]
        return found

    def _unknown(self, number: int, wire: int) -> NoReturn:
        if not number or wire > _FIXED32:
            self._broken("no field begins here")
        raise PlanError(
            f"{self.here.kind.short} has no field {number} in any version of Substrait that is known here",
            where=self.here.where,
            help="the plan is newer than this program, or not a Substrait plan",
        )

    def _scalar(self, field: MessageField, wire: int, end: int) -> None:
        expected = _WIRE.get(field.kind, _VARINT)
        if field.repeated and wire == _BYTES and expected != _BYTES:
            stop = self._length(end)
            while self.at < stop:
                self.here.put(field, self._value(field, expected, stop))
            return
        if wire != expected:
            self._unexpected(field)
        value = self._value(field, expected, end)
        # Without a oneof zero is the same as not set: one form for both, whoever wrote it.
        if field.repeated or field.oneof or value != DEFAULTS.get(field.kind, 0) or _negative_zero(value):
            self.here.put(field, value)
        else:
            self.here.given.pop(field.name, None)

    def _value(self, field: MessageField, wire: int, end: int) -> Any:
        if wire == _BYTES:
            stop = self._length(end)
            start, self.at = self.at, stop
            found = self.data[start:stop]
            return found if field.kind == "bytes" else self._text(found, field)
        if wire == _VARINT:
            return _narrowed(self._varint(end), field.kind)
        size, code = (8, "<d") if wire == _FIXED64 else (4, "<f")
        if self.at + size > end:
            self._broken("it ends inside a number")
        (number,) = struct.unpack_from(code, self.data, self.at)
        self.at += size
        return number

    def _text(self, found: bytes, field: MessageField) -> str:
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            raise PlanError(f"'{field.name}' is not UTF-8", where=self.here.where) from None

    def _varint(self, end: int) -> int:
        if self.at < end and (byte := self.data[self.at]) < 0x80:  # most numbers fit one byte
            self.at += 1
            return byte
        result = shift = 0
        while self.at < end and shift < 70:
            byte = self.data[self.at]
            self.at += 1
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
            shift += 7
        return self._broken("it ends inside a number")

    def _length(self, end: int) -> int:
        """Where a value that says its length ends."""
        stop = self._varint(end) + self.at
        if stop > end:
            self._broken("a value is longer than what holds it")
        return stop

    def _unexpected(self, field: MessageField) -> NoReturn:
        self._broken(f"'{field.name}' of {self.here.kind.short} is a {field.kind}, and this is something else")

    def _broken(self, why: str) -> NoReturn:
        raise PlanError(f"not a Substrait plan: {why} (byte {self.at:,})", where=Place(self.here.path))


def _narrowed(number: int, kind: str) -> Any:
    if kind == "bool":
        return bool(number)
    if number < 1 << 31:
        return number
    match kind:
        case "uint64":
            return number & (1 << 64) - 1
        case "uint32":
            return number & (1 << 32) - 1
        case "int64":
            return (number + (1 << 63)) % (1 << 64) - (1 << 63)
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)  # int32 and enumerations


def _negative_zero(value: Any) -> bool:
    return isinstance(value, float) and str(value) == "-0.0"


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def encode(message: Message) -> bytes:
    """The message as bytes: fields in the order of their numbers. The `value` of an `Any` may be a message that is not
    encoded yet. Sizes are computed first, so that no byte is copied once for every level that it is nested in."""
    pieces: dict[int, list[bytes | Message]] = {}
    sizes: dict[int, int] = {}
    stack = [(message, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            sizes[id(node)] = _measure(pieces[id(node)], sizes)
        elif id(node) not in pieces:
            found = pieces[id(node)] = [piece for field, value in node for piece in _field_pieces(field, value)]
            stack.append((node, True))
            stack += [(piece, False) for piece in found if isinstance(piece, Message)]
    return b"".join(_all_pieces(message, pieces, sizes))


def _measure(pieces: list[bytes | Message], sizes: dict[int, int]) -> int:
    total = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            total += len(piece)
        else:
            size = sizes[id(piece)]
            total += len(_varint_bytes(size)) + size
    return total


def _all_pieces(root: Message, pieces: dict[int, list[bytes | Message]], sizes: dict[int, int]) -> Iterator[bytes]:
    stack = [iter(pieces[id(root)])]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, bytes):
            yield piece
        else:
            yield _varint_bytes(sizes[id(piece)])
            stack.append(iter(pieces[id(piece)]))


def _field_pieces(field: MessageField, value: Any) -> list[bytes | Message]:
    """The bytes of a field; a message in it stands for its length and its bytes."""
    wire = _WIRE.get(field.kind, _VARINT)
    if field.repeated and wire != _BYTES:
        packed = b"".join(_scalar_bytes(field.kind, one) for one in value)
        return [_varint_bytes(field.number << 3 | _BYTES) + _varint_bytes(len(packed)) + packed]
    tag = _varint_bytes(field.number << 3 | wire)
    found: list[bytes | Message] = []
    for one in value if field.repeated else [value]:
        if isinstance(one, Message):
            found += [tag, one]
        else:
            body = _scalar_bytes(field.kind, one)
            found.append(tag + (_varint_bytes(len(body)) if wire == _BYTES else b"") + body)
    return found


def _scalar_bytes(kind: str, value: Any) -> bytes:
    match kind:
        case "string":
            return bytes(value, "utf-8")
        case "bytes":
            return bytes(value)
        case "double":
            return struct.pack("<d", value)
        case "float":
            return struct.pack("<f", value)
    return _varint_bytes(int(value) & (1 << 64) - 1)


def _varint_bytes(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
