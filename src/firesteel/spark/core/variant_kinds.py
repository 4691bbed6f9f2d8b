"""The variant kinds that a static type or a literal allows: other kinds are not tested for at run time."""

from __future__ import annotations

import datetime
from decimal import Decimal

from firesteel import types as t
from firesteel.spark.core.expr import UNKNOWN, Expr, column_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import JsonWords
from firesteel.spark.encoding.kinds import FAMILIES
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG, tagged
from firesteel.values import MISSING, Bag, Graph, Sexp, Struct, Timestamp, Value

#: The type of JSON values: no dates or times, no bags, nothing that has a tag.
JSON = t.absent(
    t.union([t.BOOL, t.INT64, t.DECIMAL, t.FLOAT64, t.STRING, t.ARRAY, t.STRUCT]), nullable=True, missable=True
)
_JSON_KINDS = frozenset(
    {Kind.BOOLEAN, Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE, Kind.FLOAT, Kind.STRING, Kind.ARRAY, Kind.OBJECT}
)
_WORD_KINDS = frozenset({Kind.BOOLEAN, Kind.BIGINT, Kind.STRING})

#: The kinds of present values, by type. Values of a type that is not here may be of any kind.
_KINDS: tuple[tuple[type[t.Type], tuple[Kind, ...]], ...] = (
    (t.Bool, (Kind.BOOLEAN,)),
    (t.Int, (Kind.BIGINT, Kind.WIDE_INT)),
    (t.Integer, (Kind.BIGINT,)),
    (t.Decimal, (Kind.DECIMAL, Kind.WIDE_DECIMAL)),
    (t.Float32, (Kind.FLOAT, Kind.DOUBLE)),
    (t.Float64, (Kind.DOUBLE, Kind.FLOAT)),
    (t.Symbol, (Kind.SYMBOL,)),
    (t.Text, (Kind.STRING, Kind.SYMBOL)),
    (t.Clob, (Kind.CLOB,)),
    (t.Octets, (Kind.BINARY,)),
    (t.Date, (Kind.DATE,)),
    (t.Time, (Kind.TIME,)),
    (t.Timestamp, FAMILIES["timestamp"]),
    (t.Interval, (Kind.INTERVAL,)),
    (t.Bag, (Kind.BAG,)),
    (t.Array, (Kind.ARRAY,)),
    (t.Sexp, (Kind.SEXP,)),
    (t.Struct, (Kind.OBJECT, Kind.PAIRS)),
    (t.Map, (Kind.OBJECT, Kind.PAIRS)),
    (t.Graph, (Kind.GRAPH,)),
    (t.Uuid, (Kind.STRING,)),
    (t.UserDefined, (Kind.BIGINT, Kind.WIDE_INT)),
    (t.Null, ()),
    (t.Missing, ()),
)


def possible_kinds(expr: Expr) -> frozenset[Kind] | None:
    """The kinds that a present value may be of; None if it may be anything."""
    if expr.constant is not UNKNOWN:
        kind = kind_of_value(expr.constant)
        return frozenset((kind,) if kind is not None and kind != Kind.VOID else ())
    if expr.type == JSON:
        return _JSON_KINDS
    if isinstance(expr.type, JsonWords):
        return _WORD_KINDS | ({Kind.DECIMAL} if t.DECIMAL in expr.type.members else frozenset())
    found: set[Kind] = set()
    for member in t.members(expr.type):
        kinds = next((kinds for cls, kinds in _KINDS if isinstance(member, cls)), None)
        if kinds is None:
            return None
        found.update(kinds)
    return frozenset(found)


def may_be_tagged(expr: Expr) -> bool:
    """May it be of a tagged kind?"""
    kinds = possible_kinds(expr)
    return kinds is None or any(kind.tagged for kind in kinds)


def is_json(expr: Expr) -> bool:
    """Is it always of a kind that JSON has, so that its JSON text tells the kind?"""
    kinds = possible_kinds(expr)
    return kinds is not None and kinds <= _JSON_KINDS


def may_be(expr: Expr, *families: str) -> bool:
    """May a present value be of one of the catalogue's families?"""
    kinds = possible_kinds(expr)
    return kinds is None or any(kinds & set(FAMILIES[family]) for family in families)


def known_kind(expr: Expr) -> Expr | None:
    """The kind as a literal, if it is known while compiling."""
    if expr.constant is not UNKNOWN:
        kind = kind_of_value(expr.constant)
        return column_expr(t.STRING, F.literal(kind, "string"), atomic=True, constant=kind)
    kinds = possible_kinds(expr)
    if expr.type.absent or kinds is None or len(kinds) != 1:
        return None
    return column_expr(t.STRING, F.lit(next(iter(kinds))), atomic=True)


def kind_of_value(value: Value) -> Kind | None:
    """The kind of the variant of a value; None for MISSING."""
    if value is MISSING:
        return None
    tag = tagged(value)
    if tag is not None:
        return tag.kind
    if isinstance(value, Struct):
        names = [name for name, _ in value.pairs]
        return Kind.PAIRS if len(set(names)) < len(names) or TAG in names else Kind.OBJECT
    if isinstance(value, Timestamp):
        return Kind.TIMESTAMP if value.offset is not None else Kind.TIMESTAMP_NTZ
    return next(kind for cls, kind in _VALUES if isinstance(value, cls))


_VALUES: tuple[tuple[type, Kind], ...] = (
    (type(None), Kind.VOID),
    (bool, Kind.BOOLEAN),
    (int, Kind.BIGINT),
    (Decimal, Kind.DECIMAL),
    (float, Kind.DOUBLE),
    (str, Kind.STRING),
    (bytes, Kind.BINARY),
    (datetime.date, Kind.DATE),
    (Sexp, Kind.SEXP),
    (list, Kind.ARRAY),
    (Bag, Kind.BAG),
    (Graph, Kind.GRAPH),
)
