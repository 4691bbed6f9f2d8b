"""What a relation is compiled to: a frame, the expressions that are its columns, and what its rows are ordered by.

Columns of a frame have generated names. A frame may have extra columns (bound values, the order of a list), which the
next select drops. Rows are sorted only when a limit, or the end of the plan, needs them in order.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column

from firesteel.errors import UnsupportedError
from firesteel.plan import SortOrder, SortSpec
from firesteel.spark.core.expr import Columns, Expr, Placement, Split, StructParts
from firesteel.spark.core.scope import Run, Scope, Stages, Where
from firesteel.spark.encoding import columns as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Order:
    """One column that rows are ordered by."""

    expr: Expr
    order: SortOrder = SortOrder.ASC_NULLS_LAST

    def column(self) -> Column:
        column = self.expr.plain if isinstance(self.expr, Split) else self.expr.column
        if self.order.descending:
            return column.desc_nulls_first() if self.order.nulls_first else column.desc_nulls_last()
        return column.asc_nulls_first() if self.order.nulls_first else column.asc_nulls_last()


def refuse_comparator(spec: SortSpec) -> None:
    """Refuse a sort by a function that compares two values: Spark sorts by columns."""
    if spec.comparator is not None:
        raise UnsupportedError(
            f"a sort by the comparison function '{spec.comparator.name}' has no native form on Spark",
            where=spec.where or spec.key.where,
            help="register it with a sort_key, sort by an expression, or use the reference engine",
        )


def order_names(order: Sequence[Order]) -> list[str]:
    return [name for one in order for name in one.expr.place.names]


def _is_name(expr: Expr) -> bool:
    """Is it just one column of the frame?"""
    return isinstance(expr, Columns) and expr.place.own and len(expr.place.names) == 1 and len(expr.columns) == 1


_NOTHING_PENDING: dict[str, Any] = {"pending_filters": (), "pending_columns": {}, "kept_names": ()}


class Layout(enum.Enum):
    """How rows lie in the partitions of their frame. Operators that look at one row at a time keep a layout."""

    #: Nobody knows: Spark may have moved the rows.
    UNKNOWN = "unknown"
    #: As in the DataFrame that is the source: what is promised of its partitions holds, and so does a promised order.
    SOURCE = "source"
    #: As the last exchange has put them. They are in no order within a partition.
    EXCHANGED = "exchanged"
    #: They are in one partition, in no order.
    ONE = "one"


@dataclass(frozen=True, eq=False)
class Rows:
    """A compiled relation."""

    base: DataFrame
    columns: tuple[Expr, ...]
    #: A list's order. A bag has none.
    order: tuple[Order, ...] = ()
    #: True for a list, False for a bag; None if that is known only at run time.
    ordered: bool | None = False
    #: Is the frame already sorted by `order`?
    sorted: bool = False
    #: How many operators are stacked on one another.
    operators: int = 1
    #: If `ordered` is None: frames of one boolean. It is a list if none of them is false; SQL NULL means no rows.
    listed: tuple[Callable[[], DataFrame], ...] = ()
    #: Conditions on the base that no filter applies yet; a join adds them to its own condition. That saves an operator,
    #: which Spark would analyze when it is made, and Catalyst pushes conditions down in any case.
    pending_filters: tuple[Column, ...] = ()
    #: Columns that no select computes yet, by the names that they will have, and the columns of the base that stay
    #: beside them. So the end of a plan can compute and rename them in one select.
    pending_columns: Mapping[str, Column] = field(default_factory=dict)
    kept_names: tuple[str, ...] = ()
    #: How the rows of the frame lie in its partitions.
    layout: Layout = Layout.UNKNOWN
    #: Facts about the variants among its columns that are columns themselves (`Scope.kind` and the like).
    facts: Mapping[tuple[str, str], Expr] = field(default_factory=dict)

    def materialize(self) -> DataFrame:
        """The frame of these rows: the base, with pending filters and columns as a filter or a select over it. Every
        call gives the same frame."""
        return self._materialized

    @cached_property
    def _materialized(self) -> DataFrame:
        if self.pending_columns:
            computed = (column.alias(name) for name, column in self.pending_columns.items())
            return self._without_columns().materialize().select(*map(F.col, self.kept_names), *computed)
        return self.base.filter(reduce(and_, self.pending_filters)) if self.pending_filters else self.base

    def over(self, frame: DataFrame, **changes: Any) -> Rows:
        """The same rows over another frame, with nothing pending. How they lie in its partitions is not known."""
        made = {**_NOTHING_PENDING, "base": frame, "facts": {}, "layout": Layout.UNKNOWN, **changes}
        return replace(self, **made)

    def row_by_row(self, frame: DataFrame, **changes: Any) -> Rows:
        """The same rows over a frame that is made of theirs row by row: all stay in their partitions."""
        return self.over(frame, layout=self.layout, **changes)

    def with_columns_computed(self) -> Rows:
        """The rows over a base that has all of their columns; filters may still be pending."""
        return self.row_by_row(self.materialize()) if self.pending_columns else self

    def _without_columns(self) -> Rows:
        return replace(self, pending_columns={}, kept_names=())

    def picked(self, pairs: Sequence[tuple[str, Expr]]) -> DataFrame:
        """A frame of these columns under these names, its rows in order."""
        asked = set() if self.sorted else set(order_names(self.order))
        if (
            not self.pending_columns
            or asked & self.pending_columns.keys()
            or not all(_is_name(expr) for _, expr in pairs)
        ):
            return self.in_order().select(*(expr.column.alias(name) for name, expr in pairs))
        found = [(name, self.pending_columns.get(expr.place.names[0], expr.column)) for name, expr in pairs]
        return self._without_columns().in_order().select(*(column.alias(name) for name, column in found))

    def scope(self, outer: Scope) -> Scope:
        """The scope of an expression over these rows."""
        return Scope(outer.run, self.columns, outer, Stages({} if self.pending_columns else self.facts))

    def names(self) -> list[str]:
        """The columns of the frame that are needed."""
        needed = (*(name for expr in self.columns for name in expr.place.names), *order_names(self.order))
        return list(dict.fromkeys(needed))

    def in_order(self) -> DataFrame:
        """The frame, its rows sorted if they are a list."""
        if self.sorted or not self.order:
            return self.materialize()
        return self.materialize().orderBy(*(order.column() for order in self.order))

    def stacked(self, run: Run, more: int, where: Where) -> int:
        """The number of operators with `more` on top; an error if that is beyond the limit of the engine."""
        total = self.operators + more
        if total > run.limits.operators:
            raise UnsupportedError(
                f"the plan stacks more than {run.limits.operators} operators; {run.limits.engine} goes no deeper",
                where=where,
                help="materialize a part of it",
            )
        return total


def apply_stages(rows: Rows, scope: Scope, where: Where) -> Rows:
    """The rows, with the stages of the scope as selects over them."""
    assert scope.stages is not None
    levels = len(scope.stages.levels)
    if not levels:
        return rows
    frame = scope.stages.apply(rows.materialize())
    facts = {what: expr.with_place(stage=0) for what, expr in scope.stages.facts.items()}
    return rows.row_by_row(frame, operators=rows.stacked(scope.run, levels, where), facts=facts)


def keep_needed(rows: Rows) -> Rows:
    """The rows over a frame of only the columns that they and their facts need."""
    names = dict.fromkeys((*rows.names(), *(name for expr in rows.facts.values() for name in expr.place.names)))
    return rows.row_by_row(rows.materialize().select(*map(F.col, names)), facts=rows.facts)


def project(rows: Rows, scope: Scope, exprs: Sequence[Expr], where: Where) -> Rows:
    """Rows of these expressions, which were compiled in the scope over the rows."""
    rows = apply_stages(rows, scope, where)
    new: dict[str, Column] = {}
    kept: list[str] = []
    columns = tuple(_name_columns(expr, scope.run, kept, new) for expr in exprs)
    if not new:
        return replace(rows, columns=columns)
    names = tuple(dict.fromkeys((*kept, *order_names(rows.order))))
    operators = rows.stacked(scope.run, 1, where)
    computed = rows.with_columns_computed()
    return replace(computed, pending_columns=new, kept_names=names, columns=columns, operators=operators, facts={})


def _name_columns(expr: Expr, run: Run, kept: list[str], new: dict[str, Column]) -> Expr:
    """The expression over columns of the next frame: adds to `kept` the names it keeps, to `new` what to compute."""
    if expr.place.atomic:
        kept.extend(expr.place.names)
        return expr.with_place(stage=0)
    if isinstance(expr, StructParts):
        fields = tuple(_name_columns(inner, run, kept, new) for inner in expr.fields)
        names = [name for inner in fields for name in inner.place.names]
        present = None
        if expr.present is not None:
            names.append(run.name())
            new[names[-1]] = expr.present
            present = F.col(names[-1])
        return replace(expr, fields=fields, present=present, place=Placement(atomic=True, names=tuple(names)))
    assert isinstance(expr, Columns)
    named = [run.name() for _ in expr.columns]
    new.update(zip(named, expr.columns, strict=True))
    return expr.over_names(named)


def one_row(run: Run) -> Rows:
    """One row without columns."""
    return Rows(run.spark.range(1).select(F.lit(1).alias(run.name())), ())
