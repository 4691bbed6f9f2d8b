"""What a run of a query measured, beside its plan: for people, as JSON and for notebooks.

reference · 31,011 rows · 1,204.3 ms
operator                                          rows         ms
query → bag(struct(id any))
└─ select {'id': o.id}                          31,011       80.2
   └─ scan orders                               31,011    1,120.9
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from firesteel.evaluate.meter import EngineOperator, Figures, Measured
from firesteel.explain.report import InPython
from firesteel.explain.text import explain, line
from firesteel.node import Node, children
from firesteel.plan import Plan, Rel
from firesteel.plan.scope import RowScope, visits

#: The path of a node in a plan: the places among its parents' children, from the statement down.
OperatorId = tuple[int, ...]


@dataclass(frozen=True)
class Profile:
    """The figures of one run. `operators` has them by the paths of the plan's nodes; an engine that does not tell
    something of an operator leaves it None. `engine_plan` is what the engine itself ran."""

    engine: str
    milliseconds: float
    rows: int | None
    plan: Plan
    operators: Mapping[OperatorId, Figures]
    in_python: tuple[InPython, ...] = ()
    engine_plan: tuple[EngineOperator, ...] = ()

    def __str__(self) -> str:
        beside = {id(node): _columns(self.operators[path]) for path, node in paths(self.plan) if path in self.operators}
        tree = explain(self.plan, beside={**beside, id(self.plan.statement): f"{'rows':>14}{'ms':>12}"})
        return "\n".join([self._head(), tree, *self._python(), *self._below()])

    def _head(self) -> str:
        counted = "" if self.rows is None else f" · {self.rows:,} row{'' if self.rows == 1 else 's'}"
        return f"{self.engine}{counted} · {self.milliseconds:,.1f} ms"

    def _python(self) -> list[str]:
        found = [f"  {one}" for one in self.in_python]
        return ["", f"in Python: {len(found)}", *found] if found else []

    def _below(self) -> Iterator[str]:
        if not self.engine_plan:
            return
        yield from ("", f"what {self.engine} ran")
        wide = max(len(one.words) for one in self.engine_plan)
        for one in self.engine_plan:
            yield f"  {one.words:<{wide}}  {one.name}"
            yield from (f"  {'':<{wide}}    {name}: {value}" for name, value in one.details.items())

    def to_json(self) -> dict[str, Any]:
        """The profile as plain data."""
        scopes = {id(visit.node): visit.scope for visit in visits(self.plan.statement)}
        return {
            "engine": self.engine,
            "milliseconds": round(self.milliseconds, 3),
            "rows": self.rows,
            "operators": [
                {"id": list(path), "operator": node.tag, "text": self._said(node, scopes.get(id(node)))}
                | _plain(figures)
                for path, node in paths(self.plan)
                if (figures := self.operators.get(path)) is not None
            ],
            "in_python": [
                {"expression": one.expression, "where": _text(one.where), "reason": one.reason}
                for one in self.in_python
            ],
            "engine_plan": [
                {"name": one.name, "words": one.words, "details": dict(one.details)} for one in self.engine_plan
            ],
        }

    def _said(self, node: Node, scope: RowScope | None) -> str:
        return line(node, scope, self.plan.globals) if isinstance(node, Rel) else node.tag

    def __repr__(self) -> str:
        return f"<Profile of {self._head()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def profile(measured: Measured, engine: str, in_python: Sequence[InPython] = ()) -> Profile:
    """The profile of a run."""
    found = {
        path: measured.operators[id(node)] for path, node in paths(measured.plan) if id(node) in measured.operators
    }
    return Profile(engine, measured.milliseconds, measured.rows, measured.plan, found, tuple(in_python), measured.below)


def paths(plan: Plan) -> Iterator[tuple[OperatorId, Node]]:
    """The nodes of a plan with their paths, parents first; a node that is shared has the path that is met first."""
    seen: set[int] = set()
    stack: list[tuple[OperatorId, Node]] = [((), plan.statement)]
    while stack:
        path, node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield path, node
        stack.extend([((*path, i), kid) for i, kid in reversed(list(enumerate(children(node))))])


def _columns(figures: Figures) -> str:
    rows = "" if figures.rows is None else f"{figures.rows:,}"
    time = "" if figures.milliseconds is None else f"{figures.milliseconds:,.1f}"
    runs = f"   in {figures.runs:,} runs" if figures.runs is not None and figures.runs > 1 else ""
    return f"{rows:>14}{time:>12}{runs}"


def _plain(figures: Figures) -> dict[str, Any]:
    time = None if figures.milliseconds is None else round(figures.milliseconds, 3)
    return {"rows": figures.rows, "milliseconds": time, "runs": figures.runs}


def _text(where: object) -> str | None:
    return None if where is None else str(where)


def profile_json(found: Profile) -> str:
    """The profile as a text of JSON."""
    return json.dumps(found.to_json(), indent=2, ensure_ascii=False)


__all__ = ["OperatorId", "Profile", "paths", "profile", "profile_json"]
