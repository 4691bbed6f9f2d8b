"""Tables as rows: what is registered under a global's name, read the way that Spark reads it best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as s

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark import dynamic
from firesteel.spark.encoding import from_spark, to_spark
from firesteel.spark.expr import Expr, missing_expr, reference, struct_expr
from firesteel.spark.rows import Order, Rows
from firesteel.spark.scope import Run, Where
from firesteel.spark.transfer import upload
from firesteel.tables import Arrow, File, Frame, Memory, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Ranging = p.Scan | p.ScanIndexed


def table_rows(run: Run, node: Ranging, ordinal: int) -> Rows:
    """A scan of a registered table."""
    if not 0 <= ordinal < len(run.tables):
        raise PlanError(f"no global {ordinal}: {len(run.tables)} tables are given", where=node.where)
    table = run.tables[ordinal]
    match table.source:
        case Memory(value):
            return value_rows(run, node, value, table)
        case File(_, "ion"):
            return value_rows(run, node, table.read(), table)
        case _:
            frame = _native(run, table)
    return _frame_rows(run, node, frame, table)


# ---------------------------------------------------------------------------------------------------------------------
# Values of this process


def value_rows(run: Run, node: Ranging, value: values.Value, table: Table | None = None) -> Rows:
    """A scan of a value: its elements, or itself if it has none."""
    items = value.items if isinstance(value, values.Bag) else value
    ranges = isinstance(items, list)
    if not ranges:
        wrong = f"FROM takes collections, not {t.type_of(value)}"
        if run.strict:
            return _failing(run, node, wrong)
        items = [value]
    is_list = ranges and isinstance(value, list)
    element = t.merge(t.type_of(item) for item in items) if items else t.ANY
    columns = [(run.name(), element, items)]
    if is_list:
        columns.append((run.name(), t.INT64, list(range(len(items)))))
    identifiers = _identifiers(table, items) if node.identified else None
    if identifiers is not None:
        columns.append((run.name(), t.merge(t.type_of(i) for i in identifiers) if items else t.ANY, identifiers))
    frame, types = upload(run.spark, columns)
    found = [reference(type_, name) for (name, _, _), type_ in zip(columns, types, strict=True)]
    row = [found[0]]
    if isinstance(node, p.ScanIndexed):
        row.append(found[1] if is_list else _no_index(run, node))
    if node.identified:
        row.append(found[-1] if identifiers is not None else missing_expr())
    order = (Order(found[1]),) if is_list else ()
    return Rows(frame, tuple(row), order, is_list)


def _identifiers(table: Table | None, items: Sequence[values.Value]) -> list[values.Value] | None:
    return None if table is None or table.record_id is None else list(table.identifiers(list(items)))


def _no_index(run: Run, node: Ranging) -> Expr:
    """The index of what is in no list."""
    if not run.strict:
        return missing_expr()
    error = run.error("AT takes arrays: the elements of a bag have no index", node.where)
    return Expr(t.absent(t.INT64, missable=True), error.cast("bigint"), throws=True)


def _failing(run: Run, node: Ranging, message: str) -> Rows:
    """One row that cannot be asked for."""
    frame = run.spark.range(1).filter(run.error(message, node.where).cast("boolean"))
    width = 1 + isinstance(node, p.ScanIndexed) + node.identified
    return Rows(frame, (missing_expr(),) * width)


# ---------------------------------------------------------------------------------------------------------------------
# What Spark reads itself


def _native(run: Run, table: Table) -> DataFrame:
    match table.source:
        case Frame(frame):
            return frame
        case Arrow(arrow):
            return run.spark.createDataFrame(arrow)
        case File(path, format_):
            place = path.resolve().as_uri()
            if format_ == "json":
                return run.spark.read.option("singleVariantColumn", "v").option("mode", "FAILFAST").json(place)
            if format_ == "csv":
                return run.spark.read.option("header", True).option("inferSchema", True).csv(place)
            return run.spark.read.format(format_).load(place)
    raise UnsupportedError(f"no way to read a {type(table.source).__name__} on Spark")


def _frame_rows(run: Run, node: Ranging, frame: DataFrame, table: Table) -> Rows:
    """A row for every row of a DataFrame: a virtual struct of its columns, or, of JSON lines, a variant."""
    schema = frame.schema
    names = [run.name() for _ in schema.fields]
    renamed = frame.toDF(*names)
    if isinstance(table.source, File) and table.source.format == "json":
        value = reference(t.ANY, names[0])
    else:
        value = struct_expr(
            (field.name, _column(field, name, node.where)) for field, name in zip(schema.fields, names, strict=True)
        )
    row = [value]
    if isinstance(node, p.ScanIndexed):
        row.append(_no_index(run, node))
    if node.identified:
        row.append(_record_id(table, value, node.where))
    return Rows(renamed, tuple(row))


def _column(field: s.StructField, name: str, where: Where) -> Expr:
    try:
        type_ = t.absent(from_spark(field.dataType), nullable=field.nullable)
    except UnsupportedError as error:
        raise UnsupportedError(f"column '{field.name}': {error.message}", where=where, help=error.help) from None
    column = F.col(name)
    if isinstance(field.dataType, s.VariantType):
        return Expr(t.ANY, F.coalesce(column, dynamic.null()), names=(name,), atomic=True)
    if isinstance(field.dataType, s.NullType):
        return Expr(t.NULL, dynamic.null(), atomic=True)
    if to_spark(type_) == _bare(field.dataType):
        return reference(type_, name)
    if _has_variants(field.dataType):
        raise UnsupportedError(
            f"column '{field.name}': variants inside {field.dataType.simpleString()} are not read yet", where=where
        )
    return Expr(type_, _adapted(column, type_), names=(name,), atomic=True)


def _bare(spark: s.DataType) -> s.DataType:
    """The type as ours are written: everything may be SQL NULL."""
    match spark:
        case s.ArrayType():
            return s.ArrayType(_bare(spark.elementType))
        case s.MapType():
            return s.MapType(_bare(spark.keyType), _bare(spark.valueType))
        case s.StructType():
            return s.StructType([s.StructField(f.name, _bare(f.dataType)) for f in spark.fields])
        case s.StringType() | s.CharType() | s.VarcharType():
            return s.StringType()
    return spark


def _has_variants(spark: s.DataType) -> bool:
    match spark:
        case s.ArrayType():
            return _has_variants(spark.elementType)
        case s.MapType():
            return _has_variants(spark.valueType)
        case s.StructType():
            return any(_has_variants(field.dataType) for field in spark.fields)
    return isinstance(spark, s.VariantType | s.NullType)


def _adapted(column: Column, type_: t.Type) -> Column:
    """A column of Spark's type for a type that we keep in a variant."""
    return F.coalesce(F.to_variant_object(column), dynamic.null() if type_.nullable else dynamic.missing())


def _record_id(table: Table, value: Expr, where: Where) -> Expr:
    name = table.record_id
    if name is None:
        return missing_expr()
    if not isinstance(name, str):
        raise UnsupportedError("a list of record identifiers goes with data in memory", where=where)
    if value.virtual and isinstance(value.type, t.Struct):
        named = dict(zip((field.name for field in value.type.fields), value.fields, strict=True))
        return named.get(name, missing_expr())
    return Expr(t.ANY, F.try_variant_get(value.column, f"$['{name}']", "variant"), names=value.names, atomic=True)
