"""Replace a global that names a view by the view's query, and add the globals that this query uses."""

from __future__ import annotations

from typing import TypeVar

from firesteel.errors import PlanError, UnsupportedError
from firesteel.node import Node, transform, walk
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.base import Context, Phase, View, plan_pass
from firesteel.plan import Global, GlobalBinding, Mode, Plan, Rex

N = TypeVar("N", bound=Node)

#: Views may refer to views. More levels than this are taken for a cycle.
MAX_VIEWS = 100


@plan_pass(Phase.BIND)
def inline_views(plan: Plan, context: Context) -> Plan:
    """Put the query of each view that the statement uses in place of the view's name."""
    for _ in range(MAX_VIEWS):
        used = {rex.ordinal for rex in walk(plan.statement, Global)}
        views = {i: view for i in sorted(used) if (view := context.view(plan.globals[i])) is not None}
        if not views:
            return plan
        for i, view in views.items():
            _ensure_mode(view, plan, plan.globals[i])
        plan = _inline(plan, views)
    raise PlanError(f"views refer to each other more than {MAX_VIEWS} levels deep")


def _ensure_mode(view: View, plan: Plan, binding: GlobalBinding) -> None:
    """Refuse a view that was planned in the other mode, unless its query cannot fail in strict mode: then both modes
    give the same rows."""
    mode = getattr(plan.statement, "mode", view.mode)
    if mode is not view.mode and may_fail(view.query, Mode.STRICT):
        raise UnsupportedError(
            f"the view '{binding.name}' is {view.mode.value}, and is used in a {mode.value} plan",
            where=binding.where,
            help=f"create it from a {mode.value} query",
        )


def _inline(plan: Plan, views: dict[int, View]) -> Plan:
    kept = [i for i in range(len(plan.globals)) if i not in views]
    globals_ = [plan.globals[i] for i in kept]
    ordinals = {old: new for new, old in enumerate(kept)}
    # Equal globals become one: a view that names another one twice would double what is inlined at every level.
    place_of = {binding: place for place, binding in enumerate(globals_)}
    bodies: dict[int, Rex] = {}
    for i, view in views.items():
        for binding in view.globals:
            if binding not in place_of:
                place_of[binding] = len(globals_)
                globals_.append(binding)
        bodies[i] = _renumbered(view.query, {n: place_of[binding] for n, binding in enumerate(view.globals)}, {})
    statement = _renumbered(plan.statement, ordinals, bodies)
    return plan.replace(statement=statement, globals=tuple(globals_))


def _renumbered(node: N, ordinals: dict[int, int], bodies: dict[int, Rex]) -> N:
    def one(rex: Global) -> Node:
        return bodies.get(rex.ordinal) or rex.replace(ordinal=ordinals.get(rex.ordinal, rex.ordinal))

    return transform(node, one, Global)
