"""The class `Session`. `Session.run_all` shows the way of a query from its source to the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from firesteel import partiql, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, ParseError, PlanError, UnsupportedError
from firesteel.explain import Profile, explain, explain_steps
from firesteel.explain.rows import cut, html_details, html_page_part, html_text
from firesteel.functions.users import FunctionKind, UserFunctions
from firesteel.lazy import LazyModule, ensure
from firesteel.node import has
from firesteel.passes import Step, Unordered
from firesteel.plan.findings import Findings
from firesteel.policy import Policy
from firesteel.session.catalog import Catalog
from firesteel.session.databases import tables_in, values_in
from firesteel.session.describe import Description, Found, describe, found_in
from firesteel.session.document import Headers, Plan, ensure_size
from firesteel.session.engines import Engine, Engines, Known, Outcome, Reference, Watch
from firesteel.session.plan_cache import Prepared
from firesteel.session.planner import Params, Planner, PlanSource
from firesteel.session.results import Result
from firesteel.session.statements import Foreseen, Statements
from firesteel.session.writes import virtual_table
from firesteel.source import Source, Span
from firesteel.tables import File, OrderedColumn, Table
from firesteel.tables.sizes import SMALL_INPUT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from firesteel import lineage as tracing
    from firesteel import pages
    from firesteel.lineage import Lineage
    from firesteel.session import foreseen_pages
else:  # a query needs none of it
    tracing, pages = LazyModule("firesteel.lineage"), LazyModule("firesteel.pages")
    foreseen_pages = LazyModule("firesteel.session.foreseen_pages")


def connect(
    *,
    engine: Literal["spark", "reference", "auto"] = "spark",
    spark: SparkSession | None = None,
    master: str | None = None,
    remote: str | None = None,
    conf: Mapping[str, str] | None = None,
    small_input: int = SMALL_INPUT,
    in_process: bool = True,
    fallback: Literal["allow", "refuse"] = "allow",
    skip_passes: Collection[str] = (),
    verify_passes: bool = False,
    policy: Policy | None = None,
    warehouse: str | Path | None = None,
    shapes: str | Path | bool = True,
    verify_properties: bool = False,
    add_sorts: bool = False,
    spark_functions: bool = False,
    spark_catalog: bool = True,
    catalog: str | Path | None = None,
) -> Session:
    """Open a session: on local Spark by default, or in this process with `engine="reference"`. With `engine="auto"`
    plans over at most `small_input` bytes run in this process, others on Spark; all, if one is named, as by `conf`.

    Spark starts when a plan first needs it. With `in_process` (the default) a plan without tables is answered by the
    reference evaluator. An expression without a native form on Spark runs in its Python workers; with
    `fallback="refuse"` it is an `UnsupportedError`. `skip_passes` names optimizing passes to leave out
    (docs/passes.md), and with `verify_passes` the plan is checked after every pass. `policy` says which files a plan
    may name, by default none. Tables that plans create exist until the session is closed. On Spark they are stored in a
    folder in `warehouse`, which all machines of a cluster have to see; local Spark uses a temporary folder by default.
    Views exist until then, too, or are kept in the file (Ion) that `catalog` names. Tables and views of the Spark
    session are visible by name if nothing else has it; not with `spark_catalog=False`. With `spark_functions` a query
    may call Spark's functions: `spark.levenshtein(a, b)`. The shape of a file of JSON lines (its paths, and the types
    of their values) is learned, and used by Spark until the file changes. `shapes` names a folder where shapes are kept
    for other processes; with False none is learned.
    With `verify_properties` the orders and distributions that tables and plans promise are checked against the rows. A
    plan with inputs that have to be ordered (as a merge join's), and are not known to be, is refused, or with
    `add_sorts` gets a sort there.
    """
    _ensure_one_of("fallback", fallback, "allow", "refuse")
    _ensure_engine(engine)
    names_spark = any(given is not None for given in (spark, master, remote))
    bound = small_input if engine == "auto" and not (names_spark or conf or spark_functions) else None

    given = dict(master=master, remote=remote, conf=conf, fallback=fallback, warehouse=warehouse, shapes=shapes)
    return Session(
        lambda: _started(engine, spark, given),
        in_process=in_process or engine == "reference",
        skip_passes=skip_passes,
        verify_passes=verify_passes,
        policy=policy,
        verify_properties=verify_properties,
        unordered=Unordered.SORT if add_sorts else Unordered.REFUSE,
        spark_functions=spark_functions,
        shared=engine != "reference" and names_spark,
        small=bound,
        spark_catalog=spark_catalog,
        catalog=catalog,
    )


def _ensure_one_of(what: str, given: str, *known: str) -> None:
    if given not in known:
        raise UnsupportedError(f"no {what} '{given}'", help=f"it is one of {', '.join(known)}")


def _ensure_engine(engine: str) -> None:
    _ensure_one_of("engine", engine, "spark", "reference", "auto")
    if engine == "spark":
        ensure("pyspark")


#: How many tables a notebook shows.
_SHOWN = 50


def _started(engine: str, spark: SparkSession | None, options: Mapping[str, Any]) -> Engine:
    """The engine of a session, made now."""
    if engine == "reference":
        return Reference()
    ensure("pyspark")
    from firesteel.spark import SparkEngine

    return SparkEngine(spark, **options)


class Session:
    """Tables and views, and an engine to run plans over them. Use it as a context manager, or call `close`."""

    def __init__(
        self,
        start: Callable[[], Engine],
        *,
        in_process: bool,
        skip_passes: Collection[str] = (),
        verify_passes: bool = False,
        policy: Policy | None = None,
        verify_properties: bool = False,
        unordered: Unordered = Unordered.REFUSE,
        spark_functions: bool = False,
        shared: bool = False,
        small: int | None = None,
        spark_catalog: bool = True,
        catalog: str | Path | None = None,
    ) -> None:
        self._engines = Engines(start, in_process=in_process, shared=shared, small=small)
        self._spark_catalog = spark_catalog
        self._planner = Planner(
            Catalog(policy, self._engines.find_table if spark_catalog else None, catalog),
            self._engines,
            skip=skip_passes,
            verify=verify_passes,
            verify_properties=verify_properties,
            unordered=unordered,
            users=UserFunctions(spark=spark_functions),
        )
        if catalog is not None:
            self._planner.load_views(catalog)

    @property
    def _catalog(self) -> Catalog:
        return self._planner.catalog

    # Tables and views ------------------------------------------------------------------------------------------------

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
        """Register a table under a name: a path, a list of `Path` objects, a Spark, pandas or Arrow table, plain Python
        data, or `fs.ion("...")`. `format` names the format of files whose suffix does not say it, and `options` are
        those of the format: `options={"delimiter": ";", "header": False}` (docs/formats.md lists them).

        `record_id` is what BY binds: the name of an attribute, or one identifier per record. A line of a JSON file
        that is not JSON is an error; with `malformed="skip"` it is skipped, and a warning gives the number of such
        lines. A CSV file that is not UTF-8 needs its encoding: `encoding="latin-1"`, which is short for the option.

        `schema` gives the columns of JSON, Ion or delimited text, as `to_spark` takes it: `schema="id int, v double"`.
        Spark relies on it, and reads plain columns at once. With `check=True` the files are tested before they are
        read, and the first value that does not fit is an error that names it (docs/guide.md).

        `ordered_by` and `partitioned_by` promise an order of the rows of each partition (`["a", "b.c desc"]`), and that
        rows with equal values in some columns are in one partition (`["a"]`, or `"singleton"`: there is one partition).
        Plans may rely on that; a promise that is not true gives wrong answers, unless the session verifies properties.
        """
        self._catalog.register(
            name,
            source,
            record_id=record_id,
            malformed=malformed,
            encoding=encoding,
            format=format,
            options=options,
            schema=schema,
            check=check,
            ordered_by=ordered_by,
            partitioned_by=partitioned_by,
            replace=replace,
        )

    def register_folder(self, folder: str | Path, prefix: str | None = None, *, replace: bool = False) -> list[str]:
        """Register a folder as a database: each file and each folder in it is a table, by its name without suffixes,
        behind `prefix` and a dot. Returns the names. What is of no known format is left out, and so is what is hidden.
        """
        found = tables_in(folder, prefix)
        for name, path in found.items():
            self.register(name, path, replace=replace)
        return list(found)

    def register_environment(self, path: str | Path, *, replace: bool = False) -> list[str]:
        """Register the values of an environment file: a struct in Ion, or an object in JSON. Each attribute is a table
        of that name. Returns the names."""
        found = values_in(path, self._catalog.policy.unpacking)
        for name, value in found.items():  # a string is a value here, not a path
            self.register(name, values.Text(value) if isinstance(value, str) else value, replace=replace)
        return list(found)

    def tables(self) -> list[str]:
        """The names of the tables and views that are registered, and of those that Spark's session lists."""
        listed = self._engines.table_names() if self._spark_catalog else []
        return sorted({*self._catalog.names(), *listed})

    def describe(self, name: str) -> Description:
        """What is known of a table or view: its columns with their types, its files, what is promised of it."""
        entry = self._catalog.get(name) or self._catalog.outside(name.split("."))
        if entry is None:
            raise self._catalog.unknown(name)
        shape = None
        if isinstance(entry, Table) and isinstance(entry.source, File) and entry.source.format == "json":
            shape = "given" if entry.source.schema else self._engines.shape_of(entry.source) or "not learned yet"
        return describe(self._catalog.known(name) or name, entry, shape)

    def paths(self, name: str) -> Found:
        """What is found in the rows of a table or view: by its schema, or in its first records where it has none."""
        entry = self._catalog.get(name) or self._catalog.outside(name.split("."))
        if entry is None:
            raise self._catalog.unknown(name)
        return found_in(entry)

    def unregister(self, name: str) -> None:
        """Remove a table or a view from the session."""
        self._catalog.remove(name)

    def register_function(
        self,
        name: str,
        function: Any,
        signature: str,
        *,
        kind: FunctionKind = "scalar",
        vectorized: bool = False,
        takes_null: bool = False,
        urn: str | None = None,
        replace: bool = False,
    ) -> None:
        """Register a function that queries of this session call by its name: `"(int, string) -> int"` says what it
        takes and gives. It is given and gives plain Python values, or with `vectorized` Arrow arrays. A UDF of Spark's
        (`udf`, `pandas_udf`) runs as such on Spark.

        A function of `kind="aggregate"` is given a list of values for each parameter; one of `kind="table"` gives rows,
        for FROM. If an argument is NULL or MISSING the result is, and the function is not called, unless it
        `takes_null`. With `urn` plans of Substrait call it too. docs/guide.md says what its exceptions become.
        """
        self._planner.users.register(
            name,
            function,
            signature,
            kind=kind,
            vectorized=vectorized,
            takes_null=takes_null,
            urn=urn,
            replace=replace,
        )

    def unregister_function(self, name: str) -> None:
        """Forget a function that was registered."""
        self._planner.users.unregister(name)

    def find(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of the table or view that a path of (name, quoted) refers to. Planning calls this."""
        return self._catalog.find(path)

    def find_outside(self, path: Sequence[tuple[str, bool]]) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of the table of Spark's own catalog that a path refers to. Planning calls this."""
        return self._catalog.find_outside(path)

    def find_file(self, path: str) -> tuple[tuple[str, ...], t.Type] | None:
        """The name and the type of the files that a text in FROM names. Planning calls this."""
        return self._catalog.find_file(path)

    def open(self, files: p.Files) -> t.Type:
        """The type of files that a plan names; PolicyError if they may not be read."""
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

        With `typing="static"` an expression that is known to fail (a wrong argument type, an unknown function, an
        undefined variable), and everything that is otherwise a warning, is an `AnalysisError`.
        """
        ensure_size(text, self._catalog.policy.max_plan)
        return self._planner.plan_statement(partiql.parse(_text(text)), mode, params, typing)

    def typed(self, source: PlanSource) -> Plan:
        """The plan over the registered tables, with the types of their columns: those of a plan that does not say them
        are not known before."""
        return Plan(self._planner.typed(self._planner.lower(self._planner.read(source)).plan))

    def query(
        self, text: str, *, mode: str = "permissive", params: Sequence[Any] | None = None, schema: Any = None
    ) -> Result:
        """Run a PartiQL statement. `?` stands for the values of `params`, in order. The columns of the result have the
        types of the `schema`, if there is one (see `Result.to_arrow`)."""
        planned = self._planner.plan_text(_text(text), mode, params)
        if isinstance(planned, partiql.Explain):
            return self._explanation(planned, mode, params)
        return self.run(planned).asking(schema)

    def script(
        self, text: str, *, mode: str = "permissive", params: Sequence[Any] | None = None, name: str = "<query>"
    ) -> Iterator[Result]:
        """Run the PartiQL statements of a text, which semicolons part, one after the other: the answer of each that has
        one. The text is parsed first, so that nothing runs if there is a mistake in it. `name` is the name of the text
        in errors."""
        ensure_size(_text(text), self._catalog.policy.max_plan)
        for statement in partiql.parse_script(text, name):
            if isinstance(statement, partiql.Explain):
                yield self._explanation(statement, mode, params)
            else:
                yield from self.run_all(self._planner.plan_statement(statement, mode, params))

    def _explanation(self, statement: partiql.Explain, mode: str, params: Sequence[Any] | None) -> Result:
        explained = self._planner.plan_statement(statement.statement, mode, params)
        result = Result(Known(self.explain(explained)), "session")
        result.warnings = explained.warnings
        return result

    # Running ---------------------------------------------------------------------------------------------------------

    def run(self, source: PlanSource, *, params: Params = None, dialect: str = "auto", headers: Headers = ()) -> Result:
        """Run a plan: a `Plan`, its node, anything that `fs.read_plan` reads, or a protobuf message of Substrait.

        `params` are the values of its parameters, as a list or by their numbers. Statements of the plan that write are
        executed. The result is the answer of its one root; a plan without a root gives no rows. `dialect` says as whose
        plan a Substrait plan is read, if not as its producer's; `headers` are those of the namespaces that a PartiQL
        Plan document imports.
        """
        document = self._planner.read(source, dialect, headers)
        answers = self.run_all(document, params=params)
        if len(answers) > 1:
            raise PlanError(f"the plan has {len(answers)} roots", help="`run_all` gives the answer of each")
        if answers:
            return answers[0]
        nothing = Result(Known(values.Bag()), "session")
        nothing.warnings = document.warnings
        return nothing

    def run_all(
        self, source: PlanSource, *, params: Params = None, dialect: str = "auto", headers: Headers = ()
    ) -> list[Result]:
        """Run all statements of a plan, in order: the answer of every root."""
        document = self._planner.read(source, dialect, headers)
        lowered = self._planner.lower(document, params)
        statements = Statements(self._planner)
        answers: list[Result] = []
        for node in _each_statement(lowered.plan):
            if statements.changes_a_file(node.statement):  # earlier answers must not see the change: compute them now
                for earlier in answers:
                    earlier.value()
            answer = statements.do(node)  # `Planner.prepare` binds, types, optimizes and lowers; then the engine runs
            if answer is not None:
                answer.repairs, answer.warnings = lowered.repairs, document.warnings or lowered.warnings
                answers.append(answer)
        return answers

    def write_table(
        self,
        name: str,
        source: PlanSource,
        *,
        pin: bool = False,
        mode: Literal["error", "append", "overwrite", "ignore"] = "error",
        params: Params = None,
    ) -> None:
        """Write the rows of a plan, or of a PartiQL text, to a virtual table of this session, which exists until it is
        closed. With `pin` it is kept in memory; without, Spark has it in files, and reads it again when it is needed.
        """
        source, params = self._planned(source, "permissive", params)
        node = self._planner.lower(self._planner.read(source), params).plan
        self.run_all(node.replace(statement=virtual_table(node.statement, name, pin, mode)))

    def explain(
        self,
        source: PlanSource,
        *,
        mode: str = "permissive",
        params: Params = None,
        pipeline: Literal["quiet", "debug"] = "quiet",
    ) -> str:
        """Show a plan, or the plan of a PartiQL text, as this session would run it: a tree with one line per node, and
        below it a line for every expression that would run in Python, with the reason, and for every file without a
        schema, with how its shape is known. Each statement of a plan has its own tree, and sees the tables that earlier
        ones would have created.

        With `pipeline="debug"` it shows the plan after every pass that changes it, with the time that each pass took.
        No engine is started for that.
        """
        if pipeline not in ("quiet", "debug"):
            raise UnsupportedError(f"no pipeline '{pipeline}'", help="it is 'quiet' or 'debug'")
        source, params = self._planned(source, mode, params)
        return self._explained(source, params) if pipeline == "quiet" else self._traced(source, params)

    def _planned(self, source: PlanSource, mode: str, params: Params) -> tuple[PlanSource, Params]:
        """The plan of a text, whose parameters are in it; anything else as it is."""
        if not isinstance(source, str):
            return source, params
        in_order = None if params is None else [params[number] for number in range(len(params))]
        return self.plan(source, mode=mode, params=in_order), None

    def page(
        self,
        source: PlanSource,
        *,
        mode: str = "permissive",
        params: Params = None,
        title: str | None = None,
        profile: Profile | None = None,
    ) -> pages.PlanPage:
        """A plan, or the plan of a PartiQL text, to look at as this session would run it: each statement in every
        notation, on Spark with Spark's plan. `profile` is what a run of its one statement measured (`r.profile()`)."""
        title = title or (" ".join(source.split()) if isinstance(source, str) else "plan")
        source, params = self._planned(source, mode, params)
        planner = self._planner.over(self._catalog.copy())
        return pages.page_of(title, foreseen_pages.foreseen_statements(planner, planner.read(source), params, profile))

    def show_plan(self, source: PlanSource, path: str | Path | None = None, **how: Any) -> pages.PlanPage:
        """Write the page of a plan to an HTML file. Without a path it is opened in a browser, or in a notebook shown
        there. All else is as for `page`."""
        return pages.show(self.page(source, **how), path)

    def _explained(self, source: PlanSource, params: Params) -> str:
        planner = self._planner.over(self._catalog.copy())
        statements = Statements(planner)
        trees = []
        for node in _each_statement(planner.lower(planner.read(source), params).plan):
            plan, notes = statements.foresee(node)
            trees.append(explain(plan, marks=notes))
        return "\n\n".join(trees)

    def _traced(self, source: PlanSource, params: Params) -> str:
        steps: list[Step] = []
        engines: list[str] = []

        def seen(prepared: Prepared) -> Foreseen:
            engines.append(prepared.engine.name)
            return prepared.plan, ()

        planner = self._planner.over(self._catalog.copy(), steps.append)
        statements = Statements(planner, seen)
        parts = []
        for node in _each_statement(planner.lower(planner.read(source), params).plan):
            statements.foresee(node)
            parts.append(explain_steps(steps[0].before if steps else node, steps, engines[-1] if engines else None))
            steps.clear()
            engines.clear()
        return "\n\n".join(parts)

    def lineage(self, source: PlanSource, *, mode: str = "permissive", params: Params = None) -> list[Lineage]:
        """Where the answers of a plan, or of a PartiQL text, come from, statement by statement: tables, paths, and how
        each takes part in each column. It sees through the views of this session, and runs nothing."""
        source, params = self._planned(source, mode, params)
        return tracing.trace(self._planner.inline_views(self._planner.lower(self._planner.read(source), params).plan))

    def check(self, source: Plan | str | Path | bytes | Any, *, dialect: str = "auto") -> Findings:
        """Check a plan over this session's tables and against its engine, without running it."""
        read = self._planner.read(source, dialect)
        found = read.check(self)
        if not found:
            plan = read.lowered(self).plan
            found.extend(self._catalog.missing(plan))
            if not found:
                found.extend(self._refused(plan))
        return found

    def _refused(self, plan: p.Plan) -> Iterator[FiresteelError]:
        """The errors that the engine would raise for a plan. A query with unbound parameters is not checked, nor are
        the statements after one whose effect on the catalog cannot be foreseen."""
        statements = Statements(self._planner.over(self._catalog.copy()))
        for node in _each_statement(plan):
            foreseen = False
            if not has(node.statement, p.Parameter):
                try:
                    unordered = statements.unordered(node)
                    yield from unordered
                    if not unordered:
                        statements.foresee(node)
                    foreseen = not unordered
                except FiresteelError as error:
                    yield error
            if not foreseen and not isinstance(node.statement, p.Query | p.Root):
                return

    def forget(self) -> None:
        """Empty the plan cache. A query that is run again is planned again."""
        self._planner.forget()
        self._engines.forget()

    @property
    def small_input(self) -> int | None:
        """The bound of `engine="auto"` in bytes; None if the engine is not chosen by the input."""
        return self._engines.small

    def start_spark(self) -> None:
        """Start the engine of this session in the background, so that a later query need not wait for Spark."""
        self._engines.start_in_background()

    def watch(self) -> Watch:
        """An object whose `now()` tells another thread how far the query is that runs: seconds, and on Spark stages,
        tasks and how many of these are done. Call its `close` at the end."""
        return self._engines.watch()

    def spark_ui(self) -> str | None:
        """The address of the web page of this session's Spark, which is started for that; None if it has none."""
        context = getattr(getattr(self._engines.main, "spark", None), "sparkContext", None)
        return None if context is None else context.uiWebUrl

    def close(self) -> None:
        """Close what the session started, and drop the tables that plans created on Spark."""
        self._catalog.forget_stored()
        self.forget()
        self._engines.close()

    def __repr__(self) -> str:
        count = len(self._catalog.names())
        return f"<Session with {count} table{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        """The tables of the session, each with its columns, folded."""
        names = self._catalog.names()
        shown = "".join(html_details(name, cut(repr(self.describe(name)))) for name in names[:_SHOWN])
        more = f"<small>and {len(names) - _SHOWN:,} more tables</small>" if len(names) > _SHOWN else ""
        return html_page_part(f"{html_text(repr(self))}{shown}{more}")

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _text(text: Any) -> str:
    """The text of a query; an error if it is no string, or cannot be encoded."""
    if not isinstance(text, str):
        raise ParseError(f"a query is text, not a {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        where = Span(Source(text.encode("utf-8", "replace").decode(), "<query>"), error.start, error.start + 1)
        raise ParseError("half of a surrogate pair is no character", where=where) from None
    return text


def _each_statement(plan: p.Plan) -> list[p.Plan]:
    """A plan of its own for each statement, in order."""
    return [plan.replace(statement=statement) for statement in plan.statements]


__all__ = ["Engine", "FiresteelError", "Outcome", "Result", "Session", "connect"]
