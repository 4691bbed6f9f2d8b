"""Every node of the algebra is written: by a message, or as a node of ours. What is refused is refused by its name."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel import types as t
from firesteel.node import Node, fields, walk
from firesteel.plan import build
from firesteel.substrait import own_calls
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.message import of_kinds
from firesteel.substrait.own_messages import JOINS
from firesteel.substrait.write.base import EXPRESSIONS, RELATIONS
from firesteel.substrait.write.portable.scope import HANDLERS
from firesteel.substrait.write.statements import STATEMENTS
from tests.physical_cases import TYPES, plan, table
from tests.substrait.plans import grouping, joins
from tests.substrait.write.round_trip import again, difference


def concrete(root: type[Node]) -> set[type[Any]]:
    """The classes that nodes are made of: those with a tag."""
    found = {one for one in root.__subclasses__() if one.tag and one.__module__.startswith("firesteel.plan")}
    for one in root.__subclasses__():
        found |= concrete(one)
    return found


def test_every_relation_has_a_writer() -> None:
    assert set(RELATIONS) == concrete(p.Rel)


def test_every_expression_has_a_writer() -> None:
    assert set(EXPRESSIONS) == concrete(p.Rex)


def test_every_statement_has_a_writer() -> None:
    assert set(STATEMENTS) | {p.Script} == concrete(p.Statement)


def test_every_expression_has_a_function_of_ours_or_a_message() -> None:
    """Of the classes whose message does not say all of them, each has a function in `own_calls`."""
    with_relation = {p.Select, p.Pivot}
    always = {p.Lit}
    assert {cls.tag for cls in concrete(p.Rex) - with_relation - always} == set(own_calls.NODES)


def test_every_part_of_a_relation_can_be_read_again() -> None:
    """What a relation holds, beside expressions and types, is known to the reader by its class."""
    for cls in concrete(p.Rel):
        for spec in fields(cls):
            for part in _classes(spec.annotation):
                assert part in own_nodes.CLASSES.values() or issubclass(part, p.Rel | p.Rex | t.Type), part


def _classes(annotation: Any) -> list[type[Node]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, Node) else []
    return [one for inner in getattr(annotation, "__args__", ()) for one in _classes(inner)]


def test_what_has_no_portable_form_is_named() -> None:
    """A class without a handler in `portable` is refused by name."""
    missing = (concrete(p.Rel) | concrete(p.Rex)) - set(HANDLERS)
    assert {cls.tag for cls in missing} == {
        *("scan_indexed", "unpivot", "exclude", "expand"),
        *("unresolved", "global", "pivot", "select"),
    }
    unpivot = p.Unpivot(build.lit(1))
    with pytest.raises(fs.UnsupportedError, match="'unpivot' for a consumer"):
        substrait.write(plan(unpivot), "datafusion")


# Nodes that no query of the other tests has --------------------------------------------------------------------------

A = build.column(table("t"), 0)
NODES: dict[str, p.Rel] = {
    "indexed": p.ScanIndexed(build.lit([1, 2]), names=("v", "i")),
    "identified": p.Scan(p.Global(TYPES["t"], 0), identified=True, names=("v", "id")),
    "unpivot": p.Unpivot(build.struct([("a", build.lit(1))]), names=("k", "v")),
    "exclude": p.Exclude(
        (
            p.ExcludePath(3, (p.ExcludeField("c", exact=True),)),
            p.ExcludePath(1, (p.ExcludeIndex(2), p.ExcludeElements(), p.ExcludeAttributes())),
        ),
        table("t"),
    ),
    "distinct": p.Distinct(table("t")),
    "a union without duplicates": p.Union(table("t"), table("t"), quantifier=p.Quantifier.DISTINCT),
    "partial groups": p.Aggregate(p.Strategy.PARTIAL, (build.agg("sum", A),), (A,), table("t"), names=("k", "s")),
    "groups of nothing": p.Aggregate(p.Strategy.FULL, (), (), table("t")),
    "shared": p.Union(p.Shared("a name", table("t")), p.Shared("a name", table("t"))),
    "shared by a number": p.Union(p.Shared("0", table("t")), p.Shared("0", table("t"))),
    "declared": table("t").replace(declared=(t.Field("x", t.ANY),)),
    "hints": table("t").replace(hints=p.Hints(row_count=3.0, alias="x", names=("a", "b"))),
    "hints of a filter": p.Filter(build.lit(True), table("t")).replace(hints=p.Hints(record_size=1.5)),
    "a promise that is verified": p.Promised((), table("t"), partitioned=(A,), verified=True),
    "numbered": p.Exchange(p.RoundRobin(), table("t"), numbered=True),
    "lateral": p.Join(p.Cross(), table("t"), p.Scan(build.column(table("t"), 3)), lateral=True),
    "lateral by keys": p.Join(
        p.Equi(p.Capture.LEFT, keys=(p.JoinKey(A, p.Var(t.INT64, 0)),)),
        table("t"),
        p.Scan(p.Collection(t.Array(t.INT64), (build.path(build.column(table("t"), 3), "c"),))),
        lateral=True,
    ),
    "a limit by a value that is not known": p.Limit(p.Lit(t.ANY, 3), table("t")),
    "offset zero": p.Offset(p.Lit(t.INT64, 0), table("t")),
    "frames of groups": p.Window(
        (
            p.WindowCall(
                build.signature("sum", (A,)),
                (A,),
                (),
                (p.SortSpec(A, p.SortOrder.ASC_NULLS_LAST),),
                frame=p.Frame(
                    p.FrameUnit.GROUPS,
                    p.Bound(p.BoundSide.PRECEDING, build.lit(1)),
                    p.Bound(p.BoundSide.CURRENT, None),
                ),
            ),
        ),
        table("t"),
        names=("w",),
    ),
    "a variable of another type": p.Filter(build.call("is_null", p.Var(t.ANY, 0)), table("t")),
    "a function that is not known": p.Project(
        (p.Call(p.Fn("no such", p.FnOption.IMPLICIT_CAST, (p.ValueParam(t.ANY),), t.INT), (A,)),), table("t")
    ),
    "unresolved": p.Project((p.UnresolvedVar(t.ANY, "x"), p.Parameter(t.ANY, 1, default=A)), table("t")),
    "pivot": p.Project(
        (p.Pivot(t.STRUCT, build.call("cast", build.column(table("t"), 1), t.STRING), A, table("t")),), table("t")
    ),
    "a path of many steps": p.Project(
        (p.Path(t.ANY, A, (p.Key(build.lit("a"), optional=True), p.Wildcard(), p.UnpivotStep(), p.Key(build.lit(1)))),),
        table("t"),
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes(name: str) -> None:
    assert not difference(plan(NODES[name]))


STATEMENTS_: dict[str, p.Statement] = {
    "a value": p.Query(build.call("plus", build.lit(1), build.lit(2))),
    "a strict value": p.Query(build.lit(1), mode=p.Mode.STRICT),
    "rows": p.Root(("a", "b", "c", "d"), table("t")),
    "a view": p.CreateView("a.b", build.select(A, table("t")), columns=("x",), replace_existing=True),
    "a strict view": p.CreateView("v", build.lit(1), mode=p.Mode.STRICT),
    "a table": p.CreateTable(("a", "b"), (t.Field("x", t.Int64(nullable=True)),), None, exists=p.IfExists.REPLACE),
    "a table of rows": p.CreateTable(
        ("x",), tuple(p.schema(table("o"))), table("o"), exists=p.IfExists.IGNORE, mode=p.Mode.PERMISSIVE
    ),
    "rows for a table": p.Insert(("x",), tuple(p.schema(table("o"))), table("o")),
    "a pinned table": p.CreateTable(("x",), tuple(p.schema(table("o"))), table("o"), pin=True),
    "files": p.WriteFiles("out.parquet", "parquet", tuple(p.schema(table("o"))), table("o")),
    "files with everything": p.WriteFiles(
        "out/{k}.jsonl.gz",
        "json",
        tuple(p.schema(table("o"))),
        table("o"),
        described_by=(0,),
        rotation=1,
        mask=(1,),
        compression="gzip",
        exists=p.IfExists.APPEND,
        mode=p.Mode.PERMISSIVE,
    ),
    "no table": p.Drop(("x", "y"), if_exists=True),
    "no view": p.Drop(("x",), view=True),
    "one statement of a script": p.Script((p.Drop(("x",)),)),
    "a script": p.Script((p.Drop(("x",)), p.Query(build.lit(1)), p.Root(("k", "v"), table("o")))),
}


@pytest.mark.parametrize("name", STATEMENTS_)
def test_statements(name: str) -> None:
    bindings = tuple(p.GlobalBinding((one,), type_) for one, type_ in TYPES.items())
    assert not difference(p.Plan(STATEMENTS_[name], globals=bindings))


def test_parts_of_a_document() -> None:
    fn = build.signature("plus", (build.lit(1), build.lit(2)))
    made = p.Plan(p.Query(build.lit(1)), version=(0, 2), imports=("a", "b"), types=(t.ANY,), fns=(fn,))
    made = made.replace(constants=(p.Constant("c", 3), p.Constant(None, "x")))
    assert not difference(made)


def test_what_is_refused() -> None:
    """A consumer gets no plan that is no relations; without one, it comes back."""
    empty = p.Plan(p.CreateTable(("a",), (t.Field("x", t.INT64),), None, exists=p.IfExists.IGNORE))
    assert not difference(empty)
    with pytest.raises(fs.UnsupportedError, match="'write_table' for a consumer"):
        substrait.write(empty, "datafusion")
    with pytest.raises(fs.UnsupportedError, match="no target 'nobody'"):
        substrait.write(plan(table("t")), "nobody")


def test_grouping_sets_are_one_aggregate() -> None:
    """They are lowered to a union, and are written as what they were."""
    (case,) = [one for group in grouping.FOUND for one in group.found if one.name.endswith(": rollup")]
    node = fs.read_plan(case.data).node
    assert list(walk(node, p.Union))
    message = substrait.write(node)
    assert not of_kinds(message, "SetRel")["SetRel"]
    (made,) = of_kinds(message, "AggregateRel")["AggregateRel"]
    assert len(made.groupings) > 1


def test_a_mark_is_a_join() -> None:
    """The projection that a mark is read as is written as the join. Those that compare keys of the right with keys of
    the left, in that order, stay projections."""
    for case in [one for group in joins.FOUND for one in group.found if "_MARK" in one.name and one.error is None]:
        node = fs.read_plan(case.data).node
        message = substrait.write(node)
        found = [one for kind in of_kinds(message, *JOINS).values() for one in kind if kind]
        assert any(one.has("type") and one.label("type").endswith("LEFT_MARK") for one in found), case.name
        if "hashJoin RIGHT" not in case.name and "mergeJoin RIGHT" not in case.name:
            assert b"firesteel.Node" not in substrait.encode(message), case.name


def test_explain_names_the_node() -> None:
    data = substrait.encode(substrait.write(plan(NODES["exclude"])))
    assert "extension_single type.googleapis.com/firesteel.Node Exclude" in fs.read_plan(data).explain()


def test_a_shared_relation_is_a_tree_of_its_own() -> None:
    message = substrait.write(plan(NODES["shared by a number"]))
    assert [tree.which("rel_type") for tree in message.relations] == ["rel", "root"]
    assert len(list(walk(again(plan(NODES["shared by a number"])), p.Shared))) == 2
