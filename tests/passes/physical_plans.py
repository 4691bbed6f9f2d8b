"""Physical plans in a few words, for golden files and generated plans: `rel: sort(scan("t", "a", "b"), "a desc")`.

A relation here has columns with names that are unique, and its expressions are columns.
"""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.node import transform, walk
from firesteel.plan import build as b

MARK = "rel:"

_ORDERS = {
    "asc": p.SortOrder.ASC_NULLS_LAST,
    "desc": p.SortOrder.DESC_NULLS_FIRST,
    "clustered": p.SortOrder.CLUSTERED,
}


def scan(table: str, *columns: str) -> p.Rel:
    """The columns of a table. It is a name until `plan_of` numbers the tables."""
    row = p.Scan(p.UnresolvedVar(t.ANY, table), names=(table,))
    return p.Project(tuple(b.path(p.Var(t.ANY, 0), name) for name in columns), row, names=columns)


def names(rel: p.Rel) -> list[str]:
    return [field.name or "" for field in p.schema(rel)]


def col(rel: p.Rel, name: str) -> p.Rex:
    return b.column(rel, names(rel).index(name))


def _specs(rel: p.Rel, keys: tuple[str, ...]) -> tuple[p.SortSpec, ...]:
    made = []
    for key in keys:
        name, _, order = key.partition(" ")
        made.append(p.SortSpec(col(rel, name), _ORDERS[order or "asc"]))
    return tuple(made)


def sort(rel: p.Rel, *keys: str) -> p.Rel:
    return p.Sort(_specs(rel, keys), rel)


def top_n(rel: p.Rel, count: int, *keys: str, skip: int | None = None, ties: bool = False) -> p.Rel:
    return p.TopN(_specs(rel, keys), b.lit(count), rel, skip=None if skip is None else b.lit(skip), ties=ties)


def limit(rel: p.Rel, count: Any) -> p.Rel:
    return p.Limit(b.lit(count), rel)


def offset(rel: p.Rel, count: int) -> p.Rel:
    return p.Offset(b.lit(count), rel)


def where(rel: p.Rel, name: str, value: values.Value) -> p.Rel:
    return p.Filter(b.call("gt", col(rel, name), b.lit(value)), rel)


def project(rel: p.Rel, **exprs: str) -> p.Rel:
    """Columns under new names; `x="a+1"` is computed."""
    made = []
    for text in exprs.values():
        name, plus, more = text.partition("+")
        made.append(b.call("plus", col(rel, name), b.lit(int(more))) if plus else col(rel, name))
    return p.Project(tuple(made), rel, names=tuple(exprs))


def scatter(rel: p.Rel, *fields: str, to: int | None = None, uri: str | None = None) -> p.Rel:
    targets = () if uri is None else (p.Target((0,), uri=uri),)
    return p.Exchange(p.Scatter(tuple(col(rel, name) for name in fields)), rel, partitions=to, targets=targets)


def bucket(rel: p.Rel, field: str, to: int | None = None, constrained: bool = False) -> p.Rel:
    return p.Exchange(p.SingleBucket(col(rel, field), constrained=constrained), rel, partitions=to)


def broadcast(rel: p.Rel, to: int = 2) -> p.Rel:
    return p.Exchange(p.Broadcast(), rel, partitions=to)


def round_robin(rel: p.Rel, to: int | None = None) -> p.Rel:
    return p.Exchange(p.RoundRobin(), rel, partitions=to)


def merging(rel: p.Rel) -> p.Rel:
    return p.MergingCapture(rel)


def simple(rel: p.Rel) -> p.Rel:
    return p.SimpleCapture(rel)


def promised(rel: p.Rel, *keys: str, by: str | None = None, verified: bool = False) -> p.Rel:
    fields = () if by is None else (col(rel, by),)
    return p.Promised(_specs(rel, keys), rel, partitioned=fields, verified=verified)


def join(
    left: p.Rel, right: p.Rel, on: str, strategy: str | None = None, capture: str = "INNER", build: str = "right"
) -> p.Rel:
    keys = tuple(p.JoinKey(col(left, a), col(right, b)) for a, b in (pair.split("=") for pair in on.split(",")))
    return p.Join(
        p.Equi(p.Capture[capture], keys=keys),
        left,
        right,
        strategy=None if strategy is None else p.JoinStrategy(strategy),
        build=p.Side(build),
    )


def group(rel: p.Rel, *keys: str, method: str | None = None, of: str | None = None, fn: str = "max") -> p.Rel:
    """Groups by keys: (keys, number), and an aggregate `m` of a column."""
    aggs = [b.agg("count_star"), *([b.agg(fn, col(rel, of))] if of else [])]
    return p.Aggregate(
        p.Strategy.FULL,
        tuple(aggs),
        tuple(col(rel, key) for key in keys),
        rel,
        method=None if method is None else p.AggregateMethod(method),
        names=(*keys, "n", *(["m"] if of else [])),
    )


def window(rel: p.Rel, by: str, order: str, method: str | None = None) -> p.Rel:
    call = p.WindowCall(b.signature("row_number", []), (), (col(rel, by),), _specs(rel, (order,)))
    return p.Window((call,), rel, names=("r",), method=None if method is None else p.WindowMethod(method))


def distinct(rel: p.Rel) -> p.Rel:
    return p.Distinct(rel)


def union(left: p.Rel, right: p.Rel, quantifier: str = "all") -> p.Rel:
    return p.Union(left, right, quantifier=p.Quantifier(quantifier))


def plan_of(rel: p.Rel) -> p.Plan:
    """The plan whose root gives the rows of a relation, with its tables as globals."""
    used = sorted({var.name for var in walk(rel, p.UnresolvedVar)})
    made = transform(rel, lambda var: p.Global(t.ANY, used.index(var.name)), p.UnresolvedVar)
    return p.Plan(p.Root(tuple(names(rel)), made), globals=tuple(p.GlobalBinding((name,), t.ANY) for name in used))


def read(text: str) -> p.Plan:
    """The plan of an expression in these functions."""
    functions = {name: f for name, f in globals().items() if callable(f) and not name.startswith("_")}
    return plan_of(eval(" ".join(text.removeprefix(MARK).split()), {"__builtins__": {}}, functions))
