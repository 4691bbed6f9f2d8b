"""Every physical relation with every option: a right plan, an answer on each engine, the same on both."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import values
from firesteel.plan.check import check
from tests.physical_cases import TABLES, cases
from tools.spark_batch import Answer, together

CASES = cases()


def session(**options: Any) -> fs.Session:
    made = fs.connect(**options)
    for name, rows in TABLES.items():
        made.register(name, pa.Table.from_pylist(rows))
    return made


@cache
def expected(name: str) -> values.Value:
    return session(engine="reference").run(CASES[name]).value()


def test_there_are_enough() -> None:
    assert len(CASES) >= 250


@pytest.mark.parametrize("name", CASES)
def test_the_plan_is_right_and_runs(name: str) -> None:
    assert not check(CASES[name])
    assert isinstance(expected(name), list | values.Bag)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("join ")])
def test_a_strategy_changes_no_row(name: str) -> None:
    """A join by any strategy gives the rows of the join without one; only their order may differ."""
    stripped = p.Plan.replace(CASES[name], statement=_without_strategy(CASES[name].statement))
    plain = session(engine="reference").run(stripped).value()
    assert values.equal(_bag(plain), _bag(expected(name)))


def _without_strategy(statement: p.Statement) -> p.Statement:
    from firesteel.node import transform

    return transform(statement, lambda join: join.replace(strategy=None), p.Join)


def _bag(value: values.Value) -> values.Bag:
    return values.Bag(list(values.items(value) or []))


@pytest.mark.spark
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_both_engines_agree(spark: Any, every: int) -> None:
    """One of so many cases."""
    on_spark = session(spark=spark, in_process=False)
    chosen = list(CASES)[::every]
    answers = together([Answer(on_spark.run(CASES[name])) for name in chosen])
    wrong = []
    for name, answer in zip(chosen, answers, strict=True):
        same = type(answer.value) is type(expected(name)) and values.equal(answer.value, expected(name))
        if answer.error is not None or not same or not answer.native:
            wrong.append(f"{name}: {answer.error or answer.value!r}, reference {expected(name)!r}, {answer.native=}")
    assert not wrong, f"{len(wrong)} of {len(chosen)}:\n" + "\n".join(wrong[:20])
