"""What stands for the Spark session while a plan is written as SQL text: tables are known by their names only."""

from __future__ import annotations

from typing import Any

import pyspark

from firesteel.plan import GlobalBinding
from firesteel.spark.sql_text.frames import TextFrame
from firesteel.spark.sql_text.literals import NoTextError, identifier


def tables_by_name(session: object) -> NamedTables | None:
    """What stands for the session, if it is no session."""
    return session if isinstance(session, NamedTables) else None


class NamedTables:
    """The tables of a plan, and as much of a session as relations without tables need."""

    version = pyspark.__version__

    def __init__(self, globals_: tuple[GlobalBinding, ...]) -> None:
        self.globals = globals_

    def table(self, path: tuple[str, ...]) -> TextFrame:
        """The table of that name."""
        return TextFrame(".".join(map(identifier, path)))

    def range(self, count: int) -> TextFrame:
        return TextFrame(f"RANGE({count})")

    def __getattr__(self, name: str) -> Any:
        raise NoTextError("a part of it needs this process or its Python workers")
