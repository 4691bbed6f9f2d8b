"""The lowering of subqueries over tables: the same answers, and no table inside an expression."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.evaluate import evaluate
from firesteel.node import walk
from firesteel.passes import optimize
from firesteel.passes.decorrelate import decorrelate
from firesteel.plan.check import check
from tests.passes.helpers import typed
from tests.passes.subquery_cases import GUARDED, QUERIES, register

SESSION = register(fs.connect(engine="reference"))


def bound(text: str, mode: str) -> tuple[p.Plan, list]:
    plan, tables = typed(SESSION, SESSION.plan(text, mode=mode).node)
    return optimize(plan), tables


def answer(plan: p.Plan, tables: list) -> values.Value:
    try:
        return evaluate(plan, tables)
    except EvaluationError as error:
        return error


def scanned(plan: p.Plan) -> set[int]:
    return {id(n.rex) for n in walk(plan.statement) if isinstance(n, p.Scan | p.ScanIndexed)}


def tables_in_expressions(plan: p.Plan) -> list[p.Global]:
    """The tables that are not simply scanned by a relation of the plan itself."""
    found: list[p.Global] = []
    stack: list[tuple[p.Rel | p.Rex, bool]] = [(plan.statement, False)]  # type: ignore[list-item]
    while stack:
        node, inside = stack.pop()
        for kid in [part for part in node.parts() if isinstance(part, p.Rel)]:
            stack.append((kid, inside))
        if isinstance(node, p.Scan | p.ScanIndexed) and isinstance(node.rex, p.Global) and not inside:
            continue
        if isinstance(node, p.Query) and isinstance(node.rex, p.Select | p.Pivot | p.CollToScalar):
            rex = node.rex.query if isinstance(node.rex, p.CollToScalar) else node.rex
            stack.append((rex, False))
            continue
        for kid in walk_own(node):
            found.extend(part for part in walk(kid) if isinstance(part, p.Global))
    return found


def walk_own(node: p.Rel | p.Rex) -> list:
    from firesteel.node import children

    return [kid for kid in children(node) if not isinstance(kid, p.Rel)]


@pytest.mark.parametrize("mode", ["permissive", "strict"])
@pytest.mark.parametrize("text", QUERIES + GUARDED)
def test_the_answer_stays(text: str, mode: str) -> None:
    plan, tables = bound(text, mode)
    lowered = decorrelate(plan)
    assert check(lowered) == []
    left = [table for table in tables_in_expressions(lowered) if isinstance(table.type, fs.types.Collection)]
    assert left == []
    before, after = answer(plan, tables), answer(lowered, tables)
    if isinstance(before, EvaluationError):
        return  # an error whose value is not needed may be skipped
    assert not isinstance(after, EvaluationError), after
    assert values.equal(before, after)
