"""IS: does a value conform to a type?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of, cast_variant, extract, one_of

_KINDS: dict[type[t.Type], tuple[str, ...]] = {
    t.Bool: (Kind.BOOLEAN,),
    t.Int: (Kind.BIGINT, Kind.WIDE_INT),
    t.Int64: (Kind.BIGINT,),
    t.Float64: (Kind.DOUBLE, Kind.FLOAT),
    t.Symbol: (Kind.SYMBOL,),
    t.Clob: (Kind.CLOB,),
    t.Date: (Kind.DATE,),
    t.Graph: (Kind.GRAPH,),
}


def is_type(scope: Scope, args: Sequence[Any], where: Where) -> Expr:
    expr, target = args

    def test(value: Expr) -> Expr:
        given, kind = scope.variant(value)
        return derive(t.BOOL, _conforms(given.column, kind.column, target, where), given, kind, cost=Depth.MEDIUM)

    return scope.let([expr], test)


def _conforms(column: Column, kind: Column, type_: t.Type, where: Where) -> Column:
    if isinstance(type_, t.Any):
        return F.lit(True)
    if isinstance(type_, t.Null):
        return F.coalesce(kind == Kind.VOID, F.lit(True))
    present = _present(column, kind, type_, where)
    return (
        F.when(kind.isNull(), F.lit(type_.missable)).when(kind == Kind.VOID, F.lit(type_.nullable)).otherwise(present)
    )


def _present(column: Column, kind: Column, type_: t.Type, where: Where) -> Column:
    if type(type_) in _KINDS:
        return one_of(kind, *_KINDS[type(type_)])
    match type_:
        case t.Missing():
            return F.lit(False)
        case t.Integer(bits=int() as bits):
            number = cast_variant(column, "bigint")
            return F.coalesce(
                number.between(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) & (kind == Kind.BIGINT), F.lit(False)
            )
        case t.Decimal(precision=None):
            return one_of(kind, Kind.DECIMAL, Kind.WIDE_DECIMAL)
        case t.String() | t.Char():
            return one_of(kind, Kind.STRING, Kind.SYMBOL) & _length(F.char_length(extract(column, kind, "text")), type_)
        case t.Blob() | t.Byte():
            return (kind == Kind.BINARY) & _length(F.octet_length(cast_variant(column, "binary")), type_)
        case t.Time(precision=None, zone=False) | t.Timestamp(precision=None, zone=False):
            return one_of(kind, *FAMILIES["time" if isinstance(type_, t.Time) else "timestamp"])
        case t.Interval(unit=None):
            return kind == Kind.INTERVAL
        case t.Collection(element=t.Any()):
            return kind == {t.Bag: Kind.BAG, t.Sexp: Kind.SEXP}.get(type(type_), Kind.ARRAY)
        case t.Struct(open=True, fields=()):
            return one_of(kind, *FAMILIES["struct"])
        case t.Union():
            found = any_of(_present(column, kind, member, where) for member in type_.members)
            assert found is not None
            return found
    raise UnsupportedError(f"is_type of {type_} on Spark is not native yet", where=where)


def _length(length: Column, type_: t.Type) -> Column:
    if isinstance(type_, t.Char | t.Byte):
        return F.coalesce(length == type_.length, F.lit(False))
    extent = type_.extent if isinstance(type_, t.String | t.Blob) else None
    return F.lit(True) if extent is None else F.coalesce(length <= extent, F.lit(False))
