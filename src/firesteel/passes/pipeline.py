"""The pipeline is data: passes in order, each named, each one that can be skipped."""

from __future__ import annotations

from collections.abc import Callable, Collection

from firesteel.passes.flatten_scans import flatten_scans
from firesteel.passes.merge_filters import merge_filters
from firesteel.plan import Plan

Pass = Callable[[Plan], Plan]

PIPELINE: tuple[Pass, ...] = (flatten_scans, merge_filters)


def optimize(plan: Plan, skip: Collection[str] = ()) -> Plan:
    """The plan after every pass that is not skipped by its name."""
    for step in PIPELINE:
        if step.__name__ not in skip:
            plan = step(plan)
    return plan
