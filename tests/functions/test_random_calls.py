"""Every function, called with arguments of every kind: an answer, or an error of ours, and nothing else."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from random import Random

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel.errors import FiresteelError
from firesteel.partiql_plan import algebra
from firesteel.plan.check import check
from tests.functions import random_calls

Made = p.Plan | bytes


def as_algebra(random: Random) -> Made:
    return algebra.read(random_calls.algebra(random), mode=random.choice(("permissive", "strict")))


def as_ion(random: Random) -> Made:
    plan = partiql_plan.read(partiql_plan.write(random_calls.ion(random)))
    assert isinstance(plan, p.Plan)
    return plan


def as_substrait(random: Random) -> Made:
    return random_calls.substrait(random)


NOTATIONS = (as_algebra, as_ion, as_substrait)


def _raw(make: Callable[[Random], Made], seed: int, count: int) -> tuple[list[str], int]:
    """Exceptions that are not ours, each with the seed that makes the call again; and how many calls had an answer."""
    session = fs.connect(engine="reference")
    found: list[str] = []
    answers = 0
    for i in range(count):
        try:
            plan = make(Random(f"{seed}/{i}"))
            if isinstance(plan, p.Plan):
                check(plan)
            session.run(plan).value()
            answers += 1
        except FiresteelError:
            continue
        except Exception:
            found.append(f"{make.__name__}(Random('{seed}/{i}'))\n{traceback.format_exc(limit=-3)}")
    return found, answers


@pytest.mark.parametrize("make", NOTATIONS)
def test_an_answer_or_an_error_of_ours(make: Callable[[Random], Made]) -> None:
    found, answers = _raw(make, 1, 350)
    assert not found, "\n".join(found)
    assert answers > 50  # the calls are not all wrong


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("make", NOTATIONS)
def test_of_ten_thousand_calls(make: Callable[[Random], Made]) -> None:
    found, _ = _raw(make, 2, 3_400)
    assert not found, "\n".join(found)


WRONG = (
    "(call 'string:lower' (lit 1))",
    "(call 'arithmetic:add' (lit 1) (lit \"a\"))",
    "(call 'arithmetic:add' (lit 1))",
    "(call 'list:cardinality' (lit 1))",
    "(call 'comparison:is_nan' (lit true))",
    "(call 'string:lower' (type string))",
    "(call 'expression:map_value' (lit 1) (lit 2))",
)


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_call_by_a_substrait_name_is_found_by_check(text: str) -> None:
    plan = algebra.read(text)
    assert check(plan)
    with pytest.raises(fs.PlanError):
        fs.connect(engine="reference").run(plan)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(call 'string:lower' (lit \"Ab\"))", "ab"),
        ("(call 'arithmetic:add' (lit 1) (lit 2))", 3),
        ("(call 'string:lower' (lit $missing::null))", None),
        ("(call 'expression:map_entry' (lit null) (lit \"a\") (lit 1))", None),
        ("(call 'comparison:coalesce' (lit $missing::null) (lit 5))", 5),
    ],
)
def test_a_call_by_a_substrait_name_has_the_type_of_its_form(text: str, expected: object) -> None:
    value = fs.connect(engine="reference").run(algebra.read(text)).to_python()
    assert value == expected
    assert type(value) is type(expected)


def test_the_types_of_a_table_say_which_form_it_is() -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "b": "X"}])
    plan = algebra.read("(map_values (call 'arithmetic:add' (path (id r) (lit a)) (lit 1)) (scan (id t) r))")
    assert not check(plan)  # what is in the table is not known yet
    assert session.run(plan).to_python() == [2]
    wrong = algebra.read("(map_values (call 'arithmetic:add' (path (id r) (lit b)) (lit 1)) (scan (id t) r))")
    with pytest.raises(fs.PlanError, match=r"does not take"):
        session.run(wrong)


@pytest.mark.parametrize(
    "text",
    ["(list (type int))", "(path (type int) (lit 1))", "(map_values (type int) (scan (lit [1]) x))", "(type int)"],
)
def test_a_type_where_a_value_belongs_is_refused(text: str) -> None:
    with pytest.raises(fs.PlanError):
        algebra.read(text)
