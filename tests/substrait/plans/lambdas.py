"""Lambdas, the parameters of a plan, and what the run gives."""

from __future__ import annotations

from decimal import Decimal

from tests.substrait.plans.build import (
    add,
    call,
    dynamic,
    eq,
    f,
    function_of,
    gt,
    gte,
    i64,
    invoked,
    is_null,
    lit,
    multiply,
    named_lambda,
    null,
    param,
    struct,
    variable,
)
from tests.substrait.plans.cases import Cases
from tests.substrait.plans.expressions import NUMBERS, N, value
from tests.substrait.plans.relations import filtered, only, virtual

# Lambdas -------------------------------------------------------------------------------------------------------------

LAMBDAS = Cases("lambda")
LISTS = virtual("l list<i64?>?, n i64", ([1, 2, N], 10), ([], 20), (N, 30))
TWICE = function_of(["i64?"], multiply(param(0), i64(2)))
LAMBDAS.gives("transform", only(LISTS, 2, call("list:transform", f(0), TWICE)), ([2, 4, N],), ([],), (N,))
LAMBDAS.gives(
    "filter",
    only(LISTS, 2, call("list:filter", f(0), function_of(["i64?"], gt(param(0), i64(1))))),
    ([2],),
    ([],),
    (N,),
)
LAMBDAS.gives(
    "it sees the row",
    only(LISTS, 2, call("list:transform", f(0), function_of(["i64?"], add(param(0), f(1))))),
    ([11, 12, N],),
    ([],),
    (N,),
)
LAMBDAS.gives(
    "any_match",
    only(LISTS, 2, call("list:any_match", f(0), function_of(["i64?"], gt(param(0), i64(1))))),
    (True,),
    (False,),
    (N,),
)
LAMBDAS.gives(
    "any_match: NULL if it might",
    only(LISTS, 2, call("list:any_match", f(0), function_of(["i64?"], gt(param(0), i64(5))))),
    (N,),
    (False,),
    (N,),
)
LAMBDAS.gives(
    "all_match",
    only(LISTS, 2, call("list:all_match", f(0), function_of(["i64?"], gt(param(0), i64(1))))),
    (False,),
    (True,),
    (N,),
)
LAMBDAS.gives(
    "all_match: NULL if it might",
    only(LISTS, 2, call("list:all_match", f(0), function_of(["i64?"], gt(param(0), i64(0))))),
    (N,),
    (True,),
    (N,),
)
INNER = call("list:transform", param(0), function_of(["i64"], add(param(0), call("list:cardinality", param(0, out=1)))))
LAMBDAS.gives(
    "in a lambda: the parameters of both",
    only(
        virtual("l list<list<i64>>", ([[1, 2], [3]],)),
        1,
        call("list:transform", f(0), function_of(["list<i64>"], INNER)),
    ),
    ([[3, 4], [4]],),
)
value(
    LAMBDAS,
    "called at once",
    invoked(function_of(["i64", "i64"], add(param(0), multiply(param(1), i64(10)))), i64(1), i64(2)),
    21,
)
LAMBDAS.gives(
    "called at once, with the row",
    only(virtual("a i64, b i64", (1, 2)), 2, invoked(function_of(["i64"], add(param(0), f(1))), f(0))),
    (3,),
)
NAMED = [{"lambdaAnchor": 4, **TWICE}]
LAMBDAS.gives(
    "one that the plan declares, as an argument",
    only(LISTS, 2, call("list:transform", f(0), named_lambda(4))),
    ([2, 4, N],),
    ([],),
    (N,),
    namedLambdas=NAMED,
)
value(LAMBDAS, "one that the plan declares, called", invoked(4, i64(21)), 42, namedLambdas=NAMED)
LAMBDAS.gives(
    "a struct as a parameter",
    only(
        virtual("l list<struct<i64,string>>", ([(1, "x"), (2, "y")],)),
        1,
        call("list:transform", f(0), function_of(["struct<i64,string>"], param(0, 1))),
    ),
    (["x", "y"],),
)

# Parameters and variables --------------------------------------------------------------------------------------------

PARAMETERS = Cases("parameter")
value(PARAMETERS, "bound in the plan", add(dynamic("i64", 1), i64(1)), 6, parameters={1: i64(5)})
value(PARAMETERS, "bound at run time", add(dynamic("i64", 0), i64(1)), 8, params={0: 7})
value(
    PARAMETERS,
    "what is bound at run time goes before the plan's",
    dynamic("i64", 1),
    7,
    parameters={1: i64(5)},
    params={1: 7},
)
value(PARAMETERS, "NULL, bound in the plan", dynamic("i64?", 1), N, parameters={1: null("i64")})
value(PARAMETERS, "NULL, bound at run time", is_null(dynamic("i64?", 1)), True, params={1: N})
value(
    PARAMETERS,
    "text and a decimal",
    struct(dynamic("string", 0), dynamic("decimal<5,2>", 1)),
    ("x", Decimal("1.50")),
    params={0: "x", 1: Decimal("1.50")},
)
PARAMETERS.gives("in a filter", filtered(NUMBERS, eq(f(0), dynamic("i64", 3))), (2,), params={3: 2})

VARIABLES = Cases("variable")
value(VARIABLES, "the date", gte(variable("currentDate"), lit("date", "2024-01-01")), True)
value(VARIABLES, "the date is one in all of a plan", eq(variable("currentDate"), variable("currentDate")), True)
MOMENT = variable("currentTimestamp", {"precision": 6, "nullability": "NULLABILITY_REQUIRED"})
value(VARIABLES, "the time is one in all of a plan", eq(MOMENT, MOMENT), True)
value(VARIABLES, "the time", gt(MOMENT, lit("precision_timestamp_tz<6>", 1_700_000_000_000_000)), True)
value(VARIABLES, "the time zone", is_null(variable("currentTimezone")), False)

FOUND = [LAMBDAS, PARAMETERS, VARIABLES]
