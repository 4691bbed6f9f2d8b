"""Firesteel takes a query plan, whoever wrote it, and runs it on Spark.

import firesteel as fs

s = fs.connect()
s.register("hr.employees", "employees.jsonl")
s.run("plan.ion").show()
"""

from firesteel.errors import (
    AnalysisError,
    EvaluationError,
    FiresteelError,
    ParseError,
    PlanError,
    PolicyError,
    UnsupportedError,
    secret,
)
from firesteel.functions.substrait import register as register_function
from firesteel.notebook import load_ipython_extension as load_ipython_extension
from firesteel.partiql import parse
from firesteel.policy import Policy
from firesteel.session import Result, Session, connect, ion
from firesteel.session.document import Plan, read_plan
from firesteel.substrait import register_relation
from firesteel.values import MISSING, Bag, Struct
from firesteel.warning import QueryWarning

__version__ = "0.1.0"

__all__ = [
    "MISSING",
    "AnalysisError",
    "Bag",
    "EvaluationError",
    "FiresteelError",
    "ParseError",
    "Plan",
    "PlanError",
    "Policy",
    "PolicyError",
    "QueryWarning",
    "Result",
    "Session",
    "Struct",
    "UnsupportedError",
    "connect",
    "ion",
    "parse",
    "read_plan",
    "register_function",
    "register_relation",
    "secret",
]
