"""What a function is, its row says: the fields of rows, what a row without them means, and the example of a new one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import functions, node
from firesteel import plan as p
from firesteel import types as t
from firesteel.evaluate.relations.aggregates import AGGREGATES, OF_ROWS
from firesteel.evaluate.scalar.functions import LAZY
from firesteel.evaluate.substrait.call import AGGREGATES as STANDARD
from firesteel.evaluate.substrait.call import aggregate_of
from firesteel.functions import Fails, Function, Kind, OfNothing, Origin, Signature, substrait
from firesteel.passes import optimize
from firesteel.values import Bag
from tests.passes.helpers import bound

ROOT = Path(__file__).parents[2]


def test_a_row_that_says_nothing_is_the_worst_case() -> None:
    row = Function("new", (Signature.parse("(text) -> string"),), "New.")
    for strict in (False, True):
        assert functions.may_raise(row, [t.STRING], t.STRING, strict=strict)
    assert row.fails is Fails.MAYBE
    assert row.lazy is None
    assert not row.by_value
    assert row.origin is Origin.PARTIQL


def test_every_row_knows_whose_it_is() -> None:
    assert {row.origin for row in functions.all_functions()} == {Origin.PARTIQL}
    declared = [functions.find(one.name) for one in substrait.all_declarations()]
    assert {row.origin for row in (*declared, *substrait.EXPRESSIONS.values()) if row} == {Origin.SUBSTRAIT}
    name = substrait.register("mine", "twice", lambda x: 2 * x, returns="i64", takes=["i64"])
    try:
        assert functions.origin(name) is Origin.USER
    finally:
        substrait.unregister("mine", "twice")
    assert functions.origin("mine:twice") is Origin.SUBSTRAIT
    assert functions.origin("nobody") is Origin.PARTIQL


def test_nothing_is_known_of_a_users_function_that_has_a_standard_name() -> None:
    assert _row("string:reverse").fails is Fails.NEVER
    substrait.register("string", "reverse", lambda x: x, returns="string", takes=["string"])
    try:
        assert (_row("string:reverse").origin, _row("string:reverse").fails) == (Origin.USER, Fails.MAYBE)
    finally:
        substrait.unregister("string", "reverse")


def test_what_is_lazy_is_so_in_the_reference_evaluator() -> None:
    assert {row.name for row in functions.all_functions() if row.lazy} <= set(LAZY)


_OF_NOTHING: dict[OfNothing, Any] = {
    OfNothing.NULL: None,
    OfNothing.ZERO: 0,
    OfNothing.ONE: 1,
    OfNothing.EMPTY_BAG: Bag(),
    OfNothing.EMPTY_LIST: [],
}


def test_aggregates_of_nothing_are_what_their_rows_say() -> None:
    for row in functions.all_functions():
        if row.kind is Kind.AGGREGATE:
            assert {**AGGREGATES, **OF_ROWS}[row.name]([]) == _OF_NOTHING[row.of_nothing], row.name


@pytest.mark.parametrize("name", [name for name in STANDARD if functions.find(name)])
def test_standard_aggregates_of_nothing_are_what_their_rows_say(name: str) -> None:
    returns = t.Decimal(38, 2) if "decimal" in name else t.INT64
    fn = p.Fn(name, p.FnOption.NONE, (p.ValueParam(t.INT64),), returns)
    assert aggregate_of(fn, None)([]) == _OF_NOTHING[_row(name).of_nothing]


# ---------------------------------------------------------------------------------------------------------------------
# The example: REVERSE


def test_the_example_of_a_new_function_is_what_the_files_say() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (diff,) = re.findall(r"^```diff\n(.*?)^```", text, re.M | re.S)
    target = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            target = (ROOT / line.removeprefix("+++ ")).read_text(encoding="utf-8")
        else:
            assert f"\n{line.removeprefix('+')}\n" in target, line
    assert functions.find_partiql("reverse") is _row("reverse")


ROWS = [{"a": "abc"}, {"a": ""}, {"a": "naïve😁"}, {"a": None}, {"a": 1}, {}]
QUERY = "SELECT VALUE REVERSE(r.a) FROM r AS r WHERE REVERSE(r.a) IS NOT NULL"


def test_reverse() -> None:
    session = fs.connect(engine="reference")
    session.register("r", ROWS)
    assert sorted(session.query(QUERY).to_python()) == ["", "cba", "😁evïan"]


@pytest.mark.spark
def test_reverse_on_spark(spark: Any) -> None:
    session = fs.connect(spark=spark, in_process=False, fallback="refuse")
    session.register("r", ROWS)
    assert sorted(session.query(QUERY).to_python()) == ["", "cba", "😁evïan"]


@pytest.mark.parametrize(
    ("mode", "type_", "pushed"), [("permissive", "any", True), ("strict", "string", True), ("strict", "any", False)]
)
def test_a_filter_with_it_goes_below_a_join_if_it_cannot_fail(mode: str, type_: str, pushed: bool) -> None:
    session = fs.connect(engine="reference")
    session.register("l", [{"k": 1, "a": "abc"}, {"k": 2, "a": "x" if type_ == "string" else 1}])
    session.register("r", [{"k": 1, "b": 2}])
    query = "SELECT l.k FROM l AS l JOIN r AS r ON l.k = r.k WHERE REVERSE(l.a) = 'cba'"
    plan, _ = bound(session, query, mode)
    made = optimize(plan)
    (join,) = node.walk(made, p.Join)
    assert any(_reverses(rel) for rel in node.walk(join.left, p.Filter)) is pushed
    assert session.query(query, mode=mode).to_python() == [{"k": 1}]


def _reverses(rel: p.Filter) -> bool:
    return any(call.fn.name == "reverse" for call in node.walk(rel.predicate, p.Call))


def _row(name: str) -> Function:
    row = functions.find(name)
    assert row is not None
    return row
