"""The schema of files that have none of their own, given by whoever registers them.

    s.register("t", "t.jsonl", schema="id bigint, total decimal(10,2), tags array<string>")

The table has these columns and no others: attributes that the schema does not have are not read, also inside of
structs. What is absent is NULL. A value fits a type by the rules of `tables.typed.fit`.

The reference evaluator tests every value. Spark relies on the schema, unless it was registered with `check=True`: then
all files are tested once, before they are read, and again when they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from firesteel import types as t
from firesteel.errors import AnalysisError, EvaluationError, UnsupportedError
from firesteel.node import walk
from firesteel.tables.folders import Partitions
from firesteel.tables.typed.ddl import spelled
from firesteel.tables.typed.fit import Misfit, fitter
from firesteel.values import MISSING, Bag, Struct, Value

#: The formats whose files are read by a schema that is given.
FORMATS = ("json", "ion")


@dataclass(frozen=True)
class Declared:
    """The columns of a table by its owner. `check`: the files are tested before Spark reads them."""

    columns: t.Struct
    check: bool = False


def declared(format_: str, columns: t.Struct, *, check: bool) -> Declared:
    """The schema for files of that format; an error if it says what they cannot have."""
    if format_ not in FORMATS:
        raise UnsupportedError(
            f"a schema for files of the format '{format_}', which have one",
            help="ask for other types where the answer is used: r.to_spark(schema=...), or CAST in the query",
        )
    for struct in walk(columns, t.Struct):
        names = [(field.name or "").lower() for field in struct.fields]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise AnalysisError(f"the schema names '{twice}' twice, in another case: Spark does not tell these apart")
    for map_ in walk(columns, t.Map):
        if not isinstance(map_.key, t.Text):
            raise AnalysisError(f"the schema has keys of the type {spelled(map_.key)}: keys of objects are text")
    if format_ == "json" and any(True for _ in walk(columns, t.Octets)):
        raise AnalysisError("the schema has a column of octets, which JSON has none of", help="read it as string")
    return Declared(columns, check)


def row_type(columns: t.Struct, folders: Partitions) -> t.Struct:
    """The type of the records: partition columns replace columns of the same name."""
    hidden = {name.lower() for name, _ in folders.columns}
    own = [field for field in columns.fields if (field.name or "").lower() not in hidden]
    return t.Struct((*own, *folders.fields), open=False)


def fit_records(
    items: Iterable[Value | EvaluationError], columns: t.Struct, path: Path
) -> Iterator[Value | EvaluationError]:
    """The records of a file with these columns. What is no record is passed on; a value that does not fit is an error
    that names it."""
    puts = [(field.name or "", field.type, fitter(field.type, field.name or "")) for field in columns.fields]
    for number, item in enumerate(items, 1):
        if isinstance(item, EvaluationError):
            yield item
            continue
        if not isinstance(item, Struct):
            raise EvaluationError(f"{path}: row {number} is no struct", help="a table with a schema has structs")
        there = dict(item.pairs)
        try:
            yield Struct([(name, put(known_part(there.get(name, MISSING), type_))) for name, type_, put in puts])
        except Misfit as unfit:
            raise EvaluationError(f"{path}: {unfit.error(number).message}", help=_HELP) from None


_HELP = "give the column another type in the schema of the table"


def known_part(value: Value, type_: t.Type) -> Value:
    """The value without the attributes that the type does not have. Types are not nested deep."""
    match type_:
        case t.Struct() if isinstance(value, Struct):
            types = {field.name: field.type for field in type_.fields}
            return Struct([(name, known_part(item, types[name])) for name, item in value.pairs if name in types])
        case t.Map() if isinstance(value, Struct):
            return Struct([(name, known_part(item, type_.value)) for name, item in value.pairs])
        case t.Collection() if isinstance(value, list | Bag):
            return [known_part(item, type_.element) for item in value]
    return value


__all__ = ["FORMATS", "Declared", "declared", "fit_records", "known_part", "row_type"]
