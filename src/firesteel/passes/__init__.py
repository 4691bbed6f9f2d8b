"""Rewrites of plans, one file each, and the pipeline that runs them.

A pass is a function of (plan, context); the decorator in `base.py` gives it a name and a phase. It returns the same
plan object when it changes nothing. `pipeline.py` lists all passes in order.

    bind/          replaces names by tables, views by their queries, parameters by values
    infer_types    derives all types from the types of the tables
    optimizer/     makes the plan cheaper without changing the answer
    physical/      makes sure that inputs have the order that relations rely on, and drops sorts and exchanges in vain
    decorrelate/   turns subqueries into joins, for engines that ask for it
    analysis/      answers questions about a plan: may it fail, which columns does it read
"""

from firesteel.passes.analysis.paths import PathTree, touched_paths
from firesteel.passes.base import Context, Pass, Phase, Unordered, View, plan_pass
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
    "Unordered",
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
