"""Values and types as PartiQL writes them."""

from __future__ import annotations

import datetime
from collections.abc import Generator, Iterator
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.evaluate.scalar.calendar import MONTHS, NANOS, SECONDS
from firesteel.ion import dumps, loads
from firesteel.node import canonical, drive
from firesteel.partiql import ast
from firesteel.partiql.lower.written import moments

# ---------------------------------------------------------------------------------------------------------------------
# Values


def literal(value: values.Value, type_: t.Type) -> ast.Expr:
    """A literal; one whose type is not the value's own is cast to it."""
    made: ast.Expr = drive(_value, value)
    own = t.type_of(value)
    if isinstance(type_, t.Any) or isinstance(own, t.Missing) or t.proper(type_) == t.proper(own):
        return made
    if isinstance(own, t.Collection | t.Struct) or isinstance(value, values.Interval):
        return made
    try:
        return ast.Cast(made, type_syntax(type_))
    except UnsupportedError:
        return made


def _value(value: values.Value) -> ast.Expr | Generator[Any, Any, ast.Expr]:
    match value:
        case values.Struct():
            return _struct(value)
        case values.Bag() | list():
            return _collection(value)
        case int() if type(value) is int and value < 0:
            return ast.Operator("neg", (ast.Lit(-value),))
        case float() if value < 0 and value != float("-inf"):
            return ast.Operator("neg", (ast.Lit(-value),))
        case Decimal() if value.is_finite() and value < 0:
            return ast.Operator("neg", (ast.Lit(-value),))
        case datetime.date() | values.Time() | values.Timestamp() | values.Interval():
            return _moment(value)
        case _:
            return ast.Lit(_as_ion(value))


def _as_ion(value: values.Value) -> values.Value:
    """The value, if it can be written: in Ion where PartiQL has no form of its own."""
    if value is None or isinstance(value, bool | int | float | Decimal | str | values.Missing):
        return value
    if canonical(loads(dumps(value))) == canonical(value):
        return value
    raise UnsupportedError(f"a literal of type '{t.type_of(value)}' has no form in PartiQL")


def _collection(value: Any) -> Generator[Any, Any, ast.Expr]:
    kind = ast.Bag if isinstance(value, values.Bag) else ast.Sexp if isinstance(value, values.Sexp) else ast.List
    items: list[ast.Expr] = []
    for item in value:
        items.append((yield (item,)))
    return kind(tuple(items))


def _struct(value: values.Struct) -> Generator[Any, Any, ast.Expr]:
    pairs: list[ast.Pair] = []
    for name, item in value.pairs:
        pairs.append(ast.Pair(ast.Lit(name), (yield (item,))))
    return ast.Struct(tuple(pairs))


def _moment(value: Any) -> ast.Expr:
    """The first form that reads as this value."""
    for made in _moments(value):
        try:
            read, _ = moments.read(made)
        except FiresteelError:
            continue
        if canonical(read) == canonical(value):
            return made
    return ast.Lit(_as_ion(value))


def _moments(value: Any) -> Iterator[ast.Expr]:
    match value:
        case values.Interval():
            yield from _intervals(value)
        case values.Timestamp():
            day = f"{value.year:04}-{value.month:02}-{value.day:02}"
            yield ast.TimestampLit(f"{day} {_clock(value)}")
        case values.Time():
            yield ast.TimeLit(_clock(value))
        case _:
            yield ast.DateLit(value.isoformat())


def _clock(value: values.Time | values.Timestamp) -> str:
    second = f"{value.second:f}"
    whole, point, fraction = second.partition(".")
    made = f"{value.hour:02}:{value.minute:02}:{whole.zfill(2)}{point}{fraction}"
    if value.offset is None:
        return made
    hours, minutes = divmod(abs(value.offset), 60)
    return f"{made}{'-' if value.offset < 0 else '+'}{hours:02}:{minutes:02}"


def _intervals(value: values.Interval) -> Iterator[ast.Expr]:
    """The interval from the field on that has room for it, to the last one."""
    if value.unit == "year_month":
        total, sizes = value.months, dict(MONTHS)
    elif value.unit == "day_time":
        total, sizes = value.nanos, {name: seconds * NANOS for name, seconds in SECONDS.items()}
    else:
        return
    fields = list(sizes)
    last = fields[-1]
    for start in fields:
        below = fields[fields.index(start) :]
        rest, texts = abs(total), []
        for name in below:
            amount, rest = divmod(rest, sizes[name])
            texts.append(str(amount))
        if rest:  # nanoseconds of the last second
            texts[-1] += f".{rest:09}"
        text = texts[0] + "".join(_BEFORE[name] + part for name, part in zip(below[1:], texts[1:], strict=True))
        fraction = value.fraction if last == "second" else None
        end = last if start != last else None
        qualifier = ast.IntervalQualifier(start, end, precision=value.digits, digits=fraction)
        yield ast.IntervalLit(text, qualifier, negative=total < 0)


#: What stands between a field of an interval and the one before it.
_BEFORE = {"month": "-", "hour": " ", "minute": ":", "second": ":"}

# ---------------------------------------------------------------------------------------------------------------------
# Types

_NAMES: dict[type[t.Type], str] = {
    t.Any: "ANY",
    t.Null: "NULL",
    t.Missing: "MISSING",
    t.Bool: "BOOL",
    t.Int8: "TINYINT",
    t.Int16: "SMALLINT",
    t.Int32: "INT4",
    t.Int64: "INT",
    t.Float32: "REAL",
    t.Float64: "FLOAT",
    t.Symbol: "SYMBOL",
    t.Clob: "CLOB",
    t.Date: "DATE",
}
#: Types whose first parameter is a length; without one they have the second name.
_SIZED: dict[type[t.Type], tuple[str, str]] = {
    t.Char: ("CHAR", "CHAR"),
    t.String: ("VARCHAR", "STRING"),
    t.Blob: ("BLOB", "BLOB"),
}
_COLLECTIONS: dict[type[t.Type], str] = {t.Array: "LIST", t.Bag: "BAG", t.Sexp: "SEXP"}


def type_syntax(type_: t.Type) -> ast.Type:
    """The type as it is written; whether it may be NULL or MISSING is only said of the fields of a struct."""
    made: ast.Type = drive(_type, type_)
    return made


def _type(type_: t.Type) -> ast.Type | Generator[Any, Any, ast.Type]:
    kind = type(type_)
    if kind in _NAMES:
        return ast.TypeName(_NAMES[kind])
    if kind in _SIZED:
        length = getattr(type_, "length" if kind is t.Char else "extent")
        sized, plain = _SIZED[kind]
        return ast.TypeName(plain) if length is None else ast.TypeName(sized, (length,))
    match type_:
        case t.Decimal(precision=precision, scale=scale):
            return ast.TypeName("DECIMAL", tuple(one for one in (precision, scale) if one is not None))
        case t.Time() | t.Timestamp():
            digits = () if type_.precision is None else (type_.precision,)
            name = "TIME" if isinstance(type_, t.Time) else "TIMESTAMP"
            return ast.TypeName(name, digits, zone=True if type_.zone else None)
        case t.Collection() if kind in _COLLECTIONS:
            return _collection_type(type_)
        case t.Struct():
            return ast.TypeName("STRUCT") if type_.open and not type_.fields else _struct_type(type_)
        case _:
            raise UnsupportedError(f"the type '{type_}' has no form in PartiQL")


def _collection_type(type_: t.Collection) -> Generator[Any, Any, ast.Type]:
    name = _COLLECTIONS[type(type_)]
    if isinstance(type_.element, t.Any):
        return ast.TypeName(name)
    return ast.CollectionType(name, (yield (type_.element,)))


def _struct_type(type_: t.Struct) -> Generator[Any, Any, ast.Type]:
    if type_.open or not type_.fields:
        raise UnsupportedError(f"the type '{type_}' has no form in PartiQL")
    fields: list[ast.FieldType] = []
    for field in type_.fields:
        inner = yield (field.type,)
        name = ast.Name(field.name or "", quoted=True)
        fields.append(ast.FieldType(name, inner, optional=field.type.missable, required=not field.type.nullable))
    return ast.StructType(tuple(fields))
