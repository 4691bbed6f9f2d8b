"""Scans of registered tables: each kind of source becomes rows in the way that is fastest in Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import types as s

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.passes.analysis.paths import WHOLE, PathTree
from firesteel.spark.core.expr import Expr, StructParts, column_expr, missing_expr, reference, struct_expr
from firesteel.spark.core.fallback_log import Fallback
from firesteel.spark.core.literals import determines_column
from firesteel.spark.core.rows import Layout, Order, Rows
from firesteel.spark.core.scope import Run, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.arrow_values import upload
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.encoding.substitution import ensure_read
from firesteel.spark.sources import ion_files, json_lines
from firesteel.spark.sources.arrow_tables import arrow_frame
from firesteel.spark.sources.csv_frames import csv_frame
from firesteel.spark.sources.drift import POSITION, spark_files, typed_files
from firesteel.spark.sources.file_frames import Opened, cached_frame
from firesteel.spark.sources.file_readers import (
    named_by_compression,
    text_lines,
    typed_frame,
)
from firesteel.spark.sources.frame_columns import frame_column
from firesteel.spark.sources.named_files import parts_frame
from firesteel.spark.sources.shapes.declared_lines import declared_rows
from firesteel.spark.sources.shapes.known_shapes import KnownShapes
from firesteel.spark.sources.utf8 import ensure_utf8, ensure_whole
from firesteel.tables import (
    Arrow,
    File,
    Frame,
    Memory,
    Parts,
    Stored,
    Table,
    files_of,
    has_positions,
    is_document,
    records,
)
from firesteel.tables.files import SCHEMAS, SPARK_ONLY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Ranging = p.Scan | p.ScanIndexed


def table_rows(run: Run, node: Ranging, ordinal: int) -> Rows:
    """A scan of a registered table."""
    if not 0 <= ordinal < len(run.tables):
        raise PlanError(f"no global {ordinal}: {len(run.tables)} tables are given", where=node.where)
    table = run.tables[ordinal]
    match table.source:
        case Memory(value):
            return value_rows(run, node, value, table)
        case File(format="ion" | "json"):
            return _record_rows(run, node, table.source, table, run.touched.get(ordinal, WHOLE))
        case File(format="text"):
            return _text_rows(run, node, table.source, table)
        case Stored():
            return _stored_rows(run, node, table.source, table, run.touched.get(ordinal, WHOLE))
        case _:
            opened = _with_positions(run, node, table) or _native(run, table)
            rows = _frame_rows(run, node, opened, table, run.touched.get(ordinal, WHOLE))
            # Spark packs several files into a partition, or splits one; only the partitions of a DataFrame are its own.
            return replace(rows, layout=Layout.SOURCE) if isinstance(table.source, Frame) else rows


# ---------------------------------------------------------------------------------------------------------------------
# Values of this process


def value_rows(run: Run, node: Ranging, value: values.Value, table: Table | None = None) -> Rows:
    """A scan of a value: its elements, or itself if it has none."""
    items = value.items if isinstance(value, values.Bag) else value
    ranges = isinstance(items, list)
    if not ranges:
        wrong = f"FROM takes collections, not {t.type_of(value)}"
        if run.strict:
            return _failing_rows(run, node, wrong)
        items = [value]
    is_list = ranges and isinstance(value, list)
    element = _declared(node, table)
    if element is None:
        element = t.merge(t.type_of(item) for item in items) if items and not _untyped(table) else t.ANY
    columns = [(run.name(), element, items)]
    if is_list:
        columns.append((run.name(), t.INT64, list(range(len(items)))))
    identifiers = _identifiers(table, items) if node.identified else None
    if identifiers is not None:
        columns.append((run.name(), t.merge(t.type_of(i) for i in identifiers) if items else t.ANY, identifiers))
    frame, types = upload(run.spark, columns)
    exprs = [reference(type_, name) for (name, _, _), type_ in zip(columns, types, strict=True)]
    row: list[Expr] = [exprs[0]]
    if isinstance(node, p.ScanIndexed):
        row.append(exprs[1] if is_list else _no_index(run, node))
    if node.identified:
        row.append(exprs[-1] if identifiers is not None else missing_expr())
    order = (Order(exprs[1]),) if is_list else ()
    return Rows(frame, tuple(row), order, is_list)


def _declared(node: Ranging, table: Table | None) -> t.Type | None:
    """The type of the elements of a literal, or of a table with a declared type, if that type is `complete`."""
    type_: t.Type | None = None
    if table is None:
        type_ = node.rex.type if isinstance(node.rex, p.Lit) else None
    elif (isinstance(table.source, Memory) and table.source.declared) or (
        isinstance(table.source, File) and table.source.schema is not None
    ):
        type_ = table.type
    return type_.element if isinstance(type_, t.Collection) and determines_column(type_.element) else None


def _untyped(table: Table | None) -> bool:
    """Was the value registered as a collection of ANY? Then its elements are of type ANY."""
    return table is not None and isinstance(table.source, Memory) and table.type in (t.Array(t.ANY), t.Bag(t.ANY))


def _identifiers(table: Table | None, items: Sequence[values.Value]) -> list[values.Value] | None:
    return None if table is None or table.record_id is None else list(table.identifiers(list(items)))


def _no_index(run: Run, node: Ranging) -> Expr:
    """The index of an element that is in no list: MISSING, or an error in strict mode."""
    if not run.strict:
        return missing_expr()
    error = run.error("AT takes arrays: the elements of a bag have no index", node.where)
    return column_expr(t.absent(t.INT64, missable=True), error.cast("bigint"), throws=True)


def _failing_rows(run: Run, node: Ranging, message: str) -> Rows:
    """Rows that raise an error when they are read."""
    frame = run.spark.range(1).filter(run.error(message, node.where).cast("boolean"))
    width = 1 + isinstance(node, p.ScanIndexed) + node.identified
    return Rows(frame, (missing_expr(),) * width)


# ---------------------------------------------------------------------------------------------------------------------
# What Spark reads itself


def _with_positions(run: Run, node: Ranging, table: Table) -> Opened | None:
    """The frame of files whose last column identifies the records; None if the plan asks for no such."""
    source = table.source
    if not node.identified or table.record_id is not None or not isinstance(source, File) or not has_positions(source):
        return None
    opened = cached_frame(run.spark, source, "positions", lambda: typed_files(run.spark, source, positions=True))
    if POSITION not in opened.frame.columns:
        raise UnsupportedError("record identifiers of files that Spark has no types for", where=node.where)
    return opened


def _native(run: Run, table: Table) -> Opened:
    match table.source:
        case Frame(frame=frame):
            return Opened(frame)
        case Arrow(arrow):
            return arrow_frame(run.spark, arrow)
        case File() as file:
            return cached_frame(run.spark, file, "rows", lambda: _load_file(run, file))
        case Parts():
            return parts_frame(run.spark, table.source)
    raise UnsupportedError(f"no way to read a {type(table.source).__name__} on Spark")


def _load_file(run: Run, source: File) -> Opened:
    """The frame of files whose rows have columns."""
    if source.format in SCHEMAS:
        return typed_files(run.spark, source)
    if source.format in SPARK_ONLY:
        return spark_files(run.spark, source)
    files, folders = files_of(source)
    ensure_whole(files)
    shapes = KnownShapes(on=False) if run.shapes is None else run.shapes
    return csv_frame(run.spark, *named_by_compression(source, files, folders), folders, shapes)


def _text_rows(run: Run, node: Ranging, source: File, table: Table) -> Rows:
    """A row for every line of plain text."""
    files, folders = files_of(source)
    if folders.columns:
        raise UnsupportedError("lines of text have no columns, and their folders are some", where=node.where)
    ensure_whole(files)
    readable, named = named_by_compression(source, files, folders)
    ensure_utf8(run.spark, named)
    name = run.name()
    frame = text_lines(run.spark, readable, named, folders).toDF(name)
    return _rows(run, node, frame, reference(t.STRING, name), table)


def _record_rows(run: Run, node: Ranging, source: File, table: Table, tree: PathTree) -> Rows:
    """A row for every value of Ion or JSON, with what the plan uses of it. Spark reads JSON lines. Other files are read
    by this process, with the types of their values, or, if they are large, by the workers."""
    files, folders = files_of(source)
    if source.format == "json" and not any(is_document(file, source.unpacking) for file in files):
        ensure_whole(files)
        if source.schema is not None:
            return _rows(run, node, *declared_rows(run, table, source, files, folders, tree, node.where), table)
        readable, named = named_by_compression(source, files, folders)
        typed = typed_frame(run, source, files, folders, tree) if readable is source else None
        if typed is not None:
            return _rows(run, node, *typed, table)
        text = text_lines(run.spark, readable, named, folders)
        lines = json_lines.read(run, text, tree, node.where, skip=table.malformed == "skip", columns=folders.fields)
    elif run.refuse or not ion_files.are_large(files):
        return value_rows(run, node, _read_all(source, skip=table.malformed == "skip"), table)
    else:
        run.fallbacks.add(Fallback(node, ion_files.REASON if source.format == "ion" else ion_files.DOCUMENT))
        lines = ion_files.read(run, table, files, folders, tree, node.where)
    return _rows(run, node, lines.frame, lines.value, table)


def _read_all(source: File, *, skip: bool) -> values.Bag:
    """All values in a file. With `skip`, malformed ones are left out, which the engine reports."""
    kept = []
    for item in records(source):
        if not isinstance(item, EvaluationError):
            kept.append(item)
        elif not skip:
            raise item
    return values.Bag(kept)


#: A frame of more columns than this is first reduced to the columns that the plan uses.
_MANY = 200


def _frame_rows(run: Run, node: Ranging, source: Opened, table: Table, tree: PathTree) -> Rows:
    """A row for every row of a DataFrame: a struct, in parts, of the columns that the plan uses. Catalyst does not read
    the other columns of the frame."""
    fields = source.frame.schema.fields
    wanted = [i for i, field in enumerate(fields) if touches(tree, field.name) and field.name != POSITION]
    if isinstance(table.source, File | Parts):
        for i in wanted:
            ensure_read(fields[i], table.source.format)
    identified = fields[-1].name == POSITION if fields else False
    if len(fields) > _MANY and not identified and len({field.name.lower() for field in fields}) == len(fields):
        types = {new: source.types[old] for new, old in enumerate(wanted) if old in source.types}
        source = Opened(source.frame.select(*(F.quoted(fields[i].name) for i in wanted)), types=types)
        fields = [fields[i] for i in wanted]
        wanted = list(range(len(fields)))
    copy = source.copy(run.nth(source))
    for i in wanted:
        if i not in copy.columns:
            known, name = source.types.get(i), copy.names[i]
            copy.columns[i] = frame_column(fields[i], name, node.where) if known is None else reference(known, name)
    position = frame_column(fields[-1], copy.names[-1], node.where) if identified else None
    value = struct_expr((fields[i].name, copy.columns[i]) for i in wanted)
    return _rows(run, node, copy.frame, value, table, position)


def stored_frame(spark: SparkSession, source: Stored) -> DataFrame:
    """The rows of a stored table, in columns `c0`, `c1` ..."""
    types = [(f"c{i}", field.type) for i, field in enumerate(source.columns)]
    schema = s.StructType([s.StructField(name, to_spark(type_)) for name, type_ in types])
    if not source.folders:
        return spark.createDataFrame([], schema)
    return spark.read.schema(schema).parquet(*(read_uri(folder) for folder in source.folders))


def _stored_rows(run: Run, node: Ranging, source: Stored, table: Table, tree: PathTree) -> Rows:
    """A row for every row of a stored table. Its columns are encoded by our types, under generated names."""
    types = {f"c{i}": field.type for i, field in enumerate(source.columns)}
    frame = stored_frame(run.spark, source)
    pairs, picked = [], []
    for field, (stored_name, type_) in zip(source.columns, types.items(), strict=True):
        if touches(tree, field.name or ""):
            name = run.name()
            picked.append(F.col(stored_name).alias(name))
            pairs.append((field.name or "", reference(type_, name)))
    return _rows(run, node, frame.select(*picked), struct_expr(pairs), table)


def touches(tree: PathTree, name: str) -> bool:
    """Does the plan use an attribute of that name?"""
    if tree.whole or tree.elements is not None:
        return True
    return any(name == asked.text or (not asked.exact and name.lower() == asked.text.lower()) for asked in tree.fields)


def _rows(run: Run, node: Ranging, frame: DataFrame, value: Expr, table: Table, position: Expr | None = None) -> Rows:
    row = [value]
    if isinstance(node, p.ScanIndexed):
        row.append(_no_index(run, node))
    if node.identified:
        row.append(_record_id(table, value, node.where) if position is None else position)
    return Rows(frame, tuple(row))


def _record_id(table: Table, value: Expr, where: Where) -> Expr:
    name = table.record_id
    if name is None:
        return missing_expr()
    if not isinstance(name, str):
        raise UnsupportedError("a list of record identifiers goes with data in memory", where=where)
    if isinstance(value, StructParts) and isinstance(value.type, t.Struct):
        return dict(value.named).get(name, missing_expr())
    return column_expr(
        t.ANY, F.try_variant_get(value.column, f"$['{name}']", "variant"), names=value.place.names, atomic=True
    )
