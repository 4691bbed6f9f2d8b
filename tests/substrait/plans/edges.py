"""Where engines part: subqueries of every type, order that is kept, ends of ranges, rows without columns, statistics of
one value. All of them run on Spark too."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from firesteel.errors import EvaluationError
from tests.substrait.plans.build import (
    TRUE,
    Enum,
    call,
    cast,
    eq,
    exists,
    f,
    gt,
    i64,
    listed,
    lit,
    lt,
    over,
    scalar,
    struct,
    text,
)
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.relations import (
    aggregate,
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
    virtual,
    window,
    windowed,
)

CASES = Cases("edges", whole=True)
gives = CASES.gives
N = None
ONE = virtual("a i64", (1,))

# A scalar subquery may be NULL, and is compared, cast and aggregated all the same. ------------------------------------

#: Of every type two values, the first of which comes first.
KINDS: dict[str, tuple[Any, Any]] = {
    "boolean": (False, True),
    "i8": (1, 2),
    "i64": (1, 2**63 - 1),
    "fp32": (0.5, 1.5),
    "fp64": (0.5, 1.5),
    "decimal<10,2>": ("1.50", "2.25"),
    "decimal<38,0>": ("1", "9" * 38),
    "string": ("a", "b"),
    "varchar<5>": ("a", "b"),
    "fixedchar<2>": ("ab", "bc"),
    "date": ("1999-12-31", "2024-02-29"),
    "precision_timestamp<0>": (-1, 1),
    "precision_timestamp<6>": (-1, 1_500_000),
    "precision_timestamp<9>": (-1, 1_500_000_001),
    "precision_timestamp_tz<3>": (-1, 1_500),
    "precision_time<6>": (1, 1_500_000),
    "list<i32>": ([1], [1, 2]),
    "list<list<i64?>>": ([[1, 2]], [[1, N]]),
    "list<struct<i32,string>>": ([(1, "x")], [(1, "y")]),
    "struct<decimal<10,2>,list<i32>>": (("1.50", [1]), ("1.50", [2])),
}


def subquery(kind: str, value: Any) -> Any:
    return scalar(virtual(f"a {kind}?", (lit(kind, value),)))


PAIRS = [(lit(kind, less), subquery(kind, less), subquery(kind, more)) for kind, (less, more) in KINDS.items()]
gives("subqueries are equal", only(ONE, 1, *(eq(less, found) for less, found, _ in PAIRS)), (True,) * len(PAIRS))
gives("subqueries come first", only(ONE, 1, *(lt(less, more) for _, less, more in PAIRS)), (True,) * len(PAIRS))
gives(
    "subqueries between",
    only(ONE, 1, *(call("comparison:between", more, less, more) for _, less, more in PAIRS)),
    (True,) * len(PAIRS),
)
gives(
    "casts of subqueries",
    only(
        ONE,
        1,
        cast(subquery("decimal<10,2>", "1.50"), "string"),
        cast(subquery("decimal<10,2>", "1.50"), "fp64"),
        cast(subquery("precision_timestamp<6>", 1_500_000), "string"),
        cast(subquery("fixedchar<2>", "ab"), "varchar<1>"),
        cast(scalar(virtual("a decimal<10,2>")), "string"),
    ),
    ("1.50", 1.5, "1970-01-01 00:00:01.5", "a", N),
)
gives(
    "any value of subqueries",
    aggregate(
        only(ONE, 1, *(subquery(kind, KINDS[kind][0]) for kind in ("decimal<10,2>", "date", "list<i32>"))),
        [],
        *(measure("aggregate_generic:any_value", f(i)) for i in range(3)),
    ),
    (Decimal("1.50"), datetime.date(1999, 12, 31), [1]),
)
gives("lists in lists", only(ONE, 1, lt(listed(listed(i64(1))), listed(listed(i64(2))))), (True,))
gives("structs in order", only(ONE, 1, lt(struct(i64(1), text("b")), struct(i64(1), text("c")))), (True,))


def within(rel: Any, records: int) -> Any:
    """A read that may give so many records."""
    extension = {"@type": "type.googleapis.com/firesteel.RecordLimit", "maxRecords": str(records)}
    hint = {"constraint": {"advancedExtension": {"enhancement": extension}}}
    return {"read": {**rel["read"], "common": {"direct": {}, "hint": hint}}}


gives("a record limit over rows in the plan", within(virtual("a i64", (1,), (2,)), 2), (1,), (2,))
CASES.fails("more records than the limit", within(virtual("a i64", (1,), (2,)), 1), EvaluationError)

# Order that the documents keep ---------------------------------------------------------------------------------------

#: 0, 7, 14, 1, 8 ... with the numbers of the rows beside them.
MANY = ordered(virtual("a i64, b i64", *(((i * 7) % 20, i) for i in range(20))), (f(0), "ASC_NULLS_FIRST"))
NAMES = virtual("k i64, v string", *((i, f"v{i}") for i in reversed(range(20))))


def probed(left: Any, *keys: tuple[int, int], kind: str = "INNER", **more: Any) -> Any:
    return keyed_join("hashJoin", kind, left, NAMES, *(keys or ((0, 0),)), **more)


COUNTED = windowed("aggregate_generic:count")
gives("fetch over a hash join over a sort", fetch(probed(MANY, emit=[0, 3]), count=3), (0, "v0"), (1, "v1"), (2, "v2"))
gives(
    "fetch over two hash joins over a sort",
    fetch(probed(probed(MANY, emit=[0]), emit=[0, 2]), offset=1, count=2),
    (1, "v1"),
    (2, "v2"),
)
gives(
    "fetch over a filter over a hash join over a sort",
    fetch(filtered(probed(MANY, emit=[0]), gt(f(0), i64(4))), count=2),
    (5,),
    (6,),
)
gives(
    "a hash join over a sort",
    probed(filtered(MANY, lt(f(0), i64(3))), emit=[0]),
    (0,),
    (1,),
    (2,),
    ordered=True,
)
gives("fetch over a window over a sort", fetch(window(MANY, [f(1)], [], COUNTED), count=2), (0, 0, 1), (1, 3, 1))
gives(
    "a window over a sort",
    window(filtered(MANY, lt(f(0), i64(3))), [f(1)], [], COUNTED, emit=[0]),
    (0,),
    (1,),
    (2,),
    ordered=True,
)

gives(
    "fetch over an expand over a sort",
    fetch(expand(MANY, f(0), [i64(1), i64(2)]), count=3),
    (0, 1, 0),
    (0, 2, 1),
    (1, 1, 0),
)
gives(
    "an expand over a sort",
    expand(filtered(MANY, lt(f(0), i64(2))), [f(0), i64(9)], [f(1)]),
    (0, 0, 0),
    (9, N, 1),
    (1, 3, 0),
    (9, N, 1),
    ordered=True,
)

# Rows without columns ------------------------------------------------------------------------------------------------

THREE = virtual("a i64", (1,), (2,), (3,))
NOTHING = project(THREE, emit=[])
gives("emit of nothing", NOTHING, (), (), ())
gives("emit of nothing of a fetch", fetch(THREE, count=2, emit=[]), (), ())
gives("rows of nothing are counted", aggregate(NOTHING, [], measure("aggregate_generic:count")), (3,))
gives("rows of nothing side by side", cross(NOTHING, NOTHING), *((),) * 9)
gives("rows of nothing beside others", join("LEFT", NOTHING, virtual("b i64", (5,)), TRUE), (5,), (5,), (5,))
gives("rows of nothing are there", filtered(THREE, exists(NOTHING)), (1,), (2,), (3,))
gives("a column beside nothing", project(NOTHING, i64(5)), (5,), (5,), (5,))

# Ends of ranges ------------------------------------------------------------------------------------------------------

LAST = 2**63 - 1
ENDS = virtual("a i64?", (LAST,), (LAST - 1,), (-LAST - 1,), (0,), (N,))


def around(lower: int | None, upper: int | None, direction: str) -> Any:
    return only(
        ENDS,
        1,
        f(0),
        over("aggregate_generic:count", f(0), order=[(f(0), direction)], frame=("RANGE", lower, upper)),
    )


for direction in ("ASC_NULLS_FIRST", "DESC_NULLS_LAST"):
    gives(
        f"one around the ends, {direction}",
        around(-1, 1, direction),
        (LAST, 2),
        (LAST - 1, 2),
        (-LAST - 1, 1),
        (0, 1),
        (N, 0),
    )
gives(
    "far around the ends",
    around(-(LAST - 1), LAST - 1, "ASC_NULLS_FIRST"),
    (LAST, 2),
    (LAST - 1, 3),
    (-LAST - 1, 1),
    (0, 2),
    (N, 0),
)

# Statistics ----------------------------------------------------------------------------------------------------------


def spread(name: str, rows: Any, *expected: float | None) -> None:
    gives(
        name,
        aggregate(
            virtual("x fp64?, y fp64?", *rows),
            [],
            measure("arithmetic:corr", f(0), f(1)),
            measure("arithmetic:std_dev", f(0)),
            measure("arithmetic:variance", f(0)),
            measure("arithmetic:std_dev", Enum("POPULATION"), f(0)),
        ),
        expected,
    )


spread("of no pair", [(N, 1.0)], N, N, N, N)
spread("of one pair", [(1.5, 2.0), (N, 3.0)], N, N, N, 0.0)
spread("of pairs that do not differ", [(1.5, 2.0), (1.5, 3.0)], N, 0.0, 0.0, 0.0)
spread("of two pairs", [(1.0, 2.0), (3.0, 4.0)], 1.0, 2.0**0.5, 2.0, 1.0)
gives(
    "the mean of a long number",
    aggregate(virtual("a decimal<38,0>", ("9" * 38,)), [], measure("arithmetic_decimal:avg", f(0))),
    (Decimal("9" * 38),),
)

# Text in order -------------------------------------------------------------------------------------------------------

WORDS = virtual(
    "s string?, n fp64?, l list<i32>, g i32",
    ("b", 2.0, [2], 0),
    ("a", float("nan"), [], 0),
    (N, 3.0, [1], 0),
    ("c", N, [1, 2], 1),
    ("b", 0.0, [3], 1),
)
for by, expected in ((1, "a-b-b-c"), (2, "a-c-b-b")):
    gives(
        f"text by column {by}",
        aggregate(WORDS, [], measure("string:string_agg", f(0), text("-"), order=[(f(by), "ASC_NULLS_LAST")])),
        (expected,),
    )
gives(
    "text once, in order",
    aggregate(
        WORDS, [], measure("string:string_agg", f(0), text("-"), order=[(f(0), "DESC_NULLS_LAST")], distinct=True)
    ),
    ("c-b-a",),
)

FOUND = [CASES]
