"""Plans of all sorts of nodes, generated from the declarations: each comes back, as bytes and as JSON."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.plan import build
from firesteel.substrait import encode, to_json, write
from firesteel.substrait.message import Message
from tests.plan.strategies import plans
from tests.substrait.write.round_trip import difference


def is_whole(message: Message) -> bool:
    """Is the plan one node of ours, because it is no relations?"""
    return any(tree.which("rel_type") == "rel" and tree.rel.has("extension_leaf") for tree in message.relations)


def round_trips(count: int) -> Counter[str]:
    """How so many plans were written; all of them come back."""
    counts: Counter[str] = Counter()

    @settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(plans())
    def come_back(plan: p.Plan) -> None:
        try:
            message = write(plan)
            encode(message)
        except FiresteelError as error:
            counts[f"refused: {error.message}"] += 1
            return
        counts["as one node" if is_whole(message) else "as relations"] += 1
        assert not difference(plan)
        assert fs.read_plan(to_json(message)).node == plan

    come_back()
    return counts


def test_generated_plans_come_back() -> None:
    counts = round_trips(200)
    assert set(counts) == {"as relations", "as one node"}, counts


@pytest.mark.slow
def test_two_thousand_generated_plans_come_back() -> None:
    counts = round_trips(2_000)
    print(dict(counts))
    assert set(counts) == {"as relations", "as one node"}, counts


def test_a_plan_that_means_nothing_comes_back() -> None:
    """A column that is not there, names that do not fit, nothing at all."""
    scan = p.Scan(p.Lit(t.BAG, fs.Bag([1])))
    senseless: list[p.Statement] = [
        p.Root(("a", "b", "c"), scan),
        p.Root(("a",), p.Project((p.Var(t.ANY, 7),), scan)),
        p.Script(()),
        p.Script((p.Script((p.Drop(("t",)),)),)),
        p.CreateTable((), (t.Field(None, t.INT64),), None, pin=True, exists=p.IfExists.IGNORE),
    ]
    for statement in senseless:
        plan = p.Plan(statement)
        assert is_whole(write(plan))
        assert not difference(plan)
        with pytest.raises(FiresteelError):
            write(plan, "datafusion")


def test_labelled_nodes_come_back_beside_the_relations() -> None:
    scan = p.Scan(p.Lit(t.BAG, fs.Bag([1])))
    labelled = p.Definition("rows", p.Filter(build.call("is_null", build.column(scan, 0)), scan))
    plan = p.Plan(p.Root(("a",), scan), definitions=(labelled, p.Definition("one", build.lit(1))))
    assert not is_whole(write(plan))
    assert not difference(plan)


def test_what_nests_too_deep_outside_of_relations_is_refused() -> None:
    rex: p.Rex = build.lit(1)
    for _ in range(50):
        rex = build.call("neg", rex)
    with pytest.raises(UnsupportedError, match="nest more than"):
        write(p.Plan(p.Query(build.lit(1)), definitions=(p.Definition("deep", rex),)))
