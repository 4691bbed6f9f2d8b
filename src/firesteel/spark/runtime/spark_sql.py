"""A plan as Spark SQL text, for others to run."""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.source import Place, Span
from firesteel.spark.core import limits
from firesteel.spark.encoding.failures import Failures
from firesteel.spark.relations.compile import compile_plan
from firesteel.spark.runtime.answers import named_frame
from firesteel.spark.sql_text.literals import NoTextError
from firesteel.spark.sql_text.named_tables import NamedTables
from firesteel.spark.sql_text.recording import recording


class _Unmarked(Failures):
    """Messages of errors without our marks: nobody translates them back."""

    def register(self, cls: type[FiresteelError], where: Span | Place | None) -> str:
        return ""


def spark_sql(plan: p.Plan) -> str:
    """The text of a plan that has been through the engine's `lowerings`. Its tables are known by name only."""
    try:
        with recording():
            tables: Any = NamedTables(plan.globals)
            compiled = compile_plan(plan, (), tables, limits.OWN, _Unmarked(), refuse=True)
            frame: Any = named_frame(compiled)
        return _indented(frame.sql)
    except NoTextError as error:
        message = f"the plan cannot be written as Spark SQL: {error.message}"
        raise UnsupportedError(message, where=error.where, help=error.help) from None


def _indented(text: str) -> str:
    """The text, with what stands in brackets over several lines indented."""
    lines: list[str] = []
    depth = 0
    for line in text.split("\n"):
        depth -= line.startswith(")")
        lines.append("  " * depth + line)
        depth += line.endswith("(")
    return "\n".join(lines)
