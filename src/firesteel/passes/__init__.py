"""Rewrites, one file each, and the pipeline that runs them.

A pass is a function from plan to plan; the same object back when nothing changed. What passes share: `conditions.py`
(what a conjunction joins), `columns.py` (what an expression reads of its row), `failing.py` (what may raise an error,
and so is not asked of other rows), `equality.py` (what cannot tell equal values apart), `navigate.py` (paths into
constructors), `joins.py` (what conditions make of joins), `remembered.py`. `paths.py` rewrites nothing: it says what of
its tables a plan touches, and `shapes.py` what that is.
"""

from firesteel.passes.bind_parameters import bind_parameters
from firesteel.passes.infer_types import infer_types
from firesteel.passes.inline_views import View, inline_views
from firesteel.passes.paths import PathTree, touched_paths
from firesteel.passes.pipeline import PIPELINE, optimize

__all__ = [
    "PIPELINE",
    "PathTree",
    "View",
    "bind_parameters",
    "infer_types",
    "inline_views",
    "optimize",
    "touched_paths",
]
