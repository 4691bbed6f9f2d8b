"""Columns of variants: what kind of value is in there, getting it out, putting plain columns in.

The functions here mention their argument a few times. A caller that nests them binds the argument to a name first
(`scope.py`), because Catalyst computes an expression as often as it is written.
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
from firesteel.spark.encoding.column_types import Form, TrimmedDecimal, WholeOrDecimal, form, to_spark
from firesteel.spark.encoding.decimal_variants import is_whole, trimmed_variant
from firesteel.spark.encoding.kinds import FAMILIES, NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG

#: The type of the column that `extract` gives for a family: Spark's name, and ours.
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
    """A variant tagged with the kind. The parts are variants too."""
    return to_object([(TAG, F.to_variant_object(F.array(F.literal(kind, "variant"), *parts)))])


def missing_item() -> Column:
    """MISSING inside a container."""
    return json_column(json.dumps({TAG: [Kind.MISSING]}))


def to_object(parts: Iterable[tuple[str, Column]]) -> Column:
    """An object of variants, none of them SQL NULL. The names do not repeat."""
    return F.to_variant_object(F.create_map(*(part for name, item in parts for part in (F.lit(name), item))))


def tag_of(column: Column) -> Column:
    """The kind that a variant is tagged with; SQL NULL if it has no tag."""
    return F.try_variant_get(column, f"$['{TAG}'][0]", "string")


def payload(column: Column, spark_type: str = "variant") -> Column:
    """The first part of a tagged variant: the elements of a bag, the text of a symbol."""
    return F.try_variant_get(column, f"$['{TAG}'][1]", spark_type)


def kind_of(column: Column) -> Column:
    """The kind of a variant, by name; `VOID` for NULL, SQL NULL for MISSING."""
    return tagged_kind(column, F.schema_of_variant(column))


def tagged_kind(column: Column, schema: Column) -> Column:
    """The kind of a variant, given its `schema_of_variant`. Only objects are searched for a tag: where a path does not
    exist, Spark throws and catches an exception, which is slow."""
    return F.coalesce(F.when(schema.startswith(Kind.OBJECT), tag_of(column)), kind_of_schema(schema))


def kind_of_schema(schema: Column) -> Column:
    """The kind of a variant that has no tag: the first word of its schema."""
    column: Any = F
    for kind in (Kind.DECIMAL, Kind.ARRAY, Kind.OBJECT):
        column = column.when(schema.startswith(kind), F.lit(kind))
    return column.otherwise(schema)


#: Floats that are not finite: Spark quotes them in JSON.
_NO_NUMBERS = ('"NaN"', '"Infinity"', '"-Infinity"')


def is_quoted(json: Column) -> Column:
    """Is it the JSON of a string? The variant must hold no dates, timestamps or octets, which are quoted too."""
    return json.startswith('"') & ~json.isin(*_NO_NUMBERS)


def text_of_json(json: Column, kind: Column, whole: Column) -> Column:
    """The text of a variant, from its JSON; `whole`, the variant cast to a string, for escapes and for floats."""
    plain = F.substring(json, F.lit(2), F.char_length(json) - 2)
    return (
        F.when(kind == Kind.STRING, F.when(F.contains(json, F.lit("\\")), whole).otherwise(plain))
        .when(one_of(kind, Kind.BIGINT, Kind.DECIMAL, Kind.BOOLEAN), json)
        .when(kind == Kind.DOUBLE, whole)
    )


def one_of(column: Column, *names: str) -> Column:
    """Is it one of these names? For many names, `isin` is faster, but needs a literal for each instead of one."""
    if len(names) == 1:
        return column == names[0]
    if len(names) <= 3:
        return column.isin(*names)
    return F.find_in_set(column, F.lit(",".join(names))) > 0


def cast_variant(column: Column, spark_type: str) -> Column:
    """The variant as a column of a Spark type. It casts (the text `1` to a number), so check the kind first."""
    return F.try_variant_get(column, "$", spark_type)


def extract(column: Column, kind: Column, family: str) -> Column:
    """The value if it is of the family, else SQL NULL."""
    spark_type, _ = EXTRACTED[family]
    plain = cast_variant(column, spark_type)
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
    array = F.when(kind == Kind.ARRAY, cast_variant(column, "array<variant>")).otherwise(
        F.when(one_of(kind, Kind.BAG, Kind.SEXP), payload(column, "array<variant>"))
    )
    return F.transform(array, item)


def item(column: Column) -> Column:
    """An item of a container; SQL NULL if it is tagged as MISSING."""
    missing_ = F.schema_of_variant(column).startswith(Kind.OBJECT) & F.coalesce(
        tag_of(column) == Kind.MISSING, F.lit(False)
    )
    return F.when(~missing_, column)


def entries(column: Column, kind: Column) -> Column:
    """The attributes of a struct as an array of (key, value); of anything else SQL NULL."""
    return F.when(kind == Kind.OBJECT, F.map_entries(cast_variant(column, "map<string,variant>"))).otherwise(
        F.when(kind == Kind.PAIRS, pairs(column))
    )


def pairs(column: Column) -> Column:
    """The attributes of a struct whose keys repeat."""
    return F.transform(
        payload(column, "array<array<variant>>"),
        lambda pair: F.struct(cast_variant(pair[0], "string").alias("key"), pair[1].alias("value")),
    )


def from_entries(array: Column) -> Column:
    """A struct from an array of (key, value), without the pairs whose value is SQL NULL; a key may repeat.

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
    source = form(type_)
    if source is Form.VARIANT:
        return column
    variant = _variant(column, type_)
    return F.coalesce(variant, null()) if source is Form.PLAIN and type_.nullable else variant


def _variant(column: Column, type_: t.Type) -> Column:
    """A plain column as a variant; SQL NULL stays SQL NULL."""
    if isinstance(type_, TrimmedDecimal):
        return trimmed_variant(column, type_)
    if isinstance(type_, WholeOrDecimal):
        decimal = trimmed_variant(column, type_.decimal)
        return F.when(is_whole(column), column.cast("bigint").cast("variant")).otherwise(decimal)
    if isinstance(type_, _AS_THEY_ARE):
        return column.cast("variant")
    if _simple(t.proper(type_)):
        return F.to_variant_object(column)
    if not type_.absent:
        return _present_variant(column, type_)
    if isinstance(type_, t.Array | t.Map):
        return _present_variant(column, type_)  # gives SQL NULL for SQL NULL without a test
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
    """A struct as a variant. Each attribute mentions the struct, so one of several attributes is bound to a name."""

    def build(value: Column) -> Column:
        named = [(field.name or "", field.type) for field in type_.fields]
        return struct_of([(name, to_variant(value[name], inner), inner.missable) for name, inner in named])

    return build(column) if len(type_.fields) < 2 else let(column, build)


def _items(column: Column, type_: t.Collection) -> Column:
    return items_variant(column, type_.element)


def items_variant(column: Column, element: t.Type) -> Column:
    """An array of elements of a type, as a variant."""
    if _simple(element):
        return F.to_variant_object(column)

    def item_variant(inner: Column) -> Column:
        variant = to_variant(inner, element)
        return F.coalesce(variant, missing_item()) if element.missable else variant

    return F.to_variant_object(F.transform(column, item_variant))


def _simple(type_: t.Type) -> bool:
    """Does Spark's own conversion of a nested column do the right thing?"""
    if type_.missable or form(type_) is Form.VARIANT or isinstance(type_, TrimmedDecimal | WholeOrDecimal):
        return False
    if isinstance(type_, t.Array):
        return _simple(type_.element)
    if isinstance(type_, t.Struct):
        return all(_simple(field.type) for field in type_.fields)
    return isinstance(type_, _AS_THEY_ARE)


# ---------------------------------------------------------------------------------------------------------------------
# Variants as plain columns


def from_variant(column: Column, type_: t.Type) -> Column:
    """A variant that holds values of the type, as a plain column: the reverse of `to_variant`. SQL NULL where the value
    is absent. Types are not nested deep."""
    target = t.proper(type_)
    if form(target) is Form.VARIANT:
        raise UnsupportedError(f"a value of type {target} has no plain column on Spark", help="cast it to another type")
    name = to_spark(target).simpleString()
    match target:
        case t.Symbol() | t.Clob():
            return payload(column, name)
        case t.Int() | t.UserDefined():
            return F.coalesce(cast_variant(column, name), payload(column, name))
        case t.Timestamp():
            return _plain_timestamp(column, name)
        case t.Array():
            return _plain_items(cast_variant(column, "array<variant>"), target.element)
        case t.Collection():
            return _plain_items(payload(column, "array<variant>"), target.element)
        case t.Struct():
            return let(cast_variant(column, "map<string,variant>"), lambda named: _plain_struct(named, target))
        case t.Map():
            value = target.value
            named = cast_variant(column, "map<string,variant>")
            return F.transform_values(named, lambda _, inner: _plain_part(inner, value))
    return cast_variant(column, name)


def _plain_part(column: Column, type_: t.Type) -> Column:
    return column if form(type_) is Form.VARIANT else from_variant(column, type_)


def _plain_items(array: Column, element: t.Type) -> Column:
    return F.transform(array, lambda one: _plain_part(item(one), element))


def _plain_struct(named: Column, type_: t.Struct) -> Column:
    fields = [(field.name or "", field.type) for field in type_.fields]
    parts = [_plain_part(F.try_element_at(named, F.lit(name)), inner).alias(name) for name, inner in fields]
    return F.when(named.isNotNull(), F.struct(*parts))


def _plain_timestamp(column: Column, name: str) -> Column:
    """A timestamp, plain or tagged. A tagged one, such as `12:00:00.50` with its last zero, holds nanoseconds."""
    nanos = F.try_variant_get(column, f"$['{TAG}'][2]", "decimal(38,0)")
    micros = F.floor(nanos / F.literal(1_000, "decimal(4,0)")).cast("bigint")
    return F.coalesce(cast_variant(column, "timestamp"), F.timestamp_micros(micros)).cast(name)


def struct_of(parts: list[tuple[str, Column, bool]]) -> Column:
    """A struct from (name, variant, missable): a missable variant that is SQL NULL is left out."""
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
    """`body(name)`, with a lambda variable as the name of the column: for a value mentioned several times."""
    return F.element_at(F.transform(F.array(column), body), 1)


def let_interpreted(column: Column, body: Any) -> Column:
    """`let` for a large body that few rows need. Spark generates no code for `zip_with`, so the generated code of the
    expressions beside it stays small enough to be compiled."""
    return F.element_at(F.zip_with(F.array(column), F.array(F.lit(0)), lambda value, _: body(value)), 1)


def any_of(conditions: Iterable[Column]) -> Column | None:
    """The conditions joined by OR; None if there are none."""
    tests = list(conditions)
    return reduce(lambda a, b: a | b, tests) if tests else None
