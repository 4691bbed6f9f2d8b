"""Sessions: the only place that knows both ends. Tables and views by name; read, passes, engine, result."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from firesteel import partiql, tables, values, writes
from firesteel import plan as p
from firesteel import types as t
from firesteel.document import Plan, read_plan
from firesteel.engines import Engine, Known, Outcome, Reference
from firesteel.errors import AnalysisError, FiresteelError, PlanError, UnsupportedError
from firesteel.explain import explain
from firesteel.ion import loads
from firesteel.node import walk
from firesteel.passes import View, bind_parameters, infer_types, inline_views, optimize
from firesteel.plan import CreateView, Global, GlobalBinding
from firesteel.plan.check import ensure
from firesteel.policy import Policy
from firesteel.results import Result
from firesteel.substrait import Findings, Repair
from firesteel.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


#: The values of a plan's parameters: in order, or by their numbers.
Params = Sequence[Any] | Mapping[int, Any] | None


def connect(
    *,
    engine: Literal["spark", "reference"] = "spark",
    spark: SparkSession | None = None,
    master: str | None = None,
    remote: str | None = None,
    in_process: bool = True,
    fallback: Literal["allow", "refuse"] = "allow",
    skip_passes: Collection[str] = (),
    policy: Policy | None = None,
    warehouse: str | Path | None = None,
) -> Session:
    """A session: on local Spark unless told otherwise, or in this process with `engine="reference"`.

    Spark starts when a plan first needs it. With `in_process` (the default) a plan that touches no table is answered
    by the reference evaluator at once. An expression that Spark has no form for runs in its Python workers; with
    `fallback="refuse"` it is an `UnsupportedError`. `skip_passes` names passes of `firesteel.passes.PIPELINE` to leave
    out. `policy` says which files a plan may name: none, unless told otherwise. Tables that plans create are kept until
    the session is closed, on Spark in a folder in `warehouse`, which all of its machines have to see; on this machine
    alone a temporary one will do.
    """
    if fallback not in ("allow", "refuse"):
        raise UnsupportedError(f"no fallback '{fallback}'", help="a fallback is 'allow' or 'refuse'")
    if engine == "reference":
        return Session(Reference, in_process=True, skip_passes=skip_passes, policy=policy)
    if engine != "spark":
        raise UnsupportedError(f"no engine '{engine}'", help="the engines are 'spark' and 'reference'")

    def start() -> Engine:
        from firesteel.spark import SparkEngine

        return SparkEngine(spark, master=master, remote=remote, fallback=fallback, warehouse=warehouse)

    return Session(start, in_process=in_process, skip_passes=skip_passes, policy=policy)


class Session:
    """Tables, views, and an engine to run plans over them. Use it as a context manager, or `close` it."""

    def __init__(
        self,
        start: Callable[[], Engine],
        *,
        in_process: bool,
        skip_passes: Collection[str] = (),
        policy: Policy | None = None,
    ) -> None:
        self._start = start
        self._started: Engine | None = None
        self._reference: Engine = Reference()
        self._in_process = in_process
        self._skip_passes = frozenset(skip_passes)
        self._policy = policy or Policy()
        self._tables: dict[str, Table] = {}
        self._views: dict[str, View] = {}

    # Tables ----------------------------------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        source: Any,
        *,
        record_id: str | Iterable[Any] | None = None,
        malformed: Literal["error", "skip"] = "error",
        replace: bool = False,
    ) -> None:
        """Give a table a name: a path, a Spark, pandas or Arrow table, plain Python data, or `fs.ion("...")`.

        `record_id` is what BY binds: the name of an attribute, or one identifier per record. A line of a JSON file
        that is not JSON is an error; with `malformed="skip"` it is left out, and a warning says how many there were.
        """
        if malformed not in ("error", "skip"):
            raise UnsupportedError(f"malformed={malformed!r} is not known", help="it is 'error' or 'skip'")
        if not replace and (name in self._tables or name in self._views):
            raise AnalysisError(f"'{name}' is registered already", help="say replace=True to replace it")
        self._views.pop(name, None)
        self._tables[name] = _table(source, record_id, malformed)

    def unregister(self, name: str) -> None:
        """Forget a table or a view."""
        if self._tables.pop(name, None) is None and self._views.pop(name, None) is None:
            raise self._unknown(name)

    def _find(self, name: str, among: dict[str, Any]) -> Any:
        """By its exact name, else by the one name that differs only in case."""
        if name in among:
            return among[name]
        alike = [known for known in among if known.lower() == name.lower()]
        return among[alike[0]] if len(alike) == 1 else None

    def _unknown(self, name: str) -> AnalysisError:
        known = [*self._tables, *self._views]
        close = difflib.get_close_matches(name, known, 1)
        listed = f"registered are {', '.join(sorted(known))}" if known else "none is registered"
        return AnalysisError(f"no table '{name}'", help=f"did you mean '{close[0]}'?" if close else listed)

    # Planning --------------------------------------------------------------------------------------------------------

    def plan(
        self,
        text: str,
        *,
        mode: str = "permissive",
        typing: Literal["dynamic", "static"] = "dynamic",
        params: Sequence[Any] | None = None,
    ) -> Plan:
        """Plan a PartiQL statement over the registered tables.

        With `typing="static"` what is known to fail (a wrong argument type, an unknown function, an undefined
        variable) is an `AnalysisError`; otherwise only what has no meaning at all is.
        """
        return self._plan(partiql.parse(text), mode, typing, params)

    def _plan(self, statement: partiql.Statement, mode: str, typing: str, params: Sequence[Any] | None) -> Plan:
        if mode not in [known.value for known in p.Mode]:
            raise UnsupportedError(f"no mode '{mode}'", help="the modes are 'permissive' and 'strict'")
        given = None if params is None else [values.from_python(value) for value in params]
        made = partiql.lower(statement, self, mode=p.Mode(mode), params=given)
        if typing == "static":
            partiql.ensure_static(made)
        return Plan(made)

    def query(self, text: str, *, mode: str = "permissive", params: Sequence[Any] | None = None) -> Result:
        """Run a PartiQL statement. `?` stands for the values of `params`, in order."""
        statement = partiql.parse(text)
        if isinstance(statement, partiql.Explain):
            return Result(Known(self.explain(self._plan(statement.statement, mode, "dynamic", params))), "session")
        return self.run(self._plan(statement, mode, "dynamic", params))

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The table or view of that path of (name, quoted), as planning asks for it: its name and its type."""
        name = ".".join(part for part, _ in path)
        known = {**self._tables, **self._views}
        found = name if name in known else None
        if found is None and not all(quoted for _, quoted in path):
            alike = [other for other in known if other.lower() == name.lower()]
            found = alike[0] if len(alike) == 1 else None
        if found is None:
            return None
        type_ = self._tables[found].type if found in self._tables else self._views[found].query.type
        return tuple(found.split(".")), type_

    def open(self, files: p.Files) -> t.Type:
        """The type of files that a plan names, if they may be read."""
        return self._opened(files).type

    def _opened(self, files: p.Files) -> Table:
        """Files that a plan names, if they may be read: found and judged anew each time."""
        try:
            source = writes.named_files(files, self._policy)
            return Table(source, tables.parts_type(source))
        except FiresteelError as error:
            raise error.located(files.where) from None

    # Running ---------------------------------------------------------------------------------------------------------

    def run(self, source: Plan | p.Plan | str | Path | bytes | Any, *, params: Params = None) -> Result:
        """Run a plan: one that was read, its node, what `fs.read_plan` reads, or a protobuf message of Substrait's.

        `params` are the values of its parameters, in order or by their numbers. What the plan writes is written; its
        one root is the answer, and a plan without one gives no rows.
        """
        answers = self.run_all(source, params=params)
        if len(answers) > 1:
            raise PlanError(f"the plan has {len(answers)} roots", help="`run_all` gives the answer of each")
        return answers[0] if answers else Result(Known(values.Bag()), "session")

    def run_all(self, source: Plan | p.Plan | str | Path | bytes | Any, *, params: Params = None) -> list[Result]:
        """Run all that a plan says, in order: the answer of every root."""
        node, repairs = self._lowered(source, params)
        whole = node.statement
        answers: list[Result] = []
        kept: dict[str, Any] = {}
        for statement in whole.statements if isinstance(whole, p.Script) else (whole,):
            if self._changes_a_file(statement):  # what was asked for before does not see it
                for earlier in answers:
                    earlier.value()
            answer = self._done(node.replace(statement=statement), kept)
            if answer is not None:
                answer.repairs = repairs
                answers.append(answer)
        return answers

    def _done(self, node: p.Plan, kept: dict[str, Any]) -> Result | None:
        """Do what one statement says; the answer, if it gives one."""
        ensure(node)
        match node.statement:
            case CreateView():
                self._create_view(node, node.statement)
                return None
            case p.CreateTable():
                self._create_table(node, node.statement, kept)
                return None
            case p.Insert():
                self._insert(node, node.statement, kept)
                return None
            case p.Drop():
                self._drop(node.statement)
                return None
        node, used, engine = self._prepared(node)
        return Result(engine.run(node, used, _shared(kept, engine)), engine.name)

    def _lowered(
        self, source: Plan | p.Plan | str | Path | bytes | Any, params: Params = None
    ) -> tuple[p.Plan, tuple[Repair, ...]]:
        """The plan over this session's tables, and what was put right in it."""
        if isinstance(source, p.Plan):
            node, repairs = source, tuple[Repair, ...]()
        else:
            lowered = (source if isinstance(source, Plan) else read_plan(source)).lowered(self)
            node, repairs = lowered.plan, lowered.repairs
        given = params if isinstance(params, Mapping) else dict(enumerate(params or ()))
        return bind_parameters(node, {i: values.from_python(value) for i, value in given.items()}), repairs

    def explain(
        self, source: Plan | p.Plan | str, *, mode: str = "permissive", params: Sequence[Any] | None = None
    ) -> str:
        """A plan, or that of a PartiQL statement, as this session would run it: a tree, one line per node, and a line
        below it for every expression that would run in Python, with the reason."""
        node, _ = self._lowered(self.plan(source, mode=mode, params=params) if isinstance(source, str) else source)
        ensure(node)
        if not isinstance(node.statement, p.Query | p.Root):
            return explain(node)
        node, used, engine = self._prepared(node)
        node, fallbacks = engine.explain(node, used)
        return explain(node, marks=[(rex, f"python: {reason}") for rex, reason in fallbacks])

    def check(self, source: Plan | str | Path | bytes | Any) -> Findings:
        """What there is to say of a plan over this session's tables and of its engine, without running it."""
        read = source if isinstance(source, Plan) else read_plan(source)
        found = read.check(self)
        if not found:
            plan = read.lowered(self).plan
            made = writes.made_names(plan.statement)
            for binding in plan.globals:
                try:
                    if self._view_of(binding) is None and binding.name.lower() not in made:
                        self._table_of(binding)
                except FiresteelError as error:
                    found.append(error)
            if not found and not made:
                found.extend(self._refused(plan))
        return found

    def _refused(self, plan: p.Plan) -> Iterator[FiresteelError]:
        """What the engine would not do of a plan. One that waits for the values of parameters is not asked about."""
        whole = plan.statement
        for statement in whole.statements if isinstance(whole, p.Script) else (whole,):
            nodes = list(walk(statement))
            if not isinstance(statement, p.Query | p.Root) or any(isinstance(one, p.Parameter) for one in nodes):
                continue
            try:
                node, used, engine = self._prepared(plan.replace(statement=statement))
                engine.explain(node, used)
            except FiresteelError as error:
                yield error

    def _prepared(self, node: p.Plan) -> tuple[p.Plan, list[Table], Engine]:
        """The plan as it runs, the tables that it refers to, and what runs it."""
        node = inline_views(_referred(node), self._view_of)
        node, used = self._bind(node)
        node = optimize(node, skip=self._skip_passes)
        return node, used, self._reference if self._in_process and not used else self._engine

    def _bind(self, node: p.Plan) -> tuple[p.Plan, list[Table]]:
        """The plan over the tables that it refers to, with the types that these have."""
        node = _referred(node)
        used = [self._table_of(binding) for binding in node.globals]
        return infer_types(node, [table.type for table in used]), used

    def _view_of(self, binding: GlobalBinding) -> View | None:
        found: View | None = None if binding.files is not None else self._find(binding.name, self._views)
        return found

    def _table_of(self, binding: GlobalBinding) -> Table:
        if binding.files is not None:
            return self._opened(binding.files)
        table: Table | None = self._find(binding.name, self._tables)
        if table is None:
            raise self._unknown(binding.name).located(binding.where)
        if not t.overlap(table.type, binding.type):
            raise AnalysisError(f"'{binding.name}' is a {table.type}, and the plan wants a {binding.type}")
        return table

    # Writing ---------------------------------------------------------------------------------------------------------

    def _create_view(self, node: p.Plan, statement: CreateView) -> None:
        if statement.columns:
            raise UnsupportedError("create_view with columns is not supported: the document leaves them undefined")
        known = self._known(statement.name)
        if known is not None and not (statement.replace_existing and known in self._views):
            raise AnalysisError(
                f"'{statement.name}' is registered already", where=statement.where, help="unregister it first"
            )
        if known is not None:
            del self._views[known]
        node = _referred(node)
        assert isinstance(node.statement, CreateView)
        self._views[statement.name] = View(node.statement.query, node.globals, statement.mode)

    def _create_table(self, node: p.Plan, statement: p.CreateTable, kept: dict[str, Any]) -> None:
        name = ".".join(statement.path)
        known = self._known(name)
        if known is not None and statement.exists is p.IfExists.IGNORE:
            return
        if known is not None and statement.exists is p.IfExists.APPEND:
            if statement.input is not None:
                more = p.Insert(statement.path, statement.columns, statement.input).at(statement.where)
                self._insert(node, more, kept)
            return
        if known is not None and (statement.exists is p.IfExists.ERROR or known in self._views):
            is_view = ", as a view" if known in self._views else ""
            raise AnalysisError(f"'{name}' is registered already{is_view}", where=statement.where)
        columns = statement.columns
        if statement.input is None:
            source = self._engine.keep(None, (), columns, None)
        else:
            root, used, _ = self._prepared(writes.written(node, statement.input, columns))
            columns = writes.kept_columns(root, columns)
            source = self._engine.keep(root, used, columns, None, _shared(kept, self._engine))
        self._tables.pop(known or name, None)
        self._tables[name] = Table(source, t.Bag(t.Struct(columns, open=False)))

    def _insert(self, node: p.Plan, statement: p.Insert, kept: dict[str, Any]) -> None:
        name = self._known(".".join(statement.path))
        if name is None:
            raise self._unknown(".".join(statement.path)).located(statement.where)
        if name in self._views:
            raise UnsupportedError(f"adding rows to '{name}', which is a view", where=statement.where)
        table = self._tables[name]
        created = isinstance(table.source, tables.Stored) or (
            isinstance(table.source, tables.Memory) and table.source.declared
        )
        if not created:
            writes.ensure_writable(table, name, self._policy, statement.where)
        rows, columns = writes.added(statement, name, table)
        root, used, engine = self._prepared(writes.written(node, rows, columns))
        if created:
            source = self._engine.keep(root, used, columns, table.source, _shared(kept, self._engine))
            self._tables[name] = Table(source, table.type)
            return
        found = values.items(engine.run(root, used, _shared(kept, engine)).value()) or []
        writes.ensure_required(found, columns, statement.where)
        self._tables[name] = writes.extended(table, found)

    def _changes_a_file(self, statement: p.Statement) -> bool:
        if not isinstance(statement, p.Insert | p.CreateTable):
            return False
        table = self._find(".".join(statement.path), self._tables)
        return table is not None and isinstance(table.source, tables.File)

    def _drop(self, statement: p.Drop) -> None:
        name = ".".join(statement.path)
        known = self._known(name)
        if known is None:
            if not statement.if_exists:
                raise self._unknown(name).located(statement.where)
            return
        if (known in self._views) is not statement.view:
            is_, not_ = ("view", "table") if known in self._views else ("table", "view")
            raise AnalysisError(f"'{known}' is a {is_}, not a {not_}", where=statement.where)
        self.unregister(known)

    def _known(self, name: str) -> str | None:
        """The name of the table or view that a plan means: the same, or the one that differs only in case."""
        return self._find(name, {known: known for known in (*self._tables, *self._views)})  # type: ignore[no-any-return]

    @property
    def _engine(self) -> Engine:
        """The engine, started when it is first needed."""
        if self._started is None:
            self._started = self._start()
        return self._started

    def close(self) -> None:
        """Give back what the session started, and forget the tables that plans created on Spark."""
        self._tables = {name: one for name, one in self._tables.items() if not isinstance(one.source, tables.Stored)}
        if self._started is not None:
            self._started.close()
            self._started = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _shared(kept: dict[str, Any], engine: Engine) -> Any:
    """What the statements of one plan share on an engine."""
    if engine.name not in kept:
        kept[engine.name] = engine.together()
    return kept[engine.name]


def _referred(node: p.Plan) -> p.Plan:
    """The plan with those of its globals that its statement refers to."""
    referred = sorted({rex.ordinal for rex in walk(node.statement) if isinstance(rex, Global)})
    kept = tuple(node.globals[i] for i in referred)
    return _renumber(node, {old: new for new, old in enumerate(referred)}).replace(globals=kept)


def _renumber(node: p.Plan, ordinals: dict[int, int]) -> p.Plan:
    from firesteel.node import transform

    if all(old == new for old, new in ordinals.items()):
        return node
    change = lambda rex: rex.replace(ordinal=ordinals[rex.ordinal]) if isinstance(rex, Global) else rex  # noqa: E731
    return node.replace(statement=transform(node.statement, change))


def _table(source: Any, record_id: str | Iterable[Any] | None, malformed: str = "error") -> Table:
    """A table of whatever a user has."""
    if isinstance(source, str | Path) and not isinstance(source, values.Text | values.Symbol):
        file = tables.file(source)
        return Table(file, tables.file_type(file), _attribute(record_id), malformed)
    module = type(source).__module__.partition(".")[0]
    if module == "pyspark":
        from firesteel.spark import frame_type

        return Table(tables.Frame(source), frame_type(source), _attribute(record_id))
    if module == "pandas":
        import pyarrow as pa

        source, module = pa.Table.from_pandas(source, preserve_index=False), "pyarrow"
    if module == "pyarrow":
        return Table(tables.Arrow(source), t.Bag(tables.arrow_type(source.schema)), _attribute(record_id))
    return tables.memory(source, record_id)


def ion(text: str | bytes) -> values.Value:
    """A value written in Ion, as the conformance suite writes values: `fs.ion("$bag::[1, 2]")`."""
    value = loads(text)
    return values.Text(value) if type(value) is str else value


def _attribute(record_id: str | Iterable[Any] | None) -> str | None:
    if record_id is None or isinstance(record_id, str):
        return record_id
    raise UnsupportedError("a list of record identifiers goes with data in memory; name an attribute instead")


__all__ = ["Engine", "FiresteelError", "Outcome", "Result", "Session", "connect"]
