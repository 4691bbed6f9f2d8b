"""The keys of variants, which agree with `values.key`: one token for a scalar, an array of tokens for a container.

Spark has no recursion, but a token has the same type at every depth. So a container is taken apart level by level, with
as many steps as its JSON has brackets, and put together again from the lowest level up. The key of a container is the
tokens of its items, one after the other (sorted in a bag, sorted by name in a struct), and an end, which is less than
any token. The expression is as large for two levels as for two hundred.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import Enum

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.kinds import FAMILIES, NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import cast_variant, kind_of, one_of, payload
from firesteel.spark.numbers.float_text import EXACT, SIDE, apply_steps, digits, first_digit_place

RANKS: dict[str, int] = {
    Kind.BOOLEAN: 1,
    **dict.fromkeys((Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE, Kind.FLOAT, Kind.WIDE_INT, Kind.WIDE_DECIMAL), 2),
    Kind.DATE: 3,
    Kind.TIME: 4,
    **dict.fromkeys((Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.TAGGED_TIMESTAMP), 5),
    Kind.INTERVAL: 6,
    **dict.fromkeys((Kind.STRING, Kind.SYMBOL), 7),
    **dict.fromkeys((Kind.BINARY, Kind.CLOB), 8),
    **dict.fromkeys((Kind.ARRAY, Kind.SEXP), 10),
    **dict.fromkeys((Kind.OBJECT, Kind.PAIRS), 11),
    Kind.BAG: 12,
    Kind.GRAPH: 13,
}
_RANK_TEXT = ",".join(f"{kind}:{rank}" for kind, rank in RANKS.items())
#: The ranks of absent items in a container: they are last, NULL before MISSING.
NULL, MISSING = 20, 21

_WHOLE = "decimal(38,0)"
#: A number: 0 for NaN, else 1; the nearest float; is the number less (-1) or more (1) than what that stands for, or the
#: same (0); the place of its first digit; its digits.
_NUMBER = "struct<c:int,d:double,x:int,w:int,y:string>"
#: A moment or an interval: its unit, months, nanoseconds or days.
_MOMENT = f"struct<u:int,o:int,n:{_WHOLE}>"
#: Rank, number, moment, text.
PARTS: tuple[tuple[str, str], ...] = (("r", "int"), ("n", _NUMBER), ("m", _MOMENT), ("t", "string"))
TOKEN = f"struct<{','.join(f'{name}:{type_}' for name, type_ in PARTS)}>"


class Use(Enum):
    """What a key is for."""

    #: The total order, and equality in it.
    SORT = "sort"
    #: `=`: a date is the timestamp of its midnight, and MISSING in a container is NULL.
    EQUAL = "equal"
    #: `<`, `<=`, `>`, `>=`: as for `=`, and a clob is text.
    ORDER = "order"


def rank(kind: Column) -> Column:
    """The place of a kind in the total order; SQL NULL for NULL and MISSING."""
    return F.try_element_at(F.str_to_map(F.lit(_RANK_TEXT)), kind).cast("int")


def double_of(column: Column, kind: Column) -> Column:
    """The float nearest to a variant's number. Only numbers are cast: a text costs Spark a caught exception."""
    return F.when(one_of(kind, *NUMBERS), cast_variant(column, "double")).when(
        one_of(kind, *WIDE_NUMBERS), payload(column, "double")
    )


# ---------------------------------------------------------------------------------------------------------------------
# Tokens


def token(
    column: Column,
    kind: Column,
    double: Column | None,
    *,
    place: Column | None = None,
    kinds: Set[str] | None = None,
    use: Use = Use.SORT,
) -> list[Column]:
    """The parts of the token of a variant; `place` is its rank, and `kinds` are those that it may be of.

    All arguments are mentioned often: bind them to names first.
    """

    def may_be(*families: str) -> bool:
        return kinds is None or any(kinds & set(FAMILIES[family]) for family in families)

    parts: dict[str, Column] = {"r": rank(kind) if place is None else place}
    if use is not Use.SORT and may_be("date"):
        parts["r"] = F.when(kind == Kind.DATE, RANKS[Kind.TIMESTAMP]).otherwise(parts["r"])
    if use is Use.ORDER and (kinds is None or Kind.CLOB in kinds):
        parts["r"] = F.when(kind == Kind.CLOB, RANKS[Kind.STRING]).otherwise(parts["r"])
    if double is not None and may_be("number"):
        parts["n"] = _number(column, kind, double)
    if may_be("temporal"):
        parts["m"] = F.when(one_of(kind, *FAMILIES["temporal"]), _moment(column, kind, days=use is Use.SORT))
    if kinds is None or kinds - set(FAMILIES["number"]) - set(FAMILIES["temporal"]):
        parts["t"] = _text(column, kind, use)
    return filled(parts)


def filled(found: Mapping[str, Column]) -> list[Column]:
    """All parts of a token: those that are not given are SQL NULL."""
    return [found.get(name, F.literal(None, type_)).alias(name) for name, type_ in PARTS]


def _moment(column: Column, kind: Column, *, days: bool) -> Column:
    """The moment of a token: nanoseconds, or with `days` the days of a date; an interval has a unit and months."""
    day = F.unix_date(cast_variant(column, "date")).cast(_WHOLE)
    nanos = (
        F.when(kind == Kind.DATE, day if days else day * 86_400_000_000_000)
        .when(
            one_of(kind, Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ),
            F.unix_micros(cast_variant(column, "timestamp")).cast(_WHOLE) * 1000,
        )
        .otherwise(F.try_variant_get(column, "$['\x01'][2]", _WHOLE))
    )
    interval = kind == Kind.INTERVAL
    return F.struct(
        F.when(interval, F.ascii(F.try_variant_get(column, "$['\x01'][1][0]", "string"))).alias("u"),
        F.when(interval, F.try_variant_get(column, "$['\x01'][1][1]", "int")).alias("o"),
        nanos.cast(_WHOLE).alias("n"),
    )


def _text(column: Column, kind: Column, use: Use) -> Column:
    clob = payload(column, "string") if use is Use.ORDER else F.hex(payload(column, "binary"))
    return (
        F.when(one_of(kind, Kind.STRING, Kind.BOOLEAN), cast_variant(column, "string"))
        .when(kind == Kind.SYMBOL, payload(column, "string"))
        .when(kind == Kind.BINARY, F.hex(cast_variant(column, "binary")))
        .when(kind == Kind.CLOB, clob)
        .when(kind == Kind.GRAPH, F.to_json(column))
    )


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def _number(column: Column, kind: Column, double: Column) -> Column:
    """The number of a token. The nearest float orders almost all numbers. A number that is not what this float stands
    for is less or more than that; among those on the same side of one float, the digits decide."""
    simple = one_of(kind, Kind.DOUBLE, Kind.FLOAT) | ((kind == Kind.BIGINT) & (F.abs(double) < EXACT))
    written = F.coalesce(payload(column, "string"), cast_variant(column, "string"))
    given = F.struct(double.alias("d"), written.alias("s"))
    return F.when(simple, number_of(double)).when(one_of(kind, *FAMILIES["number"]), apply_steps(given, *SIDE, _exact))


def number_of(double: Column) -> Column:
    """The key of a number that its nearest float stands for."""
    class_ = F.when(F.isnan(double), 0).otherwise(1)
    return _number_struct(class_, double, F.lit(0), F.lit(None), F.lit(None))


def _number_struct(class_: Column, double: Column, side: Column, where: Column, digits_: Column) -> Column:
    return F.struct(
        class_.alias("c"),
        (double + F.lit(0.0)).alias("d"),
        side.alias("x"),
        where.cast("int").alias("w"),
        digits_.cast("string").alias("y"),
    )


def _exact(row: Column) -> Column:
    """The key of an integer or a decimal, from its nearest float `d`, its text `s` and its side `x`."""
    written, other, negative = row["s"], row["x"] != 0, row["s"].startswith("-")
    where, found = first_digit_place(written), digits(written)
    turned = F.concat(F.translate(found, "0123456789", "9876543210"), F.lit("~"))
    return _number_struct(
        F.lit(1),
        row["d"],
        row["x"],
        F.when(other, F.when(negative, -where).otherwise(where)),
        F.when(other, F.when(negative, turned).otherwise(found)),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Containers


def flat(column: Column, *, alike: bool) -> Column:
    """The tokens of a container. If `alike`, MISSING in it is equal to NULL."""
    depth = F.char_length(F.regexp_replace(F.to_json(column), r"[^\[{]", ""))
    pair = F.struct(F.literal(None, "string").alias("key"), column.alias("value"))
    root = F.struct(F.lit(True).alias("l"), F.array(pair).alias("c"), F.literal(None, f"array<{TOKEN}>").alias("h"))
    levels = F.aggregate(
        F.sequence(F.lit(0), depth), F.array(F.array(root)), lambda levels, _: _with_level(levels, alike=alike)
    )
    nothing = F.array().cast(f"array<array<{TOKEN}>>")
    return F.flatten(F.aggregate(F.reverse(levels), nothing, _put_together))


def _with_level(levels: Column, *, alike: bool) -> Column:
    """The levels with one more, if there is one. A node has `l` (is it a list?), `c` (its items), `h` (its tokens)."""
    last = F.filter(F.element_at(levels, -1), lambda node: node["c"].isNotNull())
    pairs = F.flatten(F.transform(last, lambda node: node["c"]))
    seen = F.transform(
        pairs,
        lambda pair: F.struct(
            pair["key"].alias("n"),
            pair["value"].alias("v"),
            kind_of(pair["value"]).alias("k"),
            double_of(pair["value"], kind_of(pair["value"])).alias("d"),
        ),
    )
    nodes = F.transform(seen, lambda item: _node(item, alike=alike))
    return F.when(F.exists(last, lambda node: F.size(node["c"]) > 0), F.concat(levels, F.array(nodes))).otherwise(
        levels
    )


def _node(item: Column, *, alike: bool) -> Column:
    kind, value, name = item["k"], item["v"], item["n"]
    absent = F.lit(NULL) if alike else F.when(kind == Kind.VOID, NULL).otherwise(MISSING)
    own = F.struct(*token(value, kind, item["d"], place=F.coalesce(rank(kind), absent)))
    given = {"r": F.lit(RANKS[Kind.STRING]), "t": name}
    named = F.struct(*filled(given))
    return F.struct(
        one_of(kind, Kind.ARRAY, Kind.SEXP).alias("l"),
        _pairs(value, kind).alias("c"),
        F.filter(F.array(F.when(name.isNotNull(), named), own), lambda part: part.isNotNull()).alias("h"),
    )


def _pairs(column: Column, kind: Column) -> Column:
    """The items of a container as (key, value), with keys in a struct only; SQL NULL for a scalar."""
    array = F.when(kind == Kind.ARRAY, cast_variant(column, "array<variant>")).when(
        one_of(kind, Kind.BAG, Kind.SEXP), payload(column, "array<variant>")
    )
    unnamed = F.transform(array, lambda item: F.struct(F.literal(None, "string").alias("key"), item.alias("value")))
    return F.coalesce(unnamed, variants.entries(column, kind))


def _put_together(below: Column, level: Column) -> Column:
    """The tokens of each node of a level, given those of the nodes of the level below."""
    end = F.array(F.literal(None, TOKEN))

    def add_node(so_far: Column, node: Column) -> Column:
        size = F.coalesce(F.array_size(node["c"]), F.lit(0))
        inner = F.slice(below, so_far["p"], size)
        contents = F.flatten(F.when(node["l"], inner).otherwise(F.sort_array(inner)))
        tokens = F.when(node["c"].isNull(), node["h"]).otherwise(F.concat(F.coalesce(node["h"], end), contents, end))
        return F.struct((so_far["p"] + size).alias("p"), F.concat(so_far["o"], F.array(tokens)).alias("o"))

    start = F.struct(F.lit(1).alias("p"), F.array().cast(f"array<array<{TOKEN}>>").alias("o"))
    return F.aggregate(level, start, add_node, lambda state: state["o"])
