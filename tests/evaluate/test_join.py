"""Joins: what pairs rows, which rows stay, what pads them."""

from __future__ import annotations

import datetime

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, PlanError
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Timestamp
from tests.evaluate.helpers import BOTH, STRICT, bag_of, call, lit, rows, scan, table, var

N = None
PEOPLE = table(2, (1, "ann"), (2, "bob"), (N, "cid"), (3, "dan"))
PETS = table(2, ("rex", 2), ("tom", 1), ("jim", 2), ("ufo", 9), ("nil", N), ("mis", MISSING))

MATCHES = [(1, "ann", "tom", 1), (2, "bob", "rex", 2), (2, "bob", "jim", 2)]
NO_PET = [(N, "cid", N, N), (3, "dan", N, N)]
NO_OWNER = [(N, N, "ufo", 9), (N, N, "nil", N), (N, N, "mis", MISSING)]

CAPTURES = [
    (p.Capture.INNER, MATCHES, True),
    (p.Capture.LEFT, MATCHES + NO_PET, True),
    (p.Capture.RIGHT, MATCHES + NO_OWNER, False),
    (p.Capture.FULL, MATCHES + NO_PET + NO_OWNER, False),
]


@pytest.mark.parametrize("mode", BOTH)
@pytest.mark.parametrize(("capture", "expected", "ordered"), CAPTURES)
@pytest.mark.parametrize("how", ["theta", "equi"])
def test_captures(how: str, capture: p.Capture, expected: list[object], ordered: bool, mode: p.Mode) -> None:
    type_: p.JoinType = p.Theta(capture, call("eq", var(0), var(3)))
    if how == "equi":
        type_ = p.Equi(capture, keys=(p.JoinKey(var(0), var(1)),))
    made, is_list = rows(p.Join(type_, PEOPLE, PETS), mode)
    assert sorted(map(repr, made)) == sorted(map(repr, expected))
    assert is_list is ordered


@pytest.mark.parametrize(("capture", "_", "__"), CAPTURES)
@pytest.mark.parametrize("how", ["theta", "equi"])
def test_empty_sides_are_padded(how: str, capture: p.Capture, _: object, __: object) -> None:
    def joined(left: p.Rel, right: p.Rel) -> list[tuple[object, ...]]:
        equi = p.Equi(capture, keys=(p.JoinKey(var(0), var(0)),))
        return rows(p.Join(p.Theta(capture, lit(True)) if how == "theta" else equi, left, right))[0]

    empty = table(2)
    assert joined(scan(1), empty) == ([(1, N, N)] if capture.pads_right else [])
    assert joined(empty, scan(1)) == ([(N, N, 1)] if capture.pads_left else [])
    assert joined(empty, empty) == []


def test_order_is_that_of_the_left_then_the_right() -> None:
    made, ordered = rows(p.Join(p.Cross(), scan(1, 2), scan("a", "b")))
    assert (made, ordered) == ([(1, "a"), (1, "b"), (2, "a"), (2, "b")], True)
    assert rows(p.Join(p.Cross(), scan(1), bag_of(2)))[1] is False


def test_a_condition_sees_both_rows_and_what_is_around() -> None:
    condition = call("eq", call("plus", var(0), var(1)), var(0, depth=1))
    inner = p.Select(t.ARRAY, var(1), p.Join(p.Theta(p.Capture.INNER, condition), scan(1, 2), scan(10, 20)))
    assert rows(p.Project((inner,), scan(11, 22, 5)))[0] == [([10],), ([20],), ([],)]


def test_a_condition_that_is_no_boolean() -> None:
    join = p.Join(p.Theta(p.Capture.LEFT, lit(1)), scan(1), scan(2))
    assert rows(join)[0] == [(1, N)]
    with pytest.raises(EvaluationError, match="a condition is a boolean, not int"):
        rows(join, STRICT)


def test_several_keys_all_have_to_be_equal() -> None:
    keys = (p.JoinKey(var(0), var(1)), p.JoinKey(var(1), var(0)))
    made, _ = rows(
        p.Join(p.Equi(p.Capture.INNER, keys=keys), table(2, (1, 2), (1, N)), table(2, (2, 1), (N, 1), (3, 1)))
    )
    assert made == [(1, 2, 2, 1)]
    assert len(rows(p.Join(p.Equi(p.Capture.INNER), scan(1, 2), scan(3)))[0]) == 2  # no key forbids nothing


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        ([N], [MISSING]),
        (Bag([1, 2]), Bag([2, 1])),
        (datetime.date(2023, 5, 15), Timestamp(2023, 5, 15)),
    ],
)
def test_keys_are_equal_as_the_operator_has_it(left: object, right: object) -> None:
    equi = p.Join(p.Equi(p.Capture.INNER, keys=(p.JoinKey(var(), var()),)), scan(left), scan(right))
    theta = p.Join(p.Theta(p.Capture.INNER, call("eq", var(0), var(1))), scan(left), scan(right))
    assert len(rows(equi)[0]) == len(rows(theta)[0]) == 1


class TestLateral:
    stores = scan({"id": 5, "books": ["A", "B"]}, {"id": 6, "books": []}, {"id": 7, "books": ["C"]})
    books = p.Scan(build.path(var(0), "books"))

    def ids(self, rel: p.Rel) -> list[tuple[object, ...]]:
        return [(row[0].get("id"), *row[1:]) for row in rows(rel)[0]]

    def test_the_right_sees_the_left_row(self) -> None:
        assert self.ids(p.Join(p.Cross(), self.stores, self.books, lateral=True)) == [(5, "A"), (5, "B"), (7, "C")]

    def test_left_rows_without_a_match_are_padded(self) -> None:
        join = p.Join(p.Theta(p.Capture.LEFT, lit(True)), self.stores, self.books, lateral=True)
        assert self.ids(join) == [(5, "A"), (5, "B"), (6, N), (7, "C")]
        equi = p.Join(
            p.Equi(p.Capture.LEFT, keys=(p.JoinKey(lit("B"), var(0)),)), self.stores, self.books, lateral=True
        )
        assert self.ids(equi) == [(5, "B"), (6, N), (7, N)]

    def test_a_relation_on_the_right_has_the_left_row_around_its_own(self) -> None:
        right = p.Filter(call("lt", var(0), var(0, depth=1)), scan(1, 2, 3))
        assert rows(p.Join(p.Cross(), scan(2, 3), right, lateral=True))[0] == [(2, 1), (3, 1), (3, 2)]

    def test_kind(self) -> None:
        assert rows(p.Join(p.Cross(), scan([1], Bag([2])), p.Scan(var()), lateral=True))[1] is False
        assert rows(p.Join(p.Cross(), scan([1]), p.Scan(var()), lateral=True))[1] is True

    @pytest.mark.parametrize("capture", [p.Capture.RIGHT, p.Capture.FULL])
    def test_right_rows_cannot_be_kept(self, capture: p.Capture) -> None:
        with pytest.raises(PlanError, match="lateral"):
            rows(p.Join(p.Theta(capture, lit(True)), scan([1]), p.Scan(var()), lateral=True))
