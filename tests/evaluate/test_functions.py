"""Scalar functions: a table per theme, each row with what it gives in permissive and in strict mode."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, PlanError
from firesteel.evaluate.scalar.conform import conforms
from firesteel.evaluate.scalar.functions import CLOCK, LAZY, SCALARS, TYPED
from firesteel.functions import Kind, all_functions
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Clob, Interval, Sexp, Struct, Symbol, Time, Timestamp, from_python
from tests.evaluate.container_cases import CONTAINERS, QUANTIFIED
from tests.evaluate.helpers import BOTH, ERROR, PERMISSIVE, STRICT, call, check, lit, run, same, var
from tests.evaluate.moments_cases import MOMENTS
from tests.evaluate.text_cases import TEXT

D = Decimal
MAX, MIN = 2**63 - 1, -(2**63)
NOON = Time(12, 0, D(0))
MAY_15, MAY_16 = datetime.date(2023, 5, 15), datetime.date(2023, 5, 16)

ARITHMETIC: list[tuple[Any, ...]] = [
    # name, arguments, permissive, strict (the same if it is left out)
    ("plus", 1, 2, 3),
    ("plus", 1, D("2.0"), D("3.0")),
    ("plus", 1, 2.5, 3.5),
    ("plus", D("0.1"), 0.5, 0.6),
    ("plus", D("9223372036854775807.0"), D("100.0"), D("9223372036854775907.0")),
    ("plus", D(10) ** 37, D("0.05"), D(10) ** 37),  # 38 digits
    ("plus", 1e308, 1e308, math.inf),
    ("plus", 10**400, 1.0, math.inf),
    ("plus", "a", 1, MISSING, ERROR),
    ("plus", True, 1, MISSING, ERROR),
    ("plus", 5, MISSING, MISSING),
    ("plus", 5, None, None),
    ("plus", None, MISSING, MISSING),
    ("plus", None, "a", MISSING, ERROR),  # a wrong argument is wrong beside an absent one
    ("plus", "a", MISSING, MISSING, ERROR),
    ("plus", MAX, 1, ERROR),
    ("plus", MIN, -1, ERROR),
    ("minus", MIN, 1, ERROR),
    ("minus", MIN + 1, 1, MIN),
    ("minus", 3, D("0.5"), D("2.5")),
    ("times", 922337203685477580, -11, ERROR),
    ("times", D("1e999999"), D(10), ERROR),
    ("times", 3, 2.5, 7.5),
    ("divide", 1, 2, 0),
    ("divide", -7, 2, -3),
    ("divide", 7, -2, -3),
    ("divide", -7, -2, 3),
    ("divide", MIN, -1, ERROR),
    ("divide", 1, 0, ERROR),
    ("divide", 1.0, 0.0, ERROR),
    ("divide", D(1), D("0.00"), ERROR),
    ("divide", D("4." + "0" * 36), D("3.0"), D("1." + "3" * 37)),
    ("divide", 3.0, 2, 1.5),
    ("divide", None, 0, None),
    ("modulo", -10, 3, -1),
    ("modulo", 10, -7, 3),
    ("modulo", D("5.5"), 2, D("1.5")),
    ("modulo", D("-5.5"), 2, D("-1.5")),
    ("modulo", D("1e60"), D(7), D(10**60 % 7)),
    ("modulo", D("1e900000"), D(7), ERROR),
    ("modulo", 5.5, 2, 1.5),
    ("modulo", math.inf, 2, math.nan),
    ("modulo", 1, 0, ERROR),
    ("modulo", 1.0, 0, ERROR),
    ("modulo", None, "some string", MISSING, ERROR),
    ("modulo", MISSING, "some string", MISSING, ERROR),
    ("modulo", None, 3, None),
    ("neg", 1, -1),
    ("neg", D("1.50"), D("-1.50")),
    ("neg", 2.0, -2.0),
    ("neg", MIN, ERROR),
    ("neg", "a", MISSING, ERROR),
    ("pos", D("2.0"), D("2.0")),
    ("pos", None, None),
    ("abs", -1, 1),
    ("abs", MIN, ERROR),
    ("abs", D("-1.9999999999999999999900"), D("1.9999999999999999999900")),
    ("abs", -math.inf, math.inf),
    ("abs", "foo", MISSING, ERROR),
    ("ceiling", D("1.2"), D(2)),
    ("ceiling", -1.5, -1.0),
    ("ceiling", 7, 7),
    ("floor", D("-1.2"), D(-2)),
    ("floor", math.inf, math.inf),
    ("floor", None, None),
    ("sqrt", 9, 3.0),
    ("sqrt", -1, ERROR),
    ("exp", 0, 1.0),
    ("exp", 1_000, math.inf),
    ("ln", 1.0, 0.0),
    ("ln", D(0), ERROR),
    ("power", 2, D("0.5"), 2**0.5),
    ("power", -8, D("0.5"), ERROR),
    ("power", "a", 1, MISSING, ERROR),
    ("log10", 1000, 3.0),
    ("log10", -1, ERROR),
    ("log2", D(8), 3.0),
    ("log2", "a", MISSING, ERROR),
    ("sin", 0, 0.0),
    ("cos", D(0), 1.0),
    ("tan", "a", MISSING, ERROR),
    ("asin", 2, ERROR),
    ("acos", 1, 0.0),
    ("atan", None, None),
    ("atan2", 0, -1, math.pi),
    ("degrees", math.pi, 180.0),
    ("radians", 180, math.pi),
    ("cbrt", -27, -3.0),
    ("sign", -7, -1),
    ("sign", D("2.50"), D(1)),
    ("sign", -0.0, 0.0),
    ("sign", math.nan, math.nan),
    ("sign", None, None),
    ("sign", "a", MISSING, ERROR),
    ("round", 7, 7),
    ("round", D("2.5"), D(3)),  # a tie goes away from zero
    ("round", D("-2.5"), D(-3)),
    ("round", D("2.4999"), D(2)),
    ("round", 2.675, 2, 2.68),  # the decimal that the float stands for
    ("round", D("2.345"), 2, D("2.35")),
    ("round", D("2.3"), 5, D("2.3")),
    ("round", 1250, -2, 1300),
    ("round", -1250, -2, -1300),
    ("round", 49, -2, 0),
    ("round", 49, -(10**9), 0),
    ("round", D("1e-30"), 5, D(0)),
    ("round", D("12345.6"), -2, D(12300)),
    ("round", -0.4, 0.0),
    ("round", math.inf, math.inf),
    ("round", MAX, -1, ERROR),
    ("round", None, 1, None),
    ("round", 1.5, MISSING, MISSING),
    ("round", "a", MISSING, ERROR),
    ("round", 1.5, "a", MISSING, ERROR),
    ("trunc", D("-2.789"), D(-2)),
    ("trunc", D("-2.789"), 1, D("-2.7")),
    ("trunc", 0.29, 2, 0.29),
    ("trunc", 1299, -2, 1200),
    ("trunc", MAX, -1, 9223372036854775800),
    ("trunc", True, MISSING, ERROR),
]

COMPARISON: list[tuple[Any, ...]] = [
    ("eq", 1, 1.0, True),
    ("eq", 1, D("1.00"), True),
    ("eq", 5, "a", False),
    ("eq", True, 1, False),
    ("eq", "a", Symbol("a"), True),
    ("eq", [1, 2], Sexp([1, 2]), True),
    ("eq", [1, 2], Bag([1, 2]), False),
    ("eq", Bag([3, 2, 4, 2]), Bag([2, 2, 3, 4]), True),
    ("eq", [None], [None], True),
    ("eq", [None], [MISSING], True),
    ("eq", [None, MISSING], [None], False),
    ("eq", Bag([[MISSING, 1], [None, 2]]), Bag([[None, 1], [None, 2]]), True),
    ("eq", Struct({"a": 1, "b": 2}), Struct({"b": 2, "a": 1}), True),
    ("eq", Struct({"a": MISSING}), Struct({"a": None}), True),
    ("eq", Struct({"a": 1}), Struct({"a": None}), False),
    ("eq", math.nan, math.nan, True),
    ("eq", MAY_15, Timestamp(2023, 5, 15), True),
    ("eq", MAY_15, Timestamp(2023, 5, 15, offset=300), False),
    ("eq", NOON, Time(14, 0, D(0), 120), True),
    ("eq", None, None, None),
    ("eq", MISSING, None, None),
    ("eq", MISSING, 1, None),
    ("ne", 1, 2, True),
    ("ne", 1, 1.0, False),
    ("ne", 1, MISSING, None),
    ("greatest", 1, 2.5, D("2.50"), 2.5),  # the first of those that are equal
    ("greatest", "b", "a", "😀", "😀"),
    ("greatest", 1, None, None),
    ("greatest", None, MISSING, MISSING),
    ("greatest", 1, "a", MISSING, ERROR),
    ("least", 3, -1, 2, -1),
    ("least", MAY_15, MAY_16, MAY_15),
    ("least", MISSING, 1, MISSING),
    ("least", 1, [1], MISSING, ERROR),
    ("lt", 1, 2.5, True),
    ("lt", D("2.5"), 2, False),
    ("lt", "a", Symbol("b"), True),
    ("lt", "a", Clob(b"b"), True),
    ("lt", False, True, True),
    ("lt", MAY_15, MAY_16, True),
    ("lt", MAY_15, Timestamp(2023, 5, 15, 10), True),
    ("lt", Timestamp(2023, 5, 15, 10, offset=0), Timestamp(2023, 5, 15, 10, offset=-60), True),
    ("lt", NOON, Time(13, 0, D(0)), True),
    ("lt", Interval("year_month", 1), Interval("year_month", 2), True),
    ("lt", Interval("year_month", 1), Interval("day_time", nanos=2), MISSING, ERROR),
    ("lt", 5, "a", MISSING, ERROR),
    ("lt", True, 1, MISSING, ERROR),
    ("lt", [1], [2], MISSING, ERROR),
    ("lt", MAY_15, NOON, MISSING, ERROR),
    ("lt", None, 1, None),
    ("lt", MISSING, None, MISSING),
    ("lte", 1, 1.0, True),
    ("lte", 2, 1, False),
    ("gt", 5, "a", MISSING, ERROR),
    ("gt", 2, 1.5, True),
    ("gte", 1, 2, False),
    ("gte", "b", "a", True),
    ("between", 2, 1, 3, True),
    ("between", D("1.23"), -1, 1, False),
    ("between", 0, 1, 3, False),
    ("between", 2, 3, 1, False),
    ("between", 2, None, 3, None),
    ("between", 2, "a", 3, MISSING, ERROR),
    ("between", 2, 3, "a", MISSING, ERROR),
    ("in_collection", 2, [1, 2.0], True),
    ("in_collection", 3, Bag([1, 2]), False),
    ("in_collection", 3, [1, None], None),
    ("in_collection", 3, [1, MISSING], None),
    ("in_collection", 1, [None, 1], True),
    ("in_collection", None, [1], None),
    ("in_collection", MISSING, [1], None),
    ("in_collection", None, [], False),
    ("in_collection", 1, None, None),
    ("in_collection", 1, MISSING, MISSING),
    ("in_collection", 1, 5, MISSING, ERROR),
    ("in_collection", 1, Struct({"a": 1}), MISSING, ERROR),
]

LOGIC: list[tuple[Any, ...]] = [
    ("and", True, True, True),
    ("and", True, False, False),
    ("and", True, None, None),
    ("and", MISSING, True, None),
    ("and", None, False, False),
    ("and", MISSING, False, False),
    ("and", MISSING, MISSING, None),
    ("and", False, 1, False),
    ("and", 1, False, MISSING, ERROR),
    ("and", True, "a", MISSING, ERROR),
    ("and", None, 1, MISSING, ERROR),
    ("and", True, True, None, False, False),
    ("or", False, False, False),
    ("or", False, True, True),
    ("or", None, True, True),
    ("or", False, MISSING, None),
    ("or", True, 1, True),
    ("or", 1, True, MISSING, ERROR),
    ("not", True, False),
    ("not", False, True),
    ("not", None, None),
    ("not", MISSING, None),
    ("not", Struct({"a": 1}), MISSING, ERROR),
    ("not", 0, MISSING, ERROR),
    ("is_null", None, True),
    ("is_null", MISSING, True),
    ("is_null", 0, False),
    ("is_missing", None, False),
    ("is_missing", MISSING, True),
    ("coalesce", None, MISSING, 3, 3),
    ("coalesce", None, MISSING, None),
    ("coalesce", MISSING, MISSING, MISSING),
    ("coalesce", False, True, False),
    ("nullif", 1, 1.0, None),
    ("nullif", 1, 2, 1),
    ("nullif", 1, None, 1),
    ("nullif", 1, MISSING, 1),
    ("nullif", MISSING, 1, MISSING),
    ("nullif", None, None, None),
    ("nullif", [], [], None),
    ("is_true", True, True),
    ("is_true", False, False),
    ("is_true", None, False),
    ("is_true", 1, MISSING, ERROR),
    ("is_false", False, True),
    ("is_false", MISSING, False),
    ("is_false", "false", MISSING, ERROR),
]

CASES = [*ARITHMETIC, *COMPARISON, *LOGIC, *TEXT, *CONTAINERS, *QUANTIFIED, *MOMENTS]


def _split(case: tuple[Any, ...]) -> tuple[str, list[Any], Any, Any]:
    """Name, arguments, what comes out in permissive mode and in strict mode."""
    name, *rest = case
    errs_only_in_strict = rest[-1] is ERROR and rest[-2] is MISSING
    permissive, strict = rest[-2:] if errs_only_in_strict else (rest[-1], rest[-1])
    return name, rest[: -2 if errs_only_in_strict else -1], permissive, strict


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_functions(case: tuple[Any, ...]) -> None:
    name, args, permissive, strict = _split(case)
    check(call(name, *args), permissive, strict)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_the_catalogue_says_what_comes_out(case: tuple[Any, ...]) -> None:
    name, args, permissive, _ = _split(case)
    typed = build.call(name, *(build.lit(from_python(arg)) for arg in args))
    for rex in (typed, call(name, *args)):
        assert permissive is ERROR or conforms(run(rex), rex.type), rex.type


def test_every_function_of_the_catalogue_is_tried() -> None:
    tried = {case[0] for case in CASES} | {*TYPED, *CLOCK}
    assert {row.name for row in all_functions() if row.kind is Kind.SCALAR} == tried


def test_what_is_no_collection_is_one_of_its_own_if_it_may_be() -> None:
    check(call("as_bag", 5), Bag([5]), ERROR)
    check(call("as_bag", Struct({"a": 1})), Bag([Struct({"a": 1})]), ERROR)
    check(call("as_bag", None), Bag(), ERROR)
    check(call("as_bag", MISSING), Bag(), ERROR)


def test_a_wrong_comparison_among_many_is_unknown_if_it_may_be() -> None:
    check(call("lt_any", 2, ["a", 3]), True, ERROR)
    check(call("lt_any", 2, ["a", 1]), None, ERROR)
    check(call("lt_all", 2, [1, "a"]), False, False)
    check(call("lt_all", 2, [3, "a"]), None, ERROR)


def test_only_what_is_needed_is_asked_for_and_in_order() -> None:
    crash = call("divide", 1, 0)
    assert run(call("and", False, crash)) is False
    assert run(call("or", True, crash)) is True
    assert run(call("coalesce", None, 1, crash)) == 1
    for name, first in (("and", True), ("or", False), ("coalesce", None)):
        with pytest.raises(EvaluationError, match="division by zero"):
            run(call(name, first, crash))


@pytest.mark.parametrize("mode", BOTH)
def test_like_takes_no_time_however_it_is_asked(mode: p.Mode) -> None:
    assert run(call("like", "a" * 20_000, "%a" * 200 + "%b"), mode) is False
    assert run(call("like", "a" * 2_000, "%_a" * 100 + "%_b%"), mode) is False


@pytest.mark.parametrize(
    ("rex", "message"),
    [
        (call("plus", "a", 1), "'a' + 1: plus takes numbers, intervals, dates, times and timestamps, not string"),
        (call("modulo", 1, "a"), "1 % 'a': modulo takes numbers, not string"),
        (call("plus", MAY_15, 1), "2023-05-15 + 1: plus does not take date, int"),
        (call("upper", 1), "upper(1): upper takes text, not int"),
        (call("lt", 5, Bag([1])), "5 < <<...>>: cannot compare int and bag"),
        (call("and", True, 7), "AND takes booleans, not int"),
        (call("substring", "a", 1, -1), "substring('a', 1, -1): a substring cannot have a negative length"),
        (call("in_collection", 1, Struct()), "in_collection(1, {}): IN takes collections, not struct"),
        (call("cast", "x", t.INT64), "cannot cast 'x' to int64"),
    ],
)
def test_what_was_wrong(rex: p.Rex, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        run(rex, STRICT)
    assert caught.value.message == message


def _fn(name: str, *args: p.Rex | t.Type) -> p.Call:
    return p.Call(p.Fn(name, p.FnOption.NONE, (), t.ANY), args)


@pytest.mark.parametrize(
    ("rex", "message"),
    [
        (_fn("uper", lit("a")), "no function 'uper'"),
        (_fn("sum", lit(1)), "'sum' is an aggregate function"),
        (_fn("upper", lit("a"), lit("b")), "'upper' does not take 2 arguments"),
        (_fn("cast", lit(1), lit(2)), "'cast' takes one type, not 0"),
        (_fn("cast", lit(1), t.NULL), "nothing can be cast to null"),
    ],
)
def test_what_is_no_call(rex: p.Rex, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        run(rex)


def test_arguments_are_evaluated_from_left_to_right() -> None:
    with pytest.raises(EvaluationError, match="division by zero"):
        run(call("plus", call("divide", 1, 0), call("plus", MAX, 1)))


def test_an_error_inside_is_not_claimed_by_the_call_around_it() -> None:
    inner = call("plus", "a", 1)
    same(run(call("is_missing", inner), PERMISSIVE), True)
    with pytest.raises(EvaluationError, match="plus takes numbers"):
        run(call("is_missing", inner), STRICT)


def test_a_function_is_what_the_catalogue_says_of_its_name() -> None:
    assert run(build.select(call("plus", var(), 1), p.Scan(lit([1, None, MISSING])), t.Array)) == [2, None, MISSING]
    assert not set(SCALARS) & set(TYPED)
    assert not (set(SCALARS) | set(TYPED)) & set(LAZY)
