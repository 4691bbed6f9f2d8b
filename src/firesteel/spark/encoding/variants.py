"""Columns of variants: what kind of value is in there, getting it out, putting plain columns in.

Everything here mentions its argument at most a few times; whoever nests such expressions binds the parts to names
first (`scope.py`), because Catalyst does not share what is written twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import reduce
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, Mean, form, to_spark
from firesteel.spark.encoding.kinds import FAMILIES, NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG

#: What Spark calls the column that a family's values come out as.
EXTRACTED: dict[str, tuple[str, t.Type]] = {
    "bool": ("boolean", t.BOOL),
    "int": ("bigint", t.INT64),
    "float": ("double", t.FLOAT64),
    "text": ("string", t.STRING),
    "octets": ("binary", t.BLOB),
    "octets or text": ("binary", t.BLOB),
    "date": ("date", t.DATE),
    "timestamp": ("timestamp", t.Timestamp(6, zone=True)),
}


def json_column(text: str) -> Column:
    return F.parse_json(F.lit(text))


def null() -> Column:
    """NULL."""
    return json_column("null")


def missing() -> Column:
    """MISSING."""
    return F.literal(None, "variant")


def tag(kind: str, *parts: Column) -> Column:
    """A tagged value, of variants."""
    return to_object([(TAG, F.to_variant_object(F.array(F.literal(kind, "variant"), *parts)))])


def missing_item() -> Column:
    """MISSING inside a container."""
    return json_column(json.dumps({TAG: [Kind.MISSING]}))


def to_object(parts: Iterable[tuple[str, Column]]) -> Column:
    """An object of variants, none of them SQL NULL. The names do not repeat."""
    return F.to_variant_object(F.create_map(*(part for name, item in parts for part in (F.lit(name), item))))


def tag_of(column: Column) -> Column:
    """The kind that a variant is tagged with; SQL NULL if it is not."""
    return F.try_variant_get(column, f"$['{TAG}'][0]", "string")


def payload(column: Column, spark_type: str = "variant") -> Column:
    """What a tagged variant is made of."""
    return F.try_variant_get(column, f"$['{TAG}'][1]", spark_type)


def kind_of(column: Column) -> Column:
    """The kind of a variant, by name; `VOID` for NULL, SQL NULL for MISSING."""
    return tagged_kind(column, F.schema_of_variant(column))


def tagged_kind(column: Column, schema: Column) -> Column:
    """The kind of a variant of that schema. Only objects are asked for a tag: where a path leads nowhere, Spark throws,
    and catches, an exception."""
    return F.coalesce(F.when(schema.startswith(Kind.OBJECT), tag_of(column)), kind_of_schema(schema))


def kind_of_schema(schema: Column) -> Column:
    """The kind of a variant that has no tag: what its schema begins with."""
    column: Any = F
    for kind in (Kind.DECIMAL, Kind.ARRAY, Kind.OBJECT):
        column = column.when(schema.startswith(kind), F.lit(kind))
    return column.otherwise(schema)


#: What floats that are not finite are in JSON: texts.
_NO_NUMBERS = ('"NaN"', '"Infinity"', '"-Infinity"')


def is_quoted(json: Column) -> Column:
    """Is the JSON text of a variant, which holds no moments and no octets, surely that of a text?"""
    return json.startswith('"') & ~json.isin(*_NO_NUMBERS)


def text_of_json(json: Column, kind: Column, whole: Column) -> Column:
    """The text of a variant, of its JSON; `whole` is what it is where that has escapes, or is not a text's alone."""
    plain = F.substring(json, F.lit(2), F.char_length(json) - 2)
    return (
        F.when(kind == Kind.STRING, F.when(F.contains(json, F.lit("\\")), whole).otherwise(plain))
        .when(one_of(kind, Kind.BIGINT, Kind.DECIMAL, Kind.BOOLEAN), json)
        .when(kind == Kind.DOUBLE, whole)
    )


def one_of(column: Column, *names: str) -> Column:
    """Is it one of these names? Of many, one literal, where `isin` would have one for each, and be faster."""
    if len(names) == 1:
        return column == names[0]
    if len(names) <= 3:
        return column.isin(*names)
    return F.find_in_set(column, F.lit(",".join(names))) > 0


def whole(column: Column, spark_type: str) -> Column:
    """The variant as a column of a type. It casts: ask for the kind first."""
    return F.try_variant_get(column, "$", spark_type)


def extract(column: Column, kind: Column, family: str) -> Column:
    """The value if it is of the family, else SQL NULL."""
    spark_type, _ = EXTRACTED[family]
    plain = whole(column, spark_type)
    if family == "text":
        symbols = F.when(one_of(kind, Kind.SYMBOL, Kind.CLOB), payload(column, "string"))
        return F.when(kind == Kind.STRING, plain).otherwise(symbols)
    if family == "float":
        return F.when(one_of(kind, *WIDE_NUMBERS), payload(column, "double")).otherwise(
            F.when(one_of(kind, *NUMBERS), plain)
        )
    if family == "octets or text":
        texts = F.when(one_of(kind, Kind.STRING, Kind.SYMBOL), extract(column, kind, "text").cast("binary"))
        return F.coalesce(extract(column, kind, "octets"), texts)
    if family == "octets":
        return F.when(kind == Kind.BINARY, plain).otherwise(F.when(kind == Kind.CLOB, payload(column, "binary")))
    return F.when(one_of(kind, *(k for k in FAMILIES[family] if not k.tagged)), plain)


def elements(column: Column, kind: Column) -> Column:
    """The elements of a collection as an array of variants, MISSING as SQL NULL; of anything else SQL NULL."""
    array = F.when(kind == Kind.ARRAY, whole(column, "array<variant>")).otherwise(
        F.when(one_of(kind, Kind.BAG, Kind.SEXP), payload(column, "array<variant>"))
    )
    return F.transform(array, item)


def item(column: Column) -> Column:
    """An item of a container: one that is tagged as MISSING is SQL NULL."""
    missing_ = F.schema_of_variant(column).startswith(Kind.OBJECT) & F.coalesce(
        tag_of(column) == Kind.MISSING, F.lit(False)
    )
    return F.when(~missing_, column)


def entries(column: Column, kind: Column) -> Column:
    """The attributes of a struct as an array of (key, value); of anything else SQL NULL."""
    return F.when(kind == Kind.OBJECT, F.map_entries(whole(column, "map<string,variant>"))).otherwise(
        F.when(kind == Kind.PAIRS, pairs(column))
    )


def pairs(column: Column) -> Column:
    """The attributes of a struct whose keys repeat."""
    return F.transform(
        payload(column, "array<array<variant>>"),
        lambda pair: F.struct(whole(pair[0], "string").alias("key"), pair[1].alias("value")),
    )


def from_entries(array: Column) -> Column:
    """A struct of an array of (key, value), without those whose value is SQL NULL; a key may repeat.

    The array is mentioned several times: bind it first.
    """
    kept = F.filter(array, lambda pair: pair["value"].isNotNull())
    keys = F.transform(kept, lambda pair: pair["key"])
    listed = F.transform(kept, lambda pair: F.array(pair["key"].cast("variant"), pair["value"]))
    once = (F.size(F.array_distinct(keys)) == F.size(keys)) & ~F.array_contains(keys, TAG)
    plain = F.to_variant_object(F.map_from_entries(kept))
    return F.when(once, plain).otherwise(tag(Kind.PAIRS, F.to_variant_object(listed)))


# ---------------------------------------------------------------------------------------------------------------------
# Plain columns as variants

_AS_THEY_ARE = (
    *(t.Bool, t.Int8, t.Int16, t.Int32, t.Int64, t.Float32, t.Float64, t.Decimal),
    *(t.Char, t.String, t.Byte, t.Blob, t.Date, t.Timestamp, t.Uuid),
)


def to_variant(column: Column, type_: t.Type) -> Column:
    """A column that is encoded by the type, as a variant."""
    found = form(type_)
    if found is Form.VARIANT:
        return column
    made = _variant(column, type_)
    return F.coalesce(made, null()) if found is Form.PLAIN and type_.nullable else made


def _variant(column: Column, type_: t.Type) -> Column:
    """SQL NULL where the column is."""
    if isinstance(type_, Mean):
        return decimal_variant(column, type_.scale or 0)
    if isinstance(type_, _AS_THEY_ARE):
        return column.cast("variant")
    if _simple(t.proper(type_)):
        return F.to_variant_object(column)
    if not type_.absent:
        return _present_variant(column, type_)
    if isinstance(type_, t.Array | t.Map):
        return _present_variant(column, type_)  # SQL NULL of SQL NULL by itself
    return let(column, lambda value: F.when(value.isNotNull(), _present_variant(value, type_)))


def _present_variant(column: Column, type_: t.Type) -> Column:
    match type_:
        case t.Int() | t.UserDefined():
            wide = tag(Kind.WIDE_INT, column.cast("string").cast("variant"))
            return F.coalesce(column.try_cast("bigint").cast("variant"), wide)
        case t.Symbol():
            return tag(Kind.SYMBOL, column.cast("variant"))
        case t.Clob():
            return tag(Kind.CLOB, column.cast("variant"))
        case t.Array():
            return _items(column, type_)
        case t.Collection():
            return tag(Kind.BAG if isinstance(type_, t.Bag) else Kind.SEXP, _items(column, type_))
        case t.Struct():
            return _struct_variant(column, type_)
        case t.Map():
            value = type_.value
            return F.to_variant_object(F.transform_values(column, lambda _, inner: to_variant(inner, value)))
    raise AssertionError(f"no plain column for {type_}")


def _struct_variant(column: Column, type_: t.Struct) -> Column:
    """A struct of several attributes is mentioned as often: it gets a name."""

    def made(value: Column) -> Column:
        named = [(field.name or "", field.type) for field in type_.fields]
        return struct_of([(name, to_variant(value[name], inner), inner.missable) for name, inner in named])

    return made(column) if len(type_.fields) < 2 else let(column, made)


def _items(column: Column, type_: t.Collection) -> Column:
    return items_variant(column, type_.element)


def items_variant(column: Column, element: t.Type) -> Column:
    """An array of elements of a type, as a variant."""
    if _simple(element):
        return F.to_variant_object(column)

    def one(inner: Column) -> Column:
        made = to_variant(inner, element)
        return F.coalesce(made, missing_item()) if element.missable else made

    return F.to_variant_object(F.transform(column, one))


def _simple(type_: t.Type) -> bool:
    """Does Spark's own conversion of a nested column do the right thing?"""
    if type_.missable or form(type_) is Form.VARIANT or isinstance(type_, Mean):
        return False
    if isinstance(type_, t.Array):
        return _simple(type_.element)
    if isinstance(type_, t.Struct):
        return all(_simple(field.type) for field in type_.fields)
    return isinstance(type_, _AS_THEY_ARE)


# ---------------------------------------------------------------------------------------------------------------------
# Variants as plain columns


def from_variant(column: Column, type_: t.Type) -> Column:
    """A variant that holds values of the type, as a plain column: what `to_variant` made, taken apart again. SQL NULL
    where the value is absent. Types are not nested deep."""
    target = t.proper(type_)
    if form(target) is Form.VARIANT:
        raise UnsupportedError(f"a value of type {target} has no plain column on Spark", help="cast it to another type")
    name = to_spark(target).simpleString()
    match target:
        case t.Symbol() | t.Clob():
            return payload(column, name)
        case t.Int() | t.UserDefined():
            return F.coalesce(whole(column, name), payload(column, name))
        case t.Timestamp():
            return _plain_timestamp(column, name)
        case t.Array():
            return _plain_items(whole(column, "array<variant>"), target.element)
        case t.Collection():
            return _plain_items(payload(column, "array<variant>"), target.element)
        case t.Struct():
            return let(whole(column, "map<string,variant>"), lambda named: _plain_struct(named, target))
        case t.Map():
            value = target.value
            named = whole(column, "map<string,variant>")
            return F.transform_values(named, lambda _, inner: _plain_part(inner, value))
    return whole(column, name)


def _plain_part(column: Column, type_: t.Type) -> Column:
    return column if form(type_) is Form.VARIANT else from_variant(column, type_)


def _plain_items(array: Column, element: t.Type) -> Column:
    return F.transform(array, lambda one: _plain_part(item(one), element))


def _plain_struct(named: Column, type_: t.Struct) -> Column:
    fields = [(field.name or "", field.type) for field in type_.fields]
    parts = [_plain_part(F.try_element_at(named, F.lit(name)), inner).alias(name) for name, inner in fields]
    return F.when(named.isNotNull(), F.struct(*parts))


def _plain_timestamp(column: Column, name: str) -> Column:
    """A tagged one, which has other digits than its value needs, has the instant in nanoseconds."""
    nanos = F.try_variant_get(column, f"$['{TAG}'][2]", "decimal(38,0)")
    micros = F.floor(nanos / F.literal(1_000, "decimal(4,0)")).cast("bigint")
    return F.coalesce(whole(column, "timestamp"), F.timestamp_micros(micros)).cast(name)


def struct_of(parts: list[tuple[str, Column, bool]]) -> Column:
    """A struct of variants by name; the third says that the value may be SQL NULL, which leaves it out."""
    names = [name for name, _, _ in parts]
    if not parts:
        return json_column("{}")
    if len(set(names)) < len(names) or TAG in names:
        made = [F.struct(F.lit(name).alias("key"), item.alias("value")) for name, item, _ in parts]
        return let(F.array(*made), from_entries)
    if not any(missable for _, _, missable in parts):
        return to_object((name, item) for name, item, _ in parts)
    every = F.create_map(*(part for name, item, _ in parts for part in (F.lit(name), item)))
    return F.to_variant_object(F.map_filter(every, lambda _, value: value.isNotNull()))


def let(column: Column, body: Any) -> Column:
    """The body, over a name for the column: how a value is mentioned several times where there is no select."""
    return F.element_at(F.transform(F.array(column), body), 1)


def apart(column: Column, body: Any) -> Column:
    """`let` for what is seldom needed and large: `zip_with` is one of few functions that Spark generates no code for.
    The code of what is beside it stays small, and is compiled."""
    return F.element_at(F.zip_with(F.array(column), F.array(F.lit(0)), lambda value, _: body(value)), 1)


def decimal_variant(column: Column, scale: int, places: Column | None = None) -> Column:
    """A decimal of a fixed scale as a variant, of so many digits behind the point, or without the zeros at the end; but
    with one digit, which makes it a decimal."""
    text = F.when(column == 0, F.lit("0." + "0" * scale)).otherwise(column.cast("string"))
    if places is None:
        return F.parse_json(F.regexp_replace(text, r"(\.\d+?)0+$", "$1"))
    kept = F.char_length(text) - F.lit(scale) + F.greatest(places, F.lit(1))
    return F.parse_json(F.substring(text, F.lit(1), kept))


def any_of(conditions: Iterable[Column]) -> Column | None:
    """Their disjunction; None if there are none."""
    found = list(conditions)
    return reduce(lambda a, b: a | b, found) if found else None
