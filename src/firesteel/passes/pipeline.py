"""The pipeline: every rewrite of a plan, in order, by phase. `run_passes` is the only function that runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from firesteel.errors import PlanError, UnsupportedError
from firesteel.passes.base import NOTHING, Context, Pass, Phase
from firesteel.passes.bind.bind_parameters import bind_parameters
from firesteel.passes.bind.bind_tables import bind_tables
from firesteel.passes.bind.inline_views import inline_views
from firesteel.passes.bind.keep_used_globals import keep_used_globals
from firesteel.passes.decorrelate import decorrelate
from firesteel.passes.infer_types import infer_types
from firesteel.passes.optimizer.balance_chains import balance_chains
from firesteel.passes.optimizer.flatten_scans import flatten_scans
from firesteel.passes.optimizer.fold_constants import fold_constants
from firesteel.passes.optimizer.merge_filters import merge_filters
from firesteel.passes.optimizer.merge_projections import merge_projections
from firesteel.passes.optimizer.prune_columns import prune_columns
from firesteel.passes.optimizer.push_filters import push_filters
from firesteel.plan import Plan
from firesteel.plan.check import check

PIPELINE: Mapping[Phase, tuple[Pass, ...]] = {
    Phase.BIND: (bind_parameters, inline_views, keep_used_globals, bind_tables),
    Phase.TYPE: (infer_types,),
    Phase.OPTIMIZE: (
        flatten_scans,
        fold_constants,
        merge_filters,
        push_filters,
        merge_projections,
        prune_columns,
        balance_chains,
    ),
    Phase.LOWER: (decorrelate,),
}


class Step(NamedTuple):
    """One pass over one plan, as an observer is told of it."""

    phase: Phase
    name: str
    before: Plan
    after: Plan
    seconds: float

    @property
    def changed(self) -> bool:
        return self.after is not self.before


Observer = Callable[[Step], None]


def run_passes(
    plan: Plan,
    context: Context,
    phases: Iterable[Phase] = Phase,
    *,
    whole_plan: bool = False,
    skip: Collection[str] = (),
    verify: bool = False,
    observe: Observer | None = None,
) -> Plan:
    """The plan after the passes of these phases, in order.

    Left out are optimizing passes that `skip` names, and lowering passes that the engine does not ask for. `whole_plan`
    runs the passes that see all statements of a plan, and without it those that see one statement run. With `verify`
    the plan is checked after each pass, and the error names the pass. `observe` is told of each pass that ran.
    """
    for phase in phases:
        for one in PIPELINE[phase]:
            if one.whole_plan is not whole_plan or not _is_wanted(one, context, skip):
                continue
            started = time.perf_counter()
            before, plan = plan, one(plan, context)
            if observe is not None:
                observe(Step(phase, one.name, before, plan, time.perf_counter() - started))
            if verify and plan is not before:
                _verify(plan, one)
    return plan


def optimize(plan: Plan, skip: Collection[str] = (), *, verify: bool = False) -> Plan:
    """A bound and typed plan after the optimizing passes."""
    return run_passes(plan, NOTHING, (Phase.OPTIMIZE,), skip=skip, verify=verify)


def all_passes() -> list[Pass]:
    """The passes of all phases, in order."""
    return [one for phase in Phase for one in PIPELINE[phase]]


def ensure_skippable(names: Iterable[str]) -> frozenset[str]:
    """The names, if each is that of a pass that may be left out."""
    known = {one.name: one for one in all_passes()}
    skippable = [name for name, one in known.items() if one.skippable]
    found = frozenset([names] if isinstance(names, str) else names)
    for name in sorted(found):
        help_ = f"those that can be skipped are {', '.join(skippable)}"
        if name not in known:
            raise UnsupportedError(f"no pass '{name}'", help=help_)
        if name not in skippable:
            raise UnsupportedError(f"the pass '{name}' cannot be skipped: no plan runs without it", help=help_)
    return found


def _is_wanted(one: Pass, context: Context, skip: Collection[str]) -> bool:
    if one.phase is Phase.LOWER:
        return one.name in context.lowerings
    return not (one.skippable and one.name in skip)


def _verify(plan: Plan, one: Pass) -> None:
    for error in check(plan)[:1]:
        raise PlanError(f"the pass '{one.name}' has made a wrong plan: {error.message}", where=error.where)
