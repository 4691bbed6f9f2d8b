"""Columns made to fit types that a user asks for, natively, by the rules of `tables.typed.fit`.

A value that does not fit raises an error that shows it. A column whose Spark type is the one that is asked for stays as
it is; numbers are cast, with a test where they may not fit; all else goes through a variant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, WholeOrDecimal, cast_type, form, to_spark
from firesteel.spark.encoding.kinds import NUMBERS, WIDE_NUMBERS
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variant_bytes import TAG
from firesteel.tables.typed.ddl import JsonText, spelled
from firesteel.tables.typed.fit import CLOCK, DAY, OFFSET, SHOWN, misfit_message


@dataclass(frozen=True)
class Site:
    """Where a column is, for errors: the mark of its run, its path, and the text of the row that it is in. `said` goes
    before that text. In a table that is `declared`, attributes that a type does not have are left out, and what is
    absent is NULL in a variant, too."""

    mark: str
    path: str
    row: Column
    said: str = "in the row "
    declared: bool = False

    def at(self, step: str) -> Site:
        return replace(self, path=(self.path + step).lstrip("."))

    def wrong(self, shown: Column, type_: t.Type) -> Column:
        """A column of the type that raises the error when it is computed."""
        head, _, tail = misfit_message(self.path, "\0", type_).partition("\0")
        message = F.concat(
            F.lit(self.mark + head),
            F.coalesce(F.substring(shown, 1, SHOWN), F.lit("NULL")),
            F.lit(f"{tail} ({self.said}"),
            F.coalesce(F.substring(self.row, 1, 4 * SHOWN), F.lit("")),
            F.lit(")"),
        )
        return F.raise_error(message).cast(_spark(type_))


def _spark(type_: t.Type) -> Any:
    if form(type_) is Form.VARIANT and not isinstance(type_, t.Any):
        raise UnsupportedError(f"Spark has no column of the type {type_}", help="ask for another type")
    return cast_type(type_)


def fitted(column: Column, source: t.Type, target: t.Type, site: Site) -> Column:
    """A column that is encoded by `source`, as a plain column of `target`. Types are not nested deep."""
    if isinstance(target, t.Any):
        found = variants.to_variant(column, source)
        return F.coalesce(found, variants.null()) if site.declared else found
    found = _fitted(column, source, target, site)
    if target.nullable:
        return found
    return variants.let(found, lambda one: F.when(one.isNull(), site.wrong(F.lit("NULL"), target)).otherwise(one))


def _fitted(column: Column, source: t.Type, target: t.Type, site: Site) -> Column:
    if form(source) is Form.VARIANT or isinstance(target, JsonText):
        return _of_variant(variants.to_variant(column, source), target, site)
    if isinstance(source, t.Collection) and isinstance(target, t.Collection):
        inner, outer = source.element, target.element
        return F.transform(column, lambda item: fitted(item, inner, outer, site.at("[]")))
    if isinstance(source, t.Struct) and isinstance(target, t.Struct) and _holds(source, target):
        parts = []
        for field in target.fields:
            own = source.field(field.name or "")
            part = None if own is None else column[field.name or ""]
            parts.append(fitted_part(part, own, field, site))
        return F.when(column.isNotNull(), F.struct(*parts))
    if to_spark(source) == to_spark(target) and _alike(source, target):
        return column
    if isinstance(source, t.Integer | t.Float32) and isinstance(target, t.Float64):
        return column.cast("double")
    if isinstance(source, t.Integer) and isinstance(target, t.Integer):
        small = column.try_cast(cast_type(target))
        return F.when(small.isNull() & column.isNotNull(), site.wrong(column.cast("string"), target)).otherwise(small)
    return _of_variant(variants.to_variant(column, source), target, site)


def fitted_part(column: Column | None, own: t.Type | None, field: t.Field, site: Site) -> Column:
    """An attribute that is asked for, under its name; it is absent in all rows if there is no column for it."""
    source = t.absent(field.type, nullable=True) if own is None else own
    given = F.literal(None, _spark(field.type)) if column is None else column
    return fitted(given, source, field.type, site.at(f".{field.name}")).alias(field.name or "")


def _holds(source: t.Struct, target: t.Struct) -> bool:
    return all(target.field(field.name or "") is not None for field in source.fields)


#: Types of which several have one Spark type: a date in text is no date, but text and symbols are both text.
_CLASSES: tuple[Any, ...] = (t.Text | t.Uuid, t.Octets, t.Decimal | t.Integer | WholeOrDecimal | t.Union)


def _alike(source: t.Type, target: t.Type) -> bool:
    return type(source) is type(target) or any(isinstance(source, c) and isinstance(target, c) for c in _CLASSES)


# ---------------------------------------------------------------------------------------------------------------------
# Variants


def _of_variant(column: Column, target: t.Type, site: Site) -> Column:
    """What is in a variant, as a plain column; its kind is computed once."""
    _spark(target)
    pair = F.struct(column.alias("v"), variants.kind_of(column).alias("k"))
    return variants.let(pair, lambda bound: _by_kind(bound["v"], bound["k"], target, site))


def _by_kind(value: Column, kind: Column, target: t.Type, site: Site) -> Column:
    found = _extracted(value, kind, t.proper(target), site)
    absent = kind.isNull() | variants.one_of(kind, Kind.VOID, Kind.MISSING)
    wrong = site.wrong(F.to_json(value), target)
    return F.when(absent, F.literal(None, _spark(target))).otherwise(F.coalesce(found, wrong))


def _extracted(value: Column, kind: Column, target: t.Type, site: Site) -> Column:
    """The value if it fits, else SQL NULL."""
    match target:
        case t.Collection():
            inner = target.element
            items = variants.elements(value, kind)
            return F.transform(items, lambda item: fitted(item, t.ANY, inner, site.at("[]")))
        case t.Struct():
            return _struct(value, kind, target, site)
        case t.Map():
            item = target.value
            named = F.when(kind == Kind.OBJECT, variants.cast_variant(value, "map<string,variant>"))
            return F.transform_values(named, lambda _, one: fitted(one, t.ANY, item, site.at("[]")))
    extract = next((extract for cls, extract in _EXTRACT if isinstance(target, cls)), None)
    if extract is None:
        raise UnsupportedError(f"a value without a type as {spelled(target)} on Spark", help="cast it in the query")
    return extract(value, kind, target)


def _struct(value: Column, kind: Column, target: t.Struct, site: Site) -> Column:
    names = [field.name or "" for field in target.fields]

    def build(named: Column) -> Column:
        parts = []
        for name, field in zip(names, target.fields, strict=True):
            part = fitted(F.try_element_at(named, F.lit(name)), t.ANY, field.type, site.at(f".{name}"))
            parts.append(part.alias(name))
        if site.declared:
            return F.when(named.isNotNull(), F.struct(*parts))
        fits = F.size(F.array_except(F.map_keys(named), F.array(*map(F.lit, names)))) == 0
        return F.when(fits, F.struct(*parts))

    return variants.let(F.when(kind == Kind.OBJECT, variants.cast_variant(value, "map<string,variant>")), build)


def _text(value: Column, kind: Column) -> Column:
    """The digits of a decimal, or of a number that VARIANT has no room for."""
    wide = F.when(variants.one_of(kind, *WIDE_NUMBERS), variants.payload(value, "string"))
    return F.when(kind == Kind.DECIMAL, variants.cast_variant(value, "string")).otherwise(wide)


def _floating(value: Column, kind: Column) -> Column:
    return F.when(variants.one_of(kind, Kind.DOUBLE, Kind.FLOAT), variants.cast_variant(value, "double"))


def _integer(value: Column, kind: Column, target: t.Type) -> Column:
    text = _text(value, kind)
    whole = F.when(text.rlike(r"^-?[0-9]+(\.0*)?$"), F.regexp_replace(text, r"\..*$", "").try_cast(cast_type(target)))
    double = _floating(value, kind)
    exact = F.when(F.rint(double) == double, double.try_cast(cast_type(target)))
    own = F.when(kind == Kind.BIGINT, variants.cast_variant(value, "bigint").try_cast(cast_type(target)))
    return F.coalesce(own, whole, exact)


def _decimal(value: Column, kind: Column, target: Any) -> Column:
    name, scale = cast_type(target), target.scale or 0
    text = _text(value, kind)
    exact = F.when(text.rlike(rf"^-?[0-9]+(\.[0-9]{{0,{scale}}}0*)?$"), text.try_cast(name))
    double = _floating(value, kind)
    near = double.try_cast(name)
    own = F.when(kind == Kind.BIGINT, variants.cast_variant(value, "bigint").try_cast(name))
    return F.coalesce(own, exact, F.when(near.cast("double") == double, near))


def _float(value: Column, kind: Column, target: t.Type) -> Column:
    wide = F.when(variants.one_of(kind, *WIDE_NUMBERS), variants.payload(value, "string").try_cast("double"))
    double = F.coalesce(F.when(variants.one_of(kind, *NUMBERS), variants.cast_variant(value, "double")), wide)
    found = double.cast(cast_type(target))
    infinite = F.abs(found.cast("double")) == float("inf")
    given = F.coalesce(F.abs(_floating(value, kind)) == float("inf"), F.lit(False))
    return F.when(~infinite | given, found)


def _string(value: Column, kind: Column, _: t.Type) -> Column:
    symbol = F.when(kind == Kind.SYMBOL, variants.payload(value, "string"))
    return F.when(kind == Kind.STRING, variants.cast_variant(value, "string")).otherwise(symbol)


def json_or_text(value: Column, kind: Column) -> Column:
    """Text as it is, any other value as its JSON. What is tagged has no JSON that others would understand: SQL NULL."""
    json = F.to_json(value)
    plain = F.when(~F.contains(json, F.lit(f'"{TAG}"')), json)
    wide = F.when(variants.one_of(kind, *WIDE_NUMBERS), variants.payload(value, "string"))
    return F.coalesce(_string(value, kind, t.STRING), wide, plain)


def _date(value: Column, kind: Column, _: t.Type) -> Column:
    text = _string(value, kind, t.STRING)
    own = F.when(kind == Kind.DATE, variants.cast_variant(value, "date"))
    return F.coalesce(own, F.when(text.rlike(DAY), text.try_cast("date")))


def _timestamp(value: Column, kind: Column, target: Any) -> Column:
    name = cast_type(target)
    native = Kind.TIMESTAMP if target.zone else Kind.TIMESTAMP_NTZ
    own = F.when(kind == native, variants.cast_variant(value, str(name)))
    offset = F.try_variant_get(value, f"$['{TAG}'][1][4][3]", "int")
    nanos = F.try_variant_get(value, f"$['{TAG}'][2]", "decimal(38,0)")
    thousand = F.literal(1_000, "decimal(4,0)")
    fits = (offset.isNotNull() if target.zone else offset.isNull()) & (nanos % thousand == 0)
    moment = F.timestamp_micros((nanos / thousand).cast("bigint"))
    tagged = F.when((kind == Kind.TAGGED_TIMESTAMP) & fits, moment.cast(name))
    text = _string(value, kind, t.STRING)
    written = F.when(text.rlike(CLOCK + (OFFSET if target.zone else "$")), text.try_cast(name))
    return F.coalesce(own, tagged, written)


_EXTRACT: tuple[tuple[type[t.Type], Callable[[Column, Column, Any], Column]], ...] = (
    (t.Bool, lambda value, kind, _: F.when(kind == Kind.BOOLEAN, variants.cast_variant(value, "boolean"))),
    (t.Integer, _integer),
    (t.Decimal, _decimal),
    (t.Float32, _float),
    (t.Float64, _float),
    (JsonText, lambda value, kind, _: json_or_text(value, kind)),
    (t.Text, _string),
    (t.Octets, lambda value, kind, _: variants.extract(value, kind, "octets")),
    (t.Date, _date),
    (t.Timestamp, _timestamp),
)
