"""Nodes of our algebra that Substrait has no message for: read from `firesteel.Node`, by the declarations of the nodes.

A node's relations are the inputs of the extension relation that the message is the detail of, and everything else is in
its fields, by their names. The expression of a leaf (`scan`, `unpivot`) is the one value of a virtual table, which is
the input of the relation: it sees what the leaf sees. `write/own_nodes.py` is the other way.
"""

from __future__ import annotations

import enum
import types as python_types
import typing
from collections.abc import Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import ParseError
from firesteel.ion import loads
from firesteel.node import Node, drive, fields
from firesteel.rules import PlanRule
from firesteel.substrait import own_messages
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, columns, require_field, scope_over
from firesteel.substrait.message import Message
from firesteel.substrait.own_messages import MAX_LEVELS
from firesteel.substrait.types import read_type

#: The classes of nodes, by their names, and the enumerations of their fields.
CLASSES: dict[str, type[Node]] = {
    name: found
    for name, found in [*vars(p).items(), ("Field", t.Field)]
    if isinstance(found, type) and issubclass(found, Node)
}
ENUMS: dict[str, type[enum.Enum]] = {
    name: found for name, found in vars(p).items() if isinstance(found, type) and issubclass(found, enum.Enum)
}
#: Expressions with a relation: each is a scalar subquery of a relation that has the node as its detail.
QUERIES = ("Select", "Pivot")
#: Relations without an input, each with an expression.
LEAVES = ("Scan", "ScanIndexed", "Unpivot")


def is_own(detail: Message) -> bool:
    """Is it the detail of a relation of ours that stands for a node?"""
    return own_messages.type_name(detail) == own_messages.NODE


def is_query(rel: Message) -> bool:
    """Is a relation one that gives the value of an expression with a relation?"""
    if not rel.has("extension_single") or not is_own(rel.extension_single.detail):
        return False
    return own_messages.opened(rel.extension_single.detail).kind_name in QUERIES


def query(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """The expression that a scalar subquery of ours is."""
    source = require_field(message, "input")
    rel = yield source, scope
    inner = scope_over(scope, (rel, source))
    return (yield from read_node(lowerer, own_messages.opened(message.detail), inner, [rel]))


def relation(lowerer: Lowerer, detail: Message, sources: Sequence[Message], scope: FieldScope) -> Lowering:
    """The relation that a node stands for, over its inputs."""
    node = own_messages.opened(detail)
    if node.kind_name in LEAVES:
        rex = yield from _leaf(lowerer, sources, node, scope)
        return (yield from read_node(lowerer, node, scope, [], rex=rex))
    rels: list[p.Rel] = []
    beside = scope
    for source in sources:
        rels.append((yield source, beside))
        if node.kind_name == "Join" and any(one.name == "lateral" and one.flag for one in node.fields):
            beside = scope_over(scope, (rels[0], source))
    inner = scope_over(scope, *zip(rels, sources, strict=True))
    made = yield from read_node(lowerer, node, inner, rels)
    if not isinstance(made, p.Rel):
        raise PlanRule.OWN_MESSAGE.broken(f"'{node.kind_name}' is no relation", where=node.where)
    return made


def _leaf(lowerer: Lowerer, sources: Sequence[Message], node: Message, scope: FieldScope) -> Lowering:
    rows = sources[0].read.virtual_table.expressions if len(sources) == 1 else []
    if len(rows) != 1 or len(rows[0].fields) != 1:
        raise PlanRule.OWN_MESSAGE.broken(f"'{node.kind_name}' is over a virtual table of one value", where=node.where)
    return (yield rows[0].fields[0], FieldScope(outer=scope, is_leaf=True))


def whole_plan(lowerer: Lowerer, trees: Sequence[Message]) -> p.Plan | None:
    """The plan that is written by declarations alone: the node of a relation that stands for all of it."""
    if len(trees) != 1 or not trees[0].rel.has("extension_leaf") or not is_own(trees[0].rel.extension_leaf.detail):
        return None
    node = own_messages.opened(trees[0].rel.extension_leaf.detail)
    if node.kind_name != p.Plan.__name__:
        return None
    made = drive(lambda one, scope: read_node(lowerer, one, scope, []), node, FieldScope())
    assert isinstance(made, p.Plan)
    return made


def window(lowerer: Lowerer, node: Message, scope: FieldScope, rel: p.Rel) -> Lowering:
    """The window that the message of a window relation says by a node."""
    made = yield from read_node(lowerer, node, scope, [rel])
    if not isinstance(made, p.Window):
        raise PlanRule.OWN_MESSAGE.broken(f"'{node.kind_name}' is no window", where=node.where)
    return made


def join(lowerer: Lowerer, node: Message, scope: FieldScope, left: p.Rel, right: p.Rel) -> Lowering:
    """The join that the message of a join says by a node."""
    inner = FieldScope(columns(left, right), scope)
    made = yield from read_node(lowerer, node, inner, [left, right])
    if not isinstance(made, p.Join):
        raise PlanRule.OWN_MESSAGE.broken(f"'{node.kind_name}' is no join", where=node.where)
    return made


def read_node(
    lowerer: Lowerer, message: Message, scope: FieldScope, rels: Sequence[p.Rel], level: int = 0, **parts: Any
) -> Lowering:
    """A node with its fields; those that are relations are the inputs, in their order."""
    cls = CLASSES.get(message.kind_name)
    if level > MAX_LEVELS:
        raise PlanRule.OWN_MESSAGE.broken(f"nodes of ours nest more than {MAX_LEVELS} levels deep", where=message.where)
    if cls is None:
        raise PlanRule.OWN_MESSAGE.broken(f"our algebra has no '{message.kind_name}'", where=message.where)
    known = {spec.name: spec for spec in fields(cls)}
    supply = iter(rels)
    for one in message.fields:
        spec = known.get(one.name)
        if spec is None:
            raise PlanRule.OWN_MESSAGE.broken(f"'{message.kind_name}' has no field '{one.name}'", where=one.where)
        seen = _seen(cls, one.name, scope, rels)
        value = yield from read_value(lowerer, one, seen, rels, level)
        parts[one.name] = p.FnOption(value) if spec.annotation is p.FnOption and isinstance(value, int) else value
    for spec in known.values():
        if spec.annotation is p.Rel and spec.name not in parts:
            parts[spec.name] = next(supply, None)
    for name, value in parts.items():
        if not conforms(value, known[name].annotation):
            raise PlanRule.OWN_MESSAGE.broken(
                f"the field '{name}' of '{message.kind_name}' is something else", where=message.where
            )
    try:
        return cls(**parts).at(message.where)
    except TypeError:
        raise PlanRule.OWN_MESSAGE.broken(
            f"'{message.kind_name}' without some of its fields", where=message.where
        ) from None


def _seen(cls: type[Node], name: str, scope: FieldScope, rels: Sequence[p.Rel]) -> FieldScope:
    """The row that a field's expression sees: the keys of a join see one side each."""
    if cls is not p.JoinKey or len(rels) != 2:
        return scope
    width = len(p.schema(rels[0]))
    kept = scope.columns[:width] if name == "left" else scope.columns[width:]
    return FieldScope(kept, scope.outer)


def read_value(lowerer: Lowerer, field: Message, scope: FieldScope, rels: Sequence[p.Rel], level: int = 0) -> Lowering:
    """The value of a field."""
    match field.which("value_kind"):
        case None:
            return None
        case "expression":
            return (yield field.expression, scope)
        case "type":
            return read_type(field.type, lowerer.extensions)
        case "list" if level > MAX_LEVELS:
            raise PlanRule.OWN_MESSAGE.broken(
                f"lists of ours nest more than {MAX_LEVELS} levels deep", where=field.where
            )
        case "node":
            return (yield from read_node(lowerer, field.node, scope, rels, level + 1))
        case "list":
            made: list[Any] = []
            for one in field.list.items:
                made.append((yield from read_value(lowerer, one, scope, rels, level + 1)))
            return tuple(made)
        case "choice":
            cls, _, member = field.choice.partition(".")
            if cls not in ENUMS or member not in ENUMS[cls].__members__:
                raise PlanRule.OWN_MESSAGE.broken(f"our algebra has no choice '{field.choice}'", where=field.where)
            return ENUMS[cls][member]
        case "ion":
            try:
                return loads(bytes(field.ion))
            except ParseError as error:
                raise PlanRule.OWN_MESSAGE.broken(
                    f"a value that is no Ion: {error.message}", where=field.where
                ) from None
        case kind:
            return getattr(field, str(kind))


def conforms(value: Any, annotation: Any) -> bool:
    """Is a value what the field of a node takes?"""
    if annotation is Any:
        return True
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, python_types.UnionType):
        return any(conforms(value, one) for one in typing.get_args(annotation))
    if origin is tuple:
        kinds = typing.get_args(annotation)
        if not isinstance(value, tuple):
            return False
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return all(conforms(one, kinds[0]) for one in value)
        return len(kinds) == len(value) and all(map(conforms, value, kinds))
    if annotation is None or annotation is type(None):
        return value is None
    if annotation is float:
        return isinstance(value, float | int)
    return isinstance(value, annotation) and not (annotation is int and isinstance(value, bool))
