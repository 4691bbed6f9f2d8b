"""What the document shows besides the canonical forms reads as them."""

from __future__ import annotations

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.values import MISSING, Bag, Struct

S = "(scan (($type 0)) (var ($type 0) 0))"

#: A liberal form, and the canonical one.
SAME = [
    ("$3", "(var ($type any::0) 3)"),
    ("(var 3)", "(var ($type 0) 3)"),
    ("(var 3 string)", "(var ($type string::6) 3)"),
    ("(var x::3)", "(var ($type 0) 3)"),
    ("(var t::?)", "(var ($type 0) t::?)"),
    ("(var ?)", "(var ($type 0) '?'::?)"),
    ("(lit 5)", "(lit ($type int64::21) 5)"),
    ("(lit int 5)", "(lit ($type 5) 5)"),
    ("(lit (decimal 38 2) 1.50)", "(lit ($type (decimal 38 2)) 1.50)"),
    ("(lit list [1])", "(lit ($type array::11) [1])"),
    ("(lit tuple {})", "(lit ($type struct::14) {})"),
    ("(lit float 1e0)", "(lit ($type float64::8) 1e0)"),
    ("(path $0 ((step wildcard)))", "(path ($type 0) (var ($type 0) 0) ((step wildcard)))"),
    ("(path $0 ((wildcard) (unpivot_step)))", "(path ($type 0) $0 ((step wildcard) (step unpivot)))"),
    ("(call gt $0 $1)", "(call gt ((v $0) (v $1)))"),
    ("(call gt (args $0 $1))", "(call gt ((v $0) (v $1)))"),
    ("(call gt ($0 $1))", "(call gt ((v $0) (v $1)))"),
    ("(call not $0)", "(call not ((v $0)))"),
    ("(call not (var 0))", "(call not ((v $0)))"),
    ("(call cast $0 (t int))", "(call cast ((v $0) (t ($type 5))))"),
    ("(call cast $0 ($type int))", "(call cast ((v $0) (t ($type 5))))"),
    ("(call (fn f (int int) (bool)) $0)", "(call (fn f 0 ((v int) (v int)) bool) ((v $0)))"),
    ("(struct ())", "(struct ($type 0) ())"),
    ("(tuple ($type 14) ($0 $1) ($1 $0))", "(struct ($type 14) (($0 $1) ($1 $0)))"),
    ("(tuple ($0 $1))", "(struct ($type 0) (($0 $1)))"),
    ("(struct ($type 14) ($0 $1) ($1 $0))", "(struct ($type 14) (($0 $1) ($1 $0)))"),
    ("(case (($0 $1)))", "(case ($type 0) (($0 $1)))"),
    ("(case $2 (($0 $1)) (default $3))", "(case ($type 0) $2 (($0 $1)) (default $3))"),
    ("(case int (($0 $1)))", "(case ($type 5) (($0 $1)))"),
    ("(collection ($0))", "(collection ($type 0) ($0))"),
    (f"(pivot $0 $1 {S})", f"(pivot ($type 0) $0 $1 {S})"),
    (f"(select $0 {S})", f"(select ($type 0) $0 {S})"),
    (f"(filter $0 {S})", f"(filter (($type 0)) $0 {S})"),
    (f"(limit (lit 1) {S})", f"(limit (($type 0)) (lit 1) {S})"),
    ("(unpivot (at (var 0)) $0)", "(unpivot (($type string) ($type 0)) $0)"),
    (f"(join cross {S} {S})", f"(join (($type 0) ($type 0)) (cross) {S} {S})"),
    (f"(join (theta left $0) {S} {S})", f"(join (theta 2 $0) {S} {S})"),
    (f"(join (theta capture::3 $0) {S} {S})", f"(join (theta 2 $0) {S} {S})"),
    (f"(join (theta 5 $0) {S} {S})", f"(join (theta right_outer $0) {S} {S})"),
    (f"(join (equi 7 (keys ($0 $0))) {S} {S})", f"(join (equi 6 (keys ($0 $0))) {S} {S})"),
    (f"(sort (($0 desc_nulls_first)) {S})", f"(sort (($0 3)) {S})"),
    (f"(aggregate full ((agg count $0)) () {S})", f"(aggregate strategy::0 ((agg count ((v $0)))) () {S})"),
    (f"(flow ({S} '->' (filter $0) '->' (limit $1)))", f"(limit $1 (filter $0 {S}))"),
    (f"(flow {S} -> (filter $0))", f"(filter $0 {S})"),
    (f"(flow ({S}))", S),
]


@pytest.mark.parametrize(("liberal", "canonical"), SAME, ids=[liberal[:40] for liberal, _ in SAME])
def test_a_liberal_form_reads_as_the_canonical_one(liberal: str, canonical: str) -> None:
    assert partiql_plan.read_node(liberal) == partiql_plan.read_node(canonical)


def test_a_select_without_constructor_makes_structs_of_its_columns() -> None:
    named = partiql_plan.read_node("(select (scan (v::($type 0)) $0))")
    assert isinstance(named, p.Select)
    assert named.constructor == p.build.struct([("v", p.Var(t.ANY, 0))])
    unnamed = partiql_plan.read_node("(select (project ($0 $0) (scan $0)))")
    assert isinstance(unnamed, p.Select)
    assert unnamed.constructor == p.build.struct([("_1", p.Var(t.ANY, 0)), ("_2", p.Var(t.ANY, 1))])


def test_a_select_without_relation_has_one_row() -> None:
    select = partiql_plan.read_node("(select (lit 5))")
    assert select == p.Select(t.ANY, p.Lit(t.INT64, 5), p.Scan(p.build.lit(Bag([Struct()]))))


def test_unpivot_binds_its_keys_to_the_first_variable_only() -> None:
    with pytest.raises(UnsupportedError, match="variable 0"):
        partiql_plan.read_node("(unpivot (at (var 1)) $0)")


def test_a_function_that_nobody_knows_has_any_type() -> None:
    call = partiql_plan.read_node("(call frobnicate $0 (lit 1))")
    assert isinstance(call, p.Call)
    assert call.fn == p.Fn("frobnicate", p.FnOption.NONE, (p.ValueParam(t.ANY), p.ValueParam(t.ANY)), t.ANY)


def test_a_function_of_the_wrong_arity_is_for_the_checker() -> None:
    call = partiql_plan.read_node("(call not $0 $1)")
    assert isinstance(call, p.Call)
    assert call.type == t.ANY


def test_globals_by_name_are_added_once() -> None:
    text = '(query (collection (global "T" collection) (global U) (global "T") ($global T) ($global 1)))'
    plan = partiql_plan.read(text.replace("(collection", "(collection (", 1).replace("1)))", "1))))"))
    assert isinstance(plan, p.Plan)
    assert plan.globals == (p.GlobalBinding(("T",), t.ANY), p.GlobalBinding(("U",), t.ANY))
    assert [rex.ordinal for rex in plan.statement.rex.items] == [0, 1, 0, 0, 1]


def test_a_global_has_its_declared_type() -> None:
    plan = partiql_plan.read(
        "(partiql::plan version::(0 1) (globals ((T) ($type bag))) (statement (query ($global 0))))"
    )
    assert isinstance(plan, p.Plan)
    assert plan.statement == p.Query(p.Global(t.BAG, 0))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(lit ($type missing) null)", MISSING),
        ("(lit (bag (bag)) [[1], [2]])", Bag([Bag([1]), Bag([2])])),
        ("(lit (struct ((a ($type bag)))) {a: [1], b: [2]})", Struct([("a", Bag([1])), ("b", [2])])),
        ("(lit (array (bag)) $bag::[[1]])", Bag([Bag([1])])),
        ("(lit bag 5)", 5),
        ("(lit int null)", None),
    ],
)
def test_a_literal_is_of_the_kind_that_its_type_says(text: str, value: object) -> None:
    lit = partiql_plan.read_node(text)
    assert isinstance(lit, p.Lit)
    assert lit == p.Lit(lit.type, value)


def test_an_arity_that_fits_no_form_is_refused() -> None:
    for text in (
        "(var)",
        "(lit 1 2 3)",
        "(select)",
        "(select $0 $1 $2 $3)",
        "(path $0)",
        "(call)",
        "(case)",
        "(global)",
    ):
        with pytest.raises(PlanError):
            partiql_plan.read_node(text)
