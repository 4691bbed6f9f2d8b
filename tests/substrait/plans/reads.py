"""Reads: named and virtual tables, filters, masks, columns matched by name and cast without loss."""

from __future__ import annotations

import datetime
from decimal import Decimal

from tests.substrait.plans.build import (
    TRUE,
    UNKNOWN,
    At,
    add,
    elements,
    entry,
    eq,
    f,
    gt,
    i32,
    i64,
    inside,
    is_null,
    lt,
    mask,
    not_,
    or_,
    outer,
    scalar,
    text,
)
from tests.substrait.plans.cases import NESTED, PEOPLE, Cases
from tests.substrait.plans.kinds import type_
from tests.substrait.plans.relations import only, project, read, virtual

CASES = Cases("read")
gives = CASES.gives

ANN = (1, "Ann", None, Decimal("100.00"))
BOB = (2, "Bob", 1, Decimal("70.50"))
CID = (3, "Cid", 1, Decimal("80.25"))
DEE = (4, "Dee", 2, None)

gives("a named table", read("people", PEOPLE), ANN, BOB, CID, DEE)
gives("a named table by its name in another case", read("PEOPLE", PEOPLE), ANN, BOB, CID, DEE)
gives(
    "columns in another order than the table's",
    read("people", "pay decimal<9,2>?, id i64"),
    *((r[3], r[0]) for r in (ANN, BOB, CID, DEE)),
)
gives("some columns", read("people", "name string"), ("Ann",), ("Bob",), ("Cid",), ("Dee",))
gives("a table without rows", read("nothing", "k i64?, n i32?"), width=2)
gives("a filter", read("people", PEOPLE, where=eq(f(2), i64(1))), BOB, CID)
gives("a filter that is NULL keeps nothing", read("people", PEOPLE, where=UNKNOWN), width=4)
gives("a best-effort filter", read("people", PEOPLE, best_effort=gt(f(0), i64(2))), CID, DEE)
gives(
    "a filter and a best-effort filter",
    read("people", PEOPLE, where=gt(f(0), i64(1)), best_effort=lt(f(0), i64(4))),
    BOB,
    CID,
)
gives("a mask", read("people", PEOPLE, select=mask([1])), ("Ann",), ("Bob",), ("Cid",), ("Dee",))
gives("a mask that is not in order", read("people", PEOPLE, select=mask([2, 0])), (None, 1), (1, 2), (1, 3), (2, 4))
gives(
    "the filter sees the columns before the mask",
    read("people", PEOPLE, where=is_null(f(3)), select=mask([1])),
    ("Dee",),
)
gives(
    "emit comes after the mask",
    read("people", PEOPLE, select=mask([0, 1]), emit=[1, 0, 1]),
    *((r[1], r[0], r[1]) for r in (ANN, BOB, CID, DEE)),
)
gives("emit alone", read("people", PEOPLE, emit=[3, 1]), *((r[3], r[1]) for r in (ANN, BOB, CID, DEE)))

# Columns match by name, in any case, and are cast where nothing can be lost.
gives(
    "names in another case",
    read("mixed", "ID i32, Upper string?, WHEN date"),
    (7, "x", datetime.date(2024, 2, 29)),
    (8, None, datetime.date(1999, 12, 31)),
)
gives("the exact name goes before one in another case", read("twins", "AB i64, ab i64"), (2, 1))
gives("an integer declared wider", only(read("Mixed", "Id i64"), 1, add(f(0), i64(2**40))), (2**40 + 7,), (2**40 + 8,))
gives("an integer declared as a decimal", read("Mixed", "Id decimal<12,1>"), (Decimal(7),), (Decimal(8),))
gives("an integer declared as a double", read("Mixed", "Id fp64"), (7.0,), (8.0,))
gives("an integer declared narrower, whose values fit", read("Mixed", "Id i8"), (7,), (8,))
gives(
    "a decimal declared wider",
    read("people", "pay decimal<20,4>?"),
    (Decimal("100"),),
    (Decimal("70.5"),),
    (Decimal("80.25"),),
    (None,),
)
gives("text declared with a length", read("Mixed", "UPPER varchar<5>?"), ("x",), (None,))
gives("a required column that has NULL", read("Mixed", "UPPER string"), ("x",), (None,))

# Masks on values inside.
gives(
    "a mask on a struct",
    only(read("nested", NESTED, select=mask({0: None, 1: inside([1])})), 2, f(0), f(1, 0)),
    (1, "ten"),
    (2, "none"),
    (3, None),
)
gives(
    "a mask on a struct, out of order",
    only(read("nested", NESTED, select=mask({1: inside([1, 0])})), 1, f(0, 0), f(0, 1)),
    ("ten", 10),
    ("none", None),
    (None, None),
)
gives(
    "a mask on the structs of a list",
    only(read("nested", NESTED, where=eq(f(0), i64(1)), select=mask({2: elements(child=inside([1]))})), 1, f(0)),
    ([{"q": "a"}, {"q": "b"}],),
)
gives(
    "a mask on a list keeps NULL and what is empty",
    only(
        read("nested", NESTED, where=gt(f(0), i64(1)), select=mask({0: None, 2: elements(child=inside([0]))})),
        2,
        f(0),
        f(1),
    ),
    (2, []),
    (3, None),
)
gives(
    "a mask inside of a struct inside",
    only(
        virtual("s struct<struct<i64,string>,i32>", (((1, "x"), 2),), select=mask({0: inside({0: inside([1])})})),
        1,
        f(0, 0, 0),
    ),
    ("x",),
)

gives(
    "a mask on a map",
    virtual(
        "k i64, m map<string,i64>", (1, {"a": 1, "b": 2}), (2, {"c": 3, "d": 4}), select=mask({1: entry("b"), 0: None})
    ),
    ({"b": 2}, 1),
    ({}, 2),
)

NAMED = {
    "names": ["id", "s", "Y", "x", "l", "q"],
    "struct": {
        "types": [type_(kind) for kind in ("i64", "struct<string?,decimal<20,0>?>?", "list<struct<string?>?>?")],
        "nullability": "NULLABILITY_REQUIRED",
    },
}
gives(
    "fields of structs match by name, some of them, and are cast",
    only(read("nested", NAMED), 3, f(0), f(1, 0), f(1, 1), f(2, At(1), 0)),
    (1, "ten", Decimal(10), "b"),
    (2, "none", None, None),
    (3, None, None, None),
)

# Virtual tables.
gives("rows in the plan", virtual("a i64, b string?", (1, "x"), (2, None)), (1, "x"), (2, None))
gives(
    "rows in the plan, as they were written once",
    virtual("a i64, b string?", (1, "x"), (2, None), old=True),
    (1, "x"),
    (2, None),
)
gives("no rows in the plan", virtual("a i64, b string"), width=2)
gives("rows of expressions", virtual("a i64", (add(i64(1), i64(2)),), (i64(5),)), (3,), (5,))
gives(
    "a filter and a mask on rows in the plan",
    virtual("a i64, b string", (1, "x"), (2, "y"), (3, "z"), where=gt(f(0), i64(1)), select=mask([1])),
    ("y",),
    ("z",),
)
gives("rows that are there twice", virtual("a i64", (1,), (1,), (1,)), (1,), (1,), (1,))
gives("a row without columns counts", only(virtual("", (), ()), 0, text("x")), ("x",), ("x",))
gives(
    "a row of a subquery sees the row outside",
    only(read("people", PEOPLE), 4, f(0), scalar(virtual("x i64", (add(outer(1, 0), i64(10)),)))),
    (1, 11),
    (2, 12),
    (3, 13),
    (4, 14),
)
gives(
    "structs in a virtual table",
    virtual("a struct<i64,string?>, l list<i32>", ((1, None), [1, 2]), ((2, "y"), [])),
    ((1, None), [1, 2]),
    ((2, "y"), []),
)

# Filters and projects, as relations.
PLAIN = Cases("project")
plain = PLAIN.gives
NUMBERS = virtual("a i64, b i64?", (1, 10), (2, None), (3, 30))
plain("appends", project(NUMBERS, add(f(0), i64(1))), (1, 10, 2), (2, None, 3), (3, 30, 4))
plain("appends several", project(NUMBERS, f(1), TRUE), (1, 10, 10, True), (2, None, None, True), (3, 30, 30, True))
plain("with emit", project(NUMBERS, add(f(0), f(1)), emit=[2]), (11,), (None,), (33,))
plain("with emit twice and in another order", project(NUMBERS, i32(7), emit=[2, 0, 2]), (7, 1, 7), (7, 2, 7), (7, 3, 7))
plain(
    "an expression does not see the one before",
    project(NUMBERS, i64(5), add(f(0), f(0)), emit=[2, 3]),
    (5, 2),
    (5, 4),
    (5, 6),
)
plain("of a project", project(project(NUMBERS, add(f(0), i64(1)), emit=[2]), add(f(0), i64(1))), (2, 3), (3, 4), (4, 5))
plain(
    "a boolean", project(NUMBERS, or_(is_null(f(1)), gt(f(0), i64(2))), emit=[0, 2]), (1, False), (2, True), (3, True)
)
plain(
    "an emit of no columns is rows all the same",
    only(project(NUMBERS, i64(1), emit=[]), 0, text("x")),
    ("x",),
    ("x",),
    ("x",),
)
plain("not of NULL is NULL", only(NUMBERS, 2, not_(gt(f(1), i64(10)))), (True,), (None,), (False,))

FOUND = [CASES, PLAIN]
