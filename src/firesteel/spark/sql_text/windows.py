"""Windows as SQL text, with the interface of PySpark's `Window`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import window

from firesteel.spark.sql_text.columns import TextColumn
from firesteel.spark.sql_text.functions import col
from firesteel.spark.sql_text.recording import is_on


def _text(one: TextColumn | str) -> str:
    return col(one).sql if isinstance(one, str) else one.sql


def _bound(value: int) -> str:
    if value <= window.Window.unboundedPreceding:
        return "UNBOUNDED PRECEDING"
    if value >= window.Window.unboundedFollowing:
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


class Window:
    """PySpark's `Window`, or its form as text while expressions are recorded."""

    unboundedPreceding = window.Window.unboundedPreceding
    unboundedFollowing = window.Window.unboundedFollowing

    @staticmethod
    def partitionBy(*columns: Any) -> window.WindowSpec:
        text: Any = TextWindow()
        return text.partitionBy(*columns) if is_on() else window.Window.partitionBy(*columns)

    @staticmethod
    def orderBy(*columns: Any) -> window.WindowSpec:
        text: Any = TextWindow()
        return text.orderBy(*columns) if is_on() else window.Window.orderBy(*columns)
