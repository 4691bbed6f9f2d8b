"""What follows from a relation: its inputs, its columns, whether its rows are a bag or a list, and their properties.

The classes say it (`Rel.derive_schema` and the others); here it is asked for, once per node, from the leaves up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import types as t
from firesteel.node import Node, children
from firesteel.plan.base import Rel
from firesteel.plan.properties import Properties
from firesteel.plan.statement import Query, Root
from firesteel.types import Field, Schema


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
    return _cached(rel, "_schema", lambda node, below: node.derive_schema(below)) if known is None else known


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
    found: Properties = _cached(rel, "_properties", lambda node, below: node.derive_properties(below))
    return found


def is_list(rel: Rel) -> bool | None:
    """Are its rows a list (True) or a bag (False)? None where only the run can tell."""
    ordered: bool | None = _cached(rel, "_is_list", lambda node, below: node.derive_is_list(below))
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
