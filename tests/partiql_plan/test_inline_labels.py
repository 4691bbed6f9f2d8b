"""Labels on definitions that stand inside other nodes."""

from __future__ import annotations

import time

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.values import Symbol
from tests.partiql_plan.helpers import comes_back


def read(text: str, **more: int) -> p.Plan:
    plan = partiql_plan.read(text, **more)
    assert isinstance(plan, p.Plan)
    return plan


def run(text: str) -> list[str]:
    return [answer.to_ion() for answer in fs.connect(engine="reference").run_all(read(text))]


#: The statements of Appendix II with their labels where the nodes are used first; `id` is what its comments mean.
APPENDIX = """
(create_table my_table::'test' ((my_pk::'id' int)))
(insert $my_table (lit (int) 1))
(insert $my_table (lit (int) 2))
(query (select (flow (
  my_scan::(scan $my_table) '->' (filter (call gt id::(path $0 ((step (lit id)))) (lit (int) 0))) '->'
  my_project::(project ($id))))))
(query (select ($my_project (filter (call gt $id (lit (int) 1)) $my_scan))))
"""


def test_the_file_of_the_appendix_with_inline_labels() -> None:
    assert run(APPENDIX) == ["$bag::[{_1: 1}, {_1: 2}]", "$bag::[{_1: 2}]"]
    plan = read(APPENDIX)
    assert [one.label for one in plan.definitions] == ["my_scan", "id"]
    assert plan.constants == (p.Constant("my_table", Symbol("test")),)
    comes_back(plan)


def test_the_place_and_its_references_share_one_node() -> None:
    plan = read("(query (select (join (cross) s::(scan (lit [1])) (union $s $s))))")
    join = plan.statement.rex.input
    assert join.left is join.right.left is join.right.right is plan.definitions[0].node
    comes_back(plan)


def test_a_label_may_be_referred_to_before_it_stands() -> None:
    plan = read("a::(collection ($b $b)) (query (collection ($a b::(lit 1))))")
    one = p.Lit(t.INT64, 1)
    assert plan.statement == p.Query(p.Collection(t.ANY, (p.Collection(t.ANY, (one, one)), one)))
    comes_back(plan)


def test_labels_inside_labels_and_beside_the_name_of_a_parameter() -> None:
    plan = read("(query (collection (a::(call plus b::(lit 1) $b) $a root::c::(lit 2) $c)))")
    assert [one.label for one in plan.definitions] == ["a", "b", "c"]
    plus = p.build.call("plus", p.Lit(t.INT64, 1), p.Lit(t.INT64, 1))
    assert plan.statement == p.Query(p.Collection(t.ANY, (plus, plus, p.Lit(t.INT64, 2), p.Lit(t.INT64, 2))))
    comes_back(plan)


def test_annotations_that_nothing_refers_to_are_for_readers() -> None:
    plan = read("x::(lit 1) (query (collection (x::(lit 2) y::(lit 3) $x)))")  # `$x` is the declared one
    assert plan.statement == p.Query(p.Collection(t.ANY, tuple(p.Lit(t.INT64, n) for n in (2, 3, 1))))
    assert [one.label for one in plan.definitions] == ["x"]
    rex = read(
        "(query (select a::(call plus (var a::0) (var 0)) (filter (call gt $a $a) (scan (lit [1])))))"
    ).statement.rex
    assert rex.constructor is rex.input.predicate.args[0]
    assert read("(query (lit symbol a::$b))").definitions == ()  # data
    assert read("(query (select (var v::0) (scan (v::any) expr::(lit [1]))))").definitions == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(query (collection (a::(lit 1) a::(lit 2) $a)))", "the label 'a' is given twice"),
        ("(query (collection (a::(call plus $a (lit 1)))))", "in a circle: a -> a"),
        ("(query (collection (a::(call plus $b 1) b::(call plus c::(call minus $a)) $c)))", "in a circle"),
        ("(query (collection ((var a::0) $a)))", "no label 'a'"),
        ("(query (select $t (scan (t::int) (lit [1]))))", "no label 't'"),
        ("(query (select (join (cross) (scan a::(lit [])) $a)))", "stands for 'lit', which cannot stand here"),
    ],
)
def test_what_is_wrong_with_inline_labels(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        partiql_plan.read(text)


def test_deep_inline_labels_take_linear_time() -> None:
    took = []
    for count in (1_000, 4_000):
        inner = "(lit 0)"
        text = f"{''.join(f'n{i}::(call plus $n{i + 1} ' for i in range(count))}n{count}::{inner}{')' * count}"
        started = time.perf_counter()
        assert len(read(f"(query (collection ($n0 {text})))", max_nodes=100_000).definitions) == count + 1
        took.append(time.perf_counter() - started)
    assert took[1] < 12 * took[0]
