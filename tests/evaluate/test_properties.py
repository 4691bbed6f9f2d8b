"""Properties: the evaluator against models that are too simple to be wrong."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.text import like
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Struct
from tests.evaluate.helpers import PERMISSIVE, STRICT, call, lit, rows, run, scan, var

SCALARS = st.one_of(
    st.none(),
    st.just(MISSING),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([Decimal("1.0"), Decimal("-2.5"), 0.5, 2.0, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "b", "ab"]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.lists(inner, max_size=2).map(Bag),
        st.lists(st.tuples(st.sampled_from("xy"), inner), max_size=2).map(Struct),
    ),
    max_leaves=4,
)
FEW = st.lists(VALUES, max_size=6)
quick = settings(max_examples=150, deadline=None)


def keys(made: list[tuple[Any, ...]]) -> list[Any]:
    return [tuple(values.key(item) for item in row) for row in made]


@quick
@given(FEW, st.sampled_from(list(p.SortOrder)))
def test_sort_is_the_total_order_and_stable(items: list[Any], order: p.SortOrder) -> None:
    def compare(a: tuple[int, Any], b: tuple[int, Any]) -> int:
        absent = values.absent(a[1]), values.absent(b[1])
        if any(absent):
            if all(absent):
                return 0
            return -1 if absent[0] is order.nulls_first else 1
        left, right = values.key(a[1]), values.key(b[1])
        less, more = (1, -1) if order.descending else (-1, 1)
        return less if left < right else more if left > right else 0

    expected = sorted(enumerate(items), key=cmp_to_key(compare))
    made, ordered = rows(p.Sort((p.SortSpec(var(0), order),), p.ScanIndexed(lit(items))))
    assert [row[1] for row in made] == [i for i, _ in expected]
    assert ordered


@quick
@given(FEW, FEW, st.sampled_from([p.Union, p.Intersect, p.Except]), st.sampled_from(list(p.Quantifier)))
def test_set_operators_are_those_of_multisets(
    left: list[Any], right: list[Any], operator: type[p.SetRel], quantifier: p.Quantifier
) -> None:
    a, b = Counter(map(values.key, left)), Counter(map(values.key, right))
    if quantifier is p.Quantifier.DISTINCT:
        a, b = Counter(dict.fromkeys(a, 1)), Counter(dict.fromkeys(b, 1))
    model = {p.Union: a + b, p.Intersect: a & b, p.Except: a - b}[operator]
    if quantifier is p.Quantifier.DISTINCT:
        model = Counter(dict.fromkeys(model, 1))
    made, _ = rows(operator(scan(*left), scan(*right), quantifier=quantifier))
    assert Counter(key for (key,) in keys(made)) == model


@quick
@given(FEW, FEW, st.sampled_from([one for one in p.Capture if one is not p.Capture.LEFT_SINGLE]))
def test_an_equi_join_is_a_theta_join_of_equality(left: list[Any], right: list[Any], capture: p.Capture) -> None:
    equi = p.Join(p.Equi(capture, keys=(p.JoinKey(var(), var()),)), scan(*left), scan(*right))
    theta = p.Join(p.Theta(capture, call("eq", var(0), var(1))), scan(*left), scan(*right))
    assert keys(rows(equi)[0]) == keys(rows(theta)[0])


@quick
@given(FEW, FEW)
def test_outer_joins_are_the_inner_join_and_the_rest(left: list[Any], right: list[Any]) -> None:
    def joined(capture: p.Capture) -> Counter[Any]:
        condition = call("eq", var(0), var(1))
        return Counter(keys(rows(p.Join(p.Theta(capture, condition), scan(*left), scan(*right)))[0]))

    inner, one, other, full = (joined(p.Capture[name]) for name in ("INNER", "LEFT", "RIGHT", "FULL"))
    assert one - inner + other - inner + inner == full
    assert one >= inner <= other
    assert {key for key, _ in one} == set(map(values.key, left))


@quick
@given(FEW)
def test_groups_part_the_rows(items: list[Any]) -> None:
    aggs = (build.agg("count_star"), build.agg("collect", var()))
    made, _ = rows(p.Aggregate(p.Strategy.FULL, aggs, (var(),), scan(*items)))
    assert len(made) == len({values.key(None if item is MISSING else item) for item in items})
    assert sum(row[1] for row in made) == len(items)
    assert Bag([item for row in made for item in row[2]]) == Bag(items)


@quick
@given(
    VALUES, VALUES, st.sampled_from(["lt", "lte", "gt", "gte", "eq", "ne", "plus", "concat", "in_collection", "and"])
)
def test_permissive_is_strict_with_missing_for_an_error(a: Any, b: Any, name: str) -> None:
    forgiven = run(call(name, a, b), PERMISSIVE)
    try:
        strict = run(call(name, a, b), STRICT)
    except EvaluationError:
        strict = MISSING
    assert values.equal(forgiven, strict)


@quick
@given(VALUES, VALUES)
def test_just_one_of_less_equal_and_greater(a: Any, b: Any) -> None:
    less, same, more = (run(call(name, a, b)) for name in ("lt", "eq", "gt"))
    if not values.absent(less):
        assert [less, same, more].count(True) == 1


@quick
@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_quotient_and_remainder_belong_together(a: int, b: int) -> None:
    if b != 0 and (a, b) != (-(2**63), -1):
        quotient, remainder = run(call("divide", a, b)), run(call("modulo", a, b))
        assert quotient == int(Fraction(a, b))
        assert a == b * quotient + remainder


def _like(text: str, pattern: str) -> bool:
    """By trying everything."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(_like(text[i:], pattern[1:]) for i in range(len(text) + 1))
    return bool(text) and pattern[0] in (text[0], "_") and _like(text[1:], pattern[1:])


@settings(max_examples=500, deadline=None)
@given(st.text("ab", max_size=8), st.text("ab_%", max_size=6))
def test_like_is_trying_everything(text: str, pattern: str) -> None:
    assert like(text, pattern) == _like(text, pattern)


@quick
@given(VALUES)
def test_casting_to_its_own_type_changes_nothing(value: Any) -> None:
    type_ = t.type_of(value)
    if not isinstance(type_, t.Null | t.Missing):
        assert values.equal(run(call("cast", value, type_), STRICT), value)
