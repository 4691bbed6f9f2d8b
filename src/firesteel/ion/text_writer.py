"""Elements to Ion text: on one line each, or laid out for reading.

Laid out, a container that fits on its line stays on it. A longer s-expression keeps its leading scalars beside the
bracket and puts every other item on a line of its own, as its closing brackets need none; a longer list or struct
puts each item on a line.

Written in two steps without recursion: into a flat list of pieces, which is all there is to the compact form, and from
there, knowing by prefix sums how wide each container would be, into lines.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any

from firesteel.errors import UnsupportedError
from firesteel.ion.element import CONTAINERS, Element, Kind
from firesteel.ion.scalars import MAX_BITS
from firesteel.values import Timestamp

WIDTH = 100
INDENT = 2
#: Indentation stops growing here, or a deep document would be mostly spaces, quadratically.
MAX_INDENT = WIDTH // 2

_BRACKETS = {Kind.LIST: ("[", "]", ", "), Kind.SEXP: ("(", ")", " "), Kind.STRUCT: ("{", "}", ", ")}


def write_text(elements: Iterable[Element], indent: bool = True) -> str:
    """The elements as Ion text, each on a line of its own, or laid out over several where it is long."""
    pieces = map(_Pieces, elements)
    text = "\n".join(one.laid_out() if indent else one.compact() for one in pieces)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UnsupportedError("Ion has no text with half of a surrogate pair in it") from error
    return text


class _Pieces:
    """An element in pieces: brackets with what comes before them, and scalars; in the order of the text."""

    def __init__(self, root: Element) -> None:
        texts: list[str] = []
        gaps: list[str] = []  # what follows a piece on the same line: nothing, or what comes before the next item
        closes: list[int] = []  # for an opening bracket the index of the closing one, for anything else 0
        self.texts, self.gaps, self.closes = texts, gaps, closes
        # What is left to write: an element with its field's name and its container's kind, or an opened bracket.
        stack: list[tuple[Element, str, Kind | None] | int] = [(root, "", None)]
        opened: list[tuple[int, str, str]] = []  # index, closing bracket and separator of the open containers
        while stack:
            todo = stack.pop()
            if isinstance(todo, int):
                closes[todo] = len(texts)
                texts.append(opened.pop()[1])
                gaps.append("")
                closes.append(0)
                continue
            element, prefix, within = todo
            if opened and len(texts) - 1 != opened[-1][0]:
                gaps[-1] = opened[-1][2]
            if element.annotations:
                prefix += "".join(f"{symbol_text(name)}::" for name in element.annotations)
            kind = element.kind
            gaps.append("")
            closes.append(0)
            if kind not in CONTAINERS:
                texts.append(prefix + scalar_text(element, within is Kind.SEXP))
                continue
            bracket, closing, separator = _BRACKETS[kind]
            opened.append((len(texts), closing, separator))
            stack.append(len(texts))
            texts.append(prefix + bracket)
            if kind is Kind.STRUCT:
                stack.extend((item, f"{symbol_text(name)}: ", kind) for name, item in reversed(element.value))
            else:
                stack.extend((item, "", kind) for item in reversed(element.value))

    def compact(self) -> str:
        return "".join(piece for pair in zip(self.texts, self.gaps, strict=True) for piece in pair)

    def laid_out(self) -> str:
        texts, gaps, closes = self.texts, self.gaps, self.closes
        # ends[i]: how far the pieces before i reach on one line
        ends = list(accumulate((len(t) + len(g) for t, g in zip(texts, gaps, strict=True)), initial=0))
        out: list[str] = []
        column = 0
        opened: list[tuple[int, int, bool]] = []  # closing index, indentation, and is it an s-expression
        broken = False  # has the innermost container given up its first line?
        i = 0
        while i < len(texts):
            if opened and i == opened[-1][0]:
                _, indentation, hugged = opened.pop()
                if not hugged:
                    out.append("\n" + " " * indentation)
                    column = indentation
                broken = True
                last = i
                out.append(texts[i])
                column += len(texts[i])
            else:
                last = closes[i] or i
                width = ends[last] + len(texts[last]) - ends[i]
                if opened:
                    _, indentation, hugged = opened[-1]
                    indentation = min(indentation + INDENT, MAX_INDENT)
                    beside = hugged and not broken and not closes[i] and column + 1 + width <= WIDTH
                    if not beside:
                        out.append("\n" + " " * indentation)
                        column = indentation
                        broken = True
                    elif out[-1][-1] != "(":
                        out.append(" ")
                        column += 1
                else:
                    indentation = 0
                if closes[i] > i + 1 and column + width > WIDTH:
                    opened.append((last, indentation, texts[i][-1] == "("))
                    broken = False
                    out.append(texts[i])
                    column += len(texts[i])
                    i += 1
                    continue
                for j in range(i, last):
                    out.append(texts[j])
                    out.append(gaps[j])
                out.append(texts[last])
                column += width
            if gaps[last] == ", ":
                out.append(",")
            i = last + 1
        return "".join(out)


# ---------------------------------------------------------------------------------------------------------------------
# Scalars

_UNQUOTED = re.compile(r"(?!(?:null|true|false|nan)\Z|\$[0-9]+\Z|\$ion_[0-9]+_[0-9]+\Z)[A-Za-z_$][A-Za-z0-9_$]*\Z")
_OPERATOR = re.compile(r"(?!.*/[/*])[!#%&*+\-./;<=>?@^`|~]+\Z")
_ESCAPED = re.compile(r"[\\\x00-\x1f\x7f-\x9f\ufeff]")
_ESCAPED_OCTET = re.compile(r'[\\"\x00-\x1f\x7f-\xff]')
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _NAMED.get(char) or (f"\\x{ord(char):02x}" if char < "\u0100" else f"\\u{ord(char):04x}")


def symbol_text(text: str, in_sexp: bool = False) -> str:
    """A symbol, quoted where it has to be; an operator need not be in an s-expression."""
    if _UNQUOTED.match(text) or (in_sexp and _OPERATOR.match(text)):
        return text
    return "'" + _ESCAPED.sub(_escape, text).replace("'", "\\'") + "'"


def string_text(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text).replace('"', '\\"') + '"'


def float_text(value: float) -> str:
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "+inf" if value > 0 else "-inf"
    text = repr(value)
    return text if "e" in text else text + "e0"


def decimal_text(value: Decimal) -> str:
    """Coefficient and exponent as they are, so that `1.0` stays apart from `1.00`."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise UnsupportedError(f"Ion has no decimal {value}")
    text = "".join(map(str, digits))
    minus = "-" if sign else ""
    if exponent == 0:
        return f"{minus}{text}."
    if exponent > 0 or -exponent > len(text) + 6:
        return f"{minus}{text}d{exponent}"
    text = text.rjust(1 - exponent, "0")
    return f"{minus}{text[:exponent]}.{text[exponent:]}"


def timestamp_text(value: Timestamp) -> str:
    """A timestamp in its precision; an offset that is not known is `-00:00`."""
    if not 1 <= value.year <= 9999:
        raise UnsupportedError(f"an Ion timestamp has no year {value.year}")
    date = f"{value.year:04}"
    if value.precision == "year":
        return date + "T"
    date += f"-{value.month:02}"
    if value.precision == "month":
        return date + "T"
    date += f"-{value.day:02}"
    if value.precision == "day":
        return date
    time = f"T{value.hour:02}:{value.minute:02}"
    if value.precision == "second":
        whole, dot, fraction = f"{value.second:f}".partition(".")
        time += f":{whole:0>2}{dot}{fraction}"
    if value.offset is None:
        return date + time + "-00:00"
    if value.offset == 0:
        return date + time + "Z"
    hours, minutes = divmod(abs(value.offset), 60)
    return date + time + f"{'-' if value.offset < 0 else '+'}{hours:02}:{minutes:02}"


def int_text(value: int) -> str:
    return str(value) if value.bit_length() < MAX_BITS else hex(value)  # Python does not print larger ones


def blob_text(value: bytes) -> str:
    return "{{" + base64.b64encode(value).decode("ascii") + "}}"


def clob_text(value: bytes) -> str:
    return '{{"' + _ESCAPED_OCTET.sub(_escape, value.decode("latin-1")) + '"}}'


_SCALARS: dict[Kind, Any] = {
    Kind.NULL: lambda kind: "null" if kind is Kind.NULL else f"null.{kind.value}",
    Kind.BOOL: lambda value: "true" if value else "false",
    Kind.INT: int_text,
    Kind.FLOAT: float_text,
    Kind.DECIMAL: decimal_text,
    Kind.TIMESTAMP: timestamp_text,
    Kind.STRING: string_text,
    Kind.BLOB: blob_text,
    Kind.CLOB: clob_text,
}


def scalar_text(element: Element, in_sexp: bool = False) -> str:
    if element.kind is Kind.SYMBOL:
        return symbol_text(element.value, in_sexp)
    text: str = _SCALARS[element.kind](element.value)
    return text
