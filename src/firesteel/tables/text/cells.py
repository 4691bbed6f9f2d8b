"""Types of the cells of delimited text: which texts are values of a type, on both engines.

A cell is a value of a type if all of its text matches the type's pattern, and the conversion succeeds. If types are not
given, a column has the first type of `INFERRED` whose values all of its cells are. Numbers with zeros in front (`007`)
and whole numbers of more than 18 digits are text: as numbers they would lose digits.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from firesteel import types as t
from firesteel.errors import UnsupportedError

_DATE = r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIMESTAMP = rf"{_DATE}[ T](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,6}})?"
_WHOLE = r"(?:0|-?[1-9][0-9]{{0,{0}}})"


@dataclass(frozen=True)
class CellType:
    """A type of cells, and the pattern of their text, as Python and Java read it."""

    type: t.Type
    pattern: str

    def fits(self, text: str) -> bool:
        """Is the text a value of the type?"""
        if re.fullmatch(self.pattern, text) is None:
            return False
        if isinstance(self.type, t.Date | t.Timestamp):
            return _is_day(text[:10])
        bits = _BITS.get(self.type)
        return bits is None or -(1 << bits) <= int(text) < 1 << bits


def _is_day(text: str) -> bool:
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:  # the 30th of February
        return False


_BITS: dict[t.Type, int] = {t.INT16: 15, t.INT32: 31, t.INT64: 63}

TEXT = CellType(t.STRING, r"(?s:.*)")
_BOOL = CellType(t.BOOL, r"(?i:true|false)")
_BIGINT = CellType(t.INT64, _WHOLE.format(17))
_DAY = CellType(t.DATE, _DATE)
_MOMENT = CellType(t.Timestamp(6), _TIMESTAMP)

#: The types that a column can have if none are given, in the order in which they are tried. Whole numbers among others
#: with a point are floats as long as a float has all of their digits.
INFERRED = (
    _BOOL,
    _BIGINT,
    CellType(t.FLOAT64, r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"),
    _DAY,
    _MOMENT,
    TEXT,
)

_FLOAT = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_INTEGER = r"[+-]?[0-9]{1,19}"
#: The types that can be asked for by name.
_NAMED = {
    "string": TEXT,
    "boolean": _BOOL,
    "smallint": CellType(t.INT16, _INTEGER),
    "int": CellType(t.INT32, _INTEGER),
    "bigint": CellType(t.INT64, _INTEGER),
    "float": CellType(t.FLOAT32, _FLOAT),
    "double": CellType(t.FLOAT64, _FLOAT),
    "date": _DAY,
    "timestamp": _MOMENT,
}
_ALIASES = {"text": "string", "varchar": "string", "bool": "boolean", "integer": "int", "long": "bigint"}
_DECIMAL = re.compile(r"(?:decimal|numeric)\s*\(\s*([0-9]+)\s*(?:,\s*([0-9]+)\s*)?\)")
_COLUMN = re.compile(r"""\s*(?:"((?:[^"]|"")+)"|([^\s",]+))\s+([A-Za-z]+(?:\s*\([^)]*\))?)\s*(?:,|$)""")


def cell_type(name: str) -> CellType:
    """The type of that name."""
    lower = name.lower()
    found = _NAMED.get(_ALIASES.get(lower, lower))
    if found is not None:
        return found
    decimal = _DECIMAL.fullmatch(lower)
    if decimal is not None:
        digits, scale = int(decimal[1]), int(decimal[2] or 0)
        if 0 < digits <= 38 and scale <= digits:
            point = rf"(?:\.[0-9]{{1,{scale}}})?" if scale else ""
            return CellType(t.Decimal(digits, scale), rf"[+-]?0*[0-9]{{1,{max(digits - scale, 1)}}}{point}")
    raise UnsupportedError(f"no type '{name}' for a column of text", help=f"known: {', '.join(_NAMED)}, decimal(p, s)")


def columns_of(text: str) -> tuple[tuple[str, CellType], ...]:
    """The columns of a text such as `id int, "unit price" decimal(8, 2)`."""
    found, at = [], 0
    while at < len(text):
        match = _COLUMN.match(text, at)
        if match is None:
            raise UnsupportedError(
                f"'{text[at:].strip()}' is no list of columns with types",
                help='types is "infer", "text", or such as: id int, "unit price" decimal(8, 2)',
            )
        found.append(((match[1] or match[2]).replace('""', '"'), cell_type(match[3])))
        at = match.end()
    return tuple(found)


def inferred(cells: Iterable[str | None]) -> CellType:
    """The first type whose values all cells are; text, if there is no cell that is not NULL."""
    left = list(INFERRED)
    seen = False
    for cell in cells:
        if cell is not None:
            seen = True
            left = [type_ for type_ in left if type_.fits(cell)]
            if len(left) == 1:
                break
    return left[0] if seen else TEXT


def arrow_cells(cells: list[str | None], type_: CellType) -> Any:
    """Cells that fit as an Arrow array of the type."""
    import pyarrow as pa

    arrow = _arrow_type(type_.type)
    plain = [cell if cell is None else cell.removeprefix("+") for cell in cells] if type_ is not TEXT else cells
    return pa.array(plain, pa.string()).cast(arrow)


def _arrow_type(type_: t.Type) -> Any:
    import pyarrow as pa

    if isinstance(type_, t.Decimal):
        return pa.decimal128(type_.precision, type_.scale)
    if isinstance(type_, t.Timestamp):
        return pa.timestamp("us")
    plain = {
        t.STRING: pa.string(),
        t.BOOL: pa.bool_(),
        t.INT16: pa.int16(),
        t.INT32: pa.int32(),
        t.INT64: pa.int64(),
        t.FLOAT32: pa.float32(),
        t.FLOAT64: pa.float64(),
        t.DATE: pa.date32(),
    }
    return plain[type_]
