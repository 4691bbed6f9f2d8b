"""The pipeline: every rewrite of a plan, in order, by phase. `run_passes` is the only function that runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from firesteel.errors import PlanError, UnsupportedError
from firesteel.passes.base import NOTHING, Context, Pass, Phase
from firesteel.passes.bind.bind_parameters import bind_parameters
from firesteel.passes.bind.bind_promises import bind_promises
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
from firesteel.passes.physical.broadcast_joins import broadcast_joins
from firesteel.passes.physical.drop_exchanges import drop_exchanges
from firesteel.passes.physical.drop_sorts import drop_sorts
from firesteel.passes.physical.ensure_orders import ensure_orders
from firesteel.passes.physical.plain_subqueries import plain_subqueries
from firesteel.passes.physical.push_limits import push_limits
from firesteel.passes.physical.rank_comparators import rank_comparators
from firesteel.passes.physical.top_n import top_n
from firesteel.plan import Plan
from firesteel.plan.check import check

PIPELINE: Mapping[Phase, tuple[Pass, ...]] = {
    Phase.BIND: (bind_parameters, inline_views, keep_used_globals, bind_tables, bind_promises),
    Phase.TYPE: (broadcast_joins, infer_types, ensure_orders),
    Phase.OPTIMIZE: (
        flatten_scans,
        fold_constants,
        merge_filters,
        push_filters,
        merge_projections,
        drop_sorts,
        drop_exchanges,
        prune_columns,
        balance_chains,
        top_n,
        push_limits,
    ),
    Phase.LOWER: (rank_comparators, plain_subqueries, decorrelate),
}


class Step(NamedTuple):
    """One pass over one plan, as an observer gets it."""

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
    """Run the passes of these phases, in order.

    Optimizing passes that `skip` names, and lowering passes that the engine does not ask for, are left out.
    `whole_plan=True` runs the passes that see all statements of a plan, False those that see one statement. With
    `verify` the plan is checked after each pass, and the error names the pass. `observe` is called after each pass.
    """
    for phase in phases:
        for pass_ in PIPELINE[phase]:
            if pass_.whole_plan is not whole_plan or not _is_wanted(pass_, context, skip):
                continue
            started = time.perf_counter()
            before, plan = plan, pass_(plan, context)
            if observe is not None:
                observe(Step(phase, pass_.name, before, plan, time.perf_counter() - started))
            if verify and plan is not before:
                _verify(plan, pass_)
    return plan


def optimize(plan: Plan, skip: Collection[str] = (), *, verify: bool = False) -> Plan:
    """Run the optimizing passes over a bound and typed plan."""
    return run_passes(plan, NOTHING, (Phase.OPTIMIZE,), skip=skip, verify=verify)


def all_passes() -> list[Pass]:
    """The passes of all phases, in order."""
    return [pass_ for phase in Phase for pass_ in PIPELINE[phase]]


def ensure_skippable(names: Iterable[str]) -> frozenset[str]:
    """The names as a set; UnsupportedError if one of them is not a pass that can be skipped."""
    known = {pass_.name: pass_ for pass_ in all_passes()}
    skippable = [name for name, pass_ in known.items() if pass_.skippable]
    wanted = frozenset([names] if isinstance(names, str) else names)
    for name in sorted(wanted):
        help_ = f"those that can be skipped are {', '.join(skippable)}"
        if name not in known:
            raise UnsupportedError(f"no pass '{name}'", help=help_)
        if name not in skippable:
            raise UnsupportedError(f"the pass '{name}' cannot be skipped: no plan runs without it", help=help_)
    return wanted


def _is_wanted(pass_: Pass, context: Context, skip: Collection[str]) -> bool:
    if pass_.phase is Phase.LOWER:
        return pass_.name in context.lowerings
    return not (pass_.skippable and pass_.name in skip)


def _verify(plan: Plan, pass_: Pass) -> None:
    """Check what a pass has made. Inputs are ordered as they have to be once `ensure_orders` has run."""
    for error in check(plan, orders=pass_.phase in (Phase.OPTIMIZE, Phase.LOWER))[:1]:
        raise PlanError(f"the pass '{pass_.name}' has made a wrong plan: {error.message}", where=error.where)
