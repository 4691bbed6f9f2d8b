"""Every relation inside of a subquery whose rows depend on the row outside."""

from __future__ import annotations

from typing import Any

from firesteel.errors import EvaluationError
from tests.substrait.plans.build import (
    add,
    anchored,
    and_,
    cast,
    compared,
    eq,
    exists,
    f,
    gt,
    i64,
    in_rows,
    is_null,
    lt,
    not_,
    null,
    outer,
    over,
    scalar,
    text,
    unique,
)
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.relations import (
    aggregate,
    combined,
    cross,
    expand,
    fetch,
    filtered,
    join,
    keyed_join,
    measure,
    only,
    ordered,
    project,
    reference,
    root,
    subtree,
    top_n,
    virtual,
    window,
    windowed,
)

CASES = Cases("correlated")
N = None
#: The rows outside, and those inside, which are (a), (5), (5).
OUTSIDE = virtual("a i64", (1,), (7,))
ROWS = virtual("x i64?", (outer(1, 0),), (i64(5),), (i64(5),))
FIVE = virtual("y i64?, z string", (5, "v"), (7, "w"))
UP, DOWN = (f(0), "ASC_NULLS_LAST"), (f(0), "DESC_NULLS_LAST")
COUNT = measure("aggregate_generic:count")
SUM = measure("arithmetic:sum", f(0))


def gives(name: str, rel: Any, of_1: Any, of_7: Any) -> None:
    """What a subquery of one row gives for the rows outside, 1 and 7."""
    CASES.gives(name, only(OUTSIDE, 1, f(0), scalar(rel)), (1, of_1), (7, of_7))


def counted(name: str, rel: Any, of_1: int, of_7: int) -> None:
    """How many rows a relation has."""
    gives(name, aggregate(rel, [], COUNT), of_1, of_7)


def summed(name: str, rel: Any, of_1: Any, of_7: Any) -> None:
    """The sum of the first column of a relation."""
    gives(name, aggregate(rel, [], SUM), of_1, of_7)


summed("the rows", ROWS, 11, 17)
summed("filter", filtered(ROWS, gt(f(0), i64(4))), 10, 17)
summed("filter that sees the row outside", filtered(ROWS, eq(f(0), outer(1, 0))), 1, 7)
summed("project", only(ROWS, 1, add(f(0), outer(1, 0))), 14, 38)
summed("sort and fetch", fetch(ordered(ROWS, UP), count=1), 1, 5)
summed("sort, offset and fetch", fetch(ordered(ROWS, DOWN), offset=1, count=1), 5, 5)
counted("a count of the row outside", fetch(ROWS, count=outer(1, 0)), 1, 3)
counted("an offset of the row outside", fetch(ROWS, offset=outer(1, 0)), 2, 0)
summed("top-N", top_n(ROWS, DOWN, count=i64(2)), 10, 12)
counted("top-N with ties", top_n(ROWS, UP, count=i64(1), ties=True), 1, 2)
summed("union all", combined("UNION_ALL", ROWS, ROWS), 22, 34)
summed("union distinct", combined("UNION_DISTINCT", ROWS, ROWS), 6, 12)
summed("minus", combined("MINUS_PRIMARY", ROWS, virtual("y i64?", (5,))), 1, 7)
summed("minus all", combined("MINUS_PRIMARY_ALL", ROWS, virtual("y i64?", (5,))), 6, 12)
summed("intersection", combined("INTERSECTION_MULTISET", ROWS, virtual("y i64?", (5,), (7,))), 5, 12)
summed("intersection all", combined("INTERSECTION_MULTISET_ALL", ROWS, virtual("y i64?", (5,), (5,), (5,))), 10, 10)
counted("cross", cross(ROWS, ROWS), 9, 9)
counted("join INNER", join("INNER", ROWS, FIVE, eq(f(0), f(1))), 2, 3)
counted("join LEFT", join("LEFT", ROWS, FIVE, eq(f(0), f(1)), post=is_null(f(2))), 1, 0)
counted("join RIGHT", join("RIGHT", ROWS, FIVE, eq(f(0), f(1))), 3, 3)
counted("join OUTER", join("OUTER", ROWS, FIVE, eq(f(0), f(1))), 4, 3)
summed("join LEFT_SEMI", join("LEFT_SEMI", ROWS, FIVE, eq(f(0), f(1))), 10, 17)
summed("join LEFT_ANTI", join("LEFT_ANTI", ROWS, FIVE, eq(f(0), f(1))), 1, N)
summed("join RIGHT_SEMI", join("RIGHT_SEMI", ROWS, FIVE, eq(f(0), f(1))), 5, 12)
summed("join RIGHT_ANTI", join("RIGHT_ANTI", ROWS, FIVE, eq(f(0), f(1))), 7, N)
counted("join LEFT_SINGLE", join("LEFT_SINGLE", ROWS, FIVE, eq(f(0), f(1)), post=is_null(f(2))), 1, 0)
counted("join LEFT_MARK", join("LEFT_MARK", ROWS, FIVE, eq(f(0), f(1)), post=not_(f(1))), 1, 0)
CASES.fails(
    "join RIGHT_SINGLE with a second match",
    only(OUTSIDE, 1, scalar(aggregate(join("RIGHT_SINGLE", ROWS, FIVE, eq(f(0), f(1))), [], COUNT))),
    EvaluationError,
)
counted("join by the row outside", join("INNER", FIVE, FIVE, and_(eq(f(0), f(2)), lt(f(0), outer(1, 0)))), 0, 1)
counted("hash join", keyed_join("hashJoin", "INNER", ROWS, FIVE, (0, 0)), 2, 3)
summed(
    "lateral join",
    join("INNER", ROWS, virtual("y i64?", (add(outer(1, 0), outer(2, 0)),)), relation="lateralJoin", emit=[1]),
    14,
    38,
)
gives("aggregate: distinct", aggregate(ROWS, [], measure("arithmetic:sum", f(0), distinct=True)), 6, 12)
gives("aggregate: a filter", aggregate(ROWS, [], measure("aggregate_generic:count", where=gt(f(0), i64(4)))), 2, 3)
gives(
    "aggregate: a filter by the row outside",
    aggregate(ROWS, [], measure("arithmetic:sum", f(0), where=lt(f(0), outer(1, 0)))),
    N,
    10,
)
WORDS = only(ROWS, 1, cast(f(0), "string"))
gives(
    "aggregate: an order",
    aggregate(WORDS, [], measure("string:string_agg", f(0), text("-"), order=[DOWN])),
    "5-5-1",
    "7-5-5",
)
summed("aggregate: keys", aggregate(ROWS, [f(0)], COUNT, emit=[1]), 3, 3)
gives(
    "aggregate: the largest group",
    aggregate(aggregate(ROWS, [f(0)], COUNT, emit=[1]), [], measure("arithmetic:max", f(0))),
    2,
    2,
)
counted("aggregate: grouping sets", aggregate(ROWS, [f(0)], COUNT, sets=[[0], []]), 3, 3)
gives(
    "aggregate: the mean",
    aggregate(only(ROWS, 1, cast(f(0), "fp64?")), [], measure("arithmetic:avg", f(0))),
    11 / 3,
    17 / 3,
)
gives(
    "aggregate: sum0 of no rows",
    aggregate(filtered(ROWS, gt(f(0), i64(9))), [], measure("arithmetic:sum0", f(0))),
    0,
    0,
)
gives(
    "aggregate: a product",
    aggregate(only(ROWS, 1, cast(f(0), "i64")), [], measure("arithmetic:product", f(0))),
    25,
    175,
)
summed("a window function", only(ROWS, 1, over("arithmetic:row_number", order=[UP])), 6, 6)
summed(
    "a window function over the row outside",
    only(ROWS, 1, over("arithmetic:sum", add(f(0), outer(1, 0)), order=[UP], frame=("ROWS", N, 0))),
    24,
    74,
)
summed("a window relation", window(ROWS, [f(0)], [], windowed("aggregate_generic:count"), emit=[1]), 5, 5)
counted("expand", expand(ROWS, [f(0), null("i64")]), 6, 6)
gives(
    "a subquery in it",
    only(
        virtual("y i64", (3,)),
        1,
        scalar(aggregate(filtered(virtual("x i64?", (outer(2, 0),), (i64(5),)), gt(f(0), outer(1, 0))), [], SUM)),
    ),
    5,
    12,
)
gives("exists in it", aggregate(filtered(FIVE, exists(filtered(ROWS, eq(f(0), outer(1, 0))))), [], COUNT), 2, 2)
gives("in in it", aggregate(filtered(FIVE, in_rows([f(0)], virtual("x i64", (outer(2, 0),)))), [], COUNT), 0, 1)
for name, expr, of_1, of_7 in (
    ("exists", exists(filtered(ROWS, gt(f(0), i64(5)))), False, True),
    ("in", in_rows([i64(7)], ROWS), False, True),
    ("in with NULL", in_rows([i64(7)], virtual("x i64?", (outer(1, 0),), (N,))), N, True),
    ("two needles", in_rows([i64(5), f(0)], virtual("x i64, y i64", (i64(5), outer(1, 0)))), True, True),
    ("unique", unique(filtered(ROWS, lt(f(0), i64(5)))), True, True),
    ("not unique", unique(ROWS), False, False),
    ("ANY", compared(i64(6), "LT", "ANY", ROWS), False, True),
    ("ALL", compared(i64(2), "LT", "ALL", ROWS), False, True),
):
    CASES.gives(name, only(OUTSIDE, 1, f(0), expr), (1, of_1), (7, of_7))

# A subtree that several places refer to may see the row outside of each by its anchor.
ANCHORED = virtual("a i64", (1,), (7,), anchor=7)
OF_ANCHOR = aggregate(filtered(virtual("y i64", (1,), (5,), (6,)), lt(f(0), anchored(7, 0))), [], SUM)
CASES.trees(
    "a subtree that sees the row outside",
    [subtree(OF_ANCHOR), root(only(ANCHORED, 1, f(0), scalar(reference(0))), ["c0", "c1"])],
    [(1, N), (7, 12)],
)
CASES.trees(
    "a subtree that sees the row outside, at two depths",
    [
        subtree(OF_ANCHOR),
        root(
            only(
                ANCHORED,
                1,
                f(0),
                scalar(reference(0)),
                scalar(only(virtual("z i64", (100,)), 1, add(f(0), scalar(reference(0))))),
            ),
            ["c0", "c1", "c2"],
        ),
    ],
    [(1, N, N), (7, 12, 112)],
)
CASES.trees(
    "a subtree of a subtree that sees the row outside",
    [
        subtree(OF_ANCHOR),
        subtree(project(reference(0), i64(1))),
        root(only(ANCHORED, 1, f(0), scalar(only(reference(1), 2, add(f(0), f(1))))), ["c0", "c1"]),
    ],
    [(1, N), (7, 13)],
)

FOUND = [CASES]
