"""The catalog of a session: tables and views by name, and the lookups that planning needs."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import AnalysisError, FiresteelError, UnsupportedError
from firesteel.node import walk
from firesteel.passes import Context, View
from firesteel.passes.bind.bind_tables import bound_global
from firesteel.policy import Policy, Unpacking
from firesteel.session import writes
from firesteel.session.databases import keep_views
from firesteel.session.schemas import schema_of
from firesteel.tables import OrderedColumn, Table

#: Finds a table in an engine's own catalog by the parts of its name.
Outside = Callable[[Sequence[str]], Table | None]


class Catalog:
    """Tables and views by name. A name refers to the entry in the same spelling, else to one that differs in case."""

    def __init__(
        self, policy: Policy | None = None, outside: Outside | None = None, file: str | Path | None = None
    ) -> None:
        self.policy = policy or Policy()
        #: The file where views are kept. None: they exist as long as the session.
        self._file = None if file is None else tables.path_of(file).absolute()
        #: Finds a table in the engine's own catalog. None: that is not looked into.
        self._outside = outside
        #: The tables of files that queries named by their paths.
        self._paths: dict[str, Table] = {}
        self._entries: dict[str, Table | View] = {}
        #: An object that is replaced at every change. A cached plan is valid as long as this is the same object.
        self.state = object()

    def copy(self) -> Catalog:
        """A copy; changes to it do not change this catalog."""
        other = Catalog(self.policy, self._outside)
        other._entries, other._paths = dict(self._entries), dict(self._paths)
        return other

    # Names -----------------------------------------------------------------------------------------------------------

    def known(self, name: str, *, exact: bool = False) -> str | None:
        """The registered spelling of a name; None if there is no such table or view."""
        if name in self._entries or exact:
            return name if name in self._entries else None
        alike = [known for known in self._entries if known.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def get(self, name: str) -> Table | View | None:
        """The table or view of that name, or None."""
        known = self.known(name)
        return self._paths.get(name) if known is None else self._entries[known]

    def names(self) -> list[str]:
        """The names of all tables and views that are registered."""
        return sorted(self._entries)

    def put(self, name: str, entry: Table | View) -> None:
        """Add a table or view; it replaces the one of that name. A view is kept in the file, if there is one."""
        known = self.known(name) or name
        if isinstance(entry, View):
            self._keep({**({known: None} if known != name else {}), name: entry})
        self._entries.pop(known, None)
        self._entries[name] = entry
        self.state = object()

    def remove(self, name: str) -> None:
        """Remove the table or view of that exact name."""
        if name not in self._entries:
            raise self.unknown(name)
        if isinstance(self._entries[name], View):
            self._keep({name: None})
        del self._entries[name]
        self.state = object()

    def load(self, views: Mapping[str, View]) -> None:
        """Add the views of the file."""
        self._entries.update(views)
        self.state = object()

    def _keep(self, changes: Mapping[str, View | None]) -> None:
        if self._file is None:
            return
        for name, view in changes.items():
            if view is not None:
                self._ensure_lasting(name, view)
        keep_views(self._file, changes, self.policy.max_plan)

    def _ensure_lasting(self, name: str, view: View) -> None:
        """Refuse to keep a view that only this session understands."""
        file = next((one.name for one in view.globals if one.name in self._paths and not self.known(one.name)), None)
        call = next((one for one in walk(view.query, p.Call) if one.fn.name.startswith("user:")), None)
        if file is not None:
            raise UnsupportedError(
                f"the view '{name}' names the file '{file}', which a catalog file cannot keep",
                help="register the file, and name the table",
            )
        if call is not None:
            raise UnsupportedError(
                f"the view '{name}' calls a function of this session, which a catalog file cannot keep",
                where=call.where,
                help="connect without catalog=, or call the function where the view is used",
            )

    def unknown(self, name: str) -> AnalysisError:
        """The error for an unknown name."""
        close = difflib.get_close_matches(name, self._entries, 1)
        listed = f"registered are {', '.join(sorted(self._entries))}" if self._entries else "none is registered"
        return AnalysisError(f"no table '{name}'", help=f"did you mean '{close[0]}'?" if close else listed)

    def register(
        self,
        name: str,
        source: Any,
        *,
        record_id: str | Iterable[Any] | None = None,
        malformed: Literal["error", "skip"] = "error",
        encoding: str | None = None,
        format: str | None = None,
        options: Mapping[str, Any] | None = None,
        schema: Any = None,
        check: bool = False,
        ordered_by: str | Sequence[OrderedColumn] | None = None,
        partitioned_by: str | Sequence[str] | None = None,
        replace: bool = False,
    ) -> None:
        """Register a user's table: see `Session.register`."""
        if not isinstance(name, str):
            raise AnalysisError(f"a table's name is text, not a {type(name).__name__}")
        if malformed not in ("error", "skip"):
            raise UnsupportedError(f"malformed={malformed!r} is not known", help="it is 'error' or 'skip'")
        if not replace and name in self._entries:
            raise AnalysisError(f"'{name}' is registered already", help="say replace=True to replace it")
        given = dict(options or {}) if encoding is None else {**(options or {}), "encoding": encoding}
        columns = _columns(schema, check=check)
        table = _table(source, record_id, malformed, format, given, self.policy.unpacking, columns, check)
        try:
            promise = tables.promise_of(table.type, ordered_by, partitioned_by)
        except AnalysisError as error:
            raise AnalysisError(f"'{name}': {error.message}", help=error.help) from None
        self._entries[name] = table if promise is None else dataclasses.replace(table, promise=promise)
        self.state = object()

    def forget_stored(self) -> None:
        """Remove the tables that the engine stored: they are deleted when it is closed."""
        for name, entry in list(self._entries.items()):
            if isinstance(entry, Table) and isinstance(entry.source, tables.Stored):
                del self._entries[name]
        self.state = object()

    # What planning asks for ------------------------------------------------------------------------------------------

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of the table or view that a path refers to. The path is a list of (name, quoted); if
        all parts are quoted, case matters."""
        name = self.known(".".join(part for part, _ in path), exact=all(quoted for _, quoted in path))
        if name is None:
            return None
        entry = self._entries[name]
        return tuple(name.split(".")), entry.type if isinstance(entry, Table) else entry.query.type

    def find_outside(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of a table in the engine's own catalog, which has its own rule for case."""
        names = tuple(name for name, _ in path)
        table = self.outside(names)
        return None if table is None else (names, table.type)

    def outside(self, names: Sequence[str]) -> Table | None:
        """The table of that name in the engine's own catalog."""
        return None if self._outside is None or not 1 <= len(names) <= 3 else self._outside(names)

    def find_file(self, path: str) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of the files that a text in FROM names. It names files if its suffix is that of a
        format, or if there are such; a text like any other is no table."""
        if not tables.names_files(path):
            return None
        file = tables.file(path, unpacking=self.policy.unpacking)
        table = Table(file, tables.file_type(file))
        if self._paths.get(path) != table:
            self._paths[path] = table
            self.state = object()
        return (path,), table.type

    def open(self, files: p.Files) -> t.Type:
        """The type of files that a plan names; PolicyError if they may not be read."""
        return self._opened(files).type

    def _opened(self, files: p.Files) -> Table:
        """The table of files that a plan names. Each time the files are listed and checked against the policy again."""
        try:
            source = writes.named_files(files, self.policy)
            return Table(source, tables.parts_type(source))
        except FiresteelError as error:
            raise error.located(files.where) from None

    # Plans over tables -----------------------------------------------------------------------------------------------

    def context(self) -> Context:
        """The context for passes over one statement; the statement's files are opened once."""
        opened: dict[p.Files, Table] = {}

        def table(binding: p.GlobalBinding) -> Table:
            if binding.files is None:
                return self._table(binding)
            if binding.files not in opened:
                opened[binding.files] = self._opened(binding.files)
            return opened[binding.files]

        return Context(view=self._view, table=table)

    def missing(self, node: p.Plan) -> Iterator[FiresteelError]:
        """An error for each table that is neither in the catalog nor created by the plan itself."""
        made = writes.made_names(node)
        context = self.context()
        for binding in node.globals:
            try:
                if self._view(binding) is None and binding.name.lower() not in made:
                    bound_global(binding, context)
            except FiresteelError as error:
                yield error

    def _view(self, binding: p.GlobalBinding) -> View | None:
        found = None if binding.files is not None else self.get(binding.name)
        return found if isinstance(found, View) else None

    def _table(self, binding: p.GlobalBinding) -> Table:
        table = self.get(binding.name)
        if table is None:
            table = self.outside(binding.path)
        if not isinstance(table, Table):
            raise self.unknown(binding.name).located(binding.where)
        return table


def _table(
    source: Any,
    record_id: str | Iterable[Any] | None,
    malformed: str,
    format_: str | None,
    options: Mapping[str, Any],
    unpacking: Unpacking,
    columns: t.Struct | None,
    check: bool,
) -> Table:
    """Make a table of the source that a user registers."""
    if _is_path(source) or _are_paths(source, named=format_ is not None or bool(options)):
        file = tables.file(source, format_, options, unpacking, columns, check)
        return Table(file, tables.file_type(file), _attribute(record_id), malformed)
    if columns is not None:
        raise UnsupportedError("a schema goes with files", help="register a path; for data, CAST in the query")
    if format_ is not None or options:
        raise UnsupportedError("a format and options go with files", help="register a path, or a list of paths")
    module = type(source).__module__.partition(".")[0]
    if module == "pyspark":
        from firesteel.spark import frame_type

        return Table(tables.Frame(source), frame_type(source), _attribute(record_id))
    mixed = tables.mixed_rows(source) if module == "pandas" and hasattr(source, "iloc") else None
    if mixed is not None:
        return tables.memory(values.Bag(mixed), record_id)
    if module in ("pandas", "pyarrow"):
        arrow = tables.arrow_table(source)
        return Table(tables.Arrow(arrow), t.Bag(tables.arrow_type(arrow.schema)), _attribute(record_id))
    return tables.memory(source, record_id)


def _columns(schema: Any, *, check: bool) -> t.Struct | None:
    """The columns that a schema gives."""
    asked = schema_of(schema)
    if asked is None:
        if check:
            raise AnalysisError("check=True without a schema", help="say schema=...: what is to be checked")
        return None
    if asked.columns is None:
        raise AnalysisError(
            "schema='infer' for a table", help="leave it out: types of files without a schema are found"
        )
    return asked.columns


def _is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and not isinstance(source, values.Text | values.Symbol)


def _are_paths(source: Any, *, named: bool) -> bool:
    """Is it a list of paths? A list of strings is data, unless a format or options say that files are meant."""
    if not isinstance(source, list | tuple) or not source:
        return False
    return all(isinstance(one, os.PathLike) or (named and _is_path(one)) for one in source)


def _attribute(record_id: str | Iterable[Any] | None) -> str | None:
    if record_id is None or isinstance(record_id, str):
        return record_id
    raise UnsupportedError("a list of record identifiers goes with data in memory; name an attribute instead")
