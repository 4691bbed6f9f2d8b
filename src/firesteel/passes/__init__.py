"""Rewrites of plans, one file each, and the pipeline that runs them.

A pass is a function of (plan, context) that `base.py` makes a named object of; it gives the same plan back when it
changes nothing. `pipeline.py` has all of them in order.

    bind/          names become tables, views their queries, parameters values
    infer_types    types from the tables
    optimizer/     the same answer for less work
    decorrelate/   subqueries become joins, for engines that ask for it
    analysis/      what passes ask of a plan: may it fail, what does it read and touch
"""

from firesteel.passes.analysis.paths import PathTree, touched_paths
from firesteel.passes.base import Context, Pass, Phase, View, plan_pass
from firesteel.passes.bind.inline_views import inline_views
from firesteel.passes.infer_types import retyped
from firesteel.passes.pipeline import PIPELINE, Observer, Step, all_passes, ensure_skippable, optimize, run_passes

__all__ = [
    "PIPELINE",
    "Context",
    "Observer",
    "Pass",
    "PathTree",
    "Phase",
    "Step",
    "View",
    "all_passes",
    "ensure_skippable",
    "inline_views",
    "optimize",
    "plan_pass",
    "retyped",
    "run_passes",
    "touched_paths",
]
