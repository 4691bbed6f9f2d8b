"""The functions that people of other SQLs look for, on Spark against the reference evaluator: many calls in one query,
over arguments of every kind: NULL, MISSING, values of the wrong type, ties and negative numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.evaluate import evaluate
from firesteel.spark import SparkEngine
from tests.spark.both import differences, sessions
from tests.spark.helpers import MISSING, PERMISSIVE, STRICT, Bag, Struct, at, call, p
from tests.spark.scalar.test_functions import (
    COLLECTIONS,
    DAY,
    MOMENTS,
    OTHERS,
    TEXTS,
    D,
    both,
    each,
    plan_over,
    table_of,
)

pytestmark = pytest.mark.spark

A, B = at("a"), at("b")
NUMBERS = [
    *(0, 2, -3, 1250, -1250, 1251, 2**62, D("0.5"), D("2.5"), D("-2.5"), D("2.345"), D("-0.0449"), D("12345.678")),
    *(D("9999999999999999999999999999999999999"), D("1.9999999999999999999900"), 2.5, -2.5, 0.285, 2.675, -0.4, 1e22),
    *(math.nan, math.inf, -math.inf, 5e-324, 123456.789),
]
PATTERNS = ("b", "[a-z]+", "(x+)(a)?", "^", "À", "(?i)B", "\\s")
STRUCTS = [
    Struct([("b", 1), ("a", [2])]),
    Struct([("b", 1), ("b", 2), ("a", None)]),
    *(Struct([]), Struct([("é", 1), ("z", "x"), ("😀", 1), ("\uffee", 2)]), 5, "a", [1], None, MISSING),
]
NESTED = [
    [[1], [2, 3]],
    [1, [2], Bag([3]), None, MISSING],
    Bag([[1], [2]]),
    [],
    ["a", "a"],
    [[], [[1]]],
    5,
    None,
    MISSING,
]
ARRAYS = [*COLLECTIONS, *NESTED, [3, 1, None, 2, MISSING], ["b", "a", 1, True], [2.0, 2, D("1.5")]]

Cases = dict[str, tuple[Iterable[tuple[Any, Any]], dict[str, p.Rex]]]
CASES: Cases = {
    "rounding": (
        ((x, 1) for x in [*NUMBERS, *OTHERS, *MOMENTS[:1]]),
        {
            f"{name} {places}": call(name, A, *([] if places is None else [places]))
            for name in ("round", "trunc")
            for places in (None, 1, -2)
        }
        | each("sign"),
    ),
    "typed numbers": (
        zip([D("1.25"), D("-1.25"), D("0.05"), D("99.95")], [1.25, -0.285, 99.995, 1e300], strict=True),
        {
            f"{name} {places} {'AB'[i]}": call(name, (A, B)[i], places)
            for name in ("round", "trunc")
            for places in (1, -1)
            for i in (0, 1)
        }
        | each("sign"),
    ),
    "extremes": (
        product([1, 2.5, D("2.5"), "b", "a", True, DAY(2020, 1, 1), None, MISSING, [1]], repeat=2),
        {
            **both("greatest", "least"),
            "three": call("greatest", A, B, 2),
        },
    ),
    "typed integers": (
        product([1, 5, -15], [2, 5]),
        {**both("greatest", "least"), "round": call("round", A, -1), "trunc": call("trunc", A), **each("sign")},
    ),
    "text": (
        product(TEXTS, TEXTS),
        {**both("starts_with", "ends_with", "contains", "split", "ilike"), "three": call("concat", A, B, A)},
    ),
    "ilike": (
        ((x, 1) for x in ["ABC", "abc", "ÀÉ", "Straße", "a%c", "a_c", None, MISSING, 1]),
        {
            "constant": call("ilike", A, "aB%"),
            "escaped": call("ilike", A, "A!%C", "!"),
            "many": call("ilike", A, "%A%B%C%D%"),
            "accents": call("ilike", A, "àé"),
        },
    ),
    "parts of text": (
        product(TEXTS, [-2, 0, 1, 3, 7, 2**40, None, MISSING, "x"]),
        {**both("left", "right")},
    ),
    "filling": (
        product(TEXTS, [-2, 0, 1, 3, 7, None, MISSING, "x"]),
        {
            **both("lpad", "rpad", "repeat"),
            "with": call("lpad", A, B, "xy"),
            "with nothing": call("rpad", A, B, ""),
            "with emoji": call("rpad", A, B, "😀"),
        },
    ),
    "regular expressions": (
        ((x, 1) for x in [*TEXTS, "b\nB b", "xxa xx"]),
        {
            f"{name} {pattern}": call(name, A, pattern)
            for name in ("regexp_like", "regexp_count", "regexp_substr", "regexp_extract_all", "regexp_split")
            for pattern in PATTERNS
        }
        | {f"replace {pattern}": call("regexp_replace", A, pattern, "<$\\0>") for pattern in PATTERNS}
        | {f"group {i}": call("regexp_substr", A, "(x+)(a)?", i) for i in (0, 1, 2)}
        | {"flags": call("regexp_like", A, "^B$", "im"), "ignoring": call("regexp_replace", A, "B", "-", "i")},
    ),
    "units": (
        ((x, 1) for x in [*MOMENTS, *OTHERS]),
        {
            unit: call("date_trunc", unit, A)
            for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "SECOND")
        },
    ),
    "typed dates": (
        ((DAY(2024, m, d), 1) for m in (1, 5, 12) for d in (1, 17, 31 if m != 1 else 30)),
        {unit: call("date_trunc", unit, A) for unit in ("year", "quarter", "month", "week", "day", "hour")},
    ),
    "arrays": (((x, 1) for x in ARRAYS), each("array_flatten", "array_sort")),
    "two arrays": (product(ARRAYS[::3], ARRAYS[1::3]), both("array_concat")),
    "elements": (product(ARRAYS, [1, D("2.50"), "a", None, MISSING]), both("array_contains", "array_position")),
    "slices": (
        product(ARRAYS[:12], [-1, 0, 1, 2, 9, 2**40, None, MISSING, "x"]),
        {"from": call("array_slice", A, B, 2), "of": call("array_slice", A, 1, B)},
    ),
    "typed arrays": (
        ((x, y) for x in ([3, 1, 2], [], [5]) for y in (1, 5)),
        {
            **both("array_contains", "array_position"),
            **each("array_sort"),
            "twice": call("array_concat", A, A),
            "part": call("array_slice", A, 2, B),
        },
    ),
    "structs": (((x, 1) for x in STRUCTS), each("map_keys", "map_values", "map_entries")),
    "typed structs": (
        ((Struct([("b", i), ("a", "x")]), 1) for i in range(3)),
        each("map_keys", "map_values", "map_entries"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_permissive(name: str, engine: SparkEngine) -> None:
    rows, calls = CASES[name]
    table = table_of(list(rows))
    plan = plan_over(table, calls, PERMISSIVE)
    expected, actual = list(evaluate(plan, (table,))), list(engine.run(plan, (table,)).value())
    wrong = [
        f"{call_} of {want.get('a')!r}, {want.get('b')!r}: {got.get(call_)} is not {want.get(call_)}"
        for want, got in zip(expected, actual, strict=True)
        for call_ in calls
        if not values.equal(got.get(call_), want.get(call_))
    ]
    assert not wrong, "\n".join(wrong[:20])


#: What fails in strict mode, and in these cases in both.
FAILING: dict[str, tuple[Any, Any, p.Rex]] = {
    "values that do not compare": (1, "a", call("greatest", A, B)),
    "a negative length": ("abc", -2, call("lpad", A, B)),
    "the day of a time": (MOMENTS[1], 1, call("date_trunc", "day", A)),
    "concatenating a number": ([1], 1, call("array_concat", A, B)),
    "keys of a list": ([1], 1, call("map_keys", A)),
}
ALWAYS: dict[str, tuple[Any, Any, p.Rex]] = {
    "an integer that overflows": (2**63 - 1, 1, call("round", A, -1)),
    "a pattern that is none": ("a", "(", call("regexp_like", A, "(")),
    "a unit that is none": (DAY(2020, 1, 1), 1, call("date_trunc", "fortnight", A)),
}


@pytest.mark.parametrize(("name", "mode"), [*product(FAILING, [STRICT]), *product(ALWAYS, [PERMISSIVE])])
def test_failing(name: str, mode: p.Mode, engine: SparkEngine) -> None:
    first, second, rex = {**FAILING, **ALWAYS}[name]
    table = table_of([(first, second)])
    plan = plan_over(table, {"x": rex}, mode)
    with pytest.raises(FiresteelError) as wanted:
        evaluate(plan, (table,))
    with pytest.raises(FiresteelError) as found:
        engine.run(plan, (table,)).value()
    assert type(found.value) is type(wanted.value)


TABLES = {
    "t": """$bag::[{g: 1, v: "b", n: 3, o: 1}, {g: 1, v: "a", n: 1, o: 2}, {g: 1, v: "b", n: 2.5, o: 3},
            {g: 2, v: null, n: null, o: 4}, {g: 2, v: "c", o: 5}, {g: 3, o: 6}, {g: 4, v: 1, n: 1, o: 7}]""",
    "typed": """$bag::[{k: 1, s: "x", i: 2}, {k: 1, s: "y", i: 1}, {k: 2, s: "é", i: 3}]""",
}
AGGREGATES = [
    "SELECT t.g, string_agg(t.v, ', ' ORDER BY t.o DESC) AS s FROM t GROUP BY t.g",
    "SELECT t.g, listagg(t.v, '-') WITHIN GROUP (ORDER BY t.o) AS s FROM t WHERE t.g < 4 GROUP BY t.g",
    "SELECT t.g, array_agg(t.v ORDER BY t.o DESC) AS a, array_agg(t.n ORDER BY t.n, t.o) AS b FROM t GROUP BY t.g",
    "SELECT typed.k, string_agg(typed.s, '' ORDER BY typed.i) AS s, array_agg(typed.i ORDER BY typed.s DESC) AS a"
    " FROM typed GROUP BY typed.k",
    "SELECT string_agg(DISTINCT typed.s, '/' ORDER BY typed.s) AS s FROM typed",
    "SELECT string_agg(t.v) AS s, array_agg(t.v) AS a FROM t WHERE t.g = 9",
]


def test_aggregates(spark: Any) -> None:
    pair = sessions(spark, TABLES)
    assert differences(pair, AGGREGATES) == []
    strict = ["SELECT string_agg(t.v, ',') AS s FROM t WHERE t.g = 4", AGGREGATES[3]]
    assert differences(pair, strict, mode="strict") == []
    with pytest.raises(fs.EvaluationError, match="string_agg takes text"):
        pair[1].query(strict[0], mode="strict").to_python()
