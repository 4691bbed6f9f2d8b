"""A summary of rows: for each column its types, how many values there are, the least and the greatest, the mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from firesteel import types as t
from firesteel import values
from firesteel.explain.rows.grid import column_key, numbered
from firesteel.values import Struct, Value

#: More different values than these are not counted.
DISTINCT = 10_000

#: The type of a line of a summary.
LINE = t.Struct(
    tuple(
        t.Field(name, type_)
        for name, type_ in {
            "column": t.STRING,
            "types": t.STRING,
            "count": t.INT64,
            "nulls": t.INT64,
            "missing": t.INT64,
            "distinct": t.absent(t.INT64, nullable=True),
            "min": t.ANY,
            "max": t.ANY,
            "mean": t.absent(t.FLOAT64, nullable=True),
        }.items()
    ),
    open=False,
)


@dataclass
class _Seen:
    """What is known of a column so far."""

    count: int = 0
    nulls: int = 0
    types: dict[str, None] = field(default_factory=dict)
    distinct: set[values.Key] = field(default_factory=set)
    least: tuple[values.Key, Value] | None = None
    greatest: tuple[values.Key, Value] | None = None
    total: float = 0.0
    numbers: int = 0

    def add(self, item: Value) -> None:
        if item is None:
            self.nulls += 1
            return
        self.count += 1
        self.types[_kind(item)] = None
        if isinstance(item, int | float | Decimal) and not isinstance(item, bool):
            self.numbers += 1
            self.total += float(item)
        key = values.key(item)
        if len(self.distinct) <= DISTINCT:
            self.distinct.add(key)
        if values.items(item) is not None:
            return
        if self.least is None or key < self.least[0]:
            self.least = (key, item)
        if self.greatest is None or key > self.greatest[0]:
            self.greatest = (key, item)

    def line(self, name: str, rows: int) -> Struct:
        return Struct(
            {
                "column": name,
                "types": ", ".join(self.types),
                "count": self.count,
                "nulls": self.nulls,
                "missing": rows - self.count - self.nulls,
                "distinct": len(self.distinct) if len(self.distinct) <= DISTINCT else None,
                "min": None if self.least is None else self.least[1],
                "max": None if self.greatest is None else self.greatest[1],
                "mean": self.total / self.numbers if self.numbers else None,
            }
        )


def _kind(item: Value) -> str:
    """The name of a value's type, without what is inside."""
    type_ = t.type_of(item) if values.items(item) is None else None
    if type_ is None:
        return "struct" if isinstance(item, values.Struct) else "bag" if isinstance(item, values.Bag) else "array"
    return str(type_.tag)


def summary(rows: Iterable[Value], type_: t.Type = t.ANY) -> list[Value]:
    """A line for each column, in one pass over the rows."""
    seen = {column_key(f.name or "", ()): _Seen() for f in type_.fields} if isinstance(type_, t.Struct) else {}
    count = 0
    for row in rows:
        count += 1
        for key, item in numbered(row).items():
            if item is not values.MISSING:
                seen.setdefault(key, _Seen()).add(item)
    return [found.line(name, count) for (name, _), found in seen.items()]
