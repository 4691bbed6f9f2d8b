"""Windows as SQL text, with the interface of PySpark's `Window`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Window

from firesteel.spark.sql_text.columns import TextColumn
from firesteel.spark.sql_text.functions import col


def _text(one: TextColumn | str) -> str:
    return col(one).sql if isinstance(one, str) else one.sql


def _bound(value: int) -> str:
    if value <= Window.unboundedPreceding:
        return "UNBOUNDED PRECEDING"
    if value >= Window.unboundedFollowing:
        return "UNBOUNDED FOLLOWING"
    return "CURRENT ROW" if value == 0 else f"{abs(value)} {'PRECEDING' if value < 0 else 'FOLLOWING'}"


@dataclass(frozen=True)
class TextWindow:
    """A window: partition, order, frame."""

    partition: str = ""
    order: str = ""
    frame: str = ""

    @property
    def sql(self) -> str:
        return " ".join(part for part in (self.partition, self.order, self.frame) if part)

    def partitionBy(self, *columns: TextColumn | str) -> TextWindow:
        return replace(self, partition=f"PARTITION BY {', '.join(map(_text, columns))}" if columns else "")

    def orderBy(self, *columns: TextColumn | str) -> TextWindow:
        return replace(self, order=f"ORDER BY {', '.join(map(_text, columns))}")

    def rowsBetween(self, start: int, end: int) -> TextWindow:
        return self._between("ROWS", start, end)

    def rangeBetween(self, start: int, end: int) -> TextWindow:
        return self._between("RANGE", start, end)

    def _between(self, unit: str, start: Any, end: Any) -> TextWindow:
        return replace(self, frame=f"{unit} BETWEEN {_bound(start)} AND {_bound(end)}")
