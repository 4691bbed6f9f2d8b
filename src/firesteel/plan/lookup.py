"""What lowering asks a session about tables and files. Planning depends on these protocols, not on the session.

`AnyTable` answers where there is no session, `WithoutFiles` for a text that is read as a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Protocol

from firesteel import tables
from firesteel import types as t
from firesteel.errors import PolicyError, UnsupportedError
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


class AnyTable:
    """A catalog that has a table of every name that FROM asks for, of any type: what is bound in the query comes first,
    and a name that is a table nowhere in FROM is none."""

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        return None

    def find_outside(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        return tuple(part for name, _ in path for part in name.split(".")), t.ANY

    def find_file(self, path: str) -> tuple[tuple[str, ...], t.Type] | None:
        return None

    def open(self, files: Files) -> NoReturn:
        raise UnsupportedError("files of a plan are read by a session")


class WithoutFiles:
    """A catalog as a text sees it that is read as a plan: only whoever passes a text to `query` may name files."""

    def __init__(self, catalog: TableLookup) -> None:
        self._catalog = catalog
        self.find = catalog.find
        self.find_outside = catalog.find_outside

    def find_file(self, path: str) -> tuple[tuple[str, ...], t.Type] | None:
        if tables.names_files(path):
            raise PolicyError(
                f"a query that is read as a plan names the files '{path}'",
                help="register them as a table, or run the text with `query`",
            )
        return None
