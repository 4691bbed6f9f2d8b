"""Aggregates: keys, grouping sets in both forms, filters, DISTINCT and order of measures."""

from __future__ import annotations

from decimal import Decimal

from tests.substrait.plans.build import FALSE, Enum, add, call, f, gt, i64, is_null, null, text
from tests.substrait.plans.cases import PEOPLE, SALES, Cases
from tests.substrait.plans.relations import aggregate, combined, filtered, measure, only, project, read, virtual

CASES = Cases("aggregate")
gives = CASES.gives
N = None

#: (north, pen, 5), (north, ink, 7), (north, pen, NULL), (south, pen, 2), (south, NULL, 4), (NULL, ink, 1).
INPUT = read("sales", SALES)
REGION, ITEM, AMOUNT = f(0), f(1), f(2)
ROWS = measure("aggregate_generic:count")
COUNT = measure("aggregate_generic:count", AMOUNT)
SUM = measure("arithmetic:sum", AMOUNT)
MIN, MAX = measure("arithmetic:min", AMOUNT), measure("arithmetic:max", AMOUNT)
NOTHING = filtered(INPUT, FALSE)

# Keys ----------------------------------------------------------------------------------------------------------------

gives("no keys", aggregate(INPUT, [], ROWS, COUNT, SUM, MIN, MAX), (6, 5, 19, 1, 7))
gives("no keys, one empty grouping set", aggregate(INPUT, [], SUM, sets=[[]]), (19,))
gives("no keys, of no rows: one row", aggregate(NOTHING, [], ROWS, COUNT, SUM, MIN), (0, 0, N, N))
gives("keys, of no rows: none", aggregate(NOTHING, [REGION], ROWS), width=2)
gives("a key: NULL is one too", aggregate(INPUT, [REGION], ROWS, SUM), ("north", 3, 12), ("south", 2, 6), (N, 1, 1))
gives("a key, as it was written once", aggregate(INPUT, [REGION], SUM, old=True), ("north", 12), ("south", 6), (N, 1))
BOTH = [("north", "pen", 2), ("north", "ink", 1), ("south", "pen", 1), ("south", N, 1), (N, "ink", 1)]
gives("two keys", aggregate(INPUT, [REGION, ITEM], ROWS), *BOTH)
gives("two keys in the other order", aggregate(INPUT, [ITEM, REGION], ROWS), *((b, a, n) for a, b, n in BOTH))
gives("keys without measures", aggregate(INPUT, [REGION]), ("north",), ("south",), (N,))
gives("a key that is computed", aggregate(INPUT, [is_null(AMOUNT)], ROWS), (False, 5), (True, 1))
gives("a key twice", aggregate(INPUT, [REGION, REGION], ROWS), ("north", "north", 3), ("south", "south", 2), (N, N, 1))
gives("a constant key", aggregate(INPUT, [i64(7)], ROWS), (7, 6))
gives("a constant key, of no rows", aggregate(NOTHING, [i64(7)], ROWS), width=2)
gives("with emit", aggregate(INPUT, [REGION], ROWS, SUM, emit=[2, 0]), (12, "north"), (6, "south"), (1, N))
gives(
    "of an aggregate",
    aggregate(aggregate(INPUT, [REGION, ITEM], ROWS), [REGION], ROWS),
    ("north", 2),
    ("south", 2),
    (N, 1),
)
gives("the same measure twice", aggregate(INPUT, [], SUM, SUM), (19, 19))
gives(
    "a measure of an expression",
    aggregate(INPUT, [REGION], measure("arithmetic:sum", add(AMOUNT, i64(1)))),
    ("north", 14),
    ("south", 8),
    (N, 2),
)
gives("a filter over groups", filtered(aggregate(INPUT, [REGION], SUM), gt(f(1), i64(5))), ("north", 12), ("south", 6))

# Grouping sets -------------------------------------------------------------------------------------------------------

BY_BOTH = [("north", "pen", 5, 0), ("north", "ink", 7, 0), ("south", "pen", 2, 0), ("south", N, 4, 0), (N, "ink", 1, 0)]
BY_REGION = [("north", N, 12), ("south", N, 6), (N, N, 1)]
BY_ITEM = [(N, "pen", 7), (N, "ink", 8), (N, N, 4)]
ROLLUP = [*BY_BOTH, *((*row, 1) for row in BY_REGION), (N, N, 19, 2)]
CUBE = [*BY_BOTH, *((*row, 1) for row in BY_REGION), *((*row, 2) for row in BY_ITEM), (N, N, 19, 3)]
KEYS = [REGION, ITEM]
gives("rollup", aggregate(INPUT, KEYS, SUM, sets=[[0, 1], [0], []]), *ROLLUP)
gives("rollup, as it was written once", aggregate(INPUT, KEYS, SUM, sets=[[0, 1], [0], []], old=True), *ROLLUP)
gives("cube", aggregate(INPUT, KEYS, SUM, sets=[[0, 1], [0], [1], []]), *CUBE)
gives("cube, as it was written once", aggregate(INPUT, KEYS, SUM, sets=[[0, 1], [0], [1], []], old=True), *CUBE)
gives(
    "columns in the order of the expressions, whatever the sets say",
    aggregate(INPUT, KEYS, SUM, sets=[[1], [0]]),
    *((*row, 0) for row in BY_ITEM),
    *((*row, 1) for row in BY_REGION),
)
gives(
    "as it was written once: columns in the order of their first appearance",
    aggregate(INPUT, KEYS, SUM, sets=[[1], [0]], old=True),
    *((b, a, n, 0) for a, b, n in BY_ITEM),
    *((b, a, n, 1) for a, b, n in BY_REGION),
)
gives(
    "the same set twice",
    aggregate(INPUT, [REGION], SUM, sets=[[0], [0]]),
    *(("north", 12, 0), ("south", 6, 0), (N, 1, 0), ("north", 12, 1), ("south", 6, 1), (N, 1, 1)),
)
gives("one set has no index", aggregate(INPUT, KEYS, ROWS, sets=[[1, 0]]), *BOTH)
gives("the empty set, of no rows", aggregate(NOTHING, [REGION], ROWS, SUM, sets=[[0], []]), (N, 0, N, 1))
gives("two empty sets, of no rows", aggregate(NOTHING, [], ROWS, sets=[[], []]), (0, 0), (0, 1))
gives(
    "sets without measures",
    aggregate(INPUT, KEYS, sets=[[0], [1]]),
    *(("north", N, 0), ("south", N, 0), (N, N, 0), (N, "pen", 1), (N, "ink", 1), (N, N, 1)),
)
gives("sets with emit", aggregate(INPUT, [REGION], SUM, sets=[[0], []], emit=[2, 1]), (0, 12), (0, 6), (0, 1), (1, 19))
gives(
    "sets of a key that is never NULL",
    aggregate(virtual("a i64, b i64", (1, 10), (2, 20)), [f(0)], measure("arithmetic:sum", f(1)), sets=[[0], []]),
    *((1, 10, 0), (2, 20, 0), (N, 30, 1)),
)
gives(
    "sets with a filtered measure",
    aggregate(INPUT, [REGION], measure("aggregate_generic:count", where=gt(AMOUNT, i64(4))), sets=[[0], []]),
    *(("north", 2, 0), ("south", 0, 0), (N, 0, 0), (N, 2, 1)),
)

# Measures ------------------------------------------------------------------------------------------------------------

gives(
    "a filter",
    aggregate(INPUT, [REGION], measure("arithmetic:sum", AMOUNT, where=gt(AMOUNT, i64(4))), SUM),
    *(("north", 12, 12), ("south", N, 6), (N, N, 1)),
)
gives("a filter that is NULL", aggregate(INPUT, [], measure("aggregate_generic:count", where=null("boolean"))), (0,))
gives(
    "DISTINCT",
    aggregate(INPUT, [REGION], measure("aggregate_generic:count", ITEM, distinct=True)),
    *(("north", 2), ("south", 1), (N, 1)),
)
FIVES = virtual("a i64?, b string", (5, "x"), (5, "y"), (2, "x"), (N, "x"))
gives(
    "DISTINCT beside all",
    aggregate(FIVES, [], measure("arithmetic:sum", f(0), distinct=True), measure("arithmetic:sum", f(0))),
    (7, 12),
)
gives(
    "DISTINCT and a filter",
    aggregate(FIVES, [], measure("aggregate_generic:count", f(0), distinct=True, where=gt(f(0), i64(2)))),
    (1,),
)
WORDS = virtual("g i64, w string?, o i64", (1, "b", 3), (1, "a", 1), (1, N, 0), (1, "c", 2), (2, "z", 1))
gives(
    "in an order",
    aggregate(WORDS, [f(0)], measure("string:string_agg", f(1), text("-"), order=[(f(2), "ASC_NULLS_LAST")])),
    *((1, "a-c-b"), (2, "z")),
)
gives(
    "in another order",
    aggregate(WORDS, [f(0)], measure("string:string_agg", f(1), text("-"), order=[(f(1), "DESC_NULLS_LAST")])),
    *((1, "c-b-a"), (2, "z")),
)
gives(
    "in an order, with a filter",
    aggregate(
        WORDS,
        [],
        measure("string:string_agg", f(1), text(""), order=[(f(2), "DESC_NULLS_LAST")], where=gt(f(2), i64(1))),
    ),
    ("bc",),
)
gives(
    "of decimals",
    aggregate(
        read("people", PEOPLE), [], measure("arithmetic_decimal:sum", f(3)), measure("arithmetic_decimal:max", f(3))
    ),
    (Decimal("250.75"), Decimal("100.00")),
)
gives(
    "the mean of doubles",
    aggregate(virtual("a fp64?", (1.0,), (2.0,), (N,)), [], measure("arithmetic:avg", f(0))),
    (1.5,),
)
gives("sum0 of no rows", aggregate(NOTHING, [], measure("arithmetic:sum0", AMOUNT)), (0,))
gives(
    "of booleans",
    aggregate(
        virtual("a boolean?", (True,), (False,), (N,)),
        [],
        measure("boolean:bool_and", f(0)),
        measure("boolean:bool_or", f(0)),
    ),
    (False, True),
)
gives(
    "a standard deviation of a sample",
    aggregate(virtual("a fp64", (1.0,), (3.0,), (5.0,)), [], measure("arithmetic:std_dev", Enum("SAMPLE"), f(0))),
    (2.0,),
)
gives(
    "an explicit phase: from rows to the result, and none",
    aggregate(INPUT, [], measure("arithmetic:sum", AMOUNT, phase="UNSPECIFIED"), SUM),
    (19, 19),
)
gives(
    "of a set",
    aggregate(combined("UNION_ALL", virtual("a i64", (1,), (2,)), virtual("a i64", (2,))), [f(0)], ROWS),
    (1, 1),
    (2, 2),
)
gives(
    "of an expression of two columns",
    aggregate(project(INPUT, call("string:concat", REGION, ITEM)), [f(3)], ROWS),
    ("northpen", 2),
    ("northink", 1),
    ("southpen", 1),
    (N, 2),
)
gives("a project over it", only(aggregate(INPUT, [REGION], SUM), 2, add(f(1), i64(1))), (13,), (7,), (2,))

FOUND = [CASES]
