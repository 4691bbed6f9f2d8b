"""The page of a plan's statements: operators with what is known of them, texts, lineage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel.errors import redacted
from firesteel.explain.page import Facts, Origin, PlanPage, PlanView, all_operators, spark_layer, unlinked, view_of
from firesteel.lazy import LazyModule
from firesteel.pages.texts import layers_of

if TYPE_CHECKING:
    from firesteel import lineage, substrait
    from firesteel.lineage import Input
else:  # a query needs none of it
    lineage = LazyModule("firesteel.lineage")


@dataclass(frozen=True)
class Statement:
    """A plan of one statement, and what is known of it beside the plan itself."""

    node: p.Plan
    #: The Substrait plan that it was read from.
    message: substrait.Message | None = None
    facts: Facts = field(default_factory=Facts)
    engine: str = ""
    #: Spark's plan, or why there is none.
    spark: str = ""
    no_spark: str = "Spark was not asked for its plan (--engine spark)"
    notes: tuple[str, ...] = ()


def page_of(title: str, statements: Iterable[Statement]) -> PlanPage:
    """The page of a plan's statements."""
    return PlanPage(redacted(title), tuple(map(_view, statements)))


def _view(one: Statement) -> PlanView:
    found = all_operators(one.node.statement)
    facts = replace(one.facts, origins=_origins(one.node))
    title = " ".join(str(one.node.statement.tag).split("_"))
    view = view_of(one.node, title, found, facts, engine=one.engine, notes=one.notes)
    none = unlinked("spark", "Spark's physical plan", "", one.no_spark)
    spark = spark_layer(one.spark, view.operators) if one.spark else none
    return replace(view, layers=(*layers_of(one.node, one.message, found), spark))


def _origins(plan: p.Plan) -> dict[int, list[tuple[Origin, ...]]]:
    """Where the columns of relations come from, and those of the answer."""
    made = {place: [_told(inputs) for inputs in columns] for place, columns in lineage.column_inputs(plan).items()}
    traced = lineage.trace(plan)
    if len(traced) == 1:
        answer = [_told(traced[0].inputs(one.name)) for one in traced[0].columns]
        statement = plan.statement
        made[id(statement)] = answer
        if isinstance(statement, p.Query):
            made[id(statement.rex)] = answer
    return made


def _told(inputs: Sequence[Input]) -> tuple[Origin, ...]:
    return tuple(
        Origin(redacted(str(one.source)), tuple(use.word for use in uses), is_direct)
        for one in inputs
        for is_direct in (True, False)
        if (uses := [use for use in one.uses if use.is_direct is is_direct])
    )


__all__ = ["Statement", "page_of"]
