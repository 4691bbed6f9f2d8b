"""Printers of plans and rows. `text.py` draws the tree, `rows/` draws rows, `rex.py` writes an expression on one line,
`report.py` sums up what an engine makes of a plan, `steps.py` shows what each pass did to it, and
`profile.py` what a run measured."""

from firesteel.explain.profile import OperatorId, Profile, profile, profile_json
from firesteel.explain.report import InPython, PlanReport, report
from firesteel.explain.steps import explain_steps
from firesteel.explain.text import explain, line

__all__ = [
    "InPython",
    "OperatorId",
    "PlanReport",
    "Profile",
    "explain",
    "explain_steps",
    "line",
    "profile",
    "profile_json",
    "report",
]
