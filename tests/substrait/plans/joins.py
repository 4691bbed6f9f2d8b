"""Joins: twelve types, by equal keys, by other conditions, of empty sides, filtered after; lateral, physical ones."""

from __future__ import annotations

from typing import Any

from firesteel.errors import EvaluationError
from tests.substrait.plans.build import (
    FALSE,
    TRUE,
    UNKNOWN,
    add,
    anchored,
    and_,
    eq,
    f,
    gt,
    i32,
    i64,
    is_null,
    lt,
    of,
    outer,
)
from tests.substrait.plans.cases import LEFTS, RIGHTS, Cases
from tests.substrait.plans.relations import (
    aggregate,
    filtered,
    join,
    keyed_join,
    measure,
    only,
    ordered,
    project,
    read,
    virtual,
)

CASES = Cases("join")
gives = CASES.gives
N = None
Rows = dict[str, list[tuple[Any, ...]]]

#: `lefts` is (1, a), (2, b), (2, c), (NULL, d), (4, e); `rights` is (1, 10), (2, 20), (3, 30), (NULL, 40).
LEFT, RIGHT = read("lefts", LEFTS), read("rights", RIGHTS)
L = [(1, "a"), (2, "b"), (2, "c"), (N, "d"), (4, "e")]
R = [(1, 10), (2, 20), (3, 30), (N, 40)]

#: left.k = right.k. Every left row has one match at the most, and so it is of LEFT_SINGLE.
EQUI: Rows = {
    "INNER": [(1, "a", 1, 10), (2, "b", 2, 20), (2, "c", 2, 20)],
    "OUTER": [
        *((1, "a", 1, 10), (2, "b", 2, 20), (2, "c", 2, 20)),
        *((N, "d", N, N), (4, "e", N, N)),
        *((N, N, 3, 30), (N, N, N, 40)),
    ],
    "LEFT": [(1, "a", 1, 10), (2, "b", 2, 20), (2, "c", 2, 20), (N, "d", N, N), (4, "e", N, N)],
    "RIGHT": [(1, "a", 1, 10), (2, "b", 2, 20), (2, "c", 2, 20), (N, N, 3, 30), (N, N, N, 40)],
    "LEFT_SEMI": [(1, "a"), (2, "b"), (2, "c")],
    "LEFT_ANTI": [(N, "d"), (4, "e")],
    "LEFT_SINGLE": [(1, "a", 1, 10), (2, "b", 2, 20), (2, "c", 2, 20), (N, "d", N, N), (4, "e", N, N)],
    "RIGHT_SEMI": [(1, 10), (2, 20)],
    "RIGHT_ANTI": [(3, 30), (N, 40)],
    # No left row but those with the key 4 and NULL is certain: a comparison with the NULL on the right is NULL.
    "LEFT_MARK": [(1, "a", True), (2, "b", True), (2, "c", True), (N, "d", N), (4, "e", N)],
    "RIGHT_MARK": [(1, 10, True), (2, 20, True), (3, 30, N), (N, 40, N)],
}
#: The sides change places: now every right row has one match at the most.
EQUI_SWAPPED: Rows = {
    "RIGHT_SINGLE": [(1, 10, 1, "a"), (2, 20, 2, "b"), (2, 20, 2, "c"), (N, N, N, "d"), (N, N, 4, "e")],
}
#: left.k > right.k: 2 > 1 twice; 4 > 1, 2, 3.
THETA: Rows = {
    "INNER": [(2, "b", 1, 10), (2, "c", 1, 10), (4, "e", 1, 10), (4, "e", 2, 20), (4, "e", 3, 30)],
    "OUTER": [
        *((2, "b", 1, 10), (2, "c", 1, 10), (4, "e", 1, 10), (4, "e", 2, 20), (4, "e", 3, 30)),
        *((1, "a", N, N), (N, "d", N, N), (N, N, N, 40)),
    ],
    "LEFT": [
        *((2, "b", 1, 10), (2, "c", 1, 10), (4, "e", 1, 10), (4, "e", 2, 20), (4, "e", 3, 30)),
        *((1, "a", N, N), (N, "d", N, N)),
    ],
    "RIGHT": [
        *((2, "b", 1, 10), (2, "c", 1, 10), (4, "e", 1, 10), (4, "e", 2, 20), (4, "e", 3, 30)),
        (N, N, N, 40),
    ],
    "LEFT_SEMI": [(2, "b"), (2, "c"), (4, "e")],
    "LEFT_ANTI": [(1, "a"), (N, "d")],
    "RIGHT_SEMI": [(1, 10), (2, 20), (3, 30)],
    "RIGHT_ANTI": [(N, 40)],
    "LEFT_MARK": [(1, "a", N), (2, "b", True), (2, "c", True), (N, "d", N), (4, "e", True)],
    "RIGHT_MARK": [(1, 10, True), (2, 20, True), (3, 30, True), (N, 40, N)],
}
#: With no right rows.
RIGHT_EMPTY: Rows = {
    "INNER": [],
    "OUTER": [(*row, N, N) for row in L],
    "LEFT": [(*row, N, N) for row in L],
    "RIGHT": [],
    "LEFT_SEMI": [],
    "LEFT_ANTI": list(L),
    "LEFT_SINGLE": [(*row, N, N) for row in L],
    "RIGHT_SEMI": [],
    "RIGHT_ANTI": [],
    "RIGHT_SINGLE": [],
    "LEFT_MARK": [(*row, False) for row in L],
    "RIGHT_MARK": [],
}
#: With no left rows.
LEFT_EMPTY: Rows = {
    "INNER": [],
    "OUTER": [(N, N, *row) for row in R],
    "LEFT": [],
    "RIGHT": [(N, N, *row) for row in R],
    "LEFT_SEMI": [],
    "LEFT_ANTI": [],
    "LEFT_SINGLE": [],
    "RIGHT_SEMI": [],
    "RIGHT_ANTI": list(R),
    "RIGHT_SINGLE": [(N, N, *row) for row in R],
    "LEFT_MARK": [],
    "RIGHT_MARK": [(*row, False) for row in R],
}
WIDTHS = {"SEMI": 2, "ANTI": 2, "MARK": 3}
SAME, MORE = eq(f(0), f(2)), gt(f(0), f(2))


def width(kind: str) -> int:
    return WIDTHS.get(kind.rpartition("_")[2], 4)


def each(title: str, left: Any, right: Any, condition: Any, expected: Rows) -> None:
    for kind, rows in expected.items():
        gives(f"{kind} {title}", join(kind, left, right, condition), *rows, width=width(kind))


each("by equal keys", LEFT, RIGHT, SAME, EQUI)
each("by equal keys", RIGHT, LEFT, SAME, EQUI_SWAPPED)
each("by another condition", LEFT, RIGHT, MORE, THETA)
each("with an empty right side", LEFT, read("nothing", RIGHTS), SAME, RIGHT_EMPTY)
each("with an empty left side", filtered(LEFT, FALSE), RIGHT, SAME, LEFT_EMPTY)

# Single joins by another condition: n > 35 matches the one right row with 40 only.
gives(
    "LEFT_SINGLE by another condition",
    join("LEFT_SINGLE", LEFT, RIGHT, and_(gt(f(3), i32(35)), gt(f(0), i64(1)))),
    (1, "a", N, N),
    (2, "b", N, 40),
    (2, "c", N, 40),
    (N, "d", N, N),
    (4, "e", N, 40),
)
gives(
    "RIGHT_SINGLE by another condition",
    join("RIGHT_SINGLE", LEFT, RIGHT, gt(f(0), add(f(2), i64(1)))),  # 4 > 1 + 1, 4 > 2 + 1
    (4, "e", 1, 10),
    (4, "e", 2, 20),
    (N, N, 3, 30),
    (N, N, N, 40),
)
CASES.fails("LEFT_SINGLE with a second match", join("LEFT_SINGLE", RIGHT, LEFT, SAME), EvaluationError, width=4)
CASES.fails("RIGHT_SINGLE with a second match", join("RIGHT_SINGLE", LEFT, RIGHT, SAME), EvaluationError, width=4)

# Conditions that are always the same.
gives(
    "a nested loop without a condition",
    join("INNER", virtual("a i64", (1,), (2,)), virtual("b i64", (3,)), None, relation="nestedLoopJoin"),
    *((1, 3), (2, 3)),
)
gives("INNER by TRUE", join("INNER", virtual("a i64", (1,), (2,)), virtual("b i64", (3,)), TRUE), (1, 3), (2, 3))
gives("LEFT by FALSE", join("LEFT", virtual("a i64", (1,)), virtual("b i64", (3,)), FALSE), (1, N))
gives("LEFT by NULL", join("LEFT", virtual("a i64", (1,)), virtual("b i64", (3,)), UNKNOWN), (1, N))
gives("OUTER by FALSE", join("OUTER", virtual("a i64", (1,)), virtual("b i64", (3,)), FALSE), (1, N), (N, 3))
gives("LEFT_MARK by NULL", join("LEFT_MARK", virtual("a i64", (1,)), virtual("b i64", (3,)), UNKNOWN), (1, N))
gives("LEFT_MARK by FALSE", join("LEFT_MARK", virtual("a i64", (1,)), virtual("b i64", (3,)), FALSE), (1, False))
gives(
    "LEFT_MARK by TRUE of two", join("LEFT_MARK", virtual("a i64", (1,)), virtual("b i64", (3,), (4,)), TRUE), (1, True)
)
gives(
    "LEFT_MARK of keys that are never NULL",
    join("LEFT_MARK", virtual("a i64", (1,), (2,)), virtual("b i64", (1,)), eq(f(0), f(1))),
    (1, True),
    (2, False),
)

# Keys and a residual; several keys; a condition on one side.
gives(
    "INNER by equal keys and another condition",
    join("INNER", LEFT, RIGHT, and_(SAME, gt(f(3), i32(10)))),
    (2, "b", 2, 20),
    (2, "c", 2, 20),
)
gives(
    "LEFT by equal keys and another condition",
    join("LEFT", LEFT, RIGHT, and_(SAME, gt(f(3), i32(10)))),
    *((1, "a", N, N), (2, "b", 2, 20), (2, "c", 2, 20), (N, "d", N, N), (4, "e", N, N)),
)
gives(
    "LEFT by a condition on the left only",
    join("LEFT", virtual("a i64", (1,), (2,)), virtual("b i64", (8,), (9,)), gt(f(0), i64(1))),
    (1, N),
    (2, 8),
    (2, 9),
)
gives(
    "OUTER by a condition on the right only",
    join("OUTER", virtual("a i64", (1,), (2,)), virtual("b i64", (8,), (9,)), gt(f(1), i64(8))),
    (1, 9),
    (2, 9),
    (N, 8),
)
gives(
    "INNER by two keys",
    join(
        "INNER",
        virtual("a i64, b string", (1, "x"), (1, "y")),
        virtual("c i64, d string", (1, "y"), (2, "x")),
        and_(eq(f(0), f(2)), eq(f(1), f(3))),
    ),
    (1, "y", 1, "y"),
)

# Filters after a join see what it gives.
gives("LEFT with a filter after", join("LEFT", LEFT, RIGHT, SAME, post=is_null(f(3))), (N, "d", N, N), (4, "e", N, N))
gives("INNER with a filter after", join("INNER", LEFT, RIGHT, SAME, post=lt(f(3), i32(15))), (1, "a", 1, 10))
gives("OUTER with a filter after", join("OUTER", LEFT, RIGHT, SAME, post=is_null(f(1))), (N, N, 3, 30), (N, N, N, 40))
gives("LEFT_SEMI with a filter after", join("LEFT_SEMI", LEFT, RIGHT, SAME, post=eq(f(0), i64(1))), (1, "a"))
gives("RIGHT_ANTI with a filter after", join("RIGHT_ANTI", LEFT, RIGHT, SAME, post=gt(f(1), i32(30))), (N, 40))
gives(
    "LEFT_MARK with a filter on the mark",
    join("LEFT_MARK", LEFT, RIGHT, SAME, post=is_null(f(2))),
    (N, "d", N),
    (4, "e", N),
)

# Emit comes last.
gives("INNER with emit", join("INNER", LEFT, RIGHT, SAME, emit=[3, 1]), (10, "a"), (20, "b"), (20, "c"))
gives(
    "RIGHT_SINGLE with emit",
    join("RIGHT_SINGLE", RIGHT, LEFT, SAME, emit=[3, 1]),
    ("a", 10),
    ("b", 20),
    ("c", 20),
    ("d", N),
    ("e", N),
)
gives(
    "RIGHT_MARK with emit", join("RIGHT_MARK", LEFT, RIGHT, SAME, emit=[2, 1]), (True, 10), (True, 20), (N, 30), (N, 40)
)
gives("LEFT_SEMI with emit", join("LEFT_SEMI", LEFT, RIGHT, SAME, emit=[1]), ("a",), ("b",), ("c",))
gives(
    "a filter after it goes before emit",
    join("INNER", LEFT, RIGHT, SAME, post=eq(f(1), {"literal": {"string": "c"}}), emit=[3]),
    (20,),
)
gives(
    "of a join",
    join("INNER", join("LEFT_SEMI", LEFT, RIGHT, SAME), RIGHT, SAME, emit=[1, 3]),
    ("a", 10),
    ("b", 20),
    ("c", 20),
)
gives(
    "with itself",
    join("INNER", LEFT, LEFT, SAME, emit=[1, 3]),
    *(("a", "a"), ("b", "b"), ("b", "c"), ("c", "b"), ("c", "c"), ("e", "e")),
)

# Lateral joins -------------------------------------------------------------------------------------------------------

LATERALS = Cases("lateral join")


def lateral(kind: str, left: Any, right: Any, condition: Any = TRUE, **parts: Any) -> Any:
    return join(kind, left, right, condition, relation="lateralJoin", **parts)


#: The right rows of the same key as the left row.
OF_KEY = filtered(RIGHT, eq(f(0), outer(1, 0)))
OF_ANCHOR = filtered(RIGHT, eq(f(0), anchored(5, 0)))
for kind in ("INNER", "LEFT", "LEFT_SEMI", "LEFT_ANTI", "LEFT_SINGLE"):
    LATERALS.gives(kind, lateral(kind, LEFT, OF_KEY, TRUE), *EQUI[kind], width=width(kind))
LATERALS.gives(
    "LEFT_MARK: there are rows, or none",
    lateral("LEFT_MARK", LEFT, OF_KEY, TRUE),
    *((1, "a", True), (2, "b", True), (2, "c", True), (N, "d", False), (4, "e", False)),
)
LATERALS.gives(
    "the anchor of the join is that of its left row", lateral("INNER", LEFT, OF_ANCHOR, TRUE, anchor=5), *EQUI["INNER"]
)
LATERALS.gives(
    "an anchor of the left input",
    lateral("INNER", read("lefts", LEFTS, anchor=5), OF_ANCHOR, TRUE),
    *EQUI["INNER"],
)
LATERALS.gives("by TRUE", lateral("LEFT", LEFT, OF_KEY), *EQUI["LEFT"])
LATERALS.gives(
    "with a condition over both",
    lateral("LEFT", LEFT, OF_KEY, gt(f(3), i32(10))),
    *((1, "a", N, N), (2, "b", 2, 20), (2, "c", 2, 20), (N, "d", N, N), (4, "e", N, N)),
)
LATERALS.gives(
    "with a filter after", lateral("LEFT", LEFT, OF_KEY, TRUE, post=is_null(f(3))), (N, "d", N, N), (4, "e", N, N)
)
LATERALS.gives("with emit", lateral("INNER", LEFT, OF_KEY, TRUE, emit=[1, 3]), ("a", 10), ("b", 20), ("c", 20))
LATERALS.gives(
    "of an aggregate: always a row",
    lateral("INNER", LEFT, aggregate(OF_KEY, [], measure("aggregate_generic:count"))),
    *((1, "a", 1), (2, "b", 1), (2, "c", 1), (N, "d", 0), (4, "e", 0)),
)
LATERALS.gives(
    "of an expression of the left row",
    lateral("INNER", virtual("a i64", (1,), (2,)), only(virtual("x i64", (10,), (20,)), 1, add(f(0), outer(1, 0)))),
    *((1, 11), (1, 21), (2, 12), (2, 22)),
)
LATERALS.gives(
    "in a lateral join: one and two steps out",
    lateral(
        "INNER",
        virtual("a i64", (1,), (2,)),
        lateral("INNER", virtual("b i64", (10,)), virtual("c i64", (add(outer(1, 0), outer(2, 0)),))),
    ),
    (1, 10, 11),
    (2, 10, 12),
)
LATERALS.fails(
    "LEFT_SINGLE with a second row",
    lateral("LEFT_SINGLE", virtual("a i64", (1,)), RIGHT, TRUE),
    EvaluationError,
    width=3,
)

# Physical joins ------------------------------------------------------------------------------------------------------

PHYSICAL = Cases("physical join")


def input_of(relation: str, rel: Any) -> Any:
    """The input of a physical join, whose key is its first column: a merge join takes it in order."""
    return ordered(rel, (f(0), "ASC_NULLS_LAST")) if relation == "mergeJoin" else rel


for relation in ("hashJoin", "mergeJoin"):
    left, right = input_of(relation, LEFT), input_of(relation, RIGHT)
    for kind, rows in EQUI.items():
        PHYSICAL.gives(f"{relation} {kind}", keyed_join(relation, kind, left, right, (0, 0)), *rows)
    for kind, rows in EQUI_SWAPPED.items():
        PHYSICAL.gives(f"{relation} {kind}", keyed_join(relation, kind, right, left, (0, 0)), *rows)
    PHYSICAL.gives(
        f"{relation} with keys as they were written once",
        keyed_join(relation, "INNER", left, right, (0, 0), old=True),
        *EQUI["INNER"],
    )
    PHYSICAL.gives(
        f"{relation} by keys that are not distinct",
        keyed_join(relation, "INNER", left, right, (0, 0, "IS_NOT_DISTINCT_FROM")),
        *EQUI["INNER"],
        (N, "d", N, 40),
    )
    PHYSICAL.gives(
        f"{relation} by keys that might be equal",
        keyed_join(
            relation, "INNER", virtual("a i64?", (1,), (N,)), virtual("b i64?", (1,), (2,), (N,)), (0, 0, "MIGHT_EQUAL")
        ),
        *((1, 1), (1, N), (N, 1), (N, 2), (N, N)),
    )
    PHYSICAL.gives(
        f"{relation} with a filter after",
        keyed_join(relation, "LEFT", left, right, (0, 0), post=is_null(f(3))),
        *((N, "d", N, N), (4, "e", N, N)),
    )
    PHYSICAL.gives(
        f"{relation} with a residual",
        keyed_join(relation, "LEFT", left, right, (0, 0), residual=gt(f(3), i32(10))),
        *((1, "a", N, N), (2, "b", 2, 20), (2, "c", 2, 20), (N, "d", N, N), (4, "e", N, N)),
    )
    PHYSICAL.gives(
        f"{relation} with emit", keyed_join(relation, "INNER", left, right, (0, 0), emit=[3]), (10,), (20,), (20,)
    )
for kind, rows in {**EQUI, **THETA}.items():
    if kind in THETA:
        PHYSICAL.gives(f"nestedLoopJoin {kind}", join(kind, LEFT, RIGHT, MORE, relation="nestedLoopJoin"), *rows)
    else:
        PHYSICAL.gives(f"nestedLoopJoin {kind}", join(kind, LEFT, RIGHT, SAME, relation="nestedLoopJoin"), *rows)
PHYSICAL.gives(
    "nestedLoopJoin RIGHT_SINGLE",
    join("RIGHT_SINGLE", RIGHT, LEFT, SAME, relation="nestedLoopJoin"),
    *EQUI_SWAPPED["RIGHT_SINGLE"],
)
PHYSICAL.gives(
    "hashJoin by two keys, one of them not distinct",
    keyed_join(
        "hashJoin",
        "INNER",
        virtual("a i64, b string?", (1, N), (1, "x"), (2, N)),
        virtual("c string?, d i64", (N, 1), ("x", 2), ("x", 1)),
        (0, 1),
        (1, 0, "IS_NOT_DISTINCT_FROM"),
    ),
    (1, N, N, 1),
    (1, "x", "x", 1),
)
#: `nested` is (1, {10, ten}), (2, {NULL, none}), (3, NULL), with more beside.
INSIDE = virtual("s struct<i64?,string>?, n i64", ((10, "x"), 1), ((11, "y"), 2), ((N, "z"), 3), (N, 4))
OTHERS = virtual("m i64?, p struct<string,i64?>", (1, ("a", 10)), (2, ("b", N)), (3, ("c", 12)))
for kind, rows in {
    "INNER": [(1, "a")],
    "LEFT": [(1, "a"), (2, N), (3, N), (4, N)],
    "LEFT_ANTI": [(2,), (3,), (4,)],
    "RIGHT_SEMI": [("a",)],
}.items():
    names = [of(f(3), 0)] if kind in ("INNER", "LEFT") else []
    kept = [f(1)] if kind != "RIGHT_SEMI" else [f(1, 0)]
    wide = 4 if names else 2
    PHYSICAL.gives(
        f"hashJoin {kind} by keys in structs",
        only(keyed_join("hashJoin", kind, INSIDE, OTHERS, ((0, 0), (1, 1))), wide, *kept, *names),
        *rows,
    )
PHYSICAL.gives(
    "mergeJoin by keys in structs",
    keyed_join(
        "mergeJoin",
        "INNER",
        ordered(INSIDE, (f(0, 0), "DESC_NULLS_LAST")),
        ordered(OTHERS, (f(1, 1), "DESC_NULLS_LAST")),
        ((0, 0), (1, 1)),
        emit=[1, 2],
    ),
    (1, 1),
)
for side in ("LEFT", "RIGHT"):
    for kind, rows in (*EQUI.items(), *EQUI_SWAPPED.items()):
        pair = (RIGHT, LEFT) if kind in EQUI_SWAPPED else (LEFT, RIGHT)
        PHYSICAL.gives(
            f"hashJoin {kind} that builds the {side}", keyed_join("hashJoin", kind, *pair, (0, 0), build=side), *rows
        )
PHYSICAL.gives(
    "mergeJoin by two keys in the order of the inputs",
    keyed_join(
        "mergeJoin",
        "INNER",
        ordered(virtual("a i64, b i64", (1, 5), (2, 5), (1, 6)), (f(1), "DESC_NULLS_LAST"), (f(0), "ASC_NULLS_LAST")),
        ordered(virtual("c i64, d i64", (1, 5), (2, 6), (1, 6)), (f(1), "DESC_NULLS_LAST"), (f(0), "ASC_NULLS_LAST")),
        (0, 0),
        (1, 1),
    ),
    (1, 5, 1, 5),
    (1, 6, 1, 6),
)
PHYSICAL.fails(
    "hashJoin LEFT_SINGLE with a second match",
    keyed_join("hashJoin", "LEFT_SINGLE", RIGHT, LEFT, (0, 0)),
    EvaluationError,
    width=4,
)
PHYSICAL.gives(
    "hashJoin of a project",
    keyed_join("hashJoin", "LEFT_ANTI", project(LEFT, add(f(0), i64(1))), RIGHT, (2, 0)),
    (N, "d", N),
    (4, "e", 5),
)

FOUND = [CASES, LATERALS, PHYSICAL]
