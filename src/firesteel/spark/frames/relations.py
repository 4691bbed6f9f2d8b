"""Relations of Spark Connect as relations of the algebra."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from pyspark.sql import types as s

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.spark.encoding.column_types import from_spark
from firesteel.spark.frames import generators
from firesteel.spark.frames.base import Column, Frame, Reader, Reading, Scope, places, refuse, split_identifier
from firesteel.spark.frames.columns.coercion import cast, common_type
from firesteel.spark.frames.columns.expressions import expression, name_of
from firesteel.spark.frames.columns.ordering import sort_specs
from firesteel.spark.frames.groups import aggregate_frame, counts_rows
from firesteel.spark.frames.joins import join_frame
from firesteel.spark.frames.nulls import drop_null, fill_null
from firesteel.spark.frames.sets import set_operation
from firesteel.tables.arrow.rows import arrow_rows, arrow_type
from firesteel.tables.typed.ddl import read_ddl

# ---------------------------------------------------------------------------------------------------------------------
# Leaves


def _read(reader: Reader, message: Any) -> Frame:
    if message.is_streaming:
        raise refuse("a stream")
    found = reader.schema_of(message)
    row = from_spark(found) if isinstance(found, s.DataType) else found
    assert isinstance(row, t.Struct)
    if message.WhichOneof("read_type") == "named_table":
        path = tuple(split_identifier(message.named_table.unparsed_identifier))
        return _table(reader, p.GlobalBinding(path, t.Bag(row)), row, path)
    source = message.data_source
    if source.format not in ("parquet", "orc"):
        raise refuse(f"files of the format '{source.format}'", "register them as a table, and read it by its name")
    items = tuple(p.FileItem(one, "path") for one in source.paths)
    files = p.Files(source.format, items)
    return _table(reader, p.GlobalBinding((files.label,), t.Bag(row), files=files), row)


def _table(reader: Reader, binding: p.GlobalBinding, row: t.Struct, qualifier: tuple[str, ...] = ()) -> Frame:
    scan = p.Scan(reader.bind(binding))
    return _columns_of(scan, row, qualifier)


def _columns_of(scan: p.Rel, row: t.Struct, qualifier: tuple[str, ...] = ()) -> Frame:
    names = tuple(one.name or "" for one in row.fields)
    exprs = tuple(attribute(build.column(scan, 0), name) for name in names)
    return Frame(p.Project(exprs, scan, names=names), tuple(Column(name, qualifier) for name in names))


def _local(reader: Reader, message: Any) -> Frame:
    """Rows that the frame itself holds, as Arrow's stream."""
    import pyarrow as pa

    declared = None
    if message.schema.startswith("{"):
        declared = from_spark(s.StructType.fromJson(json.loads(message.schema)))
    elif message.schema:
        declared = read_ddl(message.schema)
    table = pa.ipc.open_stream(message.data).read_all() if message.data else None
    row = declared if declared is not None else arrow_type(table.schema) if table is not None else t.Struct(())
    assert isinstance(row, t.Struct)
    rows = [] if table is None else list(arrow_rows(table))
    names = [one.name or "" for one in row.fields]
    by_place = t.Struct(tuple(t.Field(f"_{i}", one.type) for i, one in enumerate(row.fields, 1)), open=False)
    made = [values.Struct([(f"_{i}", one) for i, (_, one) in enumerate(_pairs(each), 1)]) for each in rows]
    scan = p.Scan(p.Lit(t.Bag(by_place), values.Bag(made)))
    frame = _columns_of(scan, by_place)
    return frame.project([frame.var(i) for i in range(len(names))], [Column(name) for name in names])


def _pairs(row: Any) -> Iterable[tuple[str, Any]]:
    found: Iterable[tuple[str, Any]] = row.pairs
    return found


def _range(reader: Reader, message: Any) -> Frame:
    rows = range(message.start, message.end, message.step)
    if len(rows) > _MOST_ROWS:
        raise refuse(f"a range of {len(rows):,} rows", f"a plan holds at most {_MOST_ROWS:,} rows itself")
    row = t.Struct((t.Field("id", t.INT64),), open=False)
    listed = values.Bag([values.Struct([("id", one)]) for one in rows])
    return _columns_of(p.Scan(p.Lit(t.Bag(row), listed)), row)


_MOST_ROWS = 100_000

# ---------------------------------------------------------------------------------------------------------------------
# Columns


def _project(reader: Reader, message: Any) -> Reading:
    frame: Frame = (yield (message.input,)) if message.HasField("input") else _one_row()
    listed = list(message.expressions)
    frame, listed = generators.expand(reader, frame, listed)
    if any(counts_rows(one) for one in listed if not isinstance(one, int)):
        return aggregate_frame(reader, frame, (), listed)
    return _projected(reader, frame, _without_stars(reader, frame, listed))


def _one_row() -> Frame:
    row = t.Struct((), open=False)
    return Frame(p.Project((), p.Scan(p.Lit(t.Bag(row), values.Bag([values.Struct([])])))), ())


def _without_stars(reader: Reader, frame: Frame, messages: Iterable[Any]) -> list[Any]:
    """The expressions, and for `*` the places of the columns that it stands for."""
    made: list[Any] = []
    for one in messages:
        if isinstance(one, int) or one.WhichOneof("expr_type") != "unresolved_star":
            made.append(one)
            continue
        target = one.unresolved_star.unparsed_target
        qualifier = [part.lower() for part in split_identifier(target)[:-1]] if target else []
        found = [
            i
            for i, column in enumerate(frame.columns)
            if not qualifier or [part.lower() for part in column.qualifier[-len(qualifier) :]] == qualifier
        ]
        if one.unresolved_star.HasField("plan_id"):
            known = {id(c) for columns in reader.origins.get(one.unresolved_star.plan_id, ()) for c in columns}
            found = [i for i in found if id(frame.columns[i]) in known]
        made += found
    return made


def _projected(reader: Reader, frame: Frame, wanted: Sequence[Any]) -> Frame:
    """A projection of places and of messages; window calls are computed before it."""
    calls: list[p.WindowCall] = []
    scope = Scope(frame, calls=calls)
    exprs: list[p.Rex] = []
    columns: list[Column] = []
    for one in wanted:
        rex = frame.var(one) if isinstance(one, int) else expression(reader, one, scope)
        exprs.append(rex)
        columns.append(_column(frame, one, rex))
    if calls:
        wide = p.Window(tuple(calls), frame.rel)
        made = Frame(p.Project(tuple(exprs), wide, names=tuple(one.name for one in columns)), tuple(columns))
    else:
        made = frame.project(exprs, columns)
    return made if made.rel is frame.rel else replace(made, hidden=frame)


def _column(frame: Frame, wanted: Any, rex: p.Rex) -> Column:
    """A column that is passed on stays the same; a computed one, or one with a new name, is another."""
    if isinstance(wanted, int):
        return frame.columns[wanted]
    if wanted.WhichOneof("expr_type") == "unresolved_attribute" and isinstance(rex, p.Var):
        return frame.columns[rex.ordinal]
    return Column(name_of(wanted))


def _with_columns(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    wanted: list[Any] = list(range(len(frame.columns)))
    for one in message.aliases:
        made = one_expression(one)
        known = frame.named(one.name[0])
        for i in known:
            wanted[i] = made
        if not known:
            wanted.append(made)
    return _projected(reader, frame, wanted)


def one_expression(alias: Any) -> Any:
    """The expression that an alias is."""
    from pyspark.sql.connect.proto import Expression

    return Expression(alias=alias)


def _renamed(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    pairs = [(one.col_name, one.new_col_name) for one in message.renames] or list(message.rename_columns_map.items())
    columns = list(frame.columns)
    for old, new in pairs:
        columns = [Column(new) if one.name.lower() == old.lower() else one for one in columns]
    return frame.project([frame.var(i) for i in range(len(columns))], columns)


def _to_df(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    columns = [Column(name) for name in message.column_names]
    return frame.project([frame.var(i) for i in range(len(columns))], columns)


def _drop(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    dropped = {i for name in message.column_names for i in frame.named(name)}
    for one in message.columns:
        rex = expression(reader, one, Scope(frame))
        if isinstance(rex, p.Var):
            dropped.add(rex.ordinal)
    return frame.pick(i for i in range(len(frame.columns)) if i not in dropped)


def _alias(reader: Reader, message: Any) -> Reading:
    """The columns under another qualifier. They stay those of the frame below for `df["x"]`."""
    frame: Frame = yield (message.input,)
    columns = tuple(Column(one.name, (message.alias,)) for one in frame.columns)
    for known in reader.origins.values():
        for group in list(known):
            moved = {id(old): new for old, new in zip(frame.columns, columns, strict=True)}
            if any(id(one) in moved for one in group):
                known.append(tuple(moved.get(id(one), one) for one in group))
    return Frame(frame.rel, columns)


# ---------------------------------------------------------------------------------------------------------------------
# Rows


def _filter(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)

    def filtered(over: Frame) -> Frame:
        return over.over(p.Filter(expression(reader, message.condition, Scope(over)), over.rel))

    return _also_hidden(frame, filtered)


def _sort(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    if message.HasField("is_global") and not message.is_global:
        raise refuse("`sortWithinPartitions`")

    def ordered(over: Frame) -> Frame:
        return over.over(p.Sort(_ordered(reader, message.order, Scope(over)), over.rel))

    return _also_hidden(frame, ordered) if message.order else frame


def _also_hidden(frame: Frame, made: Callable[[Frame], Frame]) -> Frame:
    """A filter or a sort of a projection, which may be by columns that the projection leaves out."""
    try:
        return made(frame)
    except PlanError:
        if frame.hidden is None:
            raise
    project, below, width = frame.rel, frame.hidden, len(frame.columns)
    if not isinstance(project, p.Project) or not isinstance(project.input, p.Rel):
        raise refuse("a filter or a sort by a column that was left out", "do it before `select`")
    shown = {one.name.lower() for one in frame.columns}
    more = [i for i, one in enumerate(below.columns) if one.name.lower() not in shown]
    columns = (*frame.columns, *(below.columns[i] for i in more))
    exprs = (*project.exprs, *(build.column(project.input, i) for i in more))
    wide = Frame(p.Project(exprs, project.input, names=tuple(one.name for one in columns)), columns)
    return made(wide).pick(range(width))


def _ordered(reader: Reader, messages: Any, scope: Scope) -> tuple[p.SortSpec, ...]:
    asked = sort_specs(messages, scope)
    result: Any = None
    while True:
        try:
            result = expression(reader, *asked.send(result))
        except StopIteration as stop:
            made: tuple[p.SortSpec, ...] = stop.value
            return made


def _limit(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    return frame.over(p.Limit(p.Lit(t.INT64, message.limit), frame.rel))


def _offset(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    return frame.over(p.Offset(p.Lit(t.INT64, message.offset), frame.rel))


def _same(reader: Reader, message: Any) -> Reading:
    """What changes how rows are computed, and not which."""
    return (yield (message.input,))


def _distinct(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    keys = [places(reader, frame, name)[0] for name in message.column_names]
    if message.all_columns_as_keys or not keys:
        return frame.over(p.Distinct(frame.rel))
    rest = [i for i in range(len(frame.columns)) if i not in keys]
    firsts = tuple(
        p.Agg(build.typed_fn("datafusion:first_value", (var,), t.absent(var.type, nullable=True)), (var,))
        for var in map(frame.var, rest)
    )
    grouped = p.Aggregate(p.Strategy.FULL, firsts, tuple(map(frame.var, keys)), frame.rel)
    order = [*keys, *rest]
    exprs = [build.column(grouped, order.index(i)) for i in range(len(order))]
    return Frame(p.Project(tuple(exprs), grouped, names=tuple(one.name for one in frame.columns)), frame.columns)


# ---------------------------------------------------------------------------------------------------------------------
# Rows of several rows


def _join(reader: Reader, message: Any) -> Reading:
    left: Frame = yield (message.left,)
    right: Frame = yield (message.right,)
    return join_frame(reader, message, left, right)


def _aggregate(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    return aggregate_frame(reader, frame, message.grouping_expressions, message.aggregate_expressions, message)


def _unpivot(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    ids = [expression(reader, one, Scope(frame)) for one in message.ids]
    given = list(message.values.values)
    if not given:
        kept = {one.ordinal for one in ids if isinstance(one, p.Var)}
        cells: list[tuple[str, p.Rex]] = [
            (frame.columns[i].name, frame.var(i)) for i in range(len(frame.columns)) if i not in kept
        ]
    else:
        cells = [(name_of(one), expression(reader, one, Scope(frame))) for one in given]
    type_ = reduce(common_type, (rex.type for _, rex in cells))
    names = [*(name_of(one) for one in message.ids), message.variable_column_name, message.value_column_name]
    parts: list[p.Rel] = [
        p.Project((*ids, p.Lit(t.STRING, name), cast(rex, type_)), frame.rel, names=tuple(names)) for name, rex in cells
    ]
    return Frame(reduce(p.Union, parts), tuple(Column(name) for name in names))


RELATIONS: dict[str, Callable[[Reader, Any], Any]] = {
    "read": _read,
    "local_relation": _local,
    "range": _range,
    "project": _project,
    "with_columns": _with_columns,
    "with_columns_renamed": _renamed,
    "to_df": _to_df,
    "drop": _drop,
    "subquery_alias": _alias,
    "filter": _filter,
    "sort": _sort,
    "limit": _limit,
    "offset": _offset,
    "repartition": _same,
    "repartition_by_expression": _same,
    "hint": _same,
    "deduplicate": _distinct,
    "set_op": set_operation,
    "fill_na": fill_null,
    "drop_na": drop_null,
    "join": _join,
    "aggregate": _aggregate,
    "unpivot": _unpivot,
}
