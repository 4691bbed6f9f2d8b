"""Passes: before and after; the same object when there is nothing to do."""

from __future__ import annotations

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.evaluate import evaluate
from firesteel.passes import Context, View, optimize, retyped
from firesteel.passes.bind.inline_views import inline_views
from firesteel.passes.optimizer.flatten_scans import flatten_scans
from firesteel.passes.optimizer.merge_filters import merge_filters
from firesteel.plan import build as b

NUMBERS = p.Scan(b.lit([1, 2, 3]), names=("n",))
N = b.column(NUMBERS, 0)


def plan_of(rel: p.Rel) -> p.Plan:
    return p.Plan(p.Query(b.select(b.column(rel, 0), rel)))


def test_merge_filters() -> None:
    one, two, three = (b.call("gt", N, b.lit(i)) for i in (1, 2, 3))
    chain = plan_of(p.Filter(three, p.Filter(two, p.Filter(one, NUMBERS))))
    assert merge_filters(chain) == plan_of(p.Filter(b.call("and", one, two, three), NUMBERS))
    single = plan_of(p.Filter(one, NUMBERS))
    assert merge_filters(single) is single
    assert optimize(chain, skip=["merge_filters", "push_filters"]) is chain


def test_flatten_scans() -> None:
    inner = b.select(b.call("plus", N, b.lit(1)), p.Filter(b.call("gt", N, b.lit(1)), NUMBERS), t.Bag)
    before = plan_of(p.Scan(inner, names=("v",)))
    projected = p.Project((inner.constructor,), inner.input, names=("v",))
    assert flatten_scans(before).statement == p.Query(b.select(b.column(projected, 0), projected, t.Bag))
    assert evaluate(flatten_scans(before)) == evaluate(before)
    indexed = plan_of(p.ScanIndexed(inner))
    assert flatten_scans(indexed) is indexed


ROW = t.Struct((t.Field("a", t.INT64), t.Field("b", t.String(nullable=True))), open=False)


def test_infer_types_carries_the_tables_types_through() -> None:
    everything = p.Global(t.ANY, 0)
    scan = p.Scan(everything, names=("r",), declared=(t.Field("r", t.STRING),))
    path = p.Path(t.ANY, p.Var(t.ANY, 0), (p.Key(b.lit("a")),))
    project = p.Project((path,), scan, names=("a",))
    filter_ = p.Filter(p.Call(p.Fn("gt", p.FnOption.NONE, (), t.ANY), (p.Var(t.ANY, 0), b.lit(1))), project)
    select = p.Select(t.BAG, p.Struct(t.ANY, (p.Pair(b.lit("x"), p.Var(t.ANY, 0)),)), filter_)
    before = p.Plan(p.Query(select), globals=(p.GlobalBinding(("t",), t.ANY),))
    after = retyped(before, [t.Bag(ROW)])
    assert isinstance(after.statement, p.Query)
    assert str(after.statement.rex.type) == "bag(struct(x int64))"
    relations = walk_rels(after.statement.rex)
    assert [str(f.type) for rel in relations for f in p.schema(rel)] == ["int64", "int64", str(ROW)]
    assert all(rel.declared is None for rel in relations)


def walk_rels(rex: p.Rex) -> list[p.Rel]:
    from firesteel.node import walk

    return [node for node in walk(rex) if isinstance(node, p.Rel)]


def test_infer_types_sees_outer_rows_and_lateral_ones() -> None:
    left = p.Scan(p.Global(t.ANY, 0))
    right = p.Scan(p.Path(t.ANY, p.Var(t.ANY, 0), (p.Key(b.lit("items")),)))
    inner = p.Select(t.BAG, p.Var(t.ANY, 1, depth=1), p.Scan(b.lit([1])))
    join = p.Join(p.Cross(), left, right, lateral=True)
    before = p.Plan(p.Query(p.Select(t.BAG, inner, join)), globals=(p.GlobalBinding(("t",), t.ANY),))
    table = t.Bag(t.Struct((t.Field("items", t.Array(t.STRING)),), open=False))
    after = retyped(before, [table])
    assert isinstance(after.statement, p.Query)
    assert str(after.statement.rex.type) == "bag(bag(string))"


def test_inline_views_takes_over_their_globals() -> None:
    body = p.Global(t.ANY, 0)
    view = View(body, (p.GlobalBinding(("base",), t.ANY),))
    uses = b.collection(t.Bag, [p.Global(t.ANY, 0), p.Global(t.ANY, 1)])
    names = (p.GlobalBinding(("v",), t.ANY), p.GlobalBinding(("other",), t.ANY))
    after = inline_views(p.Plan(p.Query(uses), globals=names), Context(view=lambda g: view if g.name == "v" else None))
    assert [g.name for g in after.globals] == ["other", "base"]
    assert after.statement == p.Query(b.collection(t.Bag, [p.Global(t.ANY, 1), p.Global(t.ANY, 0)]))


def test_views_in_a_circle_are_refused() -> None:
    view = View(p.Global(t.ANY, 0), (p.GlobalBinding(("v",), t.ANY),))
    plan = p.Plan(p.Query(p.Global(t.ANY, 0)), globals=view.globals)
    with pytest.raises(PlanError, match="views refer to each other"):
        inline_views(plan, Context(view=lambda _: view))


def test_a_deep_plan_is_no_matter() -> None:
    rel: p.Rel = NUMBERS
    for _ in range(10_000):
        rel = p.Filter(b.lit(True), rel)
    merged = merge_filters(plan_of(rel))
    assert len(walk_rels(merged.statement.rex)) == 1  # type: ignore[attr-defined]
    assert retyped(plan_of(rel), []) == plan_of(rel)
