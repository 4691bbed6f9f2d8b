"""Relations as SQL text, with the interface of PySpark's `DataFrame`.

A frame is one SELECT. An operator that fits into the clauses that are still free is put there; any other stands around
the SELECT in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from firesteel.spark.sql_text.columns import AND, TextColumn
from firesteel.spark.sql_text.literals import GENERATED, NoTextError, identifier

_JOINS = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "left_semi": "LEFT SEMI JOIN",
    "left_anti": "LEFT ANTI JOIN",
}


@dataclass(frozen=True, eq=False)
class TextFrame:
    """A SELECT, or what may stand in its FROM."""

    source: str
    #: Is the source several relations, which need brackets as the right side of a join?
    joined: bool = False
    filters: tuple[str, ...] = ()
    columns_: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    order: tuple[str, ...] = ()
    limit_: int | None = None
    offset_: int | None = None
    #: The whole text, where it is no SELECT.
    union_: str | None = None

    @property
    def sql(self) -> str:
        """The text."""
        if self.union_ is not None:
            return self.union_
        parts = [f"SELECT {_list(self.columns_)}", f"FROM {self.source}"]
        if self.filters:
            parts.append(f"WHERE {' AND '.join(self.filters)}")
        if self.groups:
            parts.append(f"GROUP BY {', '.join(self.groups)}")
        if self.order:
            parts.append(f"ORDER BY {', '.join(self.order)}")
        if self.limit_ is not None:
            parts.append(f"LIMIT {self.limit_}")
        if self.offset_ is not None:
            parts.append(f"OFFSET {self.offset_}")
        return "\n".join(parts)

    def as_subquery(self) -> str:
        """The text in brackets."""
        return f"(\n{self.sql}\n)"

    @property
    def is_bare(self) -> bool:
        """Is it only its source?"""
        return self.union_ is None and not self._is_selected and not self.filters

    @property
    def _is_selected(self) -> bool:
        return (
            self.columns_ is not None
            or self.groups is not None
            or bool(self.order)
            or self.limit_ is not None
            or self.offset_ is not None
            or self.union_ is not None
        )

    def _around(self) -> TextFrame:
        """A SELECT over this one."""
        return self if self.is_bare else TextFrame(self.as_subquery())

    # Operators of DataFrames ------------------------------------------------------------------------------------------

    def filter(self, condition: TextColumn) -> TextFrame:
        base = self._around() if self._is_selected else self
        return replace(base, filters=(*base.filters, condition.at(AND)))

    def select(self, *columns: TextColumn | str) -> TextFrame:
        made = tuple(one.selected if isinstance(one, TextColumn) else _named(one) for one in columns)
        names = {name for one in columns if isinstance(one, TextColumn) for name in one.names}
        free = self.columns_ is None and self.groups is None and self.limit_ is None and self.offset_ is None
        hidden = self.order and any(GENERATED.fullmatch(name.lower()) for name in names)
        base = self if free and self.union_ is None and not hidden else self._around()
        return replace(base, columns_=made)

    def withColumn(self, name: str, column: TextColumn) -> TextFrame:
        return self.select("*", column.alias(name))

    def groupBy(self, *keys: TextColumn) -> Grouped:
        return Grouped(self._around() if self._is_selected else self, keys)

    def orderBy(self, *columns: TextColumn) -> TextFrame:
        taken = self.groups is not None or self.order or self.limit_ is not None or self.offset_ is not None
        base = self._around() if taken or self.union_ is not None else self
        return replace(base, order=tuple(one.sql for one in columns))

    def limit(self, count: int) -> TextFrame:
        base = self if self.limit_ is None and self.offset_ is None and self.union_ is None else self._around()
        return replace(base, limit_=count)

    def offset(self, count: int) -> TextFrame:
        base = self if self.limit_ is None and self.offset_ is None and self.union_ is None else self._around()
        return replace(base, offset_=count)

    def union(self, other: TextFrame) -> TextFrame:
        return TextFrame("", union_=f"{self._side}\nUNION ALL\n{other._side}")

    def crossJoin(self, other: TextFrame) -> TextFrame:
        return TextFrame(f"{self._left}\nCROSS JOIN {other._right}", joined=True)

    def join(self, other: TextFrame, on: TextColumn, how: str = "inner") -> TextFrame:
        return TextFrame(f"{self._left}\n{_JOINS[how]} {other._right} ON {on.sql}", joined=True)

    @property
    def _side(self) -> str:
        """The text as one side of a union, where ORDER BY and LIMIT would be those of the union."""
        ends = bool(self.order) or self.limit_ is not None or self.offset_ is not None
        return self._around().sql if ends else self.sql

    @property
    def _left(self) -> str:
        return self._around().source

    @property
    def _right(self) -> str:
        base = self._around()
        return f"(\n{base.source}\n)" if base.joined else base.source

    def scalar(self) -> TextColumn:
        return TextColumn(self.as_subquery())

    def __getattr__(self, name: str) -> Any:
        raise NoTextError(f"'{name}' of a frame has no form as text")


@dataclass(frozen=True, eq=False)
class Grouped:
    """A frame and the keys that it is grouped by."""

    frame: TextFrame
    keys: Sequence[TextColumn]

    def agg(self, *totals: TextColumn) -> TextFrame:
        columns = tuple(one.selected for one in (*self.keys, *totals))
        return replace(self.frame, columns_=columns, groups=tuple(_group(one) for one in self.keys))


def _group(key: TextColumn) -> str:
    """A key in GROUP BY, where a number would be the place of a column."""
    return f"({key.sql} + 0)" if key.sql.lstrip("-").isdigit() else key.sql


def _named(name: str) -> str:
    return name if name == "*" else identifier(name)


def _list(columns: tuple[str, ...] | None) -> str:
    return "*" if columns is None else ", ".join(columns)


__all__ = ["TextFrame"]
