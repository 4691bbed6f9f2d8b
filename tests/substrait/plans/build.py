"""Expressions of Substrait, as JSON of protobuf's.

A function is named by its extension and its own name (`"arithmetic:add"`); the plan that it gets into declares it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.substrait.plans.kinds import Extension, Json, literal, standard, type_

# Literals ------------------------------------------------------------------------------------------------------------


def lit(kind: str, value: Any) -> Json:
    """A literal of that type: `lit("list<i32>", [1, 2])`."""
    return {"literal": literal(kind, value)}


i32 = partial(lit, "i32")
i64 = partial(lit, "i64")
text = partial(lit, "string")
TRUE, FALSE, UNKNOWN = lit("boolean", True), lit("boolean", False), lit("boolean", None)


def null(kind: str) -> Json:
    return lit(kind, None)


# References ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """A step to an element of a list."""

    offset: int


@dataclass(frozen=True)
class Key:
    """A step to the value of a key of a map."""

    kind: str
    value: Any


Step = int | At | Key


def _segment(steps: Sequence[Step]) -> Json:
    first, *rest = steps
    child = {"child": _segment(rest)} if rest else {}
    match first:
        case At(offset=offset):
            return {"listElement": {"offset": offset, **child}}
        case Key(kind=kind, value=value):
            return {"mapKey": {"mapKey": literal(kind, value), **child}}
    return {"structField": {"field": first, **child}}


def _selection(root: Json, steps: Sequence[Step]) -> Json:
    return {"selection": {**root, "directReference": _segment(steps)}}


def f(*steps: Step) -> Json:
    """A field of the row at hand, or what the steps lead to inside of it."""
    return _selection({"rootReference": {}}, steps)


def outer(out: int, *steps: Step) -> Json:
    """A field of the row so many subqueries out."""
    return _selection({"outerReference": {"stepsOut": out}}, steps)


def anchored(anchor: int, *steps: Step) -> Json:
    """A field of the row of the relation with that anchor."""
    return _selection({"outerReference": {"relReference": anchor}}, steps)


def param(ordinal: int, *steps: Step, out: int = 0) -> Json:
    """A parameter of the lambda so many lambdas out."""
    return _selection({"lambdaParameterReference": {"stepsOut": out}}, (ordinal, *steps))


def of(root: Json, *steps: Step) -> Json:
    """What the steps lead to inside of a value."""
    return _selection({"expression": root}, steps)


def mask(items: dict[int, Any] | Sequence[int]) -> Json:
    """A mask on a struct: ordinals, each with the mask of what is inside or None."""
    pairs = items.items() if isinstance(items, dict) else [(item, None) for item in items]
    return {"structItems": [{"field": field, **({"child": inner} if inner else {})} for field, inner in pairs]}


def inside(items: dict[int, Any] | Sequence[int]) -> Json:
    """A mask on a struct inside of another value."""
    return {"struct": mask(items)}


def elements(*places: int | tuple[int, int], child: Json | None = None) -> Json:
    """A mask on a list: elements and slices by their places; none: all of it."""
    found = [
        {"slice": {"start": one[0], "end": one[1]}} if isinstance(one, tuple) else {"item": {"field": one}}
        for one in places
    ]
    return {"list": {"selection": found, **({"child": child} if child else {})}}


def entry(key: str, child: Json | None = None) -> Json:
    """A mask on a map: the entry of a key."""
    return {"map": {"key": {"mapKey": key}, **({"child": child} if child else {})}}


def masked(items: Json, root: Json | None = None, *, keep: bool = False) -> Json:
    """What a mask leaves of the row, or of a value."""
    start = {"rootReference": {}} if root is None else {"expression": root}
    return {"selection": {**start, "maskedReference": {"select": items, "maintainSingularStruct": keep}}}


# Functions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Enum:
    """An argument that is a name."""

    name: str


def function(name: str) -> Extension:
    stem, _, bare = name.partition(":")
    return Extension("function", standard(stem), bare)


def arguments(args: Sequence[Any]) -> list[Json]:
    return [
        {"enum": one.name}
        if isinstance(one, Enum)
        else {"type": type_(one)}
        if isinstance(one, str)
        else {"value": one}
        for one in args
    ]


def _called(name: str, args: Sequence[Any], options: dict[str, str] | None, returns: str | None) -> Json:
    made: Json = {"functionReference": function(name), "arguments": arguments(args)}
    if options:
        made["options"] = [{"name": key, "preference": [value]} for key, value in options.items()]
    if returns:
        made["outputType"] = type_(returns)
    return made


def call(name: str, *args: Any, options: dict[str, str] | None = None, returns: str | None = None) -> Json:
    """A call: arguments are expressions, `Enum`s, or types as strings."""
    return {"scalarFunction": _called(name, args, options, returns)}


def old_call(name: str, *args: Json) -> Json:
    """A call as it was written before arguments could be types."""
    return {"scalarFunction": {"functionReference": function(name), "args": list(args)}}


eq, ne, lt, lte, gt, gte, is_null, coalesce = (
    partial(call, f"comparison:{name}")
    for name in ("equal", "not_equal", "lt", "lte", "gt", "gte", "is_null", "coalesce")
)
and_, or_, not_ = (partial(call, f"boolean:{name}") for name in ("and", "or", "not"))
add, subtract, multiply, divide = (
    partial(call, f"arithmetic:{name}") for name in ("add", "subtract", "multiply", "divide")
)


def sorts(*keys: tuple[Json, str]) -> list[Json]:
    """Sort fields: `(f(0), "ASC_NULLS_FIRST")`."""
    return [{"expr": expr, "direction": f"SORT_DIRECTION_{direction}"} for expr, direction in keys]


def aggregate_function(
    name: str, *args: Any, distinct: bool = False, order: Sequence[tuple[Json, str]] = (), phase: str = ""
) -> Json:
    made = _called(name, args, None, None)
    made["phase"] = f"AGGREGATION_PHASE_{phase or 'INITIAL_TO_RESULT'}"
    made["invocation"] = f"AGGREGATION_INVOCATION_{'DISTINCT' if distinct else 'ALL'}"
    return {**made, "sorts": sorts(*order)}


#: An end of a frame: a number of rows (negative: before), None for unbounded, 0 for the current row.
Bound = int | None


def _bound(bound: Bound | Json) -> Json:
    match bound:
        case None:
            return {"unbounded": {}}
        case 0:
            return {"currentRow": {}}
        case int():
            return {"preceding" if bound < 0 else "following": {"offset": str(abs(bound))}}
    return bound


def framed(frame: tuple[str, Bound | Json, Bound | Json] | None) -> Json:
    if frame is None:
        return {}
    unit, lower, upper = frame
    return {"boundsType": f"BOUNDS_TYPE_{unit}", "lowerBound": _bound(lower), "upperBound": _bound(upper)}


def over(
    name: str,
    *args: Any,
    partition: Sequence[Json] = (),
    order: Sequence[tuple[Json, str]] = (),
    frame: tuple[str, Bound | Json, Bound | Json] | None = None,
    distinct: bool = False,
) -> Json:
    """A window function."""
    made = _called(name, args, None, None)
    invocation = f"AGGREGATION_INVOCATION_{'DISTINCT' if distinct else 'ALL'}"
    made |= {"partitions": list(partition), "sorts": sorts(*order), "invocation": invocation, **framed(frame)}
    return {"windowFunction": made}


# Choices, membership, casts ------------------------------------------------------------------------------------------


def _else(default: Json | None) -> Json:
    return {} if default is None else {"else": default}


def if_then(*branches: tuple[Json, Json], default: Json | None = None) -> Json:
    return {"ifThen": {"ifs": [{"if": when, "then": then} for when, then in branches], **_else(default)}}


def switch(match: Json, *branches: tuple[Json, Json], default: Json | None = None) -> Json:
    """A switch: what it compares with are literals."""
    ifs = [{"if": when["literal"], "then": then} for when, then in branches]
    return {"switchExpression": {"match": match, "ifs": ifs, **_else(default)}}


def one_of(value: Json, *options: Json) -> Json:
    return {"singularOrList": {"value": value, "options": list(options)}}


def row_of(row: Sequence[Json], *options: Sequence[Json]) -> Json:
    return {"multiOrList": {"value": list(row), "options": [{"fields": list(one)} for one in options]}}


def cast(value: Json, kind: str, failure: str = "THROW_EXCEPTION") -> Json:
    return {"cast": {"input": value, "type": type_(kind), "failureBehavior": f"FAILURE_BEHAVIOR_{failure}"}}


# Subqueries ----------------------------------------------------------------------------------------------------------


def scalar(rel: Json) -> Json:
    return {"subquery": {"scalar": {"input": rel}}}


def in_rows(needles: Sequence[Json], rel: Json) -> Json:
    return {"subquery": {"inPredicate": {"needles": list(needles), "haystack": rel}}}


def exists(rel: Json) -> Json:
    return {"subquery": {"setPredicate": {"predicateOp": "PREDICATE_OP_EXISTS", "tuples": rel}}}


def unique(rel: Json) -> Json:
    return {"subquery": {"setPredicate": {"predicateOp": "PREDICATE_OP_UNIQUE", "tuples": rel}}}


def compared(left: Json, comparison: str, reduction: str, rel: Json) -> Json:
    """`compared(f(0), "LT", "ANY", rel)`."""
    ops = {"comparisonOp": f"COMPARISON_OP_{comparison}", "reductionOp": f"REDUCTION_OP_{reduction}"}
    return {"subquery": {"setComparison": {**ops, "left": left, "right": rel}}}


# Constructors, lambdas, what the run gives ---------------------------------------------------------------------------


def struct(*fields: Json) -> Json:
    return {"nested": {"struct": {"fields": list(fields)}}}


def listed(*values: Json) -> Json:
    return {"nested": {"list": {"values": list(values)}}}


def mapped(*pairs: tuple[Json, Json]) -> Json:
    return {"nested": {"map": {"keyValues": [{"key": key, "value": value} for key, value in pairs]}}}


def function_of(parameters: Sequence[str], body: Json) -> Json:
    """A lambda."""
    return {"lambda": {"parameters": type_(f"struct<{','.join(parameters)}>")["struct"], "body": body}}


def invoked(target: Json | int, *args: Json) -> Json:
    """A lambda, or the one of an anchor, called."""
    which = {"namedLambda": {"lambdaReference": target}} if isinstance(target, int) else target
    return {"lambdaInvocation": {**which, "arguments": {"fields": list(args)}}}


def named_lambda(anchor: int) -> Json:
    return {"namedLambdaReference": {"lambdaReference": anchor}}


def dynamic(kind: str, ordinal: int) -> Json:
    """A parameter of the plan."""
    return {"dynamicParameter": {"type": type_(kind), "parameterReference": ordinal}}


def variable(name: str, made: Json | None = None) -> Json:
    """A variable of the run: `current_date`, …"""
    return {"executionContextVariable": {name: made or {"nullability": "NULLABILITY_REQUIRED"}}}


def detached(ordinal: int) -> Json:
    """An expression that the plan keeps beside its tree."""
    return {"detachedExpressionOrdinal": ordinal}


Build = Callable[..., Json]
