"""The cast expression, by Spark's own casts. A value that cannot be cast is an error, or NULL if the call says so.

Text is cut to the length of its new type, or padded with spaces if that length is fixed. A number is truncated to an
integer, and rounded to a decimal of smaller scale. Spark accepts more texts as numbers, dates and timestamps than the
specification: so a text is first tested with a regular expression.
"""

from __future__ import annotations

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import MICROS, Form, cast_type, form, to_spark, unsigned
from firesteel.spark.scalar.substrait.base import Call, Scalar, is_float, scalar
from firesteel.spark.scalar.substrait.integers import bounds, number
from firesteel.spark.time.moments import long

#: By type: the types that hold all of its values.
_WIDER: dict[type[t.Type], tuple[type[t.Type], ...]] = {
    t.Int8: (t.Int16, t.Int32, t.Int64, t.Float32, t.Float64, t.Bool),
    t.Int16: (t.Int32, t.Int64, t.Float32, t.Float64, t.Bool),
    t.Int32: (t.Int64, t.Float32, t.Float64, t.Bool),
    t.Int64: (t.Float32, t.Float64, t.Bool),
    t.Float32: (t.Float64, t.Bool),
    t.Float64: (t.Float32, t.Bool),
    t.Decimal: (t.Float32, t.Float64, t.Bool),
    t.Bool: (t.Int8, t.Int16, t.Int32, t.Int64, t.Float32, t.Float64),
    t.Date: (t.Timestamp,),
    t.Timestamp: (t.Date, t.Timestamp),
}
_DIGITS: dict[type[t.Type], int] = {t.Bool: 1, t.Int8: 3, t.Int16: 5, t.Int32: 10, t.Int64: 19}

_INTEGER = r"^\s*[+-]?\d+\s*$"
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?\s*$"
_FLOAT = r"(?i)^\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d{1,6})?|nan|inf|infinity)\s*$"
_DATE = r"^\s*\d{4}-\d{1,2}-\d{1,2}([ T].*)?$"
_CLOCK = r"\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,12})?)?\s*(Z|z|UTC|[+-]\d{1,2}(:?\d{2})?)?"
_TIMESTAMP = rf"^\s*\d{{4}}-\d{{1,2}}-\d{{1,2}}([ T]{_CLOCK})?\s*$"


def _certain(source: t.Type, target: t.Type) -> bool:
    """Can every value be cast?"""
    if isinstance(target, t.Text):
        return not isinstance(source, t.Octets)
    if isinstance(target, t.Decimal) and isinstance(source, t.Bool | t.Integer | t.Decimal):
        before = (target.precision or 0) - (target.scale or 0)
        if not isinstance(source, t.Decimal):
            return before >= _DIGITS.get(type(source), 99)
        # Rounding may need one digit more.
        cut = (source.scale or 0) > (target.scale or 0)
        return before >= (source.precision or 0) - (source.scale or 0) + cut
    if isinstance(source, t.Array) and isinstance(target, t.Array):
        return _same(source.element, target.element)
    if isinstance(source, t.Struct) and isinstance(target, t.Struct):
        pairs = zip(source.fields, target.fields, strict=False)
        return len(source.fields) == len(target.fields) and all(_same(a.type, b.type) for a, b in pairs)
    if isinstance(source, t.Collection | t.Struct | t.Map | t.UserDefined | t.Octets):
        return t.proper(source) == t.proper(target)
    return type(target) in (type(source), *_WIDER.get(type(source), ()))


def _same(source: t.Type, target: t.Type) -> bool:
    """May Spark cast such elements inside a container? Yes, if only names change or the type gets wider."""
    source, target = t.proper(source), t.proper(target)
    if isinstance(source, t.Collection | t.Struct):
        return _certain(source, target)
    plain = isinstance(target, t.Integer | t.Float64 | t.Decimal | t.Bool) and type(source) is not t.Bool
    return source == target or (plain and not is_float(source) and _certain(source, target))


def _cast(call: Call) -> Column:
    (x,), (target,) = call.args, call.types
    target = t.proper(target)
    if isinstance(x.type, t.Null) or x.constant is None:
        return F.literal(None, cast_type(target))
    source = t.proper(x.type)
    nested = isinstance(source, t.Collection | t.Struct | t.Map)
    if form(source) is Form.VARIANT or form(target) is Form.VARIANT or (nested and not _certain(source, target)):
        raise call.unsupported(f"{source} as {target}")
    value = _convert(call, x.plain, source, target)
    if _certain(source, target) or call.choice("failure", "THROW") == "NULL":
        return value
    return call.or_else(value, call.error(f"cannot cast {source} to {target}"))


def _convert(call: Call, x: Column, source: t.Type, target: t.Type) -> Column:
    """The cast; SQL NULL where it is impossible."""
    spark = to_spark(target)
    match target:
        case t.Text():
            return _text(x, source, target)
        case t.Octets():
            return _octets(x, source, target)
        case t.Uuid():
            return _uuid(x, source)
        case t.Timestamp():
            return _timestamp(x, source, target)
        case t.UserDefined() if unsigned(target):
            low, high = bounds(target)
            wide = _whole(x, source)
            return F.when(wide.between(number(low), number(high)), wide).cast(spark)
        case t.Integer() if isinstance(source, t.Timestamp):
            return F.unix_seconds(x.cast("timestamp")).try_cast(spark)
        case t.Decimal() if isinstance(source, t.Float32):
            return x.cast("string").try_cast(spark)
    if isinstance(source, t.Text):
        pattern = {t.Date: _DATE, t.Decimal: _NUMBER}.get(type(target))
        pattern = _INTEGER if isinstance(target, t.Integer) else _FLOAT if is_float(target) else pattern
        return (x if pattern is None else F.when(x.rlike(pattern), F.trim(x))).try_cast(spark)
    if to_spark(source) == spark:
        return x
    return x.cast(spark) if _certain(source, target) else x.try_cast(spark)


def _whole(x: Column, source: t.Type) -> Column:
    """A number truncated to an integer."""
    if isinstance(source, t.Text):
        return F.when(x.rlike(_INTEGER), F.trim(x)).try_cast("decimal(38,0)")
    if is_float(source) or isinstance(source, t.Decimal):
        exact = x.cast("string").try_cast("decimal(38,10)") if is_float(source) else x
        return F.when(exact < 0, F.ceil(exact)).otherwise(F.floor(exact)).try_cast("decimal(38,0)")
    return x.cast("int").cast("decimal(38,0)") if isinstance(source, t.Bool) else x.try_cast("decimal(38,0)")


def _text(x: Column, source: t.Type, target: t.Type) -> Column:
    column = x if isinstance(source, t.Text | t.Uuid) else x.cast("string")
    if isinstance(source, t.Octets):
        column = F.try_validate_utf8(column)
    size = source.extent if isinstance(source, t.String) else source.length if isinstance(source, t.Char) else None
    if isinstance(target, t.Char):
        same = isinstance(source, t.Char) and size == target.length
        return column if same else F.rpad(column, F.lit(target.length), F.lit(" "))
    extent = target.extent if isinstance(target, t.String) else None
    return column if extent is None or (size is not None and size <= extent) else F.left(column, F.lit(extent))


def _octets(x: Column, source: t.Type, target: t.Type) -> Column:
    column = x.cast("binary") if isinstance(source, t.Text) else x
    return F.when(F.octet_length(column) == target.length, column) if isinstance(target, t.Byte) else column


def _uuid(x: Column, source: t.Type) -> Column:
    """A UUID in any notation, as lower-case text with four hyphens."""
    if isinstance(source, t.Uuid):
        return x
    figures = F.hex(x) if isinstance(source, t.Octets) else F.regexp_replace(F.trim(x), r"urn:|uuid:|[{}-]", "")
    groups = r"^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$"
    lowered = F.lower(figures)
    return F.when(lowered.rlike(groups), F.regexp_replace(lowered, groups, "$1-$2-$3-$4-$5"))


def _timestamp(x: Column, source: t.Type, target: t.Timestamp) -> Column:
    """A timestamp truncated to the type's digits of a second. Without a zone, an instant is its time in UTC."""
    if isinstance(source, t.Text):
        x = F.when(x.rlike(_TIMESTAMP), F.trim(x)).try_cast("timestamp")
    digits = source.precision if isinstance(source, t.Timestamp) else 0 if isinstance(source, t.Date) else MICROS
    precision = MICROS if target.precision is None else target.precision
    if (MICROS if digits is None else digits) > precision:
        micros = F.unix_micros(x.cast("timestamp"))
        unit = 10 ** (MICROS - precision)
        x = F.timestamp_micros(micros - F.pmod(micros, long(unit)))
    return x.cast("timestamp" if target.zone else "timestamp_ntz")


def _may_fail(call: Call) -> bool:
    source, target = (t.proper(type_) for type_ in (call.args[0].type, call.types[0]))
    return not _certain(source, target) and not isinstance(source, t.Null)


CASTS: dict[str, Scalar] = {"cast": scalar(_cast, twice=_may_fail, cost=Depth.SMALL)}
