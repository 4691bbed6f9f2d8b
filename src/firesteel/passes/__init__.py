"""Rewrites, one file each, and the pipeline that runs them.

A pass is a function from plan to plan; the same object back when nothing changed.
"""

from firesteel.passes.infer_types import infer_types
from firesteel.passes.inline_views import View, inline_views
from firesteel.passes.pipeline import PIPELINE, optimize

__all__ = ["PIPELINE", "View", "infer_types", "inline_views", "optimize"]
