"""Rewrites of plans, one file each, and the pipeline that runs them.

A pass is a function of (plan, context) that `base.py` makes a named object of; it gives the same plan back when it
changes nothing. `pipeline.py` has all of them in order. What passes share: `conditions.py` (what a conjunction joins),
`columns.py` (what an expression reads of its row), `failing.py` (what may raise an error, and so is not asked of other
rows), `equality.py` (what cannot tell equal values apart), `navigate.py` (paths into constructors), `joins.py` (what
conditions make of joins), `remembered.py`. `paths.py` rewrites nothing: it says what of its tables a plan touches, and
`shapes.py` what that is.
"""

from firesteel.passes.base import Context, Pass, Phase, View, plan_pass
from firesteel.passes.infer_types import retyped
from firesteel.passes.inline_views import inline_views
from firesteel.passes.paths import PathTree, touched_paths
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
