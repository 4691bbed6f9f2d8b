"""Comparison keys: columns that Spark can sort, group, join and compare, and that agree with `values.key`.

A plain scalar is its own key. Floats put NaN first, collections and structs are keys of keys, a bag is sorted. A
variant's key is a struct of a type rank, a class of number, the number, and a text. Of a container inside a variant
the text is its canonical JSON: equal for equal values (bags inside bags aside), but it does not order them.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.dynamic import kind_of, one_of, payload, whole
from firesteel.spark.encoding import Form, form
from firesteel.spark.expr import Expr, made
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

#: From here on there are containers, whose text does not order them.
CONTAINER = 10

_EXACT, _WHOLE = "decimal(38,18)", "decimal(38,0)"
_STRING = r'"(?:[^"\\]|\\.)*"'
_NUMBER = r"-?[0-9][-+0-9.eE]*"


def key(scope: Scope, expr: Expr, where: Where, *, ordering: bool = False) -> Expr:
    """A column that is equal, and ordered if asked, as the values are; SQL NULL where they are absent."""
    if expr.dynamic:
        return scope.let([expr], lambda value: _variant_key(scope, value, where, ordering))
    if expr.missing is not None:  # split: the plain column has the value, and SQL NULL where there is none
        expr = made(t.absent(t.proper(expr.type), nullable=True), expr.plain, expr)
    if is_own_key(expr.type, ordering=ordering):
        return expr
    return scope.let([expr], lambda value: made(expr.type, _key(scope, value.plain, expr.type, where, ordering), value))


def is_own_key(type_: t.Type, *, ordering: bool = False) -> bool:
    """Does Spark group and join, or sort, by the column itself? It sorts NaN last, and we sort it first."""
    if form(type_) is Form.VARIANT or isinstance(type_, t.Collection | t.Struct | t.Map):
        return False
    return not (ordering and isinstance(type_, t.Float32 | t.Float64))


def _key(scope: Scope, column: Column, type_: t.Type, where: Where, ordering: bool) -> Column:
    if form(type_) is Form.VARIANT:
        return dynamic_key(column, kind_of(column))
    match type_:
        case t.Float32() | t.Float64():
            return F.when(column.isNotNull(), F.struct((~F.isnan(column)).alias("r"), column.alias("n")))
        case t.Collection():
            inner = type_.element
            array = F.transform(column, lambda item: _item(scope, item, inner, where, ordering))
            return F.array_sort(array) if isinstance(type_, t.Bag) else array
        case t.Struct():
            if ordering and any(field.type.missable for field in type_.fields):
                raise UnsupportedError("Spark cannot yet sort structs whose attributes may be MISSING", where=where)
            parts = [
                _item(scope, column[field.name or ""], field.type, where, ordering).alias(f"k{i}")
                for i, field in enumerate(sorted(type_.fields, key=lambda field: field.name or ""))
            ]
            return F.when(column.isNotNull(), F.struct(*parts))
        case t.Map():
            raise UnsupportedError("Spark cannot compare maps", where=where)
    return column


def _item(scope: Scope, column: Column, type_: t.Type, where: Where, ordering: bool) -> Column:
    """The key of a part: what is absent comes last, NULL before MISSING."""
    inner = _key(scope, column, type_, where, ordering)
    if ordering and form(type_) is Form.VARIANT:
        raise UnsupportedError("Spark cannot yet sort containers of values of unknown type", where=where)
    if form(type_) is Form.VARIANT:
        flag = F.when(column.isNull(), 2).otherwise(F.when(F.is_variant_null(column), 1).otherwise(0))
    elif type_.absent:
        flag = F.when(column.isNull(), 2 if type_.missable else 1).otherwise(0)
    else:
        return inner
    return F.struct(flag.alias("a"), inner.alias("k"))


# ---------------------------------------------------------------------------------------------------------------------
# Variants


def _variant_key(scope: Scope, value: Expr, where: Where, ordering: bool) -> Expr:
    kind = scope.kind(value)
    column = dynamic_key(value.column, kind.column)
    if ordering:
        error = scope.run.error(
            "Spark cannot yet sort or compare containers inside values of unknown type", where, cls=UnsupportedError
        )
        column = F.when(rank(kind.column) >= CONTAINER, error).otherwise(column)
    return made(t.ANY, column, value, kind, cost=8, throws=ordering)


def rank(kind: Column) -> Column:
    """The place of a kind in the total order; SQL NULL for NULL and MISSING."""
    return F.try_element_at(F.str_to_map(F.lit(_RANK_TEXT)), kind).cast("int")


def dynamic_key(column: Column, kind: Column, *, days: bool = True) -> Column:
    """The key of a variant; SQL NULL for NULL and MISSING. Both are mentioned often: names, please.

    Without `days` a date is the timestamp of its midnight, as `=` has it.
    """
    double = F.coalesce(whole(column, "double"), payload(column, "double"))
    numeric = one_of(kind, "BIGINT", "DECIMAL", "DOUBLE", "FLOAT", "int", "decimal")
    number_class = F.when(F.isnan(double), 0).when(double == float("-inf"), 1).when(double == float("inf"), 3)
    exact = F.coalesce(whole(column, _EXACT), payload(column, _EXACT))
    whole_part = F.coalesce(whole(column, _WHOLE), payload(column, _WHOLE))
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
        .when(kind == "bag", _sorted_bag(column))
        .when(one_of(kind, "ARRAY", "OBJECT", "pairs", "graph"), canonical_json(F.to_json(column)))
        .when(one_of(kind, "interval", "sexp"), canonical_json(F.to_json(payload(column))))
    )
    made_ = F.struct(
        (rank(kind) if days else F.when(kind == "DATE", RANKS["TIMESTAMP"]).otherwise(rank(kind))).alias("r"),
        F.when(numeric, F.coalesce(number_class, F.lit(2))).alias("c"),
        F.when(numeric & ~F.isnan(double), double + F.lit(0.0)).alias("d"),
        F.when(numeric, exact).alias("e"),
        F.when(numeric, whole_part).otherwise(moment.cast(_WHOLE)).alias("w"),
        text.alias("t"),
    )
    return F.when(rank(kind).isNotNull(), made_)


def _sorted_bag(column: Column) -> Column:
    """A bag's elements, each as JSON, sorted: equal whatever their order."""
    array = F.transform(payload(column, "array<variant>"), lambda item: canonical_json(F.to_json(item)))
    return F.array_join(F.array_sort(array), ",")


def canonical_json(text: Column) -> Column:
    """JSON in which equal numbers are written the same: `1`, `1.0` and `1E0`. Objects come with sorted keys."""
    tokens = F.regexp_extract_all(text, F.lit(f'{_STRING}|{_NUMBER}|[^"0-9-]+'), F.lit(0))
    return F.array_join(F.transform(tokens, _canonical_token), "")


def _canonical_token(token: Column) -> Column:
    exact = token.try_cast(_EXACT)
    tiny = (exact == 0) & (token.try_cast("double") != 0)
    written = F.regexp_replace(exact.cast("string"), r"\.?0+$", "")
    number = F.when(exact.isNotNull() & ~tiny, F.when(exact == 0, F.lit("0")).otherwise(written)).otherwise(
        F.coalesce(token.try_cast(_WHOLE).cast("string"), token)
    )
    return F.when(token.rlike(f"^{_NUMBER}$"), number).otherwise(token)
