"""What lowering asks a session about tables and files. Planning depends on these protocols, not on the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from firesteel import types as t
from firesteel.plan.statement import Files


class TableLookup(Protocol):
    """Finds tables and views by name."""

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The table or view of that path of (name, quoted), if there is one: its registered name and its type."""

    def find_outside(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The table of that path in the engine's own catalog, if it has one and nothing of that name is registered."""

    def find_file(self, path: str) -> tuple[tuple[str, ...], t.Type] | None:
        """The files that a text in FROM names, if it names any. Only a query's text is asked like that, never a plan:
        whoever passes a text may read files."""


class FileLookup(TableLookup, Protocol):
    """Finds tables and views by name, and opens the files that a plan names."""

    def open(self, files: Files) -> t.Type:
        """The type of the rows in these files, if the policy allows to read them."""
