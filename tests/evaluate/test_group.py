"""Grouping and aggregates."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from firesteel import plan as p
from firesteel.errors import EvaluationError, PlanError
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Struct
from tests.evaluate.helpers import BOTH, ERROR, PERMISSIVE, STRICT, call, lit, rows, same, scan, table, var

_THIRD = Decimal("0." + "3" * 38)
FULL, PARTIAL = p.Strategy.FULL, p.Strategy.PARTIAL
SALES = table(2, ("a", 1), ("b", 2), (None, 4), ("a", 8), (MISSING, 16))


def test_missing_keys_are_null_and_groups_are_in_order_of_appearance() -> None:
    made, ordered = rows(p.Aggregate(FULL, (build.agg("sum", var(1)),), (var(0),), SALES))
    assert (made, ordered) == ([("a", 9), ("b", 2), (None, 20)], False)


def test_partial_leaves_out_rows_with_an_absent_key() -> None:
    made, _ = rows(p.Aggregate(PARTIAL, (build.agg("sum", var(1)),), (var(0),), SALES))
    assert made == [("a", 9), ("b", 2)]


@pytest.mark.parametrize("strategy", list(p.Strategy))
def test_without_keys_there_is_always_one_row(strategy: p.Strategy) -> None:
    aggs = (build.agg("count_star"), build.agg("sum", var()), build.agg("collect", var()))
    assert rows(p.Aggregate(strategy, aggs, (), scan()))[0] == [(0, None, Bag())]
    assert rows(p.Aggregate(strategy, aggs, (var(),), scan()))[0] == []
    assert rows(p.Aggregate(strategy, (), (), scan(1, 2)))[0] == [()]


def test_keys_group_by_deep_equality() -> None:
    keys = (1, 1.0, Decimal("1.00"), Bag([1, 2]), Bag([2, 1]), Struct({"a": None}), Struct(), True)
    made, _ = rows(p.Aggregate(FULL, (build.agg("count_star"),), (var(),), scan(*keys)))
    assert [count for _, count in made] == [3, 2, 1, 1, 1]


def test_keys_may_be_several_and_computed() -> None:
    made, _ = rows(
        p.Aggregate(
            FULL, (build.agg("max", var()),), (call("modulo", var(), 2), call("gt", var(), 3)), scan(1, 2, 3, 4, 6)
        )
    )
    assert made == [(1, False, 3), (0, False, 2), (0, True, 6)]


AGGREGATES = [
    # name, values, permissive, strict
    ("count_star", [1, None, MISSING], 3, 3),
    ("count", [1, None, MISSING, "a"], 2, 2),
    ("count", [], 0, 0),
    ("count", [None], 0, 0),
    ("sum", [1, 2, None, MISSING], 3, 3),
    ("sum", [1, Decimal("2.50")], Decimal("3.50"), Decimal("3.50")),
    ("sum", [1, 2.0, Decimal("0.5")], 3.5, 3.5),
    ("sum", [0.1] * 10, 1.0, 1.0),
    ("sum", [1e308, 1e308, -1e308], 1e308, 1e308),
    ("sum", [1e308, 1e308], math.inf, math.inf),
    ("sum", [1e308, 1e308, -math.inf], -math.inf, -math.inf),
    ("sum", [math.inf, -math.inf], math.nan, math.nan),
    ("sum", [2**62, 2**62, -1], 2**63 - 1, 2**63 - 1),
    ("sum", [2**62, 2**62], ERROR, ERROR),
    ("sum", [Decimal(10) ** 40, Decimal(1), -(Decimal(10) ** 40)], Decimal(1), Decimal(1)),
    ("sum", [], None, None),
    ("sum", [None, MISSING], None, None),
    ("sum", [1, "a"], MISSING, ERROR),
    ("sum", [1, True], MISSING, ERROR),
    ("avg", [1, 1, 1, 2], Decimal("1.25"), Decimal("1.25")),
    ("avg", [1, 2.0, 3e0, 4, Decimal(5)], Decimal(3), Decimal(3)),
    ("avg", [0.1, 0.3], Decimal("0.2"), Decimal("0.2")),
    ("avg", [1, 1, 2], Decimal("1." + "3" * 18), Decimal("1." + "3" * 18)),
    (
        "avg",
        [_THIRD, Decimal("-0.41" + "6" * 36)],
        Decimal("-0.041" + "6" * 34 + "7"),
        Decimal("-0.041" + "6" * 34 + "7"),
    ),
    ("avg", [math.inf, 1], math.inf, math.inf),
    ("avg", [None], None, None),
    ("avg", [1, "a"], MISSING, ERROR),
    ("min", [3, 1.5, None, MISSING], 1.5, 1.5),
    ("min", ["a", 5, True], True, True),
    ("max", ["a", 5, True], "a", "a"),
    ("max", [1, "x", None, MISSING, [1]], [1], [1]),
    ("max", [math.nan, 1, -math.inf], 1, 1),
    ("min", [], None, None),
    ("every", [True, None, MISSING], True, True),
    ("every", [True, False], False, False),
    ("every", [], None, None),
    ("every", [None], None, None),
    ("every", [True, 5], MISSING, ERROR),
    ("any", [False, True, None], True, True),
    ("any", [False, None], False, False),
    ("any", [MISSING], None, None),
    ("any", [True, 5, True], MISSING, ERROR),
    ("collect", [1, None, MISSING, 1], Bag([1, None, MISSING, 1]), Bag([1, None, MISSING, 1])),
]


@pytest.mark.parametrize(("name", "items", "permissive", "strict"), AGGREGATES)
def test_aggregates(name: str, items: list[object], permissive: object, strict: object) -> None:
    agg = build.agg(name, *([] if name == "count_star" else [var()]))
    for order in (items, items[::-1]):  # no aggregate depends on the order of rows
        for mode, expected in ((PERMISSIVE, permissive), (STRICT, strict)):
            rel = p.Aggregate(FULL, (agg,), (), scan(*order))
            if expected is ERROR:
                with pytest.raises(EvaluationError):
                    rows(rel, mode)
            else:
                same(rows(rel, mode)[0][0][0], expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sum", 14), ("count", 3), ("avg", Decimal(14) / 3), ("min", 1), ("collect", Bag([10, 1, 3, None, MISSING]))],
)
def test_distinct(name: str, expected: object) -> None:
    agg = build.agg(name, var(), distinct=True)
    actual = rows(p.Aggregate(FULL, (agg,), (), scan(10, 1, 10.0, None, 3, MISSING, None)))[0][0][0]
    if name == "avg":
        assert actual == round(expected, 18)  # type: ignore[call-overload]
    else:
        same(actual, expected)


@pytest.mark.parametrize("mode", BOTH)
def test_arguments_see_the_input_row(mode: p.Mode) -> None:
    agg = build.agg("sum", call("times", var(0), var(1)))
    assert rows(p.Aggregate(FULL, (agg,), (), table(2, (2, 3), (4, 5))), mode)[0] == [(26,)]


@pytest.mark.parametrize(
    "wrong", [p.Agg(build.signature("upper", [lit("a")]), (var(),)), p.Agg(build.signature("sum", [lit(1)]), ())]
)
def test_what_is_no_aggregate_call(wrong: p.Agg) -> None:
    with pytest.raises(PlanError, match=wrong.fn.name):
        rows(p.Aggregate(FULL, (wrong,), (), scan(1)))
