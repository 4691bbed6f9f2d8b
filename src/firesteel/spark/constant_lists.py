"""`x IN (c1, ..., cn)` of constants: one literal, however many there are, and one lookup for a row.

Spark's own `isin` takes five calls to the JVM for each constant, 10,000 of them several seconds. So a long list is sent
as one text of JSON, in buckets: of a number its remainder says which one it is in, of a text the remainder of its
CRC-32. Catalyst reads the JSON once, when it optimizes; a row is compared with what is in its bucket.

An operand without a static type is looked up by a text that says what it is: `s1` is the text `'1'`, `n1` the number.
"""

from __future__ import annotations

import datetime
import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark import columns as F
from firesteel.spark.compare import equal
from firesteel.spark.dynamic import WIDE_NUMBERS, payload, whole
from firesteel.spark.encoding import to_spark
from firesteel.spark.expr import Expr, made
from firesteel.spark.floats import stands_for
from firesteel.spark.narrow import Side
from firesteel.spark.rex import literal
from firesteel.spark.scope import Scope, Where
from firesteel.spark.shortest import digits, place
from firesteel.spark.structs import elements_of
from firesteel.values import Bag, Timestamp, Value, absent, decimal_of

#: So many constants of a plain operand are Spark's own `isin`, which it hands to the scan one by one.
SHORT = 50
_NULLABLE = t.absent(t.BOOL, nullable=True)
_EPOCH = datetime.date(1970, 1, 1)


def constants(rex: p.Rex | t.Type) -> list[Value] | None:
    """The elements of a collection that is known; None if it is not, or is no collection."""
    match rex:
        case p.Lit(value=list() as items):
            return items
        case p.Lit(value=Bag(items=items)):
            return list(items)
        case p.Collection(items=parts) if all(isinstance(part, p.Lit) for part in parts):
            return [part.value for part in parts if isinstance(part, p.Lit)]
    return None


def applies(operand: Expr) -> bool:
    """Is there a table for operands of this type?"""
    return operand.dynamic or type(operand.type) in _TABLES


def among(scope: Scope, operand: Expr, listed: Sequence[Value], where: Where) -> Expr:
    """True if one of the constants is `=`, else NULL if one might be, else false."""
    if not listed:
        return Expr(t.BOOL, F.lit(False), atomic=True)
    present = [item for item in listed if not absent(item)]
    if not operand.dynamic:
        return _answer(operand, _plain(operand, present), len(present) < len(listed))

    def apply(value: Expr) -> Expr:
        return _answer(value, _dynamic(scope, value, present, where), len(present) < len(listed))

    return scope.let([operand], apply)


def _answer(operand: Expr, found: Expr, unknown: bool) -> Expr:
    """`found` is true or false where the operand is there. If a constant is NULL, nothing is surely not among them."""
    column = F.when(found.plain, F.lit(True)) if unknown else found.plain
    gone = operand.is_absent()
    column = column if gone is None else F.when(~gone, column)
    return made(t.absent(t.BOOL, nullable=unknown or gone is not None), column, operand, found)


# ---------------------------------------------------------------------------------------------------------------------
# Tables


@dataclass(frozen=True)
class _Keys:
    """A sort of keys: Spark's type, how one is written in JSON, and a whole number that tells it from most others, as
    Python and as Spark compute it."""

    type: str
    written: Callable[[Any], str]
    number: Callable[[Any], int]
    column: Callable[[Column], Column]
    #: The column that is looked up, of type `type`.
    key: Callable[[Column], Column] = lambda key: key

    def among(self, key: Column, listed: Iterable[Any]) -> Column:
        """Is the key one of these?"""
        items = list(dict.fromkeys(listed))
        size = 1 if len(items) <= SHORT else len(items) // 2 | 1
        buckets: list[list[str]] = [[] for _ in range(size)]
        for item in items:
            buckets[self.number(item) % size].append(self.written(item))
        text = ",".join(f"[{','.join(bucket)}]" for bucket in buckets)
        table = F.from_json(F.lit(f"[{text}]"), f"array<array<{self.type}>>")
        index = F.pmod(self.column(key), F.lit(size)).cast("int") if size > 1 else F.lit(0)
        return F.array_contains(F.get(table, index), self.key(key))


#: Floats from here on are in one bucket: as integers they may be too large.
_LARGE = 2.0**50


def _scaled(number: float) -> int:
    return int(number * 1024) if abs(number) < _LARGE else 0


def _scaled_column(key: Column) -> Column:
    return F.when(F.abs(key) < _LARGE, (key * 1024.0).cast("bigint")).otherwise(F.lit(0))


_TEXTS = _Keys("string", json.dumps, lambda item: zlib.crc32(item.encode(errors="replace")), lambda key: F.crc32(key))
_FLOATS = _Keys("double", json.dumps, _scaled, _scaled_column)


_DATES = _Keys("int", lambda item: str(_days(item)), lambda item: _days(item), F.unix_date, F.unix_date)


def _days(date: datetime.date) -> int:
    return (date - _EPOCH).days


def _numbers(type_: t.Type) -> _Keys:
    """Integers or decimals. Python has no format `f` for an integer: it would be a float."""
    written = str if isinstance(type_, t.Integer) else "{:f}".format
    return _Keys(to_spark(type_).simpleString(), written, math.floor, F.floor)


# ---------------------------------------------------------------------------------------------------------------------
# Plain operands: the constants that may be equal, as values of the operand's own type


def _plain(operand: Expr, listed: Sequence[Value]) -> Expr:
    type_ = t.proper(operand.type)
    keys, of = _TABLES[type(type_)](type_)
    found = [key for key in map(of, listed) if key is not None]
    key = operand.plain.cast("double") if keys is _FLOATS else operand.plain
    if not found:
        return made(_NULLABLE, F.lit(False), operand)
    if len(found) <= SHORT:
        return made(_NULLABLE, key.isin(*(_literal(item, keys.type) for item in found)), operand)
    return made(_NULLABLE, keys.among(key, found), operand, cost=6)


def _literal(item: Any, spark_type: str) -> Column:
    if isinstance(item, int | Decimal):
        return F.literal(f"{item:f}" if isinstance(item, Decimal) else item, spark_type)
    return F.lit(item)


def _number(value: Value) -> Decimal | None:
    """The exact number that a constant stands for; None if it is none, or is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not _finite(value):
        return None
    return stands_for(value)


def _finite(value: float | Decimal) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def _integer(type_: t.Type) -> Callable[[Value], int | None]:
    assert isinstance(type_, t.Integer)
    bits = type_.bits or 64

    def of(value: Value) -> int | None:
        number = _number(value)
        if number is None or number.adjusted() > 20 or number != number.to_integral_value():
            return None
        found = int(number)
        return found if -(2 ** (bits - 1)) <= found < 2 ** (bits - 1) else None

    return of


def _float(value: Value) -> float | None:
    """The float that stands for the very number."""
    if isinstance(value, float):
        return value + 0.0
    number = _number(value)
    if number is None or number.adjusted() > 308:
        return None
    near = float(number)
    return near if math.isfinite(near) and decimal_of(near) == number else None


def _decimal(type_: t.Type) -> Callable[[Value], Decimal | None]:
    assert isinstance(type_, t.Decimal)
    precision, scale = type_.precision or 38, type_.scale or 0

    def of(value: Value) -> Decimal | None:
        number = _number(value)
        if number is None or (number and number.adjusted() >= precision - scale):
            return None
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        fraction = f"{number:f}".partition(".")[2].rstrip("0") if -100 < exponent < 0 else "0" * -min(0, exponent)
        return number if len(fraction) <= scale else None

    return of


def _text(value: Value) -> str | None:
    return str(value) if isinstance(value, str) else None


def _date(value: Value) -> datetime.date | None:
    """A timestamp is equal to a date if it is the midnight before it."""
    if type(value) is datetime.date:
        return value
    if not isinstance(value, Timestamp):
        return None
    days, beyond = divmod(value.instant, 86_400)
    ordinal = _EPOCH.toordinal() + int(days)
    return datetime.date.fromordinal(ordinal) if not beyond and 1 <= ordinal <= datetime.date.max.toordinal() else None


Table = tuple[_Keys, Callable[[Value], Any]]

#: By type of operand: the sort of keys, and the key of a constant; None if it is equal to no value of the type.
_TABLES: dict[type[t.Type], Callable[[t.Type], Table]] = {
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), lambda type_: (_numbers(type_), _integer(type_))),
    **dict.fromkeys((t.String, t.Char), lambda _: (_TEXTS, _text)),
    **dict.fromkeys((t.Float32, t.Float64), lambda _: (_FLOATS, _float)),
    t.Decimal: lambda type_: (_numbers(type_), _decimal(type_)),
    t.Date: lambda _: (_DATES, _date),
}


# ---------------------------------------------------------------------------------------------------------------------
# Operands without a static type


def _dynamic(scope: Scope, value: Expr, listed: Sequence[Value], where: Where) -> Expr:
    """By the key of what it is; floats by themselves, and all else, as moments and containers, one by one."""
    side = Side.of(scope, value)
    keys = [key for item in listed for key in _keys(item, wide=side.tags)]
    floats = [key for key in map(_float, listed) if key is not None]
    rest = [item for item in listed if not isinstance(item, bool | int | float | Decimal | str)]
    tests, parts = [], list(side.parts)
    if keys:
        sorts = {key[0] for key in keys}
        tests.append(_TEXTS.among(_key(side, sorts), keys))
    if floats:
        tests.append(F.when(side.kind.isin("DOUBLE", "FLOAT"), _FLOATS.among(side.read("double"), floats)))
    if rest:
        parts.append(_one_by_one(scope, value, literal(rest), where))
        tests.append(parts[-1].plain)
    found: Column = F.lit(False)
    for test in tests:
        found = found | F.coalesce(test, F.lit(False))
    return made(_NULLABLE, found, *parts, cost=12)


def _one_by_one(scope: Scope, value: Expr, listed: Expr, where: Where) -> Expr:
    array, element = elements_of(scope, listed)
    inner = scope.inner((), where)
    found = F.exists(array.column, lambda item: equal(inner, value, Expr(element, item, atomic=True), where).plain)
    return made(_NULLABLE, found, value, array, cost=8)


def _keys(value: Value, *, wide: bool) -> list[str]:
    """The keys of a constant that is a text, a truth value or a number; two of a number, if there are `wide` ones."""
    if isinstance(value, bool):
        return [f"b{value}".lower()]
    if isinstance(value, str):
        return [f"s{value}"]
    number = _number(value)
    if number is None:
        return []
    sign, figures, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    counted = "".join(map(str, figures)).lstrip("0")
    found = [f"w{'-' * sign}{len(counted) + exponent}:{counted.rstrip('0')}" if counted else "w0"] if wide else []
    if abs(number.adjusted()) <= _WIDEST:
        text = f"{number:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        found.append(f"n{text}" if counted else "n0")
    return found


#: No number that a variant holds as it is has its first digit further from the point.
_WIDEST = 40
#: The zeros at the end of a decimal's text, which do not count.
_ZEROS = r"\.0*$|(\.\d*[1-9])0+$"


def _key(side: Side, sorts: set[str]) -> Column:
    """The key of a variant; SQL NULL of what has none."""
    column, kind = side.variant.column, side.kind
    written = side.written if side.written is not None else whole(column, "string")
    branches = {
        "STRING": ("s", written),
        "BOOLEAN": ("b", written),
        "BIGINT": ("n", written),
        "DECIMAL": ("n", F.regexp_replace(written, _ZEROS, "$1")),
    }
    if side.tags:
        branches["symbol"] = ("s", payload(column, "string"))
        branches.update(dict.fromkeys(WIDE_NUMBERS, ("w", _wide(payload(column, "string")))))
    found: Any = F
    for name, (sort, text) in branches.items():
        if sort in sorts:
            found = found.when(kind == name, F.concat(F.lit(sort), text))
    key: Column = found
    return key


def _wide(written: Column) -> Column:
    """The key of a number that is tagged: whatever zeros it ends with, and whether it has an exponent or not."""
    counted = digits(written)
    sign = F.when(written.startswith("-"), F.lit("-")).otherwise(F.lit(""))
    key = F.concat(sign, place(written).cast("string"), F.lit(":"), counted)
    return F.when(counted == "", F.lit("0")).otherwise(key)


__all__ = ["SHORT", "among", "applies", "constants"]
