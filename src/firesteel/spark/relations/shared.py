"""Relations that several places of a plan refer to: computed once, and kept for as long as somebody holds an answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel.spark.core.expr import Columns, Expr, StructParts
from firesteel.spark.core.handlers import Compiling, handles, rows_of
from firesteel.spark.core.rows import Order, Rows, projected, trimmed
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.failures import Failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(eq=False)
class Kept:
    """What the statements of one plan share: the frames that were kept, by the names of their relations, and the
    messages of the errors that computing them may raise."""

    rows: dict[str, Rows] = field(default_factory=dict)
    frames: list[DataFrame] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)

    def release(self) -> None:
        """Give back what was kept. A session that has ended has done so already."""
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
        rows = projected(rows, rows.scope(top), rows.columns, node.where)
        rows = trimmed(replace(rows, facts={}))
        frame = rows.materialize().persist()
        kept.frames.append(frame)
        kept.rows[node.name] = rows.over(frame, operators=1)
    return _copied(kept.rows[node.name], outer.run)


def _copied(rows: Rows, run: Run) -> Rows:
    """The rows with names of their own: they may stand beside themselves."""
    names = {name: run.name() for name in rows.names()}
    frame = rows.materialize().select(*(F.col(old).alias(new) for old, new in names.items()))
    columns = tuple(_renamed(expr, names) for expr in rows.columns)
    order = tuple(Order(_renamed(one.expr, names), one.order) for one in rows.order)
    return rows.over(frame, columns=columns, order=order, sorted=False)


def _renamed(expr: Expr, names: dict[str, str]) -> Expr:
    new = tuple(names[name] for name in expr.place.names)
    if isinstance(expr, StructParts):
        fields = tuple(_renamed(inner, names) for inner in expr.fields)
        present = None if expr.present is None else F.col(new[-1])
        return replace(expr, fields=fields, present=present).with_place(names=new)
    assert isinstance(expr, Columns)
    return expr.over_names(new)
