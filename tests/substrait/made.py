"""Substrait plans made by hand, as JSON: small, and together with something of every kind."""

from __future__ import annotations

import json
from typing import Any

from firesteel.substrait import Message, from_json

Json = dict[str, Any]

#: The functions that the plans use: name with signature, by extension; the anchor is the place in the list.
FUNCTIONS = [
    ("functions_comparison", "gt:any_any"),
    ("functions_comparison", "equal:any_any"),
    ("functions_boolean", "and:bool"),
    ("functions_arithmetic", "add:i64_i64"),
    ("functions_arithmetic", "multiply:i64_i64"),
    ("functions_aggregate_generic", "count:"),
    ("functions_arithmetic", "sum:i64"),
    ("functions_string", "concat:str"),
    ("functions_arithmetic", "row_number:"),
    ("functions_list", "transform:list_func"),
    ("functions_string", "lower:str"),
]
URNS = sorted({urn for urn, _ in FUNCTIONS})
ANCHORS = {name.partition(":")[0]: i for i, (_, name) in enumerate(FUNCTIONS)}


def plan(*relations: Json, **others: Any) -> Json:
    """A plan of relation trees."""
    return {
        "version": {"minorNumber": 80, "producer": "hand"},
        "extensionUrns": [
            {"extensionUrnAnchor": i, "urn": f"extension:io.substrait:{urn}"} for i, urn in enumerate(URNS, 1)
        ],
        "extensions": [
            {
                "extensionFunction": {
                    "extensionUrnReference": URNS.index(urn) + 1,
                    "functionAnchor": i,
                    "name": name,
                }
            }
            for i, (urn, name) in enumerate(FUNCTIONS)
        ],
        "relations": list(relations),
        **others,
    }


def root(rel: Json, *names: str) -> Json:
    return {"root": {"input": rel, "names": list(names)}}


def type_(kind: str, *, nullable: bool = False, **parts: Any) -> Json:
    return {kind: {"nullability": "NULLABILITY_NULLABLE" if nullable else "NULLABILITY_REQUIRED", **parts}}


I64, I32, STRING, BOOL = type_("i64"), type_("i32"), type_("string", nullable=True), type_("bool")


def schema(**columns: Json) -> Json:
    return {"names": list(columns), "struct": {"types": list(columns.values()), **type_("x")["x"]}}


def read(table: str = "t", **more: Any) -> Json:
    """The table of the tests: a i64, b string?, c i32."""
    columns = schema(a=I64, b=STRING, c=I32)
    return {"read": {"baseSchema": columns, "namedTable": {"names": [table]}, **more}}


def field(ordinal: int, **more: Any) -> Json:
    segment = {"structField": {"field": ordinal}}
    return {"selection": {"directReference": segment, **(more or {"rootReference": {}})}}


def outer(ordinal: int, steps: int = 1) -> Json:
    return field(ordinal, outerReference={"stepsOut": steps})


def lit(**literal: Any) -> Json:
    return {"literal": literal}


def call(name: str, *args: Json, out: Json, **more: Any) -> Json:
    arguments = [{"value": arg} for arg in args]
    return {"scalarFunction": {"functionReference": ANCHORS[name], "arguments": arguments, "outputType": out, **more}}


def measure(name: str, *args: Json, out: Json, **more: Any) -> Json:
    arguments = [{"value": arg} for arg in args]
    return {
        "functionReference": ANCHORS[name],
        "arguments": arguments,
        "outputType": out,
        "phase": "AGGREGATION_PHASE_INITIAL_TO_RESULT",
        **more,
    }


def emit(*ordinals: int) -> Json:
    return {"emit": {"outputMapping": list(ordinals)}}


def filtered(rel: Json, condition: Json, **more: Any) -> Json:
    return {"filter": {"input": rel, "condition": condition, **more}}


def project(rel: Json, *expressions: Json, **more: Any) -> Json:
    return {"project": {"common": {"direct": {}}, "input": rel, "expressions": list(expressions), **more}}


ASC = "SORT_DIRECTION_ASC_NULLS_FIRST"


def pipeline() -> Json:
    """Read, filter, project, aggregate, sort, fetch; hints, options, a filter of a measure."""
    kept = filtered(
        read(filter=call("gt", field(0), lit(i64="0"), out=BOOL), common={"hint": {"stats": {"rowCount": 10.0}}}),
        call("gt", field(2), lit(i32=1), out=BOOL),
    )
    doubled = project(
        kept,
        call(
            "multiply",
            field(0),
            lit(i64="2"),
            out=I64,
            options=[{"name": "overflow", "preference": ["ERROR"]}],
        ),
        common=emit(1, 3),
    )
    grouped = {
        "aggregate": {
            "input": doubled,
            "groupingExpressions": [field(0)],
            "groupings": [{"expressionReferences": [0]}],
            "measures": [
                {"measure": measure("count", out=I64)},
                {
                    "measure": measure("sum", field(1), out=type_("i64", nullable=True)),
                    "filter": call("gt", field(1), lit(i64="3"), out=BOOL),
                },
            ],
        }
    }
    ordered = {"sort": {"input": grouped, "sorts": [{"expr": field(1), "direction": ASC}]}}
    few = {"fetch": {"input": ordered, "offsetExpr": lit(i64="0"), "countExpr": lit(i64="5")}}
    return plan(root(few, "b", "n", "total"))


def literals() -> Json:
    """Rows in the plan, a literal of many kinds in a column each; constructors, choices, casts."""
    columns = schema(
        flag=BOOL,
        price=type_("decimal", precision=9, scale=2),
        day=type_("date"),
        at=type_("precisionTimestamp", precision=6),
        words=type_("list", type=STRING),
        pair=type_("struct", types=[I32, STRING]),
    )
    columns["names"] += ["x", "y"]
    values = [
        lit(boolean=True),
        lit(decimal={"value": "OTAAAAAAAAAAAAAAAAAAAA==", "precision": 9, "scale": 2}),
        lit(date=19000),
        lit(precisionTimestamp={"precision": 6, "value": "1600000000000000"}),
        lit(list={"values": [{"string": "a", "nullable": True}, {"null": STRING}]}),
        lit(struct={"fields": [{"i32": 5}, {"string": "z", "nullable": True}]}),
    ]
    rows = {"read": {"baseSchema": columns, "virtualTable": {"expressions": [{"fields": values}]}}}
    choice = {
        "ifThen": {
            "ifs": [{"if": field(0), "then": lit(string="yes")}],
            "else": {"cast": {"type": type_("string"), "input": lit(i32=7), "failureBehavior": 2}},
        }
    }
    switch = {
        "switchExpression": {
            "match": {
                "selection": {
                    "directReference": {"structField": {"field": 5, "child": {"structField": {"field": 0}}}},
                    "rootReference": {},
                }
            },
            "ifs": [{"if": {"i32": 5}, "then": lit(i64="1")}],
            "else": lit(i64="2"),
        }
    }
    listed = {"singularOrList": {"value": lit(i32=3), "options": [lit(i32=1), lit(i32=3)]}}
    lengths = call(
        "transform",
        field(4),
        {
            "lambda": {
                "parameters": {"types": [STRING], "nullability": "NULLABILITY_REQUIRED"},
                "body": call(
                    "concat", field(0, lambdaParameterReference={}), lit(string="!"), out=type_("string", nullable=True)
                ),
            }
        },
        out=type_("list", type=STRING),
    )
    made = project(rows, choice, switch, listed, lengths, common=emit(0, 1, 2, 3, 5, 6, 7, 8, 9))
    return plan(root(made, "flag", "price", "day", "at", "pair", "x", "y", "said", "n", "listed", "shouted"))


def joins() -> Json:
    """A join with a condition and a filter after it, a hash join, a set, a cross product, a top-N."""
    both = {
        "join": {
            "left": read(),
            "right": read("u"),
            "type": "JOIN_TYPE_LEFT",
            "expression": call("equal", field(0), field(3), out=BOOL),
            "postJoinFilter": call("gt", field(0), lit(i64="1"), out=BOOL),
            "common": emit(0, 1, 5),
        }
    }
    hashed = {
        "hashJoin": {
            "left": both,
            "right": read(),
            "keys": [
                {
                    "left": field(0)["selection"],
                    "right": field(0)["selection"],
                    "comparison": {"simple": "SIMPLE_COMPARISON_TYPE_EQ"},
                }
            ],
            "type": "JOIN_TYPE_INNER",
            "common": emit(0, 1),
        }
    }
    narrow = project(read(), common=emit(0, 1))
    united = {"set": {"inputs": [hashed, narrow], "op": "SET_OP_UNION_ALL"}}
    crossed = {"cross": {"left": united, "right": project(read("u"), common=emit(2))}}
    first = {
        "topN": {
            "input": crossed,
            "sorts": [{"expr": field(0), "direction": ASC}, {"expr": field(2), "direction": ASC}],
            "count": lit(i64="4"),
        }
    }
    return plan(root(first, "a", "b", "c"))


def subqueries() -> Json:
    """A scalar, IN, EXISTS and ALL; outer references by steps and by anchor."""
    total = {
        "aggregate": {
            "input": filtered(read("u"), call("equal", field(0), outer(0), out=BOOL)),
            "measures": [{"measure": measure("sum", field(0), out=type_("i64", nullable=True))}],
        }
    }
    anchored = field(2, outerReference={"relReference": 7})
    there = filtered(read("u"), call("equal", field(2), anchored, out=BOOL))
    exists = {"subquery": {"setPredicate": {"predicateOp": "PREDICATE_OP_EXISTS", "tuples": there}}}
    among = {"subquery": {"inPredicate": {"needles": [field(0)], "haystack": project(read("u"), common=emit(0))}}}
    all_of = {
        "subquery": {
            "setComparison": {
                "reductionOp": "REDUCTION_OP_ALL",
                "comparisonOp": "COMPARISON_OP_GE",
                "left": field(0),
                "right": project(read("u"), common=emit(0)),
            }
        }
    }
    kept = filtered(read(common={"relAnchor": 7}), call("and", exists, among, out=BOOL))
    return plan(root(project(kept, {"subquery": {"scalar": {"input": total}}}, all_of), "a", "b", "c", "s", "most"))


def windows() -> Json:
    """A window function of a projection, and a window relation; an expand."""
    numbered = {
        "windowFunction": {
            "functionReference": ANCHORS["row_number"],
            "partitions": [field(1)],
            "sorts": [{"expr": field(0), "direction": "SORT_DIRECTION_DESC_NULLS_LAST"}],
            "outputType": I64,
            "phase": "AGGREGATION_PHASE_INITIAL_TO_RESULT",
        }
    }
    running = {
        "window": {
            "input": project(read(), numbered),
            "windowFunctions": [
                {
                    **measure("sum", field(0), out=type_("i64", nullable=True)),
                    "boundsType": "BOUNDS_TYPE_ROWS",
                    "lowerBound": {"preceding": {"offset": "1"}},
                    "upperBound": {"currentRow": {}},
                }
            ],
            "partitionExpressions": [],
            "sorts": [{"expr": field(0), "direction": ASC}],
        }
    }
    expanded = {
        "expand": {
            "input": running,
            "fields": [
                {"consistentField": field(3)},
                {"switchingField": {"duplicates": [field(4), lit(null=type_("i64", nullable=True))]}},
            ],
        }
    }
    return plan(root(expanded, "n", "sum", "c", "number", "running", "copy"))


def trees() -> Json:
    """Several trees: one that others refer to, two roots, detached messages, a parameter."""
    subtree = {"rel": filtered(read(), call("gt", field(0), lit(i64="1"), out=BOOL))}
    again = {"reference": {"subtreeOrdinal": 0}}
    given = {"dynamicParameter": {"type": I64, "parameterReference": 3}}
    first = root(filtered(again, call("gt", given, field(0), out=BOOL)), "a", "b", "c")
    second = {
        "root": {"input": {"detachedRelOrdinal": 0}, "names": ["a", "b", "c", "d"]},
        "detachedRels": [project(again, {"detachedExpressionOrdinal": 0})],
        "detachedExpressions": [call("add", field(0), lit(i64="1"), out=I64)],
    }
    bindings = [{"parameterAnchor": 3, "value": {"i64": "3"}}]
    return plan(subtree, first, second, parameterBindings=bindings)


def old() -> Json:
    """As it was written years ago: URIs, a fetch of numbers, arguments as expressions, keys inside of groupings."""
    condition = {
        "scalarFunction": {"functionReference": 1, "args": [field(0), lit(i64="0")], "outputType": BOOL},
    }
    grouped = {
        "aggregate": {
            "input": filtered(read(), condition),
            "groupings": [{"groupingExpressions": [field(1)]}, {}],
            "measures": [{"measure": {"functionReference": 2, "outputType": I64}}],
        }
    }
    return {
        "version": {"minorNumber": 20},
        "extensionUris": [{"extensionUriAnchor": 1, "uri": "/functions_comparison.yaml"}],
        "extensions": [
            {"extensionFunction": {"extensionUriReference": 1, "functionAnchor": 1, "name": "gt:any_any"}},
            {"extensionFunction": {"functionAnchor": 2, "name": "count"}},
        ],
        "relations": [root({"fetch": {"input": grouped, "offset": "0", "count": "10"}}, "b", "n", "set")],
    }


PLANS = {made.__name__: made for made in (pipeline, literals, joins, subqueries, windows, trees, old)}

#: The tables that they read.
TABLES = {
    name: [{"a": 1, "b": "x", "c": 1}, {"a": 2, "b": None, "c": 2}, {"a": 3, "b": "x", "c": 3}] for name in ("t", "u")
}


def message(made: Json) -> Message:
    return from_json(json.dumps(made))
