"""The reference of relations: docs/relations.md. Columns, orderedness and distribution are derived from sample plans.

make docs
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesteel import plan as p
from firesteel import types as t
from firesteel.node import fields
from firesteel.plan import build
from firesteel.plan.properties import FieldPath, Partitioned, Properties, Singleton
from firesteel.values import Bag

TARGET = Path(__file__).parent.parent / "docs" / "relations.md"
HEAD = """# Relations

*Written by `make docs` from the classes in `src/firesteel/plan/` (`tools/docs_relations.py` has the samples).*

Every relation of Substrait's logical and physical relations, and the node of the algebra that it is. The sample input
has the columns `a`, `b`, `c`, is ordered by `a` and then `b`, and is partitioned by `c`; the second input of a join
has the columns `x`, `y` and is partitioned by `x`. *Output*, *ordered by* and *partitioned by* are what follows for
the relation over that input: the "Direct Output Order" and "Property Maintenance" rows of the specification. An order
holds within each partition. If Spark's operator does not keep what is promised, it is restored when a DataFrame or a
file is asked for ([decision 46](decisions/0046-properties-and-physical-relations.md)).

| relation | inputs | output | ordered by | partitioned by |
|---|---|---|---|---|
"""

NAMES = ("a", "b", "c")
TRUE, ONE = p.Lit(t.BOOL, True), p.Lit(t.INT64, 1)


def _table(names: tuple[str, ...], order: str, partitioned: str) -> p.Rel:
    row = t.Struct(tuple(t.Field(name, t.INT64) for name in names), open=False)
    scan = p.Scan(p.Lit(t.Bag(row), Bag([])))
    rel = p.Project(tuple(build.path(build.column(scan, 0), name) for name in names), scan, names=names)
    specs = tuple(p.SortSpec(build.column(rel, names.index(one)), p.SortOrder.ASC_NULLS_LAST) for one in order)
    return p.Promised(specs, rel, partitioned=(build.column(rel, names.index(partitioned)),))


INPUT, OTHER = _table(NAMES, "ab", "c"), _table(("x", "y"), "x", "x")
A, B, C = (build.column(INPUT, i) for i in range(3))
ON = p.JoinKey(A, build.column(OTHER, 0))
BY_C = (p.SortSpec(C, p.SortOrder.ASC_NULLS_LAST),)


def _join(capture: p.Capture, strategy: p.JoinStrategy | None = None) -> p.Rel:
    return p.Join(p.Equi(capture, keys=(ON,)), INPUT, OTHER, strategy=strategy)


def _aggregate(method: p.AggregateMethod | None) -> p.Rel:
    return p.Aggregate(p.Strategy.FULL, (build.agg("count_star"),), (A, C), INPUT, names=("a", "c", "n"), method=method)


def _window(method: p.WindowMethod | None) -> p.Rel:
    call = p.WindowCall(build.signature("rank", ()), (), (A,), (p.SortSpec(B, p.SortOrder.ASC_NULLS_LAST),))
    return p.Window((call,), INPUT, names=("rank",), method=method)


def _exchange(kind: p.ExchangeKind) -> p.Rel:
    return p.Exchange(kind, INPUT, partitions=4)


_TWICE = p.Expand((p.Consistent(A), p.Switching((B, C))), INPUT, names=("a", "s", "i"))
_ADDED = p.Project((A, B, C, A, build.call("plus", B, ONE)), INPUT, names=("a", "b", "c", "a again", "b + 1"))
_PLAIN_TESTS = "tests/substrait/plans"
_CASES = "tests/physical_cases.py"


@dataclass(frozen=True)
class Relation:
    """A relation of the specification: a sample, what it is read from, how Spark runs it, and where it is tested."""

    name: str
    sample: p.Rel
    message: str
    spark: str
    tests: str
    inputs: int | None = None


RELATIONS = (
    Relation("Read", INPUT, "`ReadRel`; promises: `firesteel.ReadProperties`", "a scan", _PLAIN_TESTS, 0),
    Relation("Filter", p.Filter(TRUE, INPUT), "`FilterRel`", "`filter`", _PLAIN_TESTS),
    Relation("Sort", p.Sort(BY_C, INPUT), "`SortRel`", "`orderBy`, or within partitions", _PLAIN_TESTS),
    Relation("Project", _ADDED, "`ProjectRel`", "`select`", _PLAIN_TESTS),
    Relation("Cross product", p.Join(p.Cross(), INPUT, OTHER), "`CrossRel`", "`crossJoin`", _PLAIN_TESTS),
    Relation("Join, inner", _join(p.Capture.INNER), "`JoinRel`", "`join`; Catalyst chooses", _PLAIN_TESTS),
    Relation("Join, left", _join(p.Capture.LEFT), "`JoinRel`", "`join`; Catalyst chooses", _PLAIN_TESTS),
    Relation("Join, right", _join(p.Capture.RIGHT), "`JoinRel`", "`join`; Catalyst chooses", _PLAIN_TESTS),
    Relation("Join, semi", _join(p.Capture.LEFT_SEMI), "`JoinRel`", "`join`; Catalyst chooses", _PLAIN_TESTS),
    Relation("Set", p.Union(INPUT, INPUT), "`SetRel`", "`union`, or groups that are counted", _PLAIN_TESTS),
    Relation("Fetch", p.Limit(ONE, p.Offset(ONE, INPUT)), "`FetchRel`", "`limit`, `offset`", _PLAIN_TESTS),
    Relation("Aggregate", _aggregate(None), "`AggregateRel`", "`groupBy`", _PLAIN_TESTS),
    Relation(
        "Hash equijoin, inner", _join(p.Capture.INNER, p.JoinStrategy.HASH), "`HashJoinRel`", "`shuffle_hash`", _CASES
    ),
    Relation(
        "Hash equijoin, left", _join(p.Capture.LEFT, p.JoinStrategy.HASH), "`HashJoinRel`", "`shuffle_hash`", _CASES
    ),
    Relation(
        "Nested loop join",
        _join(p.Capture.INNER, p.JoinStrategy.NESTED_LOOP),
        "`NestedLoopJoinRel`",
        "a broadcast nested loop",
        _CASES,
    ),
    Relation("Merge equijoin", _join(p.Capture.INNER, p.JoinStrategy.MERGE), "`MergeJoinRel`", "`merge`", _CASES),
    Relation("Exchange, scatter", _exchange(p.Scatter((A,))), "`ExchangeRel`", "`repartition` by keys", _CASES),
    Relation("Exchange, single bucket", _exchange(p.SingleBucket(B)), "`ExchangeRel`", "`repartitionById`", _CASES),
    Relation(
        "Exchange, multi bucket",
        _exchange(p.MultiBucket(build.collection(t.Array, [A, B]))),
        "`ExchangeRel`",
        "`explode`, `repartitionById`",
        _CASES,
    ),
    Relation(
        "Exchange, broadcast",
        _exchange(p.Broadcast()),
        "`ExchangeRel`",
        "`explode`, `repartitionById`; below a join `broadcast`",
        _CASES,
    ),
    Relation(
        "Exchange, round robin",
        _exchange(p.RoundRobin()),
        "`ExchangeRel`",
        "`repartition`; exact: row numbers, `repartitionById`",
        _CASES,
    ),
    Relation(
        "Merging capture",
        p.MergingCapture(INPUT),
        "`ExtensionSingleRel` of `firesteel.MergingCapture`",
        "the rows in order",
        _CASES,
    ),
    Relation(
        "Simple capture",
        p.SimpleCapture(INPUT),
        "`ExtensionSingleRel` of `firesteel.SimpleCapture`",
        "the rows",
        _CASES,
    ),
    Relation("Top-N", p.TopN(BY_C, ONE, INPUT), "`TopNRel`", "`orderBy` and `limit`, in one operator", _CASES),
    Relation(
        "Hash aggregate",
        _aggregate(p.AggregateMethod.HASH),
        "`AggregateRel` with `firesteel.AggregateStrategy`",
        "`groupBy`",
        _CASES,
    ),
    Relation(
        "Streaming aggregate",
        _aggregate(p.AggregateMethod.STREAMING),
        "`AggregateRel` with `firesteel.AggregateStrategy`",
        "`groupBy`; the order of the keys is kept",
        _CASES,
    ),
    Relation(
        "Consistent partition window",
        _window(p.WindowMethod.CONSISTENT),
        "`ConsistentPartitionWindowRel`",
        "window functions",
        _CASES,
    ),
    Relation(
        "Hashing window",
        _window(p.WindowMethod.HASHING),
        "`ConsistentPartitionWindowRel` with `firesteel.WindowStrategy`",
        "window functions",
        _CASES,
    ),
    Relation(
        "Streaming window",
        _window(p.WindowMethod.STREAMING),
        "`ConsistentPartitionWindowRel` with `firesteel.WindowStrategy`",
        "window functions",
        _CASES,
    ),
    Relation("Expand", _TWICE, "`ExpandRel`", "a join with the numbers of the duplicates", _CASES),
)


def document() -> str:
    """The reference as Markdown."""
    second = ["\n| relation | read from | node, written as Ion | on Spark | cases |\n|---|---|---|---|---|\n"]
    second += map(_second, RELATIONS)
    return HEAD + "".join(map(_first, RELATIONS)) + "".join(second) + _TAIL


_TAIL = """
`Write` gives no output: it is the statement `insert`, or `create_table` (see [the guide](guide.md)). `Join` has twelve
types; right semi, anti, single and mark joins are left ones of swapped inputs. Every type runs with every strategy.
Messages that begin with `firesteel.` are ours ([docs/substrait-extensions.md](substrait-extensions.md)).
"""


def _first(relation: Relation) -> str:
    rel = relation.sample
    names = [field.name or f"column {i}" for i, field in enumerate(p.schema(rel))]
    known = p.relation_properties(rel)
    count = len(p.inputs(rel)) if relation.inputs is None else relation.inputs
    cells = (relation.name, str(count), ", ".join(names), _order(known, names), _distribution(known, names))
    return f"| {' | '.join(cells)} |\n"


def _path(field: frozenset[FieldPath], names: list[str]) -> str:
    """A field by the names of its columns."""
    paths = ([names[int(path[0])], *map(str, path[1:])] for path in sorted(field, key=str))
    return " = ".join(map(".".join, paths))


def _order(known: Properties, names: list[str]) -> str:
    return ", ".join(_path(one.field, names) for one in known.order) or "—"


def _distribution(known: Properties, names: list[str]) -> str:
    match known.distribution:
        case Partitioned(fields=fields):
            return ", ".join(sorted(_path(one, names) for one in fields))
        case Singleton():
            return "one partition"
    return "—"


def _second(relation: Relation) -> str:
    kind = _form(relation.sample)
    return f"| {relation.name} | {relation.message} | `{kind}` | {relation.spark} | `{relation.tests}` |\n"


def _form(rel: p.Rel) -> str:
    """The node as the PartiQL Plan document has it, with its own parameters; what is below it is left out."""
    own = [name for name in rel.part_names if name not in ("declared", "names", "hints", "left", "right", "input")]
    shown = [f"({name} {_short(getattr(rel, name))})" for name in own if _is_said(rel, name)]
    kind = [f"({rel.kind.tag} ...)"] if isinstance(rel, p.Exchange) else []
    return " ".join([rel.tag, *kind, *shown])


def _is_said(rel: p.Rel, name: str) -> bool:
    spec = next(one for one in fields(type(rel)) if one.name == name)
    return spec.named and getattr(rel, name) != spec.default


def _short(value: object) -> str:
    return str(getattr(value, "value", value)) if not isinstance(value, tuple) else "..."
