"""Values: equality, order, conversion."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firesteel import values as v
from firesteel.errors import UnsupportedError

scalars = st.one_of(
    st.none(),
    st.just(v.MISSING),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(width=16),
    st.decimals(allow_nan=False, allow_infinity=False, places=1, min_value=-5, max_value=5),
    st.text("ab", max_size=2),
    st.binary(max_size=2),
    st.dates(),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(v.Bag),
        st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3).map(v.Struct),
    ),
    max_leaves=8,
)

#: The total order, rank by rank.
ORDER = [
    False,
    True,
    float("nan"),
    float("-inf"),
    -1,
    Decimal("-0.5"),
    0.25,
    1,
    float("inf"),
    datetime.date(2020, 1, 1),
    v.Time(1, 0, Decimal(0)),
    v.Timestamp(2020),
    "",
    "a",
    "b",
    b"",
    b"a",
    [],
    [1],
    [1, 2],
    [2],
    v.Struct(),
    v.Struct({"a": 1}),
    v.Struct({"a": 2}),
    v.Struct({"b": 0}),
    v.Bag(),
    v.Bag([1]),
]


@pytest.mark.parametrize("i", range(len(ORDER) - 1))
def test_the_total_order(i: int) -> None:
    assert v.key(ORDER[i]) < v.key(ORDER[i + 1])


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1.0, True),
        (1, Decimal("1.00"), True),
        (1, True, False),
        (1, "1", False),
        ("a", v.Symbol("a"), True),
        ([1], v.Sexp([1]), True),
        ([1, 2], [2, 1], False),
        ([1], v.Bag([1]), False),
        (v.Bag([1, 2, 2]), v.Bag([2, 1, 2]), True),
        (v.Bag([1, 2, 2]), v.Bag([1, 1, 2]), False),
        (v.Struct([("a", 1), ("b", 2)]), v.Struct([("b", 2), ("a", 1)]), True),
        (v.Struct([("a", 1), ("a", 2)]), v.Struct([("a", 2), ("a", 1)]), True),
        (v.Struct([("a", 1), ("a", 1)]), v.Struct([("a", 1)]), False),
        ([None], [None], True),
        ([None], [v.MISSING], False),
        (v.Timestamp(2020, 1, 1, 12, 0, offset=60), v.Timestamp(2020, 1, 1, 11, 0, offset=0), True),
        (v.Time(12, 0, Decimal(0), 60), v.Time(11, 0, Decimal("0.0"), 0), True),
        (float("nan"), float("nan"), True),
        (0.1, Decimal("0.1"), True),
        (0.1, Decimal("0.1000000000000000055511151231257827"), False),
        (0.1 + 0.2, Decimal("0.30000000000000004"), True),
        (123456789012345000, 1.23456789012345e17, True),
        (2**60, 2.0**60, False),  # the float is written 1.152921504606847e18
        (0, -0.0, True),
        (5e-324, Decimal("5E-324"), True),
        (float("inf"), Decimal("1E+400"), False),
    ],
)
def test_deep_equality(a: Any, b: Any, same: bool) -> None:
    assert v.equal(a, b) is same
    assert v.equal(b, a) is same
    assert not same or hash(v.key(a)) == hash(v.key(b))


@given(anything, anything, anything)
def test_the_order_is_total(a: Any, b: Any, c: Any) -> None:
    x, y, z = v.key(a), v.key(b), v.key(c)
    assert (x < y) + (x == y) + (x > y) == 1
    assert not (x <= y <= z) or x <= z


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**8), max_value=10**8), st.floats())
def test_decimals_of_few_digits_compare_as_floats(number: Decimal, other: float) -> None:
    near = float(number)
    assert v.equal(number, near)
    assert v.equal(number, other) is (near == other)
    assert (v.key(number) < v.key(other)) is (near < other)


@given(anything)
def test_python_and_back(value: Any) -> None:
    plain = v.to_python(value)
    if "Bag" not in repr(value):
        assert v.equal(v.from_python(plain), value)


def test_structs_with_repeated_keys_stay() -> None:
    twice = v.Struct([("a", 1), ("a", 2)])
    assert v.to_python(twice) is not twice
    assert v.to_python(twice) == twice
    assert twice.get("a") == 1
    assert v.Struct({"A": 1, "a": 2}).get_in_any_case("a") == 2
    assert v.Struct({"A": 1}).get_in_any_case("a") == 1
    assert v.Struct().get("a") is v.MISSING


def test_from_python_knows_pythons_own() -> None:
    data = {"d": datetime.datetime(2020, 1, 2, 3, 4, 5, 678), "t": (1, {2}), "s": datetime.timedelta(seconds=1)}
    value = v.from_python(data)
    assert value.get("d") == v.Timestamp(2020, 1, 2, 3, 4, Decimal("5.000678"))
    assert v.equal(value.get("t"), [1, v.Bag([2])])
    assert value.get("s").nanos == 10**9
    with pytest.raises(UnsupportedError, match="object"):
        v.from_python(object())
    with pytest.raises(UnsupportedError, match="name must be a string"):
        v.from_python({1: 2})


def test_missing_is_one() -> None:
    assert pickle.loads(pickle.dumps(v.MISSING)) is v.MISSING
    assert v.Missing() is v.MISSING
    assert not v.MISSING


def test_a_deep_value_is_no_matter() -> None:
    deep: Any = 1
    for i in range(50_000):
        deep = [deep] if i % 2 else v.Struct({"a": deep})
    assert v.equal(deep, deep)
    assert v.equal(v.from_python(v.to_python(deep)), deep)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (v.Time(10, 11, Decimal("12.5")), datetime.time(10, 11, 12, 500_000)),
        (v.Time(1, 2, Decimal(3), 60), datetime.time(1, 2, 3, 0, datetime.timezone(datetime.timedelta(hours=1)))),
        (v.Timestamp(2024, 1, 2, 3, 4, Decimal("5.000006")), datetime.datetime(2024, 1, 2, 3, 4, 5, 6)),
        (v.Timestamp(2024, offset=0), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
        (v.Interval("day_time", nanos=-1_000), datetime.timedelta(microseconds=-1)),
    ],
)
def test_times_are_those_of_python(value: v.Value, expected: object) -> None:
    found = v.to_python([value])[0]
    assert (type(found), found) == (type(expected), expected)
    assert v.equal(v.from_python(found), value)


@pytest.mark.parametrize(
    "value",
    [
        v.Time(1, 2, Decimal("3.0000001")),
        v.Timestamp(2024, 1, 2, 3, 4, Decimal("5.123456789")),
        v.Timestamp(2024, precision="day"),
        v.Timestamp(0),
        v.Interval("year_month", months=2),
        v.Interval("day_time", nanos=1),
    ],
)
def test_what_python_has_no_room_for_stays(value: v.Value) -> None:
    assert v.to_python(value) is value
