"""Comparison keys agree with `values.key`: many generated values in one job each for order, groups and equality."""

from __future__ import annotations

import datetime
import math
import random
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.scalar.compare import equality_key, lt
from firesteel.values import MISSING, Bag, Clob, Interval, Sexp, Struct, Symbol, Time, Timestamp, Value

pytestmark = pytest.mark.spark

SCALARS: list[Value] = [
    *(None, True, False, 0, 1, -1, 2, 10**18, 2**63 - 1, -(2**63), 2**53, 2**53 + 1),
    *(Decimal("1"), Decimal("1.0"), Decimal("1.50"), Decimal("0.1"), Decimal("-0.0"), Decimal("0.3"), Decimal("1E+3")),
    *(Decimal("12345678901234567890.5"), Decimal("9007199254740993"), Decimal("0.000000000000000001")),
    *(2**62, 2.0**62, 2**70, 2.0**70, 10**20, 1e20, Decimal("1E+30"), 1e30, Decimal("1E-20"), 1e-20),
    *(Decimal("0.1"), 0.1 + 0.2, Decimal("0.30000000000000004"), 2**60, 2.0**60, 1152921504606847000, 2e23),
    *(Decimal("5E-324"), Decimal("4.9E-324"), Decimal("1E-400"), Decimal("1E+400"), 10**23, Decimal("2E+23")),
    *(10**50, 10**50 + 1, -(10**50), -(10**50) - 1, Decimal("1E+50"), Decimal("1." + "0" * 45)),
    *(Decimal(f"{sign}100000000000000000000.{digits}") for sign in ("", "-") for digits in ("25", "5", "500")),
    *(1.0, 1.5, 0.1, 0.3, -0.0, 0.0, 1e300, -1e300, 5e-324, math.nan, math.inf, -math.inf, 2.0**53, 1e18, 0.5),
    *("", "a", "A", "ab", "é", "\U0001f600", "1", "2020-01-01", "NaN", Symbol("a"), Symbol("z")),
    *(b"", b"a", b"\xff", Clob(b"a")),
    *(datetime.date(2020, 1, 1), datetime.date(1969, 12, 31), Time(12, 30, Decimal(0)), Time(12, 30, Decimal("0.5"))),
    *(Timestamp(2020, 1, 1), Timestamp(2020, 1, 1, offset=0), Timestamp(2020, 1, 1, 1, offset=60)),
    *(Timestamp(2020, 1, 1, 0, 0, Decimal("0.000000001"), 0), Timestamp(2020, 1, 1, 2, offset=60)),
    *(Interval("year_month", 14), Interval("day_time", 0, 10**9), Interval("day_time", 0, 2 * 10**9)),
]


def near(seed: int, count: int) -> list[Value]:
    """Decimals of up to 17 digits, the floats next to them, what those stand for and what they are exactly."""
    rng = random.Random(seed)
    found: list[Value] = []
    for _ in range(count):
        digits = rng.randint(1, 17)
        number = Decimal(rng.randrange(-(10**digits), 10**digits)).scaleb(-rng.randint(1, digits))
        double = float(number)
        exact = Decimal(double)
        found += [number, double, math.nextafter(double, math.inf), number + Decimal("1E-20")]
        found += [values.decimal_of(math.nextafter(double, math.inf)), values.decimal_of(double) - Decimal("1E-30")]
        found += [exact] if -exact.as_tuple().exponent <= 30 else []  # type: ignore[operator]
    return found


def generated(seed: int, count: int, depth: int) -> list[Value]:
    """Every scalar, and containers of them: lists, bags, structs with repeated keys, MISSING in lists."""
    rng = random.Random(seed)
    # Few of them, so that there are equal ones.
    few: list[Value] = [*SCALARS[:7], 1.0, Decimal("1.0"), "a", Symbol("a"), None, datetime.date(2020, 1, 1), 0.1]

    def one(level: int) -> Value:
        if level == 0 or rng.random() < 0.3:
            return rng.choice(few)
        items = [one(level - 1) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.15:
            items.append(MISSING)
        match rng.randint(0, 4):
            case 0 | 1:
                return items
            case 2:
                return Bag(items)
            case 3:
                return Sexp(items)
        return Struct([(rng.choice("aab"), item) for item in items if item is not MISSING])

    made = [one(depth) for _ in range(count)]
    shuffled = [Bag(rng.sample(v.items, len(v.items))) for v in made if isinstance(v, Bag)]
    turned = [Struct(reversed(v.pairs)) for v in made if isinstance(v, Struct)]
    found = [*SCALARS, *made, *shuffled, *turned]
    rng.shuffle(found)
    return found


def deep(value: Value, levels: int) -> Value:
    """A value in containers of every kind, so many in one another."""
    for i in range(levels):
        value = ([value], Bag([value, 1]), Struct({"a": value}), Sexp([value]))[i % 4]
    return value


VALUES = [*generated(7, 80, 3), *near(3, 40), deep(1, 12), deep(1.0, 12), deep(2, 12), deep(2, 13)]


@pytest.fixture(scope="module")
def session(spark: Any) -> fs.Session:
    session = fs.connect(spark=spark, in_process=False, fallback="refuse")
    session.register("v", Bag([Struct({"i": i, "x": value}) for i, value in enumerate(VALUES)]))
    return session


def test_order_is_the_total_order(session: fs.Session) -> None:
    found = session.query("SELECT VALUE r.i FROM v AS r ORDER BY r.x").value()
    keys = [values.key(VALUES[i]) for i in found]
    present = [key for i, key in zip(found, keys, strict=True) if VALUES[i] is not None]
    assert len(found) == len(VALUES)
    for a, b in pairwise(present):
        assert a <= b, f"{a} comes before {b}"
    assert all(VALUES[i] is None for i in found[len(present) :])


def test_groups_are_those_of_deep_equality(session: fs.Session) -> None:
    found = session.query("SELECT r.x AS x, COUNT(*) AS c FROM v AS r GROUP BY r.x").value()
    counts = Counter({values.key(row.get("x")): row.get("c") for row in found})
    assert len(counts) == len(found.items)
    assert counts == Counter(map(values.key, VALUES))


def test_less_is_that_of_the_operator(session: fs.Session) -> None:
    """Of values that are alike, one is less, or they are `=`."""
    found = session.query("SELECT VALUE [a.i, b.i] FROM v AS a, v AS b WHERE a.x < b.x").value()
    expected = {(i, j) for i, a in enumerate(VALUES) for j, b in enumerate(VALUES) if _less(a, b)}
    actual = {tuple(pair) for pair in found}
    assert actual == expected, [(VALUES[a], VALUES[b]) for a, b in sorted(actual ^ expected)[:5]]


def _less(a: Value, b: Value) -> bool:
    try:
        return not values.absent(a) and not values.absent(b) and lt(a, b)
    except Forgivable:
        return False


def test_equality_is_that_of_the_operator(session: fs.Session) -> None:
    found = session.query("SELECT VALUE [a.i, b.i] FROM v AS a, v AS b WHERE a.x = b.x").value()
    keys = [None if value is None else equality_key(value) for value in VALUES]
    by_key: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        if key is not None:
            by_key.setdefault(key, []).append(i)
    expected = {(a, b) for group in by_key.values() for a in group for b in group}
    actual = {tuple(pair) for pair in found}
    shown = [(VALUES[a], VALUES[b]) for a, b in sorted(actual ^ expected)[:5]]
    assert actual == expected, shown
