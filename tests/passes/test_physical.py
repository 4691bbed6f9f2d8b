"""The passes about order and partitions: generated plans have the same rows with each of them left out and alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.explain import explain
from firesteel.node import walk
from firesteel.passes import optimize
from tests.passes import physical_plans as build
from tests.passes.helpers import disagreements, typed

NAMES = ("drop_sorts", "drop_exchanges", "top_n", "push_limits")
EARLIER = ("push_filters", "merge_projections", "prune_columns")
#: Each pass left out, alone, and those together that move what others look for.
WAYS: list[tuple[str, tuple[str, ...]]] = [
    ("all passes", ()),
    *((f"without {name}", (name,)) for name in (*NAMES, *EARLIER)),
    *((f"only {name}", tuple(other for other in (*NAMES, *EARLIER) if other != name)) for name in NAMES),
    ("without the earlier ones", EARLIER),
]

ROWS = [{"a": i % 4 if i % 7 else None, "b": "xyz"[i % 3], "c": (i * 5) % 11, "d": i} for i in range(14)]
ORDERED = sorted(ROWS, key=lambda row: (row["a"] is None, row["a"] or 0))


def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", fs.values.Bag([fs.values.from_python(row) for row in ROWS]))
    made.register("l", ROWS)
    made.register("o", ORDERED, ordered_by=["a"], partitioned_by=["a"])
    made.register("s", fs.values.Bag([fs.values.from_python(row) for row in ORDERED]), ordered_by=["a"])
    return made


SESSION = session()
COLUMNS = ("a", "b", "c", "d")


def keys(draw: Any, rel: p.Rel, *first: str) -> list[str]:
    """Keys to sort a relation by. If it is a bag, rows that are equal in some keys may follow in any order: all columns
    are keys then."""
    names = [name for name in build.names(rel) if name not in first]
    some = draw(st.lists(st.sampled_from(names), unique=True, max_size=2)) if names else []
    rest = [name for name in names if name not in some] if p.is_list(typed_rel(rel)) is not True else []
    orders = [draw(st.sampled_from(["", " desc"])) for _ in some]
    made = [*first, *(name + order for name, order in zip(some, orders, strict=True)), *rest]
    return made or [names[0]]


def typed_rel(rel: p.Rel) -> p.Rel:
    statement = typed(SESSION, build.plan_of(rel))[0].statement
    assert isinstance(statement, p.Root)
    return statement.input


def pick(draw: Any, rel: p.Rel) -> str:
    return str(draw(st.sampled_from(build.names(rel))))


def renamed(rel: p.Rel) -> p.Rel:
    return build.project(rel, **{f"{name}2": name for name in build.names(rel)})


def merge_join(draw: Any, rel: p.Rel) -> p.Rel:
    other = renamed(draw(relations(depth=1)))
    left, right = build.names(rel)[0], build.names(other)[0]
    sides = build.sort(exchanged(draw, rel), *keys(draw, rel, left)), build.sort(other, *keys(draw, other, right))
    return build.join(*sides, f"{left}={right}", "merge")


def other_join(draw: Any, rel: p.Rel) -> p.Rel:
    other = renamed(draw(relations(depth=1)))
    strategy = draw(st.sampled_from([None, "hash", "nested_loop", "broadcast"]))
    capture = draw(st.sampled_from(["INNER", "LEFT", "LEFT_SEMI"]))
    return build.join(rel, other, f"{build.names(rel)[0]}={build.names(other)[0]}", strategy, capture)


def grouped(draw: Any, rel: p.Rel) -> p.Rel:
    key = build.names(rel)[0]
    of = pick(draw, rel)
    if draw(st.booleans()):
        return unique(build.group(rel, key, of=of, fn=draw(st.sampled_from(["max", "collect", "count"]))))
    return unique(build.group(build.sort(rel, *keys(draw, rel, key)), key, method="streaming"))


def unique(rel: p.Rel) -> p.Rel:
    """Columns of a relation under names that no other has."""
    return build.project(rel, **{f"g{i}": name for i, name in enumerate(build.names(rel))})


def exchanged(draw: Any, rel: p.Rel) -> p.Rel:
    to = draw(st.sampled_from([None, 1, 3]))
    return draw(
        st.sampled_from(
            [
                build.scatter(rel, pick(draw, rel), to=to),
                build.scatter(rel, build.names(rel)[0], to=to),
                build.round_robin(rel, to),
                build.broadcast(rel, 2),
            ]
        )
    )


STEPS: list[Callable[[Any, p.Rel], p.Rel]] = [
    lambda draw, rel: build.sort(rel, *keys(draw, rel)),
    lambda draw, rel: build.sort(rel, *keys(draw, rel)),
    exchanged,
    exchanged,
    lambda draw, rel: build.limit(rel, draw(st.integers(0, 9))),
    lambda draw, rel: build.limit(build.offset(rel, 2), draw(st.integers(0, 9))),
    lambda draw, rel: build.limit(build.sort(exchanged(draw, rel), *keys(draw, rel)), 5),
    lambda draw, rel: build.top_n(rel, 5, *keys(draw, rel), skip=draw(st.sampled_from([None, 1]))),
    lambda draw, rel: build.project(rel, **{f"p{i}": name for i, name in enumerate(reversed(build.names(rel)))}),
    lambda draw, rel: grouped(draw, build.limit(build.sort(rel, *keys(draw, rel)), draw(st.integers(1, 9)))),
    lambda draw, rel: build.simple(build.limit(build.sort(rel, *keys(draw, rel)), draw(st.integers(1, 9)))),
    lambda draw, rel: build.merging(rel),
    lambda draw, rel: build.simple(rel),
    lambda draw, rel: build.distinct(rel),
    lambda draw, rel: build.union(rel, rel, draw(st.sampled_from(["all", "distinct"]))),
    merge_join,
    other_join,
    grouped,
]


@st.composite
def relations(draw: Any, depth: int = 5) -> p.Rel:
    rel = build.scan(draw(st.sampled_from(["t", "l", "o", "s"])), *COLUMNS)
    for _ in range(draw(st.integers(0, depth))):
        if len(build.names(rel)) > 8:
            break
        rel = draw(st.sampled_from(STEPS))(draw, rel)
    return rel


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(relations())
def test_generated_plans_have_the_same_rows(rel: p.Rel) -> None:
    plan, tables = typed(SESSION, build.plan_of(rel))
    assert list(disagreements(plan, tables, WAYS)) == []


@pytest.mark.parametrize("strategy", [None, "hash", "merge"])
def test_a_relation_that_is_read_twice_stays_one(strategy: str | None) -> None:
    """Its readers need different things of it; sorting it once for both is cheaper than reading it twice."""
    one = build.sort(build.scatter(build.scan("t", "a", "b"), "a"), "a")
    two = build.project(one, x="a", y="b")
    plan, tables = typed(SESSION, build.plan_of(build.group(build.join(one, two, "a=x", strategy), "a")))
    made = optimize(plan, verify=True)
    assert len(list(walk(made, p.Sort))) == len(list(walk(made, p.Exchange))) == 1
    assert list(disagreements(plan, tables, WAYS)) == []


# Broadcast joins -----------------------------------------------------------------------------------------------------


def prepared(rel: p.Rel) -> p.Plan:
    return typed(SESSION, build.plan_of(rel))[0]


@pytest.mark.parametrize("capture", ["INNER", "LEFT", "RIGHT", "FULL", "LEFT_SEMI", "LEFT_ANTI"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_row_that_is_broadcast_to_a_join_meets_each_row_once(capture: str, side: str) -> None:
    one, two = build.scan("t", "a", "d"), build.project(build.scan("l", "c", "d"), x="c", y="d")
    sides = (build.where(build.broadcast(one, 3), "d", 4), two) if side == "left" else (one, build.broadcast(two, 3))
    plain = (build.where(one, "d", 4), two) if side == "left" else (one, two)
    made = prepared(build.join(*sides, "a=x", capture=capture))
    (join,) = walk(made, p.Join)
    assert (join.strategy, join.build) == (p.JoinStrategy.BROADCAST, p.Side(side))
    assert not list(walk(made, p.Exchange))
    answers = [SESSION.run(build.plan_of(build.join(*pair, "a=x", capture=capture))).value() for pair in (sides, plain)]
    assert fs.values.equal(*answers)


def test_a_join_with_a_strategy_keeps_it_and_loses_the_copies() -> None:
    left = build.sort(build.merging(build.broadcast(build.scan("t", "a"), 3)), "a")
    right = build.sort(build.project(build.scan("l", "c"), x="c"), "x")
    made = prepared(build.join(left, right, "a=x", "merge"))
    (join,) = walk(made, p.Join)
    assert join.strategy is p.JoinStrategy.MERGE
    assert not list(walk(made, p.Exchange))


def test_a_broadcast_anywhere_else_copies_rows() -> None:
    copied = build.broadcast(build.scan("t", "a", "d"), 3)
    assert len(SESSION.run(build.plan_of(copied)).to_python()) == 3 * len(ROWS)
    below = build.join(build.limit(copied, 100), build.project(build.scan("l", "d"), x="d"), "d=x")
    assert len(SESSION.run(build.plan_of(below)).to_python()) == 3 * len(ROWS)
    (join,) = walk(prepared(below), p.Join)
    assert join.strategy is None


def test_broadcast_joins_cannot_be_skipped() -> None:
    with pytest.raises(fs.UnsupportedError, match="cannot be skipped"):
        fs.connect(skip_passes=["broadcast_joins"])


# What explain shows --------------------------------------------------------------------------------------------------


def shown(rel: p.Rel) -> list[str]:
    return explain(build.plan_of(rel)).splitlines()[1:]


T = build.scan("t", "a", "b")


@pytest.mark.parametrize(
    ("rel", "head", "properties"),
    [
        (build.scatter(T, "a", to=4), "exchange scatter (a) to 4", "{partitioned by a}"),
        (build.scatter(T, "a", to=1), "exchange scatter (a) to 1", "{one partition}"),
        (build.scatter(T, "a", uri="s3://x"), "exchange scatter (a) (target 0: s3://x)", "{partitioned by a}"),
        (build.bucket(T, "a", 4, True), "exchange single_bucket a constrained to 4", "{partitioned by a}"),
        (build.broadcast(T, 3), "exchange broadcast to 3", ""),
        (p.Exchange(p.RoundRobin(exact=True), T), "exchange round_robin exact", ""),
        (p.Exchange(p.MultiBucket(build.col(T, "a")), T, partitions=2), "exchange multi_bucket a to 2", ""),
        (p.MergingCapture(T, blocking=True), "merging_capture blocking", ""),
        (
            build.top_n(T, 3, "a desc", "b", skip=1, ties=True),
            "top_n a desc nulls first, b asc nulls last limit 3 skip 1 with ties",
            "{ordered by a desc nulls first, b asc nulls last}",
        ),
        (
            p.Expand((p.Consistent(build.col(T, "b")), p.Switching((build.col(T, "a"),))), T, names=("x", "y", "i")),
            "expand b, switch(a)",
            "",
        ),
        (
            build.promised(T, "a", by="b"),
            "promised ordered by a asc nulls last; partitioned by b",
            "{ordered by a asc nulls last (declared); partitioned by b (declared)}",
        ),
        (
            p.Promised((), T, singleton=True, verified=True, options=(p.Choice("k", "v"),)),
            "promised one partition; k=v; verified",
            "{one partition (verified)}",
        ),
        (build.join(T, renamed(T), "a=a2", "hash", build="left"), "join hash left equi on a = a2", ""),
        (build.join(T, renamed(T), "a=a2", "broadcast", "LEFT"), "join left broadcast right equi on a = a2", ""),
        (build.group(T, "a", method="hash"), "aggregate hash count_star() by a", ""),
        (build.group(build.sort(T, "a"), "a", method="streaming"), "aggregate streaming count_star() by a", None),
        (build.window(T, "a", "b", "hashing"), "window hashing ⟨window_call⟩", ""),
    ],
)
def test_explain(rel: p.Rel, head: str, properties: str | None) -> None:
    line = shown(rel)[0].removeprefix("└─ ")
    text, _, rest = line.partition("  [")
    assert text.strip() == head
    if properties is not None:
        assert rest.partition("] ")[2] == properties


def test_a_comparison_function_is_shown() -> None:
    by = p.SortSpec(build.col(T, "a"), p.SortOrder.CLUSTERED, comparator=p.Fn("mine", p.FnOption.NONE, (), t.ANY))
    assert shown(p.SimpleCapture(p.Sort((by,), T)))[1].partition("{")[2] == "ordered by a clustered by mine}"


def test_a_plan_of_sorts_alone_shows_no_properties() -> None:
    assert "{" not in "".join(shown(build.sort(T, "a")))
