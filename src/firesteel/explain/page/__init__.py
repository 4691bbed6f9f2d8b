"""What one sees of a plan. `model.py` says what that is, `operators.py` finds it in a plan, `layers.py` joins the texts
of a plan with its operators, `spark_plan.py` does so for Spark's. `html.py`, `svg.py`, `dot.py`, `mermaid.py` and
`pev2.py` draw it."""

from firesteel.explain.page.layers import MAX_TEXT, Range, linked, matched, own_ranges, unlinked
from firesteel.explain.page.model import Comparison, Layer, Measured, Operator, Origin, PlanPage, PlanView
from firesteel.explain.page.operators import Facts, Found, all_operators, view_of
from firesteel.explain.page.spark_plan import spark_layer

__all__ = [
    "MAX_TEXT",
    "Comparison",
    "Facts",
    "Found",
    "Layer",
    "Measured",
    "Operator",
    "Origin",
    "PlanPage",
    "PlanView",
    "Range",
    "all_operators",
    "linked",
    "matched",
    "own_ranges",
    "spark_layer",
    "unlinked",
    "view_of",
]
