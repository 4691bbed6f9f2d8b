"""What a relation is compiled to: a frame, the expressions that are its columns, and what its rows are ordered by.

Columns of a frame have generated names; extra ones may be there (what was bound on the way, what a list is ordered by)
and are dropped when a select is made anyway. Nothing is sorted before a limit or the end asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column

from firesteel.errors import UnsupportedError
from firesteel.plan import SortOrder
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


def order_names(order: Sequence[Order]) -> list[str]:
    return [name for one in order for name in one.expr.place.names]


def _is_name(expr: Expr) -> bool:
    """Is it one column of the frame, as it is?"""
    return isinstance(expr, Columns) and expr.place.own and len(expr.place.names) == 1 and len(expr.columns) == 1


_NOTHING_PENDING: dict[str, Any] = {"pending_filters": (), "pending_columns": {}, "kept_names": ()}


@dataclass(frozen=True, eq=False)
class Rows:
    """A compiled relation."""

    base: DataFrame
    columns: tuple[Expr, ...]
    #: A list's order. A bag has none.
    order: tuple[Order, ...] = ()
    #: True for a list, False for a bag; None where only the run can tell.
    ordered: bool | None = False
    #: Is the frame sorted by its order as it is?
    sorted: bool = False
    #: How many operators are stacked on one another.
    operators: int = 1
    #: Where only the run can tell: frames of one boolean, all true (or of nothing: SQL NULL) if it is a list.
    listed: tuple[Callable[[], DataFrame], ...] = ()
    #: Conditions on the rows of the base that no filter asks yet: a join asks them with its own. Spark analyzes every
    #: operator when it is made, and moves conditions to where they belong in any case.
    pending_filters: tuple[Column, ...] = ()
    #: Columns that no select computes yet, by the names that they are to have, and the columns of the base that stay
    #: beside them: the end of a plan gives them other names in the same select.
    pending_columns: Mapping[str, Column] = field(default_factory=dict)
    kept_names: tuple[str, ...] = ()
    #: What is known of the variants among its columns and has a column of its own (`Scope.kind` and the like).
    facts: Mapping[tuple[str, str], Expr] = field(default_factory=dict)

    def materialize(self) -> DataFrame:
        """The frame of these rows: the base, with what is pending as a filter or a select over it. Asked again, it is
        the same frame."""
        return self._materialized

    @cached_property
    def _materialized(self) -> DataFrame:
        if self.pending_columns:
            computed = (column.alias(name) for name, column in self.pending_columns.items())
            return self._without_columns().materialize().select(*map(F.col, self.kept_names), *computed)
        return self.base.filter(reduce(and_, self.pending_filters)) if self.pending_filters else self.base

    def over(self, frame: DataFrame, **changes: Any) -> Rows:
        """The rows as they are in another frame."""
        return replace(self, **{**_NOTHING_PENDING, "base": frame, "facts": {}, **changes})

    def with_columns_computed(self) -> Rows:
        """The rows over a base that has all of their columns; filters may still be pending."""
        return self.over(self.materialize()) if self.pending_columns else self

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
        """What an expression over these rows sees."""
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
        """The number of operators with so many more, if the engine can take them."""
        total = self.operators + more
        if total > run.limits.operators:
            raise UnsupportedError(
                f"the plan stacks more than {run.limits.operators} operators; {run.limits.engine} goes no deeper",
                where=where,
                help="materialize a part of it",
            )
        return total


def staged(rows: Rows, scope: Scope, where: Where) -> Rows:
    """The rows with what was bound over them computed."""
    assert scope.stages is not None
    levels = len(scope.stages.levels)
    if not levels:
        return rows
    frame = scope.stages.apply(rows.materialize())
    facts = {what: expr.with_place(stage=0) for what, expr in scope.stages.facts.items()}
    return rows.over(frame, operators=rows.stacked(scope.run, levels, where), facts=facts)


def trimmed(rows: Rows) -> Rows:
    """The rows over a frame of no more columns than needed, and what is known of them."""
    names = dict.fromkeys((*rows.names(), *(name for expr in rows.facts.values() for name in expr.place.names)))
    return rows.over(rows.materialize().select(*map(F.col, names)), facts=rows.facts)


def projected(rows: Rows, scope: Scope, exprs: Sequence[Expr], where: Where) -> Rows:
    """Rows of these expressions, which were compiled in the scope over the rows."""
    rows = staged(rows, scope, where)
    made: dict[str, Column] = {}
    kept: list[str] = []
    columns = tuple(_materialized(expr, scope.run, kept, made) for expr in exprs)
    if not made:
        return replace(rows, columns=columns)
    names = tuple(dict.fromkeys((*kept, *order_names(rows.order))))
    operators = rows.stacked(scope.run, 1, where)
    computed = rows.with_columns_computed()
    return replace(computed, pending_columns=made, kept_names=names, columns=columns, operators=operators, facts={})


def _materialized(expr: Expr, run: Run, kept: list[str], made: dict[str, Column]) -> Expr:
    """The expression as columns of the next frame: those that are kept, and those that are made."""
    if expr.place.atomic:
        kept.extend(expr.place.names)
        return expr.with_place(stage=0)
    if isinstance(expr, StructParts):
        fields = tuple(_materialized(inner, run, kept, made) for inner in expr.fields)
        names = [name for inner in fields for name in inner.place.names]
        present = None
        if expr.present is not None:
            names.append(run.name())
            made[names[-1]] = expr.present
            present = F.col(names[-1])
        return replace(expr, fields=fields, present=present, place=Placement(atomic=True, names=tuple(names)))
    assert isinstance(expr, Columns)
    named = [run.name() for _ in expr.columns]
    made.update(zip(named, expr.columns, strict=True))
    return expr.over_names(named)


def one_row(run: Run) -> Rows:
    """One row without columns."""
    return Rows(run.spark.range(1).select(F.lit(1).alias(run.name())), ())
