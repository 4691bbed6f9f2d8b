"""Physical relations of Substrait in the plan algebra: what is kept of them, what is wrong with them, how they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel.explain import explain
from firesteel.functions import substrait as standard
from firesteel.node import transform, walk
from firesteel.plan.check import check
from firesteel.substrait.schema import OWN_ENUMS, OWN_MESSAGES
from firesteel.values import Bag, Struct
from tests.substrait.plans import joins, physical
from tests.substrait.plans.build import eq, f, i32, i64
from tests.substrait.plans.cases import LEFTS, RIGHTS, Case
from tests.substrait.plans.kinds import Extension
from tests.substrait.plans.relations import (
    aggregate,
    captured,
    exchange,
    fetch,
    hinted,
    join,
    keyed_join,
    limited,
    measure,
    optimized,
    ordered,
    own,
    plan,
    promised,
    read,
    root,
    scattered,
    streaming,
    top_n,
    virtual,
    window,
    windowed,
)

LEFT, RIGHT = read("lefts", LEFTS), read("rights", RIGHTS)
COUNT = measure("aggregate_generic:count")


def whole(rel: Any, width: int) -> fs.Plan:
    return fs.read_plan(plan(root(rel, [f"c{i}" for i in range(width)])))


def lowered(rel: Any, width: int, sort: type[p.Rel]) -> Any:
    """The first node of a sort that a plan is lowered to."""
    return next(walk(whole(rel, width).lowered().plan, sort))


# What is kept --------------------------------------------------------------------------------------------------------


def test_joins_keep_their_strategy() -> None:
    hash_join = lowered(keyed_join("hashJoin", "INNER", LEFT, RIGHT, (0, 0)), 4, p.Join)
    assert (hash_join.strategy, hash_join.build) == (p.JoinStrategy.HASH, p.Side.RIGHT)
    assert [key.same for key in hash_join.type.keys] == [False]
    merge = lowered(keyed_join("mergeJoin", "LEFT", LEFT, RIGHT, (0, 0, "IS_NOT_DISTINCT_FROM")), 4, p.Join)
    assert merge.strategy is p.JoinStrategy.MERGE
    assert [key.same for key in merge.type.keys] == [True]
    loop = lowered(join("INNER", LEFT, RIGHT, eq(f(0), f(2)), relation="nestedLoopJoin"), 4, p.Join)
    assert (loop.strategy, type(loop.type)) == (p.JoinStrategy.NESTED_LOOP, p.Theta)
    assert lowered(join("INNER", LEFT, RIGHT, eq(f(0), f(2))), 4, p.Join).strategy is None


@pytest.mark.parametrize(("kind", "width"), [("LEFT", 4), ("RIGHT_SEMI", 2), ("RIGHT_SINGLE", 4), ("RIGHT_MARK", 3)])
@pytest.mark.parametrize("side", ["LEFT", "RIGHT"])
def test_the_build_side_is_swapped_with_the_sides(kind: str, width: int, side: str) -> None:
    made = [
        one
        for one in walk(
            whole(keyed_join("hashJoin", kind, LEFT, RIGHT, (0, 0), build=side), width).lowered().plan, p.Join
        )
        if one.strategy is p.JoinStrategy.HASH
    ]
    built = made[0].left if made[0].build is p.Side.LEFT else made[0].right
    assert [field.name for field in p.schema(built)] == (["k", "a"] if side == "LEFT" else ["k", "n"])


def test_keys_that_are_no_equality_are_a_condition() -> None:
    """No key tells where in the other side a match begins, so a merge join has to try all pairs."""
    made = lowered(keyed_join("mergeJoin", "INNER", LEFT, RIGHT, (0, 0, "MIGHT_EQUAL")), 4, p.Join)
    assert (made.strategy, type(made.type)) == (p.JoinStrategy.NESTED_LOOP, p.Theta)
    both = lowered(keyed_join("hashJoin", "INNER", LEFT, RIGHT, (0, 0), (0, 0, "MIGHT_EQUAL")), 4, p.Join)
    assert len(both.type.keys) == 1
    assert both.type.residual is not None


def test_an_inner_hash_join_keeps_the_order_of_the_left() -> None:
    up = ordered(LEFT, (f(0), "ASC_NULLS_LAST"))
    assert p.is_list(lowered(keyed_join("hashJoin", "INNER", up, RIGHT, (0, 0)), 4, p.Join))
    assert not p.is_list(lowered(keyed_join("hashJoin", "INNER", up, RIGHT, (0, 0), build="LEFT"), 4, p.Join))
    assert not p.is_list(lowered(keyed_join("hashJoin", "LEFT", up, RIGHT, (0, 0)), 4, p.Join))
    assert not p.is_list(lowered(join("INNER", up, up, eq(f(0), f(2)), relation="nestedLoopJoin"), 4, p.Join))


def test_exchanges() -> None:
    url = "type.googleapis.com/substrait.Version"
    targets = [{"partitionId": [0, 2], "uri": "file:/x"}, {"extended": {"@type": url, "majorNumber": 3}}]
    made = lowered(exchange(LEFT, "roundRobin", {"exact": True}, count=3, targets=targets), 2, p.Exchange)
    assert (made.kind, made.partitions) == (p.RoundRobin(exact=True), 3)
    assert made.targets == (
        p.Target((0, 2), uri="file:/x"),
        p.Target((), value=Struct([("type_url", url), ("value", b"\x08\x03")])),
    )
    free = lowered(scattered(LEFT, 1, 0), 2, p.Exchange)
    assert free.partitions is None
    assert [field.ordinal for field in free.kind.fields] == [1, 0]
    single = exchange(LEFT, "singleTarget", {"expression": i32(1)}, count=2)
    assert not lowered(single, 2, p.Exchange).kind.constrained
    assert lowered(optimized(single, own("ExchangeOptions", constrainedToCount=True)), 2, p.Exchange).kind.constrained


def test_top_n_and_clustered_sorts_are_kept() -> None:
    made = lowered(top_n(LEFT, (f(0), "CLUSTERED"), offset=i64(1), count=i64(2), ties=True), 2, p.TopN)
    assert (made.specs[0].order, made.skip.value, made.count.value, made.ties) == (p.SortOrder.CLUSTERED, 1, 2, True)


def test_strategies_of_aggregates_and_windows() -> None:
    grouped = aggregate(ordered(LEFT, (f(0), "CLUSTERED")), [f(0)], COUNT)
    assert lowered(grouped, 2, p.Aggregate).method is None
    assert lowered(streaming(grouped), 2, p.Aggregate).method is p.AggregateMethod.STREAMING
    hashed = optimized(grouped, own("AggregateStrategy", method="METHOD_HASH"))
    assert lowered(hashed, 2, p.Aggregate).method is p.AggregateMethod.HASH
    assert lowered(optimized(grouped, own("WindowStrategy", method=1)), 2, p.Aggregate).method is None
    over = window(LEFT, [f(0)], [], windowed("arithmetic:row_number"))
    assert lowered(over, 3, p.Window).method is p.WindowMethod.CONSISTENT
    assert lowered(streaming(over), 3, p.Window).method is p.WindowMethod.STREAMING


def test_a_read_promises() -> None:
    rel = promised(
        read("lefts", LEFTS, emit=[1, 0]), (1, "DESC_NULLS_LAST"), (0, "CLUSTERED"), partitioned=[1], a="b", c="d"
    )
    made = lowered(rel, 2, p.Promised)
    assert [(spec.key.ordinal, spec.order) for spec in made.order] == [
        (0, p.SortOrder.DESC_NULLS_LAST),
        (1, p.SortOrder.CLUSTERED),
    ]
    assert [one.ordinal for one in made.partitioned] == [0]
    assert made.options == (p.Choice("a", "b"), p.Choice("c", "d"))
    known = p.relation_properties(lowered(rel, 2, p.Project))
    assert [next(iter(one.field)) for one in known.order] == [(1,), (0,)]
    assert lowered(promised(LEFT, singleton=True), 2, p.Promised).singleton


def test_captures() -> None:
    assert lowered(captured(LEFT, "MergingCapture", blocking=True), 2, p.MergingCapture).blocking
    up = ordered(LEFT, (f(0), "CLUSTERED"))
    assert p.is_list(lowered(captured(up, "MergingCapture"), 2, p.MergingCapture))
    assert not p.is_list(lowered(captured(up, "SimpleCapture"), 2, p.SimpleCapture))


def test_hints_are_carried_by_the_relation() -> None:
    hint = {"stats": {"rowCount": 10, "recordSize": 2.5}, "alias": "x", "outputNames": ["p", "q"]}
    made = lowered(hinted(LEFT, **hint), 2, p.Project)
    assert made.hints == p.Hints(row_count=10.0, record_size=2.5, alias="x")
    assert [field.name for field in p.schema(made)] == ["p", "q"]  # names of all columns are those of the relation
    few = lowered(hinted(LEFT, outputNames=["p"]), 2, p.Project)
    assert few.hints == p.Hints(names=("p",))
    assert lowered(hinted(LEFT), 2, p.Project).hints is None


CASES: list[Case] = [
    case
    for group in (*physical.FOUND, *joins.FOUND)
    for case in group.found
    if case.error in (None, fs.EvaluationError)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_plans_come_back_from_ion(case: Case) -> None:
    node = fs.read_plan(case.data).lowered().plan
    assert partiql_plan.read(partiql_plan.write(node)) == node
    assert check(node) == []


# Orders that relations rely on ---------------------------------------------------------------------------------------

UP = ordered(LEFT, (f(0), "ASC_NULLS_LAST"), (f(1), "DESC_NULLS_LAST"))
STREAMED = streaming(aggregate(UP, [f(1)], COUNT))
UNORDERED = {
    "merge join": (keyed_join("mergeJoin", "INNER", LEFT, UP, (0, 0)), 4, "merge_join", "the left input"),
    "merge join in two directions": (
        keyed_join("mergeJoin", "INNER", UP, ordered(RIGHT, (f(0), "DESC_NULLS_LAST")), (0, 0)),
        4,
        "merge_join",
        "the right input of a merge join is not ordered by its key k",
    ),
    "aggregate": (streaming(aggregate(LEFT, [f(0)], COUNT)), 2, "aggregate", "not ordered by k"),
    "aggregate by the second field": (STREAMED, 2, "aggregate", "not ordered by a"),
    "one of several grouping sets": (
        streaming(aggregate(UP, [f(0), f(1)], COUNT, sets=[[0, 1], [1]])),
        4,
        "aggregate",
        "not ordered by a",
    ),
    "a measure": (
        streaming(
            aggregate(UP, [f(0)], measure("aggregate_generic:any_value", f(1), order=[(f(1), "ASC_NULLS_LAST")]))
        ),
        2,
        "aggregate",
        "in another order than",
    ),
    "window": (
        streaming(window(UP, [f(0)], [(f(1), "ASC_NULLS_LAST")], windowed("arithmetic:row_number"))),
        3,
        "window",
        "the input of a streaming window is not ordered by its partition and sort keys",
    ),
}


@pytest.mark.parametrize("name", UNORDERED)
def test_an_order_that_is_relied_on_and_not_there(name: str) -> None:
    rel, width, place, message = UNORDERED[name]
    found = check(whole(rel, width).lowered().plan)
    assert message in found[0].message
    assert str(found[0].where) == f"at relations[0]/root/input/{place}"


# Orders by a function ------------------------------------------------------------------------------------------------

URN = "extension:acme:order"
BY_LENGTH = {"comparisonFunctionReference": Extension("function", URN, "by_length")}
WORDS = virtual("s string?", ("ccc",), (None,), ("a",), ("bb",), ("dd",))


def by_length(a: str, b: str) -> int:
    return len(a) - len(b)


def null_last(a: str | None, b: str | None) -> int:
    return len(a or "9999") - len(b or "9999")


@pytest.fixture
def compared() -> Iterator[None]:
    fs.register_function(URN, "by_length", by_length, returns="i32")
    yield
    standard.unregister(URN, "by_length")


def answer(rel: Any) -> list[Any]:
    found = fs.connect(engine="reference").run(whole(rel, 1)).value()
    assert not isinstance(found, Bag)
    return [value for row in found for _, value in row.pairs]


def sort_by(rel: Any, field: Any = BY_LENGTH) -> Any:
    return {"sort": {"common": {"direct": {}}, "input": rel, "sorts": [{"expr": f(0), **field}]}}


def test_a_sort_by_a_registered_function(compared: None) -> None:
    """Stable; NULL comes first unless the function takes NULL itself."""
    assert answer(sort_by(WORDS)) == [None, "a", "bb", "dd", "ccc"]
    fs.register_function(URN, "by_length", null_last, returns="i32", nullability="DECLARED_OUTPUT", replace=True)
    assert answer(sort_by(WORDS)) == ["a", "bb", "dd", "ccc", None]
    made = lowered(sort_by(WORDS), 1, p.Sort)
    assert made.specs[0].comparator.name == f"{URN}:by_length"
    assert p.relation_properties(made).order[0].comparator == f"{URN}:by_length"
    node = whole(sort_by(WORDS), 1).lowered().plan
    assert partiql_plan.read(partiql_plan.write(node)) == node


def test_an_order_by_a_function_may_be_reversed(compared: None) -> None:
    """Only the algebra can say so. Rows that the function does not tell apart stay as they are."""
    down = transform(
        whole(sort_by(WORDS), 1).lowered().plan,
        lambda spec: spec.replace(order=p.SortOrder.DESC_NULLS_LAST),
        p.SortSpec,
    )
    found = fs.connect(engine="reference").run(fs.Plan(down)).to_python()
    assert [row["c0"] for row in found] == ["ccc", "bb", "dd", "a", None]


def test_a_top_n_by_a_registered_function(compared: None) -> None:
    rel = {"topN": {**top_n(WORDS, count=i64(3), ties=True)["topN"], "sorts": [{"expr": f(0), **BY_LENGTH}]}}
    assert answer(rel) == [None, "a", "bb", "dd"]
    assert answer(fetch(sort_by(WORDS), count=3)) == [None, "a", "bb"]


def test_what_a_comparison_gives_is_an_integer(compared: None) -> None:
    fs.register_function(URN, "by_length", lambda a, b: "x", returns="i32", replace=True)
    with pytest.raises(fs.EvaluationError, match="compares to string, not to an integer") as raised:
        answer(sort_by(WORDS))
    assert str(raised.value.where) == "at relations[0]/root/input/sort/sorts[0]"
    fs.register_function(URN, "by_length", by_length, returns="string", replace=True)
    with pytest.raises(fs.PlanError, match="a comparison gives an integer, and 'by_length' a string"):
        answer(sort_by(WORDS))
    fs.register_function(URN, "by_length", by_length, returns="i32", takes=["i64", "i64"], replace=True)
    with pytest.raises(fs.FiresteelError, match="by_length"):
        answer(sort_by(WORDS))


def test_a_function_that_nobody_has_registered() -> None:
    with pytest.raises(fs.UnsupportedError, match="which nobody has registered") as raised:
        answer(sort_by(WORDS))
    assert "fs.register_function" in str(raised.value.help)
    assert str(raised.value.where) == "at relations[0]/root/input/sort/sorts[0]"


def test_windows_and_aggregates_know_no_comparison_functions(compared: None) -> None:
    over = window(WORDS, [], [], windowed("arithmetic:row_number"))
    over["window"]["sorts"] = [{"expr": f(0), **BY_LENGTH}]
    with pytest.raises(fs.UnsupportedError, match="the order of a window by the comparison function"):
        answer(over)
    collected = measure("aggregate_generic:any_value", f(0))
    collected["measure"]["sorts"] = [{"expr": f(0), **BY_LENGTH}]
    with pytest.raises(fs.UnsupportedError, match="the order of an aggregate by the comparison function"):
        answer(aggregate(WORDS, [], collected))


# How they show -------------------------------------------------------------------------------------------------------

SHOWN = {
    "hash_join left build left on k$0 eq k$0": (keyed_join("hashJoin", "LEFT", LEFT, RIGHT, (0, 0), build="LEFT"), 4),
    "exchange scatter a$1, k$0 to 3 partitions": (scattered(LEFT, 1, 0, count=3), 2),
    "exchange single_bucket k$0": (exchange(LEFT, "singleTarget", {"expression": f(0)}), 2),
    "exchange multi_bucket l$2 constrained to 4 partitions": (
        exchange(
            virtual("a i64, b i64, l list<i32>", (1, 2, [3])),
            "multiTarget",
            {"expression": f(2), "constrainedToCount": True},
            count=4,
        ),
        3,
    ),
    "exchange round_robin exact to 2 partitions, (0, 1) at 'file:/x'": (
        exchange(LEFT, "roundRobin", {"exact": True}, count=2, targets=[{"partitionId": [0, 1], "uri": "file:/x"}]),
        2,
    ),
    "merging_capture blocking": (captured(LEFT, "MergingCapture", blocking=True), 2),
    "simple_capture": (captured(LEFT, "SimpleCapture"), 2),
    "aggregate streaming count() by k$0": (streaming(aggregate(UP, [f(0)], COUNT)), 2),
    "window streaming row_number() partition by k$0": (
        streaming(window(UP, [f(0)], [], windowed("arithmetic:row_number"))),
        3,
    ),
    "read lefts ordered by a$1 desc nulls last partitioned by k$0 with (x = 'y')": (
        promised(LEFT, (1, "DESC_NULLS_LAST"), partitioned=[0], x="y"),
        2,
    ),
    "read lefts singleton": (promised(LEFT, singleton=True), 2),
    "· constraint: at most 9 bytes in a record": (limited(LEFT, "RecordSizeLimit", maxBytes="9"), 2),
    "· constraint: at most 2.5 seconds of CPU time": (limited(LEFT, "CpuLimit", maxSeconds=2.5), 2),
    "· constraint: at most 4096 bytes of memory": (limited(LEFT, "MemoryLimit", maxBytes="4096"), 2),
}


@pytest.mark.parametrize("text", SHOWN)
def test_explain(text: str) -> None:
    shown = whole(*SHOWN[text]).explain()
    assert any(text in line for line in shown.splitlines()), shown


def test_explain_goes_on_past_a_message_that_cannot_be_read() -> None:
    wrong = {"typeUrl": "x/firesteel.ReadProperties", "value": "//8="}
    assert "read lefts ⟨firesteel.ReadProperties⟩" in whole(optimized(LEFT, wrong), 2).explain()
    capture = {"extensionSingle": {"input": LEFT, "detail": {"typeUrl": "x/firesteel.MergingCapture", "value": "//8="}}}
    assert "merging_capture ⟨of something else⟩" in whole(capture, 2).explain()


def test_explain_of_the_algebra() -> None:
    sent = hinted(exchange(promised(LEFT, (0, "CLUSTERED"), x="y"), "roundRobin", count=2), stats={"rowCount": 5})
    shown = explain(whole(keyed_join("hashJoin", "LEFT", sent, RIGHT, (0, 0), build="LEFT"), 4).lowered().plan)
    for text in (
        "join left hash left equi on k = k",
        "exchange round_robin to 2",
        "· hint: about 5 rows",
        "promised ordered by k clustered; x=y",
    ):
        assert text in shown, shown


def test_explain_of_an_order_by_a_function(compared: None) -> None:
    assert "sort s$0 by by_length" in whole(sort_by(WORDS), 1).explain()
    assert f"sort s asc nulls first by {URN}:by_length" in explain(whole(sort_by(WORDS), 1).lowered().plan)


# The document --------------------------------------------------------------------------------------------------------

DOCUMENT = Path(__file__).parents[2] / "docs" / "substrait-extensions.md"


def test_the_document_has_the_messages_as_they_are_declared() -> None:
    """The .proto text of the document, line by line, against what is read."""
    text = DOCUMENT.read_text(encoding="utf-8").partition("```proto")[2].partition("```")[0]
    messages: dict[str, set[tuple[str, int]]] = {}
    enums: dict[str, tuple[str, ...]] = {}
    within = ["firesteel"]
    for line in text.splitlines():
        if line.strip().startswith("oneof "):
            within.append(f"{within[-1]}/")  # its fields are those of the message
        elif opened := re.match(r" *(message|enum) (\w+) {$", line):
            within.append(opened[2])
            (messages if opened[1] == "message" else enums)[".".join(within)] = set() if opened[1] == "message" else ()
        elif line.strip() == "}":
            within.pop()
        elif found := re.match(r" *(?:[\w. ]+ )?(\w+) = (\d+);$", line):
            name = ".".join(one for one in within if not one.endswith("/"))
            if name in enums:
                assert int(found[2]) == len(enums[name])
                enums[name] += (found[1],)
            else:
                messages[name].add((found[1], int(found[2])))
    assert messages == {name: {(one.name, one.number) for one in fields} for name, fields in OWN_MESSAGES.items()}
    assert enums == OWN_ENUMS
