"""Substrait's aggregates, by groups and over windows: on Spark as on the reference evaluator."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

from firesteel.evaluate import evaluate
from firesteel.functions import Kind
from firesteel.spark import SparkEngine
from tests.spark.helpers import Struct, p, t
from tests.spark.standard import I64, Word, alike, column, i32, i64, made, native, of, plan, scan, text

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def engine(spark: Any) -> Iterator[SparkEngine]:
    with native(spark) as found:
        yield found


def aggregate(
    name: str, *args: Any, distinct: bool = False, filtered: bool = False, by: str = "", **options: str
) -> p.Agg:
    call = of(name, *args, **options)._replace(kind=Kind.AGGREGATE)
    fn, given = made(call)
    order = (p.SortSpec(column(by), p.SortOrder.DESC_NULLS_LAST),) if by else ()
    return p.Agg(fn, given, distinct=distinct, filter=column("c") if filtered else None, order=order)


TOTALS = [
    *(
        aggregate(f"arithmetic:{name}", one)
        for name in ("sum", "sum0", "avg", "min", "max", "product")
        for one in ("i8", "j64", "h")
        if (name, one) != ("product", "i8")
    ),
    *(aggregate(f"arithmetic:{name}", one, filtered=True) for name in ("sum", "avg", "max") for one in ("i8", "r")),
    *(
        aggregate(f"arithmetic_decimal:{name}", one)
        for name in ("sum", "sum0", "avg", "min", "max")
        for one in ("d", "e")
    ),
    aggregate("arithmetic_decimal:sum", "w", overflow="SATURATE", filtered=True),
    *(aggregate(f"unsigned_integers:{name}", one) for name in ("sum", "min", "max") for one in ("u8", "v8")),
    aggregate("unsigned_integers:sum", "u64", overflow="SATURATE"),
    aggregate("arithmetic:min", "f"),
    *(
        aggregate(f"arithmetic:{name}", Word(how), "h")
        for name in ("std_dev", "variance")
        for how in ("SAMPLE", "POPULATION")
    ),
    aggregate("arithmetic:corr", "g", "h"),
    aggregate("arithmetic:mode", "k64"),
    *(aggregate("arithmetic:median", Word("EXACT"), one) for one in ("n", "j64", "h", "i8")),
    *(
        aggregate("arithmetic:quantile", Word(ends), Word("EXACT"), i64(4), "n", by="n")
        for ends in ("NEITHER", "BOTH", "MINIMUM")
    ),
    aggregate("arithmetic:quantile", Word("BOTH"), Word("EXACT"), i64(2), "i8", by="i8"),
    aggregate("aggregate_generic:count"),
    aggregate("aggregate_generic:count", filtered=True),
    aggregate("aggregate_generic:count", "i8"),
    aggregate("aggregate_generic:count", "ints"),
    aggregate("aggregate_decimal_output:count", "i8"),
    aggregate("aggregate_decimal_output:count"),
    aggregate("aggregate_approx:approx_count_distinct", "k64"),
    *(aggregate(f"boolean:{name}", one) for name in ("bool_and", "bool_or") for one in ("b", "c")),
    *(aggregate(f"datetime:{name}", one) for name in ("min", "max") for one in ("day", "ts", "clock", "span")),
    aggregate("string:string_agg", "s", text(", "), by="n"),
    aggregate("string:string_agg", "u", text("/"), by="n", filtered=True),
]


DISTINCT = [
    aggregate("arithmetic:sum", "k64", distinct=True),
    aggregate("arithmetic:avg", "h", distinct=True),
    aggregate("aggregate_generic:count", "k64", distinct=True, filtered=True),
    *(aggregate("arithmetic:product", one, distinct=True, filtered=True) for one in ("h", "j64")),
    *(aggregate("arithmetic:median", Word("EXACT"), one, distinct=True) for one in ("n", "j64", "h", "i8")),
    *(
        aggregate(f"arithmetic:{name}", Word(how), one, distinct=True)
        for name in ("std_dev", "variance")
        for how in ("SAMPLE", "POPULATION")
        for one in ("h", (t.FLOAT64, 0.25))
    ),
]


def _first(row: Struct) -> str:
    return str(row.pairs[0][1])


def test_aggregates(engine: SparkEngine) -> None:
    """By groups, of no rows, and DISTINCT of rows that are all there twice."""
    twice = p.Union(scan(), scan())
    nothing = p.Filter(p.Call(*made(of("comparison:lt", "n", i32(-100)))), scan())
    wrong = []
    for totals, rel, keys in ((TOTALS, scan(), (column("c"),)), (TOTALS, nothing, ()), (DISTINCT, twice, ())):
        both = plan(p.Aggregate(p.Strategy.FULL, tuple(totals), keys, rel), len(totals) + len(keys))
        answers = [sorted(found, key=_first) for found in (engine.run(both).value(), evaluate(both))]
        for actual, expected in zip(*answers, strict=True):
            pairs = zip(totals, actual.pairs[len(keys) :], expected.pairs[len(keys) :], strict=True)
            wrong += [f"{one.fn.name}: {a!r}, not {b!r}" for one, (_, a), (_, b) in pairs if not alike(a, b)]
    assert not wrong, "\n".join(wrong)


def over(name: str, *args: Any, frame: p.Frame | None = None) -> p.WindowCall:
    fn, given = made(of(name, *args)._replace(kind=Kind.WINDOW))
    order = (p.SortSpec(column("n"), p.SortOrder.ASC_NULLS_LAST),)
    return p.WindowCall(fn, given, (column("c"),), order, frame=frame)


def test_windows(engine: SparkEngine) -> None:
    rows = p.Frame(p.FrameUnit.ROWS, p.Bound(p.BoundSide.PRECEDING, p.Lit(I64, 1)), p.Bound(p.BoundSide.CURRENT, None))
    calls = (
        *(over(f"arithmetic:{name}") for name in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")),
        over("arithmetic:ntile", i32(2)),
        *(
            over(f"arithmetic:{name}", *args)
            for name in ("lag", "lead")
            for args in (("s",), ("i8", i32(2)), ("i8", i32(-1)), ("day", i32(1), (t.DATE, datetime.date(2000, 1, 1))))
        ),
        over("arithmetic:first_value", "s"),
        over("arithmetic:last_value", "d", frame=rows),
        over("arithmetic:nth_value", "i64", i32(2)),
        over("arithmetic:sum", "i8", frame=rows),
        over("arithmetic_decimal:avg", "e"),
        over("arithmetic:max", "f"),
        over("aggregate_generic:count", "s"),
        over("boolean:bool_or", "b"),
    )
    rel = p.Window(calls, scan())
    exprs = [p.Var(call.fn.returns, i + 1) for i, call in enumerate(calls)]
    both = plan(p.Project((*exprs, column("n")), rel), len(exprs) + 1)
    actual, expected = (
        sorted(found, key=lambda row: row.pairs[-1][1]) for found in (engine.run(both).value(), evaluate(both))
    )
    wrong = [
        f"{call.fn.name}: {x!r}, not {y!r}"
        for a, b in zip(actual, expected, strict=True)
        for call, (_, x), (_, y) in zip(calls, a.pairs, b.pairs, strict=False)
        if not alike(x, y)
    ]
    assert not wrong, "\n".join(wrong)
