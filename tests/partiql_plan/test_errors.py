"""Malformed plans and what is said about them: `malformed.golden`. `pytest --bless` rewrites the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel import partiql_plan
from firesteel.errors import FiresteelError, ParseError, PlanError
from firesteel.ion import read as read_ion
from firesteel.ion import write as write_ion
from firesteel.node import walk
from firesteel.plan import Plan
from firesteel.source import Place

FILE = Path(__file__).parent / "malformed.golden"


def cases() -> dict[str, tuple[str, str]]:
    """The plan and the message of each case, by name."""
    found: dict[str, tuple[str, str]] = {}
    for case in FILE.read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, rest = case.partition("\n")
        plan, _, message = rest.partition("\n---\n")
        found[name] = plan.strip("\n"), message.strip("\n")
    return found


CASES = cases()


def message(data: str | bytes) -> str:
    with pytest.raises(FiresteelError) as caught:
        partiql_plan.read(data, name="plan.ion")
    return str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_a_malformed_plan_is_refused_with(name: str, bless: bool) -> None:
    plan, expected = CASES[name]
    assert bless or message(plan) == expected


def test_there_are_enough(bless: bool) -> None:
    assert len(CASES) >= 20
    if bless:
        said = [f"=== {name}\n{plan}\n---\n{message(plan)}\n" for name, (plan, _) in CASES.items()]
        FILE.write_text("".join(said), encoding="utf-8")


def test_a_place_is_a_path_from_the_root_and_a_span() -> None:
    with pytest.raises(PlanError) as caught:
        partiql_plan.read(CASES["an unknown node"][0])
    where = caught.value.where
    assert isinstance(where, Place)
    assert where.path == ("plan", "statement", "query", "rex", "select", "input")
    assert where.span is not None
    assert where.span.text == "(fliter (var 0) (scan (var 0)))"


PLAN = "(partiql::plan version::(0 1) (statement (query (lit 1))))"


@pytest.mark.parametrize("size", [5, 20, -1])
def test_truncated_binary_is_no_ion(size: int) -> None:
    data = partiql_plan.write(partiql_plan.read(PLAN), binary=True)
    with pytest.raises(ParseError):
        partiql_plan.read(data[:size])


def test_in_binary_an_error_has_a_path_and_no_span() -> None:
    data = write_ion(read_ion(CASES["an unknown node"][0]), binary=True)
    with pytest.raises(PlanError, match="no relation 'fliter'") as caught:
        partiql_plan.read(data)
    assert str(caught.value).splitlines()[1] == "at plan/statement/query/rex/select/input"


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"\xff\xfe", b"\xe0\x02\x00\xea", b"PK\x03\x04"])
def test_bytes_that_are_no_ion(data: bytes) -> None:
    with pytest.raises(FiresteelError) as caught:
        partiql_plan.read(data)
    assert str(caught.value)


def test_every_node_knows_where_it_was_read() -> None:
    plan = partiql_plan.read("(partiql::plan version::(0 1) (statement (query (call plus (lit 1) $0))))")
    assert isinstance(plan, Plan)
    assert {type(node).__name__ for node in walk(plan.statement) if node.where is None} <= {"Fn", "ValueParam"}
