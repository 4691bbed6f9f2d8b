"""CAST, per target: a table with a conversion for each kind of source. It gives SQL NULL where it is impossible."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.scope import Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, form, to_spark
from firesteel.spark.encoding.variants import one_of
from firesteel.spark.numbers import exact_decimals
from firesteel.spark.numbers.float_text import decimal_text
from firesteel.spark.time import moments
from firesteel.spark.time.moment_text import cut as cut_moment
from firesteel.spark.time.moment_text import read, written
from firesteel.spark.time.moments import Moment

#: Converts a source column: gives the value, and a test for overflow (None if it never overflows).
Conversion = Callable[[Column], tuple[Column, Column | None]]

_INTEGER = r"^[+-]?[0-9]+$"
_HEX, _BINARY = r"^([+-]?)0[xX]([0-9a-fA-F]+)$", r"^([+-]?)0[bB]([01]+)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def result_type(target: t.Type) -> t.Type:
    """The type of the result. An integer without a width has 64 bits; a time or timestamp keeps the precision that it
    has."""
    if isinstance(target, t.Int):
        return t.INT64
    if isinstance(target, t.Time):
        return t.Time(zone=target.zone)
    if isinstance(target, t.Timestamp):
        return t.Timestamp(zone=target.zone)
    return t.proper(target)


def conversions(target: t.Type, where: Where) -> dict[str, Conversion]:
    match target:
        case t.Bool():
            return _to_bool()
        case t.Integer():
            return _to_integer(target.bits or 64)
        case t.Decimal(precision=None):
            return _to_digits()
        case t.Decimal() if form(target) is not Form.VARIANT:
            return _to_decimal(result_type(target))
        case t.Float64():
            return _to_float()
        case t.String() | t.Char():
            return _to_text(target)
        case t.Date():
            return _to_date()
        case t.Time() | t.Timestamp():
            return _to_moment(target)
        case t.Interval():
            return {}
    raise UnsupportedError(f"cast to {target} on Spark is not native", where=where)


def _never_overflows(value: Column) -> tuple[Column, Column | None]:
    return value, None


def _to_bool() -> dict[str, Conversion]:
    def text(column: Column) -> tuple[Column, Column | None]:
        lower = F.lower(column)
        return F.when(lower == "true", True).when(lower == "false", False), None

    number: Conversion = lambda column: _never_overflows(column != 0)  # noqa: E731
    return {"bool": _never_overflows, "int": number, "decimal": number, "float": number, "text": text}


def _to_integer(bits: int) -> dict[str, Conversion]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    spark_type = {8: "tinyint", 16: "smallint", 32: "int"}.get(bits, "bigint")

    def number(column: Column) -> tuple[Column, Column | None]:
        return column.try_cast(spark_type), column.isNotNull() & column.try_cast(spark_type).isNull()

    def decimal(column: Column) -> tuple[Column, Column | None]:
        return number(F.bround(column, 0).cast("decimal(38,0)"))

    def floating(column: Column) -> tuple[Column, Column | None]:
        rounded = F.rint(column)
        finite = exact_decimals.finite(column)
        beyond = finite & ((rounded < float(low)) | (rounded >= float(high + 1)))
        return F.when(finite & ~beyond, rounded).try_cast(spark_type), beyond

    def text(column: Column) -> tuple[Column, Column | None]:
        hexadecimal = F.conv(F.regexp_extract(column, _HEX, 2), 16, 10)
        binary = F.conv(F.regexp_extract(column, _BINARY, 2), 2, 10)
        sign = F.when(column.startswith("-"), F.lit("-")).otherwise(F.lit(""))
        digits = (
            F.when(column.rlike(_INTEGER), column)
            .when(column.rlike(_HEX), F.concat(sign, hexadecimal))
            .when(column.rlike(_BINARY), F.concat(sign, binary))
        )
        value = digits.try_cast(spark_type)
        return value, digits.isNotNull() & value.isNull()

    boolean: Conversion = lambda column: _never_overflows(column.cast("int").cast(spark_type))  # noqa: E731
    return {"bool": boolean, "int": number, "decimal": decimal, "float": floating, "text": text}


def _to_decimal(type_: t.Type) -> dict[str, Conversion]:
    """Rounded half to even; Spark's own cast rounds half up."""
    assert isinstance(type_, t.Decimal)
    scale, spark_type = type_.scale or 0, to_spark(type_)

    def number(column: Column) -> tuple[Column, Column | None]:
        value = F.bround(column, scale).try_cast(spark_type)
        return value, column.isNotNull() & value.isNull()

    def whole_number(column: Column) -> tuple[Column, Column | None]:
        return number(column.cast("decimal(38,0)"))

    def floating(column: Column) -> tuple[Column, Column | None]:
        finite = exact_decimals.finite(column)
        value, beyond = number(decimal_text(F.when(finite, column)).try_cast("decimal(38,18)"))
        return value, finite & value.isNull() if beyond is not None else None

    def text(column: Column) -> tuple[Column, Column | None]:
        written = F.when(column.rlike(_NUMBER), F.regexp_replace(column, "[dD]", "e"))
        value = F.bround(written.try_cast("decimal(38,18)"), scale).try_cast(spark_type)
        return value, written.isNotNull() & value.isNull()

    boolean: Conversion = lambda column: number(column.cast("int").cast("decimal(38,0)"))  # noqa: E731
    return {"bool": boolean, "int": whole_number, "decimal": number, "float": floating, "text": text}


def _to_float() -> dict[str, Conversion]:
    def text(column: Column) -> tuple[Column, Column | None]:
        lower = F.lower(column)
        words = (
            F.when(lower == "nan", float("nan"))
            .when(one_of(lower, "inf", "+inf"), float("inf"))
            .when(lower == "-inf", float("-inf"))
        )
        written = F.when(column.rlike(_NUMBER), F.regexp_replace(column, "[dD]", "e")).try_cast("double")
        return F.coalesce(written, words), None

    number: Conversion = lambda column: _never_overflows(column.cast("double"))  # noqa: E731
    boolean: Conversion = lambda column: _never_overflows(column.cast("int").cast("double"))  # noqa: E731
    return {"bool": boolean, "int": number, "decimal": number, "float": number, "text": text}


def _to_digits() -> dict[str, Conversion]:
    """A decimal without precision and scale: a variant that keeps the digits it has, up to 38."""

    def encoded(digits: Column) -> Column:
        return variants.let(
            digits,
            lambda found: F.when(found["u"].isNotNull(), exact_decimals.to_variant(exact_decimals.Digits(found))),
        )

    def floating(column: Column) -> tuple[Column, Column | None]:
        finite = exact_decimals.finite(column)
        value = encoded(exact_decimals.of_text(decimal_text(F.when(finite, column))))
        return value, finite & value.isNull()

    def text(column: Column) -> tuple[Column, Column | None]:
        number = F.when(column.rlike(_NUMBER), F.regexp_replace(column, "[dD]", "e"))
        value = encoded(exact_decimals.of_text(number))
        return value, number.isNotNull() & value.isNull()

    whole_number: Conversion = lambda column: _never_overflows(column.cast(exact_decimals.WHOLE).cast("variant"))  # noqa: E731
    boolean: Conversion = lambda column: whole_number(column.cast("int"))  # noqa: E731
    digits: Conversion = lambda column: _never_overflows(exact_decimals.exact_number(column))  # noqa: E731
    return {
        "bool": boolean,
        "int": whole_number,
        "decimal": digits,
        "digits": digits,
        "float": floating,
        "text": text,
    }


def _to_text(target: t.Type) -> dict[str, Conversion]:
    def cut(column: Column) -> Column:
        if isinstance(target, t.String) and target.extent is not None:
            return F.substring(column, 1, target.extent)
        return F.rpad(column, target.length, " ") if isinstance(target, t.Char) else column

    def stamp(column: Column) -> tuple[Column, Column | None]:
        return F.when(column.isNotNull(), cut(written(Moment(column, frozenset(_RANKS))))), None

    plain: Conversion = lambda column: _never_overflows(cut(column.cast("string")))  # noqa: E731
    return {**dict.fromkeys(("bool", "int", "decimal", "float", "text"), plain), "moment": stamp}


_RANKS = (moments.DATE, moments.TIME, moments.TIMESTAMP)


def _to_date() -> dict[str, Conversion]:
    def stamp(column: Column) -> tuple[Column, Column | None]:
        return F.when(column["r"] != moments.TIME, Moment(column, frozenset(_RANKS)).date), None

    def text(column: Column) -> tuple[Column, Column | None]:
        return variants.let(read(column, moments.DATE), lambda m: F.when(m.isNotNull(), moments.date_of(_day(m)))), None

    return {"moment": stamp, "text": text}


def _day(column: Column) -> Column:
    return Moment(column, frozenset({moments.DATE})).day


def _to_moment(target: t.Time | t.Timestamp) -> dict[str, Conversion]:
    rank = moments.TIME if isinstance(target, t.Time) else moments.TIMESTAMP
    digits = 9 if target.precision is None else min(target.precision, 9)
    takes = (moments.TIME, moments.TIMESTAMP) if rank == moments.TIME else (moments.DATE, moments.TIMESTAMP)

    def encoded(column: Column) -> Column:
        return F.when(column.isNotNull(), moments.to_variant(Moment(column, frozenset({rank}))))

    def stamp(column: Column) -> tuple[Column, Column | None]:
        fits = column["r"].isin(*takes)
        made_ = cut_moment(Moment(column, frozenset(_RANKS)), rank, digits, target.zone)
        return F.when(fits, variants.let(made_, encoded)), None

    def text(column: Column) -> tuple[Column, Column | None]:
        return variants.let(read(column, rank), lambda found: stamp(found)[0]), None

    return {"moment": stamp, "text": text}
