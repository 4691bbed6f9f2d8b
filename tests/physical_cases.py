"""Plans of every physical relation with every option: joins of all types by all strategies, exchanges, captures, top-N,
aggregates, windows, expand. Each is a query over two small tables with NULLs and duplicate keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build

ROWS = [
    {"k": 2, "g": "x", "n": 5, "s": {"c": 1}},
    {"k": 1, "g": "y", "n": None, "s": {"c": 2}},
    {"k": 2, "g": "x", "n": 7, "s": {"c": 1}},
    {"k": None, "g": "y", "n": 1, "s": {"c": 3}},
    {"k": 3, "g": None, "n": 5, "s": {"c": 2}},
    {"k": 1, "g": "x", "n": 2, "s": {"c": 2}},
    {"k": 4, "g": "z", "n": -3, "s": {"c": 9}},
]
OTHERS = [
    {"k": 1, "v": "one"},
    {"k": 2, "v": "two"},
    {"k": 2, "v": "zwei"},
    {"k": None, "v": "none"},
    {"k": 5, "v": "five"},
]
TABLES = {"t": ROWS, "o": OTHERS}

INT, TEXT = t.Int64(nullable=True), t.String(nullable=True)
ROW = t.Struct(
    (
        t.Field("k", INT),
        t.Field("g", TEXT),
        t.Field("n", INT),
        t.Field("s", t.Struct((t.Field("c", t.INT64),), open=False)),
    ),
    open=False,
)
OTHER = t.Struct((t.Field("k", INT), t.Field("v", TEXT)), open=False)
TYPES = {"t": t.Bag(ROW), "o": t.Bag(OTHER)}

ASC, DESC = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST
K, G, N, S = range(4)
Lists = Callable[[p.Rel], p.Rel]


def table(name: str) -> p.Rel:
    """A table as a relation of its columns."""
    row = TYPES[name].element
    assert isinstance(row, t.Struct)
    scan = p.Scan(p.Global(TYPES[name], list(TYPES).index(name)))
    names = tuple(field.name or "" for field in row.fields)
    return p.Project(tuple(build.path(build.column(scan, 0), one) for one in names), scan, names=names)


def sort(rel: p.Rel, *ordinals: int, order: p.SortOrder = ASC) -> p.Rel:
    return p.Sort(tuple(p.SortSpec(build.column(rel, i), order) for i in ordinals), rel)


def whole_order(rel: p.Rel) -> p.Rel:
    """The rows of `t` as a list in an order without ties."""
    return sort(rel, K, N)


def plan(rel: p.Rel) -> p.Plan:
    """A query for the rows, as a list where the relation is one."""
    struct = build.struct((f"c{i}", build.column(rel, i)) for i in range(len(p.schema(rel))))
    bindings = tuple(p.GlobalBinding((name,), type_) for name, type_ in TYPES.items())
    return p.Plan(p.Query(build.select(struct, rel)), globals=bindings)


def cases() -> dict[str, p.Plan]:
    """All cases, by their names."""
    made: dict[str, p.Plan] = {}
    for family in (_joins, _exchanges, _captures, _top_ns, _aggregates, _windows, _expands):
        for name, rel in family():
            assert name not in made, name
            made[name] = plan(rel)
    return made


Case = Iterator[tuple[str, p.Rel]]

# ---------------------------------------------------------------------------------------------------------------------
# Joins

STRATEGIES: dict[str, tuple[p.JoinStrategy | None, p.Side]] = {
    "any": (None, p.Side.RIGHT),
    "hash": (p.JoinStrategy.HASH, p.Side.RIGHT),
    "hash left": (p.JoinStrategy.HASH, p.Side.LEFT),
    "merge": (p.JoinStrategy.MERGE, p.Side.RIGHT),
    "nested loop": (p.JoinStrategy.NESTED_LOOP, p.Side.RIGHT),
    "broadcast": (p.JoinStrategy.BROADCAST, p.Side.RIGHT),
    "broadcast left": (p.JoinStrategy.BROADCAST, p.Side.LEFT),
}


def _joins() -> Case:
    conditions = ("keys", "keys and residual", "condition", "same keys")
    for capture, how, by in product(p.Capture, STRATEGIES, conditions):
        strategy, side = STRATEGIES[how]
        if strategy is p.JoinStrategy.MERGE and by == "condition":
            continue  # a merge join has keys
        if capture is p.Capture.LEFT_SINGLE and by != "keys and residual":
            continue  # the others have rows with two matches, which is an error
        merges = strategy is p.JoinStrategy.MERGE
        left = sort(table("t"), K) if merges else whole_order(table("t")) if how == "hash" else table("t")
        right = sort(table("o"), 0) if merges else table("o")
        kind = _kind(capture, by, left, right)
        made = p.Join(kind, left, right, strategy=strategy, build=side)
        # The matches of one left row may come in any order.
        yield f"join {capture.name} {how}, {by}", build.emit(made, range(4)) if made.keeps_left_order else made
    nested = p.Path(t.INT64, build.column(table("t"), S), (p.Key(build.lit("c")),))
    for how in ("hash", "nested loop", "broadcast"):
        strategy, side = STRATEGIES[how]
        keys = (p.JoinKey(nested, build.column(table("o"), 0)),)
        kind = p.Equi(p.Capture.INNER, keys=keys)
        yield f"join {how}, a key in a struct", p.Join(kind, table("t"), table("o"), strategy=strategy, build=side)


def _kind(capture: p.Capture, by: str, left: p.Rel, right: p.Rel) -> p.JoinType:
    width = len(p.schema(left))
    n, v = build.column(left, N), p.Var(TEXT, width + 1)
    if by == "condition":
        k = p.Var(INT, width)
        return p.Theta(capture, build.call("or", build.call("gt", n, k), build.call("eq", v, build.lit("five"))))
    keys = (p.JoinKey(build.column(left, K), build.column(right, 0), same=by == "same keys"),)
    residual = build.call("eq", v, build.lit("zwei")) if by == "keys and residual" else None
    return p.Equi(capture, keys=keys, residual=residual)


# ---------------------------------------------------------------------------------------------------------------------
# Exchanges and captures

INPUTS: dict[str, Lists] = {"a bag": lambda rel: rel, "a list": whole_order}


def _exchanges() -> Case:
    base = table("t")
    k, g, s = (build.column(base, i) for i in (K, G, S))
    bucket = build.call("coalesce", k, p.Lit(t.INT64, -7))
    within = build.call("modulo", build.call("coalesce", k, p.Lit(t.INT64, 0)), p.Lit(t.INT64, 3))
    several = build.collection(t.Array, [bucket, p.Lit(t.INT64, 2)])
    few = build.collection(t.Array, [within, p.Lit(t.INT64, 2)])
    kinds: dict[str, p.ExchangeKind] = {
        "scatter by a field": p.Scatter((k,)),
        "scatter by two": p.Scatter((g, k)),
        "scatter by a field of a struct": p.Scatter((p.Path(t.INT64, s, (p.Key(build.lit("c")),)),)),
        "single bucket": p.SingleBucket(bucket),
        "single bucket, constrained": p.SingleBucket(within, constrained=True),
        "multi bucket": p.MultiBucket(several),
        "multi bucket, constrained": p.MultiBucket(few, constrained=True),
        "multi bucket of none": p.MultiBucket(p.Lit(t.Array(t.INT64), [])),
        "broadcast": p.Broadcast(),
        "round robin": p.RoundRobin(),
        "round robin, exact": p.RoundRobin(exact=True),
    }
    for (name, kind), count, given in product(kinds.items(), (None, 1, 3), INPUTS):
        constrained = getattr(kind, "constrained", False)
        if constrained and count != 3:
            continue  # the buckets are 0, 1 and 2
        yield f"exchange {name} to {count}, {given}", p.Exchange(kind, INPUTS[given](base), partitions=count)
    twice = p.Exchange(p.Scatter((k,)), p.Exchange(p.RoundRobin(), base, partitions=4), partitions=2)
    yield "exchange over exchange", twice
    yield "filter over exchange", p.Filter(build.call("gt", build.column(base, N), p.Lit(t.INT64, 1)), twice)
    yield "sort over exchange", whole_order(twice)
    yield "limit over sort over exchange", p.Limit(p.Lit(t.INT64, 3), whole_order(twice))
    yield "aggregate over exchange", p.Aggregate(p.Strategy.FULL, (build.agg("count_star"),), (k,), twice)
    yield (
        "join over broadcast",
        p.Join(
            p.Equi(p.Capture.INNER, keys=(p.JoinKey(k, build.column(table("o"), 0)),)),
            base,
            p.Exchange(p.Broadcast(), table("o"), partitions=3),
        ),
    )


def _captures() -> Case:
    for given, blocking in product(INPUTS, (False, True)):
        exchanged = p.Exchange(p.Scatter((build.column(table("t"), G),)), INPUTS[given](table("t")), partitions=3)
        yield f"merging capture, {given}, blocking {blocking}", p.MergingCapture(exchanged, blocking=blocking)
    for given in INPUTS:
        yield f"simple capture, {given}", p.SimpleCapture(INPUTS[given](table("t")))


# ---------------------------------------------------------------------------------------------------------------------
# Top-N


def _top_ns() -> Case:
    base = table("t")
    for order, count, skip in product(p.SortOrder, (0, 2, 20), (None, 0, 3)):
        if order is p.SortOrder.CLUSTERED:
            continue  # which rows come first is not known
        specs = (p.SortSpec(build.column(base, K), order), p.SortSpec(build.column(base, N), order))
        skipped = None if skip is None else p.Lit(t.INT64, skip)
        yield f"top-N {order.name} {count} after {skip}", p.TopN(specs, p.Lit(t.INT64, count), base, skip=skipped)
    for count, skip in product((1, 2, 3), (None, 1)):
        skipped = None if skip is None else p.Lit(t.INT64, skip)
        # Ties come in any order: only the keys are looked at.
        specs = (p.SortSpec(build.column(base, K), ASC),)
        tied = p.TopN(specs, p.Lit(t.INT64, count), base, skip=skipped, ties=True)
        yield f"top-N with ties {count} after {skip}", build.emit(tied, [K])


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates, windows, expand


def _aggregates() -> Case:
    base = table("t")
    measures = (
        build.agg("count_star"),
        build.agg("sum", build.column(base, N)),
        build.agg("max", build.column(base, G)),
    )
    for method, keys, given in product((None, *p.AggregateMethod), ((K,), (G, K), ()), ("a bag", "a list")):
        streams = method is p.AggregateMethod.STREAMING
        if streams and given == "a bag":
            continue  # nothing is known of its order
        rel = sort(base, *(keys or (K,))) if given == "a list" else base
        named = method.value if method else "any"
        exprs = tuple(build.column(rel, i) for i in keys)
        made = p.Aggregate(p.Strategy.FULL, measures, exprs, rel, method=method)
        yield f"aggregate {named} by {keys}, {given}", made
    down = sort(base, K, order=DESC)
    yield (
        "aggregate streaming, descending",
        p.Aggregate(p.Strategy.FULL, measures, (build.column(base, K),), down, method=p.AggregateMethod.STREAMING),
    )
    clustered = sort(base, K, order=p.SortOrder.CLUSTERED)
    streamed = p.Aggregate(
        p.Strategy.FULL, measures, (build.column(base, K),), clustered, method=p.AggregateMethod.STREAMING
    )
    yield "aggregate streaming, clustered", p.SimpleCapture(streamed)


def _windows() -> Case:
    base = table("t")
    for method, given in product((None, *p.WindowMethod), INPUTS):
        if method is p.WindowMethod.STREAMING and given == "a bag":
            continue
        rel = sort(base, K, N) if given == "a list" else base
        order = (p.SortSpec(build.column(rel, N), ASC),)
        partition = (build.column(rel, K),)
        calls = (
            p.WindowCall(build.signature("row_number", ()), (), partition, order),
            p.WindowCall(build.signature("sum", (build.column(rel, N),)), (build.column(rel, N),), partition, order),
        )
        yield f"window {method.value if method else 'any'}, {given}", p.Window(calls, rel, method=method)


def _expands() -> Case:
    base = table("t")
    k, n = build.column(base, K), build.column(base, N)
    fields: dict[str, tuple[p.ExpandField, ...]] = {
        "consistent": (p.Consistent(k), p.Consistent(n)),
        "switching": (p.Consistent(k), p.Switching((n, p.Lit(t.INT64, 0)))),
        "uneven": (p.Switching((k, n, p.Lit(t.INT64, 0))), p.Switching((n,)), p.Consistent(build.column(base, G))),
    }
    for (name, made), given in product(fields.items(), INPUTS):
        yield f"expand {name}, {given}", p.Expand(made, INPUTS[given](base))
