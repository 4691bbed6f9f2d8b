"""Joins that only test for matches, as plans of others have them: one condition says everything."""

from __future__ import annotations

import pytest

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.evaluate import evaluate
from firesteel.passes.optimizer.push_filters import push_filters
from firesteel.plan import build

NUMBERS = t.Bag(t.Int64(nullable=True))


def _plan(capture: p.Capture) -> p.Plan:
    """Numbers of the one table for which there is the same number in the other, more than 2."""
    left, right = (p.Scan(p.Global(NUMBERS, ordinal)) for ordinal in range(2))
    a, b = (p.Var(t.Int64(nullable=True), ordinal) for ordinal in range(2))
    condition = build.call("and", build.call("eq", b, a), build.call("gt", b, build.lit(2)))
    join = p.Join(p.Theta(capture, condition), left, right)
    names = ("a", "found") if capture is p.Capture.LEFT_MARK else ("a",)
    bindings = tuple(p.GlobalBinding(name, NUMBERS) for name in ("one", "other"))
    return p.Plan(statement=p.Root(names, join), globals=bindings)


@pytest.mark.parametrize("capture", [p.Capture.LEFT_SEMI, p.Capture.LEFT_ANTI, p.Capture.LEFT_MARK])
def test_equalities_are_keys_and_what_is_asked_of_the_right_row_is_asked_there(capture: p.Capture) -> None:
    plan = _plan(capture)
    made = push_filters(plan)
    (join,) = (node for node in [made.statement.input] if isinstance(node, p.Join))  # type: ignore[attr-defined]
    assert isinstance(join.type, p.Equi)
    assert len(join.type.keys) == 1
    assert join.type.residual is None
    assert isinstance(join.right, p.Filter)
    assert isinstance(join.left, p.Scan)
    data = [tables.memory(values.from_python(rows), None) for rows in ([1, 2, 3, 4, None], [1, 3, 3, 4, None])]
    assert values.equal(evaluate(made, data), evaluate(plan, data))
