"""Types as written, as types of the lattice."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.evaluate.scalar.calendar import MONTHS, SECONDS
from firesteel.node import drive
from firesteel.partiql import ast
from firesteel.source import Span


def lower_type(node: ast.Type) -> t.Type:
    """The type that was written, however deep it is nested."""
    made: t.Type = drive(_lowered, node)
    return made


def _lowered(node: ast.Type) -> t.Type | Generator[Any, Any, t.Type]:
    match node:
        case ast.TypeName(name=name):
            make = _NAMES.get(name)
            if make is None:
                raise AnalysisError(f"no type '{name}'", where=node.where)
            return make(node)
        case ast.IntervalType(qualifier=qualifier):
            return t.Interval("year_month" if interval_fields(qualifier)[0] in MONTHS else "day_time")
        case ast.CollectionType():
            return _collection(node)
        case ast.StructType():
            return _struct(node)
        case _:
            raise AnalysisError(f"no type for '{node.tag}'", where=node.where)


def _collection(node: ast.CollectionType) -> Generator[Any, Any, t.Type]:
    kinds: dict[str, type[t.Collection]] = {"BAG": t.Bag, "SEXP": t.Sexp}
    element = yield (node.element,)
    return kinds.get(node.name, t.Array)(element)


def _struct(node: ast.StructType) -> Generator[Any, Any, t.Type]:
    fields = []
    for field in node.fields:
        inner = yield (field.type,)
        type_ = t.absent(inner, nullable=not field.required, missable=field.optional)
        fields.append(t.Field(field.name.text, type_))
    return t.Struct(tuple(fields), open=False)


def _decimal(node: ast.TypeName) -> t.Type:
    precision, scale = (*node.parameters, None, None)[:2]
    if precision is not None and not 1 <= precision <= 38:
        raise AnalysisError(f"a decimal has 1 to 38 digits, not {precision}", where=node.where)
    if precision is not None and scale is not None and scale > precision:
        raise AnalysisError(f"a decimal of {precision} digits has no scale of {scale}", where=node.where)
    return t.Decimal(precision, 0 if precision is not None and scale is None else scale)


def _sized(make: Callable[[int], t.Type], default: t.Type) -> Callable[[ast.TypeName], t.Type]:
    def one(node: ast.TypeName) -> t.Type:
        if node.parameters and node.parameters[0] < 1:
            raise AnalysisError(f"a length of {node.parameters[0]} is none", where=node.where)
        return make(node.parameters[0]) if node.parameters else default

    return one


def _just(type_: t.Type) -> Callable[[ast.TypeName], t.Type]:
    def one(node: ast.TypeName) -> t.Type:
        if node.parameters:
            raise AnalysisError(f"{node.name} has no length, precision or scale", where=node.where)
        return type_

    return one


def _temporal(make: type[t.Time] | type[t.Timestamp]) -> Callable[[ast.TypeName], t.Type]:
    def one(node: ast.TypeName) -> t.Type:
        precision = node.parameters[0] if node.parameters else None
        return make(second_digits(precision, node.where), zone=bool(node.zone))

    return one


# ---------------------------------------------------------------------------------------------------------------------
# What the types of moments have room for, whether they are cast to or written as literals

#: A second has nanoseconds.
FINEST = 9
#: The digits that the first field of an interval may have, and a second behind the point, unless it says otherwise.
LEADING_DIGITS = 2
SECOND_DIGITS = 6


def second_digits(precision: int | None, where: Span | None) -> int | None:
    """The digits of a second behind the point, if there can be so many."""
    if precision is not None and not 0 <= precision <= FINEST:
        raise AnalysisError(f"a second has up to {FINEST} digits behind the point, not {precision}", where=where)
    return precision


def interval_fields(qualifier: ast.IntervalQualifier) -> list[str]:
    """From the first to the last."""
    order = list(MONTHS if qualifier.start in MONTHS else SECONDS)
    end = qualifier.end or qualifier.start
    fields = order[order.index(qualifier.start) : order.index(end) + 1] if {qualifier.start, end} <= {*order} else []
    if not fields:
        raise AnalysisError(f"an interval does not go from {qualifier.start} to {qualifier.end}", where=qualifier.where)
    return fields


def interval_digits(qualifier: ast.IntervalQualifier) -> tuple[int, int]:
    """The digits of the first field, and of a second behind the point."""
    digits = LEADING_DIGITS if qualifier.precision is None else qualifier.precision
    fraction = SECOND_DIGITS if qualifier.digits is None else qualifier.digits
    if not 1 <= digits <= FINEST:
        raise AnalysisError(f"a field of an interval has 1 to {FINEST} digits, not {digits}", where=qualifier.where)
    second_digits(fraction, qualifier.where)
    return digits, fraction


_NAMES: dict[str, Callable[[ast.TypeName], t.Type]] = {
    "ANY": _just(t.ANY),
    "NULL": _just(t.NULL),
    "MISSING": _just(t.MISSING),
    "BOOL": _just(t.BOOL),
    "BOOLEAN": _just(t.BOOL),
    "TINYINT": _just(t.INT8),
    "INT1": _just(t.INT8),
    "SMALLINT": _just(t.INT16),
    "INT2": _just(t.INT16),
    "INTEGER2": _just(t.INT16),
    "INT4": _just(t.INT32),
    "INTEGER4": _just(t.INT32),
    "INT": _just(t.INT64),
    "INTEGER": _just(t.INT64),
    "INT8": _just(t.INT64),
    "INTEGER8": _just(t.INT64),
    "BIGINT": _just(t.INT64),
    "DECIMAL": _decimal,
    "NUMERIC": _decimal,
    "DEC": _decimal,
    "REAL": _just(t.FLOAT32),
    "FLOAT": _just(t.FLOAT64),
    "DOUBLE PRECISION": _just(t.FLOAT64),
    "CHAR": _sized(t.Char, t.Char(1)),
    "CHARACTER": _sized(t.Char, t.Char(1)),
    "VARCHAR": _sized(t.String, t.STRING),
    "CHAR VARYING": _sized(t.String, t.STRING),
    "CHARACTER VARYING": _sized(t.String, t.STRING),
    "STRING": _just(t.STRING),
    "SYMBOL": _just(t.SYMBOL),
    "BLOB": _sized(t.Blob, t.BLOB),
    "CLOB": _just(t.CLOB),
    "DATE": _just(t.DATE),
    "TIME": _temporal(t.Time),
    "TIMESTAMP": _temporal(t.Timestamp),
    "STRUCT": _just(t.STRUCT),
    "TUPLE": _just(t.STRUCT),
    "LIST": _just(t.ARRAY),
    "ARRAY": _just(t.ARRAY),
    "SEXP": _just(t.SEXP),
    "BAG": _just(t.BAG),
}
