"""Subqueries: scalars, membership, existence, uniqueness, comparisons with all rows; alone and correlated."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firesteel.errors import EvaluationError
from tests.substrait.plans.build import (
    FALSE,
    TRUE,
    add,
    anchored,
    and_,
    coalesce,
    compared,
    eq,
    exists,
    f,
    gt,
    i64,
    in_rows,
    lt,
    not_,
    null,
    outer,
    scalar,
    text,
    unique,
)
from tests.substrait.plans.cases import LEFTS, PEOPLE, RIGHTS, Cases
from tests.substrait.plans.relations import (
    aggregate,
    combined,
    cross,
    fetch,
    filtered,
    join,
    measure,
    only,
    ordered,
    project,
    read,
    virtual,
)

CASES = Cases("subquery")
gives = CASES.gives
N = None

NUMBERS = virtual("a i64?", (1,), (2,), (3,), (N,))
EMPTY = virtual("b i64")
#: (1, Ann, NULL, 100.00), (2, Bob, 1, 70.50), (3, Cid, 1, 80.25), (4, Dee, 2, NULL).
PEOPLE_ = read("people", PEOPLE)


def items(*values: int | None) -> dict[str, Any]:
    return virtual("b i64?", *((value,) for value in values))


def of_numbers(name: str, expr: Any, *expected: Any) -> None:
    """What an expression gives for 1, 2, 3 and NULL."""
    gives(name, only(NUMBERS, 1, f(0), expr), *zip((1, 2, 3, N), expected, strict=True))


# Scalars -------------------------------------------------------------------------------------------------------------

of_numbers("scalar of one row", scalar(items(9)), 9, 9, 9, 9)
of_numbers("scalar of no rows is NULL", scalar(EMPTY), N, N, N, N)
of_numbers("scalar of a row that is NULL", scalar(items(N)), N, N, N, N)
CASES.fails("scalar of two rows", only(NUMBERS, 1, scalar(items(1, 2))), EvaluationError)
of_numbers("scalar in an expression", add(f(0), scalar(items(10))), 11, 12, 13, N)
gives(
    "scalar in a filter",
    filtered(NUMBERS, gt(f(0), scalar(aggregate(NUMBERS, [], measure("arithmetic:min", f(0)))))),
    (2,),
    (3,),
)
of_numbers("scalar that sees the row", scalar(virtual("x i64?", (add(outer(1, 0), i64(1)),))), 2, 3, 4, N)
of_numbers(
    "scalar over rows that match",
    scalar(aggregate(filtered(items(1, 2, 2, 5), lt(f(0), outer(1, 0))), [], measure("arithmetic:sum", f(0)))),
    *(N, 1, 5, N),
)
gives(
    "scalar: the name of the manager",
    only(PEOPLE_, 4, f(1), scalar(only(filtered(PEOPLE_, eq(f(0), outer(1, 2))), 4, f(1)))),
    *(("Ann", N), ("Bob", "Ann"), ("Cid", "Ann"), ("Dee", "Bob")),
)
CASES.fails(
    "scalar of two rows that match",
    only(PEOPLE_, 4, scalar(only(filtered(PEOPLE_, eq(f(2), outer(1, 0))), 4, f(1)))),
    EvaluationError,
)
gives(
    "scalar: a count of those that match is 0, not NULL",
    only(
        PEOPLE_,
        4,
        f(1),
        scalar(aggregate(filtered(PEOPLE_, eq(f(2), outer(1, 0))), [], measure("aggregate_generic:count"))),
    ),
    *(("Ann", 2), ("Bob", 1), ("Cid", 0), ("Dee", 0)),
)
gives(
    "scalar: the largest of those that match",
    only(
        PEOPLE_,
        4,
        f(1),
        scalar(aggregate(filtered(PEOPLE_, eq(f(2), outer(1, 0))), [], measure("arithmetic_decimal:max", f(3)))),
    ),
    *(("Ann", Decimal("80.25")), ("Bob", N), ("Cid", N), ("Dee", N)),
)
gives(
    "scalar: the first of those that match, in an order",
    only(
        PEOPLE_,
        4,
        f(1),
        scalar(
            only(fetch(ordered(filtered(PEOPLE_, eq(f(2), outer(1, 0))), (f(1), "DESC_NULLS_LAST")), count=1), 4, f(1))
        ),
    ),
    *(("Ann", "Cid"), ("Bob", "Dee"), ("Cid", N), ("Dee", N)),
)

# Membership ----------------------------------------------------------------------------------------------------------

of_numbers("in", in_rows([f(0)], items(1, 3)), True, False, True, N)
of_numbers("in, with NULL among them", in_rows([f(0)], items(1, N)), True, N, N, N)
of_numbers("in nothing", in_rows([f(0)], EMPTY), False, False, False, False)
of_numbers("not in", not_(in_rows([f(0)], items(1, 3))), False, True, False, N)
of_numbers("not in, with NULL among them", not_(in_rows([f(0)], items(1, N))), False, N, N, N)
gives("in, as a filter", filtered(NUMBERS, in_rows([f(0)], items(1, 3, 3))), (1,), (3,))
gives("not in, as a filter", filtered(NUMBERS, not_(in_rows([f(0)], items(1)))), (2,), (3,))
gives("not in with NULL, as a filter", filtered(NUMBERS, not_(in_rows([f(0)], items(1, N)))), width=1)
gives("not in nothing, as a filter", filtered(NUMBERS, not_(in_rows([f(0)], EMPTY))), (1,), (2,), (3,), (N,))
of_numbers(
    "in, correlated",
    in_rows([i64(3)], virtual("x i64?", (add(outer(1, 0), i64(1)),), (i64(5),))),
    False,
    True,
    False,
    N,
)
PAIRS = virtual("a i64?, b string?", (1, "x"), (1, "y"), (N, "x"), (2, N), (3, "z"))
HAY = virtual("c i64?, d string?", (1, "x"), (2, "w"), (N, "z"))
#: (1, y) differs from each in one that is not NULL; (NULL, x) might be (1, x); (2, NULL) might be (2, w); (3, z) might
#: be (NULL, z).
gives(
    "in, two needles",
    only(PAIRS, 2, f(0), f(1), in_rows([f(0), f(1)], HAY)),
    *((1, "x", True), (1, "y", False), (N, "x", N), (2, N, N), (3, "z", N)),
)
gives("in, two needles, as a filter", filtered(PAIRS, in_rows([f(0), f(1)], HAY)), (1, "x"))
gives("not in, two needles, as a filter", filtered(PAIRS, not_(in_rows([f(0), f(1)], HAY))), (1, "y"))
gives(
    "in, two needles that are never NULL",
    only(
        virtual("a i64, b string", (1, "x"), (2, "x")), 2, in_rows([f(0), f(1)], virtual("c i64, d string", (1, "x")))
    ),
    *((True,), (False,)),
)
gives(
    "in, a table",
    filtered(read("lefts", LEFTS), in_rows([f(0)], only(read("rights", RIGHTS), 2, f(0)))),
    (1, "a"),
    (2, "b"),
    (2, "c"),
)

# Existence -----------------------------------------------------------------------------------------------------------

of_numbers("exists", exists(items(N)), True, True, True, True)
of_numbers("exists of nothing", exists(EMPTY), False, False, False, False)
of_numbers("exists, correlated", exists(filtered(items(2, 3), eq(f(0), outer(1, 0)))), False, True, True, False)
gives(
    "exists, as a filter",
    filtered(PEOPLE_, exists(filtered(PEOPLE_, eq(f(2), outer(1, 0)))), emit=[1]),
    ("Ann",),
    ("Bob",),
)
gives(
    "not exists, as a filter",
    filtered(PEOPLE_, not_(exists(filtered(PEOPLE_, eq(f(2), outer(1, 0))))), emit=[1]),
    ("Cid",),
    ("Dee",),
)
gives(
    "exists and another condition",
    filtered(PEOPLE_, and_(exists(filtered(PEOPLE_, eq(f(2), outer(1, 0)))), gt(f(0), i64(1))), emit=[1]),
    ("Bob",),
)
of_numbers(
    "exists of an aggregate: always a row",
    exists(aggregate(EMPTY, [], measure("aggregate_generic:count"))),
    True,
    True,
    True,
    True,
)

# Uniqueness: rows with NULL are equal to none.
of_numbers("unique", unique(items(1, 2)), True, True, True, True)
of_numbers("unique: not", unique(items(1, 2, 1)), False, False, False, False)
of_numbers("unique: NULLs", unique(items(1, N, N)), True, True, True, True)
of_numbers("unique of nothing", unique(EMPTY), True, True, True, True)
of_numbers(
    "unique of two columns",
    unique(virtual("a i64, b string?", (1, "x"), (1, "y"), (2, N), (2, N))),
    True,
    True,
    True,
    True,
)
of_numbers("unique, correlated", unique(filtered(items(1, 1, 2), eq(f(0), outer(1, 0)))), False, True, True, True)

# Comparisons ---------------------------------------------------------------------------------------------------------

#: For 1, 2, 3 and NULL, with (1, 2).
ANY = {
    "EQ": (True, True, False, N),
    "NE": (True, True, True, N),
    "LT": (True, False, False, N),
    "LE": (True, True, False, N),
    "GT": (False, True, True, N),
    "GE": (True, True, True, N),
}
ALL = {
    "EQ": (False, False, False, N),
    "NE": (False, False, True, N),
    "LT": (False, False, False, N),
    "LE": (True, False, False, N),
    "GT": (False, False, True, N),
    "GE": (False, True, True, N),
}
for reduction, table in (("ANY", ANY), ("ALL", ALL)):
    for op, expected in table.items():
        of_numbers(f"{op} {reduction}", compared(f(0), op, reduction, items(1, 2)), *expected)
#: With NULL among them what is not certain is NULL.
of_numbers("EQ ANY with NULL", compared(f(0), "EQ", "ANY", items(1, N)), True, N, N, N)
of_numbers("GT ALL with NULL", compared(f(0), "GT", "ALL", items(1, N)), False, N, N, N)
of_numbers("NE ALL with NULL", compared(f(0), "NE", "ALL", items(1, N)), False, N, N, N)
of_numbers("ANY of nothing", compared(f(0), "EQ", "ANY", EMPTY), False, False, False, False)
of_numbers("ALL of nothing", compared(f(0), "LT", "ALL", EMPTY), True, True, True, True)
of_numbers(
    "ANY, correlated",
    compared(i64(2), "LT", "ANY", filtered(items(1, 3), lt(f(0), outer(1, 0)))),
    False,
    False,
    False,
    False,
)
of_numbers("ALL, correlated", compared(i64(0), "LT", "ALL", virtual("x i64?", (outer(1, 0),))), True, True, True, N)
gives("ANY, as a filter", filtered(NUMBERS, compared(f(0), "GT", "ANY", items(1, 2))), (2,), (3,))
gives("ALL, as a filter", filtered(NUMBERS, compared(f(0), "GE", "ALL", items(1, 2))), (2,), (3,))

# How far out ---------------------------------------------------------------------------------------------------------

OUTER = Cases("outer reference")
ONES = virtual("x i64", (1,))
TENS = virtual("a i64", (10,), (20,))
OUTER.gives(
    "two steps out",
    only(TENS, 1, f(0), scalar(only(ONES, 1, scalar(virtual("y i64", (add(outer(2, 0), outer(1, 0)),)))))),
    *((10, 11), (20, 21)),
)
OUTER.gives(
    "three steps out",
    only(TENS, 1, scalar(only(ONES, 1, scalar(only(ONES, 1, scalar(virtual("y i64", (outer(3, 0),)))))))),
    *((10,), (20,)),
)
OUTER.gives(
    "two steps out, of a filter",
    filtered(
        PEOPLE_,
        exists(
            filtered(
                PEOPLE_,
                and_(
                    eq(f(2), outer(1, 0)),
                    exists(filtered(PEOPLE_, and_(eq(f(2), outer(1, 0)), eq(outer(2, 0), i64(1))))),
                ),
            )
        ),
        emit=[1],
    ),
    ("Ann",),
)
ANCHORED = virtual("a i64", (10,), (20,), anchor=7)
OUTER.gives(
    "by an anchor",
    only(ANCHORED, 1, f(0), scalar(virtual("y i64", (add(anchored(7, 0), i64(1)),)))),
    (10, 11),
    (20, 21),
)
OUTER.gives(
    "by an anchor, from two subqueries in",
    only(ANCHORED, 1, scalar(only(ONES, 1, scalar(virtual("y i64", (add(anchored(7, 0), outer(1, 0)),)))))),
    *((11,), (21,)),
)
OUTER.gives(
    "by anchors of two relations",
    only(
        ANCHORED,
        1,
        scalar(
            only(virtual("x i64", (1,), anchor=8), 1, scalar(virtual("y i64", (add(anchored(7, 0), anchored(8, 0)),))))
        ),
    ),
    *((11,), (21,)),
)
OUTER.gives(
    "by the anchor of the right input of a join",
    join(
        "INNER",
        virtual("a i64", (1,), (2,)),
        virtual("b i64, c string", (1, "x"), (2, "y"), anchor=9),
        and_(eq(f(0), f(1)), exists(filtered(virtual("d string", ("y",)), eq(f(0), anchored(9, 1))))),
    ),
    (2, 2, "y"),
)
OUTER.gives(
    "in the condition of a join",
    join("LEFT", TENS, ONES, exists(filtered(virtual("b i64", (20,)), eq(f(0), outer(1, 0))))),
    *((10, N), (20, 1)),
)
OUTER.gives(
    "in a key of an aggregate",
    aggregate(NUMBERS, [exists(filtered(items(1, 2), eq(f(0), outer(1, 0))))], measure("aggregate_generic:count")),
    *((True, 2), (False, 2)),
)
OUTER.gives(
    "in a sort key",
    ordered(TENS, (scalar(virtual("x i64", (add(i64(0), outer(1, 0)),))), "DESC_NULLS_LAST")),
    *((20,), (10,)),
    ordered=True,
)
OUTER.gives(
    "from inside a set",
    only(
        TENS,
        1,
        scalar(
            aggregate(
                combined("UNION_ALL", virtual("x i64", (outer(1, 0),)), virtual("x i64", (i64(1),))),
                [],
                measure("arithmetic:sum", f(0)),
            )
        ),
    ),
    *((11,), (21,)),
)
OUTER.gives(
    "from inside a join",
    only(TENS, 1, scalar(only(cross(ONES, virtual("x i64", (outer(1, 0),))), 2, add(f(0), f(1))))),
    *((11,), (21,)),
)
OUTER.gives(
    "from inside a project of a project",
    only(TENS, 1, scalar(only(project(ONES, outer(1, 0)), 2, add(f(1), outer(1, 0))))),
    *((20,), (40,)),
)
OUTER.gives(
    "beside other columns",
    project(
        TENS, exists(filtered(ONES, FALSE)), exists(filtered(ONES, TRUE)), scalar(virtual("s string", (text("k"),)))
    ),
    *((10, False, True, "k"), (20, False, True, "k")),
)
OUTER.gives(
    "coalesced",
    only(TENS, 1, coalesce(scalar(filtered(items(10), eq(f(0), outer(1, 0)))), null("i64"), i64(0))),
    (10,),
    (0,),
)

FOUND = [CASES, OUTER]
