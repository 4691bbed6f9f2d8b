"""Planning: from a text or a document to the plan that an engine runs, in three steps.

    text      ── plan_text ──►┐
    document  ── read ───────►┴── Plan ── lower ──► plan.Plan ── prepare ──► Prepared, for `Engine.run`

`lower` translates the plan to the algebra, over the tables of the catalog. `prepare` runs the pipeline of
`firesteel.passes` over one statement: bind, type, optimize, lower. Each step first asks the plan cache.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from firesteel import partiql, values
from firesteel import plan as p
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.evaluate.query_log import LOG, pass_ran
from firesteel.functions.users import UserFunctions
from firesteel.node import walk
from firesteel.passes import Context, Observer, Phase, Step, Unordered, View, ensure_skippable, run_passes
from firesteel.passes.bind.inline_views import inline_views
from firesteel.plan.check import ensure
from firesteel.plan.findings import RepairedPlan
from firesteel.session.catalog import Catalog
from firesteel.session.databases import views_in
from firesteel.session.document import Headers, Plan, ensure_size, read_plan
from firesteel.session.engines import Engine, Engines
from firesteel.session.limits import ensure_affordable, ensure_modest, ensure_short
from firesteel.session.plan_cache import PlanCache, Prepared
from firesteel.warning import QueryWarning

#: What can be run: a `Plan`, its node, or anything that `read_plan` reads.
PlanSource = Plan | p.Plan | str | Path | bytes | Any
#: The values of a plan's parameters: a list, or a dict by parameter number.
Params = Sequence[Any] | Mapping[int, Any] | None


class Planner:
    """Makes plans over the tables of one catalog, for the engines of a session."""

    def __init__(
        self,
        catalog: Catalog,
        engines: Engines,
        *,
        skip: Collection[str] = (),
        verify: bool = False,
        verify_properties: bool = False,
        unordered: Unordered = Unordered.REFUSE,
        observe: Observer | None = None,
        users: UserFunctions | None = None,
    ) -> None:
        self.catalog = catalog
        self.users = users or UserFunctions()
        self.engines = engines
        self.unordered = unordered
        self._verify_properties = verify_properties
        self._skip = ensure_skippable(skip)
        self._verify = verify
        self._observe = observe
        self._cache = PlanCache(catalog)

    def over(self, catalog: Catalog, observe: Observer | None = None) -> Planner:
        """A planner like this one over another catalog, with its own cache. `observe` is called after every pass."""
        return Planner(
            catalog,
            self.engines,
            skip=self._skip,
            verify=self._verify,
            verify_properties=self._verify_properties,
            unordered=self.unordered,
            observe=observe,
            users=self.users,
        )

    def load_views(self, file: str | Path) -> None:
        """Add the views of a catalog file to the catalog. They are checked as plans of a stranger's are."""
        policy = self.catalog.policy
        made: dict[str, View] = {}
        for name, plan in views_in(file, policy.max_plan).items():
            try:
                ensure_modest(policy, plan)
                ensure(plan)
                self.users.ensure_own(call.fn.name for call in walk(plan, p.Call))
            except FiresteelError as error:
                error.message = f"'{file}': the view '{name}': {error.message}"
                raise
            assert isinstance(plan.statement, p.CreateView)
            made[name] = View(plan.statement.query, plan.globals, plan.statement.mode)
        self.catalog.load(made)

    # Text and documents to plans -------------------------------------------------------------------------------------

    def plan_text(self, text: str, mode: str, params: Sequence[Any] | None) -> Plan | partiql.Explain:
        """The plan of a PartiQL text. The values of `?` become literals of the plan, so a plan with values is not
        cached."""
        ensure_size(text, self.catalog.policy.max_plan)
        known = None if params is not None else self._cache.find_text(text, mode)
        if known is not None:
            return known
        statement = partiql.parse(text)
        made = statement if isinstance(statement, partiql.Explain) else self.plan_statement(statement, mode, params)
        return made if params is not None else self._cache.keep_text(text, mode, made)

    def plan_statement(
        self, statement: partiql.Statement, mode: str, params: Sequence[Any] | None, typing: str = "dynamic"
    ) -> Plan:
        """The plan of a parsed statement."""
        if mode not in [known.value for known in p.Mode]:
            raise UnsupportedError(f"no mode '{mode}'", help="the modes are 'permissive' and 'strict'")
        ensure_short(self.catalog.policy, statement)
        given = None if params is None else [values.from_python(value) for value in params]
        warnings: list[QueryWarning] = []
        made = partiql.lower(
            statement, self.catalog, mode=p.Mode(mode), params=given, warnings=warnings, users=self.users
        )
        if typing == "static":
            partiql.ensure_static(made)
            for warning in warnings:
                raise warning.as_error()
        return Plan(made, warnings=tuple(warnings), inline_views=self.inline_views)

    def read(self, source: PlanSource, dialect: str = "auto", headers: Headers = ()) -> Plan:
        """The `Plan` of what a user passes to `run`, in any of its forms."""
        if isinstance(source, Plan):
            return source
        most = self.catalog.policy.max_plan
        ensure_size(source, most)
        if (dialect != "auto" or headers) and not isinstance(source, p.Plan):
            return read_plan(source, dialect=dialect, headers=headers, max_size=most)
        known = self._cache.find_document(source)
        if known is not None:
            return known
        made = Plan(source) if isinstance(source, p.Plan) else read_plan(source, max_size=most)
        return self._cache.keep_document(source, made)

    # Plans to what runs ----------------------------------------------------------------------------------------------

    def lower(self, document: Plan, params: Params = None) -> RepairedPlan:
        """The checked plan in the algebra over this catalog's tables, with its parameters bound; and the repairs.

        Parameters are bound in all statements at once, so that a parameter without a value is an error before the first
        statement writes anything.
        """
        known = None if params else self._cache.find_lowered(document)
        if known is not None:
            return known
        positional = None if params is None or isinstance(params, Mapping) else params
        lowered = document.lowered(self.catalog, users=self.users, params=positional)
        ensure_modest(self.catalog.policy, lowered.plan)
        given = params if isinstance(params, Mapping) else dict(enumerate(params or ()))
        context = Context({number: values.from_python(value) for number, value in given.items()})
        node = self._run(lowered.plan, context, (Phase.BIND,), whole_plan=True)
        ensure(node)
        self.users.ensure_own(call.fn.name for call in walk(node, p.Call))
        made = RepairedPlan(node, lowered.repairs, lowered.warnings)
        return made if params else self._cache.keep_lowered(document, made)

    def prepare(self, node: p.Plan, engine: Engine | None = None) -> Prepared:
        """Prepare a plan of one statement for its engine: bind, type, optimize and lower it. The engine is chosen by
        the tables, unless the caller needs a certain one."""
        known = None if engine is not None else self._cache.find_prepared(node)
        if known is not None:
            return known
        context = self._context(self.unordered)
        optimized = self._run(node, context, (Phase.BIND, Phase.TYPE, Phase.OPTIMIZE))
        tables = [context.table(binding) for binding in optimized.globals]
        ensure_affordable(self.catalog.policy, optimized, tables)
        chosen = engine or self.engines.choose(tables)
        if self._observe is None:  # a plan that is only shown is not admitted, so that Spark need not start
            chosen.admit(optimized)
        lowered = self._run(optimized, replace(context, lowerings=chosen.lowerings), (Phase.LOWER,))
        made = Prepared(lowered, optimized, tables, chosen)
        return made if engine is not None else self._cache.keep_prepared(node, made)

    def inline_views(self, node: p.Plan) -> p.Plan:
        """The plan with the queries of the catalog's views in place of their names."""
        return inline_views(node, self.catalog.context())

    def typed(self, node: p.Plan) -> p.Plan:
        """A plan of one statement, bound to its tables and typed, whether or not its inputs are ordered as they have to
        be."""
        return self._run(node, self._context(Unordered.LEAVE), (Phase.BIND, Phase.TYPE))

    def _context(self, unordered: Unordered) -> Context:
        return replace(self.catalog.context(), unordered=unordered, verify_properties=self._verify_properties)

    def _run(self, node: p.Plan, context: Context, phases: Iterable[Phase], *, whole_plan: bool = False) -> p.Plan:
        return run_passes(
            node,
            context,
            phases,
            whole_plan=whole_plan,
            skip=self._skip,
            verify=self._verify,
            observe=self._observe or (_logged if LOG.isEnabledFor(logging.DEBUG) else None),
        )

    def forget(self) -> None:
        """Empty the plan cache."""
        self._cache.forget()


def _logged(step: Step) -> None:
    pass_ran(step.phase.value, step.name, step.seconds, changed=step.changed)


__all__ = ["Params", "PlanSource", "Planner"]
