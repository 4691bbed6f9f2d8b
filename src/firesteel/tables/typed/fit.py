"""Values made to fit a type that somebody asks for, where nothing is lost; any other value is an error that names it.

A whole number fits an integer type whatever it is written as (`12`, `12.0`), a number fits a decimal type that has room
for its digits, and every number fits a float, rounded to it. The text of a day or of a moment (`2024-02-29`) fits a
date or a timestamp, because JSON has no others. NULL and MISSING are both NULL. All else fits only its own type.
"""

from __future__ import annotations

import datetime
import math
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError, EvaluationError, FiresteelError
from firesteel.ion import dumps
from firesteel.tables.json_files import compact_json
from firesteel.tables.typed.ddl import MICROS, JsonText, spelled
from firesteel.values import MISSING, Bag, Struct, Timestamp, Value

#: Of a day and of a moment: the regular expressions that both engines use.
DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
CLOCK = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
OFFSET = r"(Z|[+-][0-9]{2}:[0-9]{2})$"

_EXACT = Context(prec=5_000)
#: How many signs of a value an error shows.
SHOWN = 60


class Misfit(Exception):
    """A value that does not fit: where it is inside of its column, the value and the type."""

    def __init__(self, path: str, value: Value, type_: t.Type) -> None:
        super().__init__(path)
        self.path, self.value, self.type = path, value, type_

    def error(self, row: int) -> EvaluationError:
        """The error, with the number of the row, from 1 on."""
        shown = "NULL" if values.absent(self.value) else _shown(self.value)
        return EvaluationError(misfit_message(self.path, shown, self.type) + f" (row {row})", help=HELP)


HELP = "ask for another type, or convert it in the query: CAST(x AS ...)"


def misfit_message(path: str, shown: str, type_: t.Type) -> str:
    return f"column '{path}': {shown} does not fit {spelled(type_)}"


def _shown(value: Value) -> str:
    try:
        text = compact_json(value)
    except FiresteelError:
        text = str(dumps(value))
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def fit_rows(rows: Iterable[Value], known: t.Type, asked: t.Struct) -> Iterator[tuple[Value, ...]]:
    """The columns of each row, by the schema. `known` is what the plan says of a row."""
    ensure_columns(known, asked)
    names = [field.name or "" for field in asked.fields]
    puts = [(name, fitter(field.type, name)) for name, field in zip(names, asked.fields, strict=True)]
    for number, row in enumerate(rows, 1):
        try:
            there = dict(_attributes(row, names, number))
            yield tuple(put(there.get(name, MISSING)) for name, put in puts)
        except Misfit as unfit:
            raise unfit.error(number) from None


def ensure_columns(known: t.Type, asked: t.Struct) -> None:
    """Refuse a schema whose columns are not those of the answer, as far as the plan knows them."""
    asked_names = [field.name or "" for field in asked.fields]
    if not isinstance(known, t.Struct):
        return
    names = [field.name or "" for field in known.fields]
    extra = next((name for name in names if name not in asked_names), None)
    lacking = None if known.open else next((name for name in asked_names if name not in names), None)
    if extra is not None:
        raise AnalysisError(f"the answer has a column '{extra}', which the schema has not", help=_columns(names))
    if lacking is not None:
        raise AnalysisError(f"the schema has a column '{lacking}', which the answer has not", help=_columns(names))


def _columns(names: list[str]) -> str:
    return f"the columns of the answer are {', '.join(names)}"


def _attributes(row: Value, names: list[str], number: int) -> list[tuple[str, Value]]:
    if not isinstance(row, Struct):
        if names == ["_1"]:
            return [("_1", row)]
        raise EvaluationError(f"row {number} is no struct: {_shown(row)}", help="a value that is none is the column _1")
    there = [(name, item) for name, item in row.pairs if item is not MISSING]
    extra = next((name for name, _ in there if name not in names), None)
    if extra is not None:
        raise EvaluationError(f"row {number} has an attribute '{extra}', which the schema has not")
    if len({name for name, _ in there}) < len(there):
        raise EvaluationError(f"row {number} has an attribute twice: {_shown(row)}")
    return there


# ---------------------------------------------------------------------------------------------------------------------
# One value


def fitter(type_: t.Type, path: str) -> Callable[[Value], Value]:
    """A function that makes a value fit the type, or raises a `Misfit`. Types are not nested deep."""
    put = _put(type_, path)

    def fit(value: Value) -> Value:
        if value is None or value is MISSING:
            if not type_.nullable:
                raise Misfit(path, value, type_)
            return None
        found = put(value)
        if found is None:
            raise Misfit(path, value, type_)
        return found

    return fit


def _put(type_: t.Type, path: str) -> Callable[[Value], Value]:
    match type_:
        case t.Collection():
            inner = fitter(type_.element, f"{path}[]")
            return lambda value: [inner(item) for item in value] if isinstance(value, list | Bag) else None
        case t.Map():
            inner = fitter(type_.value, f"{path}[]")
            return lambda value: (
                Struct([(name, inner(item)) for name, item in value.pairs]) if _distinct(value) else None
            )
        case t.Struct():
            return _struct_putter(type_, path)
    put = next((put for cls, put in _PUT if isinstance(type_, cls)), None)
    return (lambda value: value) if put is None else (lambda value: put(value, type_))


def _distinct(value: Value) -> bool:
    return isinstance(value, Struct) and len({name for name, _ in value.pairs}) == len(value.pairs)


def _struct_putter(type_: t.Struct, path: str) -> Callable[[Value], Value]:
    puts = {field.name or "": fitter(field.type, f"{path}.{field.name}") for field in type_.fields}

    def put(value: Value) -> Value:
        if not _distinct(value) or any(name not in puts for name, item in value.pairs if item is not MISSING):
            return None
        by_name = dict(value.pairs)
        return Struct([(name, inner(by_name.get(name, MISSING))) for name, inner in puts.items()])

    return put


def _integer(value: Value, type_: Any) -> Value:
    if type(value) is float or isinstance(value, Decimal):
        value = int(value) if math.isfinite(value) and value == int(value) else None
    if type(value) is not int:
        return None
    bound = None if type_.bits is None else 1 << (type_.bits - 1)
    return value if bound is None or -bound <= value < bound else None


def _decimal(value: Value, type_: Any) -> Value:
    if type(value) is float:
        value = Decimal(repr(value))
    if type(value) is int:
        value = Decimal(value)
    if not isinstance(value, Decimal) or not value.is_finite():
        return None
    if type_.precision is None:
        return value
    scale = type_.scale or 0
    found = _EXACT.quantize(value, Decimal(1).scaleb(-scale))
    return found if found == value and found.adjusted() + 1 + scale <= type_.precision else None


def _float(value: Value, type_: Any) -> Value:
    if type(value) is bool or not isinstance(value, int | float | Decimal):
        return None
    try:
        found = float(value)
        found = struct.unpack("f", struct.pack("f", found))[0] if isinstance(type_, t.Float32) else found
    except OverflowError:
        return None
    return None if math.isinf(found) and math.isfinite(value) else found


def _date(value: Value, _: Any) -> Value:
    if isinstance(value, str) and re.match(DAY, value):
        return _or_none(datetime.date.fromisoformat, str(value))
    return value if type(value) is datetime.date else None


def _timestamp(value: Value, type_: Any) -> Value:
    if isinstance(value, str) and re.match(CLOCK + (OFFSET if type_.zone else "$"), value):
        found = _or_none(datetime.datetime.fromisoformat, str(value))
        value = None if found is None else values.from_python(found)
    if not isinstance(value, Timestamp) or (value.offset is None) is type_.zone:
        return None
    micros = _EXACT.scaleb(value.instant, MICROS)
    return value if micros == int(micros) else None


def _or_none(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return None


def json_or_text(value: Value) -> str:
    """Text as it is, any other value as its JSON."""
    return str(value) if isinstance(value, str) else compact_json(value)


#: What has no row here stays as it is, and Arrow judges it.
_PUT: tuple[tuple[type[t.Type], Callable[[Value, Any], Value]], ...] = (
    (t.Bool, lambda value, _: value if type(value) is bool else None),
    (t.Integer, _integer),
    (t.Decimal, _decimal),
    (t.Float32, _float),
    (t.Float64, _float),
    (JsonText, lambda value, _: json_or_text(value)),
    (t.Text, lambda value, _: str(value) if isinstance(value, str) else None),
    (t.Octets, lambda value, _: value if isinstance(value, bytes) else None),
    (t.Date, _date),
    (t.Timestamp, _timestamp),
)
