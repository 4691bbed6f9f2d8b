"""The appendices of the PartiQL Plan document: the metasyntax, and labels.

The appendix on labels has five statements in one file, which are read one by one here, and run as they stand.
"""

from __future__ import annotations

import pytest

import firesteel as fs
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


#: The file of the appendix, whole. Its `$0` is a row, which is not greater than 0: both queries are empty.
WHOLE = LABELS + CREATE_TABLE + INSERT + INSERT.replace("1", "2") + STAGES + FLOW + APPLIED
#: The file, mended: `$0` is what the comment says, `t.id`.
MENDED = WHOLE.replace("gt $0", "gt $id").replace("(project ($0))", "(project ($id))") + (
    "id::(path $0 ((step (lit id))))"
)


@pytest.mark.parametrize(("text", "answers"), [(WHOLE, ["", ""]), (MENDED, ["{_1: 1}, {_1: 2}", "{_1: 2}"])])
def test_the_file_of_the_appendix_runs(text: str, answers: list[str]) -> None:
    plan = partiql_plan.read(text)
    assert isinstance(plan, p.Plan)
    assert [type(one) for one in plan.statements] == [p.CreateTable, p.Insert, p.Insert, p.Query, p.Query]
    comes_back(plan)
    session = fs.connect(engine="reference")
    assert [answer.to_ion() for answer in session.run_all(plan)] == [f"$bag::[{rows}]" for rows in answers]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (INSERT, "'insert' into 'test', which this file does not create"),
        (CREATE_TABLE + "(insert $my_table (lit 1) (lit 2))", "'test' has 1 columns, and 2 values are given"),
        ("(create_table 5 ((a int)))", "a name is expected here"),
        ("(create_table x (a))", "a column is a name and a type"),
        ("(create_table x)", "create_table takes a name and a list of columns"),
        ("(insert)", "insert takes a name and a value for each column"),
        ("(upsert x)", "'upsert' statements are not supported"),
        ("(query (lit 1)) 5", "2 top-level values: a file has one plan, or several statements"),
    ],
)
def test_what_is_wrong_with_statements(text: str, message: str) -> None:
    with pytest.raises((PlanError, UnsupportedError), match=message):
        partiql_plan.read(LABELS + text)


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
