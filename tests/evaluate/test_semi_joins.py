"""Joins that only ask whether a left row has a match, keys that are the same, and conditions beside keys."""

from __future__ import annotations

import pytest

from firesteel import plan as p
from firesteel.explain import explain
from firesteel.partiql_plan import read, write
from firesteel.plan import build
from firesteel.plan.check import check
from firesteel.values import MISSING
from tests.evaluate.helpers import call, lit, rows, scan, table, var

SEMI, ANTI, MARK = p.Capture.LEFT_SEMI, p.Capture.LEFT_ANTI, p.Capture.LEFT_MARK
LEFT = (1, 2, None, MISSING, 3)
RIGHT = table(2, (1, "a"), (1, "b"), (None, "c"), (MISSING, "d"), (3, "a"))


def keyed(capture: p.Capture, *, same: bool = False, residual: p.Rex | None = None) -> p.Equi:
    return p.Equi(capture, keys=(p.JoinKey(var(0), var(0), same=same),), residual=residual)


@pytest.mark.parametrize("lateral", [False, True])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (keyed(SEMI), [1, 3]),
        (keyed(ANTI), [2, None, MISSING]),
        (keyed(SEMI, same=True), [1, None, MISSING, 3]),
        (keyed(ANTI, same=True), [2]),
        (keyed(SEMI, residual=call("eq", var(2), "b")), [1]),
        (keyed(ANTI, residual=call("eq", var(2), "b")), [2, None, MISSING, 3]),
        (p.Theta(SEMI, call("lt", var(0), var(1))), [1, 2]),
        (p.Theta(ANTI, call("lt", var(0), var(1))), [None, MISSING, 3]),
    ],
)
def test_left_rows_with_a_match_and_without(kind: p.JoinType, expected: list[object], lateral: bool) -> None:
    join = p.Join(kind, scan(*LEFT), RIGHT, lateral=lateral)
    assert rows(join) == ([(value,) for value in expected], True)
    assert len(p.schema(join)) == 1
    assert p.is_list(join) is p.is_list(join.left)


def test_a_mark() -> None:
    join = p.Join(keyed(MARK), scan(*LEFT), RIGHT)
    assert rows(join)[0] == [(1, True), (2, False), (None, False), (MISSING, False), (3, True)]
    assert rows(p.Join(keyed(MARK), scan(1), table(2)))[0] == [(1, False)]


def test_keys_that_are_the_same_tell_null_from_missing() -> None:
    join = p.Join(keyed(p.Capture.LEFT, same=True), scan(*LEFT), RIGHT)
    found = rows(join)[0]
    assert (None, None, "c") in found
    assert (MISSING, MISSING, "d") in found
    assert len(found) == 6


@pytest.mark.parametrize("capture", [SEMI, ANTI, MARK, p.Capture.LEFT])
def test_they_are_written_and_drawn(capture: p.Capture) -> None:
    join = p.Join(keyed(capture, same=True, residual=call("eq", var(2), lit("b"))), scan(*LEFT), RIGHT)
    plan = p.Plan(p.Query(build.select(build.column(join, 0), join)))
    assert check(plan) == []
    assert read(write(plan)).statement == plan.statement
    assert "(firesteel)" in write(plan)
    assert f"join {capture.name.lower()} equi on $0 is $0 and" in explain(plan)
