"""Every node in its canonical form: it reads as what it says, is written just so, and comes back.

`test_every_node_has_a_case` fails as soon as a node is declared that has none here.
"""

from __future__ import annotations

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.ion import write as write_ion
from firesteel.node import Node, all_nodes_in, walk
from firesteel.partiql_plan import Header, TypeDeclaration, UnionDeclaration
from firesteel.partiql_plan.forms import NodeOf, form, tags
from firesteel.partiql_plan.write.document import plan_element
from firesteel.values import Symbol
from tests.partiql_plan.helpers import T, comes_back, plan_of
from tests.plan.strategies import concrete, subclasses

ONE, TWO = p.Lit(t.INT, 1), p.Lit(t.INT, 2)
V0, V1 = p.Var(t.ANY, 0), p.Var(t.ANY, 1)
TRUE = p.Lit(t.BOOL, True)
COUNT = p.Fn("count", p.FnOption.NONE, (p.ValueParam(t.ANY),), t.INT64)
CAST = p.Fn("cast", p.FnOption.PROPAGATE, (p.ValueParam(t.ANY), p.TypeParam(t.INT)), t.INT)
ADD = p.Fn(
    "arithmetic:add",
    p.FnOption.NONE,
    (p.ValueParam(t.INT), p.ValueParam(t.INT)),
    t.INT,
    choices=(p.Choice("overflow", "ERROR"),),
)

ANY, INT, BOOL = "($type any::0)", "($type int::5)", "($type bool::4)"
ONE_, TWO_, TRUE_ = f"(lit {INT} 1)", f"(lit {INT} 2)", f"(lit {BOOL} true)"
V0_, V1_ = f"(var {ANY} 0)", f"(var {ANY} 1)"
T_ = f"(scan (v::{ANY}) (global {ANY} 0))"

REXES: list[tuple[p.Rex, str]] = [
    (ONE, ONE_),
    (p.Lit(t.SYMBOL, Symbol("a")), "(lit ($type symbol::7) a)"),
    (V0, V0_),
    (p.Var(t.ANY, 2, depth=1), f"(var {ANY} 2 (depth 1))"),
    (p.UnresolvedVar(t.ANY, "t"), f"(var {ANY} t::?)"),
    (p.Global(t.BAG, 0), "(global ($type bag::10) 0)"),
    (
        p.Path(t.ANY, V0, (p.Key(ONE), p.Wildcard(), p.UnpivotStep())),
        f"(path {ANY} {V0_} ((step {ONE_}) (step wildcard) (step unpivot)))",
    ),
    (p.Path(t.ANY, V0, (p.Key(ONE, optional=True),)), f"(path {ANY} {V0_} ((step {ONE_} (optional true))))"),
    (p.Call(CAST, (V0, t.INT)), f"(call ($fn cast::0) ((v {V0_}) (t {INT})))"),
    (p.Case(t.INT, V0, (p.Branch(ONE, TWO),)), f"(case {INT} {V0_} (({ONE_} {TWO_})))"),
    (p.Case(t.INT, None, (p.Branch(TRUE, ONE),), default=TWO), f"(case {INT} (({TRUE_} {ONE_})) (default {TWO_}))"),
    (p.Collection(t.BAG, (ONE, TWO)), f"(collection ($type bag::10) ({ONE_} {TWO_}))"),
    (p.Struct(t.STRUCT, (p.Pair(V0, ONE),)), f"(struct ($type struct::14) (({V0_} {ONE_})))"),
    (p.Pivot(t.STRUCT, V0, ONE, T), f"(pivot ($type struct::14) {V0_} {ONE_} {T_})"),
    (p.CollToScalar(p.Select(t.BAG, V0, T)), f"(coll_to_scalar (select ($type bag::10) {V0_} {T_}))"),
    (p.Select(t.BAG, V0, T), f"(select ($type bag::10) {V0_} {T_})"),
    (p.Parameter(t.INT, 3, default=ONE), f"(parameter {INT} 3 (default {ONE_}))"),
]

S = f"(v::{ANY})"
S2 = f"(v::{ANY} v::{ANY})"
HASH = p.JoinStrategy.HASH
ASC = p.SortOrder.ASC_NULLS_LAST
DESC = p.SortOrder.DESC_NULLS_FIRST
FRAME = p.Frame(p.FrameUnit.ROWS, p.Bound(p.BoundSide.PRECEDING, ONE), p.Bound(p.BoundSide.CURRENT, None))
RELS: list[tuple[p.Rel, str]] = [
    (T, T_),
    (p.Scan(ONE, identified=True), f"(scan ({INT} {ANY}) {ONE_} (identified true))"),
    (p.ScanIndexed(p.Lit(t.ARRAY, [])), f"(scan_indexed ({ANY} ($type int64::21)) (lit ($type array::11) []))"),
    (p.Unpivot(V0, names=("k", "v")), f"(unpivot (k::($type string::6) v::{ANY}) {V0_})"),
    (p.Project((V0, ONE), T), f"(project ({ANY} {INT}) ({V0_} {ONE_}) {T_})"),
    (p.Filter(TRUE, T), f"(filter {S} {TRUE_} {T_})"),
    (
        p.Sort((p.SortSpec(V0, ASC), p.SortSpec(ONE, DESC)), T),
        f"(sort {S} (({V0_} 0) ({ONE_} 3)) {T_})",
    ),
    (
        p.Aggregate(p.Strategy.PARTIAL, (p.Agg(COUNT, (V0,)),), (V0,), T, names=("k", "n")),
        f"(aggregate (k::{ANY} n::($type int64::21)) 1 ((agg ($fn count::0) ((v {V0_})))) ({V0_}) {T_})",
    ),
    (
        p.Aggregate(p.Strategy.FULL, (p.Agg(COUNT, (V0,), distinct=True),), (), T),
        f"(aggregate (($type int64::21)) 0 ((agg ($fn count::0) ((v {V0_})) (distinct true))) () {T_})",
    ),
    (p.Union(T, T.replace(names=("w",))), f"(union {S} {T_} {T_.replace('v::', 'w::')})"),
    (
        p.Intersect(T, T.replace(names=("w",)), quantifier=p.Quantifier.DISTINCT),
        f"(intersect {S} (quantifier distinct) {T_} {T_.replace('v::', 'w::')})",
    ),
    (p.Except(T, T.replace(names=("w",))), f"(except {S} {T_} {T_.replace('v::', 'w::')})"),
    (p.Limit(ONE, T), f"(limit {S} {ONE_} {T_})"),
    (p.Offset(ONE, T), f"(offset {S} {ONE_} {T_})"),
    (
        p.Join(p.Cross(), T, p.Scan(V0, names=("w",)), lateral=True),
        f"(join (v::{ANY} w::{ANY}) (cross) (lateral true) {T_} (scan (w::{ANY}) {V0_}))",
    ),
    (
        p.Join(p.Equi(p.Capture.LEFT, keys=(p.JoinKey(V0, ONE),)), T, p.Scan(ONE)),
        f"(join (v::{ANY} ($type int_or_null::30)) (equi 2 (keys ({V0_} {ONE_}))) {T_} (scan ({INT}) {ONE_}))",
    ),
    (
        p.Join(p.Theta(p.Capture.INNER, TRUE), T, p.Scan(ONE)),
        f"(join (v::{ANY} {INT}) (theta 1 {TRUE_}) {T_} (scan ({INT}) {ONE_}))",
    ),
    (p.Distinct(T), f"(distinct {S} {T_})"),
    (p.Shared("a", T), f'(shared {S} "a" {T_})'),
    (
        p.Exclude(
            (
                p.ExcludePath(0, (p.ExcludeField("a"), p.ExcludeField("B", exact=True), p.ExcludeIndex(3))),
                p.ExcludePath(0, (p.ExcludeElements(), p.ExcludeAttributes())),
            ),
            T,
        ),
        f"(exclude {S} ((exclude_path 0 "
        '((exclude_field "a") (exclude_field "B" (exact true)) (exclude_index 3))) '
        f"(exclude_path 0 ((exclude_elements) (exclude_attributes)))) {T_})",
    ),
    (
        p.Window((p.WindowCall(COUNT, (V0,), (V0,), (p.SortSpec(V0, DESC),), frame=FRAME),), T, names=("n",)),
        f"(window (v::{ANY} n::($type int64::21)) ((window_call ($fn count::0) ((v {V0_})) ({V0_}) (({V0_} 3)) "
        f"(frame (frame rows (bound preceding {ONE_}) (bound current))))) {T_})",
    ),
    (
        p.Join(p.Equi(p.Capture.INNER, keys=(p.JoinKey(V0, ONE),)), T, p.Scan(ONE), strategy=HASH, build=p.Side.LEFT),
        f"(join (v::{ANY} {INT}) (equi 1 (keys ({V0_} {ONE_}))) (strategy hash) (build left) {T_} "
        f"(scan ({INT}) {ONE_}))",
    ),
    (
        p.Aggregate(p.Strategy.FULL, (), (V0,), T, method=p.AggregateMethod.STREAMING),
        f"(aggregate ({ANY}) 0 () ({V0_}) (method streaming) {T_})",
    ),
    (
        p.Exchange(p.Scatter((V0,)), T, partitions=3, targets=(p.Target((0, 2), uri="u"), p.Target((), value=7))),
        f'(exchange {S} (scatter ({V0_})) (partitions 3) (targets (target (0 2) (uri "u")) '
        f"(target () (value 7))) {T_})",
    ),
    (
        p.Exchange(p.SingleBucket(V0, constrained=True), T),
        f"(exchange {S} (single_bucket {V0_} (constrained true)) {T_})",
    ),
    (p.Exchange(p.MultiBucket(V0), T), f"(exchange {S} (multi_bucket {V0_}) {T_})"),
    (p.Exchange(p.Broadcast(), T), f"(exchange {S} (broadcast) {T_})"),
    (p.Exchange(p.RoundRobin(exact=True), T), f"(exchange {S} (round_robin (exact true)) {T_})"),
    (p.MergingCapture(T, blocking=True), f"(merging_capture {S} (blocking true) {T_})"),
    (p.SimpleCapture(T), f"(simple_capture {S} {T_})"),
    (
        p.TopN((p.SortSpec(V0, p.SortOrder.CLUSTERED),), ONE, T, skip=TWO, ties=True),
        f"(top_n {S} (({V0_} 4)) {ONE_} (skip {TWO_}) (ties true) {T_})",
    ),
    (
        p.Expand((p.Consistent(V0), p.Switching((ONE, TWO))), T, names=("a", "b", "i")),
        f"(expand (a::{ANY} b::{INT} i::($type int32::20)) ((consistent {V0_}) (switching ({ONE_} {TWO_}))) {T_})",
    ),
    (
        p.Promised((p.SortSpec(V0, ASC, comparator=COUNT),), T, partitioned=(V0,), options=(p.Choice("k", "v"),)),
        f'(promised {S} (({V0_} 0 (comparator ($fn count::0)))) (partitioned {V0_}) (options (choice "k" "v")) {T_})',
    ),
    (
        p.Filter(TRUE, T, hints=p.Hints(row_count=10.5, alias="f", names=("a", "b"))),
        f'(filter {S} {TRUE_} (hints ((row_count 10.5e0) (alias "f") (names "a" "b"))) {T_})',
    ),
    # A schema that the document states and that is not the relation's is kept; names that it cannot carry are said.
    (p.Filter(TRUE, T, declared=(t.Field("x", t.INT),)), f"(filter (x::{INT}) {TRUE_} {T_})"),
    (p.Scan(V0, names=("a", "b")), f'(scan ({ANY}) {V0_} (names "a" "b"))'),
    (p.Scan(V0, declared=(t.Field("a", t.INT),)), f"(scan (a::{INT}) {V0_} (names))"),
]

STATEMENTS: list[tuple[p.Statement, str]] = [
    (p.Query(ONE), f"(query {ONE_})"),
    (p.Query(ONE, mode=p.Mode.STRICT), f"(query (mode strict) {ONE_})"),
    (p.Root(("a",), T), f'(root ("a") {T_})'),
    (p.CreateView("v", ONE, columns=("a", "b")), f'(create_view "v" (columns a b) {ONE_})'),
    (
        p.CreateTable(("a", "t"), (t.Field("x", t.INT),), T, exists=p.IfExists.REPLACE),
        f'(write_table ("a" "t") ((x {INT})) {T_} (exists replace))',
    ),
    (
        p.WriteFiles("o/{x}.parquet", "parquet", (t.Field("x", t.INT),), T, described_by=(0,), rotation=0),
        f'(write_files "o/{{x}}.parquet" "parquet" ((x {INT})) (described_by 0) (rotation 0) {T_})',
    ),
    (p.Insert(("t",), (t.Field("x", t.INT),), T), f'(insert_rows ("t") ((x {INT})) {T_})'),
    (p.Drop(("t",), view=True, if_exists=True), '(drop_object ("t") (view true) (if_exists true))'),
    (p.Script((p.Query(ONE), p.Drop(("t",)))), f'(script ((query {ONE_}) (drop_object ("t"))))'),
]

CASES = [*REXES, *RELS, *STATEMENTS]


def one_line(node: p.PlanNode) -> str:
    """The node as it is written in a plan of its own."""
    statement = next(item for item in plan_element(plan_of(node)).tail if item.is_form("statement")).tail[0]
    wrapped = statement.tail[-1] if isinstance(node, p.Rex | p.Rel) else statement
    return write_ion([wrapped], indent=False)


@pytest.mark.parametrize(("node", "text"), CASES, ids=[f"{i}-{node.tag}" for i, (node, _) in enumerate(CASES)])
def test_a_node_is_written_in_its_canonical_form(node: p.PlanNode, text: str) -> None:
    assert one_line(node) == text
    comes_back(plan_of(node))


@pytest.mark.parametrize(("node", "text"), CASES, ids=[f"{i}-{node.tag}" for i, (node, _) in enumerate(CASES)])
def test_the_canonical_form_is_read(node: p.PlanNode, text: str) -> None:
    fns = "(fns (fn cast 16 ((v any) (t int)) int))" if "cast" in text else "(fns (fn count 0 ((v any)) int64))"
    if "int_or_null::30" in text:  # the one case that refers to a type of the document's own block
        text = f"(import (partiql)) (types (union int_or_null int null)) {text}"
    assert partiql_plan.read_nodes(f"{fns} {text}") == [node]


#: Nodes that only a document has, with a document that has them.
DOCUMENT = p.Plan(
    p.Query(ONE),
    globals=(
        p.GlobalBinding(("a", "b"), t.BAG),
        p.GlobalBinding(("f",), t.BAG, files=p.Files("parquet", (p.FileItem("/x", "file", start=3, length=4),))),
        p.GlobalBinding(("g",), t.BAG, files=p.Files("csv", (), text=p.TextFormat(delimiter="|", null="-"))),
    ),
    constants=(p.Constant("pi", 3), p.Constant(None, "x")),
    definitions=(p.Definition("one", p.Call(CAST, (V0, t.INT))), p.Definition("two", p.Call(ADD, (ONE, TWO)))),
)
HEADER = Header(
    "geo",
    types=(TypeDeclaration("point", (t.Field("srid", t.INT),)), UnionDeclaration("shape", (t.INT, t.BLOB))),
    fns=(COUNT,),
    constants=(p.Constant("tau", 6),),
    definitions=(p.Definition("all", T),),
    nodes=(ONE,),
)


@pytest.mark.parametrize("document", [DOCUMENT, HEADER], ids=["plan", "header"])
def test_a_document_comes_back(document: p.Plan | Header) -> None:
    comes_back(document)


def every_class() -> set[type[Node]]:
    """Every class of which there are nodes, without the types."""
    found: set[type[Node]] = set()
    for cls in subclasses(Node):
        if not issubclass(cls, t.Type) and cls is not Node and (cls.tag or concrete(cls) == [cls]):
            found.add(cls)
    return found


def test_every_node_has_a_case() -> None:
    seen: set[type[Node]] = set()
    for root in (*(node for node, _ in CASES), DOCUMENT, HEADER):
        for node in walk(root):
            seen.add(type(node))
            seen.update(type(one) for held in all_nodes_in(node) for one in walk(held))
    seen.add(t.Field)
    assert {cls.__name__ for cls in every_class() - seen} == set()


def test_no_named_parameter_is_called_like_a_node() -> None:
    # Else `(names ...)` could be a parameter or a child.
    for cls in every_class() - {p.Plan, Header}:
        sorts = [slot.shape.cls for slot in form(cls).in_order if isinstance(slot.shape, NodeOf)]
        assert not set(form(cls).named) & {tag for sort in sorts for tag in tags(sort)}, cls


def test_tags_tell_nodes_apart() -> None:
    assert not set(tags(p.Rex)) & set(tags(p.Rel))
    assert not set(tags(p.Statement)) & (set(tags(p.Rex)) | set(tags(p.Rel)))
