"""Every plan and node that the PartiQL Plan document shows: it reads, and reads back equal after being written.

The texts are the document's own. Where one is not well-formed Ion, or stops at `...`, a comment says what was mended.
The appendices are in `test_appendices.py`. The blocks that only give a form (`(query <rex>)`) are the cases of
`test_nodes.py`; the block in a language of its own that Appendix II sketches is no Ion, and not here.
"""

from __future__ import annotations

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.plan.check import check
from firesteel.values import MISSING, Bag, Struct, Symbol
from tests.partiql_plan.helpers import comes_back, plan_of

# Mended: the shell's prompt and the query before the plan are left out.
FIRST_PLAN = """
(
    partiql :: plan
    version :: (0 1)
    (statement
        (query
            (select
                ($type 10)
                (struct ($type 14) (
                    ((lit ($type 6) "a") (var ($type 0) 0))
                    ((lit ($type 6) "b") (var ($type 0) 1))
                ))
                (project (($type 0) ($type 0)) (
                        (path ($type 0) (var t::?) (
                            (step (lit ($type 7) a))
                        ))
                        (path ($type 0) (var t::?) (
                            (step (lit ($type 7) b))
                        ))
                    )
                    (scan (($type 0)) (var T::?))
)))))
"""

QUERY_PLAN = """
(
    partiql :: plan
    version :: (0 1)

    (import (partiql))

    (globals
        ((mycatalog myschema 'T') ($ype 0))
    )

    // ($type 0) is `any`

    (statement
        (query
            (select
                ($type 10)
                (struct ($type 14) (
                    ((lit ($type 6) "a") (var ($type 0) 0))
                    ((lit ($type 6) "b") (var ($type 0) 1))
                ))
                (project (($type 0) ($type 0)) (
                        (path ($type 0) (var 0) (
                            (step (lit ($type 7) a))
                        ))
                        (path ($type 0) (var 0) (
                            (step (lit ($type 7) b))
                        ))
                    )
                    (scan (($type 0)) ($global 0))
)))))
"""

# Mended: the document stops at `...` in each section.
STRUCTURE = """
(
  partiql :: plan                // PartiQL Plan marker

  version :: (0 1)               // PartiQL Plan version

  (import (partiql))             // Import

  (globals ((T) ($type 0)))      // Global bindings

  (statement (query ($global 0)))  // Statement to execute, `main`
)
"""


def column(name: str, root: p.Rex) -> p.Rex:
    return p.Path(t.ANY, root, (p.Key(p.Lit(t.SYMBOL, Symbol(name))),))


def select_a_b(root: p.Rex, source: p.Rex) -> p.Query:
    pairs = tuple(p.Pair(p.Lit(t.STRING, name), p.Var(t.ANY, i)) for i, name in enumerate("ab"))
    project = p.Project((column("a", root), column("b", root)), p.Scan(source))
    return p.Query(p.Select(t.BAG, p.Struct(t.STRUCT, pairs), project))


def test_the_first_plan_as_it_stands() -> None:
    plan = partiql_plan.read(FIRST_PLAN)
    assert plan == p.Plan(select_a_b(p.UnresolvedVar(t.ANY, "t"), p.UnresolvedVar(t.ANY, "T")))
    comes_back(plan)
    assert next(error.message for error in check(plan)) == "the variable 't' is not resolved"


def test_the_plan_of_the_query_statement_as_it_stands() -> None:
    plan = partiql_plan.read(QUERY_PLAN)
    bindings = (p.GlobalBinding(("mycatalog", "myschema", "T"), t.ANY),)
    assert plan == p.Plan(select_a_b(p.Var(t.ANY, 0), p.Global(t.ANY, 0)), globals=bindings)
    comes_back(plan)
    assert check(plan) == []


def test_the_structure_of_a_plan_file() -> None:
    plan = partiql_plan.read(STRUCTURE)
    assert plan == p.Plan(p.Query(p.Global(t.ANY, 0)), globals=(p.GlobalBinding(("T",), t.ANY),))
    comes_back(plan)


# ---------------------------------------------------------------------------------------------------------------------
# Nodes

# Mended: one parenthesis too many, and the scan is the project's input, not the select's.
CREATE_VIEW = """
(create_view "example"
  (select
    (project ((path (star)))
      (scan
        (global "T" collection)
      )
    )
  )
)
"""

# Mended: 'null' has to be quoted to be an annotation.
LITERALS = """
// annotations are simply for readability

(lit ($type bool::0) false)

(lit ($type decimal::3) 1.50)

(lit ($type bag::17) [ "x", "y", "z" ])

(lit ($type array::18) [ 0, 1, 2 ])

(lit ($type struct::19) {
  "x": 0,
  "y": 1,
  "z": 2,
})

(lit ($type string::9) "abc")

(lit ($type missing::1) null)

(lit ($type 'null'::2) null)
"""

VARIABLES = """
(var ($type string::9) 0)   // 'hello'

(var ($type bag::11) 1)     // << 1.0, 1.1 >>
"""

PATHS = """
// Types
(types
  (symbol) // type 0
)

// Let `a` be resolved to (var ($type x) 0).

// `a.b.c`
(path ($type ?)
  (var ($type x) 0) (
    (step (lit ($type 0) b))
    (step (lit ($type 0) c))
))

// `a.b[*]`
(path ($type ?)
  (var ($type x) 0) (
    (step (lit ($type 0) b))
    (step wildcard)
))

// `a.*`
(path ($type ?)
  (var ($type x) 0) (
    (step unpivot)
))
"""

# Mended: the document gives only the blocks; each function is called once. Its comment calls the last one ($fn 3).
CALLS = """
(types
  (int)     // ($type 0)
  (float)   // ($type 1)
)

(fns
  (fn plus ((v ($type 0)) (v ($type 0))) returns::($type 0)) // ($fn 0) <int> + <int>
  (fn plus ((v ($type 1)) (v ($type 1))) returns::($type 1)) // ($fn 1) <float> + <float>
  // casts
  (fn cast ((v ($type 0)) (t ($type 1))) returns::($type 1)) // ($fn 3) CAST(<int> AS <float>)
)

(call ($fn 0) ((v (lit ($type 0) 1)) (v (lit ($type 0) 2))))
(call ($fn 1) ((v (lit ($type 1) 1e0)) (v (lit ($type 1) 2e0))))
(call ($fn 2) ((v (lit ($type 0) 1)) (t ($type 1))))
"""

# Mended: the document stops at `...` after the options.
OPTIONS = """
// 0x00 -> explicit cast
// 0x01 -> implicit cast
// 0x0_ -> do not propagate null + missing
// 0x1_ -> propagate null + missing

(call (fn plus 0x11 ((v int) (v int)) returns::int) ((v (var 0)) (v (var 1))))

// function would resolve with implicit casts
"""

# Mended: the document's scan stops at `...`.
PIVOT = """
(pivot (var ($type i) k::0) (var ($type j) v::1)
  (scan (var 0))
)
"""

# Mended: the names k~0~ and so on are marked up, and no Ion; the list stops at `...`.
UNPIVOT = """
(unpivot (at (var 0 string))
  (lit tuple { k0: v0, kn: vn })
)
"""

PROJECT = """
// TODO example out-of-date

(project ( (var 1) )
  (scan (lit bag [
    { "a": 10, "b": 20 },
    { "a": 30, "b": 40 },
  ]))
)
"""

FILTER = """
(filter (call gte (args (var 0) (var 1)))
  (scan (lit bag [
    { "x": 0, "y": 1 },
    { "x": 1, "y": 1 },
    { "x": 2, "y": 1 },
  ]))
)
"""

EXAMPLES = [CREATE_VIEW, LITERALS, VARIABLES, PATHS, CALLS, OPTIONS, PIVOT, UNPIVOT, PROJECT, FILTER]


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("(", 1)[1].split()[0])
def test_the_nodes_of_an_example_come_back(text: str) -> None:
    for node in partiql_plan.read_nodes(text):
        comes_back(plan_of(node))


def test_literals_are_what_their_type_says() -> None:
    found = partiql_plan.read_nodes(LITERALS)
    assert [type(node) for node in found] == [p.Lit] * 8
    assert [node.type.tag for node in found] == [
        "bool",
        "decimal",
        "bag",
        "array",
        "struct",
        "string",
        "missing",
        "null",
    ]
    assert found[2] == p.Lit(t.BAG, Bag(["x", "y", "z"]))
    assert found[3] == p.Lit(t.ARRAY, [0, 1, 2])
    assert found[4] == p.Lit(t.STRUCT, Struct([("x", 0), ("y", 1), ("z", 2)]))
    assert found[6:] == [p.Lit(t.MISSING, MISSING), p.Lit(t.NULL, None)]


def test_a_name_decides_where_the_document_numbers_types_differently() -> None:
    assert partiql_plan.read_nodes(VARIABLES) == [p.Var(t.STRING, 0), p.Var(t.BAG, 1)]


def test_a_document_with_types_and_without_import_counts_its_own() -> None:
    paths = partiql_plan.read_nodes(PATHS)
    open_type, root = t.Unresolved("?"), p.Var(t.Unresolved("x"), 0)
    b, c = (p.Key(p.Lit(t.SYMBOL, Symbol(name))) for name in "bc")
    assert paths[0] == p.Path(open_type, root, (b, c))
    assert paths[1] == p.Path(open_type, root, (b, p.Wildcard()))
    assert paths[2] == p.Path(open_type, root, (p.UnpivotStep(),))
    ints, floats, cast = partiql_plan.read_nodes(CALLS)
    assert (ints.type, floats.type, cast.type) == (t.INT, t.FLOAT64, t.FLOAT64)
    assert cast.args == (p.Lit(t.INT, 1), t.FLOAT64)


def test_options_are_bits() -> None:
    call = partiql_plan.read_node(OPTIONS)
    assert call.fn.opts == p.FnOption.IMPLICIT_CAST | p.FnOption.PROPAGATE


def test_a_view_of_everything_is_not_resolved() -> None:
    view = partiql_plan.read_node(CREATE_VIEW)
    assert isinstance(view, p.CreateView)
    assert view.name == "example"
    assert view.query.input == p.Project((p.UnresolvedVar(t.ANY, "*"),), p.Scan(p.Global(t.ANY, 0)))


def test_a_function_that_is_only_named_gets_its_types_from_the_catalogue() -> None:
    call = partiql_plan.read_node(FILTER).predicate
    assert call.fn.name == "gte"
    assert call.fn.opts == p.FnOption.PROPAGATE
    assert call.type == t.Bool(nullable=True, missable=True)
