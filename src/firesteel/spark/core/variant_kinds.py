"""Kinds of variants that a static type, or a literal, leaves possible: what cannot be is not asked for at run time."""

from __future__ import annotations

import datetime
from decimal import Decimal

from firesteel import types as t
from firesteel.spark.core.expr import UNKNOWN, Expr, column_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variant_bytes import TAG, tagged
from firesteel.spark.encoding.variants import FAMILIES
from firesteel.values import MISSING, Bag, Graph, Sexp, Struct, Timestamp, Value

#: What JSON can say, and no more: no moments, no bags, nothing that has a tag.
JSON = t.absent(
    t.union([t.BOOL, t.INT64, t.DECIMAL, t.FLOAT64, t.STRING, t.ARRAY, t.STRUCT]), nullable=True, missable=True
)
_JSON_KINDS = frozenset({"BOOLEAN", "BIGINT", "DECIMAL", "DOUBLE", "FLOAT", "STRING", "ARRAY", "OBJECT"})

#: The kinds of present values, by type. A type that is not here says nothing.
_KINDS: tuple[tuple[type[t.Type], tuple[str, ...]], ...] = (
    (t.Bool, ("BOOLEAN",)),
    (t.Int, ("BIGINT", "int")),
    (t.Integer, ("BIGINT",)),
    (t.Decimal, ("DECIMAL", "decimal")),
    (t.Float32, ("FLOAT", "DOUBLE")),
    (t.Float64, ("DOUBLE", "FLOAT")),
    (t.Symbol, ("symbol",)),
    (t.Text, ("STRING", "symbol")),
    (t.Clob, ("clob",)),
    (t.Octets, ("BINARY",)),
    (t.Date, ("DATE",)),
    (t.Time, ("time",)),
    (t.Timestamp, FAMILIES["timestamp"]),
    (t.Interval, ("interval",)),
    (t.Bag, ("bag",)),
    (t.Array, ("ARRAY",)),
    (t.Sexp, ("sexp",)),
    (t.Struct, ("OBJECT", "pairs")),
    (t.Map, ("OBJECT", "pairs")),
    (t.Graph, ("graph",)),
    (t.Uuid, ("STRING",)),
    (t.UserDefined, ("BIGINT", "int")),
    (t.Null, ()),
    (t.Missing, ()),
)


def possible(expr: Expr) -> frozenset[str] | None:
    """The kinds that a present value may be of; None if it may be anything."""
    if expr.constant is not UNKNOWN:
        kind = kind_of_value(expr.constant)
        return frozenset((kind,) if kind is not None and kind != "VOID" else ())
    if expr.type == JSON:
        return _JSON_KINDS
    found: set[str] = set()
    for member in t.members(expr.type):
        kinds = next((kinds for cls, kinds in _KINDS if isinstance(member, cls)), None)
        if kinds is None:
            return None
        found.update(kinds)
    return frozenset(found)


def tagged_kinds(expr: Expr) -> bool:
    """May it be one of the kinds that are told by a tag?"""
    kinds = possible(expr)
    return kinds is None or not all(kind.isupper() for kind in kinds)


def is_json(expr: Expr) -> bool:
    """Does its JSON text tell what it is?"""
    kinds = possible(expr)
    return kinds is not None and kinds <= _JSON_KINDS


def may_be(expr: Expr, *families: str) -> bool:
    """May a present value be of one of the catalogue's families?"""
    kinds = possible(expr)
    return kinds is None or any(kinds & set(FAMILIES[family]) for family in families)


def known_kind(expr: Expr) -> Expr | None:
    """The kind, where nothing has to be asked for it."""
    if expr.constant is not UNKNOWN:
        kind = kind_of_value(expr.constant)
        return column_expr(t.STRING, F.literal(kind, "string"), atomic=True, constant=kind)
    kinds = possible(expr)
    if expr.type.absent or kinds is None or len(kinds) != 1:
        return None
    return column_expr(t.STRING, F.lit(next(iter(kinds))), atomic=True)


def kind_of_value(value: Value) -> str | None:
    """The kind of a value, as its variant would say; None for MISSING."""
    if value is MISSING:
        return None
    tag = tagged(value)
    if tag is not None:
        return tag.kind
    if isinstance(value, Struct):
        names = [name for name, _ in value.pairs]
        return "pairs" if len(set(names)) < len(names) or TAG in names else "OBJECT"
    if isinstance(value, Timestamp):
        return "TIMESTAMP" if value.offset is not None else "TIMESTAMP_NTZ"
    return next(kind for cls, kind in _VALUES if isinstance(value, cls))


_VALUES: tuple[tuple[type, str], ...] = (
    (type(None), "VOID"),
    (bool, "BOOLEAN"),
    (int, "BIGINT"),
    (Decimal, "DECIMAL"),
    (float, "DOUBLE"),
    (str, "STRING"),
    (bytes, "BINARY"),
    (datetime.date, "DATE"),
    (Sexp, "sexp"),
    (list, "ARRAY"),
    (Bag, "bag"),
    (Graph, "graph"),
)
