"""Expressions that are wrong: the kind of error, and the place in the plan that it names."""

from __future__ import annotations

from typing import Any

from firesteel.errors import AnalysisError, PlanError, UnsupportedError
from tests.substrait.plans.build import (
    At,
    Enum,
    Key,
    add,
    anchored,
    call,
    cast,
    compared,
    detached,
    dynamic,
    elements,
    entry,
    eq,
    f,
    function_of,
    gt,
    i64,
    if_then,
    in_rows,
    invoked,
    listed,
    lit,
    mapped,
    mask,
    masked,
    named_lambda,
    of,
    one_of,
    outer,
    param,
    row_of,
    scalar,
    switch,
    text,
)
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.kinds import type_
from tests.substrait.plans.relations import (
    only,
    virtual,
)

CASES = Cases("wrong expression")
fails = CASES.fails
ONE = virtual("x i64", (1,))
TWO = virtual("x i64, y string", (1, "a"))
EXPR = "root/input/project/expressions[0]"


def expression(name: str, expr: Any, error: Any, where: str, **parts: Any) -> None:
    """An expression over a row of an i64 and a string."""
    fails(name, only(TWO, 2, expr), error, where, **parts)


# References ----------------------------------------------------------------------------------------------------------

expression("a field that is not there", f(2), PlanError, f"{EXPR}/selection/direct_reference/struct_field")
expression("a negative field", f(-1), PlanError, f"{EXPR}/selection/direct_reference/struct_field")
expression(
    "a field of an integer", f(0, 0), PlanError, f"{EXPR}/selection/direct_reference/struct_field/child/struct_field"
)
expression(
    "an element of text", f(1, At(0)), PlanError, f"{EXPR}/selection/direct_reference/struct_field/child/list_element"
)
expression(
    "a key of an integer",
    f(0, Key("string", "a")),
    PlanError,
    f"{EXPR}/selection/direct_reference/struct_field/child/map_key",
)
expression(
    "a field that a struct has not",
    of(lit("struct<i64>", (1,)), 1),
    PlanError,
    f"{EXPR}/selection/direct_reference/struct_field",
)
expression(
    "a mask with a field that is not there",
    masked(mask([5])),
    PlanError,
    f"{EXPR}/selection/masked_reference/select/struct_items[0]",
)
MASK = f"{EXPR}/selection/masked_reference/select/struct_items[0]/child"
expression("a mask of a map on an integer", masked(mask({0: entry("a")})), PlanError, f"{MASK}/map")
fails(
    "a mask of a key on a map with other keys",
    only(virtual("m map<i64,i64>"), 1, masked(mask({0: entry("a")}))),
    PlanError,
    f"{MASK}/map",
)
NUMBERED = "a map with keys that are not text"
expression(NUMBERED, mapped((f(0), f(1))), UnsupportedError, f"{EXPR}/nested")
expression(f"{NUMBERED}: a literal", lit("map<i64,i64>", {1: 2}), UnsupportedError, "literal/map/key_values[0]")
fails(
    f"{NUMBERED}: a key of it",
    only(virtual("m map<i64,i64>"), 1, f(0, Key("i64", 1))),
    UnsupportedError,
    f"{EXPR}/selection/direct_reference/struct_field/child/map_key",
)
fails(
    f"{NUMBERED}: a cast to one",
    only(virtual("m map<string,i64>"), 1, cast(f(0), "map<i64,i64>")),
    UnsupportedError,
    f"{EXPR}/cast",
)
for name, parts in {"overlap": ((0, 2), 1), "are not in order": (2, 0), "repeat": (1, 1)}.items():
    fails(
        f"a mask with parts of a list that {name}",
        only(virtual("l list<i64>", ([1, 2, 3],)), 1, masked(mask({0: elements(*parts)}))),
        UnsupportedError,
        f"{MASK}/list",
    )
fails(
    "a mask by a pattern of keys",
    only(
        virtual("m map<string,i64>", ({"a": 1, "b": 2},)),
        1,
        masked(mask({0: {"map": {"expression": {"mapKeyExpression": "a*"}}}})),
    ),
    UnsupportedError,
    f"{MASK}/map",
)
expression("no row outside", outer(1, 0), PlanError, f"{EXPR}/selection/outer_reference")
expression("no step outside", outer(0, 0), PlanError, f"{EXPR}/selection/outer_reference")
expression("no relation of that anchor", anchored(3, 0), PlanError, f"{EXPR}/selection/outer_reference")
expression("no lambda around it", param(0), PlanError, f"{EXPR}/selection")
expression("an expression that says nothing", {}, PlanError, EXPR)
expression("a reference that says nothing", {"selection": {"rootReference": {}}}, PlanError, f"{EXPR}/selection")
fails(
    "a field in a row of the plan",
    virtual("x i64", (f(0),)),
    PlanError,
    "virtual_table/expressions[0]/fields[0]/selection",
)

# Functions -----------------------------------------------------------------------------------------------------------

expression(
    "a function that is not declared",
    {"scalarFunction": {"functionReference": 99}},
    PlanError,
    f"{EXPR}/scalar_function",
)
expression("a function that there is not", call("arithmetic:frobnicate", f(0)), PlanError, f"{EXPR}/scalar_function")
expression("too few arguments", add(f(0)), PlanError, f"{EXPR}/scalar_function")
expression("too many arguments", add(f(0), f(0), f(0)), PlanError, f"{EXPR}/scalar_function")
expression("arguments of other types", add(f(0), f(1)), PlanError, f"{EXPR}/scalar_function")
expression("arguments of two types where they are of one", eq(f(0), f(1)), PlanError, f"{EXPR}/scalar_function")
expression(
    "another output type", call("comparison:equal", f(0), f(0), returns="string"), PlanError, f"{EXPR}/scalar_function"
)
expression("an aggregate where a scalar is wanted", call("arithmetic:sum", f(0)), PlanError, f"{EXPR}/scalar_function")
expression(
    "a name that is none of those",
    call("datetime:extract", Enum("FORTNIGHT"), lit("date", "2024-01-01")),
    PlanError,
    f"{EXPR}/scalar_function",
)
expression(
    "an argument that says nothing",
    {"scalarFunction": {**add()["scalarFunction"], "arguments": [{}]}},
    PlanError,
    f"{EXPR}/scalar_function/arguments[0]",
)
expression(
    "an option that there is not",
    call("arithmetic:add", f(0), f(0), options={"overflow": "PANIC"}),
    UnsupportedError,
    f"{EXPR}/scalar_function",
)

# Other expressions ---------------------------------------------------------------------------------------------------

expression("a condition that is no boolean", if_then((f(0), f(0))), PlanError, f"{EXPR}/if_then/ifs[0]/if")
expression("results of two types", if_then((gt(f(0), i64(1)), f(0)), default=f(1)), PlanError, f"{EXPR}/if_then")
expression("an if without conditions", if_then(), PlanError, f"{EXPR}/if_then")
expression("a record of another width", row_of([f(0), f(1)], [i64(1)]), PlanError, f"{EXPR}/multi_or_list/options[0]")
expression(
    "an option of another type", one_of(f(0), i64(1), text("x")), PlanError, f"{EXPR}/singular_or_list/options[1]"
)
expression(
    "a field of another type in a record",
    row_of([f(0), f(1)], [i64(1), i64(2)]),
    PlanError,
    f"{EXPR}/multi_or_list/options[0]/fields[1]",
)
expression("a case of another type", switch(f(0), (text("x"), f(0))), PlanError, f"{EXPR}/switch_expression/ifs[0]/if")
expression("a list without elements", listed(), PlanError, f"{EXPR}/nested")
expression("elements of two types", listed(i64(1), text("x")), PlanError, f"{EXPR}/nested")
expression("a cast to nothing", {"cast": {"input": f(0), "type": {}}}, PlanError, f"{EXPR}/cast/type")
expression(
    "a cast that has no meaning", {"cast": {"input": f(0), "type": type_("uuid")}}, UnsupportedError, f"{EXPR}/cast"
)
expression("an i8 of nine bits", {"literal": {"i8": 300}}, PlanError, f"{EXPR}/literal")
expression(
    "a decimal of three bytes",
    {"literal": {"decimal": {"value": "AAAA", "precision": 5, "scale": 2}}},
    PlanError,
    f"{EXPR}/literal",
)
expression("a UUID of three bytes", {"literal": {"uuid": "AAAA"}}, PlanError, f"{EXPR}/literal")
expression("a literal that says nothing", {"literal": {}}, PlanError, f"{EXPR}/literal")
expression("an alias of nothing", {"literal": {"null": type_("alias<9>")}}, PlanError, f"{EXPR}/literal/null/alias")
expression(
    "an alias of itself",
    {"literal": {"null": type_("alias<1>")}},
    PlanError,
    f"{EXPR}/literal/null/alias",
    typeAliases=[{"typeAliasAnchor": 1, "type": type_("alias<2>")}, {"typeAliasAnchor": 2, "type": type_("alias<1>")}],
)
expression("a lambda that is no argument", function_of(["i64"], param(0)), UnsupportedError, f"{EXPR}/lambda")
expression(
    "a lambda called with too little", invoked(function_of(["i64"], param(0))), PlanError, f"{EXPR}/lambda_invocation"
)
expression(
    "a lambda that there is not",
    call("list:transform", lit("list<i64>", [1]), named_lambda(3)),
    PlanError,
    "value/named_lambda_reference",
)
expression("a parameter that nobody gives", dynamic("i64", 2), AnalysisError, f"{EXPR}/dynamic_parameter")
expression(
    "a parameter of another type", dynamic("i64", 0), AnalysisError, f"{EXPR}/dynamic_parameter", params={0: "x"}
)
expression("a detached expression that there is not", detached(4), PlanError, EXPR)
expression(
    "a detached expression in itself",
    detached(0),
    PlanError,
    "detached_expressions[0]/scalar_function/arguments[0]/value",
    expressions=[add(detached(0), i64(1))],
)

# Subqueries ----------------------------------------------------------------------------------------------------------

expression("a scalar of two columns", scalar(TWO), PlanError, f"{EXPR}/subquery/scalar")
expression("two needles in one column", in_rows([f(0), f(1)], ONE), PlanError, f"{EXPR}/subquery/in_predicate")
expression(
    "a comparison that does not say which",
    compared(f(0), "UNSPECIFIED", "ANY", ONE),
    PlanError,
    f"{EXPR}/subquery/set_comparison",
)
expression("a needle of another type", in_rows([f(1)], ONE), PlanError, f"{EXPR}/subquery/in_predicate/needles[0]")
expression(
    "a comparison with another type",
    compared(f(1), "EQ", "ANY", ONE),
    PlanError,
    f"{EXPR}/subquery/set_comparison/left",
)
expression(
    "a comparison of two columns", compared(f(0), "EQ", "ANY", TWO), PlanError, f"{EXPR}/subquery/set_comparison"
)

FOUND = [CASES]
