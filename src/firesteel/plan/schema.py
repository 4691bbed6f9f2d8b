"""What follows from a relation: its inputs, its columns, and whether its rows are a bag or a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.node import Node, children
from firesteel.plan.base import NamingRel, Rel
from firesteel.plan.physical import Consistent, Expand, ExpandField, SimpleCapture, Switching, TopN
from firesteel.plan.properties import Properties
from firesteel.plan.rel import (
    Aggregate,
    Capture,
    Distinct,
    Except,
    Exclude,
    Intersect,
    Join,
    Project,
    Scan,
    ScanIndexed,
    SetRel,
    Sort,
    Unpivot,
    Window,
    element,
)
from firesteel.plan.statement import Query, Root
from firesteel.types import Field, Schema

#: A limit, because joining a shared relation with itself repeatedly doubles the columns each time.
MAX_COLUMNS = 20_000


def inputs(node: Node) -> list[Rel]:
    """The relations that a relation, or a query, reads, left before right."""
    known: list[Rel] | None = node.__dict__.get("_inputs")
    if known is None:
        kids = children(node)
        found = [kid for kid in kids if isinstance(kid, Rel)]
        known = node.__dict__["_inputs"] = found or _NO_INPUTS
    return known


_NO_INPUTS: list[Rel] = []


def schema(rel: Rel) -> Schema:
    """The columns of a relation, as they follow from it."""
    known: Schema | None = rel.__dict__.get("_schema")
    return _cached(rel, "_schema", _schema) if known is None else known


def answer_type(statement: Node) -> t.Type:
    """The type of what a statement gives: rows of a root are structs of its names."""
    if isinstance(statement, Query):
        return statement.rex.type
    if not isinstance(statement, Root) or len(statement.names) != len(schema(statement.input)):
        return t.ANY
    fields = zip(statement.names, schema(statement.input), strict=True)
    return t.Bag(t.Struct(tuple(Field(name, field.type) for name, field in fields), open=False))


def relation_properties(rel: Rel) -> Properties:
    """What is known of the order of a relation's rows, and of the partitions that they are in."""
    found: Properties = _cached(rel, "_properties", lambda node, below: node.properties(below))
    return found


def is_list(rel: Rel) -> bool | None:
    """Are its rows a list (True) or a bag (False)? None where only the run can tell."""
    ordered: bool | None = _cached(rel, "_is_list", _is_list)
    return ordered


def _cached(rel: Rel, slot: str, f: Callable[[Any, list[Any]], Any]) -> Any:
    stack = [] if slot in rel.__dict__ else [rel]
    while stack:
        node = stack[-1]
        waiting = [source for source in inputs(node) if slot not in source.__dict__]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            node.__dict__[slot] = f(node, [source.__dict__[slot] for source in inputs(node)])
            stack.pop()
    return rel.__dict__[slot]


def _named(rel: NamingRel, types: list[t.Type]) -> Schema:
    names = rel.names if len(rel.names) == len(types) else (None,) * len(types)
    return tuple(map(Field, names, types))


def _schema(rel: Rel, below: list[Schema]) -> Schema:
    match rel:
        case Scan(rex=rex):
            return _named(rel, [element(rex.type), *([t.ANY] if rel.identified else [])])
        case ScanIndexed(rex=rex):
            index = t.absent(t.INT64, missable=not isinstance(rex.type, t.Array | t.Sexp) or rex.type.absent)
            return _named(rel, [element(rex.type), index, *([t.ANY] if rel.identified else [])])
        case Unpivot(rex=rex):
            return _named(rel, [t.STRING, _attribute(rex.type)])
        case Project(exprs=exprs):
            return _named(rel, [expr.type for expr in exprs])
        case Aggregate(aggs=aggs, keys=keys):
            return _named(rel, [*(group_key(key.type) for key in keys), *(agg.type for agg in aggs)])
        case Expand(fields=fields):
            count = rel.count
            return _named(rel, [*(_expanded(field, count) for field in fields), t.INT32])
        case Window(calls=calls):
            return below[0] + _named(rel, [call.type for call in calls])
        case Exclude(paths=paths):
            touched = {path.ordinal for path in paths}
            return tuple(Field(f.name, t.ANY) if i in touched else f for i, f in enumerate(below[0]))
        case Join():
            left, right = below
            if rel.capture.tests:
                return left + ((Field(None, t.BOOL),) if rel.capture is Capture.LEFT_MARK else ())
            if rel.capture.pads_left:
                left = _padded(left)
            if rel.capture.pads_right:
                right = _padded(right)
            if len(left) + len(right) > MAX_COLUMNS:
                raise PlanError(f"a relation has more than {MAX_COLUMNS:,} columns", where=rel.where)
            return left + right
        case SetRel():
            left, right = below
            if len(left) != len(right):
                return left
            return tuple(Field(a.name, _combined(rel, a.type, b.type)) for a, b in zip(left, right, strict=True))
        case _ if len(below) == 1:
            return below[0]
        case _:
            raise PlanError(f"the columns of '{rel.tag}' are not known", where=rel.where)


def _expanded(field: ExpandField, count: int) -> t.Type:
    """The type of a field of an expand that makes so many duplicates."""
    if isinstance(field, Consistent):
        return field.value.type
    assert isinstance(field, Switching)
    filled = [t.NULL] if len(field.duplicates) < count else []
    return t.union([*(rex.type for rex in field.duplicates), *filled])


def _combined(rel: SetRel, left: t.Type, right: t.Type) -> t.Type:
    """The type of a column of a set operation. A row of a difference is one of the left side, and a row of an
    intersection is one of both sides: it has NULL only where that side, or both, may have it."""
    made = t.union((left, right))
    if left.missable or right.missable or isinstance(made, t.Any | t.Union | t.Null):  # MISSING and NULL are one here
        return made
    match rel:
        case Except():
            return t.absent(made, nullable=left.nullable)
        case Intersect():
            return t.absent(made, nullable=left.nullable and right.nullable)
        case _:
            return made


def _padded(schema: Schema) -> Schema:
    return tuple(Field(field.name, t.padded(field.type)) for field in schema)


def group_key(type_: t.Type) -> t.Type:
    """MISSING keys become NULL and share its group."""
    if isinstance(type_, t.Missing):
        return t.NULL
    return t.absent(type_, nullable=True, missable=False) if type_.missable else type_


def _attribute(type_: t.Type) -> t.Type:
    """The type of what unpivoting a value of this type binds."""
    parts: list[t.Type] = []
    for member in t.members(type_):
        if isinstance(member, t.Struct) and not member.open:
            parts.extend(field.type for field in member.fields)
        elif isinstance(member, t.Struct):
            return t.ANY
        else:
            parts.append(t.proper(member))
    if type_.nullable and not isinstance(type_, t.Any):
        parts.append(t.NULL)
    return t.union(parts) if parts else t.ANY


def _is_list(rel: Rel, below: list[bool | None]) -> bool | None:
    match rel:
        case Scan(rex=rex) | ScanIndexed(rex=rex):
            kinds = {isinstance(m, t.Array | t.Sexp) for m in t.members(rex.type)}
            return None if isinstance(rex.type, t.Any) or len(kinds) > 1 else kinds.pop()
        case Sort() | TopN():
            return True
        case Window() | Aggregate() if rel.keeps_order:
            return below[0]
        case Unpivot() | Aggregate() | SetRel() | Distinct() | Window() | SimpleCapture():
            return False
        case Join():
            left, right = below
            if rel.strategy is not None:  # Substrait's physical joins: the specification says what they keep
                return left if rel.keeps_left_order else False
            if rel.capture.tests:
                return left
            if rel.capture.pads_left:
                return False
            return None if left is None or right is None else left and right
        case _:
            return below[0] if len(below) == 1 else None
