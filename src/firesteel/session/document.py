"""The class `Plan` that users work with: read from any notation, explain, check, write back, convert.

PartiQL Plan and Substrait (without a target) keep a plan whole. The algebra and PartiQL text say what is computed and
not how: they have no words for hints, strategies and partitions. What a form has no words for is dropped and listed, if
the answer is the same without it (`passes.losses`); all else is refused by the writer of the form.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, overload

from firesteel import partiql, plan, values
from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.explain import explain
from firesteel.explain.rows import cut, html_details, html_page_part, shortened
from firesteel.functions.users import UserFunctions
from firesteel.ion import Element, read
from firesteel.lazy import LazyModule
from firesteel.passes import Context, Phase, run_passes
from firesteel.passes.losses import ensure_nothing, losses, without_how
from firesteel.plan.check import ensure
from firesteel.plan.findings import Findings, RepairedPlan, check_plan
from firesteel.plan.lookup import AnyTable, FileLookup, WithoutFiles
from firesteel.policy import Policy
from firesteel.repair import Effect, Repair
from firesteel.warning import QueryWarning

if TYPE_CHECKING:
    from firesteel import compare, pages, partiql_plan, spark, substrait
    from firesteel import lineage as tracing
    from firesteel.lineage import Lineage
    from firesteel.partiql_plan import algebra
    from firesteel.spark import frames
else:  # a query needs none of these
    partiql_plan, substrait = LazyModule("firesteel.partiql_plan"), LazyModule("firesteel.substrait")
    algebra = LazyModule("firesteel.partiql_plan.algebra")
    frames = LazyModule("firesteel.spark.frames")
    spark = LazyModule("firesteel.spark")
    compare, tracing = LazyModule("firesteel.compare"), LazyModule("firesteel.lineage")
    pages = LazyModule("firesteel.pages")

#: Headers of namespaces: files, texts, or what was read from them.
Headers: TypeAlias = "Sequence[partiql_plan.Header | str | Path | bytes]"


class Typing(Protocol):
    """What gives a plan the types of its tables: a session."""

    def typed(self, source: Any) -> Plan:
        """The plan over the session's tables, with the types of their columns."""


@dataclass(frozen=True, repr=False)
class Plan:
    """A query plan. `node` is its root in the algebra (`firesteel.plan`). For a Substrait plan, `message` is what was
    read, and for a PartiQL text `query`; each session that runs it lowers it to the algebra over its own tables."""

    given: plan.Plan | None = None
    message: substrait.Message | None = None
    query: partiql.Statement | None = None
    #: The mode that a PartiQL text is planned in.
    mode: plan.Mode = plan.Mode.PERMISSIVE
    #: The dialect that the message is read in: of its producer (`auto`), or one that is asked for.
    dialect: str = "auto"
    #: Warnings of the query text that the plan was made from.
    warnings: tuple[QueryWarning, ...] = field(default=(), compare=False)
    #: Puts the queries of views in place of their names, as the session that made the plan knows them.
    inline_views: Callable[[plan.Plan], plan.Plan] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def node(self) -> plan.Plan:
        return self.lowered().plan

    def lowered(
        self,
        catalog: FileLookup | None = None,
        *,
        users: UserFunctions | None = None,
        params: Sequence[Any] | None = None,
    ) -> RepairedPlan:
        """The plan in the algebra over the tables of a catalog, and the repairs that were made. `users` are the
        functions that a PartiQL text may call, `params` the values of its `?`."""
        if self.message is not None:
            return substrait.lower(self.message, catalog, self.dialect)
        if self.query is not None:
            given = None if params is None else [values.from_python(value) for value in params]
            tables = AnyTable() if catalog is None else WithoutFiles(catalog)
            warnings: list[QueryWarning] = []
            made = partiql.lower(self.query, tables, mode=self.mode, params=given, warnings=warnings, users=users)
            return RepairedPlan(made, warnings=tuple(warnings))
        assert self.given is not None
        return RepairedPlan(self.given)

    @overload
    def to_ion(self, *, binary: Literal[False] = False, session: Typing | None = None) -> str: ...
    @overload
    def to_ion(self, *, binary: Literal[True], session: Typing | None = None) -> bytes: ...
    def to_ion(self, *, binary: bool = False, session: Typing | None = None) -> str | bytes:
        """The plan as a PartiQL Plan document. A plan that does not say the types of its tables' columns gets them from
        a session."""
        return partiql_plan.write((self if session is None else session.typed(self)).node, binary=binary)

    def to_algebra(self) -> str:
        """The plan as s-expressions of PartiQL's relational algebra."""
        return algebra.write(self.node)

    def to_partiql(self, *, lossy: bool = False) -> str:
        """The plan as PartiQL text. Planned over the same tables, in the plan's mode, it gives the same answers. What
        has no words in PartiQL is an UnsupportedError; hints, strategies and the like are dropped if it is `lossy`."""
        if not lossy:
            ensure_nothing(losses(self.node), "partiql")
        return partiql.write(without_how(self.node))

    def to_spark_sql(self, *, session: Typing | None = None) -> str:
        """The plan as a query in Spark's SQL, over tables of the plan's names. With `spark.sql` it gives the rows that
        running the plan gives, if the session's time zone is UTC. A plan that does not say the types of its tables'
        columns gets them from a session. Nothing is run, and Spark is not started. What has no words in Spark's SQL is
        an UnsupportedError."""
        node = self.inlined if session is None else session.typed(self).node
        context = Context(lowerings=spark.SparkEngine.lowerings)
        return spark.spark_sql(run_passes(node, context, (Phase.TYPE, Phase.OPTIMIZE, Phase.LOWER)))

    def to_substrait(self, target: str | None = None) -> bytes:
        """The plan as a Substrait plan in protobuf's bytes. Without a target it is written by today's specification,
        and `read_plan` reads it as the same plan. A target (`"datafusion"`) is a consumer, and gets what it can
        read."""
        return substrait.encode(substrait.write(self.node, target))

    def to_substrait_json(self, target: str | None = None) -> str:
        """The plan as a Substrait plan in protobuf's JSON."""
        return substrait.to_json(substrait.write(self.node, target))

    def explain(self) -> str:
        """The plan as a tree, one line per node; a Substrait plan by its own relations."""
        return substrait.explain(self.message) if self.message is not None else explain(self.node)

    def page(self, title: str = "plan") -> pages.PlanPage:
        """The plan to look at: each statement in every notation, with the same operator marked in all of them."""
        lowered = self.lowered()
        given = lowered.plan
        facts = pages.Facts(repairs=lowered.repairs)
        notes = tuple(warning.message for warning in self.warnings)
        each = (given.replace(statement=one) for one in given.statements)
        return pages.page_of(title, [pages.Statement(one, self.message, facts, notes=notes) for one in each])

    def show(self, path: str | Path | None = None, title: str = "plan") -> pages.PlanPage:
        """Write the page of the plan to an HTML file. Without a path it is opened in a browser, or in a notebook
        shown there."""
        return pages.show(self.page(title), path)

    def lineage(self) -> Lineage:
        """Where the columns of the plan's one answer come from: tables, paths, and how each takes part. Nothing is run.
        The plan of a session's query sees through the views of the session."""
        found = self.lineages()
        if len(found) != 1:
            raise PlanError(f"the plan has {len(found)} answers", help="`lineages` gives the lineage of each")
        return found[0]

    def lineages(self) -> list[Lineage]:
        """The lineage of every statement that gives or writes rows, in order."""
        return tracing.trace(self.inlined)

    @property
    def inlined(self) -> plan.Plan:
        """The plan in the algebra, with the queries of views in place of their names."""
        return self.node if self.inline_views is None else self.inline_views(self.node)

    def check(self, catalog: FileLookup | None = None) -> Findings:
        """Check the plan: a list of errors, empty if it is valid. The list's `repairs` say what was put right.

        A Substrait plan is checked to its end, over the tables of a catalog or else by the schemas that it declares.
        Without a catalog, inputs have the order that the plan gives them; with one, `Session.check` judges that.
        """
        if self.message is not None:
            return substrait.check(self.message, catalog, self.dialect)
        return check_plan(self.lowered(catalog).plan, orders=catalog is None)

    def ensure(self) -> Plan:
        """Return this plan, or raise the first error of `check`."""
        ensure(self.node)
        return self

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        first, *rest = self.explain().splitlines() or [""]
        return f"<Plan: {shortened(first, 80)}; {len(rest)} more line{'' if len(rest) == 1 else 's'}>"

    def _repr_html_(self) -> str:
        """The tree, and below it the plan in other notations, folded."""
        notations: dict[str, Callable[[], str]] = {
            "relational algebra": self.to_algebra,
            "PartiQL Plan": lambda: self.to_ion(),
        }
        parts = [html_details("plan", cut(self.explain()), open_=True)]
        for name, write in notations.items():
            try:
                parts.append(html_details(name, cut(write())))
            except FiresteelError as error:  # not every plan has every notation
                parts.append(html_details(name, error.message))
        return html_page_part("".join(parts))


def ensure_size(source: Any, most: int | None) -> None:
    """Refuse a query or a plan document that is too long, before it is read."""
    size = 0
    if isinstance(source, str | bytes):
        size = len(source)
    if isinstance(source, os.PathLike) or (isinstance(source, str) and len(source) < 4_096):
        with suppress(OSError, ValueError):
            size = max(size, Path(source).stat().st_size)
    Policy(max_plan=most).refuse("max_plan", size, "{} characters")


def read_plan(
    source: str | Path | bytes | Any,
    *,
    dialect: str = "auto",
    form: str | None = None,
    headers: Headers = (),
    mode: str | None = None,
    max_size: int | None = Policy.max_plan,
) -> Plan:
    """Read a plan from a file path, from bytes, from text that starts with a parenthesis or a brace, or from a protobuf
    message.

    A file whose name ends with `.partiql` or `.sql` is PartiQL text, which is planned over the tables of the session
    that runs it. Otherwise the format is told by the content: a PartiQL Plan document, an expression of the relational
    algebra, or a Substrait plan as protobuf or JSON; `form="partiql"` (`"ion"`, `"algebra"`, `"substrait"`,
    `"substrait-json"`) says it. A Substrait plan is read as its producer means it; `dialect="spec"` reads it by the
    letter of the specification, and `dialect="datafusion"` as one of DataFusion's (`docs/dialects.md`). A plan of more
    characters than `max_size` is refused.

    `headers` are those of the namespaces that a PartiQL Plan document imports: files, texts, or what was read from
    them. An expression of the algebra does not say its mode, so `mode` does, as for a PartiQL text; any other plan has
    its own.
    """
    ensure_size(source, max_size)
    if dialect != "auto":
        substrait.ensure_dialect(dialect)
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    data, name = _load(source)
    suffix = Path(name).suffix.lower() if form is None else _form(form).suffixes[0]
    if suffix in FORMS["spark-sql"].suffixes:
        raise UnsupportedError(f"{name} is Spark SQL, which is written and not read", help="spark.sql runs it")
    if suffix in TEXTS:
        query = read_text(_text(data, name) if isinstance(data, bytes) else data, name)
        return query if mode is None else replace(query, mode=_mode(mode))
    message = _substrait(data, name, suffix)
    if message is not None:
        _ensure_own_mode(mode, name)
        return Plan(message=message, dialect=dialect)
    if isinstance(data, bytes) and not data.startswith(b"\xe0\x01\x00\xea"):
        data = _text(data, name)
    if isinstance(data, str) and not data.strip():
        raise PlanError(f"{name} is empty", help="a plan is an s-expression: (partiql::plan version::(0 1) ...)")
    elements = read(data, name)
    if _is_algebra(elements):
        return Plan(algebra.read(elements, name=name, mode=_mode(mode)))
    _ensure_own_mode(mode, name)
    found = partiql_plan.read(data, name=name, headers=[_header(one) for one in headers])
    if not isinstance(found, plan.Plan):
        raise PlanError(f"{name} is a header document, not a plan")
    return Plan(found)


def _header(source: partiql_plan.Header | str | Path | bytes) -> partiql_plan.Header:
    """A header, read if it is not yet."""
    if isinstance(source, partiql_plan.Header):
        return source
    data, name = _load(source)
    if isinstance(data, bytes) and not data.startswith(_ION):
        data = _text(data, name)
    found = partiql_plan.read(data, name=name)
    if not isinstance(found, partiql_plan.Header):
        raise PlanError(f"{name} is a plan, not a header", help="(partiql::header version::(0 1) namespace::x ...)")
    return found


def _mode(mode: str | None) -> plan.Mode:
    known = {one.value: one for one in plan.Mode}
    if mode is not None and mode not in known:
        raise UnsupportedError(f"no mode '{mode}'", help="the modes are 'permissive' and 'strict'")
    return known[mode] if mode is not None else plan.Mode.PERMISSIVE


def _ensure_own_mode(mode: str | None, name: str) -> None:
    """Only an expression of the algebra has no mode of its own."""
    if mode is not None:
        raise UnsupportedError(f"{name} has a mode of its own", help="a mode is given for the algebra only")


def diff(left: Plan | str | Path | bytes | Any, right: Plan | str | Path | bytes | Any) -> compare.Diff:
    """Compare two plans, each a `Plan` or anything that `read_plan` reads. What is only written differently is the
    same: the order of conditions, the sides of a comparison, names of aliases, projections one by one or in one,
    constants computed or not."""
    read = [source if isinstance(source, Plan) else read_plan(source) for source in (left, right)]
    return compare.compare(read[0].inlined, read[1].inlined)


def from_spark(frame: Any, tables: Mapping[str, Any] | None = None) -> Plan:
    """The plan of a PySpark DataFrame of Spark Connect, to run it elsewhere or to write it as Substrait or PartiQL
    Plan. Its tables are those that the frame reads, by their names. `tables` gives their schemas, as Spark's types or
    as text (`{"orders": "id INT, total DOUBLE"}`); without it the session of the frame is asked."""
    return Plan(frames.read_frame(frame, tables))


#: Suffixes of PartiQL files.
TEXTS = (".partiql", ".sql")
#: The first line of a text whose plan is strict: the language has no word for that.
STRICT = "-- mode: strict\n"


def read_text(text: str, name: str = "<query>") -> Plan:
    """A PartiQL text as a plan. Its first line may say that it is strict."""
    statement = partiql.parse(text, name)
    if isinstance(statement, partiql.Explain):
        raise PlanError(f"{name} explains a query, and is no plan", help="leave EXPLAIN out")
    return Plan(query=statement, mode=plan.Mode.STRICT if text.startswith(STRICT) else plan.Mode.PERMISSIVE)


def _load(source: str | Path | bytes) -> tuple[str | bytes, str]:
    if isinstance(source, bytes):
        return source, "<plan>"
    if isinstance(source, str) and source.lstrip().startswith(("(", "{")):
        return source, "<plan>"
    try:
        return Path(source).read_bytes(), str(source)
    except OSError as error:
        raise PlanError(f"cannot read '{source}': {error.strerror or error}") from error
    except (TypeError, ValueError) as error:  # a NUL or a lone surrogate in the path, or no path at all
        raise PlanError(f"{source!r} is no path of a plan: {error}") from error


#: Suffixes of Ion files and of Substrait files. For any other name the first characters of the content decide.
_ION_FILES = (".ion", ".10n")
_PROTOBUF, _JSON = (".proto", ".pb", ".substrait", ".binpb"), (".json",)
_COMMENTS = re.compile(r"\A\ufeff?(?:\s|//[^\n]*\n)*")
_ION = b"\xe0\x01\x00\xea"


def _substrait(data: str | bytes, name: str, suffix: str) -> substrait.Message | None:
    """The Substrait plan, or None if the data is something else."""
    if suffix in _ION_FILES:
        return None
    if suffix in _PROTOBUF:
        return substrait.decode(data if isinstance(data, bytes) else data.encode())
    start = data[:65_536].decode("utf-8", "replace") if isinstance(data, bytes) else data
    if suffix in _JSON or _COMMENTS.sub("", start).startswith("{"):
        return substrait.from_json(_text(data, name) if isinstance(data, bytes) else data)
    if isinstance(data, bytes) and not data.startswith(_ION) and not _is_text(data):
        try:
            return substrait.decode(data)
        except PlanError as error:
            raise PlanError(f"{name} is neither Ion nor a Substrait plan: {error.message}") from None
    return None


def _is_text(data: bytes) -> bool:
    """Is it text? Protobuf always has control characters among its first bytes: lengths and tags."""
    try:
        start = data[:4096].decode("utf-8", "strict" if len(data) <= 4096 else "ignore")
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char.isspace() for char in start) and not start.startswith("\n")


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{name} is neither Ion text nor Ion binary (byte {error.start})") from error


def _is_algebra(elements: list[Element]) -> bool:
    """Is it one s-expression whose head is an operator of the algebra, and not the marker of a plan document?"""
    return len(elements) == 1 and elements[0].head in algebra.OPERATORS


# ---------------------------------------------------------------------------------------------------------------------
# Conversion


@dataclass(frozen=True)
class Form:
    """A notation of plans."""

    name: str
    #: What the names of its files end with; the first is the usual one.
    suffixes: tuple[str, ...]
    write: Callable[[Plan, str | None], bytes]
    #: Does it keep the whole plan, or only what is computed?
    is_whole: bool = True
    #: Does it say in which mode the plan is?
    has_mode: bool = True
    #: Can it be read again?
    is_readable: bool = True
    #: Is it Substrait's, which is written for a target?
    has_target: bool = False


def _partiql(given: Plan, _: str | None) -> bytes:
    mode = getattr(given.node.statement, "mode", plan.Mode.PERMISSIVE)
    return f"{STRICT if mode is plan.Mode.STRICT else ''}{given.to_partiql(lossy=True)}\n".encode()


FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("partiql", TEXTS, _partiql, is_whole=False),
        Form(
            "algebra",
            (".algebra", ".sexp"),
            lambda given, _: f"{given.to_algebra()}\n".encode(),
            is_whole=False,
            has_mode=False,
        ),
        Form(
            "spark-sql",
            (".sparksql",),
            lambda given, _: f"{given.to_spark_sql()}\n".encode(),
            is_whole=False,
            is_readable=False,
        ),
        Form("ion", (".ion",), lambda given, _: f"{given.to_ion()}\n".encode()),
        Form("ion-binary", (".10n",), lambda given, _: given.to_ion(binary=True)),
        Form(
            "substrait",
            _PROTOBUF,
            lambda given, target: given.to_substrait(target),
            has_target=True,
        ),
        Form(
            "substrait-json",
            _JSON,
            lambda given, target: f"{given.to_substrait_json(target)}\n".encode(),
            has_target=True,
        ),
    )
}


@dataclass(frozen=True)
class Conversion:
    """A plan in another form, what was dropped from it, and what was repaired when it was read."""

    data: bytes
    dropped: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()


def _form(name: str) -> Form:
    if name not in FORMS:
        raise UnsupportedError(f"no form '{name}' of plans", help=f"the forms are {', '.join(FORMS)}")
    return FORMS[name]


def form_of(name: str | Path) -> Form:
    """The form of a file, by its suffix."""
    suffix = Path(name).suffix.lower()
    found = next((form for form in FORMS.values() if suffix in form.suffixes), None)
    if found is None:
        known = ", ".join(form.suffixes[0] for form in FORMS.values())
        raise UnsupportedError(f"'{name}' does not say which form of a plan it is", help=f"its name ends with {known}")
    return found


def convert(
    given: Plan, to: str, *, target: str | None = None, lossy: bool = False, catalog: FileLookup | None = None
) -> Conversion:
    """A plan in the form of that name (`FORMS`). UnsupportedError names what would be lost, unless it is `lossy`; what
    changes the answer is always refused. `target` is who reads a Substrait plan; a `catalog` says the types of tables
    that the plan does not say."""
    form = _form(to)
    if target is not None and not form.has_target:
        raise UnsupportedError(f"a target is for Substrait plans, not for '{to}'")
    lowered = given.lowered(catalog)
    node = lowered.plan
    dropped = [repair.message for repair in lowered.repairs if repair.effect is Effect.LOSS]
    if not form.is_whole:
        dropped += losses(node, has_mode=form.has_mode)
        node = without_how(node)
    if not lossy:
        ensure_nothing(dropped, to)
    return Conversion(form.write(Plan(node), target), tuple(dropped), lowered.repairs)
