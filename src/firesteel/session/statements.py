"""Execute the statements of a plan: a query gives an answer, the others change the catalog.

A statement is checked before anything is computed, and its rows are computed before anything is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import AnalysisError, FiresteelError, UnsupportedError
from firesteel.node import Node, walk
from firesteel.passes import Unordered, View
from firesteel.plan.check import unordered
from firesteel.plan.reliance import relies_on_order
from firesteel.plan.scope import visits
from firesteel.session import writes
from firesteel.session.deliveries import deliveries
from firesteel.session.engines import Engine, Outcome
from firesteel.session.limits import bounded, with_row_limit, within
from firesteel.session.plan_cache import Prepared
from firesteel.session.planner import Planner
from firesteel.session.results import Result
from firesteel.tables import Table
from firesteel.tables.output.target import output_of

#: The plan that an engine would run, and notes on some of its nodes.
Foreseen = tuple[p.Plan, Sequence[tuple[Node, str]]]


def compiled(prepared: Prepared) -> Foreseen:
    """Let the engine compile a plan without running it. The notes say what would run in Python and why, and what is
    known of files without a schema."""
    plan, fallbacks = prepared.engine.explain(prepared.plan, prepared.tables)
    return plan, [*((rex, f"python: {reason}") for rex, reason in fallbacks), *shape_notes(plan, prepared)]


def shape_notes(plan: p.Plan, prepared: Prepared) -> Iterator[tuple[Node, str]]:
    """What is known of the shapes of files that have no schema."""
    for node in walk(plan.statement, p.Global):
        source = prepared.tables[node.ordinal].source
        if isinstance(source, tables.File) and source.format == "json":
            shape = "given" if source.schema else prepared.engine.shape_of(source)
            if shape is not None:
                yield node, f"its shape is {shape}"


class Statements:
    """Executes the statements of one plan, one after the other. The engine may share work between them."""

    def __init__(self, planner: Planner, foresee: Callable[[Prepared], Foreseen] = compiled) -> None:
        self._planner = planner
        self._foreseen = foresee
        self._catalog = planner.catalog
        self._shared: dict[str, Any] = {}

    def do(self, node: p.Plan) -> Result | None:
        """Execute the plan's statement. A query returns its answer, other statements None."""
        match node.statement:
            case p.CreateView():
                self._create_view(node, node.statement)
            case p.CreateTable():
                self._create_table(node, node.statement)
            case p.Insert():
                self._insert(node, node.statement)
            case p.WriteFiles():
                self._write_files(node, node.statement)
            case p.Drop():
                self._drop(node.statement)
            case _:
                self._deliver(node)
                policy = self._catalog.policy
                prepared = self._planner.prepare(with_row_limit(node, policy))
                with within(policy.max_seconds):
                    outcome = bounded(self._run(prepared), policy)
                return Result(outcome, prepared.engine.name, p.answer_type(prepared.optimized.statement))
        return None

    def _deliver(self, node: p.Plan) -> None:
        """Write the partitions that an exchange at the root sends to locations. They share what they compute."""
        sent = deliveries(node, self._catalog.policy)
        prepared = [self._planner.prepare(one.plan) for one in sent]
        kept = prepared[0].engine.together() if prepared else None
        for one, ready in zip(sent, prepared, strict=True):
            outcome = ready.engine.run(ready.plan, ready.tables, kept)
            type_ = p.answer_type(ready.optimized.statement)
            Result(outcome, ready.engine.name, type_).write_to(output_of(one.path, one.format, ()))

    def _run(self, prepared: Prepared) -> Outcome:
        return prepared.engine.run(prepared.plan, prepared.tables, self._together(prepared.engine))

    def changes_a_file(self, statement: p.Statement) -> bool:
        """Does it add rows to a file that an earlier answer may still have to read?"""
        if not isinstance(statement, p.Insert | p.CreateTable):
            return isinstance(statement, p.WriteFiles)
        table = self._catalog.get(statement.name)
        return isinstance(table, Table) and isinstance(table.source, tables.File)

    def _write_files(self, node: p.Plan, statement: p.WriteFiles) -> None:
        writes.files_output(statement, self._catalog.policy)  # what is refused is not computed
        prepared = self._planner.prepare(writes.written(node, statement.input, statement.columns))
        type_ = p.answer_type(prepared.optimized.statement)
        Result(self._run(prepared), prepared.engine.name, type_).write_to(
            writes.files_output(statement, self._catalog.policy)
        )

    def _together(self, engine: Engine) -> Any:
        if engine.name not in self._shared:
            self._shared[engine.name] = engine.together()
        return self._shared[engine.name]

    def _kept(self, prepared: Prepared, columns: t.Schema, before: tables.Source | None) -> tables.Source:
        engine = prepared.engine
        return engine.keep(prepared.plan, prepared.tables, columns, before, self._together(engine))

    # What changes the catalog ----------------------------------------------------------------------------------------

    def _create_view(self, node: p.Plan, statement: p.CreateView) -> None:
        view = _view(node)  # refuses columns that it cannot name
        known = self._catalog.get(statement.name)
        if known is not None and not (statement.replace_existing and isinstance(known, View)):
            raise AnalysisError(
                f"'{statement.name}' is registered already", where=statement.where, help="unregister it first"
            )
        self._catalog.put(statement.name, view)

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
            source = self._planner.engines.keep_none(columns)
        else:
            # One engine stores the rows, even of a query without tables: a later plan may join them with others.
            rows = writes.written(node, statement.input, columns)
            prepared = self._planner.prepare(rows, self._planner.engines.keeper)
            columns = writes.kept_columns(prepared.optimized, columns)
            source = self._kept(prepared, columns, None)
        if statement.pin:
            self._planner.engines.keeper_of(source).pin(source)
        self._catalog.put(statement.name, _created(source, columns))

    def _insert(self, node: p.Plan, statement: p.Insert) -> None:
        name, table = self._target(statement)
        created = isinstance(table.source, tables.Stored) or (
            isinstance(table.source, tables.Memory) and table.source.declared
        )
        if not created:
            writes.ensure_writable(table, name, self._catalog.policy, statement.where)
        rows, columns = writes.added(statement, name, table)
        engine = self._planner.engines.keeper_of(table.source) if created else None
        prepared = self._planner.prepare(writes.written(node, rows, columns), engine)
        if created:
            self._catalog.put(name, Table(self._kept(prepared, columns, table.source), table.type))
            return
        found = values.items(self._run(prepared).value()) or []
        writes.ensure_required(found, columns, statement.where)
        writes.ensure_writable(table, name, self._catalog.policy, statement.where)  # again: links may have changed
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
        """The plan of a statement as it would run, with notes on some of its nodes.

        Nothing is computed. A table that the statement creates is added to the catalog without rows, so that the next
        statement can refer to it.
        """
        match node.statement:
            case p.CreateView() as statement:
                self._catalog.put(statement.name, _view(node))
            case p.CreateTable() as statement:
                return self._foresee_table(node, statement)
            case p.Insert() as statement:
                name, table = self._target(statement)
                foreseen = self._foresee_rows(node, *writes.added(statement, name, table))
                self._catalog.put(name, replace(table, promise=None))
                return foreseen
            case p.WriteFiles() as statement:
                writes.files_output(statement, self._catalog.policy)
                return self._foresee_rows(node, statement.input, statement.columns)
            case p.Drop() as statement:
                self._drop(statement)
            case _:
                return self._foreseen(self._planner.prepare(node))
        return node, ()

    def unordered(self, node: p.Plan) -> list[FiresteelError]:
        """The inputs of a statement that are not ordered as its relations need them. None, if they would be sorted; nor
        of a view, which is judged where it is used."""
        relies = any(map(relies_on_order, walk(node.statement, p.Rel)))
        if not relies or self._planner.unordered is Unordered.SORT or isinstance(node.statement, p.CreateView):
            return []
        return [
            error
            for visit in visits(self._planner.typed(node))
            if isinstance(visit.node, p.Rel)
            for error in unordered(visit.node, visit.place)
        ]

    def _foresee_table(self, node: p.Plan, statement: p.CreateTable) -> Foreseen:
        foreseen: Foreseen = (node, ())
        columns = statement.columns
        if statement.input is not None:
            foreseen = self._foresee_rows(node, statement.input, columns)
            columns = writes.kept_columns(foreseen[0], columns)
        if self._catalog.known(statement.name) is None or statement.exists in (p.IfExists.ERROR, p.IfExists.REPLACE):
            source = self._planner.engines.keep_none(columns)
            self._catalog.put(statement.name, _created(source, columns))
        return foreseen

    def _foresee_rows(self, node: p.Plan, rows: p.Rel, columns: t.Schema) -> Foreseen:
        plan, fallbacks = self._foreseen(self._planner.prepare(writes.written(node, rows, columns)))
        assert isinstance(plan.statement, p.Root)
        return plan.replace(statement=node.statement.replace(input=plan.statement.input)), fallbacks


def _created(source: tables.Source, columns: t.Schema) -> Table:
    return Table(source, t.Bag(t.Struct(columns, open=False)))


def _view(node: p.Plan) -> View:
    assert isinstance(node.statement, p.CreateView)
    return View(writes.view_query(node.statement), node.globals, node.statement.mode)
