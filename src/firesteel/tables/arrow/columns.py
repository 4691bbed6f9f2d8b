"""Values as Arrow tables, by the type that a plan gives them.

Arrow has one kind of absence: MISSING becomes null, as NULL does. Nothing is rounded or cut: a value that the type of
its column cannot hold changes that type, and values of several types are a column of a union.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.lazy import require
from firesteel.node import transform
from firesteel.tables.arrow.arrays import Unfit, array_of, family, instance
from firesteel.tables.arrow.kinds import DIGITS, UNITS
from firesteel.values import MISSING, Bag, Struct, Value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Column = list[Value]

_DIGITS_128, _DIGITS_256 = 38, 76
_EXACT = Context(prec=5_000)


def to_arrow(value: Value, type_: t.Type = t.ANY) -> pa.Table:
    """An answer as a table: a struct's attributes are columns, any other value is the column `_1`.

    `type_` is what its plan says of it. It gives the columns that there are even if no row has them, and their types.
    """
    import pyarrow as pa

    rows, row_type = [value], type_
    if isinstance(value, list | Bag):
        rows = list(value)
        row_type = type_.element if isinstance(type_, t.Collection) else t.ANY
    fields = list(_columns(rows, t.merge((row_type,))))
    arrays = [_array(*field) for field in fields]
    if not arrays:
        return pa.Table.from_struct_array(pa.array([{}] * len(rows), pa.struct([])))
    return pa.Table.from_arrays(arrays, names=[name for name, _, _ in fields])


def _array(name: str, type_: t.Type, items: Column) -> pa.Array:
    import pyarrow as pa

    try:
        return array_of(items, arrow_of(type_, items))
    except RecursionError:
        raise UnsupportedError(f"the column '{name}' is nested too deep for Arrow", help="try Ion") from None
    except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError) as error:
        raise UnsupportedError(f"Arrow has no type for the column '{name}': {error}", help="try Ion") from error


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """The table as a DataFrame; a column of values of several types is one of objects."""
    pd = require("pandas")
    mixed = [i for i, field in enumerate(table.schema) if _has_union(field.type)]
    plain = [i for i in range(table.num_columns) if i not in mixed]
    frame = table.select(plain).to_pandas()
    for i in mixed:
        column = pd.Series(table.column(i).to_pylist(), dtype=object, index=frame.index)
        frame.insert(i, table.schema.names[i], column, allow_duplicates=True)
    return frame


def _has_union(type_: Any) -> bool:
    import pyarrow as pa

    inner = (type_.field(i).type for i in range(type_.num_fields))
    return pa.types.is_union(type_) or any(map(_has_union, inner))


def _columns(rows: Sequence[Value], row_type: t.Type) -> Iterator[tuple[str, t.Type, Column]]:
    """The columns of rows: their names, their types, and what is in them."""
    declared = row_type.fields if isinstance(row_type, t.Struct) else ()
    names = [field.name or "" for field in declared]
    if len(set(names)) < len(names):
        yield from _by_position(rows, declared)
        return
    types = {name: field.type for name, field in zip(names, declared, strict=True)}
    found: dict[str, Column] = {name: [] for name in names}
    if not isinstance(row_type, t.Struct | t.Any) and not rows:
        found["_1"] = []
        types["_1"] = row_type
    for i, row in enumerate(rows):
        for name, item in _attributes(row, alone=not names):
            column = found.setdefault(name, [None] * i)
            column.append(item)
        for column in found.values():
            column.extend([None] * (i + 1 - len(column)))
    if not isinstance(row_type, t.Struct):
        types["_1"] = row_type
    for name in [*names, *sorted(found.keys() - set(names), key=_utf8)]:
        yield name, types.get(name, t.ANY), found[name]


def _attributes(row: Value, *, alone: bool) -> list[tuple[str, Value]]:
    """What a row has for columns. One that is absent among structs has nothing."""
    if not isinstance(row, Struct):
        return [("_1", row)] if alone or not values.absent(row) else []
    there = [(name, item) for name, item in row.pairs if item is not MISSING]
    if len({name for name, _ in there}) < len(there):
        raise UnsupportedError("a struct whose keys repeat has no columns", help="write Ion")
    return there


def _by_position(rows: Sequence[Value], declared: t.Schema) -> Iterator[tuple[str, t.Type, Column]]:
    """Rows of a relation whose names repeat: an attribute has its place."""
    if any(not isinstance(row, Struct) or len(row.pairs) != len(declared) for row in rows):
        raise UnsupportedError(
            "rows whose names repeat, and which are not all alike, have no columns", help="write Ion"
        )
    for i, field in enumerate(declared):
        yield field.name or "", field.type, [row.pairs[i][1] for row in rows]


# ---------------------------------------------------------------------------------------------------------------------
# Types: what a plan says, and where it does not say all, what the values need


def arrow_of(type_: t.Type, items: Column) -> Any:
    """The Arrow type of a column of these values, which the plan says to be of this type."""
    import pyarrow as pa

    items = [item for item in items if not values.absent(item)]
    try:
        return _arrow_of(type_, items)
    except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError):
        return _arrow_of(_merged(items), items)


def _arrow_of(type_: t.Type, items: Column) -> Any:
    import pyarrow as pa

    match type_:
        case t.Null() | t.Missing() if not items:
            return pa.null()
        case t.Collection():
            inner = [part for item in items for part in instance(item, list | Bag)]
            return pa.list_(arrow_of(type_.element, inner))
        case t.Struct(open=False) if len({field.name for field in type_.fields}) == len(type_.fields):
            if any(name not in {f.name for f in type_.fields} for item in items for name, _ in instance(item, Struct)):
                raise Unfit
            fields = [(f.name or "", arrow_of(f.type, [i.get(f.name or "") for i in items])) for f in type_.fields]
            return pa.struct(fields)
        case t.Map():
            return pa.map_(
                pa.string(), arrow_of(type_.value, [part for item in items for _, part in instance(item, Struct)])
            )
        case t.Any() | t.Struct():
            return _arrow_of(_merged(items), items) if items else pa.null()
        case t.Union():
            return _union_of(type_, items)
    return _first(type_, items)


def _merged(items: Column) -> t.Type:
    """The type of values that nobody has declared."""
    items = [item for item in items if not values.absent(item)]
    merged = t.merge(_sorted(t.type_of(item)) for item in items) if items else t.NULL
    if isinstance(merged, t.Struct) and merged.open:
        raise UnsupportedError("structs whose keys repeat have no type in Arrow", help="write Ion")
    return merged


def _sorted(type_: t.Type) -> t.Type:
    """The type with the attributes of structs by their names: Spark's variants do not keep them in another order."""
    return transform(type_, lambda struct: struct.replace(fields=tuple(sorted(struct.fields, key=_name))), t.Struct)


def _name(field: t.Field) -> bytes:
    return _utf8(field.name or "")


def _utf8(name: str) -> bytes:
    return name.encode(errors="surrogatepass")


def _union_of(type_: t.Union, items: Column) -> Any:
    """One type for values of several, if one holds them all; else a union of those that occur."""
    import pyarrow as pa

    for members in (type_.members, t.members(_merged(items))):
        families: dict[Any, list[t.Type]] = {}
        for member in members:
            families.setdefault(family(member), []).append(member)
        if len(families) == 1:
            return _arrow_of(_widest(list(members)), items)
        for several, wider in _NUMBERS:
            if families.keys() == several:
                with contextlib.suppress(Unfit):
                    return _first(wider, items)
    if not items:
        return pa.null()
    fields = []
    for i, (mine, alike) in enumerate(families.items()):
        own = [item for item in items if family(t.type_of(item)) == mine]
        fields.append(pa.field(str(i), _arrow_of(_widest(alike), own)))
    return pa.dense_union(fields)


#: Numbers of two families that one type may hold.
_NUMBERS: tuple[tuple[set[Any], t.Type], ...] = (
    ({family(t.INT), family(t.DECIMAL)}, t.DECIMAL),
    ({family(t.INT), family(t.FLOAT64)}, t.FLOAT64),
)


def _widest(members: list[t.Type]) -> t.Type:
    """One type for types of one family."""
    first = members[0]
    match first:
        case _ if len(members) == 1:
            return first
        case t.Time() | t.Timestamp():
            return type(first)(max(getattr(member, "precision", None) or 0 for member in members), zone=first.zone)
        case t.Collection():
            return t.Array(t.merge(member.element for member in members if isinstance(member, t.Collection)))
    return next(wide for cls, wide in _WIDE if isinstance(first, cls))


_WIDE: tuple[tuple[Any, t.Type], ...] = (
    (t.Integer, t.INT),
    (t.Decimal, t.DECIMAL),
    (t.Float32 | t.Float64, t.FLOAT64),
    (t.Text | t.Uuid, t.STRING),
    (t.Octets, t.BLOB),
    (t.Interval, t.INTERVAL),
)


def _first(type_: t.Type, items: Column) -> Any:
    """The first of the Arrow types for a type that holds all the values."""
    import pyarrow as pa

    for candidate in _candidates(type_, items):
        try:
            array_of(items, candidate)
        except (Unfit, pa.ArrowException, OverflowError, ValueError, TypeError):
            continue
        return candidate
    raise Unfit


def _candidates(type_: t.Type, items: Column) -> list[Any]:
    import pyarrow as pa

    match type_:
        case t.Decimal():
            return list(_decimals(type_, items))
        case t.Int():
            return [pa.int64(), pa.decimal128(_DIGITS_128, 0), pa.decimal256(_DIGITS_256, 0)]
        case t.Byte():
            return [pa.binary(type_.length), pa.binary()]
        case t.Time():
            return [(pa.time32 if DIGITS[unit] < 6 else pa.time64)(unit) for unit in _units(type_)]
        case t.Timestamp():
            return [pa.timestamp(unit, "UTC" if type_.zone else None) for unit in _units(type_)]
        case t.Interval(unit="day_time"):
            return [pa.duration(unit) for unit in _units(type_)]
        case t.Interval():
            return [pa.month_day_nano_interval()]
        case t.UserDefined(name="u8" | "u16" | "u32" | "u64" as name):
            return [getattr(pa, f"uint{name[1:]}")()]
    return [getattr(pa, name)() for name in _PLAIN.get(type(type_), ())]


_PLAIN: dict[type[t.Type], tuple[str, ...]] = {
    t.Bool: ("bool_",),
    t.Int8: ("int8", "int64"),
    t.Int16: ("int16", "int64"),
    t.Int32: ("int32", "int64"),
    t.Int64: ("int64",),
    t.Float32: ("float32", "float64"),
    t.Float64: ("float64",),
    **dict.fromkeys((t.Char, t.String, t.Symbol, t.Uuid), ("string",)),
    **dict.fromkeys((t.Blob, t.Clob), ("binary",)),
    t.Date: ("date32",),
}


def _units(type_: t.Time | t.Timestamp | t.Interval) -> list[str]:
    """The unit that has the type's digits, then the others, from microseconds on. Each has its own range of years."""
    digits = 6 if type_.precision is None else type_.precision
    own = next((unit for size, unit in sorted(UNITS.items()) if digits <= size), "ns")
    return list(dict.fromkeys((own, "us", "ns", "ms", "s")))


def _decimals(type_: t.Decimal, items: Column) -> Iterator[Any]:
    """With the digits that are declared, else with as many behind the point as the values need. Zeros at the end do not
    count: engines differ in them."""
    import pyarrow as pa

    if type_.precision is not None and type_.precision <= _DIGITS_256:
        yield (pa.decimal128 if type_.precision <= _DIGITS_128 else pa.decimal256)(type_.precision, type_.scale or 0)
    found = [_EXACT.normalize(Decimal(instance(item, int | Decimal))) for item in items]
    whole = max([1, *(item.adjusted() + 1 for item in found)])
    scale = max([0, *(-_exponent(item) for item in found)])
    if whole + scale <= _DIGITS_128:
        yield pa.decimal128(_DIGITS_128, scale)
    elif whole + scale <= _DIGITS_256:
        yield pa.decimal256(_DIGITS_256, scale)


def _exponent(item: Decimal) -> int:
    exponent = item.as_tuple().exponent
    if not isinstance(exponent, int):
        raise Unfit
    return exponent
