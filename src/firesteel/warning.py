"""Warnings about queries that are valid but probably not what was meant. Each has a code, a place and a hint.

A result has those of its query as `warnings`, the command line prints them to stderr, and `typing="static"` makes the
first of them an `AnalysisError`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from firesteel.errors import AnalysisError, described
from firesteel.source import Place, Span


class WarningKind(enum.Enum):
    """The kinds of warnings: a code and a description."""

    CONSTANT_KEY = "FS701", "a key of GROUP BY or ORDER BY that is the same for every row, such as the number 1"
    SHADOWED_ALIAS = "FS702", "a path in FROM that starts at a table, where an alias has the same name"
    NOT_GROUPED = "FS703", "a variable after GROUP BY that is neither grouped nor aggregated"
    UNKNOWN_NAME = (
        "FS704",
        "a column that a closed schema does not have, or a path from a variable that there is not",
    )
    QUOTED_NAME = "FS705", "a name in double quotes, where a string was meant: `\"x\"` for `'x'`"
    NEVER_TRUE = "FS706", "a condition that can be no boolean, and so is never true"
    UNLIKE_COLUMNS = "FS707", "a set operator over rows that call their columns differently"
    LOST_DIGITS = "FS708", "a literal with more digits than its type has room for"

    @property
    def code(self) -> str:
        return self.value[0]

    @property
    def about(self) -> str:
        return self.value[1]


@dataclass(frozen=True)
class QueryWarning:
    """One warning about a query."""

    kind: WarningKind
    message: str
    where: Span | Place | None = None
    hint: str | None = None

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def span(self) -> Span | None:
        return self.where.span if isinstance(self.where, Place) else self.where

    def as_error(self) -> AnalysisError:
        """The warning as an error, for static typing."""
        return AnalysisError(self.message, where=self.where, help=self.hint)

    def __str__(self) -> str:
        return described(f"{self.code}: warning: {self.message}", self.where, self.hint)
