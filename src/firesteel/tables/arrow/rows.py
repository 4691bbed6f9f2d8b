"""Arrow tables as types and rows; `kinds` has the types, `columns` the way back."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.ion import dumps
from firesteel.node import walk
from firesteel.tables.arrow.kinds import read, struct_type
from firesteel.tables.touched import PathTree, touches

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows that are read at once.
_BATCH = 10_000


def arrow_table(source: Any) -> pa.Table:
    """Whatever of Arrow's or pandas' is registered, as a table.

    Timestamps in nanoseconds that have none (pandas' own are written like that) become microseconds, which is what
    Spark computes with.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        match source:
            case pa.Table():
                table = source
            case pa.RecordBatch():
                table = pa.Table.from_batches([source])
            case pa.RecordBatchReader():
                table = source.read_all()
            case ds.Dataset():
                table = source.to_table()
            case _ if hasattr(source, "columns") and hasattr(source, "dtypes"):
                table = pa.Table.from_pandas(source, preserve_index=False)
            case _:
                kind = type(source).__name__
                raise UnsupportedError(f"a {kind} is not a table", help="register a pyarrow Table or a DataFrame")
    except (pa.ArrowException, OSError) as error:
        raise UnsupportedError(f"no table can be made of this: {error}") from error
    for i, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            try:
                coarse = table.column(i).cast(pa.timestamp("us", field.type.tz))
            except pa.ArrowInvalid:
                continue
            table = table.set_column(i, field.with_type(coarse.type), coarse)
    return table


def mixed_rows(frame: Any) -> list[values.Value] | None:
    """The rows of a pandas DataFrame with a column that Arrow has no type for, because its objects have nothing in
    common (numbers and texts, dicts and lists); None if there is no such. What pandas takes for missing is NULL."""
    names = [str(name) for name in frame.columns]
    series = [frame.iloc[:, i] for i in range(len(names))]
    if all(one.dtype != object or _fits_arrow(one) for one in series):
        return None
    columns = [_objects(one) for one in series]
    return [values.Struct(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _fits_arrow(series: Any) -> bool:
    import pyarrow as pa

    try:
        pa.Array.from_pandas(series)
    except pa.ArrowException:
        return False
    return True


def _objects(series: Any) -> list[values.Value]:
    """The values of a column of pandas."""
    import pyarrow as pa

    if series.dtype != object or _fits_arrow(series):
        name = str(series.name)
        return column_values(name, arrow_table(pa.table({name: pa.Array.from_pandas(series)})).column(0))
    missing = [absent is True for absent in series.isna().tolist()]
    return [None if absent else values.from_python(item) for item, absent in zip(series, missing, strict=True)]


def arrow_rows(table: pa.Table | pa.RecordBatch) -> Iterator[values.Value]:
    """The rows as structs; what is null in Arrow is NULL."""
    fields = arrow_type(table.schema).fields
    for field in fields:
        ensure_text_keys(field)
    names = [field.name or "" for field in fields]
    batches = table.to_batches(max_chunksize=_BATCH) if names and hasattr(table, "to_batches") else [table]
    for batch in batches:
        columns = [column_values(name, column) for name, column in zip(names, batch.columns, strict=True)]
        rows = zip(*columns, strict=True) if columns else itertools.repeat((), batch.num_rows)
        for row in rows:
            yield values.Struct(zip(names, row, strict=True))


def touched_columns(table: pa.Table | pa.RecordBatch, touched: PathTree) -> pa.Table | pa.RecordBatch:
    """The columns that a plan touches; the number of rows stays, also without any column."""
    if touched.whole:
        return table
    kept = [i for i, name in enumerate(table.schema.names) if touches(touched, name)]
    return table.select(kept)


def column_values(name: str, column: Any) -> list[values.Value]:
    """The values of a column; an error says which it is."""
    import pyarrow as pa

    try:
        return [value for chunk in getattr(column, "chunks", [column]) for value in read(chunk)]
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedError(f"column '{name}' cannot be read: {error}") from error
    except (OverflowError, ValueError) as error:
        raise EvaluationError(
            f"column '{name}' holds a value that is out of range: {error}",
            help="dates and timestamps are of the years 1 to 9999, times of one day, and text is UTF-8",
        ) from error


def ensure_text_keys(column: t.Field) -> None:
    """Refuses maps whose keys are not text, because structs have text keys."""
    if any(not isinstance(type_.key, t.Text) for type_ in walk(column.type, t.Map)):
        raise UnsupportedError(f"column '{column.name}' is a {column.type}: a map whose keys are not text")


def arrow_type(schema: Iterable[Any]) -> t.Struct:
    """A schema's type: a closed struct of its fields."""
    return struct_type(schema)


def plain(value: values.Value) -> Any:
    """A value as what a JSON writer takes: Python's own scalars, lists and dicts, None for MISSING."""

    def leaf(item: values.Value) -> Any:
        if item is values.MISSING:
            return None
        if isinstance(item, values.Timestamp):
            return _datetime(item)
        if isinstance(item, values.Time):
            return datetime.time(item.hour, item.minute, *_split(item.second))
        if isinstance(item, values.Interval):
            if item.months:
                raise UnsupportedError("JSON has no form for an interval of months", help="write Ion instead")
            return datetime.timedelta(microseconds=_whole(Decimal(item.nanos) / 1000))
        return str(item) if isinstance(item, values.Symbol) else item

    def container(item: values.Value, inner: list[Any]) -> Any:
        if not isinstance(item, values.Struct):
            return inner
        pairs = {name: new for (name, old), new in zip(item.pairs, inner, strict=True) if old is not values.MISSING}
        if len(pairs) < sum(old is not values.MISSING for _, old in item.pairs):
            raise UnsupportedError(f"a struct whose keys repeat has no columns: {dumps(item)}", help="write Ion")
        return pairs

    return values.fold(value, leaf, container)


def _split(second: Any) -> tuple[int, int]:
    whole = int(second)
    return whole, _whole((second - whole) * 1_000_000)


def _whole(micros: Decimal) -> int:
    if micros != int(micros):
        raise UnsupportedError(
            "a time of more than 6 digits of a second has no form in JSON", help="write Ion or Parquet"
        )
    return int(micros)


def _datetime(item: values.Timestamp) -> datetime.datetime:
    zone = None if item.offset is None else datetime.timezone(datetime.timedelta(minutes=item.offset))
    return datetime.datetime(item.year, item.month, item.day, item.hour, item.minute, *_split(item.second), zone)
