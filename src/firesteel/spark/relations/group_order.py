"""The order of the groups of a streaming aggregate: that of the input, if its rows are a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan.field_paths import field_path
from firesteel.spark.core.expr import reference
from firesteel.spark.core.rows import Order, Rows, apply_stages
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.keys.comparison import key

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class StreamedOrder:
    """How groups are put in the order of the input's rows. If these are known to be ordered by the keys, the groups are
    sorted by their keys. If not, or if equal keys are just side by side, the rows are numbered, and a group has the
    number of its first row."""

    node: p.Aggregate
    rows: Rows
    #: The ordinals of the keys, and in which order each is; None if the groups are sorted by their first rows.
    keys: Sequence[tuple[int, p.SortOrder]] | None
    #: The columns for the number of a row, and of the first row of a group.
    number: str
    first: str

    @classmethod
    def of(cls, node: p.Aggregate, rows: Rows, run: Run) -> StreamedOrder:
        return cls(node, rows, _key_order(node), run.name(), run.name())

    def numbered(self, frame: DataFrame, totals: list[Column]) -> DataFrame:
        """The frame to group, with what this needs; adds to the totals."""
        if self.keys is not None:
            return frame
        totals.append(F.min(self.number).alias(self.first))
        place = F.row_number().over(F.Window.orderBy(*(one.column() for one in self.rows.order)))
        return frame.select("*", place.alias(self.number))

    def first_rows(self, groups: Rows) -> Rows:
        """The groups, in the order of their first rows, if that is how they are sorted."""
        if self.keys is not None:
            return groups
        return replace(groups, order=(Order(reference(t.INT64, self.first)),))

    def apply(self, groups: Rows, outer: Scope) -> Rows:
        """The groups as a list. Their first columns are the keys."""
        groups = replace(groups, ordered=self.rows.ordered, listed=self.rows.listed)
        if self.keys is None:
            return groups
        scope = groups.scope(outer)
        order: list[Order] = []
        for ordinal, direction in self.keys:
            sort_key = scope.bind(key(scope, groups.columns[ordinal], ordering=True))
            order.append(Order(sort_key.with_place(stage=0), direction))
        return replace(apply_stages(groups, scope, self.node.where), order=tuple(order))


def _key_order(node: p.Aggregate) -> list[tuple[int, p.SortOrder]] | None:
    """In which order the input's rows have the keys, as far as the plan tells; None if it does not tell of each."""
    paths = {field_path(rex): i for i, rex in enumerate(node.keys)}
    found: list[tuple[int, p.SortOrder]] = []
    for one in p.relation_properties(node.input).order:
        ordinals = [paths.pop(path) for path in one.field if path in paths]
        if not ordinals or one.order is p.SortOrder.CLUSTERED or one.comparator is not None:
            break
        found.append((ordinals[0], one.order))
    return None if paths else found
