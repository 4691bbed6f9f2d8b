"""CAST and IS.

A cast is written per target, as a table of what each kind of source becomes: a column that is SQL NULL where it cannot
be. A number that is too large for its type is an error in both modes; what cannot be at all is forgiven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark import dynamic
from firesteel.spark.arguments import propagated
from firesteel.spark.compare import family
from firesteel.spark.dynamic import any_of, one_of, whole
from firesteel.spark.encoding import MAX_DIGITS, to_spark
from firesteel.spark.expr import Expr, as_variant, made
from firesteel.spark.scope import Scope, Where
from firesteel.spark.structs import container, elements_of

#: What a source of a kind becomes, given the column: (value, where it overflows).
Conversion = Callable[[Column], tuple[Column, Column | None]]

_INTEGER = r"^[+-]?[0-9]+$"
_HEX, _BINARY = r"^([+-]?)0[xX]([0-9a-fA-F]+)$", r"^([+-]?)0[bB]([01]+)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_STAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)? ?([zZ]|[+-][0-9]{2}:[0-9]{2})?)?$"


def cast(scope: Scope, args: Sequence[Any], where: Where) -> Expr:
    expr, target = args
    if isinstance(target, t.Null | t.Missing | t.Unresolved):
        raise PlanError(f"nothing can be cast to {target}", where=where)
    if isinstance(target, t.Any):
        return expr
    if isinstance(target, t.Collection):
        return _to_collection(scope, expr, target, where)
    if isinstance(target, t.Struct):
        return _to_struct(scope, expr, target, where)
    table = _conversions(scope, target, where)
    type_ = _result(target)
    if isinstance(expr.type, t.Null | t.Missing):
        return expr
    if not expr.dynamic:
        return scope.let([expr], lambda value: _typed(scope, value, table, type_, where))
    return scope.let([expr], lambda value: _dynamic(scope, value, table, type_, where))


def _result(target: t.Type) -> t.Type:
    """The type of what comes out: without a width, integers are of 64 bits and decimals of what fits."""
    if isinstance(target, t.Int):
        return t.INT64
    if isinstance(target, t.Decimal) and target.precision is None:
        return t.Decimal(MAX_DIGITS, 18)
    if isinstance(target, t.Timestamp) and target.precision is None:
        return t.Timestamp(6, zone=target.zone)
    return t.proper(target)


def _source(expr: Expr) -> str:
    if isinstance(expr.type, t.Integer):
        return "int"
    if isinstance(expr.type, t.Decimal):
        return "decimal"
    if isinstance(expr.type, t.Number):
        return "float"
    return {"clob": "text"}.get(family(expr), family(expr))


def _typed(scope: Scope, expr: Expr, table: dict[str, Conversion], type_: t.Type, where: Where) -> Expr:
    conversion = table.get(_source(expr))
    nothing = F.lit(None).cast(to_spark(type_))
    source = expr.plain.cast("string") if isinstance(expr.type, t.Clob) else expr.plain
    value, overflow = conversion(source) if conversion else (nothing, None)
    if overflow is not None:
        value = F.when(overflow, scope.run.error(f"overflow: the number does not fit in {type_}", where)).otherwise(
            value
        )
    raw = made(t.absent(type_, nullable=True), value.cast(to_spark(type_)), expr, throws=overflow is not None)
    absent = expr.is_absent()

    def check(found: Expr) -> Expr:
        failed = found.plain.isNull() if absent is None else found.plain.isNull() & ~absent
        error = scope.wrong(f"cannot cast {t.proper(expr.type)} to {type_}", where)
        column = found.plain if error is None else F.when(failed, error).otherwise(found.plain)
        if not expr.type.nullable:
            return made(t.absent(type_, missable=True), column, found, expr, throws=error is not None)
        missing = any_of(test for test in (failed, expr.is_missing()) if test is not None)
        full = t.absent(type_, nullable=True, missable=True)
        return made(full, column, found, expr, missing=missing, throws=error is not None)

    if conversion is not None and _source(expr) in _SURE.get(type(type_), ()):
        return propagated(type_, raw.plain, [expr], throws=raw.throws, cost=2)
    return scope.let([raw], check)


#: Sources of which every value that does not overflow can be cast.
_SURE: dict[type[t.Type], tuple[str, ...]] = {
    t.Bool: ("bool", "int", "decimal", "float"),
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64), ("bool", "int", "decimal")),
    t.Decimal: ("bool", "int", "decimal"),
    **dict.fromkeys((t.Float32, t.Float64), ("bool", "int", "decimal", "float")),
    **dict.fromkeys((t.String, t.Char, t.Symbol), ("bool", "int", "decimal", "float", "text", "date", "timestamp")),
    t.Date: ("date", "timestamp"),
    t.Timestamp: ("date", "timestamp"),
}

#: Variants' kinds, by what the tables call them, and the column that they come out as.
_KINDS: dict[str, tuple[str, str]] = {
    "BOOLEAN": ("bool", "boolean"),
    "BIGINT": ("int", "bigint"),
    "DECIMAL": ("decimal", "decimal(38,18)"),
    "DOUBLE": ("float", "double"),
    "FLOAT": ("float", "double"),
    "STRING": ("text", "string"),
    "DATE": ("date", "date"),
    "TIMESTAMP": ("timestamp", "timestamp"),
    "TIMESTAMP_NTZ": ("timestamp", "timestamp_ntz"),
}


def _dynamic(scope: Scope, expr: Expr, table: dict[str, Conversion], type_: t.Type, where: Where) -> Expr:
    kind = scope.kind(expr)
    column: Any = F
    overflow = scope.run.error(f"overflow: the number does not fit in {type_}", where)
    for name, (source, spark_type) in _KINDS.items():
        conversion = table.get(source)
        if conversion is None:
            continue
        if name == "DECIMAL" and isinstance(type_, t.Text):
            # A variant's decimal has forgotten how many zeros were written.
            said = "cast to text of a decimal of unknown scale is not native on Spark yet"
            column = column.when(kind.column == name, scope.run.error(said, where, cls=UnsupportedError))
            continue
        value, beyond = conversion(whole(expr.column, spark_type))
        if beyond is not None:
            value = F.when(beyond, overflow).otherwise(value)
        column = column.when(kind.column == name, value.cast(to_spark(type_)))
    if "text" in table:
        text, beyond = table["text"](dynamic.payload(expr.column, "string"))
        column = column.when(one_of(kind.column, "symbol", "clob"), text.cast(to_spark(type_)))
    raw = made(t.absent(type_, nullable=True), column, expr, kind, cost=6, throws=True)

    def check(found: Expr, k: Expr) -> Expr:
        failed = found.plain.isNull() & F.coalesce(k.column != "VOID", F.lit(False))
        error = scope.wrong(f"cannot cast to {type_} a value of type ", where, k.column)
        value = found.plain if error is None else F.when(failed, error).otherwise(found.plain)
        full = t.absent(type_, nullable=True, missable=True)
        missing = failed | expr.column.isNull()
        return made(full, value, found, expr, k, missing=missing, throws=error is not None)

    return scope.let([raw, kind], check)


# ---------------------------------------------------------------------------------------------------------------------
# The tables


def _conversions(scope: Scope, target: t.Type, where: Where) -> dict[str, Conversion]:
    match target:
        case t.Bool():
            return _to_bool()
        case t.Integer():
            return _to_integer(target.bits or 64)
        case t.Decimal():
            return _to_decimal(_result(target))
        case t.Float32() | t.Float64():
            return _to_float()
        case t.String() | t.Char() | t.Symbol():
            return _to_text(scope, target, where)
        case t.Date():
            return _to_date()
        case t.Timestamp() if target.precision is None or target.precision <= 6:
            return _to_timestamp(target)
    raise UnsupportedError(f"cast to {target} on Spark is not native yet", where=where)


def _sure(value: Column) -> tuple[Column, Column | None]:
    return value, None


def _to_bool() -> dict[str, Conversion]:
    def text(column: Column) -> tuple[Column, Column | None]:
        lower = F.lower(column)
        return F.when(lower == "true", True).when(lower == "false", False), None

    number: Conversion = lambda column: _sure(column != 0)  # noqa: E731
    return {"bool": _sure, "int": number, "decimal": number, "float": number, "text": text}


def _to_integer(bits: int) -> dict[str, Conversion]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    spark_type = {8: "tinyint", 16: "smallint", 32: "int"}.get(bits, "bigint")

    def number(column: Column) -> tuple[Column, Column | None]:
        return column.try_cast(spark_type), column.isNotNull() & column.try_cast(spark_type).isNull()

    def decimal(column: Column) -> tuple[Column, Column | None]:
        return number(F.bround(column, 0).cast("decimal(38,0)"))

    def floating(column: Column) -> tuple[Column, Column | None]:
        rounded = F.rint(column)
        finite = ~(F.isnan(column) | (F.abs(column) == float("inf")))
        exact = rounded.try_cast("decimal(38,0)")
        beyond = finite & ((exact < low) | (exact > high) | exact.isNull())
        return F.when(finite, exact.try_cast(spark_type)), beyond

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

    boolean: Conversion = lambda column: _sure(column.cast("int").cast(spark_type))  # noqa: E731
    return {"bool": boolean, "int": number, "decimal": decimal, "float": floating, "text": text}


def _to_decimal(type_: t.Type) -> dict[str, Conversion]:
    """Rounded half to even, as Spark does not by itself."""
    assert isinstance(type_, t.Decimal)
    scale, spark_type = type_.scale or 0, to_spark(type_)

    def number(column: Column) -> tuple[Column, Column | None]:
        value = F.bround(column, scale).try_cast(spark_type)
        return value, column.isNotNull() & value.isNull()

    def whole_number(column: Column) -> tuple[Column, Column | None]:
        return number(column.cast("decimal(38,0)"))

    def floating(column: Column) -> tuple[Column, Column | None]:
        finite = ~(F.isnan(column) | (F.abs(column) == float("inf")))
        value, beyond = number(F.when(finite, column).cast("string").try_cast("decimal(38,18)"))
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

    number: Conversion = lambda column: _sure(column.cast("double"))  # noqa: E731
    boolean: Conversion = lambda column: _sure(column.cast("int").cast("double"))  # noqa: E731
    return {"bool": boolean, "int": number, "decimal": number, "float": number, "text": text}


def _to_text(scope: Scope, target: t.Type, where: Where) -> dict[str, Conversion]:
    def cut(column: Column) -> Column:
        if isinstance(target, t.String) and target.extent is not None:
            return F.substring(column, 1, target.extent)
        return F.rpad(column, target.length, " ") if isinstance(target, t.Char) else column

    plain: Conversion = lambda column: _sure(cut(column.cast("string")))  # noqa: E731
    unlike = scope.run.error("cast to text: Spark does not yet write this value as we do", where, cls=UnsupportedError)

    def floating(column: Column) -> tuple[Column, Column | None]:
        """Java and Python write floats alike only where neither uses an exponent."""
        size = F.abs(column)
        alike = ((size >= 1e-3) & (size < 1e7)) | (column == 0)
        return F.when(alike, cut(column.cast("string"))).otherwise(F.when(column.isNotNull(), unlike)), None

    moment: Conversion = lambda column: _sure(F.when(column.isNotNull(), unlike))  # noqa: E731
    table = dict.fromkeys(("bool", "int", "decimal", "text", "date"), plain)
    return {**table, "float": floating, "timestamp": moment}


def _to_date() -> dict[str, Conversion]:
    stamp: Conversion = lambda column: _sure(column.cast("date"))  # noqa: E731
    text: Conversion = lambda column: _sure(F.when(column.rlike(_DATE), column).try_cast("date"))  # noqa: E731
    return {"date": _sure, "timestamp": stamp, "text": text}


def _to_timestamp(target: t.Timestamp) -> dict[str, Conversion]:
    spark_type = "timestamp" if target.zone else "timestamp_ntz"
    digits = 6 if target.precision is None else target.precision
    unit = {0: "second", 3: "millisecond"}.get(digits, "microsecond")

    def cut(column: Column) -> Column:
        return F.date_trunc(unit, column).cast(spark_type) if unit != "microsecond" else column

    moment: Conversion = lambda column: _sure(cut(column.cast(spark_type)))  # noqa: E731
    day: Conversion = lambda column: _sure(column.cast(spark_type))  # noqa: E731
    text: Conversion = lambda column: _sure(cut(F.when(column.rlike(_STAMP), column).try_cast(spark_type)))  # noqa: E731
    return {"date": day, "timestamp": moment, "text": text}


# ---------------------------------------------------------------------------------------------------------------------
# Containers


def _to_collection(scope: Scope, expr: Expr, target: t.Collection, where: Where) -> Expr:
    """It is about the container: what is in it stays what it is."""

    def apply(value: Expr) -> Expr:
        array, element = elements_of(scope, value)
        return container(scope, value, "collection", array, type(target)(element), f"cannot cast to {target}", where)

    return scope.let([expr], apply)


def _to_struct(scope: Scope, expr: Expr, target: t.Struct, where: Where) -> Expr:
    if isinstance(expr.type, t.Struct) and not expr.dynamic:
        return expr

    def apply(value: Expr) -> Expr:
        column = made(t.ANY, as_variant(value), value)
        return container(scope, value, "struct", column, t.STRUCT, f"cannot cast to {target}", where)

    return scope.let([expr], apply)
