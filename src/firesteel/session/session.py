"""Sessions: the only place that knows both ends. Read, plan, passes, engine, result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from firesteel import partiql, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, ParseError, PlanError, UnsupportedError
from firesteel.explain import explain
from firesteel.ion import loads
from firesteel.node import has
from firesteel.passes import bind_parameters, optimize
from firesteel.plan.check import ensure
from firesteel.plan.findings import Findings
from firesteel.policy import Policy
from firesteel.repair import Repair
from firesteel.session.catalog import Catalog
from firesteel.session.document import Plan, read_plan
from firesteel.session.engines import Engine, Known, Outcome, Reference
from firesteel.session.plan_cache import Lowered, Planned
from firesteel.session.results import Result
from firesteel.session.statements import Prepared, Statements
from firesteel.source import Source, Span
from firesteel.warning import QueryWarning

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
        self._catalog = Catalog(policy)
        self._planned = Planned(self._catalog)

    # Tables and views ------------------------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        source: Any,
        *,
        record_id: str | Iterable[Any] | None = None,
        malformed: Literal["error", "skip"] = "error",
        encoding: str | None = None,
        replace: bool = False,
    ) -> None:
        """Give a table a name: a path, a Spark, pandas or Arrow table, plain Python data, or `fs.ion("...")`.

        `record_id` is what BY binds: the name of an attribute, or one identifier per record. A line of a JSON file
        that is not JSON is an error; with `malformed="skip"` it is left out, and a warning says how many there were.
        A CSV file that is not UTF-8 has to be said to be: `encoding="latin-1"`.
        """
        self._catalog.register(
            name, source, record_id=record_id, malformed=malformed, encoding=encoding, replace=replace
        )

    def unregister(self, name: str) -> None:
        """Forget a table or a view."""
        self._catalog.remove(name)

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The table or view of that path of (name, quoted), as planning asks for it: its name and its type."""
        return self._catalog.find(path)

    def open(self, files: p.Files) -> t.Type:
        """The type of files that a plan names, if they may be read."""
        return self._catalog.open(files)

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
        variable), and what is warned of otherwise, is an `AnalysisError`; else only what has no meaning at all is.
        """
        return self._plan(partiql.parse(_text(text)), mode, typing, params)

    def _plan(self, statement: partiql.Statement, mode: str, typing: str, params: Sequence[Any] | None) -> Plan:
        if mode not in [known.value for known in p.Mode]:
            raise UnsupportedError(f"no mode '{mode}'", help="the modes are 'permissive' and 'strict'")
        given = None if params is None else [values.from_python(value) for value in params]
        warnings: list[QueryWarning] = []
        made = partiql.lower(statement, self, mode=p.Mode(mode), params=given, warnings=warnings)
        if typing == "static":
            partiql.ensure_static(made)
            for warning in warnings:
                raise warning.as_error()
        return Plan(made, warnings=tuple(warnings))

    def query(self, text: str, *, mode: str = "permissive", params: Sequence[Any] | None = None) -> Result:
        """Run a PartiQL statement. `?` stands for the values of `params`, in order."""
        text = _text(text)

        def made() -> Plan | partiql.Explain:
            statement = partiql.parse(text)
            if isinstance(statement, partiql.Explain):
                return statement
            return self._plan(statement, mode, "dynamic", params)

        plan = made() if params is not None else self._planned.text(text, mode, made)
        if isinstance(plan, partiql.Explain):
            explained = self._plan(plan.statement, mode, "dynamic", params)
            result = Result(Known(self.explain(explained)), "session")
            result.warnings = explained.warnings
            return result
        return self.run(plan)

    # Running ---------------------------------------------------------------------------------------------------------

    def run(self, source: Plan | p.Plan | str | Path | bytes | Any, *, params: Params = None) -> Result:
        """Run a plan: one that was read, its node, what `fs.read_plan` reads, or a protobuf message of Substrait's.

        `params` are the values of its parameters, in order or by their numbers. What the plan writes is written; its
        one root is the answer, and a plan without one gives no rows.
        """
        answers = self.run_all(source, params=params)
        if len(answers) > 1:
            raise PlanError(f"the plan has {len(answers)} roots", help="`run_all` gives the answer of each")
        if answers:
            return answers[0]
        nothing = Result(Known(values.Bag()), "session")
        nothing.warnings = _warnings(source)
        return nothing

    def run_all(self, source: Plan | p.Plan | str | Path | bytes | Any, *, params: Params = None) -> list[Result]:
        """Run all that a plan says, in order: the answer of every root."""
        node, repairs = self._lowered(source, params)
        statements = self._statements(self._catalog)
        answers: list[Result] = []
        for statement in node.statements:
            if statements.changes_a_file(statement):  # what was asked for before does not see it
                for earlier in answers:
                    earlier.value()
            answer = statements.do(node.replace(statement=statement))
            if answer is not None:
                answer.repairs, answer.warnings = repairs, _warnings(source)
                answers.append(answer)
        return answers

    def _lowered(
        self, source: Plan | p.Plan | str | Path | bytes | Any, params: Params = None
    ) -> tuple[p.Plan, tuple[Repair, ...]]:
        """The plan over this session's tables, checked, and what was put right in it."""

        def made() -> Lowered:
            if isinstance(source, p.Plan):
                node, repairs = source, tuple[Repair, ...]()
            else:
                lowered = (source if isinstance(source, Plan) else read_plan(source)).lowered(self)
                node, repairs = lowered.plan, lowered.repairs
            given = params if isinstance(params, Mapping) else dict(enumerate(params or ()))
            node = bind_parameters(node, {i: values.from_python(value) for i, value in given.items()})
            ensure(node)
            return node, repairs

        return made() if params else self._planned.lowered(source, made)

    def explain(
        self, source: Plan | p.Plan | str, *, mode: str = "permissive", params: Sequence[Any] | None = None
    ) -> str:
        """A plan, or that of a PartiQL statement, as this session would run it: a tree, one line per node, and a line
        below it for every expression that would run in Python, with the reason. Each of several statements has a tree,
        and sees what those before it would have made."""
        node, _ = self._lowered(self.plan(source, mode=mode, params=params) if isinstance(source, str) else source)
        statements = self._statements(self._catalog.copy())
        trees = []
        for statement in node.statements:
            plan, fallbacks = statements.foresee(node.replace(statement=statement))
            trees.append(explain(plan, marks=[(rex, f"python: {reason}") for rex, reason in fallbacks]))
        return "\n\n".join(trees)

    def check(self, source: Plan | str | Path | bytes | Any) -> Findings:
        """What there is to say of a plan over this session's tables and of its engine, without running it."""
        read = source if isinstance(source, Plan) else read_plan(source)
        found = read.check(self)
        if not found:
            plan = read.lowered(self).plan
            found.extend(self._catalog.missing(plan))
            if not found:
                found.extend(self._refused(plan))
        return found

    def _refused(self, plan: p.Plan) -> Iterator[FiresteelError]:
        """What the engine would not do of a plan. A query that waits for the values of parameters is not asked about;
        nor is what comes behind a statement that cannot be foreseen and may change what is there."""
        statements = self._statements(self._catalog.copy())
        for statement in plan.statements:
            foreseen = False
            if not has(statement, p.Parameter):
                try:
                    statements.foresee(plan.replace(statement=statement))
                    foreseen = True
                except FiresteelError as error:
                    yield error
            if not foreseen and not isinstance(statement, p.Query | p.Root):
                return

    def _statements(self, catalog: Catalog) -> Statements:
        return Statements(catalog, lambda: self._engine, self._prepared)

    def _prepared(self, node: p.Plan, catalog: Catalog) -> Prepared:
        """The plan as it runs: over its tables, typed and optimized. One without tables may run in this process."""

        def made() -> Prepared:
            bound, used = catalog.bind(node)
            engine = self._reference if self._in_process and not used else self._engine
            return Prepared(optimize(bound, skip=self._skip_passes), used, engine)

        return self._planned.prepared(node, made) if catalog is self._catalog else made()

    @property
    def _engine(self) -> Engine:
        """The engine, started when it is first needed."""
        if self._started is None:
            self._started = self._start()
        return self._started

    def forget(self) -> None:
        """Forget the plans that were made before. The same ones, asked for again, are made anew."""
        self._planned.forget()
        if self._started is not None:
            self._started.forget()

    def close(self) -> None:
        """Give back what the session started, and forget the tables that plans created on Spark."""
        self._catalog.forget_stored()
        if self._started is not None:
            self.forget()
            self._started.close()
            self._started = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _text(text: Any) -> str:
    """The text of a query, if it is one that can be encoded."""
    if not isinstance(text, str):
        raise ParseError(f"a query is text, not a {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        where = Span(Source(text.encode("utf-8", "replace").decode(), "<query>"), error.start, error.start + 1)
        raise ParseError("half of a surrogate pair is no character", where=where) from None
    return text


def _warnings(source: object) -> tuple[QueryWarning, ...]:
    return source.warnings if isinstance(source, Plan) else ()


def ion(text: str | bytes) -> values.Value:
    """A value written in Ion, as the conformance suite writes values: `fs.ion("$bag::[1, 2]")`."""
    value = loads(text)
    return values.Text(value) if type(value) is str else value


__all__ = ["Engine", "FiresteelError", "Outcome", "Result", "Session", "connect"]
