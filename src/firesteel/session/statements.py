"""What the statements of a plan do: a query gives an answer, the others change the catalog.

Everything is judged before anything is computed, and computed before anything changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import AnalysisError, UnsupportedError
from firesteel.node import Node
from firesteel.passes import View
from firesteel.session import writes
from firesteel.session.catalog import Catalog, referred
from firesteel.session.engines import Engine
from firesteel.session.results import Result
from firesteel.tables import Table


class Prepared(NamedTuple):
    """A plan as it runs, the tables that it refers to, and what runs it."""

    plan: p.Plan
    tables: list[Table]
    engine: Engine


#: A plan as an engine runs it, and the expressions of it that it leaves to Python, with the reasons.
Foreseen = tuple[p.Plan, Sequence[tuple[Node, str]]]


class Statements:
    """The statements of one plan, done one after the other: an engine may share between them what it likes."""

    def __init__(
        self, catalog: Catalog, engine: Callable[[], Engine], prepare: Callable[[p.Plan, Catalog], Prepared]
    ) -> None:
        self._catalog = catalog
        self._engine = engine
        self._prepare = prepare
        self._shared: dict[str, Any] = {}

    def do(self, node: p.Plan) -> Result | None:
        """Do what the plan's statement says; the answer, if it gives one."""
        match node.statement:
            case p.CreateView():
                self._create_view(node, node.statement)
            case p.CreateTable():
                self._create_table(node, node.statement)
            case p.Insert():
                self._insert(node, node.statement)
            case p.Drop():
                self._drop(node.statement)
            case _:
                plan, used, engine = self._prepare(node, self._catalog)
                outcome = engine.run(plan, used, self._together(engine))
                return Result(outcome, engine.name, p.answer_type(plan.statement))
        return None

    def changes_a_file(self, statement: p.Statement) -> bool:
        """Does it add to a file that an answer may still have to read?"""
        if not isinstance(statement, p.Insert | p.CreateTable):
            return False
        table = self._catalog.get(statement.name)
        return isinstance(table, Table) and isinstance(table.source, tables.File)

    def _together(self, engine: Engine) -> Any:
        if engine.name not in self._shared:
            self._shared[engine.name] = engine.together()
        return self._shared[engine.name]

    def _kept(self, node: p.Plan, used: list[Table], columns: t.Schema, before: tables.Source | None) -> tables.Source:
        engine = self._engine()
        return engine.keep(node, used, columns, before, self._together(engine))

    # What changes the catalog ----------------------------------------------------------------------------------------

    def _create_view(self, node: p.Plan, statement: p.CreateView) -> None:
        if statement.columns:
            raise UnsupportedError("create_view with columns is not supported: the document leaves them undefined")
        known = self._catalog.get(statement.name)
        if known is not None and not (statement.replace_existing and isinstance(known, View)):
            raise AnalysisError(
                f"'{statement.name}' is registered already", where=statement.where, help="unregister it first"
            )
        self._catalog.put(statement.name, _view(node))

    def _create_table(self, node: p.Plan, statement: p.CreateTable) -> None:
        known = self._catalog.get(statement.name)
        if known is not None and statement.exists is p.IfExists.IGNORE:
            return
        if known is not None and statement.exists is p.IfExists.APPEND:
            if statement.input is not None:
                self._insert(node, p.Insert(statement.path, statement.columns, statement.input).at(statement.where))
            return
        if isinstance(known, View) or (known is not None and statement.exists is p.IfExists.ERROR):
            is_view = ", as a view" if isinstance(known, View) else ""
            raise AnalysisError(f"'{statement.name}' is registered already{is_view}", where=statement.where)
        columns = statement.columns
        if statement.input is None:
            source = self._engine().keep(None, (), columns, None)
        else:
            root, used, _ = self._prepare(writes.written(node, statement.input, columns), self._catalog)
            columns = writes.kept_columns(root, columns)
            source = self._kept(root, used, columns, None)
        self._catalog.put(statement.name, _created(source, columns))

    def _insert(self, node: p.Plan, statement: p.Insert) -> None:
        name, table = self._target(statement)
        created = isinstance(table.source, tables.Stored) or (
            isinstance(table.source, tables.Memory) and table.source.declared
        )
        if not created:
            writes.ensure_writable(table, name, self._catalog.policy, statement.where)
        rows, columns = writes.added(statement, name, table)
        root, used, engine = self._prepare(writes.written(node, rows, columns), self._catalog)
        if created:
            self._catalog.put(name, Table(self._kept(root, used, columns, table.source), table.type))
            return
        found = values.items(engine.run(root, used, self._together(engine)).value()) or []
        writes.ensure_required(found, columns, statement.where)
        writes.ensure_writable(table, name, self._catalog.policy, statement.where)  # links may have changed meanwhile
        self._catalog.put(name, writes.extended(table, found))

    def _target(self, statement: p.Insert) -> tuple[str, Table]:
        """The table that rows are added to, and its name."""
        name = self._catalog.known(statement.name)
        if name is None:
            raise self._catalog.unknown(statement.name).located(statement.where)
        table = self._catalog.get(name)
        if not isinstance(table, Table):
            raise UnsupportedError(f"adding rows to '{name}', which is a view", where=statement.where)
        return name, table

    def _drop(self, statement: p.Drop) -> None:
        name = self._catalog.known(statement.name)
        if name is None:
            if not statement.if_exists:
                raise self._catalog.unknown(statement.name).located(statement.where)
            return
        is_view = isinstance(self._catalog.get(name), View)
        if is_view is not statement.view:
            is_, not_ = ("view", "table") if is_view else ("table", "view")
            raise AnalysisError(f"'{name}' is a {is_}, not a {not_}", where=statement.where)
        self._catalog.remove(name)

    # What would be done ----------------------------------------------------------------------------------------------

    def foresee(self, node: p.Plan) -> Foreseen:
        """The plan of a statement as it would run, and what of it would run in Python, with the reasons.

        Nothing is computed. The catalog has what the statement makes, without rows: the next one may refer to it.
        """
        match node.statement:
            case p.CreateView() as statement:
                self._catalog.put(statement.name, _view(node))
            case p.CreateTable() as statement:
                return self._foresee_table(node, statement)
            case p.Insert() as statement:
                return self._foresee_rows(node, *writes.added(statement, *self._target(statement)))
            case p.Drop() as statement:
                self._drop(statement)
            case _:
                plan, used, engine = self._prepare(node, self._catalog)
                return engine.explain(plan, used)
        return node, ()

    def _foresee_table(self, node: p.Plan, statement: p.CreateTable) -> Foreseen:
        foreseen: Foreseen = (node, ())
        columns = statement.columns
        if statement.input is not None:
            foreseen = self._foresee_rows(node, statement.input, columns)
            columns = writes.kept_columns(foreseen[0], columns)
        if self._catalog.known(statement.name) is None or statement.exists in (p.IfExists.ERROR, p.IfExists.REPLACE):
            self._catalog.put(statement.name, _created(self._engine().keep(None, (), columns, None), columns))
        return foreseen

    def _foresee_rows(self, node: p.Plan, rows: p.Rel, columns: t.Schema) -> Foreseen:
        prepared, used, engine = self._prepare(writes.written(node, rows, columns), self._catalog)
        plan, fallbacks = engine.explain(prepared, used)
        assert isinstance(plan.statement, p.Root)
        return plan.replace(statement=node.statement.replace(input=plan.statement.input)), fallbacks


def _created(source: tables.Source, columns: t.Schema) -> Table:
    return Table(source, t.Bag(t.Struct(columns, open=False)))


def _view(node: p.Plan) -> View:
    node = referred(node)
    assert isinstance(node.statement, p.CreateView)
    return View(node.statement.query, node.globals, node.statement.mode)
