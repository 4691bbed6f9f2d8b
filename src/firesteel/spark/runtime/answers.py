"""What a compiled plan gives: its answer as a value, and its rows by a schema, as a DataFrame or as Arrow batches."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from firesteel import types as t
from firesteel.errors import AnalysisError, EvaluationError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Expr, Split, column_expr
from firesteel.spark.core.worker_package import ship
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.arrow_values import seal, taken
from firesteel.spark.encoding.column_types import Form, form, to_spark
from firesteel.spark.encoding.fitted import Site, fitted, fitted_part
from firesteel.tables.typed.arrow_types import certain, columns_of, inferred, row_type
from firesteel.tables.typed.fit import ensure_columns
from firesteel.tables.typed.infer import combine, combined, settled, types_seen
from firesteel.values import Bag, Sexp, Struct, Value

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from firesteel.spark.relations.compile import Compiled


def answer_of(compiled: Compiled, rows: Sequence[tuple[Value, ...]]) -> Value:
    """A plan's rows as its answer: a bag, a list, or the only value."""
    if compiled.shape == "rows":
        structs = [Struct(zip(compiled.names, row, strict=True)) for row in rows]
        return structs if compiled.ordered else Bag(structs)
    values = [row[0] for row in rows]
    if compiled.shape == "value":
        return values[0]
    if compiled.kind is t.Bag:
        return Bag(values)
    return Sexp(values) if compiled.kind is t.Sexp else values


# ---------------------------------------------------------------------------------------------------------------------
# DataFrames


def edge(type_: t.Type) -> t.Type:
    """The type at the edge, where NULL and MISSING are one: what is known to be a number is a plain number there."""
    match type_:
        case t.Collection():
            type_ = type_.replace(element=edge(type_.element))
        case t.Struct():
            type_ = type_.replace(fields=tuple(t.Field(field.name, edge(field.type)) for field in type_.fields))
        case t.Map():
            type_ = type_.replace(value=edge(type_.value))
    return t.absent(type_, nullable=True, missable=False)


def _at_edge(expr: Expr) -> Expr:
    target = edge(expr.type)
    if to_spark(expr.type) == to_spark(target):
        return expr
    return column_expr(target, expr.plain if isinstance(expr, Split) else fit(expr, target))


def named_frame(compiled: Compiled) -> DataFrame:
    """The frame with the user's column names: the attributes of rows and of structs if known, else `_1`. A column of a
    certain type is plain, and SQL NULL is NULL and MISSING in it. In its partitions the plan's properties are true."""
    compiled = compiled.for_partitions()
    parts = compiled.named_parts()
    if parts is not None:
        return compiled.rows.picked([(name, _at_edge(expr)) for name, expr in parts])
    frame = compiled.rows.picked([("_1", _at_edge(compiled.rows.columns[0]))])
    (type_,) = compiled.types
    if isinstance(type_, t.Struct) and not type_.absent and form(type_) is not Form.VARIANT:
        return frame.select(*(F.col("_1")[field.name or ""].alias(field.name or "") for field in type_.fields))
    return frame


def typed_frame(compiled: Compiled, known: t.Type, asked: t.Struct) -> DataFrame:
    """The frame with the columns that are asked for. A value that does not fit is an error when it is computed.
    `known` is the type of the answer by its plan."""
    ensure_columns(row_type(known), asked)
    compiled = compiled.for_partitions()
    parts = compiled.named_parts()
    mark = compiled.failures.register(EvaluationError, None)
    if parts is None and [field.name for field in asked.fields] != ["_1"]:
        (type_,) = compiled.types
        site = Site(mark, "", F.to_json(F.struct(F.col("o0").alias("value"))))
        whole = compiled.frame.select(fitted(F.col("o0"), type_, asked, site).alias("o0"))
        return whole.select(*(F.col("o0")[field.name or ""].alias(field.name or "") for field in asked.fields))
    parts = parts if parts is not None else [("_1", compiled.rows.columns[0])]
    own = {name: i for i, (name, _) in enumerate(parts)}
    if len(own) < len(parts):
        raise AnalysisError("the names of the answer's columns repeat: a schema cannot tell them apart")
    frame = compiled.rows.picked([(f"p{i}", expr) for i, (_, expr) in enumerate(parts)])
    row = F.to_json(F.struct(*(F.col(f"p{i}").alias(name) for name, i in own.items())))
    site = Site(mark, "", row)
    columns = [_asked_column(field, own.get(field.name or ""), parts, site) for field in asked.fields]
    for name, i in own.items():
        if asked.field(name) is None:  # the plan does not know of it: it may be there in no row
            there = F.col(f"p{i}").isNotNull()
            wrong = F.raise_error(F.lit(f"{mark}a row has an attribute '{name}', which the schema has not"))
            frame = frame.filter(F.when(there, wrong.cast("boolean")).otherwise(F.lit(True)))
    return frame.select(*columns)


def _asked_column(field: t.Field, nth: int | None, parts: Sequence[tuple[str, Expr]], site: Site) -> Column:
    if nth is None:
        return fitted_part(None, None, field, site)
    return fitted_part(F.col(f"p{nth}"), parts[nth][1].type, field, site)


# ---------------------------------------------------------------------------------------------------------------------
# Schemas


def infer(compiled: Compiled, known: t.Type) -> t.Struct:
    """The columns of the answer, those of uncertain types by their values, in one pass."""
    columns = columns_of(known)
    parts = None if columns is None else compiled.named_parts()
    if columns is None or (parts is None and [field.name for field in columns.fields] != ["_1"]):
        (seen,) = _types_seen(compiled, compiled.rows.columns)
        found = settled(seen)
        return found if isinstance(found, t.Struct) else t.Struct((t.Field("_1", found),), open=False)
    by_name = dict(parts or [("_1", compiled.rows.columns[0])])
    names = [field.name or "" for field in columns.fields if certain(field.type) is None]
    by_values = dict(zip(names, _types_seen(compiled, [by_name[name] for name in names]), strict=True))
    return inferred([(field.name or "", field.type) for field in columns.fields], by_values)


def _types_seen(compiled: Compiled, exprs: Sequence[Expr]) -> list[t.Type]:
    """The types of the values of expressions, each partition by itself."""
    if not exprs:
        return []
    frame = compiled.rows.picked([(f"d{i}", expr) for i, expr in enumerate(exprs)])
    types = tuple(expr.type for expr in exprs)
    sealed = frame.select(*(seal(F.col(f"d{i}"), type_).alias(f"d{i}") for i, type_ in enumerate(types)))
    ship(frame.sparkSession)
    found = [pickle.loads(row[0]) for row in sealed.mapInArrow(Seen(types).batches, "t binary").collect()]
    return [combined(column) for column in zip(*found, strict=True)] or [t.NULL] * len(exprs)


@dataclass(frozen=True)
class Seen:
    """Runs in the workers: the types of the values of a partition, as one row."""

    types: tuple[t.Type, ...]

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: list[t.Type] = [t.NULL] * len(self.types)
        for batch in batches:
            for i, type_ in enumerate(self.types):
                found[i] = combine(found[i], types_seen(taken(batch.column(i), type_, sealed=True)))
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], names=["t"])


# ---------------------------------------------------------------------------------------------------------------------
# Arrow


def arrow_table(frame: DataFrame, schema: pa.Schema) -> pa.Table:
    """The rows of a typed frame as an Arrow table."""
    found = frame.toDF(*(f"c{i}" for i in range(len(schema)))).toArrow()
    return found.cast(_renamed(schema)).rename_columns(schema.names).cast(schema)


def batches(frame: DataFrame, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a typed frame as Arrow batches, one partition after the other."""
    for batch in _sent(frame.toDF(*(f"c{i}" for i in range(len(schema))))):
        table = pa.Table.from_batches([batch]).cast(_renamed(schema))
        yield from table.rename_columns(schema.names).cast(schema).to_batches()


def records(compiled: Compiled) -> Iterator[Value]:
    """The rows of the answer as values, one partition after the other."""
    compiled = compiled.for_partitions()
    types = compiled.types
    sealed = [seal(F.col(f"o{i}"), type_).alias(f"o{i}") for i, type_ in enumerate(types)]
    for batch in _sent(compiled.frame.select(*sealed)):
        columns = [taken(column, type_, sealed=True) for column, type_ in zip(batch.columns, types, strict=True)]
        for row in zip(*columns, strict=True):
            yield Struct(zip(compiled.names, row, strict=True)) if compiled.shape == "rows" else row[0]


def _sent(frame: DataFrame) -> Iterator[pa.RecordBatch]:
    """The batches of a frame. Spark hands out rows only, so each batch is sent as the bytes of one value."""
    ship(frame.sparkSession)
    for row in frame.mapInArrow(pack, "b binary").toLocalIterator():
        yield pa.ipc.open_stream(row[0]).read_next_batch()


def _renamed(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(f"c{i}", field.type, field.nullable) for i, field in enumerate(schema)])


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Runs in the workers: each batch as the bytes of an Arrow stream."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as out:
            out.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["b"])
