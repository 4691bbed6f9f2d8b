"""What the documentation shows is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firesteel import partiql_plan
from firesteel.partiql_plan import algebra
from firesteel.partiql_plan.algebra.syntax import OPERATORS
from firesteel.partiql_plan.builtin import BUILTIN

DOCS = Path(__file__).parents[2] / "docs"
PLANS = (DOCS / "partiql-plan.md").read_text(encoding="utf-8")
ALGEBRA = (DOCS / "algebra.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", re.findall(r"```ion\n(.*?)```", PLANS, re.S))
def test_an_example_is_written_as_it_stands_there(text: str) -> None:
    assert partiql_plan.write(partiql_plan.read(text)) == text.strip()


def test_the_ordinals_of_types() -> None:
    cells = re.findall(r"\b([0-9]+) ([a-z0-9]+) \|", PLANS)
    assert {int(ordinal): name for ordinal, name in cells} == {i: type_.tag for i, type_ in enumerate(BUILTIN)}


@pytest.mark.parametrize("text", re.findall(r'algebra.read\("(.*?)"', ALGEBRA))
def test_an_expression_of_the_algebra(text: str) -> None:
    assert algebra.write(algebra.read(text)) == text


def test_every_operator_of_the_algebra_is_described() -> None:
    from firesteel import functions

    described = set(re.findall(r"[(`]([a-z_]+)", ALGEBRA))
    catalogue = {row.name for row in functions.all_functions()}
    assert OPERATORS - catalogue - described == set()
