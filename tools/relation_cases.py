"""Read the relation cases of `substrait-relations`: a file has a Substrait plan, its tables, and what it gives.

{"kind": "KIND_POSITIVE", "plan": {...},
 "tables": {"t": {"schema": "k:i64?, v:string", "rows": [["1::i64?", "'a'::string"]]}},
 "expect": {"schema": "k:i64?", "rows": {"order": "ORDER_SEQUENCE", "values": [["1::i64?"]]}}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel import tables
from firesteel import types as t
from firesteel.values import Bag, Struct
from tools.substrait_cases import Literal, Reader

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Rows:
    """Columns and rows. There are no rows where a case only speaks of columns."""

    schema: t.Schema
    rows: tuple[Row, ...] | None
    #: Do the rows come in this order?
    ordered: bool = False

    def to_arrow(self) -> pa.Table:
        """As an Arrow table whose columns have exactly the declared types."""
        names = [field.name or "" for field in self.schema]
        found = Bag([Struct(zip(names, row, strict=True)) for row in self.rows or ()])
        made = tables.to_arrow(found, t.Bag(t.Struct(self.schema, open=False)))
        columns = zip(made.schema, self.schema, strict=True)
        return made.cast(pa.schema([_as_declared(column, field.type) for column, field in columns]))


def _as_declared(column: Any, type_: t.Type) -> Any:
    """The Arrow field, and fields inside of it, that may be null only where the type says so."""
    if isinstance(type_, t.Struct):
        inner = [_as_declared(column.type.field(i), field.type) for i, field in enumerate(type_.fields)]
        column = column.with_type(pa.struct(inner))
    return column.with_nullable(type_.nullable)


@dataclass(frozen=True)
class Case:
    """A case: its name is that of its file, `set/union_all`."""

    name: str
    #: `positive`, `invalid_plan` or `unresolved`.
    kind: str
    plan: dict[str, Any]
    tables: dict[str, Rows]
    expected: Rows | None

    @property
    def area(self) -> str:
        return self.name.partition("/")[0]


def load(folder: Path) -> Iterator[Case]:
    """All cases of a folder, by name."""
    for path in sorted(folder.glob("*/*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        expected = found["expect"]
        yield Case(
            f"{path.parent.name}/{path.stem}",
            found["kind"].removeprefix("KIND_").lower(),
            found["plan"],
            {name: _rows(one["schema"], one.get("rows", ())) for name, one in found["tables"].items()},
            _expected(expected) if expected else None,
        )


def _expected(written: dict[str, Any]) -> Rows:
    rows = written.get("rows")
    ordered = rows is not None and rows["order"] == "ORDER_SEQUENCE"
    return _rows(written["schema"], rows["values"] if rows is not None else None, ordered)


def _rows(schema: str, rows: Sequence[Sequence[str]] | None, ordered: bool = False) -> Rows:
    columns = SchemaReader(schema).schema()
    found = None if rows is None else tuple(tuple(map(_value, row, columns)) for row in rows)
    return Rows(columns, found, ordered)


def _value(written: str, column: t.Field) -> Any:
    """The value of `2::i64`. It may say less of NULLs than its column does, but not of another type."""
    found = SchemaReader(written).argument()
    if not isinstance(found, Literal) or t.absent(found.type, nullable=True) != t.absent(column.type, nullable=True):
        raise ValueError(f"{written!r} is no value of the column '{column.name}', a {column.type}")
    return found.value


class SchemaReader(Reader):
    """Reads the columns of a schema, in which fields of structs have names, too."""

    def schema(self) -> t.Schema:
        return tuple(self.separated(self.field, ""))

    def field(self) -> t.Field:
        name = self.word()
        self.take(":")
        return t.Field(name, self.type())

    def _parameters(self, name: str) -> t.Type:
        if name != "struct":
            return super()._parameters(name)
        self.take("<")
        return t.Struct(tuple(self.separated(self.field, ">")), open=False)
