"""The keys of variants, as `values.key` makes them: tokens, one for a scalar, many for a container.

Spark has no recursion, but a token has one type however deep it is found. So a container is taken apart level by level,
as often as it has brackets, and put together again from the lowest level up: each container's key is the tokens of what
is in it, one after the other, sorted in a bag and by name in a struct, and an end that is less than any token. The
expression is as large for two levels as for two hundred.
"""

from __future__ import annotations

from collections.abc import Set
from enum import Enum
from typing import Any

from pyspark.sql import Column

from firesteel.spark import columns as F
from firesteel.spark import dynamic
from firesteel.spark.dynamic import FAMILIES, WIDE_NUMBERS, kind_of, one_of, payload, whole

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
NULL, MISSING = 20, 21

_EXACT, _WHOLE = "decimal(38,18)", "decimal(38,0)"
#: The parts of a token: rank, class of number, float, decimal, what a decimal does not hold, on which side of its
#: decimal a float is, text.
_PARTS: tuple[tuple[str, str], ...] = (
    *(("r", "int"), ("c", "int"), ("d", "double"), ("e", _EXACT), ("w", _WHOLE), ("x", "int"), ("t", "string")),
)
TOKEN = f"struct<{','.join(f'{name}:{type_}' for name, type_ in _PARTS)}>"


class Use(Enum):
    """What a key is for."""

    #: The total order, and being the same in it.
    SORT = "sort"
    #: `=`: a date is the timestamp of its midnight, and MISSING in a container is NULL.
    EQUAL = "equal"
    #: `<` and its kin: a clob is text, too.
    ORDER = "order"


def rank(kind: Column) -> Column:
    """The place of a kind in the total order; SQL NULL for NULL and MISSING."""
    return F.try_element_at(F.str_to_map(F.lit(_RANK_TEXT)), kind).cast("int")


def double_of(column: Column) -> Column:
    """The number that is nearest to a variant's, if that is one."""
    return F.coalesce(whole(column, "double"), payload(column, "double"))


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

    All are mentioned often: names, please.
    """

    def may_be(*families: str) -> bool:
        return kinds is None or any(kinds & set(FAMILIES[family]) for family in families)

    found: dict[str, Column] = {"r": rank(kind) if place is None else place}
    if use is not Use.SORT and may_be("date"):
        found["r"] = F.when(kind == "DATE", RANKS["TIMESTAMP"]).otherwise(found["r"])
    if use is Use.ORDER and (kinds is None or "clob" in kinds):
        found["r"] = F.when(kind == "clob", RANKS["STRING"]).otherwise(found["r"])
    if double is not None and may_be("number"):
        found |= _number(column, kind, double)
    if may_be("temporal"):
        _add_moment(found, column, kind, days=use is Use.SORT)
    if kinds is None or kinds - set(FAMILIES["number"]) - set(FAMILIES["temporal"]):
        text = _text(column, kind, use)
        found["t"] = F.coalesce(found["t"], text) if "t" in found else text
    return [found.get(name, F.lit(None).cast(type_)).alias(name) for name, type_ in _PARTS]


def _number(column: Column, kind: Column, double: Column) -> dict[str, Column]:
    """The nearest float orders almost all numbers; then a decimal of 18 places, what comes behind those or does not
    fit, and, of more than 38 digits, a text. A float is the decimal that it is written as, and a little more or less.
    """
    numeric = one_of(kind, *FAMILIES["number"])
    floating = one_of(kind, "DOUBLE", "FLOAT")
    unending = F.when(F.isnan(double), 0).when(double == float("-inf"), 1).when(double == float("inf"), 3)
    written = whole(column, "string")
    large = F.when(floating, _large(double))
    long = F.coalesce((kind == "DECIMAL") & written.rlike(r"\.\d{19}"), F.lit(False))
    exact = F.when(long, F.regexp_extract(written, r"^-?\d+\.\d{18}", 0).try_cast(_EXACT)).otherwise(
        F.when(large.isNotNull(), large.try_cast(_EXACT)).otherwise(
            F.coalesce(whole(column, _EXACT), payload(column, _EXACT))
        )
    )
    tail = F.rpad(F.regexp_extract(written, r"\.\d{18}(\d+)$", 1), 20, "0").try_cast(_WHOLE)
    before = F.coalesce(large, F.regexp_extract(written, r"^-?\d+", 0).try_cast(_WHOLE), payload(column, _WHOLE))
    rest = (
        F.when(exact.isNull(), before)
        .when(long, F.when(double < 0, -tail).otherwise(tail))
        .otherwise(F.lit(0).cast(_WHOLE))
    )
    return {
        "c": F.when(numeric, F.coalesce(F.when(floating, unending), F.lit(2))),
        "d": F.when(numeric & ~F.isnan(double), double + F.lit(0.0)),
        "e": F.when(numeric, exact),
        "w": F.when(numeric, rest),
        "x": F.when(numeric, F.when(floating, _lean(double)).otherwise(0)),
        "t": _digits(column, kind, double, written, exact),
    }


def _large(double: Column) -> Column:
    """A float that is too large for a fraction, as an integer."""
    part = F.lit(2**62).cast("decimal(19,0)")
    high = F.floor(F.when(F.abs(double).between(2.0**53, 2.0**124), double / 2.0**62))
    low = (double - high.cast("double") * 2.0**62).try_cast("bigint")
    return F.try_add(F.try_multiply(high.cast("decimal(19,0)"), part), low.cast(_WHOLE)).cast(_WHOLE)


def _digits(column: Column, kind: Column, double: Column, written: Column, exact: Column) -> Column:
    """What no decimal holds: the fraction behind more than 20 digits, and numbers of more than 38."""
    fraction = F.when((kind == "DECIMAL") & exact.isNull(), F.regexp_extract(written, r"\.(\d*?)0*$", 1))
    all_ = F.when(one_of(kind, *WIDE_NUMBERS), F.regexp_replace(payload(column, "string"), r"(\.?0+|[eE].*)$", ""))
    text = F.coalesce(F.nullif(fraction, F.lit("")), F.when(F.char_length(all_) > 39, all_))
    turned = F.concat(F.coalesce(F.translate(text, "0123456789", "9876543210"), F.lit("")), F.lit("~"))
    return F.when(one_of(kind, *FAMILIES["number"]), F.when(double < 0, turned).otherwise(text))


#: What is left of a float after so many steps is still exact.
_STEPS = 2**18


def _lean(double: Column) -> Column:
    """On which side of the decimal that it is written as a float lies: `0.1e0` is a little more than `0.1`, `0.3e0` a
    little less than `0.3`; both are 0 only where they are equal."""
    low = F.floor(F.when(F.abs(double) < 2.0**53, double))
    steps = (double - low.cast("double")) * float(_STEPS)
    step = F.floor(steps)
    fraction = step.cast("decimal(6,0)") * F.lit("0.000003814697265625").cast("decimal(18,18)")
    apart = (low.cast("decimal(19,0)") + fraction) - double.try_cast(_EXACT)
    rest = (steps - step.cast("double")) / float(_STEPS)
    return F.coalesce(F.signum(apart.cast("double") + rest).cast("int"), F.lit(0))


def _add_moment(found: dict[str, Column], column: Column, kind: Column, *, days: bool) -> None:
    """Nanoseconds, or days; an interval has a unit and months besides."""
    day = F.unix_date(whole(column, "date")).cast(_WHOLE)
    moment = (
        F.when(kind == "DATE", day if days else day * 86_400_000_000_000)
        .when(one_of(kind, "TIMESTAMP", "TIMESTAMP_NTZ"), F.unix_micros(whole(column, "timestamp")).cast(_WHOLE) * 1000)
        .when(one_of(kind, "timestamp", "time", "interval"), F.try_variant_get(column, "$['\x01'][2]", _WHOLE))
    )
    interval = kind == "interval"
    unit = F.when(interval, F.ascii(F.try_variant_get(column, "$['\x01'][1][0]", "string")))
    months = F.when(interval, F.try_variant_get(column, "$['\x01'][1][1]", _EXACT))
    for name, made in (("c", unit), ("e", months), ("w", moment.cast(_WHOLE))):
        found[name] = F.coalesce(found[name], made) if name in found else made


def _text(column: Column, kind: Column, use: Use) -> Column:
    clob = payload(column, "string") if use is Use.ORDER else F.hex(payload(column, "binary"))
    return (
        F.when(one_of(kind, "STRING", "BOOLEAN"), whole(column, "string"))
        .when(kind == "symbol", payload(column, "string"))
        .when(kind == "BINARY", F.hex(whole(column, "binary")))
        .when(kind == "clob", clob)
        .when(kind == "graph", F.to_json(column))
    )


# ---------------------------------------------------------------------------------------------------------------------
# Containers


def flat(column: Column, *, alike: bool) -> Column:
    """The tokens of a container. If `alike`, MISSING is as good as NULL in it."""
    depth = F.char_length(F.regexp_replace(F.to_json(column), r"[^\[{]", ""))
    pair = F.struct(F.lit(None).cast("string").alias("key"), column.alias("value"))
    root = F.struct(F.lit(True).alias("l"), F.array(pair).alias("c"), F.lit(None).cast(f"array<{TOKEN}>").alias("h"))
    levels = F.aggregate(
        F.sequence(F.lit(0), depth), F.array(F.array(root)), lambda found, _: _with_level(found, alike=alike)
    )
    nothing = F.array().cast(f"array<array<{TOKEN}>>")
    return F.flatten(F.aggregate(F.reverse(levels), nothing, _put_together))


def _with_level(levels: Column, *, alike: bool) -> Column:
    """The levels with one more, if there is one. A node: is it a list, the pairs that it contains, its own tokens."""
    last = F.filter(F.element_at(levels, -1), lambda node: node["c"].isNotNull())
    pairs = F.flatten(F.transform(last, lambda node: node["c"]))
    seen = F.transform(
        pairs,
        lambda pair: F.struct(
            pair["key"].alias("n"),
            pair["value"].alias("v"),
            kind_of(pair["value"]).alias("k"),
            double_of(pair["value"]).alias("d"),
        ),
    )
    nodes = F.transform(seen, lambda item: _node(item, alike=alike))
    return F.when(F.exists(last, lambda node: F.size(node["c"]) > 0), F.concat(levels, F.array(nodes))).otherwise(
        levels
    )


def _node(item: Column, *, alike: bool) -> Column:
    kind, value, name = item["k"], item["v"], item["n"]
    absent = F.lit(NULL) if alike else F.when(kind == "VOID", NULL).otherwise(MISSING)
    own = F.struct(*token(value, kind, item["d"], place=F.coalesce(rank(kind), absent)))
    given: dict[str, Any] = {"r": F.lit(RANKS["STRING"]), "t": name}
    named = F.struct(*(given.get(part, F.lit(None).cast(type_)).alias(part) for part, type_ in _PARTS))
    return F.struct(
        one_of(kind, "ARRAY", "sexp").alias("l"),
        _pairs(value, kind).alias("c"),
        F.when(name.isNull(), F.array(own)).otherwise(F.array(named, own)).alias("h"),
    )


def _pairs(column: Column, kind: Column) -> Column:
    """What is in a container, with names if it is a struct; SQL NULL of what is none."""
    array = F.when(kind == "ARRAY", whole(column, "array<variant>")).when(
        one_of(kind, "bag", "sexp"), payload(column, "array<variant>")
    )
    unnamed = F.transform(array, lambda item: F.struct(F.lit(None).cast("string").alias("key"), item.alias("value")))
    return F.coalesce(unnamed, dynamic.entries(column, kind))


def _put_together(below: Column, level: Column) -> Column:
    """The tokens of each node of a level, given those of the nodes of the level below."""
    end = F.array(F.lit(None).cast(TOKEN))

    def added(so_far: Column, node: Column) -> Column:
        size = F.coalesce(F.array_size(node["c"]), F.lit(0))
        inner = F.slice(below, so_far["p"], size)
        contents = F.flatten(F.when(node["l"], inner).otherwise(F.sort_array(inner)))
        tokens = F.when(node["c"].isNull(), node["h"]).otherwise(F.concat(F.coalesce(node["h"], end), contents, end))
        return F.struct((so_far["p"] + size).alias("p"), F.concat(so_far["o"], F.array(tokens)).alias("o"))

    start = F.struct(F.lit(1).alias("p"), F.array().cast(f"array<array<{TOKEN}>>").alias("o"))
    return F.aggregate(level, start, added, lambda found: found["o"])
