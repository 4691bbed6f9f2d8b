"""The appendices of the PartiQL Plan document: the metasyntax, and labels.

The appendix on graphs has six statements in one file, where a plan has one: they are read one by one here.
"""

from __future__ import annotations

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.plan.check import check
from firesteel.values import Symbol
from tests.partiql_plan.helpers import comes_back, plan_of

# ---------------------------------------------------------------------------------------------------------------------
# Labels

LABELS = """
my_table::'test'                      // assign label 'my_table' to Ion string literal 'test'
my_pk::'id'                           // ...
"""

STAGES = """
gt0::(call gt $0 (lit (int) 0))       // assign label 'gt0' to ($0 > 1) call expression node
gt1::(call gt $0 (lit (int) 1))       // ...

my_scan::(scan $my_table)             // assign label 'my_scan'
my_project::(project ($0))            // ...
"""

FLOW = """
// SELECT t.id FROM test AS t
// WHERE t.id > 0;
(query
  (select
    (flow
      ($my_scan '->' (filter $gt0) '->' $my_project)
    )
  )
)
"""

APPLIED = """
// SELECT t.id FROM test AS t
// WHERE t.id > 1;
(query
  (select
    ($my_project
      (filter $gt1 $my_scan)
    )
  )
)
"""

CREATE_TABLE = """
// CREATE TABLE test (id INT);
(create_table $my_table (
  ($my_pk int)
))
"""

INSERT = """
// INSERT INTO test (id) VALUES (1);
(insert $my_table (lit (int) 1))
"""


@pytest.mark.parametrize(("query", "least"), [(FLOW, 0), (APPLIED, 1)], ids=["flow", "applied"])
def test_labels_and_flows(query: str, least: int) -> None:
    plan = partiql_plan.read(LABELS + STAGES + query)
    assert isinstance(plan, p.Plan)
    gt = p.build.call("gt", p.Var(t.ANY, 0), p.Lit(t.INT, least))
    rel = p.Project((p.Var(t.ANY, 0),), p.Filter(gt, p.Scan(p.Global(t.ANY, 0))))
    assert plan.statement == p.Query(p.Select(t.ANY, p.build.struct([("_1", p.Var(t.ANY, 0))]), rel))
    assert plan.globals == (p.GlobalBinding(("test",), t.ANY),)
    # What has a label is kept, whether it is used or not; `my_project` is a stage, and is where it was applied.
    assert [definition.label for definition in plan.definitions] == ["gt0", "gt1", "my_scan"]
    assert plan.constants == (p.Constant("my_table", Symbol("test")), p.Constant("my_pk", Symbol("id")))
    comes_back(plan)
    # A definition has a meaning only where it is used.
    assert check(plan.replace(definitions=())) == []


@pytest.mark.parametrize(("name", "text"), [("create_table", CREATE_TABLE), ("insert", INSERT)])
def test_what_is_out_of_scope_is_unsupported_by_name(name: str, text: str) -> None:
    with pytest.raises(UnsupportedError, match=f"'{name}' statements"):
        partiql_plan.read(LABELS + text)


def test_several_statements_are_refused() -> None:
    with pytest.raises(PlanError, match="2 statements: a document has one plan"):
        partiql_plan.read(LABELS + STAGES + FLOW + APPLIED)


# ---------------------------------------------------------------------------------------------------------------------
# The metasyntax of Appendix I, on real nodes: `(foo a::int b::int)`, `(bar x::int (y int) (z int))` and
# `(box width::int height::int (color int) | child::element?)` are examples of forms, and no nodes.

EQUIVALENT = {
    "positional parameters may be named": (
        "(sort (($type 0)) (((var 0) 1)) (scan (var 0)))",
        "(sort schema::(($type 0)) specs::((key::(var 0) order::1)) (scan (var 0)))",
        "(sort (($type any::0)) (((var ordinal::0) 1)) input::(scan (var 0)))",
    ),
    "named parameters in any order": (
        "(scan (var 0) (identified true) (names v id))",
        "(scan (var 0) (names v id) (identified true))",
    ),
    "a named parameter is optional": (
        "(var ($type 0) 3)",
        "(var ($type 0) 3 (depth 0))",
    ),
    "the tail comes after the named ones": (
        "(join (cross) (lateral true) (scan (var 0)) (scan (var 1)))",
        "(join (cross) (scan (var 0)) (scan (var 1)) (lateral true))",
    ),
}


@pytest.mark.parametrize("texts", EQUIVALENT.values(), ids=EQUIVALENT)
def test_the_metasyntax(texts: tuple[str, ...]) -> None:
    first, *others = [partiql_plan.read_node(text) for text in texts]
    assert all(other == first for other in others)
    comes_back(plan_of(first))
