"""Arrow's types for types that are certain: every value of such a type fits, whatever the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.node import transform
from firesteel.tables.arrow.arrays import Unfit, array_of
from firesteel.tables.typed.ddl import MICROS, JsonText
from firesteel.tables.typed.fit import fit_rows
from firesteel.tables.typed.infer import settled, types_seen
from firesteel.values import Bag, Struct, Value

if TYPE_CHECKING:
    import pyarrow as pa

MAX_DIGITS = 38
#: How many rows a batch has that is made of values.
BATCH = 10_000

_NAMES: tuple[tuple[Any, str], ...] = (
    (t.Bool, "bool_"),
    (t.Int8, "int8"),
    (t.Int16, "int16"),
    (t.Int32, "int32"),
    (t.Int64, "int64"),
    (t.Float32, "float32"),
    (t.Float64, "float64"),
    (t.Char | t.String | t.Symbol | t.Uuid, "string"),
    (t.Blob | t.Clob, "binary"),
    (t.Date, "date32"),
)


def certain(type_: t.Type) -> Any:
    """The Arrow type of a column whose values are of this type; None where it depends on the values."""
    import pyarrow as pa

    match type_:
        case t.Collection():
            inner = certain(type_.element)
            return None if inner is None else pa.list_(inner)
        case t.Struct(open=False):
            fields = [(field.name or "", certain(field.type)) for field in type_.fields]
            names = {name for name, _ in fields}
            whole = fields and len(names) == len(fields) and all(inner is not None for _, inner in fields)
            return pa.struct(fields) if whole else None
        case t.Map(key=t.String() | t.Char()):
            inner = certain(type_.value)
            return None if inner is None else pa.map_(pa.string(), inner)
        case t.Decimal(precision=int() as precision) if precision <= MAX_DIGITS:
            return pa.decimal128(precision, type_.scale or 0)
        case t.Timestamp(precision=int() as precision) if precision <= MICROS:
            unit = "s" if precision == 0 else "ms" if precision <= 3 else "us"
            return pa.timestamp(unit, "UTC" if type_.zone else None)
    return next((getattr(pa, name)() for cls, name in _NAMES if isinstance(type_, cls)), None)


def row_type(type_: t.Type) -> t.Type:
    """The type of an answer's rows: of the elements of a collection, or of the only value."""
    found = type_.element if isinstance(type_, t.Collection) else type_
    return t.merge((found,))


def columns_of(type_: t.Type) -> t.Struct | None:
    """The columns that an answer of this type has, whatever its rows are; None if that is not known."""
    row = row_type(type_)
    if isinstance(row, t.Struct) and not row.absent:
        names = {(field.name or "").lower() for field in row.fields}
        return row if not row.open and len(names) == len(row.fields) > 0 else None
    if isinstance(row, t.Struct | t.Any | t.Union | t.Null | t.Missing):
        return None
    return t.Struct((t.Field("_1", row),), open=False)


def certain_columns(type_: t.Type) -> t.Struct | None:
    """The columns of an answer, if all of them are of certain types. NULL and MISSING are both NULL."""
    found = columns_of(type_)
    if found is None or certain(found) is None:
        return None
    return transform(found, lambda one: t.absent(one, nullable=True, missable=False), t.Type)


def for_arrow(asked: t.Struct) -> t.Struct:
    """The columns as Arrow and files take them: what stays VARIANT is text, or JSON text."""
    return transform(asked, lambda one: JsonText(nullable=True), t.Any)


def for_format(asked: t.Struct, format_: str) -> t.Struct:
    """The columns as files of a format take them: in CSV what is nested is JSON text."""
    if format_ != "csv":
        return asked
    nested = (t.Collection, t.Struct, t.Map)
    fields = [t.Field(f.name, JsonText(nullable=True) if isinstance(f.type, nested) else f.type) for f in asked.fields]
    return t.Struct(tuple(fields), open=False)


def arrow_schema(asked: t.Struct) -> pa.Schema:
    """The Arrow schema of the columns."""
    import pyarrow as pa

    return pa.schema([pa.field(f.name or "", _required(f.type), nullable=f.type.nullable) for f in asked.fields])


def _required(type_: t.Type) -> Any:
    found = certain(type_)
    if found is None:
        raise UnsupportedError(f"a column of the type {type_} in a schema for Arrow")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Values


def rows_of(value: Value) -> list[Value]:
    """The rows of an answer: its items, or the only value."""
    return list(value) if isinstance(value, list | Bag) else [value]


def infer_columns(rows: Sequence[Value], known: t.Type) -> t.Struct:
    """The columns of rows, in one pass: with the types of the plan where they are certain, else of the values."""
    declared = known.fields if isinstance(known, t.Struct) else ()
    found: dict[str, list[Value]] = {field.name or "": [] for field in declared}
    for row in rows:
        pairs = row.pairs if isinstance(row, Struct) else [] if found and values.absent(row) else [("_1", row)]
        for name, item in pairs:
            found.setdefault(name, []).append(item)
    types = {field.name or "": field.type for field in declared}
    fields = [(name, types.get(name, t.ANY)) for name in (*types, *sorted(found.keys() - types.keys()))]
    return inferred(fields, {name: types_seen(found[name]) for name, type_ in fields if certain(type_) is None})


def inferred(fields: Sequence[tuple[str, t.Type]], seen: Mapping[str, t.Type]) -> t.Struct:
    """Columns: of the type that the plan knows if that is certain, else of the type of the values that were seen."""
    types = [
        settled(seen[name]) if name in seen else t.absent(type_, nullable=True, missable=False)
        for name, type_ in fields
    ]
    return t.Struct(tuple(t.Field(name, type_) for (name, _), type_ in zip(fields, types, strict=True)), open=False)


def batches_of(
    rows: Sequence[Value], known: t.Type, asked: t.Struct, schema: pa.Schema | None = None
) -> Iterator[pa.RecordBatch]:
    """Rows as batches of an Arrow table with these columns; an error names the first value that does not fit."""
    import pyarrow as pa

    schema = arrow_schema(asked) if schema is None else schema
    fitted = fit_rows(rows, known, asked)
    for start in range(0, len(rows), BATCH):
        part = list(islice(fitted, min(BATCH, len(rows) - start)))
        arrays = []
        for field, items in zip(schema, zip(*part, strict=True), strict=True):
            try:
                arrays.append(array_of(items, field.type))
            except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError) as error:
                raise EvaluationError(f"column '{field.name}': a value does not fit {field.type}: {error}") from error
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
