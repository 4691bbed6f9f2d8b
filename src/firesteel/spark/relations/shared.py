"""Relations that a plan refers to several times: computed once, and persisted while somebody holds an answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel.spark.core.expr import Columns, Expr, StructParts
from firesteel.spark.core.handlers import Compiling, handles, rows_of
from firesteel.spark.core.rows import Order, Rows, keep_needed, project
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.failures import Failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(eq=False)
class SharedRelations:
    """What the statements of one plan share: the persisted relations by name, and the messages of the errors that
    computing them may raise."""

    rows: dict[str, Rows] = field(default_factory=dict)
    frames: list[DataFrame] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)

    def release(self) -> None:
        """Unpersist the frames. If the session has ended, they are gone already."""
        while self.frames:
            with suppress(Exception):
                self.frames.pop().unpersist()

    def __del__(self) -> None:
        self.release()


@handles(p.Shared)
def _shared(node: p.Shared, outer: Scope) -> Compiling[Rows]:
    kept = outer.run.kept
    if node.name not in kept.rows:
        top = Scope(outer.run)
        rows = yield from rows_of(node.input, top)
        rows = project(rows, rows.scope(top), rows.columns, node.where)
        rows = keep_needed(replace(rows, facts={}))
        frame = rows.materialize().persist()
        kept.frames.append(frame)
        kept.rows[node.name] = rows.over(frame, operators=1)
    return _copy(kept.rows[node.name], outer.run)


def _copy(rows: Rows, run: Run) -> Rows:
    """The rows under new column names, so that they can be joined with themselves."""
    names = {name: run.name() for name in rows.names()}
    frame = rows.materialize().select(*(F.col(old).alias(new) for old, new in names.items()))
    columns = tuple(_rename(expr, names) for expr in rows.columns)
    order = tuple(Order(_rename(one.expr, names), one.order) for one in rows.order)
    return rows.over(frame, columns=columns, order=order, sorted=False)


def _rename(expr: Expr, names: dict[str, str]) -> Expr:
    new = tuple(names[name] for name in expr.place.names)
    if isinstance(expr, StructParts):
        fields = tuple(_rename(inner, names) for inner in expr.fields)
        present = None if expr.present is None else F.col(new[-1])
        return replace(expr, fields=fields, present=present).with_place(names=new)
    assert isinstance(expr, Columns)
    return expr.over_names(new)
