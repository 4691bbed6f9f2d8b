"""Relations of Substrait, and whole plans, as JSON of protobuf's; `plan` gives the bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from firesteel.substrait import encode, from_json
from tests.substrait.plans.build import TRUE, Bound, aggregate_function, arguments, f, framed, function, sorts
from tests.substrait.plans.kinds import Extension, Json, literal, names_in, type_

Rel = Json


def _common(emit: Sequence[int] | None, anchor: int | None = None, hint: Json | None = None) -> Json:
    common: Json = {"emit": {"outputMapping": list(emit)}} if emit is not None else {"direct": {}}
    if anchor is not None:
        common["relAnchor"] = anchor
    if hint is not None:
        common["hint"] = hint
    return {"common": common}


# Reads ---------------------------------------------------------------------------------------------------------------


def schema(columns: str) -> Json:
    """A declared schema: `"a i64, b struct<i32,string>?"`; fields inside are named `_1`, `_2`."""
    names: list[str] = []
    types: list[Json] = []
    for name, kind in _columns(columns):
        made = type_(kind)
        names += [name, *names_in(made)]
        types.append(made)
    return {"names": names, "struct": {"types": types, "nullability": "NULLABILITY_REQUIRED"}}


def _columns(columns: str) -> list[tuple[str, str]]:
    parts, depth, start = [], 0, 0
    for i, char in enumerate(columns):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append(columns[start:i])
            start = i + 1
    parts.append(columns[start:])
    return [(part.split(None, 1)[0], part.split(None, 1)[1]) for part in parts if part.strip()]


def _read(
    columns: str | Json,
    source: Json,
    where: Json | None,
    best_effort: Json | None,
    select: Json | None,
    emit: Sequence[int] | None,
    anchor: int | None,
) -> Rel:
    made: Json = {**_common(emit, anchor), "baseSchema": schema(columns) if isinstance(columns, str) else columns}
    made |= source
    if where is not None:
        made["filter"] = where
    if best_effort is not None:
        made["bestEffortFilter"] = best_effort
    if select is not None:
        made["projection"] = {"select": select}
    return {"read": made}


def read(
    name: str,
    columns: str | Json,
    *,
    where: Json | None = None,
    best_effort: Json | None = None,
    select: Json | None = None,
    emit: Sequence[int] | None = None,
    anchor: int | None = None,
) -> Rel:
    """A named table."""
    source = {"namedTable": {"names": name.split(".")}}
    return _read(columns, source, where, best_effort, select, emit, anchor)


def virtual(
    columns: str,
    *rows: Sequence[Any],
    old: bool = False,
    where: Json | None = None,
    best_effort: Json | None = None,
    select: Json | None = None,
    emit: Sequence[int] | None = None,
    anchor: int | None = None,
) -> Rel:
    """Rows in the plan: values, or expressions. In the old form they are literals."""
    kinds = [kind for _, kind in _columns(columns)]
    made = []
    for row in rows:
        fields = [
            one if _is_expression(one) else literal(kind, one) if old else {"literal": literal(kind, one)}
            for kind, one in zip(kinds, row, strict=True)
        ]
        made.append({"fields": fields})
    source = {"virtualTable": {"values" if old else "expressions": made}}
    return _read(columns, source, where, best_effort, select, emit, anchor)


def _is_expression(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), dict | int)


# Logical relations ---------------------------------------------------------------------------------------------------


def filtered(rel: Rel, condition: Json, *, emit: Sequence[int] | None = None, anchor: int | None = None) -> Rel:
    return {"filter": {**_common(emit, anchor), "input": rel, "condition": condition}}


def project(rel: Rel, *exprs: Json, emit: Sequence[int] | None = None, anchor: int | None = None) -> Rel:
    """The columns of the input and these, or those of them that `emit` says."""
    return {"project": {**_common(emit, anchor), "input": rel, "expressions": list(exprs)}}


def only(rel: Rel, width: int, *exprs: Json) -> Rel:
    """The expressions alone, over an input of so many columns."""
    return project(rel, *exprs, emit=range(width, width + len(exprs)))


def ordered(rel: Rel, *keys: tuple[Json, str], emit: Sequence[int] | None = None) -> Rel:
    return {"sort": {**_common(emit), "input": rel, "sorts": sorts(*keys)}}


def fetch(
    rel: Rel,
    *,
    offset: int | Json | None = None,
    count: int | Json | None = None,
    emit: Sequence[int] | None = None,
    hint: Json | None = None,
) -> Rel:
    """A number is written in the old form, an expression in the new one."""
    made: Json = {**_common(emit, hint=hint), "input": rel}
    for name, given in (("offset", offset), ("count", count)):
        if given is not None:
            made |= {name: str(given)} if isinstance(given, int) else {f"{name}Expr": given}
    return {"fetch": made}


def cross(left: Rel, right: Rel, *, emit: Sequence[int] | None = None) -> Rel:
    return {"cross": {**_common(emit), "left": left, "right": right}}


def join(
    kind: str,
    left: Rel,
    right: Rel,
    condition: Json | None = TRUE,
    *,
    post: Json | None = None,
    emit: Sequence[int] | None = None,
    anchor: int | None = None,
    relation: str = "join",
) -> Rel:
    made: Json = {**_common(emit, anchor), "left": left, "right": right, "type": f"JOIN_TYPE_{kind}"}
    if condition is not None:
        made["expression"] = condition
    if post is not None:
        made["postJoinFilter"] = post
    return {relation: made}


def keyed_join(
    relation: str,
    kind: str,
    left: Rel,
    right: Rel,
    *keys: tuple[Field, Field] | tuple[Field, Field, str],
    old: bool = False,
    post: Json | None = None,
    residual: Json | None = None,
    build: str | None = None,
    emit: Sequence[int] | None = None,
) -> Rel:
    """A hash or a merge join: keys are fields of either side, and how they are compared."""
    made: Json = {**_common(emit), "left": left, "right": right, "type": f"JOIN_TYPE_{kind}"}
    if build is not None:
        made["buildInput"] = f"BUILD_INPUT_{build}"
    if old:
        made |= {"leftKeys": [field(key[0]) for key in keys], "rightKeys": [field(key[1]) for key in keys]}
    else:
        made["keys"] = [
            {
                "left": field(key[0]),
                "right": field(key[1]),
                "comparison": {"simple": f"SIMPLE_COMPARISON_TYPE_{key[2] if len(key) > 2 else 'EQ'}"},
            }
            for key in keys
        ]
    if post is not None:
        made["postJoinFilter"] = post
    if residual is not None:
        made["residualExpression"] = residual
    return {relation: made}


#: A field of an input: an ordinal, or the steps into a struct.
Field = int | tuple[int, ...]


def field(steps: Field) -> Json:
    """A reference to a field of an input, where a relation has no expression."""
    found: Json = f(*((steps,) if isinstance(steps, int) else steps))["selection"]
    return found


def combined(op: str, *rels: Rel, emit: Sequence[int] | None = None) -> Rel:
    """A set operation."""
    return {"set": {**_common(emit), "op": f"SET_OP_{op}", "inputs": list(rels)}}


def measure(
    name: str,
    *args: Any,
    distinct: bool = False,
    where: Json | None = None,
    order: Sequence[tuple[Json, str]] = (),
    phase: str = "",
) -> Json:
    made: Json = {"measure": aggregate_function(name, *args, distinct=distinct, order=order, phase=phase)}
    return made if where is None else {**made, "filter": where}


def aggregate(
    rel: Rel,
    keys: Sequence[Json],
    *measures: Json,
    sets: Sequence[Sequence[int]] | None = None,
    old: bool = False,
    emit: Sequence[int] | None = None,
) -> Rel:
    """An aggregate: `sets` are the grouping sets, as ordinals of the keys; without them all keys are one set."""
    made: Json = {**_common(emit), "input": rel, "measures": list(measures)}
    groups = [list(range(len(keys)))] if sets is None and keys else sets or []
    if old:
        made["groupings"] = [{"groupingExpressions": [keys[i] for i in one]} for one in groups]
    else:
        made["groupings"] = [{"expressionReferences": list(one)} for one in groups]
        made["groupingExpressions"] = list(keys)
    return {"aggregate": made}


def reference(ordinal: int) -> Rel:
    return {"reference": {"subtreeOrdinal": ordinal}}


def detached_rel(ordinal: int) -> Rel:
    return {"detachedRelOrdinal": ordinal}


# Physical relations --------------------------------------------------------------------------------------------------


def top_n(
    rel: Rel,
    *keys: tuple[Json, str],
    offset: Json | None = None,
    count: Json | None = None,
    ties: bool = False,
    emit: Sequence[int] | None = None,
) -> Rel:
    made: Json = {**_common(emit), "input": rel, "sorts": sorts(*keys)}
    made["mode"] = f"FETCH_MODE_{'WITH_TIES' if ties else 'ROWS_ONLY'}"
    made |= {name: one for name, one in (("offset", offset), ("count", count)) if one is not None}
    return {"topN": made}


def windowed(name: str, *args: Any, frame: tuple[str, Bound | Json, Bound | Json] | None = None) -> Json:
    """A function of a window relation."""
    return {"functionReference": function(name), "arguments": arguments(args), **framed(frame)}


def window(
    rel: Rel,
    partition: Sequence[Json],
    order: Sequence[tuple[Json, str]],
    *functions: Json,
    emit: Sequence[int] | None = None,
) -> Rel:
    made = {**_common(emit), "input": rel, "windowFunctions": list(functions)}
    return {"window": {**made, "partitionExpressions": list(partition), "sorts": sorts(*order)}}


def expand(rel: Rel, *fields: Json | Sequence[Json], emit: Sequence[int] | None = None) -> Rel:
    """A field is one expression, or one for every duplicate."""
    made = [
        {"consistentField": one} if isinstance(one, dict) else {"switchingField": {"duplicates": list(one)}}
        for one in fields
    ]
    return {"expand": {**_common(emit), "input": rel, "fields": made}}


def exchange(
    rel: Rel,
    kind: str,
    made: Json | None = None,
    *,
    count: int | None = None,
    targets: Sequence[Json] = (),
    emit: Sequence[int] | None = None,
) -> Rel:
    """An exchange of a kind, which is a field of the message: `roundRobin`, `scatterByFields` ..."""
    found: Json = {**_common(emit), "input": rel, kind: made or {}, "targets": list(targets)}
    return {"exchange": found if count is None else {**found, "partitionCount": count}}


def scattered(rel: Rel, *fields: Field, count: int | None = None) -> Rel:
    return exchange(rel, "scatterByFields", {"fields": [field(one) for one in fields]}, count=count)


def own(name: str, **fields: Any) -> Json:
    """A message of Firesteel's own, where Substrait has a place for any."""
    return {"@type": f"type.googleapis.com/firesteel.{name}", **fields}


def optimized(rel: Rel, *messages: Json) -> Rel:
    """A relation with these messages as its optimizations."""
    ((kind, made),) = rel.items()
    return {kind: {**made, "advancedExtension": {"optimization": list(messages)}}}


def streaming(rel: Rel) -> Rel:
    """An aggregate or a window that relies on the order of its input."""
    name = "AggregateStrategy" if "aggregate" in rel else "WindowStrategy"
    return optimized(rel, own(name, method="METHOD_STREAMING"))


def captured(rel: Rel, name: str, **fields: Any) -> Rel:
    return {"extensionSingle": {**_common(None), "input": rel, "detail": own(name, **fields)}}


def promised(
    rel: Rel,
    *keys: tuple[Field, str],
    partitioned: Sequence[Field] = (),
    singleton: bool = False,
    **properties: str,
) -> Rel:
    """A read whose order and distribution are promised."""
    made: Json = {"orderedness": [{"field": field(one), "direction": f"SORT_DIRECTION_{how}"} for one, how in keys]}
    if partitioned or singleton:
        kind = "SINGLETON" if singleton else "PARTITIONED"
        made["distribution"] = {"type": f"DISTRIBUTION_TYPE_{kind}", "fields": [field(one) for one in partitioned]}
    made["properties"] = [{"name": name, "value": value} for name, value in properties.items()]
    return optimized(rel, own("ReadProperties", **made))


def hinted(rel: Rel, **hint: Any) -> Rel:
    """A relation with a hint."""
    ((kind, made),) = rel.items()
    return {kind: {**made, "common": {**made["common"], "hint": hint}}}


def limited(rel: Rel, name: str, **fields: Any) -> Rel:
    """A relation with a limit on what it uses or gives."""
    return hinted(rel, constraint={"advancedExtension": {"enhancement": own(name, **fields)}})


# Plans ---------------------------------------------------------------------------------------------------------------


def root(rel: Rel, names: Sequence[str], *, rels: Sequence[Rel] = (), expressions: Sequence[Json] = ()) -> Json:
    """A tree that gives rows, and what is kept beside it."""
    return {
        "root": {"input": rel, "names": list(names)},
        "detachedRels": list(rels),
        "detachedExpressions": list(expressions),
    }


def subtree(rel: Rel) -> Json:
    """A tree that others refer to."""
    return {"rel": rel}


def plan(*trees: Json, parameters: dict[int, Json] | None = None, **parts: Any) -> bytes:
    """A plan as bytes: what its functions and types are is declared."""
    made: Json = {"version": {"minorNumber": 107, "producer": "by hand"}, "relations": list(trees), **parts}
    if parameters:
        made["parameterBindings"] = [
            {"parameterAnchor": anchor, "value": one["literal"]} for anchor, one in parameters.items()
        ]
    anchors: dict[Extension, int] = {}

    def anchor(one: Any) -> int:
        assert isinstance(one, Extension), one
        return anchors.setdefault(one, len(anchors) + 1)

    resolved = json.loads(json.dumps(made, default=anchor))
    urns = list(dict.fromkeys(one.urn for one in anchors))
    resolved["extensionUrns"] = [{"extensionUrnAnchor": i, "urn": urn} for i, urn in enumerate(urns, 1)]
    resolved["extensions"] = [
        {
            f"extension{one.kind.title()}": {
                "extensionUrnReference": urns.index(one.urn) + 1,
                f"{one.kind}Anchor": number,
                "name": one.name,
            }
        }
        for one, number in anchors.items()
    ]
    return encode(from_json(json.dumps(resolved)))
