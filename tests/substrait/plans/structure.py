"""Plans as wholes: several trees, references, names at the edges, what is kept beside a tree, hints."""

from __future__ import annotations

from tests.substrait.plans.build import add, detached, eq, f, gt, i64, lit, scalar, struct
from tests.substrait.plans.cases import LEFTS, PEOPLE, RIGHTS, Cases
from tests.substrait.plans.relations import (
    aggregate,
    combined,
    cross,
    detached_rel,
    fetch,
    filtered,
    join,
    measure,
    only,
    ordered,
    project,
    read,
    reference,
    root,
    subtree,
    virtual,
)

CASES = Cases("plan")
NUMBERS = virtual("a i64", (1,), (2,), (3,))
BIG = filtered(NUMBERS, gt(f(0), i64(1)))

CASES.trees("two roots", [root(NUMBERS, ["c0"]), root(BIG, ["c0"])], [(1,), (2,), (3,)], [(2,), (3,)])
CASES.trees(
    "a reference to a subtree",
    [subtree(BIG), root(only(reference(0), 1, add(f(0), i64(10))), ["c0"])],
    [(12,), (13,)],
)
CASES.trees(
    "a reference to an earlier root",
    [root(BIG, ["c0"]), root(aggregate(reference(0), [], measure("arithmetic:sum", f(0))), ["c0"])],
    [(2,), (3,)],
    [(5,)],
)
CASES.trees(
    "two references to one subtree",
    [subtree(BIG), root(cross(reference(0), reference(0)), ["c0", "c1"])],
    [(2, 2), (2, 3), (3, 2), (3, 3)],
)
CASES.trees(
    "a reference to a subtree with a reference",
    [
        subtree(BIG),
        subtree(only(reference(0), 1, add(f(0), f(0)))),
        root(combined("UNION_ALL", reference(0), reference(1)), ["c0"]),
    ],
    [(2,), (3,), (4,), (6,)],
)
CASES.trees(
    "two roots over one subtree of tables",
    [
        subtree(join("INNER", read("lefts", LEFTS), read("rights", RIGHTS), eq(f(0), f(2)), emit=[1, 3])),
        root(aggregate(reference(0), [], measure("aggregate_generic:count")), ["c0"]),
        root(filtered(reference(0), eq(f(1), lit("i32", 20))), ["c0", "c1"]),
    ],
    [(3,)],
    [("b", 20), ("c", 20)],
)
CASES.trees(
    "a reference in a subquery",
    [
        subtree(aggregate(NUMBERS, [], measure("arithmetic:max", f(0)))),
        root(filtered(NUMBERS, eq(f(0), scalar(reference(0)))), ["c0"]),
    ],
    [(3,)],
)
CASES.trees(
    "a sorted subtree",
    [subtree(ordered(NUMBERS, (f(0), "DESC_NULLS_LAST"))), root(fetch(reference(0), count=2), ["c0"])],
    [(3,), (2,)],
)
CASES.trees("a subtree that nobody refers to", [subtree(BIG), root(NUMBERS, ["c0"])], [(1,), (2,), (3,)])

# Names ---------------------------------------------------------------------------------------------------------------

CASES.trees(
    "names of fields inside, depth first",
    [root(only(virtual("x i64", (1,)), 1, struct(i64(1), struct(i64(2))), i64(3)), ["c0", "p", "q", "r", "c1"])],
    [({"p": 1, "q": {"r": 2}}, 3)],
)
CASES.trees(
    "names of fields inside of a list",
    [root(virtual("l list<struct<i64,string>>, n i64", ([(1, "x")], 5)), ["c0", "p", "q", "c1"])],
    [([{"p": 1, "q": "x"}], 5)],
)
CASES.trees(
    "names of the read do not matter to the root",
    [root(read("people", PEOPLE, emit=[1, 0]), ["c0", "c1"])],
    [("Ann", 1), ("Bob", 2), ("Cid", 3), ("Dee", 4)],
)

# Beside the tree -----------------------------------------------------------------------------------------------------

CASES.gives("a detached relation", detached_rel(0), (2,), (3,), rels=[BIG])
CASES.gives(
    "a detached relation in another",
    detached_rel(1),
    (2,),
    (3,),
    rels=[NUMBERS, filtered(detached_rel(0), gt(f(0), i64(1)))],
)
CASES.gives(
    "a detached relation twice",
    combined("UNION_ALL", detached_rel(0), detached_rel(0)),
    (1,),
    (1,),
    rels=[virtual("a i64", (1,))],
)
CASES.gives("a detached expression", only(NUMBERS, 1, detached(0)), (2,), (3,), (4,), expressions=[add(f(0), i64(1))])
CASES.gives(
    "a detached expression in another, and twice",
    only(NUMBERS, 1, add(detached(1), detached(0))),
    *((4,), (6,), (8,)),
    expressions=[add(f(0), i64(1)), detached(0)],
)
CASES.gives(
    "a detached relation in a subquery of a detached expression",
    filtered(NUMBERS, detached(0)),
    (3,),
    rels=[aggregate(NUMBERS, [], measure("arithmetic:max", f(0)))],
    expressions=[eq(f(0), scalar(detached_rel(0)))],
)

# Hints say nothing about the result.
CASES.gives(
    "hints",
    fetch(
        ordered(NUMBERS, (f(0), "DESC_NULLS_LAST")),
        count=1,
        hint={"stats": {"rowCount": 5, "recordSize": 8}, "alias": "first", "outputNames": ["x"]},
    ),
    (3,),
    ordered=True,
)
CASES.gives(
    "a relation of a relation of a relation",
    project(filtered(project(NUMBERS, add(f(0), i64(1))), gt(f(1), i64(2))), f(1)),
    (2, 3, 3),
    (3, 4, 4),
)

FOUND = [CASES]
