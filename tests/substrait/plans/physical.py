"""Exchanges, captures, streaming aggregates and windows, what is promised of a read, and limits."""

from __future__ import annotations

from typing import Any

from firesteel.errors import EvaluationError, PlanError, PolicyError, UnsupportedError
from tests.substrait.plans.build import add, eq, f, i32, i64, is_null, listed, lit, outer, text
from tests.substrait.plans.cases import SALES, Cases
from tests.substrait.plans.relations import (
    aggregate,
    captured,
    exchange,
    fetch,
    field,
    filtered,
    hinted,
    join,
    keyed_join,
    limited,
    measure,
    optimized,
    ordered,
    own,
    promised,
    read,
    scattered,
    streaming,
    virtual,
    window,
    windowed,
)

N = None
ROWS = virtual("a i64, b string?, l list<i32>", (1, "x", [0, 1]), (2, "y", []), (3, N, [2, 0]))
LETTERS = [("x",), ("y",), (N,)]
COUNT = measure("aggregate_generic:count")


def buckets(expression: Any, **more: Any) -> Any:
    return {"expression": expression, **more}


# Exchange ------------------------------------------------------------------------------------------------------------

EXCHANGES = Cases("exchange", whole=True)


def spread(name: str, kind: str, made: Any, *expected: Any, rel: Any = ROWS, **more: Any) -> None:
    """An exchange of which the second column is shown."""
    EXCHANGES.gives(name, exchange(rel, kind, made, emit=[1], **more), *expected, width=1)


def scatter(*fields: Any) -> Any:
    return {"fields": [field(one) for one in fields]}


spread("scatter by a field", "scatterByFields", scatter(0), *LETTERS, count=3)
spread("scatter by two fields, one of them NULL", "scatterByFields", scatter(1, 0), *LETTERS, count=2)
spread("scatter: the engine chooses how many", "scatterByFields", scatter(0), *LETTERS)
spread("a count of 0 is none", "scatterByFields", scatter(0), *LETTERS, count=0)
EXCHANGES.gives(
    "scatter by a field in a struct",
    scattered(virtual("s struct<i64,string>", ((1, "x"),), ((2, "y"),)), (0, 1), count=2),
    ((1, "x"),),
    ((2, "y"),),
)
spread("single bucket", "singleTarget", buckets(i32(1)), *LETTERS, count=2)
spread("single bucket, modulo the count", "singleTarget", buckets(add(f(0), i64(-7))), *LETTERS, count=2)
spread("single bucket of any number", "singleTarget", buckets(f(0)), *LETTERS)
spread("multi bucket: a row in each", "multiTarget", buckets(f(2)), ("x",), ("x",), (N,), count=2)  # 2 is 0, modulo 2
spread("multi bucket of three", "multiTarget", buckets(f(2)), ("x",), ("x",), (N,), (N,), count=3)
spread(
    "multi bucket, constrained",
    "multiTarget",
    buckets(listed(i32(0), i32(1), i32(0)), constrainedToCount=True),
    *LETTERS,
    *LETTERS,
    count=2,
)
spread("broadcast: a row in each", "broadcast", {}, *LETTERS, *LETTERS, *LETTERS, count=3)
spread("broadcast to one", "broadcast", {}, *LETTERS, count=1)
spread("round robin", "roundRobin", {}, *LETTERS, count=2)
spread("round robin, exact", "roundRobin", {"exact": True}, *LETTERS, count=2)
spread(
    "targets that are no locations",
    "roundRobin",
    {},
    *LETTERS,
    count=3,
    targets=[{"partitionId": [1], "extended": {"@type": "type.googleapis.com/substrait.Version"}}],
)
for kind, made in (("scatterByFields", scatter(0)), ("roundRobin", {"exact": True}), ("singleTarget", buckets(f(0)))):
    EXCHANGES.gives(
        f"{kind} keeps the order",
        exchange(ordered(ROWS, (f(0), "DESC_NULLS_LAST")), kind, made, count=2, emit=[0]),
        *((3,), (2,), (1,)),
        ordered=True,
    )
EXCHANGES.gives(
    "an aggregate sees every copy",
    aggregate(exchange(ROWS, "broadcast", count=2), [], COUNT, measure("arithmetic:sum", f(0))),
    (6, 12),
)
EXCHANGES.gives(
    "an aggregate over a scatter",
    aggregate(scattered(read("sales", SALES), 0, count=3), [f(0)], COUNT),
    *(("north", 3), ("south", 2), (N, 1)),
)
EXCHANGES.gives("a filter over a scatter", filtered(scattered(ROWS, 0, count=3), is_null(f(1)), emit=[0]), (3,))
NUMBERS, NAMES = virtual("a i64", (1,), (2,)), virtual("k i64, v string", (1, "x"), (1, "y"), (3, "z"))
SENT = exchange(NAMES, "broadcast", count=3)
SAME = eq(f(0), f(1))
for kind, rows in {
    "INNER": [(1, 1, "x"), (1, 1, "y")],
    "LEFT": [(1, 1, "x"), (1, 1, "y"), (2, N, N)],
    "OUTER": [(1, 1, "x"), (1, 1, "y"), (2, N, N), (N, 3, "z")],
    "RIGHT": [(1, 1, "x"), (1, 1, "y"), (N, 3, "z")],
    "LEFT_SEMI": [(1,)],
    "RIGHT_ANTI": [(3, "z")],
}.items():
    EXCHANGES.gives(f"{kind} join with a broadcast: a row meets each once", join(kind, NUMBERS, SENT, SAME), *rows)
    EXCHANGES.gives(f"{kind} hash join with a broadcast", keyed_join("hashJoin", kind, NUMBERS, SENT, (0, 0)), *rows)
EXCHANGES.gives(
    "a broadcast on the left",
    join("INNER", exchange(NUMBERS, "broadcast", count=4), NAMES, SAME, emit=[0, 2]),
    *((1, "x"), (1, "y")),
)
EXCHANGES.gives(
    "a broadcast with emit",
    join("INNER", NUMBERS, exchange(NAMES, "broadcast", count=4, emit=[1, 0]), eq(f(0), f(2)), emit=[0, 1]),
    *((1, "x"), (1, "y")),
)
EXCHANGES.gives(
    "exchanges on both sides of a join",
    join("INNER", scattered(NUMBERS, 0, count=2), scattered(NAMES, 0, count=2), SAME, emit=[0, 2]),
    *((1, "x"), (1, "y")),
)

FOUR = exchange(ROWS, "singleTarget", buckets(f(0)), count=4)
SINGLE = exchange(ROWS, "singleTarget", buckets(f(0)), count=3)
HELD = own("ExchangeOptions", constrainedToCount=True)
EXCHANGES.gives("single bucket, constrained", optimized(FOUR, HELD), (1, "x", [0, 1]), (2, "y", []), (3, N, [2, 0]))
EXCHANGES.fails("a bucket beyond the count", optimized(SINGLE, HELD), EvaluationError, "input/exchange", width=3)
EXCHANGES.fails(
    "one of several buckets beyond the count",
    exchange(ROWS, "multiTarget", buckets(f(2), constrainedToCount=True), count=2),
    EvaluationError,
    "input/exchange",
    width=3,
)
EXCHANGES.fails(
    "a bucket that is NULL",
    exchange(virtual("a i64?", (N,)), "singleTarget", buckets(f(0)), count=2),
    EvaluationError,
    "input/exchange",
)

# Captures ------------------------------------------------------------------------------------------------------------

CAPTURES = Cases("capture", whole=True)
DOWN = ordered(virtual("a i64", (2,), (3,), (1,)), (f(0), "DESC_NULLS_LAST"))
CAPTURES.gives("merging: the rows stay in order", captured(DOWN, "MergingCapture"), (3,), (2,), (1,), ordered=True)
CAPTURES.gives(
    "merging after an exchange, blocking",
    captured(exchange(DOWN, "roundRobin", count=2), "MergingCapture", blocking=True),
    *((3,), (2,), (1,)),
    ordered=True,
)
CAPTURES.gives("simple: all rows", captured(scattered(DOWN, 0, count=2), "SimpleCapture"), (1,), (2,), (3,))
CAPTURES.gives(
    "a fetch over a merging capture", fetch(captured(DOWN, "MergingCapture"), count=2), (3,), (2,), ordered=True
)

# Aggregates and windows with a strategy ------------------------------------------------------------------------------

STREAMS = Cases("streaming", whole=True)
BY_REGION = ordered(read("sales", SALES), (f(0), "ASC_NULLS_LAST"), (f(1), "ASC_NULLS_FIRST"))
REGION, ITEM, AMOUNT = f(0), f(1), f(2)
SUM = measure("arithmetic:sum", AMOUNT)
SETS = [[0, 1], [0]]
STREAMS.gives(
    "groups come in the order of the input",
    streaming(aggregate(BY_REGION, [REGION], COUNT, SUM)),
    *(("north", 3, 12), ("south", 2, 6), (N, 1, 1)),
    ordered=True,
)
STREAMS.gives(
    "keys in another sequence than the order",
    streaming(aggregate(BY_REGION, [ITEM, REGION], COUNT)),
    *(("ink", "north", 1), ("pen", "north", 2), (N, "south", 1), ("pen", "south", 1), ("ink", N, 1)),
    ordered=True,
)
STREAMS.gives(
    "grouping sets: the order that they have in common",
    streaming(aggregate(BY_REGION, [REGION, ITEM], COUNT, sets=SETS, emit=[0])),
    *(("north",), ("north",), ("north",), ("south",), ("south",), ("south",), (N,), (N,)),
    ordered=True,
)
STREAMS.gives(
    "grouping sets, all columns",
    streaming(aggregate(BY_REGION, [REGION, ITEM], COUNT, sets=[*SETS, []])),
    *(("north", "ink", 1, 0), ("north", "pen", 2, 0), ("south", N, 1, 0), ("south", "pen", 1, 0), (N, "ink", 1, 0)),
    *(("north", N, 3, 1), ("south", N, 2, 1), (N, N, 1, 1), (N, N, 6, 2)),
)
STREAMS.gives("no keys", streaming(aggregate(BY_REGION, [], COUNT)), (6,))
STREAMS.gives(
    "a measure in the order of the input",
    streaming(
        aggregate(BY_REGION, [REGION], measure("string:string_agg", ITEM, text("-"), order=[(ITEM, "ASC_NULLS_FIRST")]))
    ),
    *(("north", "ink-pen-pen"), ("south", "pen"), (N, "ink")),
    ordered=True,
)
STREAMS.gives(
    "a hash aggregate",
    optimized(aggregate(BY_REGION, [REGION], COUNT), own("AggregateStrategy", method="METHOD_HASH")),
    *(("north", 3), ("south", 2), (N, 1)),
)
NUMBERED = window(BY_REGION, [REGION], [(ITEM, "ASC_NULLS_FIRST")], windowed("arithmetic:rank"), emit=[0, 1, 3])
RANKED = [
    *(("north", "ink", 1), ("north", "pen", 2), ("north", "pen", 2)),
    *(("south", N, 1), ("south", "pen", 2), (N, "ink", 1)),
]
STREAMS.gives("a consistent window keeps the order", NUMBERED, *RANKED, ordered=True)
STREAMS.gives("a streaming window", streaming(NUMBERED), *RANKED)
STREAMS.gives("a hashing window", optimized(NUMBERED, own("WindowStrategy", method="METHOD_HASHING")), *RANKED)

# What is promised of a read ------------------------------------------------------------------------------------------

PROMISES = Cases("promise", whole=True)
UP = virtual("k i64?, v string", (N, "a"), (1, "b"), (1, "c"), (2, "d"))
FIRST = (0, "ASC_NULLS_FIRST")
PROMISES.gives(
    "an order for a streaming aggregate",
    streaming(aggregate(promised(UP, FIRST), [f(0)], COUNT)),
    *((N, 1), (1, 2), (2, 1)),
)
PROMISES.gives(
    "orders for a merge join",
    keyed_join("mergeJoin", "INNER", promised(UP, FIRST), promised(UP, FIRST), (0, 0), emit=[1, 3]),
    *(("b", "b"), ("b", "c"), ("c", "b"), ("c", "c"), ("d", "d")),
)
EMITTED = virtual("x i64, k i64, s struct<i64,i64>", (5, 1, (1, 7)), (4, 2, (1, 8)), emit=[2, 1])
PROMISES.gives(
    "fields are those that the read emits",
    streaming(
        aggregate(
            promised(EMITTED, ((0, 1), "CLUSTERED")),
            [f(0, 1)],
            COUNT,
        )
    ),
    *((7, 1), (8, 1)),
)
PROMISES.gives(
    "a distribution and properties",
    aggregate(promised(UP, FIRST, partitioned=[0], owner="me"), [f(0)], COUNT),
    *((N, 1), (1, 2), (2, 1)),
)
PROMISES.gives("a single partition", promised(UP, singleton=True), (N, "a"), (1, "b"), (1, "c"), (2, "d"))
PROMISES.gives("of a table", promised(read("nothing", "k i64?"), FIRST), width=1)

# Limits and hints ----------------------------------------------------------------------------------------------------

LIMITS = Cases("limit", whole=True)
SIZED = virtual("a i32, s string?, b boolean", (1, "äb", True), (2, N, False))  # 4 + 3 + 1 bytes, 4 + 0 + 1 bytes
LIMITS.gives("the size of a record", limited(SIZED, "RecordSizeLimit", maxBytes="8"), (1, "äb", True), (2, N, False))
LIMITS.fails(
    "a record that is too large",
    limited(SIZED, "RecordSizeLimit", maxBytes="7"),
    EvaluationError,
    "input/read",
    width=3,
)
LIMITS.fails(
    "records of a fixed size", limited(virtual("a i64", (1,)), "RecordSizeLimit", maxBytes="7"), EvaluationError
)
LIMITS.gives("no record is too large", limited(virtual("a i64"), "RecordSizeLimit", maxBytes="1"), width=1)
LIMITS.gives(
    "hints change nothing",
    hinted(SIZED, stats={"rowCount": 9, "recordSize": 5}, alias="x", outputNames=["p", "q", "r"]),
    *((1, "äb", True), (2, N, False)),
)

# What is wrong -------------------------------------------------------------------------------------------------------

WRONG = Cases("physical, wrong")
fails = WRONG.fails
ONE = virtual("x i64", (1,))
OUTSIDE = outer(1, 0)["selection"]
fails("an exchange of no kind", {"exchange": {"input": ONE}}, PlanError, "root/input/exchange")
fails("an exchange to less than no partitions", scattered(ONE, 0, count=-1), PlanError, "root/input/exchange")
fails("a scatter by nothing", scattered(ONE, count=2), PlanError, "exchange/scatter_by_fields")
fails("a scatter by a field that is not there", scattered(ONE, 3), PlanError, "scatter_by_fields/fields[0]")
fails(
    "a scatter by a field of an outer row",
    exchange(ONE, "scatterByFields", {"fields": [OUTSIDE]}),
    UnsupportedError,
    "scatter_by_fields/fields[0]",
)
fails("a bucket that is text", exchange(ONE, "singleTarget", buckets(text("x"))), PlanError, "single_target/expression")
fails("buckets that are no list", exchange(ONE, "multiTarget", buckets(f(0))), PlanError, "multi_target/expression")
fails("no bucket", exchange(ONE, "singleTarget"), PlanError, "exchange/single_target")
fails(
    "constrained to a count that is not given",
    exchange(ONE, "multiTarget", buckets(lit("list<i32>", [0]), constrainedToCount=True)),
    PlanError,
    "exchange/multi_target",
)
fails(
    "a constant bucket beyond the count",
    exchange(ONE, "multiTarget", buckets(lit("list<i32>", [0, 2]), constrainedToCount=True), count=2),
    PlanError,
    "multi_target/expression",
)
fails(
    "a constant single bucket beyond the count",
    optimized(exchange(ONE, "singleTarget", buckets(i32(-1)), count=2), HELD),
    PlanError,
    "single_target/expression",
)
fails(
    "a target for a partition that is not there",
    exchange(ONE, "roundRobin", count=2, targets=[{"partitionId": [0, 2], "uri": "x"}]),
    PlanError,
    "exchange/targets[0]/partition_id[1]",
)
fails(
    "a target that no policy allows",
    exchange(ONE, "roundRobin", count=2, targets=[{"partitionId": [0], "uri": "file:/x"}]),
    PolicyError,
    "exchange/targets[0]",
)
fails("a target nowhere", exchange(ONE, "broadcast", count=1, targets=[{"partitionId": [0]}]), PlanError, "targets[0]")
fails(
    "a capture of several",
    {"extensionMulti": {"inputs": [ONE, ONE], "detail": own("SimpleCapture")}},
    PlanError,
    "detail",
)
fails(
    "a capture that is none",
    {"extensionSingle": {"input": ONE, "detail": {"typeUrl": "x/firesteel.MergingCapture", "value": "//8="}}},
    PlanError,
    "extension_single/detail/value",
)
READ = "read/advanced_extension/optimization[0]/value"
fails("a promise without a direction", promised(ONE, (0, "UNSPECIFIED")), PlanError, f"{READ}/orderedness[0]")
fails(
    "a promise of a field that is not there", promised(ONE, (1, "CLUSTERED")), PlanError, f"{READ}/orderedness[0]/field"
)
fails("a promise of a field inside of a number", promised(ONE, ((0, 0), "CLUSTERED")), PlanError, "child/struct_field")
fails(
    "partitioned by nothing",
    optimized(ONE, own("ReadProperties", distribution={"type": "DISTRIBUTION_TYPE_PARTITIONED"})),
    PlanError,
    f"{READ}/distribution",
)
fails("one partition by a field", promised(ONE, singleton=True, partitioned=[0]), PlanError, f"{READ}/distribution")
fails(
    "a distribution of no type",
    optimized(ONE, own("ReadProperties", distribution={"fields": [field(0)]})),
    PlanError,
    f"{READ}/distribution",
)
LIMIT = "read/common/hint/constraint/advanced_extension/enhancement/value"
fails("a limit of CPU time", limited(ONE, "CpuLimit", maxSeconds=2.5), UnsupportedError, LIMIT)
fails("a limit of memory", limited(ONE, "MemoryLimit", maxBytes="4096"), UnsupportedError, LIMIT)
fails("a negative limit of a record's size", limited(ONE, "RecordSizeLimit", maxBytes="-1"), PlanError, LIMIT)
fails(
    "the size of a list",
    limited(ROWS, "RecordSizeLimit", maxBytes="100"),
    UnsupportedError,
    "read/common/hint/constraint",
    width=3,
)
fails(
    "a strategy as an enhancement of another relation",
    {
        "filter": {
            **filtered(ONE, eq(f(0), f(0)))["filter"],
            "advancedExtension": {"enhancement": own("AggregateStrategy")},
        }
    },
    UnsupportedError,
    "filter/advanced_extension",
)
fails(
    "a key inside of a number",
    keyed_join("hashJoin", "INNER", ONE, ONE, ((0, 0), 0)),
    PlanError,
    "hash_join/keys[0]/left/direct_reference/struct_field/child/struct_field",
    width=2,
)
fails(
    "a key of an outer row",
    {
        "hashJoin": {
            **keyed_join("hashJoin", "INNER", ONE, ONE)["hashJoin"],
            "keys": [{"left": OUTSIDE, "right": field(0)}],
        }
    },
    UnsupportedError,
    "hash_join/keys[0]/left",
    width=2,
)

FOUND = [EXCHANGES, CAPTURES, STREAMS, PROMISES, LIMITS, WRONG]
