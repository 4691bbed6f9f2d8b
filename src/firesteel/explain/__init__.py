"""Printers of plans and rows. `text.py` draws the tree, `rows/` draws rows, `rex.py` writes an expression on one line,
`report.py` sums up what an engine makes of a plan, and `steps.py` shows what each pass did to it."""

from firesteel.explain.report import InPython, PlanReport, report
from firesteel.explain.steps import explain_steps
from firesteel.explain.text import explain, line

__all__ = ["InPython", "PlanReport", "explain", "explain_steps", "line", "report"]
