"""Window functions with all kinds of bounds, the window relation, top-N, expand."""

from __future__ import annotations

from typing import Any

from tests.substrait.plans.build import add, f, gt, i32, i64, lit, null, over
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.relations import (
    aggregate,
    expand,
    filtered,
    measure,
    only,
    project,
    top_n,
    virtual,
    window,
    windowed,
)

CASES = Cases("window function")
N = None

#: Two partitions; in the first one two rows are peers by the second column.
ROWS = virtual("g string, o i64, v i64?", ("a", 1, 10), ("a", 2, 20), ("a", 2, 30), ("a", 3, N), ("b", 1, 5))
BY_O = [(f(1), "ASC_NULLS_LAST")]
BY_O_V = [(f(1), "ASC_NULLS_LAST"), (f(2), "ASC_NULLS_LAST")]
KEYS = [("a", 1, 10), ("a", 2, 20), ("a", 2, 30), ("a", 3, N), ("b", 1, 5)]


def gives(name: str, expr: dict[str, Any], *expected: Any) -> None:
    """What the function gives for each of the five rows."""
    CASES.gives(name, project(ROWS, expr), *((*row, one) for row, one in zip(KEYS, expected, strict=True)))


def ranked(name: str, *args: Any, order: Any = BY_O_V) -> dict[str, Any]:
    return over(f"arithmetic:{name}", *args, partition=[f(0)], order=order)


gives("row_number", ranked("row_number"), 1, 2, 3, 4, 1)
gives("rank", ranked("rank", order=BY_O), 1, 2, 2, 4, 1)
gives("dense_rank", ranked("dense_rank", order=BY_O), 1, 2, 2, 3, 1)
gives("percent_rank", ranked("percent_rank", order=BY_O), 0.0, 1 / 3, 1 / 3, 1.0, 0.0)
gives("cume_dist", ranked("cume_dist", order=BY_O), 0.25, 0.75, 0.75, 1.0, 1.0)
gives("ntile", ranked("ntile", i32(2)), 1, 1, 2, 2, 1)
gives("lag", ranked("lag", f(2)), N, 10, 20, 30, N)
gives("lead", ranked("lead", f(2)), 20, 30, N, N, N)
gives("lag by two, with a default", ranked("lag", f(2), i32(2), i64(-1)), -1, -1, 10, 20, -1)
gives("lead by two", ranked("lead", f(2), i32(2)), 30, N, N, N, N)
gives(
    "without a partition",
    over("arithmetic:row_number", order=[(f(0), "DESC_NULLS_LAST"), *BY_O_V]),
    *(2, 3, 4, 5, 1),
)
gives(
    "in descending order",
    ranked("row_number", order=[(f(1), "DESC_NULLS_LAST"), (f(2), "DESC_NULLS_LAST")]),
    4,
    3,
    2,
    1,
    1,
)
gives("NULLs first", ranked("row_number", order=[(f(2), "ASC_NULLS_FIRST")]), 2, 3, 4, 1, 1)
gives("an expression of two of them", add(ranked("row_number"), ranked("rank", order=BY_O)), 2, 4, 5, 8, 2)


def total(frame: Any, order: Any = BY_O_V) -> dict[str, Any]:
    return over("arithmetic:sum", f(2), partition=[f(0)], order=order, frame=frame)


gives("no bounds: all of the partition", total(None), 60, 60, 60, 60, 5)
gives("rows: all", total(("ROWS", N, N)), 60, 60, 60, 60, 5)
gives("rows: up to the current one", total(("ROWS", N, 0)), 10, 30, 60, 60, 5)
gives("rows: from the current one on", total(("ROWS", 0, N)), 60, 50, 30, N, 5)
gives("rows: one on either side", total(("ROWS", -1, 1)), 30, 60, 50, 30, 5)
gives("rows: the next two", total(("ROWS", 1, 2)), 50, 30, N, N, N)
gives("rows: the two before", total(("ROWS", -2, -1)), N, 10, 30, 50, N)
gives("rows: the current one", total(("ROWS", 0, 0)), 10, 20, 30, N, 5)
gives("rows: up to the one before", total(("ROWS", N, -1)), N, 10, 30, 60, N)
gives("rows: from the next one on", total(("ROWS", 1, N)), 50, 30, N, N, N)
gives(
    "rows: bounds as expressions",
    total(("ROWS", {"preceding": {"offsetExpr": i64(1)}}, {"following": {"offsetExpr": i64(1)}})),
    30,
    60,
    50,
    30,
    5,
)
gives("range: all", total(("RANGE", N, N), BY_O), 60, 60, 60, 60, 5)
gives("range: up to the peers", total(("RANGE", N, 0), BY_O), 10, 60, 60, 60, 5)
gives("range: from the peers on", total(("RANGE", 0, N), BY_O), 60, 50, 50, N, 5)
gives("range: the peers", total(("RANGE", 0, 0), BY_O), 10, 50, 50, N, 5)
gives("range: from one less", total(("RANGE", -1, 0), BY_O), 10, 60, 60, 50, 5)
gives("range: to one more", total(("RANGE", 0, 1), BY_O), 60, 50, 50, N, 5)
gives("range: one less to one more", total(("RANGE", -1, 1), BY_O), 60, 60, 60, 50, 5)
gives(
    "count of rows in a frame",
    over("aggregate_generic:count", partition=[f(0)], order=BY_O_V, frame=("ROWS", -1, 1)),
    2,
    3,
    3,
    2,
    1,
)
gives("count without partition and order", over("aggregate_generic:count"), 5, 5, 5, 5, 5)
gives(
    "min in a frame",
    over("arithmetic:min", f(2), partition=[f(0)], order=BY_O_V, frame=("ROWS", 0, 1)),
    10,
    20,
    30,
    N,
    5,
)
gives("DISTINCT", over("aggregate_generic:count", f(1), partition=[f(0)], distinct=True), 3, 3, 3, 3, 1)


def valued(name: str, *args: Any, frame: Any) -> dict[str, Any]:
    return over(f"arithmetic:{name}", *args, partition=[f(0)], order=BY_O_V, frame=frame)


gives("first_value", valued("first_value", f(2), frame=("ROWS", N, N)), 10, 10, 10, 10, 5)
gives("first_value of a frame", valued("first_value", f(2), frame=("ROWS", -1, 0)), 10, 10, 20, 30, 5)
gives("last_value", valued("last_value", f(2), frame=("ROWS", N, N)), N, N, N, N, 5)
gives("last_value of a frame", valued("last_value", f(2), frame=("ROWS", N, 0)), 10, 20, 30, N, 5)
gives("nth_value", valued("nth_value", f(2), i32(2), frame=("ROWS", N, N)), 20, 20, 20, 20, N)
gives("nth_value of a frame", valued("nth_value", f(2), i32(3), frame=("ROWS", N, 0)), N, N, 30, 30, N)
CASES.gives("with emit", project(ROWS, ranked("row_number"), emit=[3, 2]), (1, 10), (2, 20), (3, 30), (4, N), (1, 5))
CASES.gives(
    "a filter over it", filtered(project(ROWS, ranked("row_number")), gt(f(3), i64(2))), ("a", 2, 30, 3), ("a", 3, N, 4)
)
CASES.gives(
    "over groups",
    project(
        aggregate(ROWS, [f(0)], measure("arithmetic:sum", f(2))),
        over("arithmetic:rank", order=[(f(1), "ASC_NULLS_LAST")]),
    ),
    *(("a", 60, 2), ("b", 5, 1)),
)
CASES.gives(
    "of no rows", project(virtual("a i64"), over("arithmetic:row_number", order=[(f(0), "ASC_NULLS_LAST")])), width=2
)

# The relation --------------------------------------------------------------------------------------------------------

RELATION = Cases("window relation")
RELATION.gives(
    "two functions over one partitioning",
    window(
        ROWS, [f(0)], BY_O_V, windowed("arithmetic:row_number"), windowed("arithmetic:sum", f(2), frame=("ROWS", N, 0))
    ),
    *(("a", 1, 10, 1, 10), ("a", 2, 20, 2, 30), ("a", 2, 30, 3, 60), ("a", 3, N, 4, 60), ("b", 1, 5, 1, 5)),
)
RELATION.gives(
    "without a partition",
    window(ROWS, [], [(f(0), "ASC_NULLS_LAST"), *BY_O_V], windowed("arithmetic:lag", f(2)), emit=[2, 3]),
    *((10, N), (20, 10), (30, 20), (N, 30), (5, N)),
)
RELATION.gives(
    "a partition by an expression",
    window(ROWS, [gt(f(1), i64(1))], [], windowed("aggregate_generic:count"), emit=[1, 2, 3]),
    *((1, 10, 2), (2, 20, 3), (2, 30, 3), (3, N, 3), (1, 5, 2)),
)
RELATION.gives(
    "a range",
    window(ROWS, [f(0)], BY_O, windowed("arithmetic:sum", f(2), frame=("RANGE", -1, 0)), emit=[0, 1, 3]),
    *(("a", 1, 10), ("a", 2, 60), ("a", 2, 60), ("a", 3, 50), ("b", 1, 5)),
)

# Top-N ---------------------------------------------------------------------------------------------------------------

TOP = Cases("top-N")
FIVE = virtual("a i64?, b string", (2, "p"), (3, "q"), (N, "r"), (1, "s"), (3, "t"))
DOWN = (f(0), "DESC_NULLS_LAST")
TOP.gives("the first", top_n(FIVE, DOWN, (f(1), "ASC_NULLS_LAST"), count=i64(2)), (3, "q"), (3, "t"), ordered=True)
TOP.gives(
    "from an offset on",
    top_n(FIVE, DOWN, (f(1), "DESC_NULLS_LAST"), offset=i64(1), count=i64(2)),
    (3, "q"),
    (2, "p"),
    ordered=True,
)
TOP.gives("NULLs first", top_n(FIVE, (f(0), "ASC_NULLS_FIRST"), count=i64(2)), (N, "r"), (1, "s"), ordered=True)
TOP.gives(
    "a count beyond the end",
    top_n(FIVE, DOWN, (f(1), "ASC_NULLS_LAST"), count=i64(9), emit=[1]),
    ("q",),
    ("t",),
    ("p",),
    ("s",),
    ("r",),
    ordered=True,
)
TOP.gives("a count of 0", top_n(FIVE, DOWN, count=i64(0)), width=2, ordered=True)
TOP.gives(
    "a count of NULL: all",
    top_n(FIVE, DOWN, (f(1), "ASC_NULLS_LAST"), offset=i64(3), count=null("i64"), emit=[1]),
    *(("s",), ("r",)),
    ordered=True,
)
TIED = virtual("a i64?", (1,), (2,), (2,), (3,), (3,), (N,))
TOP.gives("with ties", top_n(TIED, DOWN, count=i64(3), ties=True), (3,), (3,), (2,), (2,), ordered=True)
TOP.gives("with ties where there are none", top_n(TIED, DOWN, count=i64(2), ties=True), (3,), (3,), ordered=True)
TOP.gives(
    "with ties among NULLs",
    top_n(virtual("a i64?", (N,), (N,), (1,)), (f(0), "ASC_NULLS_FIRST"), count=i64(1), ties=True),
    (N,),
    (N,),
    ordered=True,
)
TOP.gives(
    "with ties, from an offset on",
    top_n(TIED, DOWN, offset=i64(1), count=i64(2), ties=True),
    (3,),
    (2,),
    (2,),
    ordered=True,
)
TOP.gives(
    "with ties and a count that is computed",
    top_n(TIED, DOWN, count=add(i64(1), i64(2)), ties=True),
    (3,),
    (3,),
    (2,),
    (2,),
    ordered=True,
)
TOP.gives("with ties and a count of 0", top_n(TIED, DOWN, count=i64(0), ties=True), width=1, ordered=True)
TOP.gives("with emit", top_n(FIVE, DOWN, (f(1), "ASC_NULLS_LAST"), count=i64(1), emit=[1]), ("q",), ordered=True)

# Expand --------------------------------------------------------------------------------------------------------------

EXPAND = Cases("expand")
PAIRS = virtual("a i64, b string", (1, "x"), (2, "y"))
EXPAND.gives(
    "a consistent field and a switching one",
    expand(PAIRS, f(0), [f(1), null("string")]),
    *((1, "x", 0), (1, N, 1), (2, "y", 0), (2, N, 1)),
)
EXPAND.gives(
    "two switching fields",
    expand(PAIRS, [f(0), null("i64")], [null("string"), f(1)]),
    *((1, N, 0), (N, "x", 1), (2, N, 0), (N, "y", 1)),
)
EXPAND.gives(
    "three duplicates", expand(virtual("a i64", (1,)), [f(0), add(f(0), i64(1)), lit("i64", 9)]), (1, 0), (2, 1), (9, 2)
)
EXPAND.gives("consistent fields only", expand(PAIRS, f(1), f(0)), ("x", 1, 0), ("y", 2, 0))
EXPAND.gives("fields beyond the definitions stay", expand(PAIRS, f(1)), ("x", "x", 0), ("y", "y", 0))
EXPAND.gives("no definitions: all stay", expand(PAIRS), (1, "x", 0), (2, "y", 0))
EXPAND.gives("more definitions than fields", expand(virtual("a i64", (1,)), f(0), f(0), f(0)), (1, 1, 1, 0))
EXPAND.gives(
    "beside a switching field they stay too",
    expand(PAIRS, [null("i64"), f(0)]),
    *((N, "x", 0), (1, "x", 1), (N, "y", 0), (2, "y", 1)),
)
EXPAND.gives(
    "a switching field of fewer duplicates is NULL in the others",
    expand(virtual("a i64, b string", (1, "x")), [f(0), i64(5), i64(6)], [f(1)]),
    *((1, "x", 0), (5, N, 1), (6, N, 2)),
)
EXPAND.gives(
    "one duplicate beside a consistent field",
    expand(virtual("a i64, b string", (1, "x")), [f(0)], f(1)),
    (1, "x", 0),
)
EXPAND.gives("with emit", expand(PAIRS, f(0), [f(1), null("string")], emit=[2, 0]), (0, 1), (1, 1), (0, 2), (1, 2))
EXPAND.gives(
    "grouping sets by hand",
    only(
        aggregate(
            expand(virtual("a string, n i64", ("x", 1), ("x", 2), ("y", 4)), [f(0), null("string")], f(1)),
            [f(0), f(2)],
            measure("arithmetic:sum", f(1)),
        ),
        3,
        f(0),
        f(2),
    ),
    *(("x", 3), ("y", 4), (N, 7)),
)
EXPAND.gives("of no rows", expand(virtual("a i64"), [f(0), f(0)]), width=2)

FOUND = [CASES, RELATION, TOP, EXPAND]
