"""Comparison keys: columns that Spark can sort, group, join and compare, and that agree with `values.key`.

A plain scalar is its own key. Floats put NaN first, collections and structs are keys of keys, a bag is sorted. A
variant's key is a struct of a type rank, a class of number, the number, a text, and the keys of what it contains, level
by level: Spark has no recursion, so that what nests deeper than `levels` is refused when it is met.
"""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark import columns as F
from firesteel.spark import dynamic
from firesteel.spark.dynamic import COLLECTIONS, STRUCTS, kind_of, one_of, payload, whole
from firesteel.spark.encoding import Form, form
from firesteel.spark.expr import Expr, as_variant, made
from firesteel.spark.scope import Scope, Where

RANKS: dict[str, int] = {
    "BOOLEAN": 1,
    **dict.fromkeys(("BIGINT", "DECIMAL", "DOUBLE", "FLOAT", "int", "decimal"), 2),
    "DATE": 3,
    "time": 4,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_NTZ", "timestamp"), 5),
    "interval": 6,
    **dict.fromkeys(("STRING", "symbol"), 7),
    **dict.fromkeys(("BINARY", "clob"), 8),
    **dict.fromkeys(("ARRAY", "sexp"), 10),
    **dict.fromkeys(("OBJECT", "pairs"), 11),
    "bag": 12,
    "graph": 13,
}
_RANK_TEXT = ",".join(f"{kind}:{rank}" for kind, rank in RANKS.items())
#: What is absent in a container: last, NULL before MISSING.
_NULL, _MISSING = 20, 21

_EXACT, _WHOLE = "decimal(38,18)", "decimal(38,0)"


def key(scope: Scope, expr: Expr, where: Where, *, ordering: bool = False) -> Expr:
    """A column that is equal, and ordered if asked, as the values are; SQL NULL where they are absent."""
    if expr.dynamic:
        return scope.let([expr], lambda value: _variant_key(scope, value, where))
    if expr.missing is not None:  # split: the plain column has the value, and SQL NULL where there is none
        expr = made(t.absent(t.proper(expr.type), nullable=True), expr.plain, expr)
    if is_own_key(expr.type, ordering=ordering):
        return expr
    if not _has_typed_key(expr.type, ordering):
        variant = made(t.ANY, as_variant(expr), expr, cost=4)
        return scope.let([variant], lambda value: _variant_key(scope, value, where))
    return scope.let([expr], lambda value: made(expr.type, _key(scope, value.plain, expr.type, where), value, cost=4))


def row_key(scope: Scope, expr: Expr, where: Where) -> Expr:
    """The key, with NULL and MISSING apart: two rows are not the same if one has the one and one the other."""
    found = key(scope, expr, where)
    if not (expr.dynamic or expr.missing is not None):
        return found

    def flagged(value: Expr, bound: Expr) -> Expr:
        missing = value.is_missing()
        flag = F.when(bound.column.isNotNull(), 0).when(F.lit(False) if missing is None else missing, 2).otherwise(1)
        return made(t.ANY, F.struct(flag.alias("a"), bound.column.alias("k")), value, bound, cost=2)

    return scope.let([expr, found], flagged)


def is_own_key(type_: t.Type, *, ordering: bool = False) -> bool:
    """Does Spark group and join, or sort, by the column itself? It sorts NaN last, and we sort it first."""
    if form(type_) is Form.VARIANT or isinstance(type_, t.Collection | t.Struct | t.Map):
        return False
    return not (ordering and isinstance(type_, t.Float32 | t.Float64))


def _has_typed_key(type_: t.Type, ordering: bool) -> bool:
    """Can the key be made of the columns inside? Attributes that may be MISSING shift those after them: then the order
    of structs is not that of their columns."""
    if isinstance(type_, t.Collection):
        return _has_typed_key(type_.element, ordering)
    if isinstance(type_, t.Struct):
        missable = any(field.type.missable for field in type_.fields)
        return not (ordering and missable) and all(_has_typed_key(field.type, ordering) for field in type_.fields)
    return not isinstance(type_, t.Map)


def _key(scope: Scope, column: Column, type_: t.Type, where: Where) -> Column:
    match type_:
        case t.Float32() | t.Float64():
            return F.when(column.isNotNull(), F.struct((~F.isnan(column)).alias("r"), column.alias("n")))
        case t.Collection() if form(type_) is not Form.VARIANT:
            inner = type_.element
            array = F.transform(column, lambda item: _item(scope, item, inner, where))
            return F.array_sort(array) if isinstance(type_, t.Bag) else array
        case t.Struct() if form(type_) is not Form.VARIANT:
            parts = [
                _item(scope, column[field.name or ""], field.type, where).alias(f"k{i}")
                for i, field in enumerate(sorted(type_.fields, key=lambda field: field.name or ""))
            ]
            return F.when(column.isNotNull(), F.struct(*parts))
    return column


def _item(scope: Scope, column: Column, type_: t.Type, where: Where) -> Column:
    """The key of a part: what is absent comes last, NULL before MISSING."""
    if form(type_) is Form.VARIANT:
        return _item_key(column, levels(scope), _beyond(scope, where), alike=False)
    inner = _key(scope, column, type_, where)
    if not type_.absent:
        return inner
    flag = F.when(column.isNull(), 2 if type_.missable else 1).otherwise(0)
    return F.struct(flag.alias("a"), inner.alias("k"))


# ---------------------------------------------------------------------------------------------------------------------
# Variants


def levels(scope: Scope) -> int:
    """How many levels of containers a key looks into: each is some ten levels of Spark's."""
    limits = scope.run.limits
    if limits.inline < 30:
        return 1
    return 2 if scope.nested else 3


def _beyond(scope: Scope, where: Where) -> Column:
    said = "values that nest this deep cannot be compared, grouped or sorted natively on Spark"
    return scope.run.error(said, where, cls=UnsupportedError)


def _variant_key(scope: Scope, value: Expr, where: Where) -> Expr:
    kind = scope.kind(value)
    scalar = is_scalar(value.type)
    column = deep_key(scope, value.column, kind.column, where, depth=0 if scalar else None)
    return made(t.ANY, column, value, kind, cost=8 if scalar else 10 + 10 * levels(scope), throws=not scalar)


_SCALARS = (t.Number, t.Text, t.Bool, t.Octets, t.Date, t.Time, t.Timestamp, t.Interval, t.Null, t.Missing)


def is_scalar(type_: t.Type) -> bool:
    """Does the type say that there are no containers?"""
    return all(isinstance(member, _SCALARS) for member in t.members(type_))


def deep_key(
    scope: Scope, column: Column, kind: Column, where: Where, *, days: bool = True, depth: int | None = None
) -> Column:
    """The key of a variant, containers and all; SQL NULL for NULL and MISSING. Both are mentioned often: names, please.

    Without `days` it is for `=`: a date is the timestamp of its midnight, and inside a container MISSING is NULL.
    """
    deep = levels(scope) if depth is None else depth
    beyond = _beyond(scope, where) if deep else None
    return F.when(rank(kind).isNotNull(), _struct(column, kind, rank(kind), deep, beyond, days=days, alike=not days))


def dynamic_key(column: Column, kind: Column, *, days: bool = True) -> Column:
    """The key of a variant that is no container, where it is one by its rank only; SQL NULL for NULL and MISSING."""
    return F.when(rank(kind).isNotNull(), _struct(column, kind, rank(kind), 0, None, days=days, alike=False))


def rank(kind: Column) -> Column:
    """The place of a kind in the total order; SQL NULL for NULL and MISSING."""
    return F.try_element_at(F.str_to_map(F.lit(_RANK_TEXT)), kind).cast("int")


def _double(column: Column) -> Column:
    return F.coalesce(whole(column, "double"), payload(column, "double"))


def _struct(
    column: Column,
    kind: Column,
    place: Column,
    deep: int,
    beyond: Column | None,
    *,
    days: bool,
    alike: bool,
    number: Column | None = None,
) -> Column:
    double = _double(column) if number is None else number
    numeric = one_of(kind, "BIGINT", "DECIMAL", "DOUBLE", "FLOAT", "int", "decimal")
    floating = one_of(kind, "DOUBLE", "FLOAT")
    number_class = F.when(F.isnan(double), 0).when(double == float("-inf"), 1).when(double == float("inf"), 3)
    written = whole(column, "string")
    long = F.coalesce((kind == "DECIMAL") & written.rlike(r"\.\d{19}"), F.lit(False))
    exact = F.when(long, F.regexp_extract(written, r"^-?\d+\.\d{18}", 0).try_cast(_EXACT)).otherwise(
        F.coalesce(whole(column, _EXACT), payload(column, _EXACT))
    )
    # What is behind the eighteenth digit; of numbers that are too large for that many, all that is before the point.
    tail = F.rpad(F.regexp_extract(written, r"\.\d{18}(\d+)$", 1), 20, "0").try_cast(_WHOLE)
    whole_part = (
        F.when(long, F.when(written.startswith("-"), -tail).otherwise(tail))
        .when(exact.isNotNull(), F.lit(0).cast(_WHOLE))
        .otherwise(F.coalesce(whole(column, _WHOLE), payload(column, _WHOLE)))
    )
    micros = F.unix_micros(whole(column, "timestamp"))
    nanos = F.try_variant_get(column, "$['\x01'][2]", _WHOLE)
    day = F.unix_date(whole(column, "date")).cast(_WHOLE)
    moment = F.when(kind == "DATE", day if days else day * 86_400_000_000_000).otherwise(
        F.when(one_of(kind, "TIMESTAMP", "TIMESTAMP_NTZ"), micros.cast(_WHOLE) * 1000).otherwise(
            F.when(one_of(kind, "timestamp", "time", "interval"), nanos)
        )
    )
    text = (
        F.when(kind == "STRING", whole(column, "string"))
        .when(kind == "symbol", payload(column, "string"))
        .when(kind == "BOOLEAN", whole(column, "string"))
        .when(kind == "BINARY", F.hex(whole(column, "binary")))
        .when(kind == "clob", F.hex(payload(column, "binary")))
        .when(kind == "graph", F.to_json(column))
    )
    months = F.when(kind == "interval", F.try_variant_get(column, "$['\x01'][1][1]", _EXACT))
    unit = F.when(kind == "interval", F.ascii(F.try_variant_get(column, "$['\x01'][1][0]", "string")))
    parts = [
        (place if days else F.when(kind == "DATE", RANKS["TIMESTAMP"]).otherwise(place)).alias("r"),
        F.when(numeric, F.coalesce(number_class, F.lit(2))).otherwise(unit).alias("c"),
        F.when(numeric & ~F.isnan(double), double + F.lit(0.0)).alias("d"),
        F.when(numeric, exact).otherwise(months).alias("e"),
        F.when(numeric, whole_part).otherwise(moment.cast(_WHOLE)).alias("w"),
        F.when(floating, _lean(whole(column, "double"))).otherwise(0).alias("x"),
        text.alias("t"),
    ]
    if beyond is not None:
        boxed = one_of(kind, *COLLECTIONS, *STRUCTS)
        inner = F.when(boxed, _contents(column, kind, deep - 1, beyond, alike=alike) if deep else beyond)
        parts.append(inner.alias("a"))
    return F.struct(*parts)


#: What is left of a float after so many steps is still exact.
_STEPS = 2**18


def _lean(double: Column) -> Column:
    """On which side of the decimal that it is written as a float lies: `0.1e0` is a little more than `0.1`, `0.3e0` a
    little less than `0.3`; both are 0 only where they are equal."""

    def low_of(value: Column) -> Column:
        low = F.floor(F.when(F.abs(value) < 2.0**62, value))
        return dynamic.let(low, lambda below: steps_of(value, below))

    def steps_of(value: Column, low: Column) -> Column:
        steps = (value - low.cast("double")) * float(_STEPS)
        return dynamic.let(steps, lambda found: sign(value, low, found))

    def sign(value: Column, low: Column, steps: Column) -> Column:
        fraction = F.floor(steps).cast("decimal(6,0)") * F.lit("0.000003814697265625").cast("decimal(18,18)")
        apart = (low.cast("decimal(19,0)") + fraction) - value.try_cast(_EXACT)
        rest = (steps - F.floor(steps).cast("double")) / float(_STEPS)
        return F.coalesce(F.signum(apart.cast("double") + rest).cast("int"), F.lit(0))

    return dynamic.let(double, low_of)


def _contents(column: Column, kind: Column, deep: int, beyond: Column, *, alike: bool) -> Column:
    """The keys of what is in a container, in their order: a list's by place, a struct's by name, a bag's by key."""
    listed = one_of(kind, "ARRAY", "sexp")
    array = F.when(kind == "ARRAY", whole(column, "array<variant>")).otherwise(
        F.when(one_of(kind, "bag", "sexp"), payload(column, "array<variant>"))
    )
    unnamed = F.transform(array, lambda item: F.struct(F.lit(None).cast("string").alias("key"), item.alias("value")))
    pairs = F.coalesce(unnamed, dynamic.entries(column, kind))

    def one(pair: Column, place: Column) -> Column:
        return F.struct(
            F.when(listed, place).otherwise(0).alias("o"),
            pair["key"].alias("n"),
            _item_key(pair["value"], deep, beyond, alike=alike).alias("k"),
        )

    return F.array_sort(F.transform(pairs, one))


def _item_key(column: Column, deep: int, beyond: Column, *, alike: bool) -> Column:
    """The key of a variant in a container."""

    def made_(both: Column) -> Column:
        kind = both["k"]
        absent = F.when(kind == "VOID", _NULL).otherwise(_NULL if alike else _MISSING)
        place = F.coalesce(rank(kind), absent)
        return _struct(column, kind, place, deep, beyond, days=True, alike=alike, number=both["d"])

    return dynamic.let(F.struct(kind_of(column).alias("k"), _double(column).alias("d")), made_)
