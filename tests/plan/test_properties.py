"""Relation properties: what each relation makes of the order and the partitions of its inputs."""

from __future__ import annotations

import re

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.check import check
from firesteel.plan.properties import Basis, Partitioned, Properties, Singleton
from firesteel.values import Bag
from tests.plan.strategies import subclasses

ASC, DESC = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST
NAMES = ("a", "b", "c")
ROW = t.Struct(tuple(t.Field(name, t.INT64) for name in NAMES), open=False)


def table(order: str = "", partitioned: str = "") -> p.Rel:
    """Rows of three integers, promised to be ordered and partitioned by these columns; a capital letter is DESC."""
    scan = p.Scan(p.Lit(t.Bag(ROW), Bag([])))
    rel: p.Rel = p.Project(tuple(build.path(build.column(scan, 0), name) for name in NAMES), scan, names=NAMES)
    if order or partitioned:
        specs = tuple(p.SortSpec(column(rel, one.lower()), DESC if one.isupper() else ASC) for one in order)
        fields = tuple(column(rel, one) for one in partitioned if one != "1")
        rel = p.Promised(specs, rel, partitioned=fields, singleton=partitioned == "1")
    return rel


def column(rel: p.Rel, name: str) -> p.Var:
    return build.column(rel, NAMES.index(name))


def sort(rel: p.Rel, order: str) -> p.Rel:
    return p.Sort(tuple(p.SortSpec(column(rel, one.lower()), DESC if one.isupper() else ASC) for one in order), rel)


def scatter(rel: p.Rel, fields: str, count: int | None = None) -> p.Rel:
    return p.Exchange(p.Scatter(tuple(column(rel, one) for one in fields)), rel, partitions=count)


def shown(rel: p.Rel) -> str:
    """`0,-1 | 2`: ordered by column 0, then by column 1 descending; partitioned by column 2. `| 1` is one partition."""
    found: Properties = p.relation_properties(rel)

    def name(field: frozenset[tuple[int | str, ...]]) -> str:
        return "=".join(sorted(".".join(map(str, path)) for path in field))

    signs = {ASC: "", DESC: "-", p.SortOrder.CLUSTERED: "~"}
    order = ",".join(signs[one.order] + name(one.field) for one in found.order)
    match found.distribution:
        case Singleton():
            where = "1"
        case Partitioned(fields=fields):
            where = "+".join(sorted(map(name, fields)))
        case _:
            where = ""
    return f"{order} | {where}".strip()


T, O = table(), table("aB", "c")  # noqa: E741  (ordered)
ON = p.Equi(p.Capture.INNER, keys=(p.JoinKey(p.Var(t.INT64, 0), p.Var(t.INT64, 0)),))


def join(capture: p.Capture, **options: object) -> p.Rel:
    return p.Join(ON.replace(capture=capture), O, table("a", "b"), **options)  # type: ignore[arg-type]


def agg(rel: p.Rel, keys: str, method: p.AggregateMethod | None = None) -> p.Rel:
    count = (build.agg("count_star"),)
    return p.Aggregate(
        p.Strategy.FULL, () if keys else count, tuple(column(rel, one) for one in keys), rel, method=method
    )


def window(rel: p.Rel, method: p.WindowMethod | None) -> p.Rel:
    return p.Window((p.WindowCall(build.signature("rank", ()), (), (), ()),), rel, method=method)


STREAMING, HASH = p.AggregateMethod.STREAMING, p.JoinStrategy.HASH
TRUE, ONE = p.Lit(t.BOOL, True), p.Lit(t.INT64, 1)
WIDE = build.call("cast", column(O, "a"), t.Decimal(30, 2))

CASES: dict[str, tuple[p.Rel, str]] = {
    "nothing is known of a table": (T, "|"),
    "what is promised": (O, "0,-1 | 2"),
    "one partition": (table(partitioned="1"), "| 1"),
    "filter keeps both": (p.Filter(TRUE, O), "0,-1 | 2"),
    "sort replaces the order": (sort(O, "c"), "2 | 2"),
    "a sort by an expression is an order up to it": (
        p.Sort((p.SortSpec(column(T, "b"), ASC), p.SortSpec(build.call("neg", column(T, "a")), ASC)), T),
        "1 |",
    ),
    "limit keeps both": (p.Limit(ONE, O), "0,-1 | 2"),
    "offset keeps both": (p.Offset(ONE, O), "0,-1 | 2"),
    "top-N has the order of its keys": (p.TopN((p.SortSpec(column(O, "b"), ASC),), ONE, O), "1 | 2"),
    "emit moves fields": (build.emit(O, [2, 1, 0]), "2,-1 | 0"),
    "emit drops fields": (build.emit(O, [0, 2]), "0 | 1"),
    "a dropped first field ends the order": (build.emit(O, [1]), "|"),
    "a field that is emitted twice": (build.emit(O, [0, 0, 2]), "0=1 | 2"),
    "a wider type is the same order": (p.Project((WIDE, column(O, "c")), O), "0 | 1"),
    "distinct": (p.Distinct(O), "| 2"),
    "union of the same distribution": (p.Union(O, table("b", "c")), "| 2"),
    "union of others": (p.Union(O, table("a", "b")), "|"),
    "aggregate by the distribution": (agg(O, "ca"), "| 0"),
    "aggregate without it": (agg(O, "a"), "|"),
    "aggregate without keys": (agg(O, ""), "| 1"),
    "streaming aggregate": (agg(O, "ba", STREAMING), "1,-0 |"),
    "a join has the left's distribution": (join(p.Capture.INNER), "| 2"),
    "an inner hash join keeps the left's order": (join(p.Capture.INNER, strategy=HASH), "0,-1 | 2"),
    "not if it builds its table of the left": (join(p.Capture.INNER, strategy=HASH, build=p.Side.LEFT), "| 2"),
    "an outer hash join does not": (join(p.Capture.LEFT, strategy=HASH), "| 2"),
    "a right join has the right's": (join(p.Capture.RIGHT), "| 4"),
    "a join of single partitions": (p.Join(p.Cross(), agg(T, ""), agg(T, "")), "| 1"),
    "a join with one row": (p.Join(p.Cross(), T, agg(T, "")), "|"),
    "a join over an unknown left": (p.Join(p.Cross(), T, O), "| 5"),
    "a window keeps the distribution": (window(O, None), "| 2"),
    "a consistent window keeps both": (window(O, p.WindowMethod.CONSISTENT), "0,-1 | 2"),
    "a streaming window": (window(O, p.WindowMethod.STREAMING), "| 2"),
    "exclude": (p.Exclude((p.ExcludePath(1, (p.ExcludeField("x"),)),), O), "0 | 2"),
    "scatter": (scatter(O, "ab"), "0,-1 | 0+1"),
    "to one partition": (scatter(O, "a", 1), "0,-1 | 1"),
    "a bucket": (p.Exchange(p.SingleBucket(build.call("plus", column(O, "a"), ONE)), O), "0,-1 | 0"),
    "several buckets": (p.Exchange(p.MultiBucket(p.Lit(t.Array(t.INT64), [0])), O), "0,-1 |"),
    "broadcast": (p.Exchange(p.Broadcast(), O, partitions=2), "0,-1 |"),
    "round robin": (p.Exchange(p.RoundRobin(), O), "0,-1 |"),
    "merging capture": (p.MergingCapture(O), "0,-1 | 2"),
    "simple capture": (p.SimpleCapture(O), "| 2"),
    "expand": (p.Expand((p.Consistent(column(O, "c")), p.Consistent(column(O, "a"))), O), "1 | 0"),
    "expand switches": (
        p.Expand((p.Consistent(column(O, "a")), p.Switching((column(O, "b"), column(O, "c")))), O),
        "0 |",
    ),
    "a shared relation": (p.Shared("s", O), "0,-1 | 2"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_relation_derives(name: str) -> None:
    rel, expected = CASES[name]
    assert shown(rel) == expected.strip()


def test_why_a_property_holds() -> None:
    assert p.relation_properties(O).order_basis is Basis.DECLARED
    assert p.relation_properties(O.replace(verified=True)).order_basis is Basis.VERIFIED
    assert p.relation_properties(sort(O, "c")).order_basis is Basis.DERIVED
    distribution = p.relation_properties(sort(O, "c")).distribution
    assert distribution is not None
    assert distribution.basis is Basis.DECLARED


def test_every_relation_that_makes_columns_says_which() -> None:
    for cls in subclasses(p.NamingRel):
        assert cls.derive_schema is not p.NamingRel.derive_schema or not cls.tag, cls


def _problems(rel: p.Rel) -> list[str]:
    return [error.message for error in check(p.Plan(p.Root(tuple(f"c{i}" for i in range(len(p.schema(rel)))), rel)))]


def merge(left: p.Rel, right: p.Rel) -> p.Rel:
    keys = tuple(p.JoinKey(build.column(left, i), build.column(right, i)) for i in (0, 1))
    return p.Join(p.Equi(p.Capture.INNER, keys=keys), left, right, strategy=p.JoinStrategy.MERGE)


def over(rel: p.Rel, partition: str, order: str) -> p.Rel:
    specs = tuple(p.SortSpec(column(rel, one), ASC) for one in order)
    call = p.WindowCall(build.signature("rank", ()), (), tuple(column(rel, one) for one in partition), specs)
    return p.Window((call,), rel, method=p.WindowMethod.STREAMING)


RELIES: dict[str, tuple[p.Rel, str | None]] = {
    "merge join": (merge(sort(T, "ab"), sort(T, "abc")), None),
    "merge join, keys in another sequence": (merge(sort(T, "ba"), sort(T, "ba")), None),
    "merge join, directions": (merge(sort(T, "aB"), sort(T, "aB")), None),
    "merge join, other directions": (merge(sort(T, "ab"), sort(T, "aB")), "the right input of a merge join .* b"),
    "merge join, unsorted left": (
        merge(T, sort(T, "ab")),
        "the left input of a merge join .* key a",
    ),
    "merge join, unsorted right": (merge(sort(T, "ab"), sort(T, "b")), "the right input .* key a"),
    "streaming aggregate": (agg(sort(T, "abc"), "ba", STREAMING), None),
    "streaming aggregate, a gap": (agg(sort(T, "abc"), "ac", STREAMING), "streaming aggregate is not ordered by a, c"),
    "streaming window": (over(sort(T, "abc"), "a", "b"), None),
    "streaming window, partition in any sequence": (over(sort(T, "abc"), "ba", "c"), None),
    "streaming window, unsorted": (over(sort(T, "ac"), "a", "b"), "the input of a streaming window"),
    "streaming window, another direction": (over(sort(T, "aB"), "a", "b"), "the input of a streaming window"),
    "no partitions": (scatter(T, "a", 0), "an exchange to 0 partitions"),
    "a bucket that is not there": (
        p.Exchange(p.SingleBucket(p.Lit(t.INT64, 4), constrained=True), T, partitions=4),
        "no partition 4: there are 4",
    ),
    "buckets of no count": (p.Exchange(p.SingleBucket(column(T, "a"), constrained=True), T), "cannot be constrained"),
    "a target that is not there": (
        p.Exchange(p.RoundRobin(), T, partitions=2, targets=(p.Target((2,), uri="x"),)),
        "a target for partition 2",
    ),
}


@pytest.mark.parametrize("name", RELIES)
def test_what_a_relation_relies_on(name: str) -> None:
    rel, expected = RELIES[name]
    problems = _problems(rel)
    if expected is None:
        assert not problems
    else:
        assert len(problems) == 1
        assert re.search(expected, problems[0])
