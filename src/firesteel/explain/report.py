"""A summary of how an engine runs a plan: how much is native, and what runs in Python, where and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.explain.rex import brief
from firesteel.node import Node, walk
from firesteel.plan import Plan, Rel, Rex
from firesteel.plan.scope import RowScope, visits
from firesteel.source import Place, Span


@dataclass(frozen=True)
class InPython:
    """An expression that the engine has no form for."""

    expression: str
    where: Span | Place | None
    reason: str

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where is not None else ""
        return f"{self.expression}{place}: {self.reason}"


@dataclass(frozen=True)
class PlanReport:
    """What an engine makes of a plan. `str` of it is for people."""

    engine: str
    relations: int
    expressions: int
    fallbacks: tuple[InPython, ...] = ()

    @property
    def native(self) -> bool:
        """Does all of it run natively?"""
        return not self.fallbacks

    def __str__(self) -> str:
        size = f"{self.engine}: {self.relations} relations, {self.expressions} expressions"
        if self.native:
            return f"{size}, all native"
        return "\n".join([f"{size}, {len(self.fallbacks)} in Python", *(f"  {one}" for one in self.fallbacks)])


def report(plan: Plan, engine: str, marks: Sequence[tuple[Node, str]] = ()) -> PlanReport:
    """The report on a plan. `marks` are its expressions that run in Python, with the reasons."""
    nodes = list(walk(plan.statement))
    wanted = {id(node) for node, _ in marks}
    scopes: dict[int, RowScope | None] = {}
    if wanted:
        scopes = {id(visit.node): visit.scope for visit in visits(plan.statement) if id(visit.node) in wanted}
    return PlanReport(
        engine,
        sum(isinstance(node, Rel) for node in nodes),
        sum(isinstance(node, Rex) for node in nodes),
        tuple(InPython(brief(node, scopes.get(id(node)), plan.globals), node.where, reason) for node, reason in marks),
    )
