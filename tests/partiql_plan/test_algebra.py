"""The relational algebra as s-expressions: reading, names to positions, writing back."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.partiql_plan import algebra
from firesteel.plan.check import check
from firesteel.values import Bag, Symbol

#: The document's examples, by its headings. What they give is tested by the golden files.
DOCUMENT = {
    "scan 1": "(scan (id Foo) f idx uid)",
    "scan 2": "(scan (lit [{x: 1}, {x: 2}]) f idx uid)",
    "scan 3": "(scan (lit 42) f idx uid)",
    "map_values 1": """
        (map_values
            (path (id f) (lit FooId))
            (scan (id Foo) f null null))""",
    "map_values 2": """
        (map_values
            (struct
                (expr_pair (lit fid) (path (id f) (lit FooId)))
                (expr_pair (lit fname) (path (id f) (lit FooName))))
            (scan (id Foo) f null null))""",
    "map_values 3": """
        (map_values
            (id f)
           (scan (id Foo) f null null))""",
    "map_values 4": """
        (map_values
            (call struct_concat (id f) (id b))
            (cross_join
               (scan (id Foo) f null null)
               (scan (id Bar) b null null)))""",
    "cross_join": """
        // Equivalent to: FROM Foo AS f, Bar AS b
        (cross_join
            (scan (id Foo) f)
            (scan (id Bar) b)
        )""",
    "filter": """
        // Equivalent to: FROM Foo AS f WHERE f.FooId = 200
        (filter
            (eq (path (id f) (lit FooId) (lit 200)))
            (scan (id Foo) f null null))""",
    # Mended: 200 is an argument of eq, not a step of the path.
    "filter, mended": """
        (filter
            (eq (path (id f) (lit FooId)) (lit 200))
            (scan (id Foo) f null null))""",
}

#: What docs/algebra.md defines.
DEFINED = [
    "(unpivot (id T) v k)",
    "(unpivot (id T) v)",
    "(scan (id T) t null u)",
    "(join inner (eq (id a) (id b)) (scan (id A) a) (scan (id B) b))",
    "(join left (lit true) (scan (id A) a) (scan (id B) b))",
    "(join right (lit true) (scan (id A) a) (scan (id B) b))",
    "(join full (lit true) (scan (id A) a) (scan (id B) b))",
    "(join left (lit true) (scan (id A) a) (scan (id a) b))",
    "(map_let ((x (id t))) (scan (id T) t))",
    "(map_let ((x (id t)) (y (plus (id x) (lit 1)))) (scan (id T) t))",
    "(project ((x (id t)) (y (lit 1))) (scan (id T) t))",
    "(project () (scan (id T) t))",
    "(limit (lit 5) (offset (lit 2) (scan (id T) t)))",
    "(group_by (keys (k (id t))) (aggregates (n (count_star)) (s (sum distinct (id t)))) (group_as g) (scan (id T) t))",
    "(group_by partial (keys (k (id t))) (scan (id T) t))",
    "(group_by (aggregates (n (count (id t)))) (scan (id T) t))",
    "(group_by (group_as g) (cross_join (scan (id A) a) (scan (id B) b)))",
    "(order_by (((id t)) ((id t) desc) ((id t) asc nulls_first) ((id t) desc nulls_last)) (scan (id T) t))",
    "(distinct (scan (id T) t))",
    "(union (scan (id A) a) (scan (id B) b))",
    "(intersect distinct (scan (id A) a) (scan (id B) b))",
    "(except all (scan (id A) a) (scan (id B) b))",
    "(pivot (id v) (id k) (unpivot (id T) v k))",
    "(list (lit 1) (bag (lit x)) (sexp))",
    "(case (id x) (when (lit 1) (lit a)) (else (lit b)))",
    "(case (when (lit true) (lit a)))",
    '(cast (lit "1") (type int))',
    '(cast (lit "1") (type (decimal 38 2)))',
    "(coll_to_scalar (map_values (id a) (scan (id A) a)))",
    '(path (id t) (lit a) (lit "b") (lit 3) (id i) (wildcard) (unpivot))',
    "(call frobnicate (lit 1))",
    "(lit $bag::[1, $missing::null])",
    "(id catalog schema T)",
    "(map_values (global a) (scan (id A) a))",
]

MEANINGLESS = ("filter", "(call frobnicate (lit 1))")


def comes_back(text: str) -> p.Plan:
    plan = algebra.read(text)
    assert algebra.read(algebra.write(plan)) == plan
    assert partiql_plan.read(partiql_plan.write(plan)) == plan
    return plan


@pytest.mark.parametrize("name", DOCUMENT)
def test_an_example_of_the_document_comes_back(name: str) -> None:
    plan = comes_back(DOCUMENT[name])
    found = [error.message for error in check(plan)]
    assert found == (["'eq' does not take 1 arguments"] if name in MEANINGLESS else [])


@pytest.mark.parametrize("text", DEFINED)
def test_what_is_defined_beyond_it_comes_back(text: str) -> None:
    plan = comes_back(text)
    assert check(plan) == [] or text in MEANINGLESS


# ---------------------------------------------------------------------------------------------------------------------
# What it means


def test_bindings_are_a_root_with_their_names_and_a_value_is_a_query() -> None:
    root = algebra.read("(scan (id Foo) f idx uid)", mode="strict")
    scan = p.ScanIndexed(p.Global(t.ANY, 0), identified=True, names=("f", "idx", "uid"))
    assert root == p.Plan(
        p.Root(("f", "idx", "uid"), scan, mode=p.Mode.STRICT), globals=(p.GlobalBinding(("Foo",), t.ANY),)
    )
    assert algebra.read("(lit 1)").statement == p.Query(p.Lit(t.INT64, 1))


def test_null_aliases_bind_nothing() -> None:
    assert algebra.read("(scan (id T) t null null)") == algebra.read("(scan (id T) t)")
    by = algebra.read("(scan (id T) t null u)").statement
    assert isinstance(by, p.Root)
    assert by.input == p.Scan(p.Global(t.ANY, 0), identified=True, names=("t", "u"))


def test_the_key_of_unpivot_comes_first_and_may_be_left_out() -> None:
    both = algebra.read("(unpivot (id T) v k)").statement
    assert isinstance(both, p.Root)
    assert both.names == ("k", "v")
    value = algebra.read("(unpivot (id T) v)").statement
    assert isinstance(value, p.Root)
    assert value.names == ("v",)


def test_a_symbol_is_a_key_that_matches_in_any_case() -> None:
    path = algebra.read('(path (lit {}) (lit FooId) (lit "FooId"))').statement.rex
    assert [step.key for step in path.steps] == [p.Lit(t.SYMBOL, Symbol("FooId")), p.Lit(t.STRING, "FooId")]


def test_scan_is_from_also_for_a_struct() -> None:
    """The document's prose has a bag of a struct's values, its examples have FROM, and the suite says what that is."""
    session = fs.connect(engine="reference")
    row = "(struct (expr_pair (lit v) (id v)) (expr_pair (lit i) (id i)))"
    assert session.run(f"(map_values {row} (scan (lit {{a: 5}}) v i))").to_ion() == "$bag::[{v: {a: 5}}]"
    assert session.query("SELECT v, i FROM {'a': 5} AS v AT i").to_ion() == "$bag::[{v: {a: 5}}]"
    assert session.run(f"(map_values {row} (unpivot (lit {{a: 5}}) v i))").to_ion() == '$bag::[{v: 5, i: "a"}]'


@pytest.mark.parametrize(
    "text", ["(filter (lit 1) (scan (id T) f))", "(join inner (lit a) (scan (id T) f) (scan (id U) g))"]
)
def test_a_condition_that_is_no_boolean_is_missing_unless_strict(text: str) -> None:
    assert check(algebra.read(text)) == []
    (problem,) = check(algebra.read(text, mode="strict"))
    assert "condition is a bool" in problem.message


def test_map_values_keeps_the_kind_of_its_input() -> None:
    def kind(source: str) -> t.Type:
        return algebra.read(f"(map_values (id t) (scan {source} t))").statement.rex.type

    assert isinstance(kind("(lit [1])"), t.Array)
    assert isinstance(kind("(lit $bag::[1])"), t.Bag)
    assert isinstance(kind("(lit 1)"), t.Bag)
    assert kind("(id T)") == t.ANY


def test_the_innermost_name_is_meant_and_rows_are_counted() -> None:
    text = """
        (map_values
            (map_values (list (id a) (id b) (id c)) (scan (id b) b))
            (cross_join (scan (id A) a) (scan (id B) b)))"""
    outer = comes_back(text).statement.rex
    assert outer.constructor.constructor.items == (
        p.Var(t.ANY, 0, depth=1),
        p.Var(t.ANY, 0),
        p.Global(t.ANY, 2),
    )
    # The scan of the inner one sees the outer row as the row at hand.
    assert outer.constructor.input.rex == p.Var(t.ANY, 1)


def test_a_join_is_lateral_if_its_right_side_uses_the_left() -> None:
    text = "(map_values (map_values (id b) (cross_join (scan (id A) a) (scan {} b))) (scan (id T) t))"
    inner = comes_back(text.format("(path (id a) (lit x) (id t))")).statement.rex.constructor.input
    assert inner.lateral
    path = inner.right.rex
    assert (path.root.depth, path.steps[1].key.depth) == (0, 1)
    inner = comes_back(text.format("(path (id t) (lit x))")).statement.rex.constructor.input
    assert not inner.lateral
    assert inner.right.rex.root.depth == 0


def test_the_right_side_of_a_lateral_join_may_be_a_query() -> None:
    text = """
        (cross_join (scan (id A) a)
            (filter (gt (id b) (id a)) (cross_join (scan (id B) b) (scan (id a) c))))"""
    join = comes_back(text).statement.input
    assert join.lateral
    assert join.right.predicate.args == (p.Var(t.ANY, 0), p.Var(t.ANY, 0, depth=1))
    assert not join.right.input.lateral
    assert join.right.input.right.rex == p.Var(t.ANY, 0)


def test_globals_are_counted_once() -> None:
    plan = algebra.read("(list (id A) (id B) (id A) (id a b))")
    assert [binding.path for binding in plan.globals] == [("A",), ("B",), ("a", "b")]
    assert [rex.ordinal for rex in plan.statement.rex.items] == [0, 1, 0, 2]


def test_orders_have_partiql_s_defaults() -> None:
    orders = algebra.read(DEFINED[17]).statement.input.specs
    assert [spec.order.name for spec in orders] == [
        "ASC_NULLS_LAST",
        "DESC_NULLS_FIRST",
        "ASC_NULLS_FIRST",
        "DESC_NULLS_LAST",
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(cross_join (scan (id Foo) f) (scan (id Bar) f))", "cross_join binds the name 'f' twice"),
        ("(map_let ((f (lit 1))) (scan (id Foo) f))", "map_let binds the name 'f' twice"),
        ("(scan (id T) t t)", "scan binds the name 't' twice"),
        ("(scan (id T))", "scan does not take 1 arguments"),
        ("(scan (id T) null)", "scan needs an AS alias"),
        ("(scan T t)", "a value expression is expected here, not the symbol 'T'"),
        ("(filter (lit true) (id T))", "a bindings expression is expected here, and 'id' is none"),
        ("(map_values (scan (id T) t) (scan (id T) t))", "a value expression is expected here, and 'scan' is none"),
        ("(flter (lit true) (scan (id T) t))", "no operator 'flter'"),
        ("(join outer (lit true) (scan (id A) a) (scan (id B) b))", "no join 'outer'"),
        ("(order_by (((id t) upwards)) (scan (id T) t))", "no direction 'upwards'"),
        ("(struct (lit a) (lit 1))", "a struct is made of pairs"),
        ("(group_by (keys ((id t) k)) (scan (id T) t))", "a name is a symbol"),
        ("(group_by (keys) (having x) (scan (id T) t))", "group_by has no such part"),
        ("(lit 1) (lit 2)", "one expression, not 2"),
        ("", "one expression, not 0"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        algebra.read(text)


def test_an_error_knows_its_place_and_a_near_miss() -> None:
    with pytest.raises(PlanError) as caught:
        algebra.read("(map_values (id t)\n  (fliter (lit true) (scan (id T) t)))", name="q.ion")
    assert str(caught.value) == (
        "FS300: no operator 'fliter'\n"
        "q.ion:2:3 (at map_values/input/fliter)\n"
        "    (fliter (lit true) (scan (id T) t)))\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  did you mean 'filter'?"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Plans from elsewhere

T = p.Scan(p.Lit(t.ARRAY, [1]))
V0 = p.Var(t.ANY, 0)


def written(node: p.Rex | p.Rel) -> str:
    statement = p.Query(node) if isinstance(node, p.Rex) else p.Root(tuple("ab")[: len(p.schema(node))], node)
    return " ".join(algebra.write(p.Plan(statement)).split())


def test_columns_without_names_get_some() -> None:
    assert written(p.Filter(V0, T)) == "(project ((a (id _1))) (filter (id _1) (scan (lit [1]) _1)))"


def test_an_equi_join_is_a_join_on_eq() -> None:
    keys = (p.JoinKey(V0, V0), p.JoinKey(V0, p.Lit(t.INT, 1)))
    join = p.Join(p.Equi(p.Capture.LEFT, keys=keys), T.replace(names=("a",)), T.replace(names=("b",)))
    on = "(and (eq (id a) (id b)) (eq (id a) (lit 1)))"
    assert written(join) == f"(join left {on} (scan (lit [1]) a) (scan (lit [1]) b))"


def test_a_bag_of_a_list_says_so() -> None:
    assert written(p.Select(t.BAG, V0, T)) == "(to_bag (map_values (id _1) (scan (lit [1]) _1)))"


def test_a_hidden_global_is_still_found() -> None:
    plan = p.Plan(
        p.Query(p.Select(t.ARRAY, p.Global(t.ANY, 0), T.replace(names=("G",)))),
        globals=(p.GlobalBinding(("G",), t.ANY),),
    )
    assert algebra.write(plan) == "(map_values (global G) (scan (lit [1]) G))"
    assert algebra.read(algebra.write(plan)).globals == plan.globals


X = T.replace(names=("x",))
HIDDEN = p.Select(t.ARRAY, p.Select(t.ARRAY, p.Var(t.ANY, 0, depth=1), X), X)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (p.UnresolvedVar(t.ANY, "t"), "'unresolved' has no form in the algebra"),
        (p.Select(t.ARRAY, V0, p.Scan(p.Lit(t.BAG, Bag()))), "'select' has no form in the algebra: an array"),
        (p.Join(p.Cross(), X, X), "both sides bind the same name"),
        (p.Join(p.Equi(p.Capture.INNER), T, T), "'equi' has no form"),
        (p.Collection(t.ANY, ()), "'collection' has no form"),
        (p.Exclude((), T), "'exclude' has no form"),
        (HIDDEN, "the variable 'x' is hidden"),
    ],
)
def test_what_the_algebra_cannot_say_is_named(node: p.Rex | p.Rel, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        written(node)


def test_a_view_has_no_form() -> None:
    with pytest.raises(UnsupportedError, match="'create_view' has no form"):
        algebra.write(p.Plan(p.CreateView("v", V0)))


def test_a_plan_with_shared_parts_is_written_out_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.partiql_plan.algebra.writer.MAX_NODES", 10_000)
    rel: p.Rel = T
    for _ in range(40):
        rel = p.Union(rel, rel)
    with pytest.raises(UnsupportedError, match="more than 10,000 nodes"):
        written(p.Select(t.BAG, V0, rel))
