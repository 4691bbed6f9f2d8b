"""Firesteel takes a query plan, whoever wrote it, and runs it on Spark.

import firesteel as fs

s = fs.connect()
s.register("hr.employees", "employees.jsonl")
s.run("plan.ion").show()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from firesteel.ion.document import ion  # now: a later import of the module `ion` would take the name

if TYPE_CHECKING:
    __version__: str
    from firesteel.compare import Diff
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
    from firesteel.lineage import Lineage
    from firesteel.notebook import load_ipython_extension as load_ipython_extension
    from firesteel.partiql.parse.parser import parse
    from firesteel.policy import Policy
    from firesteel.session import Result, Session, connect
    from firesteel.session.document import Plan, convert, diff, from_spark, read_plan
    from firesteel.substrait import register_relation
    from firesteel.values import MISSING, Bag, Struct
    from firesteel.warning import QueryWarning

#: Where each name is. A module is imported when a name of it is first used, so that `import firesteel` costs little.
_PLACES = {
    "MISSING": "values",
    "AnalysisError": "errors",
    "Bag": "values",
    "Diff": "compare",
    "EvaluationError": "errors",
    "FiresteelError": "errors",
    "Lineage": "lineage",
    "ParseError": "errors",
    "Plan": "session.document",
    "PlanError": "errors",
    "Policy": "policy",
    "PolicyError": "errors",
    "QueryWarning": "warning",
    "Result": "session",
    "Session": "session",
    "Struct": "values",
    "UnsupportedError": "errors",
    "connect": "session",
    "convert": "session.document",
    "diff": "session.document",
    "from_spark": "session.document",
    "load_ipython_extension": "notebook",
    "parse": "partiql",
    "read_plan": "session.document",
    "register_function": "functions.substrait",
    "register_relation": "substrait",
    "secret": "errors",
}
#: The names that are called otherwise where they are.
_CALLED = {"register_function": "register"}


if not TYPE_CHECKING:  # a type checker shall know the names that there are, and no others

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return _version()
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"firesteel.{_PLACES[name]}"), _CALLED.get(name, name))
        globals()[name] = found
        return found


def _version() -> str:
    """The version of the installed package. It is looked up when it is asked for, which takes some milliseconds."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("firesteel")
    except PackageNotFoundError:  # it is only on the path
        return "unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "MISSING",
    "AnalysisError",
    "Bag",
    "Diff",
    "EvaluationError",
    "FiresteelError",
    "Lineage",
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
    "convert",
    "diff",
    "from_spark",
    "ion",
    "parse",
    "read_plan",
    "register_function",
    "register_relation",
    "secret",
]
