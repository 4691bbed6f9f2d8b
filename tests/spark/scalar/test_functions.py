"""Every function on Spark against the reference evaluator: many calls in one query, over tables of arguments of every
kind, so that each call meets NULL, MISSING and values of the wrong type. Columns are of unknown type, or of one."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from firesteel import tables, values
from firesteel.errors import FiresteelError
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from firesteel.values import Clob, Interval, Symbol, Time, Timestamp
from tests.spark.helpers import MISSING, PERMISSIVE, STRICT, Bag, Struct, at, b, call, p, plan_of, select, t

pytestmark = pytest.mark.spark

DAY, D = datetime.date, Decimal
NANOS = 10**9
MOMENTS = [
    *(DAY(2020, 2, 29), Time(1, 2, D("3.5")), Time(23, 59, D("59.999"), 60)),
    *(Timestamp(2020, 1, 31, 3, 4, D("5.250")), Timestamp(2017, precision="year")),
    Timestamp(2019, 12, 31, 23, 59, D("59.123456789"), -90),
]
INTERVALS = [
    *(Interval("year_month", 14), Interval("day_time", 0, -90_061 * NANOS - 5)),
    Interval("day_time", 0, 1_500_000_000, 2, 3),
]
NUMBERS = [2, -3, D("0.5"), D("1.9999999999999999999900"), 2.5, 0.1]
OTHERS = ["a", True, None, MISSING, [1]]
EVERYTHING = [*MOMENTS, *INTERVALS, *NUMBERS, *OTHERS]
TEXTS = ["abc", "", "  a b  ", "100%", "ÀÉß😀x", Symbol("sym"), Clob(b"clob"), "xxaxx", None, MISSING, 1, b"octets"]
FIELDS = ("year", "month", "day", "hour", "minute", "second")
COLLECTIONS = [
    *([1, 2, 2], [1, D("2.5")], [0.1, 0.2, 0.3], [], [None, MISSING], [1, "a"], Bag([3, 1, 2, 3]), [True, None]),
    *([[2], [1]], [1, 1.0, D("1.00")], [D(1), D(2), D(2)], [math.inf, 1], 5, None, MISSING, [DAY(2020, 1, 1)]),
]
PERIODS = [
    *([DAY(2020, 1, 1), DAY(2020, 2, 1)], [DAY(2020, 1, 15), Interval("day_time", 0, 40 * 86_400 * NANOS)]),
    *([Timestamp(2020, 1, 20), Timestamp(2019, 1, 1)], [Time(1, 0, D(0)), Interval("day_time", 0, 3_600 * NANOS)]),
    *([None, DAY(2020, 1, 15)], [1, 2], [DAY(2020, 1, 1)], Bag([DAY(2020, 1, 1), DAY(2020, 1, 1)]), None, MISSING, 5),
]
WRITTEN = [
    *("1", "-0xA", "1.5", "1e3", "nan", "true", "2020-01-31", "2020-02-30", "10:20:30.5+01:30", "2020-01-31T10:20Z"),
    *(2**62, -128, D("2.5"), -0.5, 1e15, math.nan, Symbol("7")),
]
A, B = at("a"), at("b")
TYPES = (t.BOOL, t.INT64, t.DECIMAL, t.FLOAT64, t.DATE, t.Time(2, zone=True), t.TIMESTAMP, t.Timestamp(3, zone=True))


def each(*names: str) -> dict[str, p.Rex]:
    return {name: call(name, A) for name in names}


def both(*names: str) -> dict[str, p.Rex]:
    return {name: call(name, A, B) for name in names}


def with_nothing(*names: str) -> dict[str, p.Rex]:
    """Calls with NULL and with MISSING on either side."""
    return {
        f"{name} {'behind' if last else 'before'} {nothing}": call(name, *((A, nothing) if last else (nothing, A)))
        for name in names
        for nothing in (None, MISSING)
        for last in (True, False)
    }


def quantified(*names: str) -> dict[str, p.Rex]:
    return {f"{name} {q}": call(f"{name}_{q}", A, B) for name in names for q in ("any", "all")}


#: The arguments, and the calls over them.
CASES: dict[str, tuple[Iterable[tuple[Any, Any]], dict[str, p.Rex]]] = {
    "sums": (product(EVERYTHING, EVERYTHING), both("plus", "minus")),
    "products": (product(EVERYTHING, EVERYTHING), both("times")),
    "comparisons": (product(EVERYTHING, EVERYTHING), both("lt", "gte", "eq")),
    "division": (product([*INTERVALS, *NUMBERS, *OTHERS], [*NUMBERS, *OTHERS]), both("divide", "modulo")),
    "with nothing": (((x, 1) for x in EVERYTHING), with_nothing("plus", "divide")),
    "of one": (
        ((x, 1) for x in EVERYTHING),
        {
            **each("neg", "abs", "pos", "ceiling", "floor", "extract_second", "unix_timestamp", "is_true", "is_false"),
            **each("octet_length", "bit_length", "to_index"),
            **{f: call("extract", f, A) for f in (*FIELDS[:5], "timezone_hour", "timezone_minute")},
            "to_string": call("to_string", A, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX a h MMM"),
        },
    ),
    "counting": (
        product(MOMENTS + OTHERS, MOMENTS + OTHERS),
        {f: call("date_diff", f, A, B) for f in FIELDS},
    ),
    "moving": (
        product([1, -13, None, MISSING, "x"], MOMENTS + OTHERS),
        {f: call("date_add", f, A, B) for f in FIELDS},
    ),
    "overlaps": (product(PERIODS, PERIODS), both("overlaps")),
    "text": (
        product(TEXTS, TEXTS),
        {
            **both("concat", "position", "trim", "ltrim", "rtrim", "like"),
            "replace": call("text_replace", A, B, "-"),
            "overlay": call("overlay", A, B, 2),
        },
    ),
    "parts of text": (
        product(TEXTS, [-2, 0, 1, 3, None, MISSING, "x"]),
        {**each("upper", "lower", "char_length"), "from": call("substring", A, B), "of": call("substring", A, B, 2)},
    ),
    "casts": (
        ((x, 1) for x in [*WRITTEN, *EVERYTHING]),
        {f"{name} {type_}": call(name, A, type_) for type_ in TYPES for name in ("cast", "can_cast")},
    ),
    "to text": (((x, 1) for x in [*MOMENTS, "abc", 1, True, None]), {"cast": call("cast", A, t.STRING)}),
    "collections": (
        ((x, 1) for x in COLLECTIONS),
        each(
            *("coll_count", "coll_sum", "coll_avg", "coll_min", "coll_max", "coll_every", "coll_any"),
            *("filter_distinct", "as_bag"),
        ),
    ),
    "quantified": (product([1, D("2.5"), "a", None, MISSING], COLLECTIONS), quantified("eq", "lt")),
    "numbers": (
        product(*[[0.1, D("0.1"), 2**53 + 1, float(2**53), D("2.50"), 2.5, 2, math.nan, -0.0, 0]] * 2),
        both("eq", "lt", "lte"),
    ),
    "making": (
        product([2020, 0, None, MISSING, "x"], [1, 2, 13, None]),
        {
            "date": call("make_date", A, B, 29),
            "time": call("make_time", B, 5, D("1.50")),
            "zoned": call("make_time", B, 5, 2.5, B),
            "unix": call("from_unixtime", B),
        },
    ),
    "typed integers": (product([1, -7, 2**40], [2, -3, 5]), both("plus", "times", "divide", "modulo", "lt")),
    "typed decimals": (
        product([D("1.50"), D("-0.07"), D("3.00")], [D("0.3"), D("7.1")]),
        {**both("plus", "times", "divide", "modulo", "lt", "eq"), **each("neg", "ceiling")},
    ),
    "typed dates": (
        ((DAY(2020, m, 28), DAY(2019, 3, m)) for m in (1, 2, 12)),
        {"later": call("plus", A, Interval("year_month", 1)), "apart": call("minus", A, B), **both("lt", "eq")},
    ),
    "typed floats and decimals": (product([0.1, 2.5, -1e10], [D("0.1"), D("2.5"), D("7.0")]), both("lt", "eq", "plus")),
}


#: The same with other operators of the same kinds.
MORE: dict[str, tuple[Iterable[tuple[Any, Any]], dict[str, p.Rex]]] = {
    "more with nothing": (((x, 1) for x in EVERYTHING), with_nothing("minus", "times")),
    "more quantified": (product([1, D("2.5"), "a", None, MISSING], COLLECTIONS), quantified("ne", "lte", "gt", "gte")),
}


def table_of(rows: Iterable[tuple[Any, Any]]) -> tables.Table:
    return tables.memory(Bag([Struct([("a", first), ("b", second)]) for first, second in rows]))


def boxed(rex: p.Rex) -> p.Rex:
    """In a list a MISSING stays."""
    return p.Collection(t.Array(t.ANY), (rex,))


def plan_over(table: tables.Table, calls: dict[str, p.Rex], mode: p.Mode) -> p.Plan:
    named = {"a": A, "b": B, **calls}
    rex = b.struct([(name, boxed(rex)) for name, rex in named.items()])
    return plan_of(select(rex, p.Scan(p.Global(table.type, 0))), mode, (table,))


@pytest.mark.parametrize("name", [*CASES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_permissive(name: str, engine: SparkEngine) -> None:
    rows, calls = {**CASES, **MORE}[name]
    table = table_of(list(rows))
    plan = plan_over(table, calls, PERMISSIVE)
    expected, actual = list(evaluate(plan, (table,))), list(engine.run(plan, (table,)).value())
    assert len(actual) == len(expected)
    wrong = [
        f"{call_} of {want.get('a')}, {want.get('b')}: {got.get(call_)} is not {want.get(call_)}"
        for want, got in zip(expected, actual, strict=True)
        for call_ in calls
        if not values.equal(got.get(call_), want.get(call_))
    ]
    assert not wrong, "\n".join(wrong[:10])


#: What fails in strict mode, and in these cases in both.
FAILING: dict[str, tuple[Any, Any, p.Rex]] = {
    "wrong operands": (DAY(2020, 1, 1), 1, call("plus", A, B)),
    "units that differ": (INTERVALS[0], INTERVALS[1], call("lt", A, B)),
    "a wrong cast": (Struct([("x", 1)]), 1, call("cast", A, t.INT64)),
    "no such day": (2020, 13, call("make_date", A, B, 1)),
    "what is no boolean": ([True, 1], 1, call("coll_every", A)),
}
ALWAYS: dict[str, tuple[Any, Any, p.Rex]] = {
    "an interval by zero": (INTERVALS[0], 0, call("divide", A, B)),
    "a year that is none": (DAY(9999, 12, 31), 1, call("plus", A, Interval("day_time", 0, 86_400 * NANOS))),
    "a pattern": ("12", 1, call("to_timestamp", A, "y M")),
}


@pytest.mark.parametrize(("name", "mode"), [*product(FAILING, [STRICT]), *product(ALWAYS, [STRICT, PERMISSIVE])])
def test_failing(name: str, mode: p.Mode, engine: SparkEngine) -> None:
    first, second, rex = {**FAILING, **ALWAYS}[name]
    table = table_of([(first, second), ("other", None)][:1])
    plan = plan_over(table, {"x": rex}, mode)
    with pytest.raises(FiresteelError):
        evaluate(plan, (table,))
    with pytest.raises(FiresteelError):
        engine.run(plan, (table,)).value()
