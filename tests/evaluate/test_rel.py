"""Relations: scans, row by row, sorting, set operators."""

from __future__ import annotations

import pytest

from firesteel import plan as p
from firesteel import tables
from firesteel import types as t
from firesteel.errors import EvaluationError, PlanError
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Sexp, Struct
from tests.evaluate.helpers import BOTH, ERROR, PERMISSIVE, STRICT, bag_of, call, lit, rows, scan, table, var

LIST, BAG = True, False

SCANS = [
    # what, value, permissive rows and are they a list, strict
    (p.Scan, [1, 2], ([(1,), (2,)], LIST), ([(1,), (2,)], LIST)),
    (p.Scan, Sexp([1]), ([(1,)], LIST), ([(1,)], LIST)),
    (p.Scan, Bag([1, MISSING]), ([(1,), (MISSING,)], BAG), ([(1,), (MISSING,)], BAG)),
    (p.Scan, [], ([], LIST), ([], LIST)),
    (p.Scan, 5, ([(5,)], BAG), ERROR),
    (p.Scan, None, ([(None,)], BAG), ERROR),
    (p.Scan, MISSING, ([(MISSING,)], BAG), ERROR),
    (p.Scan, Struct({"a": 1}), ([(Struct({"a": 1}),)], BAG), ERROR),
    (p.ScanIndexed, [7, 8], ([(7, 0), (8, 1)], LIST), ([(7, 0), (8, 1)], LIST)),
    (p.ScanIndexed, Bag([7]), ([(7, MISSING)], BAG), ERROR),
    (p.ScanIndexed, Bag(), ([], BAG), ERROR),
    (p.ScanIndexed, 7, ([(7, MISSING)], BAG), ERROR),
    (p.ScanIndexed, MISSING, ([(MISSING, MISSING)], BAG), ERROR),
    (p.Unpivot, Struct([("a", 1), ("a", 2)]), ([("a", 1), ("a", 2)], BAG), ([("a", 1), ("a", 2)], BAG)),
    (p.Unpivot, Struct(), ([], BAG), ([], BAG)),
    (p.Unpivot, MISSING, ([], BAG), ERROR),
    (p.Unpivot, None, ([("_1", None)], BAG), ERROR),
    (p.Unpivot, [1], ([("_1", [1])], BAG), ERROR),
]


@pytest.mark.parametrize(("kind", "value", "permissive", "strict"), SCANS)
def test_scans(kind: type[p.Scan], value: object, permissive: object, strict: object) -> None:
    for mode, expected in ((PERMISSIVE, permissive), (STRICT, strict)):
        if expected is ERROR:
            with pytest.raises(EvaluationError):
                rows(kind(lit(value)), mode)
        else:
            assert rows(kind(lit(value)), mode) == expected


class TestIdentifiers:
    people = tables.memory([{"id": 7, "n": "a"}, {"id": 8, "n": "b"}], record_id="id")

    def test_a_table_has_them(self) -> None:
        named, _ = rows(p.Scan(p.Global(t.ANY, 0), identified=True), tables=[self.people])
        assert [row[1] for row in named] == [7, 8]
        indexed, _ = rows(p.ScanIndexed(p.Global(t.ANY, 0), identified=True), tables=[self.people])
        assert [row[1:] for row in indexed] == [(0, 7), (1, 8)]

    def test_other_values_have_none(self) -> None:
        assert rows(p.Scan(lit([1]), identified=True)) == ([(1, MISSING)], LIST)
        assert rows(p.Scan(lit(5), identified=True)) == ([(5, MISSING)], BAG)
        computed = p.Select(t.BAG, var(), p.Scan(p.Global(t.ANY, 0)))
        named, _ = rows(p.Scan(computed, identified=True), tables=[self.people])
        assert [row[1] for row in named] == [MISSING, MISSING]


class TestRowByRow:
    @pytest.mark.parametrize(("source", "kind"), [(scan(1, 2), LIST), (bag_of(1, 2), BAG)])
    def test_project_keeps_the_kind(self, source: p.Rel, kind: bool) -> None:
        assert rows(p.Project((call("plus", var(), 1), var()), source)) == ([(2, 1), (3, 2)], kind)

    @pytest.mark.parametrize("mode", BOTH)
    def test_only_true_passes(self, mode: p.Mode) -> None:
        data = table(2, (1, True), (2, False), (3, None), (4, MISSING))
        made, ordered = rows(p.Filter(var(1), data), mode)
        assert made == [(1, True)]
        assert ordered

    def test_a_condition_that_is_no_boolean(self) -> None:
        assert rows(p.Filter(var(), scan(1, True, "true"))) == ([(True,)], LIST)
        with pytest.raises(EvaluationError, match="a condition is a boolean, not int"):
            rows(p.Filter(var(), scan(1)), STRICT)

    @pytest.mark.parametrize("size", [-1, None, MISSING, 1.0, "1", True])
    def test_limit_takes_a_count_in_both_modes(self, size: object) -> None:
        for mode in BOTH:
            with pytest.raises(EvaluationError, match="LIMIT takes a number of rows"):
                rows(p.Limit(lit(size), scan(1)), mode)

    @pytest.mark.parametrize("size", [-1, None, MISSING, 1.0, "1", True])
    def test_a_wrong_offset_skips_nothing(self, size: object) -> None:
        assert rows(p.Offset(lit(size), scan(1, 2))) == ([(1,), (2,)], LIST)
        with pytest.raises(EvaluationError, match="OFFSET takes a number of rows"):
            rows(p.Offset(lit(size), scan(1)), STRICT)

    @pytest.mark.parametrize(
        ("size", "first", "rest"), [(0, [], [1, 2]), (1, [1], [2]), (5, [1, 2], []), (2**80, [1, 2], [])]
    )
    def test_limit_and_offset(self, size: int, first: list[int], rest: list[int]) -> None:
        assert rows(p.Limit(lit(size), scan(1, 2))) == ([(i,) for i in first], LIST)
        assert rows(p.Offset(lit(size), bag_of(1, 2))) == ([(i,) for i in rest], BAG)

    def test_a_count_sees_the_rows_around(self) -> None:
        inner = p.Select(t.ARRAY, var(), p.Limit(var(0, depth=1), scan("a", "b", "c")))
        made, _ = rows(p.Project((inner,), scan(1, 2)))
        assert made == [(["a"],), (["a", "b"],)]


class TestSort:
    mixed = (3, None, "a", 1.5, MISSING, True, [1], 2)

    @pytest.mark.parametrize(
        ("order", "expected"),
        [
            (p.SortOrder.ASC_NULLS_LAST, [True, 1.5, 2, 3, "a", [1], None, MISSING]),
            (p.SortOrder.ASC_NULLS_FIRST, [None, MISSING, True, 1.5, 2, 3, "a", [1]]),
            (p.SortOrder.DESC_NULLS_LAST, [[1], "a", 3, 2, 1.5, True, None, MISSING]),
            (p.SortOrder.DESC_NULLS_FIRST, [None, MISSING, [1], "a", 3, 2, 1.5, True]),
        ],
    )
    def test_orders(self, order: p.SortOrder, expected: list[object]) -> None:
        made, ordered = rows(p.Sort((p.SortSpec(var(), order),), bag_of(*self.mixed)))
        assert [row[0] for row in made] == expected
        assert ordered

    @pytest.mark.parametrize("order", list(p.SortOrder))
    def test_it_is_stable_and_null_and_missing_are_one(self, order: p.SortOrder) -> None:
        data = table(2, (1, "x"), (None, "p"), (1, "y"), (MISSING, "q"), (1, "z"), (None, "r"))
        made, _ = rows(p.Sort((p.SortSpec(var(0), order),), data))
        assert [row[1] for row in made if row[0] == 1] == ["x", "y", "z"]
        assert [row[1] for row in made if row[0] != 1] == ["p", "q", "r"]

    def test_several_keys(self) -> None:
        data = table(2, (1, "b"), (2, "a"), (1, "a"), (2, "b"))
        specs = (p.SortSpec(var(0), p.SortOrder.DESC_NULLS_FIRST), p.SortSpec(var(1), p.SortOrder.ASC_NULLS_LAST))
        assert rows(p.Sort(specs, data))[0] == [(2, "a"), (2, "b"), (1, "a"), (1, "b")]
        assert rows(p.Sort((), data))[0] == [(1, "b"), (2, "a"), (1, "a"), (2, "b")]


ALL, DISTINCT = p.Quantifier.ALL, p.Quantifier.DISTINCT
LEFT, RIGHT = (1, 2, 2, 3, None, MISSING), (2, 1.0, 2, 2, None, 4)


@pytest.mark.parametrize(
    ("operator", "quantifier", "expected"),
    [
        (p.Union, ALL, [1, 2, 2, 3, None, MISSING, 2, 1.0, 2, 2, None, 4]),
        (p.Union, DISTINCT, [1, 2, 3, None, MISSING, 4]),
        (p.Intersect, ALL, [1, 2, 2, None]),
        (p.Intersect, DISTINCT, [1, 2, None]),
        (p.Except, ALL, [3, MISSING]),
        (p.Except, DISTINCT, [3, MISSING]),
    ],
)
def test_set_operators(operator: type[p.SetRel], quantifier: p.Quantifier, expected: list[object]) -> None:
    made, ordered = rows(operator(scan(*LEFT), bag_of(*RIGHT), quantifier=quantifier))
    assert [row[0] for row in made] == expected
    assert not ordered


def test_except_all_takes_away_one_by_one() -> None:
    made, _ = rows(p.Except(scan(1, 1, 1, 2), scan(1)))
    assert made == [(1,), (1,), (2,)]
    assert rows(p.Except(scan(1, 1, 1, 2), scan(1), quantifier=DISTINCT))[0] == [(2,)]


def test_set_operators_want_one_width() -> None:
    with pytest.raises(PlanError, match="'union' of 1 and of 2 columns"):
        rows(p.Union(scan(1), table(2, (1, 2))))


def test_a_shared_relation_runs_once_for_a_row() -> None:
    doubled: p.Rel = scan(1)
    for _ in range(200):  # 2 ** 200 scans, if each were run wherever it is used
        doubled = p.Union(doubled, doubled, quantifier=DISTINCT)
    assert rows(doubled) == ([(1,)], BAG)
    total: p.Rex = var()
    for _ in range(200):
        total = build.call("nullif", total, build.call("concat", total, total))
    assert rows(p.Project((total,), scan("a"))) == ([("a",)], LIST)
