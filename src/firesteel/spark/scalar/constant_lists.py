"""`x IN (c1, ..., cn)` with many constants, as one literal and one lookup per row.

Spark's own `isin` takes five calls to the JVM per constant: many seconds for 10,000. So a long list is sent as one JSON
text, a hash table: the CRC-32 of a key is its bucket. Catalyst parses the JSON once, when it folds constants, and each
row is compared with the two or three items of its bucket.

Keys are texts with the kind in front: `s1` is the text `'1'`, `n1` the number 1, be it an integer or `1.00`. Python and
Spark write floats differently, so floats are their own keys. Short lists use `isin`, which Spark can push to the scan.
"""

from __future__ import annotations

import datetime
import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.passes.analysis.conditions import LONG, MANY
from firesteel.spark.core.expr import Depth, Expr, Variant, column_expr, derive
from firesteel.spark.core.literals import literal
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, payload
from firesteel.spark.numbers.float_compare import stands_for
from firesteel.spark.numbers.float_text import digits, first_digit_place
from firesteel.spark.scalar.compare import equal
from firesteel.spark.scalar.compare_literal import Side
from firesteel.spark.scalar.structs import elements_of
from firesteel.values import Bag, Timestamp, Value, absent, decimal_of

_NULLABLE = t.absent(t.BOOL, nullable=True)
_EPOCH = datetime.date(1970, 1, 1)


def constants(rex: p.Rex | t.Type) -> list[Value]:
    """The elements of a constant collection, if there are many; else an empty list."""
    items: list[Value] = []
    match rex:
        case p.Lit(value=list() as listed):
            items = listed
        case p.Lit(value=Bag(items=listed)):
            items = list(listed)
        case p.Collection(items=parts) if all(isinstance(part, p.Lit) for part in parts):
            items = [part.value for part in parts if isinstance(part, p.Lit)]
    return items if len(items) >= LONG else []


def applies(operand: Expr, count: int) -> bool:
    """Is a lookup used for this operand and number of constants?"""
    return count >= LONG if isinstance(operand, Variant) else count >= MANY and type(operand.type) in _TEXTS | _FLOATS


def in_constants(scope: Scope, operand: Expr, listed: Sequence[Value], where: Where) -> Expr:
    """IN: true if a constant equals the operand, else NULL if one is absent, else false."""
    present = [item for item in listed if not absent(item)]

    def apply(value: Expr) -> Expr:
        found = _dynamic(scope, value, present, where) if isinstance(value, Variant) else _plain(value, present)
        unknown, gone = len(present) < len(listed), value.is_absent()
        column = F.when(found.plain, F.lit(True)) if unknown else found.plain
        column = column if gone is None else F.when(~gone, column)
        return derive(t.absent(t.BOOL, nullable=unknown or gone is not None), column, value, found)

    return scope.let([operand], apply)


# ---------------------------------------------------------------------------------------------------------------------
# Hash tables


def _text_is_in(key: Column, texts: Iterable[str]) -> Column:
    return _is_in(key, "string", texts, lambda text: zlib.crc32(text.encode(errors="replace")), F.crc32)


def _float_is_in(key: Column, floats: Iterable[float]) -> Column:
    """Floats from `_LARGE` on share one bucket: they may not fit an integer."""
    number = F.when(F.abs(key) < _LARGE, (key * 1024.0).cast("bigint")).otherwise(F.lit(0))
    return _is_in(key, "double", floats, lambda f: int(f * 1024) if abs(f) < _LARGE else 0, lambda _: number)


_LARGE = 2.0**50


def _is_in(
    key: Column, type_: str, listed: Iterable[Any], number: Callable[[Any], int], column: Callable[[Column], Column]
) -> Column:
    """Is the key among the items? `number` and `column` are the same hash, in Python and in Spark."""
    items = list(dict.fromkeys(listed))
    buckets: list[list[Any]] = [[] for _ in range(len(items) // 2 | 1)]
    for item in items:
        buckets[number(item) % len(buckets)].append(item)
    table = F.from_json(F.lit(json.dumps(buckets)), f"array<array<{type_}>>")
    return F.array_contains(F.get(table, F.pmod(column(key), F.lit(len(buckets))).cast("int")), key)


# ---------------------------------------------------------------------------------------------------------------------
# Operands with a static type: the constants that may equal them have one sort of key


def _plain(operand: Expr, listed: Sequence[Value]) -> Expr:
    if type(operand.type) in _FLOATS:
        floats = [key for key in map(_float, listed) if key is not None]
        return derive(_NULLABLE, _float_is_in(operand.plain.cast("double"), floats), operand, cost=Depth.MEDIUM)
    sort, text = _TEXTS[type(operand.type)]
    keys = (key for item in listed for key in _keys(item) if key.startswith(sort))
    return derive(_NULLABLE, _text_is_in(F.concat(F.lit(sort), text(operand.plain)), keys), operand, cost=Depth.MEDIUM)


def _written(column: Column) -> Column:
    return column.cast("string")


def _without_zeros(written: Column) -> Column:
    """The text of a decimal without trailing zeros."""
    return F.regexp_replace(written, r"\.0*$|(\.\d*[1-9])0+$", "$1")


#: By type of operand: the first letter of its keys, and the text of a value.
_TEXTS: dict[type[t.Type], tuple[str, Callable[[Column], Column]]] = {
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), ("n", _written)),
    **dict.fromkeys((t.String, t.Char), ("s", _written)),
    t.Decimal: ("n", lambda column: _without_zeros(_written(column))),
    t.Date: ("d", lambda column: _written(F.unix_date(column))),
}
_FLOATS = {t.Float32: "float", t.Float64: "double"}


# ---------------------------------------------------------------------------------------------------------------------
# Operands without a static type


def _dynamic(scope: Scope, value: Expr, listed: Sequence[Value], where: Where) -> Expr:
    """Look up texts, booleans and numbers by key, floats as floats; compare moments and containers one by one."""
    side = Side.of(scope, value)
    simple = [item for item in listed if isinstance(item, bool | int | float | Decimal | str)]
    rest = [item for item in listed if not isinstance(item, bool | int | float | Decimal | str)]
    keys = [key for item in simple for key in _keys(item)]
    floats = [key for key in map(_float, simple) if key is not None]
    tests, parts = [], list(side.parts)
    if keys:
        tests.append(_text_is_in(_key(side, {key[0] for key in keys}), keys))
    if floats:
        tests.append(F.when(side.kind.isin(Kind.DOUBLE, Kind.FLOAT), _float_is_in(side.read("double"), floats)))
    if rest:
        parts.append(_one_by_one(scope, value, literal(rest), where))
        tests.append(parts[-1].plain)
    any_test: Column = F.lit(False)
    for test in tests:
        any_test = any_test | F.coalesce(test, F.lit(False))
    return derive(_NULLABLE, any_test, *parts, cost=Depth.DEEP)


def _one_by_one(scope: Scope, value: Expr, listed: Expr, where: Where) -> Expr:
    array, element = elements_of(scope, listed)
    inner = scope.inner((), where)
    found = F.exists(
        array.column, lambda item: equal(inner, value, column_expr(element, item, atomic=True), where).plain
    )
    return derive(_NULLABLE, found, value, array, cost=Depth.LARGE)


def _key(side: Side, sorts: set[str]) -> Column:
    """The key of a variant; SQL NULL if its kind has no key."""
    column, kind = side.variant.column, side.kind
    written = side.written if side.written is not None else cast_variant(column, "string")
    branches = {
        Kind.STRING: ("s", written),
        Kind.BOOLEAN: ("b", written),
        Kind.BIGINT: ("n", written),
        Kind.DECIMAL: ("n", _without_zeros(written)),
    }
    if side.tags:
        branches[Kind.SYMBOL] = ("s", payload(column, "string"))
        branches.update(dict.fromkeys(WIDE_NUMBERS, ("w", _wide(payload(column, "string")))))
    found: Any = F
    for name, (sort, text) in branches.items():
        if sort in sorts:
            found = found.when(kind == name, F.concat(F.lit(sort), text))
    key: Column = found
    return key


def _wide(written: Column) -> Column:
    """The key of a wide number: the same for all ways to write it (trailing zeros, exponents)."""
    counted = digits(written)
    sign = F.when(written.startswith("-"), F.lit("-")).otherwise(F.lit(""))
    key = F.concat(sign, first_digit_place(written).cast("string"), F.lit(":"), counted)
    return F.when(counted == "", F.lit("0")).otherwise(key)


# ---------------------------------------------------------------------------------------------------------------------
# Keys of constants


def _keys(value: Value) -> list[str]:
    """The keys of a constant. A number has two, because a variant may hold it as a wide number."""
    match value:
        case bool():
            return [f"b{value}".lower()]
        case str():
            return [f"s{value}"]
        case int() | float() | Decimal() if math.isfinite(value):
            return _number_keys(stands_for(value))
        case Timestamp():  # it equals a date if it is midnight of that day
            return [] if value.instant % 86_400 else [f"d{value.instant // 86_400:.0f}"]
        case datetime.date():
            return [f"d{(value - _EPOCH).days}"]
    return []


def _number_keys(number: Decimal) -> list[str]:
    if not number:
        return ["n0", "w0"]
    sign, figures, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    counted = "".join(map(str, figures)).lstrip("0")
    wide = f"w{'-' * sign}{len(counted) + exponent}:{counted.rstrip('0')}"
    if abs(number.adjusted()) > _WIDEST:
        return [wide]
    text = f"{number:f}"
    return [wide, "n" + (text.rstrip("0").rstrip(".") if "." in text else text)]


#: A number whose first digit is further from the point is always a wide one.
_WIDEST = 40


def _float(value: Value) -> float | None:
    """The float that is exactly this number; None if there is none."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not math.isfinite(value):
        return None
    number = stands_for(value)
    near = float(number) if number.adjusted() <= 308 else math.inf
    return near if math.isfinite(near) and decimal_of(near) == number else None


__all__ = ["applies", "constants", "in_constants"]
