"""Running one plan in many ways: without passes, with all of them, and with each of them left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import firesteel as fs
from firesteel import plan as p
from firesteel import values
from firesteel.evaluate import evaluate
from firesteel.partiql_plan import algebra
from firesteel.passes import PIPELINE, Phase, optimize, run_passes
from firesteel.plan.check import ensure
from firesteel.tables import Table
from tests.passes import physical_plans

PASSES = [step.name for step in PIPELINE[Phase.OPTIMIZE]]


def bound(session: fs.Session, query: str, mode: str) -> tuple[p.Plan, list[Table]]:
    """The plan of a query, of an algebra expression, or of a physical plan, as the passes get it."""
    if query.startswith(physical_plans.MARK):
        return typed(session, physical_plans.read(query))
    if query.startswith("("):
        node = algebra.read(query, mode=p.Mode(mode))
    else:
        node = session.plan(query, mode=mode).node
    ensure(node)
    return typed(session, node)


def typed(session: fs.Session, node: p.Plan) -> tuple[p.Plan, list[Table]]:
    """A plan over the tables of a session, with their types; and the tables."""
    context = session._catalog.context()
    made = run_passes(node, context, (Phase.BIND, Phase.TYPE), verify=True)
    return made, [context.table(binding) for binding in made.globals]


def answer(plan: p.Plan, tables: list[Table]) -> tuple[values.Value, fs.FiresteelError | None]:
    try:
        return evaluate(plan, tables), None
    except fs.FiresteelError as error:
        return None, error


#: With all passes, with all but one, and with one: what is said of it, and what is skipped.
WAYS: list[tuple[str, tuple[str, ...]]] = [
    ("all passes", ()),
    *((f"without {name}", (name,)) for name in PASSES),
    *((f"only {name}", tuple(other for other in PASSES if other != name)) for name in PASSES),
]


def variants(plan: p.Plan, ways: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, p.Plan]]:
    """The plan in these ways, each that makes a difference once."""
    seen = {plan}
    for said, skip in ways:
        made = optimize(plan, skip, verify=True)
        if made not in seen:
            seen.add(made)
            yield said, made


def disagreements(
    plan: p.Plan, tables: list[Table], ways: Sequence[tuple[str, tuple[str, ...]]] = WAYS
) -> Iterator[str]:
    """Where a variant answers otherwise. An error may be lost, with a value that nobody needs; none may come up."""
    expected, failed = answer(plan, tables)
    for said, made in variants(plan, ways):
        got, error = answer(made, tables)
        if failed is not None:
            continue
        if error is not None:
            yield f"{said}: {error}"
        elif not values.equal(got, expected):
            yield f"{said}: {got} instead of {expected}"
