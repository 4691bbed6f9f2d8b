"""Drop unused globals. A document may declare tables that its statement does not use, and inlining a view adds all
globals of the view's own document."""

from __future__ import annotations

from firesteel.node import transform, walk
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Global, Plan


@plan_pass(Phase.BIND)
def keep_used_globals(plan: Plan, _: Context) -> Plan:
    """Drop the globals that the statement does not refer to, so that no table is looked up in vain."""
    ordinals = sorted({rex.ordinal for rex in walk(plan.statement, Global)})
    kept = tuple(plan.globals[i] for i in ordinals)
    if ordinals == list(range(len(ordinals))):
        return plan.replace(globals=kept)
    new = {old: new for new, old in enumerate(ordinals)}
    statement = transform(plan.statement, lambda rex: rex.replace(ordinal=new[rex.ordinal]), Global)
    return plan.replace(statement=statement, globals=kept)


__all__ = ["keep_used_globals"]
