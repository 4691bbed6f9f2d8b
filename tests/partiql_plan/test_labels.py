"""Labels: references share, applications copy; nothing blows up."""

from __future__ import annotations

import time

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.node import walk
from tests.partiql_plan.helpers import T, comes_back, plan_of


def read(text: str, **more: int) -> p.Plan:
    plan = partiql_plan.read(text, **more)
    assert isinstance(plan, p.Plan)
    return plan


def test_a_label_that_is_used_twice_is_one_object() -> None:
    plan = read("s::(scan (lit [])) (query (select (join (cross) $s $s)))")
    assert isinstance(plan.statement, p.Query)
    join = plan.statement.rex.input
    assert join.left is join.right is plan.definitions[0].node


def test_labels_may_stand_anywhere_in_a_document() -> None:
    inside = (
        "(partiql::plan version::(0 1) one::(lit 1) (define two::(lit 2)) (statement (query (collection ($one $two)))))"
    )
    plan = read(inside)
    assert [definition.label for definition in plan.definitions] == ["one", "two"]
    assert plan.statement == p.Query(p.Collection(t.ANY, (p.Lit(t.INT64, 1), p.Lit(t.INT64, 2))))
    comes_back(plan)


def test_a_label_may_stand_for_another() -> None:
    plan = read("a::(lit 1) b::$a c::$b (query $c)")
    assert plan.statement == p.Query(p.Lit(t.INT64, 1))
    assert [definition.label for definition in plan.definitions] == ["a", "b", "c"]
    comes_back(plan)


def test_a_label_of_a_value_is_a_constant() -> None:
    plan = read("n::5 (query (call plus $n $n))")
    assert plan.statement.rex.args == (p.Lit(t.INT64, 5), p.Lit(t.INT64, 5))
    assert plan.constants == (p.Constant("n", 5),)
    comes_back(plan)


def test_a_label_can_be_applied_to_different_inputs() -> None:
    plan = read("f::(filter (lit true)) (query (select (join (cross) ($f (scan (lit [1]))) ($f (scan (lit [2]))))))")
    join = plan.statement.rex.input
    assert [join.left.input.rex.value, join.right.input.rex.value] == [[1], [2]]
    assert plan.definitions == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a::$a (query $a)", "a -> a"),
        ("a::(limit (lit 1) $b) b::(limit (lit 1) $c) c::($a $b) (query (select $a))", "in a circle"),
        ("a::(lit 1) a::(lit 2) (query $a)", "given twice"),
        ("a::(lit 1) (query (select $a (scan $b)))", "no label 'b'"),
        ("a::(scan (lit [])) (query $a)", "stands for 'scan', which cannot stand here"),
        ("f::(filter (lit 1)) (query (lit 1))", "filter takes 2 parameters"),
        ("f::5 (query (select ($f (scan (lit [])))))", "a value and cannot be applied"),
        ("(query (select (flow ((scan (lit [])) (filter (lit true))))))", "stages with '->'"),
        ("(query (select (flow ((scan (lit [])) '->' 5))))", "a stage of a flow"),
    ],
)
def test_what_is_wrong_with_labels(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        partiql_plan.read(text)


def test_expansion_is_bounded() -> None:
    # Forty labels, each of which applies the one before it twice: 2**40 nodes.
    stages = ["s0::(filter (lit true))"]
    for i in range(1, 40):
        once = f"(call exists (select ($s{i - 1} (scan (lit [])))))"
        stages.append(f"s{i}::(filter (call and {once} {once}))")
    text = "\n".join(stages) + "(query (select ($s39 (scan (lit [])))))"
    with pytest.raises(PlanError, match="more than 10,000 nodes"):
        partiql_plan.read(text, max_nodes=10_000)


def test_references_do_not_expand() -> None:
    labels = ["r0::(scan (lit []))", *(f"r{i}::(union $r{i - 1} $r{i - 1})" for i in range(1, 60))]
    plan = read("\n".join(labels) + "(query (select $r59))")
    assert len(list(walk(plan.statement))) < 200
    started = time.perf_counter()
    comes_back(plan)
    assert time.perf_counter() - started < 10


def test_a_shared_relation_is_written_once() -> None:
    rel: p.Rel = T
    for _ in range(60):
        rel = p.Union(rel, rel)
    plan = plan_of(rel)
    text = partiql_plan.write(plan)
    assert len(text) < 10_000
    assert text.count("(scan") == 1
    assert "shared_1::(scan" in text
    again = read(text)
    assert again == plan
    assert again.definitions == ()
    assert again.statement.input.left is again.statement.input.right


def test_a_shared_expression_is_written_once_unless_it_is_small() -> None:
    rex: p.Rex = p.Var(t.ANY, 0)
    for _ in range(60):
        rex = p.build.call("plus", rex, rex)
    plan = plan_of(rex)
    assert len(partiql_plan.write(plan)) < 20_000
    comes_back(plan)
    small = p.build.call("plus", p.Var(t.ANY, 0), p.Lit(t.INT, 1))
    assert "define" not in partiql_plan.write(plan_of(p.Collection(t.BAG, (small, small))))


def test_what_is_shared_through_something_without_a_label_is_written_once() -> None:
    # The pairs of a struct have no labels; the structs in them get some.
    rex: p.Rex = p.Lit(t.INT, 1)
    for _ in range(60):
        pair = p.Pair(p.Lit(t.STRING, "a"), rex)
        rex = p.Struct(t.STRUCT, (pair, pair))
    plan = plan_of(rex)
    assert len(partiql_plan.write(plan)) < 30_000
    comes_back(plan)


def test_labels_of_the_writer_do_not_meet_those_of_the_plan() -> None:
    shared = p.Union(T, T)
    plan = plan_of(p.Join(p.Cross(), shared, shared), definitions=(p.Definition("shared_1", p.Lit(t.INT, 1)),))
    text = partiql_plan.write(plan)
    assert "shared_1::(lit" in text
    comes_back(plan)


def test_a_variable_with_too_many_digits_is_a_label_that_there_is_not() -> None:
    with pytest.raises(PlanError, match="no label"):
        partiql_plan.read(f"(query ${'9' * 5_000})")


def test_a_label_that_looks_like_a_variable_is_not_referred_to() -> None:
    rex = p.Lit(t.INT, 1)
    comes_back(plan_of(rex, definitions=(p.Definition("3", rex), p.Definition("$", rex), p.Definition("type", rex))))
