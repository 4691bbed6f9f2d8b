"""The pipeline is data: passes in order, each named, each one that can be skipped."""

from __future__ import annotations

from collections.abc import Callable, Collection

from firesteel.errors import PlanError
from firesteel.passes.balance_chains import balance_chains
from firesteel.passes.flatten_scans import flatten_scans
from firesteel.passes.fold_constants import fold_constants
from firesteel.passes.merge_filters import merge_filters
from firesteel.passes.merge_projections import merge_projections
from firesteel.passes.prune_columns import prune_columns
from firesteel.passes.push_filters import push_filters
from firesteel.plan import Plan
from firesteel.plan.check import check

Pass = Callable[[Plan], Plan]

PIPELINE: tuple[Pass, ...] = (
    flatten_scans,
    fold_constants,
    merge_filters,
    push_filters,
    merge_projections,
    prune_columns,
    balance_chains,
)


def optimize(plan: Plan, skip: Collection[str] = (), *, verify: bool = False) -> Plan:
    """The plan after every pass that is not skipped by its name.

    With `verify` the plan is checked after each, and what is wrong then is said to be that pass's doing.
    """
    for step in PIPELINE:
        if step.__name__ not in skip:
            before, plan = plan, step(plan)
            if verify and plan is not before:
                _verify(plan, step)
    return plan


def _verify(plan: Plan, step: Pass) -> None:
    for error in check(plan)[:1]:
        raise PlanError(f"the pass '{step.__name__}' has made a wrong plan: {error.message}", where=error.where)
