"""Filters, sorts, fetches, cross products and set operations."""

from __future__ import annotations

from tests.substrait.plans.build import (
    FALSE,
    TRUE,
    UNKNOWN,
    add,
    and_,
    dynamic,
    eq,
    f,
    gt,
    i64,
    is_null,
    lit,
    multiply,
    null,
    or_,
    scalar,
)
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.relations import combined, cross, fetch, filtered, only, ordered, read, virtual

# Filters -------------------------------------------------------------------------------------------------------------

FILTERS = Cases("filter")
NUMBERS = virtual("a i64, b i64?", (1, 10), (2, None), (3, 30))
FILTERS.gives("keeps what is true, not what is NULL", filtered(NUMBERS, gt(f(1), i64(5))), (1, 10), (3, 30))
FILTERS.gives("keeps nothing", filtered(NUMBERS, FALSE), width=2)
FILTERS.gives("keeps everything", filtered(NUMBERS, TRUE), (1, 10), (2, None), (3, 30))
FILTERS.gives("NULL is not true", filtered(NUMBERS, UNKNOWN), width=2)
FILTERS.gives("with emit", filtered(NUMBERS, is_null(f(1)), emit=[1, 0]), (None, 2))
FILTERS.gives("of a filter", filtered(filtered(NUMBERS, gt(f(0), i64(1))), gt(f(1), i64(5))), (3, 30))
FILTERS.gives(
    "three-valued: NULL or true", filtered(NUMBERS, or_(gt(f(1), i64(20)), gt(f(0), i64(1)))), (2, None), (3, 30)
)
FILTERS.gives("three-valued: NULL and false", filtered(NUMBERS, and_(gt(f(1), i64(0)), gt(f(0), i64(2)))), (3, 30))

# Sorts ---------------------------------------------------------------------------------------------------------------

SORTS = Cases("sort")
MIXED = virtual("a i64?, b string", (2, "x"), (None, "y"), (1, "z"), (3, "w"))
DIRECTIONS = {
    "ASC_NULLS_FIRST": (None, 1, 2, 3),
    "ASC_NULLS_LAST": (1, 2, 3, None),
    "DESC_NULLS_FIRST": (None, 3, 2, 1),
    "DESC_NULLS_LAST": (3, 2, 1, None),
}
for direction, keys in DIRECTIONS.items():
    SORTS.gives(direction, ordered(MIXED, (f(0), direction), emit=[0]), *((key,) for key in keys), ordered=True)
SORTS.gives(
    "CLUSTERED: all rows, equal values side by side (of two values that is any order)",
    ordered(virtual("a i64", (1,), (1,)), (f(0), "CLUSTERED")),
    (1,),
    (1,),
)
SORTS.gives(
    "CLUSTERED keeps every row",
    ordered(virtual("a i64?", (1,), (None,), (2,), (1,), (None,)), (f(0), "CLUSTERED")),
    (1,),
    (1,),
    (2,),
    (None,),
    (None,),
)
PAIRS = virtual("a i64, b string?", (2, "x"), (1, "y"), (2, None), (1, "x"))
SORTS.gives(
    "two keys in opposite directions",
    ordered(PAIRS, (f(0), "ASC_NULLS_LAST"), (f(1), "DESC_NULLS_FIRST")),
    (1, "y"),
    (1, "x"),
    (2, None),
    (2, "x"),
    ordered=True,
)
SORTS.gives(
    "two keys, NULL last in the second",
    ordered(PAIRS, (f(0), "DESC_NULLS_LAST"), (f(1), "ASC_NULLS_LAST")),
    (2, "x"),
    (2, None),
    (1, "x"),
    (1, "y"),
    ordered=True,
)
SORTS.gives(
    "by an expression",
    ordered(virtual("a i64", (-3,), (1,), (2,)), (multiply(f(0), f(0)), "ASC_NULLS_LAST")),
    (1,),
    (2,),
    (-3,),
    ordered=True,
)
SORTS.gives(
    "emit leaves the key out",
    ordered(MIXED, (f(0), "DESC_NULLS_LAST"), emit=[1]),
    ("w",),
    ("x",),
    ("z",),
    ("y",),
    ordered=True,
)
SORTS.gives(
    "of doubles",
    ordered(virtual("a fp64?", (1.5,), (float("inf"),), (float("-inf"),), (None,)), (f(0), "ASC_NULLS_FIRST")),
    (None,),
    (float("-inf"),),
    (1.5,),
    (float("inf"),),
    ordered=True,
)
SORTS.gives(
    "of booleans",
    ordered(virtual("a boolean", (True,), (False,)), (f(0), "ASC_NULLS_LAST")),
    (False,),
    (True,),
    ordered=True,
)
SORTS.gives(
    "of text by code points",
    ordered(virtual("a string", ("b",), ("B",), ("a",), ("ä",), ("",)), (f(0), "ASC_NULLS_LAST")),
    ("",),
    ("B",),
    ("a",),
    ("b",),
    ("ä",),
    ordered=True,
)
SORTS.gives(
    "the filter after it keeps the order",
    filtered(ordered(MIXED, (f(0), "DESC_NULLS_LAST")), gt(f(0), i64(1))),
    (3, "w"),
    (2, "x"),
    ordered=True,
)
SORTS.gives(
    "the project after it keeps the order",
    only(ordered(MIXED, (f(0), "ASC_NULLS_LAST")), 2, f(1)),
    ("z",),
    ("x",),
    ("w",),
    ("y",),
    ordered=True,
)

# Fetches -------------------------------------------------------------------------------------------------------------

FETCHES = Cases("fetch")
FIVE = ordered(virtual("a i64", (3,), (1,), (5,), (2,), (4,)), (f(0), "ASC_NULLS_LAST"))


def fetches(name: str, *expected: int, **parts: object) -> None:
    FETCHES.gives(name, fetch(FIVE, **parts), *((one,) for one in expected), width=1, ordered=True)  # type: ignore[arg-type]


fetches("a count, as a number", 1, 2, count=2)
fetches("an offset, as a number", 4, 5, offset=3)
fetches("both, as numbers", 2, 3, offset=1, count=2)
fetches("a count of -1, as a number: all", 1, 2, 3, 4, 5, count=-1)
fetches("a count of 0, as a number", count=0)
fetches("a count, as an expression", 1, 2, count=i64(2))
fetches("an offset, as an expression", 4, 5, offset=i64(3))
fetches("both, as expressions", 2, 3, offset=i64(1), count=i64(2))
fetches("a count of 0", count=i64(0))
fetches("a count of NULL: all", 3, 4, 5, offset=i64(2), count=null("i64"))
fetches("an offset of NULL: none", 1, 2, offset=null("i64"), count=i64(2))
fetches("neither", 1, 2, 3, 4, 5)
fetches("a count beyond the end", 1, 2, 3, 4, 5, count=i64(99))
fetches("an offset beyond the end", offset=i64(99))
fetches("an offset and a count beyond the end", 5, offset=i64(4), count=i64(99))
fetches("a count that is computed", 1, 2, 3, count=add(i64(1), i64(2)))
fetches("a count of another integer type", 1, 2, count=lit("i32", 2))
fetches("a count of a subquery", 1, 2, count=scalar(virtual("n i64", (2,))))
FETCHES.gives(
    "a count that is a parameter", fetch(FIVE, count=dynamic("i64", 0)), (1,), (2,), ordered=True, params={0: 2}
)
FETCHES.gives(
    "with emit",
    fetch(ordered(virtual("a i64, b string", (2, "x"), (1, "y")), (f(0), "ASC_NULLS_LAST")), count=1, emit=[1]),
    ("y",),
    ordered=True,
)
FETCHES.gives("of a fetch", fetch(fetch(FIVE, offset=1, count=3), offset=1, count=9), (3,), (4,), ordered=True)
FETCHES.gives(
    "without an order: so many rows, all alike", fetch(virtual("a i64", (1,), (1,), (1,)), count=2), (1,), (1,)
)
FETCHES.gives("of a table without rows", fetch(read("nothing", "k i64?"), count=3), width=1)

# Cross products ------------------------------------------------------------------------------------------------------

CROSSES = Cases("cross")
TWO = virtual("a i64", (1,), (2,))
LETTERS = virtual("b string?", ("x",), (None,))
EMPTY = virtual("b string?")
CROSSES.gives("every pair", cross(TWO, LETTERS), (1, "x"), (1, None), (2, "x"), (2, None))
CROSSES.gives("with nothing", cross(TWO, EMPTY), width=2)
CROSSES.gives("of nothing", cross(EMPTY, TWO), width=2)
CROSSES.gives("with emit", cross(TWO, LETTERS, emit=[1]), ("x",), (None,), ("x",), (None,))
CROSSES.gives("of a cross", cross(cross(TWO, TWO), virtual("c i64", (9,))), (1, 1, 9), (1, 2, 9), (2, 1, 9), (2, 2, 9))
CROSSES.gives("with a filter over both", filtered(cross(TWO, TWO), eq(f(0), f(1))), (1, 1), (2, 2))

# Sets ----------------------------------------------------------------------------------------------------------------

SETS = Cases("set")


def numbers(*items: int | None) -> dict[str, object]:
    return virtual("a i64?", *((item,) for item in items))


P = (1, 2, 2, 3, 3, 3, 4, None, None)
S1 = (1, 2, 3, 3, 5, None)
S2 = (2, 3, 3, 6)
#: By the numbers of copies m (primary), n1, n2: 1 -> 1, 1, 0; 2 -> 2, 1, 1; 3 -> 3, 2, 2; 4 -> 1, 0, 0; 5 -> 0, 1, 0;
#: 6 -> 0, 0, 1; NULL -> 2, 1, 0.
WITH_ONE: dict[str, tuple[int | None, ...]] = {
    "MINUS_PRIMARY": (4,),
    "MINUS_PRIMARY_ALL": (2, 3, 4, None),
    "MINUS_MULTISET": (4,),
    "INTERSECTION_PRIMARY": (1, 2, 3, None),
    "INTERSECTION_MULTISET": (1, 2, 3, None),
    "INTERSECTION_MULTISET_ALL": (1, 2, 3, 3, None),
    "UNION_DISTINCT": (1, 2, 3, 4, 5, None),
    "UNION_ALL": (1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 5, None, None, None),
}
WITH_TWO: dict[str, tuple[int | None, ...]] = {
    "MINUS_PRIMARY": (4,),
    "MINUS_PRIMARY_ALL": (4, None),
    "MINUS_MULTISET": (1, 4, None),
    "INTERSECTION_PRIMARY": (1, 2, 3, None),
    "INTERSECTION_MULTISET": (2, 3),
    "INTERSECTION_MULTISET_ALL": (2, 3, 3),
    "UNION_DISTINCT": (1, 2, 3, 4, 5, 6, None),
    "UNION_ALL": (1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6, None, None, None),
}
#: With nothing.
WITH_NONE: dict[str, tuple[int | None, ...]] = {
    "MINUS_PRIMARY": (1, 2, 3, 4, None),
    "MINUS_PRIMARY_ALL": P,
    "MINUS_MULTISET": (1, 2, 3, 4, None),
    "INTERSECTION_PRIMARY": (),
    "INTERSECTION_MULTISET": (),
    "INTERSECTION_MULTISET_ALL": (),
    "UNION_DISTINCT": (1, 2, 3, 4, None),
    "UNION_ALL": P,
}
for title, others, expected in (
    ("two inputs", (S1,), WITH_ONE),
    ("three inputs", (S1, S2), WITH_TWO),
    ("an empty input", ((),), WITH_NONE),
):
    for op, wanted in expected.items():
        SETS.gives(
            f"{op} of {title}",
            combined(op, numbers(*P), *(numbers(*one) for one in others)),
            *((one,) for one in wanted),
            width=1,
        )
ROWS = virtual("a i64, b string?", (1, "x"), (1, None), (2, "y"))
OTHERS = virtual("c i64, d string?", (1, None), (2, "z"))
SETS.gives("rows of two columns", combined("INTERSECTION_MULTISET", ROWS, OTHERS), (1, None))
SETS.gives("rows of two columns, less", combined("MINUS_PRIMARY", ROWS, OTHERS), (1, "x"), (2, "y"))
SETS.gives("with emit", combined("UNION_ALL", ROWS, OTHERS, emit=[1]), ("x",), (None,), ("y",), (None,), ("z",))
SETS.gives(
    "of a set",
    combined("UNION_ALL", combined("MINUS_PRIMARY", numbers(1, 2), numbers(2)), numbers(9)),
    (1,),
    (9,),
)
SETS.gives(
    "structs in the rows",
    combined(
        "UNION_DISTINCT",
        virtual("s struct<i64,string?>", ((1, None),)),
        virtual("s struct<i64,string?>", ((1, None),), ((2, "b"),)),
    ),
    ((1, None),),
    ((2, "b"),),
)

FOUND = [FILTERS, SORTS, FETCHES, CROSSES, SETS]
