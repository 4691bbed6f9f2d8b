"""The type lattice."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firesteel import types as t
from firesteel import values as v

SOME = [
    t.BOOL,
    t.INT8,
    t.INT64,
    t.INT,
    t.Decimal(10, 2),
    t.DECIMAL,
    t.FLOAT32,
    t.FLOAT64,
    t.Char(3),
    t.String(5),
    t.STRING,
    t.Byte(2),
    t.BLOB,
    t.DATE,
    t.Time(3),
    t.Timestamp(6, zone=True),
    t.Interval("day_time"),
    t.NULL,
    t.MISSING,
    t.ANY,
    t.Bag(t.INT64),
    t.Array(t.STRING),
    t.STRUCT,
    t.Struct((t.Field("a", t.INT64),), open=False),
    t.String(nullable=True),
    t.Int64(missable=True),
]
some_type = st.sampled_from(SOME)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (v.MISSING, "missing"),
        (True, "bool"),
        (1, "int64"),
        (2**63, "int"),
        (1.5, "float64"),
        (Decimal("1.5"), "decimal"),
        ("x", "string"),
        (v.Symbol("x"), "symbol"),
        (b"x", "blob"),
        (datetime.date(2020, 1, 2), "date"),
        (v.Time(1, 2, Decimal("3.45"), 60), "time(2) with zone"),
        (v.Timestamp(2020), "timestamp(0)"),
        (v.Interval("year_month", 3), "interval(year_month)"),
        ([], "array(any)"),
        ([1, None], "array(int64?)"),
        (v.Bag([1, "a", v.MISSING]), "bag(union(int64, string)~)"),
        (v.Sexp([1]), "sexp(int64)"),
        (v.Struct({"a": 1, "b": None}), "struct(a int64, b null)"),
        ([v.Struct({"a": 1}), v.Struct({"b": "x"})], "array(struct(a int64~, b string~))"),
        ([[1], ["x"], None], "array(array(union(int64, string))?)"),
        ([v.Struct([("a", 1), ("a", 2)]), v.Struct()], "array(struct(...))"),
    ],
)
def test_type_of_a_value(value: Any, text: str) -> None:
    assert str(t.type_of(value)) == text


@given(some_type, some_type)
def test_union_holds_both(a: t.Type, b: t.Type) -> None:
    assert t.within(a, t.union((a, b)))
    assert t.within(b, t.union((a, b)))
    assert t.union((a, b)) == t.union((b, a))
    assert t.union((a, a)) == a


@given(some_type, some_type)
def test_within_implies_overlap(a: t.Type, b: t.Type) -> None:
    if t.within(a, b) and t.within(b, a):
        assert a == b
    if t.within(a, b):
        assert t.overlap(a, b)


@given(st.lists(some_type, min_size=1, max_size=4))
def test_merge_holds_all(types: list[t.Type]) -> None:
    assert all(t.within(type_, t.merge(types)) for type_ in types)


def test_flags_are_apart() -> None:
    nullable, missable = t.union((t.INT64, t.NULL)), t.union((t.INT64, t.MISSING))
    assert (nullable.nullable, nullable.missable) == (True, False)
    assert (missable.nullable, missable.missable) == (False, True)
    assert not t.within(nullable, missable)
    assert t.union((t.NULL, t.MISSING)).absent
    assert t.proper(nullable) == t.INT64


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (t.INT8, t.INT32, t.INT32),
        (t.INT64, t.INT, t.INT),
        (t.INT64, t.DECIMAL, t.DECIMAL),
        (t.DECIMAL, t.FLOAT64, t.FLOAT64),
        (t.FLOAT32, t.FLOAT32, t.FLOAT32),
        (t.FLOAT32, t.INT32, t.FLOAT64),
    ],
)
def test_numbers_meet_in_the_wider(a: t.Type, b: t.Type, result: t.Type) -> None:
    assert t.numeric(a, b) == result
    assert t.numeric(b, a) == result


def test_a_deep_type_is_no_matter() -> None:
    deep: t.Type = t.INT64
    for _ in range(5_000):
        deep = t.Array(deep)
    assert str(deep).startswith("array(array(")
    assert t.within(deep, deep)
